/*
 * exact_against - what exact does with a run that it has counted: the difference to another kernel, and the answer that
 *                 git bisect run wants
 *
 * in:    the words of --against, --fail-if, --format and --bisect; a counted run, and the variants in it
 * out:   the difference of each variant on stdout; of --bisect one line
 * law:   a commit is good or bad only if the counts tell it: both halves of the windows are on one side of the limit.
 *        What does not build, boot, count or close is neither. What is wrong at every commit ends the bisection
 * error: an exit status after one printed sentence
 * src:   git-bisect(1): 0 is good, 1 bad, 125 neither, and 128 ends the bisection
 */
#ifndef USER_COMMANDS_EXACT_AGAINST_H
#define USER_COMMANDS_EXACT_AGAINST_H

#include "reports/run/run.h"
#include "reports/compare/fail_if.h"
#include "reports/format/formats.h"
#include "user/exact/host.h"

enum { BISECT_GOOD = 0, BISECT_BAD = 1, BISECT_SKIP = 125, BISECT_END = 128 };

struct exact_against {
	const char *with, *format_name, *fail_words, *bisect; /* NULL: not given */
	/* private */
	const struct format *format;
	bool ktap; /* its list of results holds all variants */
	struct fail_if fail_if;
	char base_dir[4096];
	char variant[RUN_ID_BYTES]; /* that the limit of --bisect is for; "": its words are those of --fail-if */
	bool above;                 /* good is above the limit */
	bool or_equal;
	double limit;
};

/* Checks the words; -EINVAL. out_dir: of the run; NULL: none is kept. guest: the other run is not here. */
int exact_against_take(struct exact_against *a, const char *out_dir, bool guest, struct diag *d);
/* The other kernel, to be counted with o; false: with is a run, and there is nothing to count. */
bool exact_against_counts(const struct exact_against *a, struct host_options *o);
/*
 * The run in dir beside the other one, or as KTAP alone: EXIT_OK, EXIT_FAILED, or EXIT_GATE where --fail-if fails or a
 * result of KTAP did.
 */
int exact_against_show(struct exact_against *a, const char *dir, const char *const *variants, size_t n);
/* The exit status for git; counted: the exit status of counting. */
int exact_against_bisect(struct exact_against *a, const char *dir, const char *const *variants, size_t n, int counted);

#endif
