/*
 * stacks_diff - the call paths of two variants side by side
 *
 * in:    two variants analysed with analysis_options.stacks; borrowed, they must outlive the struct. One of them may
 *        have no paths
 * out:   one row per call path of either side, sorted by the names of its frames, outermost first;
 *        owned by the struct
 * units: those of the sides: ns per packet, or instructions per packet
 * law:   paths are matched by the keys of their frames (symkey()). Names that differ only in a compiler's suffix or in
 *        the tag of a BPF program have the same key. The sums of base_cost and of new_cost are those of the two sides.
 *        A frame has the base's name where both sides have it
 * error: -ENOMEM; the struct is left empty
 */
#ifndef REPORTS_STACKS_DIFF_H
#define REPORTS_STACKS_DIFF_H

#include "perfparse/symkey.h"
#include "reports/analysis/stacks.h"

struct stacks_diff_row {
	const uint32_t *frames; /* indices into symbols[], outermost first */
	unsigned int depth;
	const char *facility; /* the base's where both sides have the path */
	uint64_t base_samples, new_samples;
	double base_cost, new_cost; /* 0: this side does not have the path */
};

struct stacks_diff {
	struct profile_symbol *symbols; /* names borrowed from the variants */
	const char *(
		*names)[2]; /* of each symbol: base's, new's; NULL where a side lacks it, the shortest of several */
	size_t nsymbols;
	struct stacks_diff_row *rows;
	size_t nrows;
	uint32_t *frames; /* private: what the rows point into */
};

int stacks_diff_build(struct stacks_diff *d, const struct stacks *base, const struct stacks *new,
		      const struct symkeys *keys);
void stacks_diff_release(struct stacks_diff *d); /* may be called twice */

#endif
