/*
 * polled - what NAPI polls did between two looks at their counts: packets, time, and what a packet cost
 *
 * in:    struct watch_polls (bpf/layout.h), each the growth of one slot in some time, on one CPU or on several
 * out:   numbers by value
 * units: ns; NaN: not known
 * law:   all polls of NAPI threads are timed. Of softirqs, some are, drawn at random; the others are taken to cost the
 *        same per packet:  busy = thread_ns + timed_ns * softirq_packets / timed_packets. Where no packet was timed,
 *        polls take the place of packets, as polls that find nothing cost time too
 * error: none
 * src:   the interval of a ratio of sums over looks: Cochran, "Sampling Techniques", 1977, section 6.4
 */
#ifndef USER_WATCH_POLLED_H
#define USER_WATCH_POLLED_H

#include <stddef.h>
#include <linux/types.h>
#include "bpf/layout.h"

/* Both leave poll_ip alone. */
void polled_add(struct watch_polls *sum, const struct watch_polls *more);
void polled_growth(struct watch_polls *growth, const struct watch_polls *before, const struct watch_polls *after);

/* Takes out of the time of timed polls what the clock adds to each of them. */
void polled_take_out(struct watch_polls *p, double stamp_ns);
double polled_busy_ns(const struct watch_polls *p);

/* Nanoseconds of a packet over n looks that follow each other; half: of a 95 % interval, by their scatter. */
struct polled_cost {
	double ns, half;
};
struct polled_cost polled_cost(const struct watch_polls *looks, size_t n);

#endif
