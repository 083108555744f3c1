// SPDX-License-Identifier: GPL-2.0-or-later
/* Means of series that move and of samples with heavy tails; stats.h has the contract. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include "base/base.h"

struct stats_mean stats_series(const double *x, size_t n)
{
	struct stats_mean m = stats_mean(x, n);
	double squares = 0, freedom;

	if (n < 3)
		return m;
	for (size_t i = 1; i < n; i++)
		squares += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
	freedom = 2.0 * (double)(n - 1) * (double)(n - 1) / (3.0 * (double)n - 4);
	m.half = stats_t95(freedom) * sqrt(squares / (2.0 * (double)(n - 1)) / (double)n);
	return m;
}

double stats_rotate(double *x, const size_t *rotation, size_t n)
{
	double mean = stats_mean(x, n).mean, rotations = 0, off = 0, larger;

	for (size_t i = 0; i < n; i++)
		rotations += !i || rotation[i] != rotation[i - 1];
	if (rotations < STATS_ROTATIONS || (size_t)rotations == n)
		return 0;
	larger = sqrt(((double)n - 1) / (double)n * rotations / (rotations - 1));
	for (size_t from = 0, to; from < n; from = to) {
		double sum = 0, root;

		for (to = from; to < n && rotation[to] == rotation[from]; to++)
			sum += x[to] - mean;
		root = sqrt((double)(to - from));
		for (size_t i = from; i < to; i++)
			x[i] = mean + larger * sum / root;
		off += larger * sum * root / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		x[i] -= off;
	return (double)n - rotations;
}

int stats_heavy(const double *x, size_t n, bool *heavy)
{
	double *z = calloc(n + 1, sizeof(*z));
	int err = z ? stats_modified_z(x, n, z) : -ENOMEM;

	*heavy = false;
	for (size_t i = 0; i < n && n >= STATS_TAIL && !err; i++)
		*heavy |= fabs(z[i]) > STATS_HEAVY;
	free(z);
	return err;
}

static size_t cut_off(size_t n)
{
	return (size_t)(STATS_TRIM * (double)n);
}

int stats_trim(const double *x, size_t n, bool *keep)
{
	size_t *order = calloc(n + 1, sizeof(*order)), cut = cut_off(n);

	if (!order)
		return -ENOMEM;
	gsl_sort_index(order, x, 1, n);
	for (size_t i = 0; i < n; i++)
		keep[order[i]] = i >= cut && i < n - cut;
	free(order);
	return 0;
}

int stats_trimmed(const double *x, size_t n, struct stats_difference *out)
{
	size_t cut = cut_off(n), kept = n - 2 * cut;
	double *sorted = calloc(n + 1, sizeof(*sorted)), sd;

	*out = (struct stats_difference){.delta = NAN, .se = NAN, .df = (double)kept - 1};
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, x, n * sizeof(*x));
	gsl_sort(sorted, 1, n);
	if (kept)
		out->delta = gsl_stats_mean(sorted + cut, 1, kept);
	for (size_t i = 0; i < cut; i++) { /* winsorized */
		sorted[i] = sorted[cut];
		sorted[n - 1 - i] = sorted[n - 1 - cut];
	}
	if (kept >= 2) {
		sd = gsl_stats_sd(sorted, 1, n);
		out->se = sd * sqrt((double)(n - 1) / ((double)kept * (double)(kept - 1)));
	}
	*out = stats_test(*out);
	free(sorted);
	return 0;
}

double stats_none_by_chance(double count, double exposure, double other)
{
	return fmin(1, 2 * pow(exposure / (exposure + other), count));
}
