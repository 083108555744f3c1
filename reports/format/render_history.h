/*
 * render_history - what history list and history check print
 *
 * in:    their rows, borrowed
 * out:   text, or JSON with schema "xdpzoom.history/1", "xdpzoom.check/2" or "xdpzoom.exact-check/2", to the caller's
 *        stream; checks as KTAP too
 * units: in headings and member names
 * law:   text and JSON show the same rows
 * error: -errno of the stream, -ENOMEM
 */
#ifndef REPORTS_RENDER_HISTORY_H
#define REPORTS_RENDER_HISTORY_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/exact/exact_check.h"
#include "reports/history/history.h"
#include "reports/compare/regression.h"

int render_history_text(FILE *out, const struct history_list *l, bool colour);
int render_history_json(FILE *out, const struct history_list *l);
/* The changes of the variants on the device of this run, as text behind a check: run, kind. */
int render_changes_text(FILE *out, const struct history_list *l, enum history_kind kind, int64_t run);

int render_regression_text(FILE *out, const struct regression *r, bool colour);
int render_regression_json(FILE *out, const struct regression *r);
int render_regression_ktap(FILE *out, const struct regression *r);

int render_exact_check_text(FILE *out, const struct exact_check *c, bool colour);
int render_exact_check_json(FILE *out, const struct exact_check *c);
int render_exact_check_ktap(FILE *out, const struct exact_check *c);

#endif
