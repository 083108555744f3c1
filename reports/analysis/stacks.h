/*
 * stacks - the call paths of one variant, with what each of them costs
 *
 * in:    filled by analysis_build() when analysis_options.stacks is set
 * out:   one row per call path, sorted by the names of its frames, outermost first; the struct owns the
 *        rows, their frames and names
 * units: ns per packet; instructions per packet where exact counts were put in (reports/format/exact_stacks.h)
 * law:   the sum of the rows' cost is the variant's base_ns less its unattributed_ns, to rounding. Per symbol and
 *        facility, the sum over the paths that end in the symbol is its self cost. Idle and
 *        taken-out stacks have no rows. Where a block has only a table of functions, each function is a path of its
 *        own
 * error: -ENOMEM; the struct is left empty
 */
#ifndef REPORTS_STACKS_H
#define REPORTS_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include "perfparse/profile.h"

struct stacks_row {
	const uint32_t *frames; /* indices into symbols[], outermost first */
	unsigned int depth;     /* at least 1 */
	const char *facility;
	uint64_t samples;
	double cost;
};

struct stacks {
	const struct profile_symbol *symbols; /* no two are alike in name, DSO and space */
	size_t nsymbols;
	struct stacks_row *rows;
	size_t nrows;
	/* private: what the rows point into */
	struct profile names;
	uint32_t *frames;
};

void stacks_release(struct stacks *s); /* may be called twice */

#endif
