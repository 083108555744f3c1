/*
 * polled - what NAPI polls did between two looks at their counts: packets, time, and what a packet cost
 *
 * in:    struct watch_polls (bpf/layout.h), each the growth of one slot in some time, on one CPU or on several
 * out:   numbers by value
 * units: ns; NaN: not known
 * law:   all polls of NAPI threads are timed. Of softirqs, some are, drawn at random; the others are taken to cost the
 *        same per packet:  busy = thread_ns + timed_ns * softirq_packets / timed_packets. Where no packet was timed,
 *        polls take the place of packets, as polls that find nothing cost time too. Polls that are in neither, as those
 *        that a socket asked for, are taken to cost the same per packet
 * error: none
 * src:   the interval of a ratio of sums over looks: Cochran, "Sampling Techniques", 1977, section 6.4. What
 *        interrupts a softirq, as a hypervisor does, comes seldom and takes long. Where few softirqs are drawn, ten
 *        looks often hold none of it, and would tell too narrow an interval; the minute before holds some
 */
#ifndef USER_WATCH_POLLED_H
#define USER_WATCH_POLLED_H

#include <stddef.h>
#include <linux/types.h>
#include "bpf/layout.h"
#include "user/watch/probe.h"

/* Both leave poll_ip alone. */
void polled_add(struct watch_polls *sum, const struct watch_polls *more);
void polled_growth(struct watch_polls *growth, const struct watch_polls *before, const struct watch_polls *after);

/*
 * Takes what watch's own programs cost out of the times, and adds what comes after a softirq's last poll. While the
 * cost in softirqs is not known, nothing in them is timed. NAPI threads have it in their time until it is known.
 */
void polled_correct(struct watch_polls *p, const struct own_costs *own);
/* What the programs cost in all of these polls, and at the beginning of their softirqs, ns; NaN: not known. */
struct polled_own {
	double polls_ns, softirqs_ns;
};
struct polled_own polled_own(const struct watch_polls *p, const struct own_costs *own);
double polled_busy_ns(const struct watch_polls *p);
double polled_softirqs_ns(const struct watch_polls *p); /* of those in softirqs alone */

/* How far the looks of the last time were from their mean, where softirqs are drawn. All 0: nothing was seen yet. */
struct polled_past {
	double deviations, softirqs; /* squared ns, and the softirqs that were timed */
	uint64_t since_ns;           /* when the device came whose looks they are; 0: the backlog */
};

/*
 * Nanoseconds of a packet over n looks that follow each other; half: of a 95 % interval, by their scatter, or by that
 * of the past where it was larger. NULL: there is no past.
 */
struct polled_cost {
	double ns, half;
};
struct polled_cost polled_cost(const struct watch_polls *looks, size_t n, const struct polled_past *past);
void polled_remember(struct polled_past *past, const struct watch_polls *looks, size_t n, double seconds);
/* By how many ns of a packet these costs may be wrong, as one measurement of them differs from another one. */
double polled_own_half(const struct watch_polls *p, const struct own_costs *own);

#endif
