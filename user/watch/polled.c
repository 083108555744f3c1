// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define MEMBERS (sizeof(struct watch_polls) / sizeof(__u64))
#define POLL_IP (offsetof(struct watch_polls, poll_ip) / sizeof(__u64))

#define PAST_FADES_S 60   /* of polled_past, to a third */
#define OWN_UNSURE   0.25 /* of each own cost: 15 measurements on one machine had standard deviations of 9 to 16 % */

_Static_assert(sizeof(struct watch_polls) % 64 == 0, "no two CPUs may write to one cache line");

void polled_sum_histogram(struct watch_polls *p)
{
	p->empty = p->hist[0];
	p->polls = 0;
	for (size_t i = 0; i < WATCH_HIST; i++)
		p->polls += p->hist[i];
}

void polled_scale(struct watch_polls *p, double by)
{
	__u64 *members = (__u64 *)p;

	for (size_t i = 0; i < MEMBERS; i++)
		if (i != POLL_IP)
			members[i] = (__u64)llround((double)members[i] * by);
	polled_sum_histogram(p);
}

void polled_add(struct watch_polls *sum, const struct watch_polls *more)
{
	__u64 *to = (__u64 *)sum;
	const __u64 *from = (const __u64 *)more;

	for (size_t i = 0; i < MEMBERS; i++)
		to[i] += i == POLL_IP ? 0 : from[i];
}

void polled_growth(struct watch_polls *growth, const struct watch_polls *before, const struct watch_polls *after)
{
	__u64 *to = (__u64 *)growth;
	const __u64 *was = (const __u64 *)before, *is = (const __u64 *)after;

	for (size_t i = 0; i < MEMBERS; i++)
		to[i] = i == POLL_IP ? is[i] : is[i] - was[i];
}

static __u64 less(__u64 ns, double out)
{
	return out < (double)ns ? (__u64)((double)ns - out) : 0;
}

void polled_correct(struct watch_polls *p, const struct own_costs *own)
{
	double first = (double)p->timed_softirqs, others = (double)p->timed_polls - first;

	if (!isnan(own->count_ns))
		p->thread_ns = less(p->thread_ns, (double)p->thread_polls * own->count_ns);
	if (isnan(own->tail_ns) || isnan(own->poll_ns))
		p->timed_ns = p->timed_polls = p->timed_packets = p->timed_softirqs = 0;
	else
		p->timed_ns = less(p->timed_ns, first * (own->entry_ns - own->tail_ns) + others * own->poll_ns);
}

struct polled_own polled_own(const struct watch_polls *p, const struct own_costs *own)
{
	double clock_ns = own->poll_ns - own->count_ns, softirqs;
	struct polled_own sum = {(double)p->polls * own->count_ns + (double)p->timed_polls * clock_ns, 0};

	if (!p->softirq_polls)
		return sum;
	/* How many softirqs were not timed is not known. */
	softirqs = (double)p->softirq_polls * (double)p->timed_softirqs / (double)p->timed_polls;
	sum.softirqs_ns = softirqs * fmax(0, own->entry_ns - clock_ns) + (double)p->timed_softirqs * clock_ns;
	return sum;
}

double polled_softirqs_ns(const struct watch_polls *p)
{
	if (!p->softirq_polls)
		return 0;
	if (p->timed_packets)
		return (double)p->timed_ns * (double)p->softirq_packets / (double)p->timed_packets;
	if (p->timed_polls && !p->softirq_packets)
		return (double)p->timed_ns * (double)p->softirq_polls / (double)p->timed_polls;
	return NAN;
}

double polled_busy_ns(const struct watch_polls *p)
{
	double ns = (double)p->thread_ns + polled_softirqs_ns(p);
	__u64 known = p->softirq_packets + p->thread_packets;

	if (p->packets <= known)
		return ns;
	return known ? ns * (double)p->packets / (double)known : NAN;
}

/* The squared deviations of the looks from the ratio of their sums. */
static double deviations(const struct watch_polls *looks, size_t n, double ratio)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double ns = (double)(looks[i].timed_ns + looks[i].thread_ns);
		double packets = (double)(looks[i].timed_packets + looks[i].thread_packets);

		sum += pow(ns - ratio * packets, 2);
	}
	return sum;
}

static struct watch_polls sum_of(const struct watch_polls *looks, size_t n)
{
	struct watch_polls sum = {};

	for (size_t i = 0; i < n; i++)
		polled_add(&sum, &looks[i]);
	return sum;
}

struct polled_cost polled_cost(const struct watch_polls *looks, size_t n, const struct polled_past *past)
{
	struct watch_polls sum = sum_of(looks, n);
	double packets = (double)(sum.timed_packets + sum.thread_packets), squares;
	struct polled_cost c = {NAN, NAN};
	bool drawn = sum.timed_packets < sum.softirq_packets; /* else all softirqs are timed */

	if (!(packets > 0))
		return c;
	c.ns = polled_busy_ns(&sum) / (double)sum.packets;
	if (n < 2)
		return c;
	squares = deviations(looks, n, (double)(sum.timed_ns + sum.thread_ns) / packets);
	if (past && drawn && past->softirqs > 0) /* for as many timed softirqs as these */
		squares = fmax(squares, past->deviations / past->softirqs * (double)sum.timed_softirqs);
	c.half = stats_t95((double)(n - 1)) * sqrt((double)n / (double)(n - 1) * squares) / packets;
	return c;
}

void polled_remember(struct polled_past *past, const struct watch_polls *looks, size_t n, double seconds)
{
	struct watch_polls sum = sum_of(looks, n);
	double packets = (double)(sum.timed_packets + sum.thread_packets), stays = exp(-seconds / PAST_FADES_S);

	if (!sum.timed_softirqs || !(packets > 0)) /* of polls that found nothing there is no cost to be far from */
		return;
	past->deviations =
		past->deviations * stays + deviations(looks, n, (double)(sum.timed_ns + sum.thread_ns) / packets);
	past->softirqs = past->softirqs * stays + (double)sum.timed_softirqs;
}

double polled_own_half(const struct watch_polls *p, const struct own_costs *own)
{
	double first = (double)p->timed_softirqs, others = (double)p->timed_polls - first, ns = 0;

	if (p->timed_packets)
		ns += (first * own->entry_ns + others * own->poll_ns) * (double)p->softirq_packets /
		      (double)p->timed_packets;
	if (p->thread_polls && !isnan(own->count_ns))
		ns += (double)p->thread_polls * own->count_ns;
	return p->packets ? OWN_UNSURE * ns / (double)p->packets : NAN;
}
