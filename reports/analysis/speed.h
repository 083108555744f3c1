/*
 * speed - when did the machine work at which speed? By the turns of a run (turns.h)
 *
 * Other work on a shared machine (a neighbour on the sibling of the CPU's core, a cache that others fill) makes
 * everything 1.3 to 1.9 times as dear, for seconds. In a run whose variants take turns of a few ms, all variants see
 * the same speed, so each turn is a probe of it: its cost relative to the median turn of its own variant.
 *
 * in:    turns of all variants, in the order of time
 * out:   struct speed, owned by the caller: the speeds that the machine had, and the spans of time that are not at the
 *        reference speed
 * units: ns of CLOCK_MONOTONIC; seconds of turns
 * law:   the spans are in order, do not overlap, and begin and end with a turn. Those of another speed hold all
 *        variants alike; a stall is a span of one turn
 * error: -ENOMEM
 * src:   the cut between two speeds: Otsu, IEEE Trans. SMC 9, 1979; how far apart two groups have to be: Ashman, Bird
 *        and Zepf, Astron. J. 108, 1994
 *
 * Turns are put together to looks of SPEED_LOOK_NS; a look's value is the median of the logarithms of its turns'
 * relative costs. The looks of a run are cut into two groups where this leaves the least squares in them. The cut
 * counts as a change of speed if the groups are SPEED_STEP times apart, and SPEED_APART of their own standard
 * deviations (what drifts, or scatters evenly, is 3.5 apart). The dearer group is set aside then, if the other one
 * holds for a quarter of the run, else the cheaper one; and the same is asked of what is left. So the reference is the
 * fastest speed that holds for at least a quarter of the run. Looks beside a look of another speed are set aside too,
 * because the change may have been in them.
 *
 * Nothing is known, and nothing set aside, where chance alone would make the speeds (fewer than SPEED_LOOKS_ENOUGH
 * looks), where the speed changes so often that less than a quarter of the looks is left, or where a variant would keep
 * less than a quarter of its turns without samples, or of those with: in a short run one of them may be all at one
 * speed.
 *
 * A turn at the reference speed is a stall, and set aside, if the receiver's time in it is longer than its packets take
 * by the variant's median, by a median turn of the dearest variant. This is the same time for all variants, so that a
 * stall is found in all of them alike.
 */
#ifndef REPORTS_SPEED_H
#define REPORTS_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "reports/run/turns.h"

#define SPEED_LOOK_NS      100000000
#define SPEED_STEP         1.12
#define SPEED_PROBE_STEP   1.05 /* the same for probes, which feel a neighbour a fifth as much as packets do */
#define SPEED_APART        4
#define SPEED_LOOKS        3 /* that a speed has to hold for; less is a stall */
#define SPEED_LOOKS_ENOUGH 40

struct speed_span {
	uint64_t from_ns, to_ns;
};

struct speed {
	double stall_ns;       /* by which a stall is longer; NaN: not known */
	bool known;            /* the speeds could be told: there are enough turns, and none was left out */
	double run_s, aside_s; /* time of all turns; of those at another speed */
	size_t nstalls;
	double stalls_s; /* by which the receiver's time was longer in stalls */
	/* Cost of the receiver's work in what is set aside, over that at the reference speed; NaN: nothing is */
	double factor;
	/* The same of the rest of a turn, which is the generator's work: it shares the CPU, and not the code */
	double rest_factor;
	bool by_probes; /* of the RX CPU, in blocks (speed_probes.c), instead of by turns; there are no stalls then */
	double probe_factor; /* of these probes, like factor; NaN without them */
	struct speed_span *spans;
	size_t nspans;
};

/* nvariants: of the run */
int speed_judge(struct speed *s, const struct run_turns *turns, size_t nvariants);
void speed_release(struct speed *s); /* may be called twice */
/*
 * Where the ascending values x[0..n) fall into two groups that are SPEED_APART of their standard deviations and
 * least_step apart, where the second one begins; else n. Values that scatter evenly are 3.5 apart, normal ones 2.7.
 */
size_t speed_cut(const double *x, size_t n, double least_step);
/*
 * Of n speeds, as logarithms in ascending order: range[] is that of the reference speed, as the rule above finds it
 * with speeds that are least_step times apart. Infinite where nothing is set aside.
 */
void speed_reference(const double *x, size_t n, double least_step, double range[2]);
/* Is any of this time set aside? */
bool speed_sets_aside(const struct speed *s, uint64_t from_ns, uint64_t to_ns);

#endif
