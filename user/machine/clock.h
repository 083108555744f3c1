/*
 * clock - the time, on the clock that perf stamps its samples with
 *
 * units: ns on CLOCK_MONOTONIC
 * error: none
 */
#ifndef USER_CLOCK_H
#define USER_CLOCK_H

#include <stdint.h>

uint64_t now_ns(void);
void sleep_until_ns(uint64_t t_ns); /* returns early on a signal */

#endif
