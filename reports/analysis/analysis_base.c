// SPDX-License-Identifier: GPL-2.0-or-later
/* The base of one variant, its rates and what profiling costs, from its used blocks. */
#include "reports/analysis/analysis.h"

double ratio_of_sums(const double *x, const double *y, size_t n, double *values)
{
	double sum_x = 0, sum_y = 0, ratio;

	for (size_t i = 0; i < n; i++) {
		sum_x += x[i];
		sum_y += y[i];
	}
	ratio = sum_x / sum_y;
	for (size_t i = 0; i < n && values; i++)
		values[i] = ratio + (x[i] - ratio * y[i]) * (double)n / sum_y;
	return ratio;
}

/*
 * Mean of a ratio by its logarithm: of two windows that differ by chance alone, either may be the larger one, and the
 * mean of plain ratios would then be above 1 by the variance.
 */
static void overhead(const struct analysis_variant *v, double *values, double *pct, double *half_pct)
{
	struct stats_mean m;

	for (size_t i = 0; i < v->nused; i++)
		values[i] = log(v->used[i]->slower_profiled);
	m = stats_mean(values, v->nused); /* NaN if a block was not profiled: the overhead is then not known */
	*pct = 100 * expm1(m.mean);
	*half_pct = 100 * exp(m.mean) * m.half;
}

/* Sets v->block_injected_ns; clocked, packets: scratch, one value a block each. */
static int add_inject(struct analysis_variant *v, double *clocked, double *packets)
{
	for (size_t i = 0; i < v->nused; i++) {
		clocked[i] = v->used[i]->injected_ns;
		packets[i] = v->used[i]->packets;
		if (isnan(clocked[i]))
			return 0;
	}
	if (!v->nused || !run_has_inject_clock(v->variant))
		return 0;
	v->block_injected_ns = calloc(v->nused, sizeof(double));
	if (!v->block_injected_ns)
		return -ENOMEM;
	ratio_of_sums(clocked, packets, v->nused, v->block_injected_ns);
	return 0;
}

static void add_half(struct analysis_variant *v)
{
	struct stats_mean m = stats_series(v->block_base_ns, v->nused);

	v->half_ns = m.half;
	if (v->takes_turns && v->of->speed.known) /* of the cost at one speed */
		v->half_ns = v->of->speed.by == SPEED_VARIANTS
				     ? m.half / sqrt(1 - 1 / (double)v->of->nvariants)
				     : hypot(m.half, STATS_Z95 * v->of->speed.error * v->base_ns);
	v->dispersion_pct = 100 * stats_mean(v->block_base_ns, v->nused).sd / v->base_ns;
	analysis_ci95(v->base_ns, v->half_ns, v->ci95_ns);
}

int variant_add_base(struct analysis_variant *v)
{
	double *scratch = calloc(2 * v->nused + 1, sizeof(*scratch)), *packets;
	double cpus = v->of->run->nrx_cpus ? (double)v->of->run->nrx_cpus : 1;
	double span_ns = 0, busy_ns = 0, cpu_ns = 0, cost_busy_ns = 0, cost_cpu_ns = 0, excluded_ns = 0, seen = 0;
	struct stats_mean m;
	size_t n = 0;
	int err;

	v->block_base_ns = calloc(v->nused + 1, sizeof(double));
	if (!scratch || !v->block_base_ns) {
		free(scratch);
		return -ENOMEM;
	}
	packets = scratch + v->nused;
	v->packets = 0;
	for (size_t i = 0; i < v->nused; i++) {
		const struct analysis_block *b = v->used[i];

		scratch[i] = b->base_ns * b->packets;
		packets[i] = b->packets;
		v->packets += b->packets;
		span_ns += b->span_ns;
		busy_ns += b->busy_ns;
		cpu_ns += b->span_ns * cpus;
		cost_busy_ns += b->base_by_busy_ns * b->packets; /* without what is taken out */
		cost_cpu_ns += b->base_by_rate_ns * b->packets;
		excluded_ns += b->excluded_ns * b->packets;
	}
	v->base_ns = ratio_of_sums(scratch, packets, v->nused, v->block_base_ns);
	add_half(v);
	v->pps = 1e9 * v->packets / span_ns;
	/* A watch saw all of its blocks, those without packets and those in which nothing was timed among them. */
	if (v->of->run->view == RUN_VIEW_WATCH) {
		span_ns = 0;
		for (size_t i = 0; i < v->nblocks; i++) {
			seen += v->blocks[i].packets;
			span_ns += v->blocks[i].span_ns;
		}
		v->pps = 1e9 * seen / span_ns;
	}
	v->base_by_busy_ns = cost_busy_ns / v->packets;
	v->base_by_rate_ns = cost_cpu_ns / v->packets;
	v->busy_pct = 100 * busy_ns / cpu_ns;
	v->excluded_ns = excluded_ns / v->packets;
	for (size_t i = 0; i < v->nused; i++) { /* those in which the samples account for any busy time */
		scratch[n] = v->used[i]->sampled_busy_pct;
		n += !isnan(scratch[n]);
	}
	m = stats_mean(scratch, n);
	v->sampled_busy_pct = m.mean;
	v->sampled_busy_half_pct = m.half;
	overhead(v, scratch, &v->overhead_pct, &v->overhead_half_pct);
	err = add_inject(v, scratch, packets);
	free(scratch);
	return err;
}
