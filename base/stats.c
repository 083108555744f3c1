// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

double stats_t(double df, double alpha)
{
	return df > 0 ? gsl_cdf_tdist_Qinv(alpha / 2, df) : NAN;
}

double stats_t95(double df)
{
	return df > 0 ? gsl_cdf_tdist_Pinv(0.975, df) : NAN;
}

struct stats_mean stats_mean(const double *x, size_t n)
{
	struct stats_mean m = {.n = n, .mean = NAN, .sd = NAN, .half = NAN};

	if (n)
		m.mean = gsl_stats_mean(x, 1, n);
	if (n >= 2) {
		m.sd = gsl_stats_sd_m(x, 1, n, m.mean);
		m.half = stats_t95((double)n - 1) * m.sd / sqrt((double)n);
	}
	return m;
}

struct stats_difference stats_test(struct stats_difference d)
{
	if (!(d.df > 0)) {
		d.t = d.p = d.half = NAN;
	} else if (d.se > 0) {
		d.t = d.delta / d.se;
		d.p = 2 * gsl_cdf_tdist_Q(fabs(d.t), d.df);
		d.half = stats_t95(d.df) * d.se;
	} else { /* constant samples */
		d.t = d.delta != 0 ? copysign(INFINITY, d.delta) : 0;
		d.p = d.delta == 0;
		d.half = 0;
	}
	return d;
}

struct stats_difference stats_welch(const double *a, size_t na, const double *b, size_t nb)
{
	struct stats_mean ma = stats_mean(a, na), mb = stats_mean(b, nb);
	struct stats_difference d = {.delta = mb.mean - ma.mean, .se = NAN, .df = NAN};
	double va, vb;

	if (na >= 2 && nb >= 2) {
		va = ma.sd * ma.sd / (double)na;
		vb = mb.sd * mb.sd / (double)nb;
		d.se = sqrt(va + vb);
		d.df = d.se > 0 ? (va + vb) * (va + vb) / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1))
				: (double)(na + nb - 2);
	}
	return stats_test(d);
}

struct stats_difference stats_paired(const double *a, const double *b, size_t n)
{
	struct stats_difference d = {.se = NAN, .df = (double)n - 1};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += b[i] - a[i];
	d.delta = n ? sum / (double)n : NAN;
	for (size_t i = 0; i < n; i++)
		squares += (b[i] - a[i] - d.delta) * (b[i] - a[i] - d.delta);
	if (n >= 2)
		d.se = sqrt(squares / (double)(n - 1) / (double)n);
	return stats_test(d);
}

struct stats_difference stats_widen(struct stats_difference d, double se)
{
	if (!(se > 0)) /* also when se is NaN */
		return d;
	d.half = fmax(d.half, STATS_Z95 * se);
	d.p = fmax(d.p, 2 * gsl_cdf_ugaussian_Q(fabs(d.delta) / se));
	d.se = fmax(d.se, se);
	d.t = d.delta / d.se;
	return d;
}

int stats_benjamini_hochberg(const double *p, double *q, size_t n)
{
	double *tested, smallest = 1;
	size_t *place, *order, m = 0;
	int err = -ENOMEM;

	tested = calloc(n + 1, sizeof(*tested));
	place = calloc(n + 1, sizeof(*place));
	order = calloc(n + 1, sizeof(*order));
	if (!tested || !place || !order)
		goto out;
	for (size_t i = 0; i < n; i++) {
		q[i] = NAN;
		if (isnan(p[i]))
			continue;
		tested[m] = p[i];
		place[m++] = i;
	}
	gsl_sort_index(order, tested, 1, m);
	for (size_t rank = m; rank > 0; rank--) { /* from the largest p down */
		smallest = fmin(smallest, tested[order[rank - 1]] * (double)m / (double)rank);
		q[place[order[rank - 1]]] = smallest;
	}
	err = 0;
out:
	free(order);
	free(place);
	free(tested);
	return err;
}

double stats_design_effect(const double *share, size_t nrows, const double *samples, size_t nblocks)
{
	double between = 0, binomial = 0, inverse = 0;

	if (nblocks < 2)
		return 1;
	for (size_t b = 0; b < nblocks; b++)
		inverse += 1 / samples[b] / (double)nblocks;
	for (size_t i = 0; i < nrows; i++) {
		struct stats_mean m = stats_mean(share + i * nblocks, nblocks);

		between += m.sd * m.sd;
		binomial += m.mean * (1 - m.mean) * inverse;
	}
	return binomial > 0 ? fmax(1, between / binomial) : 1;
}

double stats_cost_error(double p, double n_eff, double base_error)
{
	if (!(p > 0))
		return INFINITY;
	return sqrt(fmax(0, 1 - p) / (p * n_eff) + base_error * base_error);
}

double stats_median(double *x, size_t n)
{
	return n ? gsl_stats_median(x, 1, n) : NAN;
}

int stats_modified_z(const double *x, size_t n, double *z)
{
	double *sorted, median, mad;

	if (!n)
		return 0;
	sorted = calloc(n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, x, n * sizeof(*x));
	gsl_sort(sorted, 1, n);
	median = gsl_stats_median_from_sorted_data(sorted, 1, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(x[i] - median);
	gsl_sort(sorted, 1, n);
	mad = gsl_stats_median_from_sorted_data(sorted, 1, n);
	for (size_t i = 0; i < n; i++)
		z[i] = mad > 0 ? 0.6745 * (x[i] - median) / mad : 0;
	free(sorted);
	return 0;
}

/* out[i] = values[i] minus the mean of its group; returns the number of groups. */
static size_t take_group_means_off(const double *values, const size_t *group, size_t n, double *out)
{
	size_t groups = 0;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && group[to] == group[from]; to++)
			;
		double mean = gsl_stats_mean(values + from, 1, to - from);

		for (size_t i = from; i < to; i++)
			out[i] = values[i] - mean;
		groups++;
	}
	return groups;
}

static double lag1_of(const double *dy, const size_t *group, size_t n)
{
	double products = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		squares += dy[i] * dy[i];
		if (i && group[i] == group[i - 1])
			products += dy[i] * dy[i - 1];
	}
	return squares > 0 ? products / squares : NAN;
}

int stats_trend(const double *x, const double *y, const size_t *group, size_t n, struct stats_trend *out)
{
	struct stats_difference test = {0};
	double *dx, *dy, xx = 0, xy = 0, rest = 0;
	size_t groups;

	*out = (struct stats_trend){NAN, NAN, NAN, NAN, NAN};
	if (!n)
		return 0;
	dx = calloc(2 * n, sizeof(*dx));
	if (!dx)
		return -ENOMEM;
	dy = dx + n;
	take_group_means_off(x, group, n, dx);
	groups = take_group_means_off(y, group, n, dy);
	for (size_t i = 0; i < n; i++) {
		xx += dx[i] * dx[i];
		xy += dx[i] * dy[i];
	}
	out->lag1 = lag1_of(dy, group, n);
	out->df = (double)n - (double)groups - 1;
	if (xx > 0 && out->df > 0) {
		out->slope = xy / xx;
		for (size_t i = 0; i < n; i++)
			rest += (dy[i] - out->slope * dx[i]) * (dy[i] - out->slope * dx[i]);
		out->se = sqrt(rest / out->df / xx);
		test = stats_test((struct stats_difference){.delta = out->slope, .se = out->se, .df = out->df});
		out->p = test.p;
	}
	free(dx);
	return 0;
}
