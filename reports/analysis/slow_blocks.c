// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks in which the machine was slow are set aside.
 *
 * A neighbour on the sibling of a CPU's core makes all work 1.3 to 1.9 times as dear, for seconds. Neither steal time
 * nor the distance of the CPUs shows it. A mean over such a run is neither the cost on a quiet machine nor that on a
 * busy one, and a difference of two variants keeps a part of the error, because a factor does not cancel in it.
 *
 * Who judges when:
 *   turns (speed.h)   Where variants take turns, each turn holds a reference, and costs are those at the median speed.
 *                     Probes only say whether the machine was as fast in one run as in another.
 *   by probes         Where each block has probes of the RX CPU (run.h), blocks at another speed than the reference.
 *   by cost           Where there are no probes, or they saw one speed: a probe does not need all that packets need.
 *
 * By probes: a block's speed is the median of its probes. A probe under load is slower than a quiet one, by what the
 * generator does to the shared parts of the machine; this is taken off by the median of it over the blocks of the same
 * variant. The choice does not look at what a packet cost in the block, so it cannot make a cost smaller than it is.
 *
 * By cost: of a variant's blocks in ascending order, full speed ends before the first one that is PACE_STEP times as
 * dear as the one before it, where at least a quarter of the blocks, and at least PACE_BLOCKS, come before. A block
 * above that is set aside if the block before or after it in time, of whatever variant, is above the full speed of its
 * own variant too. A single dear block is an outlier, and is kept.
 */
#include <gsl/gsl_sort.h>
#include "reports/analysis/analysis.h"

#define PACE_STEP   1.12 /* well above the scatter of blocks (1 to 5 %), well below the slow state (1.3 and more) */
#define PACE_BLOCKS 3

/* v->slow_factor, from the blocks that are set aside */
static void note_factor(struct analysis_variant *v)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < v->nblocks; i++)
		if (v->blocks[i].fate == FATE_SLOW && !isnan(v->blocks[i].pace)) {
			sum += v->blocks[i].pace;
			n++;
		}
	v->slow_factor = n > 0 ? sum / n : NAN;
}

/* ---- by cost ------------------------------------------------------------------------------------------------ */

/* A block that would be used, in the order of time. */
struct timed_block {
	struct analysis_block *block;
	bool above; /* the full speed of its variant */
};

static uint64_t start_of(const struct timed_block *t)
{
	const struct run_block *b = t->block->block;

	return b->nwindows ? b->windows[0].from_ns : 0;
}

static int slow_blocks_by_time(const void *pa, const void *pb)
{
	const struct timed_block *a = pa, *b = pb;

	return ORDER(start_of(a), start_of(b)) ?: ORDER(a->block->block->index, b->block->block->index);
}

/* Appends the variant's blocks to blocks[]; returns how many. scratch: room for all blocks. */
static size_t add_timed(struct analysis_variant *v, struct timed_block *blocks, double *scratch)
{
	double cut = INFINITY, sum = 0;
	size_t n = 0, fast;

	for (size_t i = 0; i < v->nblocks; i++)
		if (v->blocks[i].fate == FATE_USED) {
			blocks[n].block = &v->blocks[i];
			scratch[n++] = v->blocks[i].base_ns;
		}
	gsl_sort(scratch, 1, n);
	for (fast = PACE_BLOCKS < n ? PACE_BLOCKS : n; fast < n; fast++)
		if (scratch[fast] > PACE_STEP * scratch[fast - 1] && 4 * fast >= n)
			break;
	if (fast < n && !v->strata_mixed) /* near and far blocks together are no matter of the pace */
		cut = (scratch[fast - 1] + scratch[fast]) / 2;
	for (size_t i = 0; i < fast; i++)
		sum += scratch[i];
	for (size_t i = 0; i < n; i++) {
		blocks[i].above = blocks[i].block->base_ns > cut;
		blocks[i].block->pace = blocks[i].block->base_ns / (sum / (double)fast);
	}
	return n;
}

/* ---- by probes ---------------------------------------------------------------------------------------------- */

/* Median of the logarithms of the block's probes, quiet or loaded ones. NaN: there are none. */
static double probe_median(const struct run_block *b, bool loaded, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nspeeds; i++)
		if (b->speeds[i].loaded == loaded)
			scratch[n++] = log(b->speeds[i].ns);
	return stats_median(scratch, n);
}

static double seconds_of(const struct analysis_block *b)
{
	const struct run_block *rb = b->block;

	return (double)(rb->speeds[rb->nspeeds - 1].at_ns - rb->speeds[0].at_ns) / 1e9;
}

static int by_start(const void *pa, const void *pb)
{
	const struct speed_span *a = pa, *b = pb;

	return ORDER(a->from_ns, b->from_ns);
}

/* Sums over the blocks that are kept, and over those that are set aside. */
struct both {
	double cost[2], speed[2], n[2];
};

static int set_aside(struct analysis *a, struct analysis_variant *v, const double range[2], struct both *sums)
{
	struct speed *s = &a->speed;
	struct speed_span *span;
	double cost = 0, n = 0;

	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i];

		if (b->fate == FATE_USED && b->speed >= range[0] && b->speed <= range[1]) {
			cost += b->base_ns;
			n++;
		}
	}
	for (size_t i = 0; i < v->nblocks; i++) {
		struct analysis_block *b = &v->blocks[i];
		bool aside = b->speed < range[0] || b->speed > range[1];

		if (b->fate != FATE_USED)
			continue;
		b->pace = b->base_ns / (cost / n); /* NaN or infinite where no block is left */
		if (isfinite(b->pace))
			sums->cost[aside] += log(b->pace);
		sums->speed[aside] += b->speed;
		sums->n[aside]++;
		s->run_s += seconds_of(b);
		if (!aside)
			continue;
		b->fate = FATE_SLOW;
		s->discarded_s += seconds_of(b);
		span = array_add(&s->spans, &s->nspans, sizeof(*s->spans));
		if (!span)
			return -ENOMEM;
		*span = (struct speed_span){b->block->speeds[0].at_ns, b->block->speeds[b->block->nspeeds - 1].at_ns};
	}
	return 0;
}

static int judge_speeds(struct analysis *a, double *values, size_t n)
{
	struct speed *s = &a->speed;
	struct both sums = {{0}, {0}, {0}};
	double range[2], all[2] = {-INFINITY, INFINITY};
	bool known;
	int err = 0;

	gsl_sort(values, 1, n);
	/*
	 * range[] becomes that of the reference speed of n speeds, which are logarithms in ascending order. They are
	 * cut in two where two groups are SPEED_PROBE_STEP apart (speed_cut()). The slower one is set aside if the
	 * other one holds for a quarter of the run, else the faster one; and the same is asked of what is left. So the
	 * reference is the fastest speed that holds for at least a quarter. Infinite where nothing is set aside.
	 */
	size_t lo = 0, hi = n, at;
	range[0] = -INFINITY;
	range[1] = INFINITY;
	while ((at = lo + speed_cut(values + lo, hi - lo, SPEED_PROBE_STEP)) < hi) {
		bool slow = 4 * (at - lo) >= n;
		size_t away = slow ? hi - at : at - lo;

		if (slow)
			hi = at;
		else
			lo = at;
		if (away < SPEED_INTERVALS) /* an outlier is no speed, unless it belongs to one that is found later */
			continue;
		range[0] = lo ? values[lo] : -INFINITY;
		range[1] = hi < n ? values[hi - 1] : INFINITY;
	}
	/* Would each variant keep two blocks, and a quarter of those that it has? A short run tells no speeds apart. */
	known = true;
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];
		size_t used = 0, kept = 0;

		for (size_t k = 0; k < v->nblocks; k++) {
			const struct analysis_block *b = &v->blocks[k];

			if (b->fate != FATE_USED)
				continue;
			used++;
			kept += b->speed >= range[0] && b->speed <= range[1];
		}
		if (kept < used && (kept < 2 || 4 * kept < used))
			known = false;
	}

	*s = (struct speed){.known = known,
			    .by = SPEED_PROBES,
			    .moved = NAN,
			    .range = {NAN, NAN},
			    .stall_ns = NAN,
			    .factor = NAN,
			    .probe_factor = NAN};
	for (size_t i = 0; i < a->nvariants && !err; i++)
		err = set_aside(a, &a->variants[i], known ? range : all, &sums);
	for (size_t i = 0; i < a->nvariants; i++)
		note_factor(&a->variants[i]);
	if (s->nspans) {
		qsort(s->spans, s->nspans, sizeof(*s->spans), by_start);
		s->factor = exp(sums.cost[1] / sums.n[1] - sums.cost[0] / sums.n[0]);
		s->probe_factor = exp(sums.speed[1] / sums.n[1] - sums.speed[0] / sums.n[0]);
	}
	for (size_t i = 0; i < a->nvariants; i++) /* relative to the mean of the reference */
		for (size_t k = 0; k < a->variants[i].nblocks; k++)
			a->variants[i].blocks[k].speed =
				exp(a->variants[i].blocks[k].speed - sums.speed[0] / sums.n[0]);
	return err;
}

/* Fills a->speed where every used block has probes. */
static int judge_by_probes(struct analysis *a)
{
	size_t most = 1, n;
	double *scratch, *parts, *values;
	int err = 0;

	for (size_t i = 0; i < a->run->nblocks; i++)
		most = a->run->blocks[i].nspeeds > most ? a->run->blocks[i].nspeeds : most;
	scratch = calloc(most, sizeof(*scratch));
	parts = calloc(a->run->nblocks + 1, sizeof(*parts));
	values = calloc(a->run->nblocks + 1, sizeof(*values));
	if (!scratch || !parts || !values)
		err = -ENOMEM;
	/* The blocks' probe_ns and, of blocks that do not take turns, speed as a logarithm of ns. */
	for (size_t i = 0; i < a->nvariants && !err; i++) {
		struct analysis_variant *v = &a->variants[i];

		n = 0;
		/*
		 * By how much the variant's probes under load are slower than the quiet ones; 0 where one kind is
		 * missing.
		 */
		for (size_t k = 0; k < v->nblocks; k++) {
			double one = probe_median(v->blocks[k].block, true, scratch) -
				     probe_median(v->blocks[k].block, false, scratch);

			if (!isnan(one))
				parts[n++] = one;
		}
		double part = n ? stats_median(parts, n) : 0;

		for (size_t k = 0; k < v->nblocks; k++) {
			struct analysis_block *b = &v->blocks[k];
			const struct run_block *rb = b->block;

			b->probe_ns = exp(probe_median(rb, false, scratch));
			if (v->takes_turns)
				continue;
			for (size_t l = 0; l < rb->nspeeds; l++)
				scratch[l] = log(rb->speeds[l].ns) - (rb->speeds[l].loaded ? part : 0);
			b->speed = stats_median(scratch, rb->nspeeds);
		}
	}
	/* The speeds of the blocks that would be used; none, if one of them has no probe. */
	bool probed = !err && a->options.placement != PLACEMENT_ALL;
	n = 0;
	for (size_t i = 0; probed && i < a->nvariants; i++)
		for (size_t k = 0; probed && k < a->variants[i].nblocks; k++) {
			const struct analysis_block *b = &a->variants[i].blocks[k];

			probed &= b->fate != FATE_USED || !isnan(b->speed);
			if (b->fate == FATE_USED)
				values[n++] = b->speed;
		}

	if (probed && n)
		err = judge_speeds(a, values, n);
	free(scratch);
	free(parts);
	free(values);
	return err;
}

int slow_blocks_judge(struct analysis *a)
{
	int err;

	if (a->run->view == RUN_VIEW_WATCH) /* slower intervals are what one looks for */
		return 0;
	err = judge_by_probes(a);
	if (err || (a->speed.known && !(a->speed.by == SPEED_PROBES && !a->speed.nspans)))
		return err;
	size_t room = a->run->nblocks + 1, n = 0;
	struct timed_block *blocks = calloc(room, sizeof(*blocks));
	double *scratch = calloc(room, sizeof(*scratch));
	if (!blocks || !scratch) {
		free(scratch);
		free(blocks);
		return -ENOMEM;
	}
	for (size_t i = 0; i < a->nvariants && a->options.placement != PLACEMENT_ALL; i++)
		n += add_timed(&a->variants[i], blocks + n, scratch);
	qsort(blocks, n, sizeof(*blocks), slow_blocks_by_time);
	for (size_t i = 0; i < n; i++)
		if (blocks[i].above && ((i && blocks[i - 1].above) || (i + 1 < n && blocks[i + 1].above)))
			blocks[i].block->fate = FATE_SLOW;
	for (size_t i = 0; i < a->nvariants; i++)
		note_factor(&a->variants[i]);
	free(scratch);
	free(blocks);
	return 0;
}
