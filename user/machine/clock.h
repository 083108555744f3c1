/*
 * clock - the time, on the clock that perf stamps its samples with
 *
 * units: ns on CLOCK_MONOTONIC
 * error: none
 */
#ifndef USER_CLOCK_H
#define USER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t now_ns(void);
void sleep_until_ns(uint64_t t_ns); /* returns early on a signal */

/*
 * How long to wait for another task, which is looked at again and again. Between two looks PATIENCE_STEP_NS count at
 * most: where the machine stood still, or this process had no CPU for longer, the other task may have had none either.
 */
#define PATIENCE_STEP_NS 250000000ULL
struct patience {
	uint64_t left_ns, looked_ns;
};
struct patience patience_of(uint64_t ns);
bool patience_ends(struct patience *p); /* after each look: it is over */

#endif
