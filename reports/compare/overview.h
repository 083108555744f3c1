/*
 * overview - native beside skb, and before beside after, for every action and operation of a run
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

/* MODES: native and skb. PARTS: before and after a moment. ALONE: a variant that has no partner, in native's place. */
enum overview_kind { OVERVIEW_MODES, OVERVIEW_PARTS, OVERVIEW_ALONE, OVERVIEW_KINDS };

struct overview_row {
	enum overview_kind kind;
	char name[RUN_ID_BYTES];                     /* "drop/no-touch", "watch:eth0"; of one that is alone its id */
	const struct analysis_variant *native, *skb; /* or before and after; NULL: not recorded */
	bool have_difference;
	struct compare_headline difference; /* skb minus native, after minus before */
};

extern const char *const overview_heads[OVERVIEW_KINDS][3]; /* of both sides and their difference; NULL: none */

struct overview {
	const struct analysis *of;
	struct overview_row *rows;
	size_t nrows;
};

int overview_build(struct overview *v, const struct analysis *a, struct diag *d);
void overview_release(struct overview *v); /* may be called twice */

#endif
