/*
 * regression - did a variant become slower since another run?
 *
 * in:    two analysed runs, borrowed; how many percent slower is still fine
 * out:   one row per variant of the new run, in its order, owned by the caller
 * units: ns per packet; delta is new minus reference
 * law:   intervals know how much runs differ (between.h). slower: the difference is above zero and above the threshold,
 *        and chance does not explain it; faster: it is below zero, and the same. Of all variants together, at most 5 in
 *        100 comparisons of like runs find anything: p is adjusted by Holm's method. not judged:
 *        the two cannot be compared (one block, no packets, CPUs at another distance), or checks of one of the runs
 *        failed; that does not pass as fine
 * error: -ENOMEM
 * src:   Holm, Scand. J. Stat. 6, 1979
 */
#ifndef REPORTS_REGRESSION_H
#define REPORTS_REGRESSION_H

#include "reports/compare/compare.h"

enum regression_verdict {
	REGRESSION_SAME,
	REGRESSION_FASTER,
	REGRESSION_SLOWER,
	REGRESSION_NOT_JUDGED,
	REGRESSION_NEW /* the reference does not have the variant */
};

struct regression_row {
	const struct analysis_variant *base, *new; /* base NULL: only the new run has the variant */
	struct compare_headline headline;
	double delta_pct; /* of base */
	double p;         /* adjusted for the number of variants; NaN: not tested */
	enum regression_verdict verdict;
	char made[MADE_DIFFERS_BYTES]; /* what of both sides was made another way; "": nothing that is known */
	char why[400];                 /* why it is not judged; "" for other verdicts */
};

struct regression {
	const struct analysis *base, *new;
	double threshold_pct;
	struct between between;
	struct regression_row *rows;
	size_t nrows;
};

int regression_build(struct regression *r, const struct analysis *base, const struct analysis *new,
		     double threshold_pct, const struct between *between, struct diag *d);
void regression_release(struct regression *r); /* may be called twice */
size_t regression_count(const struct regression *r, enum regression_verdict verdict);
const char *regression_name(enum regression_verdict verdict); /* "same" "faster" "SLOWER" ... */

#endif
