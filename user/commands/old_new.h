/*
 * old_new - what a measured run and an exact run say of an old and a new program
 *
 * in:    directories of both runs, NULL: none; the names of the two variants, which each run has; words of --fail-if
 * out:   the comparison of each run, behind a heading; whether a limit is passed
 * units: as those of the runs. A limit in ns is for the measured run, one in instructions for the exact one, one in %
 *        for each of them
 * error: -errno with one sentence: -EINVAL no run for the limit, or a run of the other kind; -ENOENT a variant that a
 *        run lacks
 */
#ifndef USER_CLI_OLD_NEW_H
#define USER_CLI_OLD_NEW_H

#include <stdbool.h>
#include <stdio.h>
#include "user/commands/compared.h"

struct old_new_options {
	const char *measured, *exact; /* run directories */
	const char *fail_words;       /* NULL: no limit */
};

/* clang-format off */
#define OLD_NEW_OPTIONS(o)                                                                                             \
	{"measured", 0, OPT_DIR, &(o)->measured, "RUN", "say what a run of record measured of both programs",          \
	 .otherwise = "nothing"},                                                                                      \
	{"exact", 0, OPT_DIR, &(o)->exact, "RUN", "say what a run of exact counted of both programs",                  \
	 .otherwise = "nothing"},                                                                                      \
	{"fail-if", 0, OPT_STRING, &(o)->fail_words, "WORDS",                                                          \
	 "exit status 3 when one of these runs shows so large a difference: slower=2%, different=3ns",                 \
	 .otherwise = "never"}
/* clang-format on */

enum { OLD_NEW_MEASURED, OLD_NEW_EXACT, OLD_NEW_RUNS };

struct old_new {
	const struct old_new_options *o;
	struct fail_if fail_if;
	/* private */
	struct loaded_run runs[OLD_NEW_RUNS];
	struct compared compared[OLD_NEW_RUNS];
};

int old_new_check(struct old_new *n, const struct old_new_options *o, struct diag *d); /* before the programs run */
int old_new_open(struct old_new *n, const char *const ids[2], struct diag *d);
/* format: "text" or "markdown". Returns 0 or -errno of the output. */
int old_new_print(const struct old_new *n, const char *format, FILE *out);
/* Is a limit passed? Says so, a sentence for each run. */
bool old_new_fails(const struct old_new *n);
void old_new_release(struct old_new *n); /* may be called twice */

#endif
