/*
 * precision - how wide the widest headline interval of a run is
 *
 * in:    an analysed run, borrowed
 * out:   the width and the variants that it belongs to, by value; their names are borrowed from the run
 * units: percent: half of the interval over the base
 * law:   looks at two kinds of intervals: the base of every variant, and the difference of every variant to the first
 *        one, in percent of the larger of the two bases. The result is infinite if one of them has no interval
 * error: -ENOMEM
 *
 * A recording that stops when its intervals are narrow enough tends to stop when blocks happen to agree. The interval
 * that it reports is then a little too narrow; with PRECISION_BLOCKS blocks or more, by less than a tenth.
 */
#ifndef REPORTS_PRECISION_H
#define REPORTS_PRECISION_H

#include "reports/analysis/analysis.h"

#define PRECISION_BLOCKS 6 /* per variant; with fewer blocks an interval is not trusted */

struct precision {
	double widest_pct;
	const char *base, *new; /* ids; base NULL: the interval is that of the base of new */
};

int precision_widest(struct precision *p, const struct analysis *a);

#endif
