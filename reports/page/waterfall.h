/*
 * waterfall - the steps from one base to another, facility by facility
 *
 * in:    a comparison, borrowed; it must outlive the waterfall
 * out:   steps in the order in which they are shown, owned by the caller: the base; the facilities that cost less in
 *        the new variant; those that cost more (both from the largest change down); the unattributed part; the
 *        new base
 * units: ns per packet
 * law:   each step begins where the one before it ended; the last two steps end at the new base
 * error: -ENOMEM; left empty
 */
#ifndef REPORTS_WATERFALL_H
#define REPORTS_WATERFALL_H

#include "reports/compare/compare.h"

enum waterfall_kind {
	WATERFALL_BASE, /* from 0 to the base */
	WATERFALL_FACILITY,
	WATERFALL_UNATTRIBUTED,
	WATERFALL_NEW, /* from 0 to the new base */
};

struct waterfall_step {
	enum waterfall_kind kind;
	const char *name;
	double from_ns, to_ns, delta_ns;
	const struct compare_row *row; /* of facilities, else NULL */
};

struct waterfall {
	struct waterfall_step *steps;
	size_t nsteps;
	double top_ns; /* the highest point of all steps */
};

int waterfall_build(struct waterfall *w, const struct compare *c);
void waterfall_release(struct waterfall *w); /* may be called twice */

#endif
