// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#define MAD_TO_SD 0.6745 /* of the normal distribution */

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
	size_t *order = calloc(n + 1, sizeof(*order)), m = 0;
	double smallest = 1;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		q[i] = isnan(p[i]) ? INFINITY : p[i];
		m += !isnan(p[i]);
	}
	gsl_sort_index(order, q, 1, n);
	for (size_t rank = n; rank > 0; rank--) { /* from the largest p down; what is no test stands last */
		size_t i = order[rank - 1];

		if (rank <= m)
			smallest = fmin(smallest, p[i] * (double)m / (double)rank);
		q[i] = rank <= m ? smallest : NAN;
	}
	free(order);
	return 0;
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
	double *copy = calloc(n + 1, sizeof(*copy)), median, mad;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, x, n * sizeof(*x));
	median = stats_median(copy, n);
	for (size_t i = 0; i < n; i++)
		copy[i] = fabs(x[i] - median);
	mad = stats_median(copy, n);
	for (size_t i = 0; i < n; i++)
		z[i] = mad > 0 ? MAD_TO_SD * (x[i] - median) / mad : 0;
	free(copy);
	return 0;
}

int stats_trend(const double *x, const double *y, const size_t *group, size_t n, struct stats_trend *out)
{
	double *dx, *dy, xx = 0, xy = 0, yy = 0, products = 0, rest = 0;
	size_t groups = 0;

	*out = (struct stats_trend){NAN, NAN, NAN, NAN, NAN};
	if (!n)
		return 0;
	dx = calloc(2 * n, sizeof(*dx));
	if (!dx)
		return -ENOMEM;
	dy = dx + n;
	/* The mean of each group is subtracted. */
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && group[to] == group[from]; to++)
			;
		double x_mean = gsl_stats_mean(x + from, 1, to - from), y_mean = gsl_stats_mean(y + from, 1, to - from);

		for (size_t i = from; i < to; i++) {
			dx[i] = x[i] - x_mean;
			dy[i] = y[i] - y_mean;
		}
		groups++;
	}
	for (size_t i = 0; i < n; i++) {
		xx += dx[i] * dx[i];
		xy += dx[i] * dy[i];
		yy += dy[i] * dy[i];
		if (i && group[i] == group[i - 1])
			products += dy[i] * dy[i - 1];
	}
	out->lag1 = yy > 0 ? products / yy : NAN;
	out->df = (double)n - (double)groups - 1;
	if (xx > 0 && out->df > 0) {
		out->slope = xy / xx;
		for (size_t i = 0; i < n; i++)
			rest += (dy[i] - out->slope * dx[i]) * (dy[i] - out->slope * dx[i]);
		out->se = sqrt(rest / out->df / xx);
		out->p = stats_test((struct stats_difference){.delta = out->slope, .se = out->se, .df = out->df}).p;
	}
	free(dx);
	return 0;
}

/* ---- series that move, and samples with heavy tails ---- */

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

int stats_trim(const double *x, size_t n, bool *keep)
{
	size_t *order = calloc(n + 1, sizeof(*order)), cut = (size_t)(STATS_TRIM * (double)n);

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
	size_t cut = (size_t)(STATS_TRIM * (double)n), kept = n - 2 * cut;
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

/* ---- steps ---- */

#define ENOUGH 6 /* successive differences that tell a scatter */

/* Sums of the values before each one, by their weights: the squared deviation of any part in one step. */
struct sums {
	double weight, x, xx;
};

int steps_find(const double *x, const double *sd, size_t n, size_t least, size_t *at)
{
	struct sums *s = calloc(n + 1, sizeof(*s));
	double *best = calloc(n + 1, sizeof(*best));
	size_t *last = calloc(n + 1, sizeof(*last));
	int found = n < 2 * least ? 0 : -ENOMEM;

	if (s && best && last && found) {
		double more = 1; /* how much larger than sd the scatter of successive values is */

		for (size_t i = 1; i < n; i++)
			best[i - 1] = fabs(x[i] - x[i - 1]) / hypot(sd[i], sd[i - 1]);
		if (n > ENOUGH)
			more = fmax(1, stats_median(best, n - 1) / MAD_TO_SD);
		for (size_t i = 0; i < n; i++) {
			double weight = 1 / (more * more * sd[i] * sd[i]), v = x[i] - x[0];

			s[i + 1] = (struct sums){s[i].weight + weight, s[i].x + weight * v, s[i].xx + weight * v * v};
		}
		/* best[i]: the least cost of the first i values; last[i]: where the last level of that begins. */
		double change = 2 * log((double)n) + 3;
		best[0] = -change;
		for (size_t to = 1; to <= n; to++) {
			best[to] = INFINITY;
			for (size_t from = 0; from + least <= to; from++) {
				double weight = s[to].weight - s[from].weight, v = s[to].x - s[from].x;
				double cost = best[from] + change + fmax(0, s[to].xx - s[from].xx - v * v / weight);

				if (cost < best[to]) {
					best[to] = cost;
					last[to] = from;
				}
			}
		}
		found = 0;
		for (size_t to = n; last[to]; to = last[to])
			found++;
		for (size_t to = n, i = (size_t)found; last[to]; to = last[to])
			at[--i] = last[to];
	}
	free(s);
	free(best);
	free(last);
	return found;
}
