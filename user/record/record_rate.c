// SPDX-License-Identifier: GPL-2.0-or-later
/* What the run so far tells, as a report would see it: the rate of the samples that intervals need. */
#include "user/record/record.h"

#define FIRST_LOOK    4   /* rounds; each later look comes after twice as many as the one before */
#define LOOKS_S       300 /* of recording, in which the rate is looked at, */
#define LOOKS_ROUND   8   /* and until this round, where rounds are long */
#define LEAST_SAMPLES 50  /* of a variant: with fewer, nobody knows its components */

int record_choose_rate(struct recorder *r, struct diag *d)
{
	int err;

	r->run.overhead_budget_pct = r->o->overhead_pct;
	err = perf_tool_find(&r->tool, d);
	if (err)
		return err;
	snprintf(r->run.event, sizeof(r->run.event), "%s", r->tool.event);
	r->rate_look = FIRST_LOOK;
	progress_now(&r->progress, "measuring what a sample costs");
	err = record_sample_cost(r, d);
	if (err)
		return err;
	r->target_hz = sampling_affordable_hz(r->run.sample_cost_ns, r->o->overhead_pct);
	r->run.sample_hz = r->target_hz;
	return 0;
}

int record_round_hz(const struct recorder *r, int round)
{
	const struct run_block *last = r->run.nblocks ? &r->run.blocks[r->run.nblocks - 1] : NULL;
	int hz;

	if (last && last->round == round && last->sample_hz) /* all of a round have the same rate */
		return last->sample_hz;
	if (r->o->no_profile)
		return 0;
	hz = sampling_round_hz(r->target_hz, round);
	return last && hz == last->sample_hz ? sampling_round_hz(r->target_hz, round + 1) : hz; /* the target moved */
}

void record_note_rate(struct recorder *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->run.nblocks; i++)
		sum += r->run.blocks[i].sample_hz;
	if (sum > 0)
		r->run.sample_hz = sum / (double)r->run.nblocks;
}

bool record_looks_again(const struct recorder *r)
{
	double seconds = (double)(now_ns() - r->begin_ns) / 1e9;

	return !r->o->no_profile && (seconds < LOOKS_S || r->rate_look <= LOOKS_ROUND);
}

int record_adapt_rate(struct recorder *r, int round, struct diag *d)
{
	const struct analysis_options plain = {};
	struct analysis a;
	int err;

	if (!r->run.nblocks || !record_looks_again(r))
		return 0;
	/* In turns, between whole rotations: then each variant is on each device with the same rates as the others. */
	if (round < r->rate_look || (r->o->view != RUN_VIEW_BLOCKS && (size_t)round % r->run.nvariants))
		return 0;
	r->rate_look = 2 * round;
	err = r->components ? 0 : components_read(&r->components, NULL, d);
	if (!err)
		err = analysis_build(&a, &r->run, r->dir.at, r->components, &plain, d);
	if (err)
		return err;
	double seconds = (double)(now_ns() - r->begin_ns) / 1e9, after_s = SAMPLING_AFTER_S;
	struct sampling_seen seen[RECORD_MAX_VARIANTS];
	if (r->o->max_time_s > 0)
		after_s = fmin(after_s, r->o->max_time_s);
	for (size_t i = 0; i < a.nvariants; i++) {
		const struct analysis_variant *v = &a.variants[i];

		seen[i] = (struct sampling_seen){.samples = (double)v->samples, .effect = v->design_effect};
		if (v->samples < LEAST_SAMPLES || !(v->sum_ns > 0))
			continue;
		for (size_t k = 0; k < v->ncomponents; k++) {
			double part = v->components[k].self_ns / v->sum_ns;

			if (v->components[k].self_ns >= SAMPLING_LEAST_NS && part < 1 &&
			    (!seen[i].part || part < seen[i].part))
				seen[i].part = part;
		}
	}
	record_note_rate(r);
	/*
	 * What a sample costs by how much slower packets were in the windows with samples: the mean over the variants,
	 * whose windows a machine's speed moves together. What was found before the first round, in half a second, can
	 * be wrong by a factor of ten on a busy machine.
	 */
	double sum = 0, half = 0, n = (double)a.nvariants;
	for (size_t i = 0; i < a.nvariants; i++) {
		sum += a.variants[i].overhead_pct;
		half += a.variants[i].overhead_half_pct;
	}
	r->run.sample_cost_ns =
		sampling_cost_ns(r->run.sample_cost_ns, sum / n, half / n, r->run.sample_hz, r->o->overhead_pct);
	r->target_hz = sampling_next_hz(r->target_hz,
					sampling_needed_hz(seen, a.nvariants, seconds, r->run.sample_hz, after_s),
					sampling_affordable_hz(r->run.sample_cost_ns, r->o->overhead_pct));
	analysis_release(&a);
	return 0;
}
