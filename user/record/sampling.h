/*
 * sampling - how often to sample: as often as intervals need, and no more often than the budget allows
 *
 * in:    what a sample costs; what the samples so far say of each variant
 * out:   rates, by value
 * units: Hz, ns, s
 * law:   a rate depends on its arguments alone. Rates of successive rounds are different primes, so sampling keeps step
 *        with no timer and no rhythm of turns or polls for longer than a round, and any two rates are coprime
 * error: none
 */
#ifndef USER_SAMPLING_H
#define USER_SAMPLING_H

#include <stddef.h>

#define SAMPLING_LEAST_NS 10   /* every facility that costs so much */
#define SAMPLING_HALF     0.1  /* is to be known to this part of its cost (half of a 95 % interval) */
#define SAMPLING_AFTER_S  60   /* after this time of recording, or at the end of a shorter one */
#define SAMPLING_LOWEST   97   /* Hz */
#define SAMPLING_HIGHEST  3989 /* Hz */

/* What was seen of one variant. */
struct sampling_seen {
	double samples; /* of its receiver */
	double effect;  /* how many samples are worth one independent one: the design effect (base/stats.h) */
	double part;    /* of these samples, in the smallest facility of SAMPLING_LEAST_NS or more; 0: there is none */
};

/* The highest rate that the budget allows. cost_ns <= 0: too small to measure. */
double sampling_affordable_hz(double cost_ns, double budget_pct);
/*
 * What a sample costs, where cost_ns was assumed and packets were pct +- half_pct (of a 95 % interval) slower while
 * sampled at hz: what that says, if it is known to a quarter of the budget; else cost_ns, or the end of the interval
 * that it is beyond.
 */
double sampling_cost_ns(double cost_ns, double pct, double half_pct, double hz, double budget_pct);
/*
 * The rate at which every facility is known well enough after after_s of recording, where the samples seen were taken
 * in seconds at a mean rate of hz. 0: the samples do not tell.
 * src: half of the interval of a part p is z * sqrt(p * (1 - p) / n), of p itself z * sqrt((1 - p) / (p * n))
 */
double sampling_needed_hz(const struct sampling_seen *seen, size_t n, double seconds, double hz, double after_s);
/*
 * The rate to go on with: what is needed (0: not known, all that is affordable), at most what is affordable, and at
 * most twice and at least half of hz, because both are estimates.
 */
double sampling_next_hz(double hz, double needed_hz, double affordable_hz);
/* The rate of a round: the round-th, in a circle, of the primes within a twelfth of target_hz. */
int sampling_round_hz(double target_hz, int round);

#endif
