/*
 * stacks_diff - the call paths of two variants side by side
 *
 * in:    two variants analysed with analysis_options.stacks; borrowed, they must outlive this
 * out:   one row per call path that either has, sorted by the names along it from the outermost frame
 *        on; owned by the struct
 * units: ns per packet
 * law:   paths are matched by the keys of their frames (symkey()), so that what compilers add and
 *        the tag of a BPF program do not tell two apart; the sums of base_ns and of new_ns are those
 *        of the two sides. A frame is shown by the base's name where both have it
 * error: -ENOMEM; left empty
 */
#ifndef REPORTS_STACKS_DIFF_H
#define REPORTS_STACKS_DIFF_H

#include "perfparse/symkey.h"
#include "reports/analysis/stacks.h"

struct stacks_diff_row {
	const uint32_t *frames; /* indices into symbols[], outermost first */
	unsigned int depth;
	const char *facility; /* the base's where both have the path */
	uint64_t base_samples, new_samples;
	double base_ns, new_ns; /* 0: this side does not have it */
};

struct stacks_diff {
	struct profile_symbol *symbols; /* names borrowed from the variants */
	size_t nsymbols;
	struct stacks_diff_row *rows;
	size_t nrows;
	uint32_t *frames; /* private: what the rows point into */
};

int stacks_diff_build(struct stacks_diff *d, const struct stacks *base, const struct stacks *new,
		      const struct symkeys *keys);
void stacks_diff_release(struct stacks_diff *d); /* may be called twice */

#endif
