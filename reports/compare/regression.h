/*
 * regression - did a variant become slower since another run?
 *
 * in:    two analysed runs, borrowed; how many percent slower is still fine
 * out:   one row per variant of the new run, in its order, owned by the caller
 * units: ns per packet; delta is new minus reference
 * law:   slower: the whole interval of the difference is above zero, and the difference above the
 *        threshold; faster: the whole interval is below zero. What cannot be told (one block, no packets,
 *        CPUs placed otherwise) is not fine: it is unknown
 * error: -ENOMEM
 */
#ifndef REPORTS_REGRESSION_H
#define REPORTS_REGRESSION_H

#include <stdio.h>
#include "reports/compare/compare.h"

enum regression_verdict {
	REGRESSION_SAME,
	REGRESSION_FASTER,
	REGRESSION_SLOWER,
	REGRESSION_UNKNOWN,
	REGRESSION_NEW /* the reference does not have it */
};

struct regression_row {
	const struct analysis_variant *base, *new; /* base NULL: only the new run has it */
	struct compare_headline headline;
	double delta_pct; /* of base */
	enum regression_verdict verdict;
	const char *why; /* it is unknown; "" otherwise */
};

struct regression {
	const struct analysis *base, *new;
	double threshold_pct;
	struct regression_row *rows;
	size_t nrows;
};

int regression_build(struct regression *r, const struct analysis *base, const struct analysis *new,
		     double threshold_pct, struct diag *d);
void regression_release(struct regression *r); /* may be called twice */
size_t regression_count(const struct regression *r, enum regression_verdict verdict);
const char *regression_name(enum regression_verdict verdict); /* "same" "faster" "SLOWER" ... */

#endif
