/*
 * steps - what `xdpzoom exact` is doing, and the time that is left, on stderr
 *
 * in:    the step; of the windows: which of how many
 * out:   on a terminal one line that changes; else a line for each step, and for the first and the last window
 * units: seconds of wall time
 * law:   before the first window, the time left is the sum of what the steps took on a machine with two CPUs; from then
 *        on, the windows so far tell how long the others take
 */
#ifndef USER_EXACT_STEPS_H
#define USER_EXACT_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum step { STEP_FETCH, STEP_BOOT, STEP_START };

struct steps {
	bool quiet;
	double variant_s; /* of one variant */
	double later_s;   /* of what comes after these windows */
	size_t nvariants;
	/* private */
	bool open; /* the line on the terminal has no end yet */
	uint64_t first_window_ns;
};

void steps_enter(struct steps *p, enum step step);
void steps_window(struct steps *p, size_t n, size_t all, const char *variant);
void steps_end(struct steps *p); /* may be called twice */

#endif
