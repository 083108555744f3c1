/*
 * exact_check - does a packet take more instructions than in an earlier run?
 *
 * in:    two exact runs and the renames between their kernels; borrowed, they must outlive the check
 * out:   one row for each variant of the new run, with the comparison of its functions; owned by the struct
 * units: instructions per packet; poll and wakeup are not judged
 * law:   the threshold is zero. An exact function has more when its count is larger by 0.001 or more. A function that
 *        depends on state has more when its count is larger by more than the deviations of both runs' windows together.
 *        A variant has MORE when one of its functions has, whatever others save
 * error: -ENOENT: the runs have no variant in common. -ENOMEM; c left empty
 */
#ifndef REPORTS_EXACT_EXACT_CHECK_H
#define REPORTS_EXACT_EXACT_CHECK_H

#include "reports/exact/exact_diff.h"

enum exact_verdict { EXACT_SAME, EXACT_LESS, EXACT_MORE, EXACT_NEW }; /* new: the base run lacks the variant */

struct exact_check_row {
	const struct exact_variant *new;
	struct exact_diff diff; /* empty for EXACT_NEW */
	enum exact_verdict verdict;
	char made[MADE_DIFFERS_BYTES]; /* what of both sides was made another way; "": nothing that is known */
};

struct exact_check {
	const struct exact *base, *new;
	struct exact_check_row *rows;
	size_t nrows;
};

int exact_check_build(struct exact_check *c, const struct exact *base, const struct exact *new,
		      const struct symkeys *keys, struct diag *d);
void exact_check_release(struct exact_check *c); /* may be called twice */
size_t exact_check_count(const struct exact_check *c, enum exact_verdict verdict);

/* The verdict of one function; never EXACT_NEW. */
enum exact_verdict exact_check_function(const struct exact_diff_row *row);
/* How much a function's count may differ and still be the same. */
double exact_check_bound(const struct exact_diff_row *row);
const char *exact_verdict_name(enum exact_verdict verdict); /* "same" "LESS" "MORE" "new" */

#endif
