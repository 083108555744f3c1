// SPDX-License-Identifier: GPL-2.0-or-later
/* Means of series that move and of samples with heavy tails; stats.h has the contract. */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"

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

int stats_even(double *x, const size_t *place, size_t n, size_t nplaces, double *lost)
{
	double *level = calloc(nplaces + n + 1, sizeof(*level)), *scratch, mean = 0, left = 0;
	double larger = sqrt((double)(n - 1) / (double)(n - nplaces));
	bool enough = nplaces > 1;

	*lost = 0;
	if (!level)
		return -ENOMEM;
	scratch = level + nplaces;
	for (size_t k = 0; k < nplaces; k++) {
		size_t many = 0;

		for (size_t i = 0; i < n; i++)
			if (place[i] == k)
				scratch[many++] = x[i];
		enough = enough && many > 1;
		level[k] = stats_median(scratch, many);
	}
	for (size_t i = 0; i < n && enough; i++) {
		mean += x[i] / (double)n;
		x[i] -= level[place[i]];
		left += x[i] / (double)n;
	}
	for (size_t i = 0; i < n && enough; i++)
		x[i] = mean + (x[i] - left) * larger;
	if (enough)
		*lost = (double)nplaces - 1;
	free(level);
	return 0;
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
