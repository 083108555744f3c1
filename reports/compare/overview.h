/*
 * overview - native beside skb for every action and operation of a run
 *
 * in:    an analysed run, borrowed; it must outlive the overview
 * out:   one row per action/operation in the order of the run, owned by the caller
 * units: ns per packet
 * law:   every variant of the run is in exactly one row; a row has a difference where it has both native and skb
 * error: -ENOMEM
 */
#ifndef REPORTS_OVERVIEW_H
#define REPORTS_OVERVIEW_H

#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"

struct overview_row {
	char name[RUN_ID_BYTES]; /* "drop/no-touch"; "drop/no-touch@hw" for a mode that is neither native nor skb */
	const struct analysis_variant *native, *skb; /* NULL: not recorded; a variant in mode hw is in native */
	bool have_difference;
	struct compare_headline difference; /* skb minus native */
};

struct overview {
	const struct analysis *of;
	struct overview_row *rows;
	size_t nrows;
};

int overview_build(struct overview *v, const struct analysis *a, struct diag *d);
void overview_release(struct overview *v); /* may be called twice */

#endif
