// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"

static double seconds(uint64_t ns, uint64_t origin_ns)
{
	return ((double)ns - (double)origin_ns) / 1e9;
}

static int timeline_by_time(const void *pa, const void *pb)
{
	const struct timeline_block *a = pa, *b = pb;

	return ORDER(a->block->block->index, b->block->block->index);
}

#define SPAN_LEAST_S 0.05 /* a stall of one turn is no speed */
#define SPAN_GAP_S   1.5  /* between two blocks; most of it is attaching the next program */

int timeline_build(struct timeline *t, const struct analysis *a)
{
	uint64_t origin_ns = UINT64_MAX;
	size_t windows = 0;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < a->run->nblocks; i++) {
		const struct run_block *b = &a->run->blocks[i];

		windows += b->nwindows;
		for (size_t k = 0; k < b->nwindows; k++)
			origin_ns = b->windows[k].from_ns < origin_ns ? b->windows[k].from_ns : origin_ns;
	}
	t->blocks = calloc(a->run->nblocks + 1, sizeof(*t->blocks));
	t->windows = calloc(windows + 1, sizeof(*t->windows));
	t->spans = calloc(a->speed.nspans + 1, sizeof(*t->spans));
	if (!t->blocks || !t->windows || !t->spans) {
		timeline_release(t);
		return -ENOMEM;
	}
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
	qsort(t->blocks, t->nblocks, sizeof(*t->blocks), timeline_by_time);
	for (struct timeline_block *to = t->blocks; to < t->blocks + t->nblocks; to++) {
		const struct run_block *b = to->block->block;

		to->first = t->nwindows;
		to->from_s = seconds(b->windows[0].from_ns, origin_ns);
		to->to_s = seconds(b->windows[b->nwindows - 1].to_ns, origin_ns);
		for (const struct run_window *w = b->windows; w < b->windows + b->nwindows; w++) {
			double pps = 1e9 * run_window_packets(w) / run_window_ns(w);

			/* A window whose turns were all cut short (the machine stood still) has no time, no packets. */
			if ((w->kind != RUN_BASE && w->kind != RUN_PROFILE) || !isfinite(pps) ||
			    !(run_window_ns(w) > 0))
				continue;
			t->windows[t->nwindows++] = (struct timeline_window){
				.from_s = seconds(w->from_ns, origin_ns),
				.to_s = seconds(w->to_ns, origin_ns),
				.pps = pps,
				.profiled = w->kind == RUN_PROFILE,
			};
		}
		to->nwindows = t->nwindows - to->first;
		t->length_s = fmax(t->length_s, to->to_s);
	}
	t->factor = a->speed.nspans ? a->speed.factor : NAN;
	for (size_t i = 0; i < a->speed.nspans; i++) {
		struct timeline_span *last = t->nspans ? &t->spans[t->nspans - 1] : NULL;
		double from_s = fmax(0, seconds(a->speed.spans[i].from_ns, origin_ns));
		double to_s = fmin(t->length_s, seconds(a->speed.spans[i].to_ns, origin_ns));

		if (last && from_s - last->to_s < (a->speed.by == SPEED_PROBES ? SPAN_GAP_S : SPAN_LEAST_S))
			last->to_s = to_s;
		else if (to_s - from_s >= SPAN_LEAST_S)
			t->spans[t->nspans++] = (struct timeline_span){from_s, to_s};
	}
	return 0;
}

void timeline_release(struct timeline *t)
{
	free(t->blocks);
	free(t->windows);
	free(t->spans);
	memset(t, 0, sizeof(*t));
}
