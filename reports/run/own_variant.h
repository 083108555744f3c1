/*
 * own_variant - the words of variants that are programs of the user's own
 *
 *     prog:FILE.o@MODE  prog:FILE.o:NAME@MODE  prog:pinned:PATH@MODE  prog:id:N@MODE
 *
 * in:    the words that begin with RUN_OWN_WORD
 * out:   a run_variant with the action "prog", no operation, and the words between "prog:" and "@" as its target
 * law:   the last "@" ends the program, the last colon before a C identifier begins NAME; FILE and PATH may hold both.
 *        Nothing is opened or looked up
 * error: -EINVAL and a sentence
 */
#ifndef REPORTS_OWN_VARIANT_H
#define REPORTS_OWN_VARIANT_H

#include "base/diag.h"
#include "reports/run/run.h"

#define RUN_OWN_WORD "prog:"

int run_own_variant(struct run_variant *v, const char *id, struct diag *d);

#endif
