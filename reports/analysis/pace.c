// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pace of the machine: blocks in which everything was slower are set aside.
 *
 * A neighbour on the sibling of a CPU's core makes all work 1.3 to 1.9 times as dear, for seconds. Neither steal time
 * nor the distance of the CPUs shows it. What shows it is that blocks of different variants, one after the other, are
 * all slower than the rest of their own variant. A mean over such a run is neither the cost on a quiet machine nor that
 * on a busy one, and a difference of two variants keeps a part of the error, because a factor does not cancel in it.
 *
 * Rule: of a variant's blocks in ascending order, full speed ends before the first one that is PACE_STEP times as
 * dear as the one before it, where at least a quarter of the blocks, and at least PACE_BLOCKS, come before. A
 * block above that is set aside if the block before or after it in time, of whatever variant, is above the full
 * speed of its own variant too. A single dear block is an outlier, and is kept.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "reports/analysis/analysis_parts.h"

#define PACE_STEP   1.12 /* well above the scatter of blocks (1 to 5 %), well below the slow state (1.3 and more) */
#define PACE_BLOCKS 3

/* A block that would be used, in the order of time. */
struct timed_block {
	struct analysis_block *block;
	bool above; /* the full speed of its variant */
};

static int by_cost(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

static uint64_t start_of(const struct timed_block *t)
{
	const struct run_block *b = t->block->block;

	return b->nwindows ? b->windows[0].from_ns : 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct timed_block *a = pa, *b = pb;

	if (start_of(a) != start_of(b))
		return start_of(a) < start_of(b) ? -1 : 1;
	return (a->block->block->index > b->block->block->index) - (a->block->block->index < b->block->block->index);
}

/* How many of n costs in ascending order are of full speed. */
static size_t full_speed(const double *ns, size_t n)
{
	for (size_t i = PACE_BLOCKS; i < n; i++)
		if (ns[i] > PACE_STEP * ns[i - 1] && 4 * i >= n)
			return i;
	return n;
}

/* Appends the variant's blocks to blocks[]; returns how many. scratch: room for all blocks. */
static size_t add_blocks(struct analysis_variant *v, struct timed_block *blocks, double *scratch)
{
	double cut = INFINITY, sum = 0;
	size_t n = 0, fast;

	for (size_t i = 0; i < v->nblocks; i++)
		if (v->blocks[i].fate == FATE_USED) {
			blocks[n].block = &v->blocks[i];
			scratch[n++] = v->blocks[i].base_ns;
		}
	qsort(scratch, n, sizeof(*scratch), by_cost);
	fast = full_speed(scratch, n);
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

void variant_note_pace(struct analysis_variant *v)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < v->nblocks; i++)
		if (v->blocks[i].fate == FATE_SLOW && !isnan(v->blocks[i].pace)) {
			sum += v->blocks[i].pace;
			n++;
		}
	v->slow_factor = n > 0 ? sum / n : NAN;
}

int pace_judge(struct analysis *a)
{
	size_t room = a->run->nblocks + 1, n = 0;
	struct timed_block *blocks = calloc(room, sizeof(*blocks));
	double *scratch = calloc(room, sizeof(*scratch));

	if (!blocks || !scratch) {
		free(scratch);
		free(blocks);
		return -ENOMEM;
	}
	for (size_t i = 0; i < a->nvariants && a->options.placement != PLACEMENT_ALL; i++)
		n += add_blocks(&a->variants[i], blocks + n, scratch);
	qsort(blocks, n, sizeof(*blocks), by_time);
	for (size_t i = 0; i < n; i++)
		if (blocks[i].above && ((i && blocks[i - 1].above) || (i + 1 < n && blocks[i + 1].above)))
			blocks[i].block->fate = FATE_SLOW;
	for (size_t i = 0; i < a->nvariants; i++)
		variant_note_pace(&a->variants[i]);
	free(scratch);
	free(blocks);
	return 0;
}
