// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows about what was recorded: analysis and comparison have computed, here it is held against bars. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/compare.h"
#include "user/selftest.h"

/* ns/packet of the windows of a kind, by busy time, over that of base windows, in percent; NaN: not known. */
static double window_overhead_pct(const struct analysis_variant *v, enum run_window_kind kind)
{
	double ns[RUN_PROBE + 1] = {}, packets[RUN_PROBE + 1] = {};

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_window *w = &v->used[i]->block->windows[k];

			ns[w->kind] += w->busy_ns >= 0 ? w->busy_ns : NAN;
			for (size_t c = 0; c < w->ncpus; c++)
				for (int verdict = 0; verdict < RUN_VERDICTS; verdict++)
					packets[w->kind] += w->cpus[c].verdicts[verdict];
		}
	return 100 * (ns[kind] / packets[kind] / (ns[RUN_BASE] / packets[RUN_BASE]) - 1);
}

int selftest_check_variants(struct checks *c, const struct analysis *a)
{
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];
		const char *id = v->variant->id;

		err = checks_add(c, CHECK_SAMPLED_BUSY, id, fabs(v->sampled_busy_pct - 100), NAN,
				 "samples account for %.2f %% of the kernel's busy time", v->sampled_busy_pct);
		if (!err)
			err = checks_add(c, CHECK_OVERHEAD, id, v->overhead_pct, NAN,
					 "profiled against unprofiled windows, ± %.1f %%", v->overhead_half_pct);
		if (!err)
			err = checks_add(c, CHECK_PROBES, id, window_overhead_pct(v, RUN_PROBE), NAN,
					 "windows with the poll and softirq probes on against those without");
	}
	return err;
}

static double facility_delta_ns(const struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->nfacilities; i++)
		if (!strcmp(c->facilities[i].name, name))
			return c->facilities[i].delta_ns;
	return 0;
}

static int add_planted(struct checks *c, const struct compare *cmp)
{
	double ns = cmp->new->variant->plant_ns, in_program_ns = facility_delta_ns(cmp, "BPF program");
	const char *id = cmp->new->variant->id;
	int err;

	err = checks_add(c, CHECK_PLANTED, id, fabs(cmp->headline.delta_ns - ns), checks_planted_limit_ns(ns),
			 "%.1f ns planted, %.1f ± %.1f ns found", ns, cmp->headline.delta_ns, cmp->headline.half_ns);
	if (!err)
		err = checks_add(c, CHECK_PLANTED_FACILITY, id, 100 * in_program_ns / cmp->headline.delta_ns, NAN,
				 "%.1f ns of %.1f", in_program_ns, cmp->headline.delta_ns);
	if (!err)
		err = checks_add(c, CHECK_TEST_RUN, id, fabs(in_program_ns - ns), checks_planted_limit_ns(ns),
				 "%.1f ns by the profile, %.1f ns by BPF_PROG_TEST_RUN", in_program_ns, ns);
	if (!err)
		err = checks_add(c, CHECK_CLOSURE, id, 100 * fabs(cmp->residual_ns) / cmp->base->base_ns, NAN, "%s", "");
	return err;
}

static int add_counters(struct checks *c, const struct compare *cmp)
{
	return checks_add(c, CHECK_COUNTERS, cmp->new->variant->id, cmp->headline.delta_ns, NAN,
			  "%.2f ± %.2f ns more than the program that only returns a verdict", cmp->headline.delta_ns,
			  cmp->headline.half_ns);
}

/* The variant of the same mode with that operation and nothing planted. */
static const struct analysis_variant *plain_one(const struct analysis *a, const struct run_variant *like,
						const char *operation)
{
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct run_variant *v = a->variants[i].variant;

		if (!v->plant[0] && !strcmp(v->operation, operation) && !strcmp(v->mode, like->mode))
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
	err = compare_build(&cmp, base, new, d);
	if (err)
		return err;
	err = add(c, &cmp);
	compare_release(&cmp);
	return err;
}

int selftest_check_planted(struct checks *c, const struct analysis *a, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];

		if (v->variant->plant_ns > 0)
			err = compare_one(c, plain_one(a, v->variant, v->variant->operation), v, add_planted, d);
		else if (strcmp(v->variant->operation, "bare"))
			err = compare_one(c, plain_one(a, v->variant, "bare"), v, add_counters, d);
	}
	return err;
}
