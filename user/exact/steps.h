/*
 * steps - what `xdpzoom exact` is doing, and the time that is left, on stderr
 *
 * in:    the step; of the windows: which of how many
 * out:   on a terminal one line that changes; else a line for each step, and for the first and the last window
 * units: seconds of wall time
 * law:   what the steps took on a machine with two CPUs, otherwise idle, is known, but for the build of a kernel. How
 *        long the start of the virtual machine takes here tells how much slower this machine is now, for all that
 *        follows; and the windows so far tell how long the others take
 */
#ifndef USER_EXACT_STEPS_H
#define USER_EXACT_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum step { STEP_BUILD, STEP_FETCH, STEP_BOOT, STEP_START };

struct steps {
	bool quiet;
	double variant_s; /* of one variant */
	size_t nvariants;
	/* private */
	bool open; /* the line on the terminal has no end yet */
	uint64_t start_ns, first_window_ns;
	double slower; /* than the known machine; 0: not known yet */
};

void steps_enter(struct steps *p, enum step step);
void steps_window(struct steps *p, size_t n, size_t all, const char *variant);
void steps_end(struct steps *p); /* may be called twice */

#endif
