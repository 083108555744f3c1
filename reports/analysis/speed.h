/*
 * speed - how fast was the machine when? By the turns of a run (turns.h), or by the probes of its blocks
 *
 * The speed of a shared machine moves all the time, by tens of per cent. In a run whose variants take turns of a few
 * ms each turn has a ruler in it: in the view "work" the generator's part of the turn, which is kernel code of the same
 * kind, on the same CPU, in the same ms. Where the generator is on another CPU (the other views), what the variants
 * themselves cost, all together, is the ruler; of one variant alone there is none.
 *
 * in:    turns of all variants, in the order of time
 * out:   struct speed, owned by the caller: the speed at each time, and the spans of time that are set aside
 * units: ns of CLOCK_MONOTONIC; seconds of turns
 * law:   the spans are in order, and do not overlap; of turns, a span is a stall or a whole bunch. bunches are in order
 * error: -ENOMEM
 *
 * Turns are put together to bunches of SPEED_BUNCH_NS. With t the time that the ruler takes in a turn of variant v, a
 * bunch's slowness is the median of log t - median(log t of v) over its turns, less the median of that over the bunches
 * without samples. So a slowness of 0 is the machine's median speed in this run, and all costs are given at it:
 *
 *     log cost = a_v + k_v * slowness + noise             cost at the median speed = cost / exp(k_v * slowness)
 *
 * k_v is the slope of least squares over bunches, of the median of the variant's own costs, where the slowness has a
 * standard deviation of SPEED_MOVES, in SPEED_ROUNDS rounds, and the slope is known to SPEED_SLOPE_HALF; else it is 1.
 * Its interval knows that bunches of one round are not independent. ruler_ns is what the generator takes for a frame of
 * the variant at the median speed. So a cost can be given at another speed, too: that of another run.
 *
 * Sampling slows the ruler and the variants, not quite alike. Both are taken out of the profiled turns: the median cost
 * of a variant in them is that in the other turns. So the functions add up to the base, if no samples are missing.
 *
 * A bunch in which the ruler jumped by SPEED_JUMP is set aside, as nobody knows which of its turns had which speed.
 * Where all bunches with samples, or all without, jumped, they are kept, as nothing else is there.
 * A turn is a stall, and set aside, if the receiver's time in it is longer than its packets take at this speed, by a
 * median turn of the dearest variant. This is the same time for all variants, so that a stall is found in all of them
 * alike. Nothing is known where turns were left out.
 */
#ifndef REPORTS_SPEED_H
#define REPORTS_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "reports/run/turns.h"

#define SPEED_BUNCH_NS       50000000
#define SPEED_BUNCH_TURNS    4    /* of each variant, that a bunch has at least */
#define SPEED_JUMP           0.25 /* logarithm, from one half of a bunch to the other */
#define SPEED_MOVES          0.05 /* standard deviation of logarithms, from which on a slope shows */
#define SPEED_SLOPE_HALF     0.2
#define SPEED_ROUNDS         6
#define SPEED_PROBE_STEP     1.05 /* of two speeds of probes, which feel a neighbour a fifth as much as packets do */
#define SPEED_APART          4    /* two groups are two, if they are so many of their standard deviations apart */
#define SPEED_BUNCHES        3    /* that a speed has to hold for */
#define SPEED_BUNCHES_ENOUGH 40   /* values in which two groups are not chance */

struct speed_span {
	uint64_t from_ns, to_ns;
};

struct speed_bunch {
	uint64_t from_ns; /* it ends where the next one begins */
	double slowness;  /* logarithm */
	size_t turn, end; /* numbers of its turns */
	bool sampled, jumped;
};

struct speed_variant {
	double own_ns;    /* median cost of a packet in its turns, at the median speed */
	double ruler_ns;  /* of the generator for a frame, at the same speed; NaN: it is on another CPU */
	double k, k_half; /* k_half NaN: k is not estimated */
	double sampled;   /* how many times as dear it is in profiled turns, besides what slows the ruler, too */
};

enum speed_ruler { SPEED_GENERATOR, SPEED_VARIANTS, SPEED_PROBES };

struct speed {
	enum speed_ruler by; /* SPEED_PROBES: of the RX CPU, in blocks (slow_blocks.c); there are no stalls then */
	bool known;
	double run_s, aside_s; /* time of all turns or blocks; of bunches that jumped, or of blocks at another speed */
	double kept_s;         /* time of bunches that jumped, and are kept */
	double moved;          /* standard deviation of the slowness; NaN of probes, and where it is not known */
	double error;          /* standard error of the run's mean slowness, as each bunch's is a median of few turns */
	double range[2];       /* 5th and 95th percentile of the time that the ruler takes, over its median; NaN */
	double stall_ns;       /* by which a stall is longer; NaN: not known */
	size_t nstalls;
	double stalls_s; /* by which the receiver's time was longer in stalls */
	/* By probes: cost of a packet, and time of the probe, in what is set aside, over the rest; NaN: nothing is */
	double factor, probe_factor;
	struct speed_span *spans;
	size_t nspans;
	struct speed_bunch *bunches;
	size_t nbunches;
	struct speed_variant *variants; /* of the run; NULL: of probes, and where the speed is not known */
};

/* nvariants: of the run; by: SPEED_GENERATOR or SPEED_VARIANTS */
int speed_judge(struct speed *s, const struct run_turns *turns, size_t nvariants, enum speed_ruler by);
void speed_release(struct speed *s); /* may be called twice */
/* How many times as dear the variant was at that time as at the median speed; 1 where nothing is known. */
double speed_factor(const struct speed *s, size_t variant, uint64_t at_ns);
/* When the bunch at this time ends; UINT64_MAX: it is the last one. */
uint64_t speed_bunch_end(const struct speed *s, uint64_t at_ns);
/* By how much the receiver's time in the turn is longer than its packets take; NaN: not known. */
double speed_longer_ns(const struct speed *s, const struct run_turn *t);
/* Is any of this time set aside? */
bool speed_sets_aside(const struct speed *s, uint64_t from_ns, uint64_t to_ns);
/*
 * Where the ascending values x[0..n) fall into two groups that are SPEED_APART of their standard deviations and
 * least_step apart (values are logarithms), where the second one begins; else n. Values that scatter evenly are 3.5
 * apart, normal ones 2.7. src: Otsu, IEEE Trans. SMC 9, 1979; Ashman, Bird and Zepf, Astron. J. 108, 1994
 */
size_t speed_cut(const double *x, size_t n, double least_step);

#endif
