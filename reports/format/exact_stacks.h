/*
 * exact_stacks - the call paths of exact counts, in the form that flame graphs and folded stacks take
 *
 * in:    exact variants, borrowed; they must outlive the stacks
 * out:   one row per call path; owned by the struct
 * units: cost: instructions of the innermost function per packet, as fitted; samples: its instructions in all windows
 * law:   the sum of the rows' cost is the variant's instructions per packet, to rounding
 * error: -ENOMEM; the struct is left empty
 */
#ifndef REPORTS_RENDER_EXACT_STACKS_H
#define REPORTS_RENDER_EXACT_STACKS_H

#include "reports/compare/stacks_diff.h"
#include "reports/exact/exact_diff.h"

int exact_stacks_build(struct stacks *s, const struct exact_variant *v);
int exact_stacks_diff_build(struct stacks_diff *paths, const struct exact_diff *d);

#endif
