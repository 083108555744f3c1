// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double seconds(uint64_t ns, uint64_t origin_ns)
{
	return ((double)ns - (double)origin_ns) / 1e9;
}

static uint64_t first_window(const struct run *r)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < r->nblocks; i++)
		for (size_t k = 0; k < r->blocks[i].nwindows; k++)
			if (r->blocks[i].windows[k].from_ns < first)
				first = r->blocks[i].windows[k].from_ns;
	return first;
}

static void add_windows(struct timeline *t, struct timeline_block *to, uint64_t origin_ns)
{
	const struct run_block *b = to->block->block;

	to->first = t->nwindows;
	to->from_s = seconds(b->windows[0].from_ns, origin_ns);
	to->to_s = seconds(b->windows[b->nwindows - 1].to_ns, origin_ns);
	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];

		if ((w->kind != RUN_BASE && w->kind != RUN_PROFILE) || w->to_ns <= w->from_ns)
			continue;
		t->windows[t->nwindows++] = (struct timeline_window){
			.from_s = seconds(w->from_ns, origin_ns),
			.to_s = seconds(w->to_ns, origin_ns),
			.pps = 1e9 * run_window_packets(w) / run_window_ns(w),
			.profiled = w->kind == RUN_PROFILE,
		};
	}
	to->nwindows = t->nwindows - to->first;
	t->length_s = fmax(t->length_s, to->to_s);
}

static int by_time(const void *pa, const void *pb)
{
	const struct timeline_block *a = pa, *b = pb;

	return (a->block->block->index > b->block->block->index) - (a->block->block->index < b->block->block->index);
}

static void add_blocks(struct timeline *t, const struct analysis *a)
{
	const struct placement *p = &a->placement;

	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];

		for (size_t k = 0; k < v->nblocks; k++) {
			const struct run_block *b = v->blocks[k].block;

			if (b->nwindows)
				t->blocks[t->nblocks++] = (struct timeline_block){
					.variant = v,
					.block = &v->blocks[k],
					.place = p->probed ? placement_name(p, placement_of(p, b)) : "",
				};
		}
	}
	qsort(t->blocks, t->nblocks, sizeof(*t->blocks), by_time);
}

int timeline_build(struct timeline *t, const struct analysis *a)
{
	uint64_t origin_ns = first_window(a->run);
	size_t windows = 0;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < a->run->nblocks; i++)
		windows += a->run->blocks[i].nwindows;
	t->blocks = calloc(a->run->nblocks + 1, sizeof(*t->blocks));
	t->windows = calloc(windows + 1, sizeof(*t->windows));
	if (!t->blocks || !t->windows) {
		timeline_release(t);
		return -ENOMEM;
	}
	add_blocks(t, a);
	for (size_t i = 0; i < t->nblocks; i++)
		add_windows(t, &t->blocks[i], origin_ns);
	return 0;
}

void timeline_release(struct timeline *t)
{
	free(t->blocks);
	free(t->windows);
	memset(t, 0, sizeof(*t));
}
