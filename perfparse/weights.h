/*
 * weights - what the samples of a profile weigh, by symbol and facility: cost.h without the cost of a packet
 *
 * in:    struct profile, borrowed; facilities, borrowed
 * out:   struct weights, one row per (symbol, facility), in the order of the text, owned by the caller
 * units: that of the profile's weight; of perf's tables, which have only shares, percent of all samples
 * law:   of stacks, the sum of the rows' self weights is busy; of tables it may be less, because they leave rows out
 * error: -EINVAL no busy samples, -ERANGE shares above 100.5 %, of all or of the busy weight; w is then empty
 */
#ifndef PERFPARSE_WEIGHTS_H
#define PERFPARSE_WEIGHTS_H

#include "base/diag.h"
#include "perfparse/facilities.h"
#include "perfparse/profile.h"

struct weight_row {
	uint32_t symbol; /* index into the profile's symbols */
	unsigned int facility;
	uint64_t samples;  /* self */
	uint64_t irqs_off; /* of these, taken when interrupts came back on */
	double self;       /* NaN: no row of the table has a self share */
	double children;   /* of the symbol in all its facilities; NaN: not known */
};

struct weights {
	uint64_t samples; /* busy ones */
	double busy;      /* the variant's own work */
	double idle;      /* the CPU had nothing to do */
	double taken_out; /* work on the CPU that is not the variant's */
	double absent;    /* part of busy that a symbol without a row has at most; 0: nothing is hidden; NaN: as self */
	struct weight_row *rows;
	size_t nrows;
};

int weights_build(struct weights *w, const struct profile *p, const struct facilities *f, struct diag *d);
void weights_release(struct weights *w); /* may be called twice */

#endif
