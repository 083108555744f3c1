/*
 * exact_diff - two exact variants side by side, function by function
 *
 * in:    two variants, borrowed, of one run or of two
 * out:   rows sorted by the size of the change per packet, largest first; owned by the struct
 * units: instructions and calls per packet
 * law:   the changes of the rows sum to the change of the totals. Functions are matched by perfparse/symkey.h, BPF
 *        programs by name; keys are the renames between the two kernels. A function that only one side has is 0 on the
 *        other side. Source lines are matched by their text, within a function: the first line of a text is the first
 *        one of that text on the other side, whatever their numbers. A line whose text was changed is gone and new
 * error: -ENOMEM; d left empty
 */
#ifndef REPORTS_EXACT_EXACT_DIFF_H
#define REPORTS_EXACT_EXACT_DIFF_H

#include "perfparse/symkey.h"
#include "reports/exact/exact.h"

struct exact_diff_row {
	const char *name, *facility; /* of the new side, if it has the function */
	struct exact_cost base, new;
	double change; /* instructions per packet */
	bool exact;    /* on both sides */
};

/* A source line; NULL: the side has no such line. */
struct exact_line_change {
	const struct exact_line *base, *new;
	double base_instructions, new_instructions, change; /* per packet */
	bool exact;                                         /* on both sides */
};

struct exact_diff {
	const struct exact *base_run, *new_run;
	const struct exact_variant *base, *new;
	struct exact_diff_row *rows, *facilities;
	size_t nrows, nfacilities;
	struct exact_line_change *lines; /* only where both sides have source lines */
	size_t nlines;
	double change;              /* of the totals */
	const struct symkeys *keys; /* that the functions were matched by; borrowed, may be NULL */
};

/* A run and one of its variants. */
struct exact_side {
	const struct exact *run;
	const struct exact_variant *v;
};
/* keys NULL: nothing is renamed. */
int exact_diff_build(struct exact_diff *d, struct exact_side base, struct exact_side new, const struct symkeys *keys);
void exact_diff_release(struct exact_diff *d); /* may be called twice */

/* Part of exact_diff_build(): d->lines. 0 or -ENOMEM. */
int exact_diff_lines(struct exact_diff *d);

/*
 * Reads the renames for exact_diff_build(); free them with symkeys_free(). path: a rename file. NULL: the built-in file
 * if the kernels differ, else no renames.
 */
int exact_diff_renames(struct symkeys **keys, const char *path, const struct exact *base, const struct exact *new,
		       struct diag *d);

#endif
