/*
 * exact_diff - two exact variants side by side, function by function
 *
 * in:    two variants, borrowed, of one run or of two
 * out:   rows sorted by the size of the change per packet, largest first; owned by the struct
 * units: instructions and calls per packet
 * law:   the changes of the rows sum to the change of the totals. Functions are matched by perfparse/symkey.h, BPF
 *        programs by name. A function that only one side has is 0 on the other side
 * error: -ENOMEM; d left empty
 */
#ifndef REPORTS_EXACT_EXACT_DIFF_H
#define REPORTS_EXACT_EXACT_DIFF_H

#include "reports/exact/exact.h"

struct exact_diff_row {
	const char *name, *facility; /* of the new side, if it has the function */
	struct exact_cost base, new;
	double change; /* instructions per packet */
	bool exact;    /* on both sides */
};

struct exact_diff {
	const struct exact *base_run, *new_run;
	const struct exact_variant *base, *new;
	struct exact_diff_row *rows, *facilities;
	size_t nrows, nfacilities;
	double change; /* of the totals */
};

int exact_diff_build(struct exact_diff *d, const struct exact *base_run, const struct exact_variant *base,
		     const struct exact *new_run, const struct exact_variant *new);
void exact_diff_release(struct exact_diff *d); /* may be called twice */

#endif
