/*
 * precision - how wide the widest headline interval of a run is
 *
 * in:    an analysed run, borrowed
 * out:   the width and whose it is, by value; names are borrowed from the run
 * units: percent: half of the interval over the base it belongs to
 * law:   looks at the base of every variant, and at the difference of every variant to the first one, which is held
 *        against the larger of the two bases; infinite as long as one of them has no interval
 * error: -ENOMEM
 *
 * To stop when an interval is narrow enough favours moments at which blocks happen to agree, so the interval that is
 * then shown is a little too narrow; with PRECISION_BLOCKS blocks and more it is by less than a tenth.
 */
#ifndef REPORTS_PRECISION_H
#define REPORTS_PRECISION_H

#include "reports/analysis/analysis.h"

#define PRECISION_BLOCKS 6 /* per variant, before an interval is believed */

struct precision {
	double widest_pct;
	const char *base, *new; /* ids; base NULL: the base of new itself */
};

int precision_widest(struct precision *p, const struct analysis *a);

#endif
