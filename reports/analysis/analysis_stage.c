// SPDX-License-Identifier: GPL-2.0-or-later
/* Redirected frames after the program: how many arrived at the second stage, and what they cost there. */
#include "reports/analysis/analysis.h"

/* The task's ns per frame, over the unprofiled windows; NaN: no consumer's task was watched, and no device polled. */
static double block_ns(const struct analysis_variant *v, const struct analysis_block *b, bool *by_task)
{
	struct block_span task = block_span_of(b->block, RUN_BASE, true);
	double ns = task.packets > 0 ? task.busy_ns / task.packets : NAN;

	*by_task = !isnan(ns);
	if (*by_task || v->variant->stage != RUN_STAGE_DEVICE || !v->of->run->napi_threaded)
		return ns;
	return b->excluded_ns > 0 ? b->excluded_ns : NAN;
}

static double analysis_stage_known(int64_t count)
{
	return count < 0 ? NAN : (double)count;
}

int variant_add_stage(struct analysis_variant *v)
{
	struct analysis_stage *s = &v->stage;
	double *ns = calloc(v->nused + 1, sizeof(*ns));
	struct stats_mean m;
	size_t n = 0;

	*s = (struct analysis_stage){.missing = v->nused ? 0 : NAN, .task = s->task};
	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < v->nused; i++) {
		const struct run_totals *t = &v->used[i]->block->totals;
		/* Redirected frames that neither arrived nor were counted as dropped. */
		double dropped = t->consumer_dropped < 0 ? 0 : (double)t->consumer_dropped;
		double worst =
			fabs(analysis_stage_known(t->redirected) - analysis_stage_known(t->consumer_frames) - dropped);

		ns[n] = block_ns(v, v->used[i], &s->by_task);
		n += !isnan(ns[n]);
		s->redirected += analysis_stage_known(t->redirected);
		s->frames += analysis_stage_known(t->consumer_frames);
		s->dropped += analysis_stage_known(t->consumer_dropped);
		s->missing = isnan(worst) || worst > s->missing ? worst : s->missing;
	}
	m = stats_mean(ns, n);
	s->ns = n ? m.mean : NAN;
	if (n && !s->by_task && v->variant->stage == RUN_STAGE_DEVICE)
		s->ns = v->excluded_ns;
	s->half_ns = m.half;
	analysis_ci95(s->ns, m.half, s->ci95_ns);
	s->dropped_pct = 100 * s->dropped / s->redirected;
	free(ns);
	return 0;
}
