/*
 * diff_rows - what was compared, as rows
 *
 * in:    a comparison, borrowed; it must outlive the rows
 * out:   one row, whose tables are the two sides, facilities, symbols, counters, events and gates
 * units: ns per packet; changes are new minus base
 * law:   as rows.h; whether chance explains a change is decided here, once for every layout
 * error: -ENOMEM; the rows are to be released all the same
 */
#ifndef REPORTS_DIFF_ROWS_H
#define REPORTS_DIFF_ROWS_H

#include "reports/compare/compare.h"
#include "base/sheet/rows.h"

/* base, new: what the sides are called: "base" and "new", or "native" and "generic". */
int diff_rows(struct rows *r, const struct compare *c, const char *base, const char *new);
/*
 * The steps from one base to the other, "delta_ns", as a waterfall shows them: the base, whose row has the class
 * "whole"; the facilities that cost less in the new variant; those that cost more (both from the largest change down);
 * the unattributed part; the new base, likewise "whole". The steps add up to it.
 */
int diff_step_rows(struct rows *r, const struct compare *c, const char *base, const char *new);

#endif
