// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds rows about a recording: takes values from its analysis and comparisons and holds them against the bars. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reports/compare/compare.h"
#include "base/stats.h"
#include "user/selftest/selftest.h"

/*
 * Returns how much more busy time a packet costs in a block's probe windows than in its base windows, in percent;
 * NaN:
 * not known.
 */
static double probe_overhead_pct(const struct run_block *b)
{
	double ns[RUN_WINDOW_KINDS] = {}, packets[RUN_WINDOW_KINDS] = {};

	for (size_t k = 0; k < b->nwindows; k++) {
		const struct run_window *w = &b->windows[k];

		ns[w->kind] += w->busy_ns;
		packets[w->kind] += run_window_packets(w);
	}
	return 100 * (ns[RUN_PROBE] / packets[RUN_PROBE] / (ns[RUN_BASE] / packets[RUN_BASE]) - 1);
}

static int add_probes(struct checks *c, const struct analysis_variant *v)
{
	double *pct = calloc(v->nused + 1, sizeof(*pct));
	struct stats_mean m;

	if (!pct)
		return -ENOMEM;
	for (size_t i = 0; i < v->nused; i++)
		pct[i] = probe_overhead_pct(v->used[i]->block);
	m = stats_mean(pct, v->nused);
	free(pct);
	if (isnan(m.mean)) /* blocks without probe windows */
		return 0;
	return checks_add(c, CHECK_PROBES, v->variant->id, m.mean, m.half, NAN,
			  "windows with the poll and softirq probes on against those without, ± %.1f %%", m.half);
}

/* One value for all variants of a recording: weighted by how well each is known. */
struct pooled {
	double sum, weights;
};

/* A value without an interval counts for nothing. */
static void pool(struct pooled *p, double value, double half)
{
	if (isnan(value) || !(half > 0))
		return;
	p->sum += value / (half * half);
	p->weights += 1 / (half * half);
}

static double pooled_value(const struct pooled *p)
{
	return p->sum / p->weights; /* NaN: nothing was pooled */
}

static double pooled_half(const struct pooled *p)
{
	return 1 / sqrt(p->weights);
}

/*
 * The variants share the machine, and what is wrong with clock or samples is wrong with all. Each alone has too few
 * samples on a busy machine.
 */
int selftest_check_variants(struct checks *c, const struct analysis *a)
{
	struct pooled busy = {0}, rest = {0}, overhead = {0};
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];

		pool(&busy, v->sampled_busy_pct, v->sampled_busy_half_pct);
		pool(&rest, 100 * v->unattributed_ns / v->base_ns, 100 * v->unattributed_half_ns / v->base_ns);
		pool(&overhead, v->overhead_pct, v->overhead_half_pct);
		err = add_probes(c, v);
	}
	if (!err)
		err = checks_add(c, CHECK_SAMPLED_BUSY, "all variants", fabs(pooled_value(&busy) - 100),
				 pooled_half(&busy), NAN,
				 "samples account for %.2f ± %.2f %% of the kernel's busy time", pooled_value(&busy),
				 pooled_half(&busy));
	if (!err)
		err = checks_add(c, CHECK_CLOSURE, "all variants", fabs(pooled_value(&rest)), pooled_half(&rest), NAN,
				 "base less symbols: %.2f ± %.2f %% of the base", pooled_value(&rest),
				 pooled_half(&rest));
	if (!err)
		err = checks_add(c, CHECK_OVERHEAD, "all variants", pooled_value(&overhead), pooled_half(&overhead),
				 quality_limit(&a->options.limits, QUALITY_OVERHEAD),
				 "profiled against unprofiled windows, ± %.1f %%", pooled_half(&overhead));
	return err;
}

static const struct compare_row *program_row(const struct compare *c)
{
	for (size_t i = 0; i < c->nfacilities; i++)
		if (!strcmp(c->facilities[i].name, "BPF program"))
			return &c->facilities[i];
	return NULL;
}

/* By the clock of the receiver's work. A truth that is not known to the limit itself can hold nothing. */
static int add_planted(struct checks *c, const struct compare *cmp)
{
	double ns = cmp->planted_ns, limit_ns = checks_planted_limit_ns(CHECK_PLANTED, ns);

	return checks_add(c, CHECK_PLANTED, cmp->new->variant->id,
			  cmp->planted_half_ns <= limit_ns ? fabs(cmp->planted_off_ns) : NAN, cmp->planted_off_half_ns,
			  limit_ns + cmp->planted_half_ns, "%.1f ± %.1f ns planted, %.1f ± %.1f ns found", ns,
			  cmp->planted_half_ns, cmp->headline.delta_ns, cmp->headline.half_ns);
}

/* By the samples. */
static int add_profiled(struct checks *c, const struct compare *cmp)
{
	const struct compare_row *row = program_row(cmp);
	double ns = cmp->planted_ns, in_program_ns = row ? row->delta_ns : 0;
	const char *id = cmp->new->variant->id;
	int err = checks_add(c, CHECK_PLANTED_FACILITY, id, 100 * in_program_ns / cmp->headline.delta_ns,
			     row ? 100 * row->half_ns / fabs(cmp->headline.delta_ns) : NAN, NAN,
			     "%.1f ± %.1f ns of %.1f", in_program_ns, row ? row->half_ns : NAN, cmp->headline.delta_ns);

	if (!err)
		err = checks_add(c, CHECK_PLANTED_PROFILE, id, fabs(in_program_ns - ns), row ? row->half_ns : NAN,
				 checks_planted_limit_ns(CHECK_PLANTED_PROFILE, ns),
				 "%.1f ns by the profile, %.1f ns planted", in_program_ns, ns);
	return err;
}

static int add_counters(struct checks *c, const struct compare *cmp)
{
	return checks_add(c, CHECK_COUNTERS, cmp->new->variant->id, cmp->headline.delta_ns, cmp->headline.half_ns, NAN,
			  "%.2f ± %.2f ns more than the program that only returns a verdict", cmp->headline.delta_ns,
			  cmp->headline.half_ns);
}

/* Returns the variant with like's mode, operation and kind of plant, but with 0 ns planted; NULL: none. */
static const struct analysis_variant *plain_one(const struct analysis *a, const struct run_variant *like)
{
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct run_variant *v = a->variants[i].variant;

		if (v->plant == like->plant && v->plant_asked_ns == 0 && v->operation == like->operation &&
		    v->mode == like->mode)
			return &a->variants[i];
	}
	return NULL;
}

static int compare_one(struct checks *c, const struct analysis_variant *base, const struct analysis_variant *new,
		       int (*add)(struct checks *, const struct compare *), struct diag *d)
{
	struct compare cmp;
	int err;

	if (!base || base == new || !base->nused || !new->nused)
		return 0;
	err = compare_build(&cmp, base, new, NULL, d);
	if (err)
		return err;
	err = add(c, &cmp);
	compare_release(&cmp);
	return err;
}

static int check_plants(struct checks *c, const struct analysis *a, int (*add)(struct checks *, const struct compare *),
			struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];

		if (v->variant->plant_asked_ns > 0)
			err = compare_one(c, plain_one(a, v->variant), v, add, d);
	}
	return err;
}

int selftest_check_planted(struct checks *c, const struct analysis *a, struct diag *d)
{
	return check_plants(c, a, add_planted, d);
}

int selftest_check_profiled(struct checks *c, const struct analysis *a, struct diag *d)
{
	return check_plants(c, a, add_profiled, d);
}

int selftest_check_counting(struct checks *c, const struct analysis *a, struct diag *d)
{
	const struct analysis_variant *bare = analysis_find(a, "drop/bare@native", NULL);
	const struct analysis_variant *counting = analysis_find(a, "drop/no-touch@native", NULL);

	return bare && counting ? compare_one(c, bare, counting, add_counters, d) : 0;
}
