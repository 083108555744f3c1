/*
 * timeline - packets per second over the time of a run, window by window
 *
 * in:    an analysed run, borrowed; it must outlive the timeline
 * out:   blocks in the order they were recorded, their base and profile windows, and the times at another speed of the
 *        machine, owned by the caller
 * units: seconds since the first window of the run
 * law:   a window lies within its block, and blocks do not overlap. Windows of other kinds are left out, because probes
 *        or counters change their rate
 * error: -ENOMEM; left empty
 */
#ifndef REPORTS_TIMELINE_H
#define REPORTS_TIMELINE_H

#include "reports/analysis/analysis.h"

struct timeline_window {
	double from_s, to_s, pps;
	bool profiled;
};

struct timeline_block {
	const struct analysis_variant *variant;
	const struct analysis_block *block;
	const char *place; /* "near" ...; "": the run was not probed */
	double from_s, to_s;
	size_t first, nwindows; /* windows[first .. first + nwindows) */
};

/* Time at another speed of the machine, which is set aside; short gaps between such times are in it. */
struct timeline_span {
	double from_s, to_s;
};

struct timeline {
	struct timeline_block *blocks;
	size_t nblocks;
	struct timeline_window *windows;
	size_t nwindows;
	struct timeline_span *spans;
	size_t nspans;
	double length_s, factor; /* factor: by which the spans are slower; NaN: not known, as of stalls */
};

int timeline_build(struct timeline *t, const struct analysis *a);
void timeline_release(struct timeline *t); /* may be called twice */

#endif
