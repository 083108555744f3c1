/*
 * exact_args - report and diff of exact runs (reports/exact/)
 *
 * in:    the options of report and diff; directories, and variants or NULL
 * out:   the result, written to the output that the options name
 * error: an exit status after one printed sentence
 */
#ifndef USER_CLI_EXACT_ARGS_H
#define USER_CLI_EXACT_ARGS_H

#include "user/cli/report_args.h"

/* Reads an exact run; refuses a measured one. Release e with exact_release(). */
int exact_args_open(struct exact *e, const char *dir, struct facilities *f, struct diag *d);

int exact_report(const struct report_args *a, const char *dir, const char *variant);
int exact_diff(const struct report_args *a, const char *base_dir, const char *base_variant, const char *new_dir,
	       const char *new_variant);

#endif
