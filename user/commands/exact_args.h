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
/* Refuses a run of which a count does not close, too: to be kept. */
int exact_args_open_closed(struct exact *e, const char *dir, struct facilities *f, struct diag *d);
/* Prints a sentence for each variant, or for this one alone, whose counts do not all close; how many of them. */
size_t exact_args_complain(const struct exact *e, const struct exact_variant *only, const char *dir);

int exact_report(const struct report_args *a, const char *dir, const char *variant);
int exact_diff(const struct report_args *a, const char *base_dir, const char *base_variant, const char *new_dir,
	       const char *new_variant);

#endif
