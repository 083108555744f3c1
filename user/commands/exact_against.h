/*
 * exact_against - what exact prints of a run that it has counted: its answer, the difference to another kernel, and the
 *                 exit status that git bisect run wants
 *
 * law:   a commit is good or bad only if the counts tell it: both halves of the windows are on one side of the limit.
 *        What does not build, boot, count or close is neither. What is wrong at every commit ends the bisection
 * src:   git-bisect(1): 0 is good, 1 bad, 125 neither, and 128 ends the bisection
 */
#ifndef USER_COMMANDS_EXACT_AGAINST_H
#define USER_COMMANDS_EXACT_AGAINST_H

#include "reports/run/run.h"
#include "reports/compare/fail_if.h"
#include "reports/format/formats.h"
#include "user/exact/exact.h"

enum { BISECT_GOOD = 0, BISECT_BAD = 1, BISECT_SKIP = 125, BISECT_END = 128 };

struct exact_against {
	const char *with, *format_name, *fail_words, *bisect; /* NULL: not given */
	/* private */
	const struct format *format;
	bool ktap; /* of a difference: its list of results holds all variants */
	struct fail_if fail_if;
	char base_dir[4096];
	char variant[RUN_ID_BYTES]; /* that the limit of --bisect is for; "": its words are those of --fail-if */
	bool above;                 /* good is above the limit */
	bool or_equal;
	double limit;
};

/* Checks the words; -EINVAL. guest: not NULL in the guest, where the other run is not. */
int exact_against_take(struct exact_against *a, bool matrix, const char *guest, struct diag *d);
/* The other kernel, to be counted with o; false: with is a run, and there is nothing to count. */
bool exact_against_counts(struct exact_against *a, struct host_options *o);
/* EXIT_OK, EXIT_FAILED, or EXIT_GATE where --fail-if fails or a result of KTAP did. quiet: no answer. */
int exact_against_show(struct exact_against *a, const char *dir, const char *const *variants, size_t n, bool quiet);
/* The exit status for git; counted: the exit status of counting. */
int exact_against_bisect(struct exact_against *a, const char *dir, const char *const *variants, size_t n, int counted);

#endif
