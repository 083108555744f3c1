// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the run so far tells, as a report would see it: the rate of the samples that intervals need, by what a sample
 * costs, and whether intervals are narrow enough. record.h has the contract.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/stats.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/precision.h"
#include "user/machine/clock.h"
#include "user/record/record_parts.h"
#include "user/record/record_resume.h"
#include "user/record/sampling.h"

#define FIRST_LOOK     4   /* rounds; each later look comes after twice as many as the one before */
#define LOOKS_S        300 /* of recording, in which the rate is looked at, */
#define LOOKS_ROUND    8   /* and until this round, where rounds are long */
#define LEAST_SAMPLES  50  /* of a variant: with fewer, nobody knows its facilities */
#define GLANCE_S       0.05
#define GLANCES        10 /* at most; each takes four looks: off, on, on, off */
#define GLANCES_LEAST  2
#define GLANCES_SHARE  0.05 /* of the time that the recording itself will take */
#define COST_KNOWN_PCT 25   /* the run's own cost of a sample counts when half of its interval is less of the budget */

static uint64_t edge_packets(const struct recorder *r, const struct edge *e)
{
	return bench_counts_sum(e->counts, r->session.ncpus);
}

/* Measures the busy time per packet, in ns, over GLANCE_S. */
static int glance(struct recorder *r, struct block *b, double *ns, struct diag *d)
{
	int err = edge_read(r, b, RUN_BASE, &b->from, d);

	if (!err)
		err = record_sleep(r, GLANCE_S, d);
	if (!err)
		err = edge_read(r, b, RUN_BASE, &b->to, d);
	*ns = edges_busy_ns(r, &b->from, &b->to) / (edge_packets(r, &b->to) - edge_packets(r, &b->from));
	return err;
}

/* Returns how many glances to take: fewer for a short recording. */
static int glances(const struct recorder *r)
{
	return (int)fmax(GLANCES_LEAST, fmin(GLANCES, GLANCES_SHARE * record_planned_s(r) / (4 * GLANCE_S)));
}

/* Looks with sampling off, on, on, off: a steady drift cancels out in this order. */
static int receiver_cost(struct recorder *r, struct block *b, struct perf_sampler *s, const struct run_variant *v,
			 double *cost_ns, struct diag *d)
{
	double cost[GLANCES], off[2], on[2];
	int err = block_load(r, v, d), n = glances(r);

	if (!err)
		err = record_sleep(r, r->o->warmup_s, d);
	for (int i = 0; i < n && !err; i++) {
		err = glance(r, b, &off[0], d);
		perf_sampler_switch(s, true);
		if (!err)
			err = glance(r, b, &on[0], d);
		if (!err)
			err = glance(r, b, &on[1], d);
		perf_sampler_switch(s, false);
		if (!err)
			err = glance(r, b, &off[1], d);
		cost[i] = (1 - (off[0] + off[1]) / (on[0] + on[1])) * 1e9 / PERF_SAMPLER_HZ;
	}
	if (err)
		return err;
	*cost_ns = stats_median(cost, (size_t)n);
	return 0;
}

/*
 * Measures what a sample costs while the receiver's NAPI kthread processes this variant under load, in turn with and
 * without sampling. Takes a twentieth of the recording's time, up to two seconds. *cost_ns: NaN where it cannot be
 * measured; noise can make it negative.
 */
static int variant_cost(struct recorder *r, size_t variant, double *cost_ns, struct diag *d)
{
	struct perf_sampler s = {.fd = -1};
	struct block b;
	int err;

	*cost_ns = NAN;
	if (perf_sampler_open(&s, r->run.event, r->session.rx_cpu))
		return 0;
	block_init(&b);
	err = block_attach(r, &b, &r->run.variants[variant], d);
	if (!err)
		err = receiver_cost(r, &b, &s, &r->run.variants[variant], cost_ns, d);
	block_release(r, &b);
	perf_sampler_close(&s);
	return err;
}

static bool first_of_mode(const struct run *run, size_t variant)
{
	for (size_t i = 0; i < variant; i++)
		if (!strcmp(run->variants[i].mode, run->variants[variant].mode))
			return false;
	return true;
}

/*
 * A sample costs more when it walks a deeper stack, so each mode is tried, and the mean counts. (The largest of several
 * noisy values is too large.) A spinning CPU serves where there is no receiver's thread, or where noise hides the cost.
 */
static int sample_cost(struct recorder *r, struct diag *d)
{
	double sum_ns = 0, cost_ns;
	size_t n = 0;

	for (size_t i = 0; i < r->run.nvariants && r->nnapis && !r->o->no_profile; i++) {
		int err = first_of_mode(&r->run, i) ? variant_cost(r, i, &cost_ns, d) : 0;

		if (err)
			return err;
		if (!first_of_mode(&r->run, i) || isnan(cost_ns))
			continue;
		sum_ns += cost_ns;
		n++;
	}
	r->run.sample_cost_ns = sum_ns > 0 ? sum_ns / (double)n : perf_sample_cost_ns(r->run.event, r->session.rx_cpu);
	return 0;
}

int record_choose_rate(struct recorder *r, struct diag *d)
{
	int err;

	r->run.overhead_budget_pct = r->o->overhead_pct;
	err = perf_tool_find(&r->tool, d);
	if (err)
		return err;
	snprintf(r->run.event, sizeof(r->run.event), "%s", r->tool.event);
	r->rate_look = FIRST_LOOK;
	if (record_resumes(r))
		return record_resume_rate(r, d);
	progress_now(&r->progress, "measuring what a sample costs");
	err = sample_cost(r, d);
	if (err)
		return err;
	r->target_hz = sampling_affordable_hz(r->run.sample_cost_ns, r->o->overhead_pct);
	r->run.sample_hz = r->target_hz;
	return 0;
}

int record_round_hz(const struct recorder *r, int round)
{
	const struct run_block *last = r->run.nblocks ? &r->run.blocks[r->run.nblocks - 1] : NULL;

	if (last && last->round == round && last->sample_hz) /* all of a round have the same rate */
		return last->sample_hz;
	return r->o->no_profile ? 0 : sampling_round_hz(r->target_hz, round);
}

void record_note_rate(struct recorder *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->run.nblocks; i++)
		sum += r->run.blocks[i].sample_hz;
	if (sum > 0)
		r->run.sample_hz = sum / (double)r->run.nblocks;
}

static struct sampling_seen see(const struct analysis_variant *v)
{
	struct sampling_seen seen = {.samples = (double)v->samples, .effect = v->design_effect};

	if (v->samples < LEAST_SAMPLES || !(v->sum_ns > 0))
		return seen;
	for (size_t i = 0; i < v->nfacilities; i++) {
		double part = v->facilities[i].self_ns / v->sum_ns;

		if (v->facilities[i].self_ns >= SAMPLING_LEAST_NS && part < 1 && (!seen.part || part < seen.part))
			seen.part = part;
	}
	return seen;
}

/*
 * What a sample costs by how much slower packets were in the windows with samples: the mean over the variants. As long
 * as that is not known well, what was found before the first round stays.
 */
static void see_cost(struct recorder *r, const struct analysis *a)
{
	double sum = 0, square = 0, n = (double)a->nvariants;

	for (size_t i = 0; i < a->nvariants; i++) {
		sum += a->variants[i].overhead_pct;
		square += a->variants[i].overhead_half_pct * a->variants[i].overhead_half_pct;
	}
	if (sum > 0 && sqrt(square) / n < COST_KNOWN_PCT / 100.0 * r->o->overhead_pct)
		r->run.sample_cost_ns = sum / n / 100 * 1e9 / r->run.sample_hz;
}

static void adapt(struct recorder *r, const struct analysis *a)
{
	double seconds = (double)(now_ns() - r->begin_ns) / 1e9, after_s = SAMPLING_AFTER_S;
	struct sampling_seen seen[RECORD_MAX_VARIANTS];

	if (r->o->max_time_s > 0)
		after_s = fmin(after_s, r->o->max_time_s);
	for (size_t i = 0; i < a->nvariants; i++)
		seen[i] = see(&a->variants[i]);
	record_note_rate(r);
	see_cost(r, a);
	r->target_hz = sampling_next_hz(r->target_hz,
					sampling_needed_hz(seen, a->nvariants, seconds, r->run.sample_hz, after_s),
					sampling_affordable_hz(r->run.sample_cost_ns, r->o->overhead_pct));
}

bool record_looks_again(const struct recorder *r)
{
	double seconds = (double)(now_ns() - r->begin_ns) / 1e9;

	return r->o->precision_pct > 0 || (!r->o->no_profile && (seconds < LOOKS_S || r->rate_look <= LOOKS_ROUND));
}

/* The run so far; the caller releases a. */
static int look(struct recorder *r, struct analysis *a, struct diag *d)
{
	const struct analysis_options plain = {};
	int err = r->facilities ? 0 : facilities_read(&r->facilities, NULL, d);

	return err ? err : analysis_build(a, &r->run, r->dir.at, r->facilities, &plain, d);
}

int record_adapt_rate(struct recorder *r, int round, struct diag *d)
{
	struct analysis a;
	int err;

	if (r->o->no_profile || !r->run.nblocks || !record_looks_again(r))
		return 0;
	/* In turns, between whole rotations: then each variant is on each device with the same rates as the others. */
	if (round < r->rate_look || (r->o->view != RUN_VIEW_BLOCKS && (size_t)round % r->run.nvariants))
		return 0;
	r->rate_look = 2 * round;
	err = look(r, &a, d);
	if (err)
		return err;
	adapt(r, &a);
	analysis_release(&a);
	return 0;
}

int record_precise(struct recorder *r, bool *enough, struct diag *d)
{
	struct precision p;
	struct analysis a;
	int err = look(r, &a, d);

	*enough = false;
	if (err)
		return err;
	err = precision_widest(&p, &a);
	if (err)
		diag_set(d, err, "no memory");
	else
		snprintf(r->widest, sizeof(r->widest), p.base ? "%s less %s" : "%s%s", p.new, p.base ? p.base : "");
	analysis_release(&a);
	if (err)
		return err;
	r->run.precision_reached_pct = isfinite(p.widest_pct) ? p.widest_pct : NAN;
	*enough = p.widest_pct <= r->o->precision_pct;
	return 0;
}
