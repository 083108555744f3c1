// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#define MAD_TO_SD 0.6745 /* of the normal distribution */
#define ENOUGH    6      /* successive differences that tell a scatter */

/* Sums of the values before each one, by their weights: the squared deviation of any part in one step. */
struct sums {
	double weight, x, xx;
};

static double squares(const struct sums *s, size_t from, size_t to)
{
	double weight = s[to].weight - s[from].weight, x = s[to].x - s[from].x;

	return fmax(0, s[to].xx - s[from].xx - x * x / weight);
}

/* How much larger than sd the scatter of successive values is; 1: not larger. at: room for n values. */
static double scatter(const double *x, const double *sd, size_t n, double *room)
{
	for (size_t i = 1; i < n; i++)
		room[i - 1] = fabs(x[i] - x[i - 1]) / hypot(sd[i], sd[i - 1]);
	return n > ENOUGH ? fmax(1, stats_median(room, n - 1) / MAD_TO_SD) : 1;
}

/* best[i]: the least cost of the first i values; last[i]: where the last level of that begins. */
static int partition(const struct sums *s, size_t n, size_t least, double *best, size_t *last, size_t *at)
{
	double change = 2 * log((double)n) + 3;
	size_t found = 0;

	best[0] = -change;
	for (size_t to = 1; to <= n; to++) {
		best[to] = INFINITY;
		for (size_t from = 0; from + least <= to; from++) {
			double cost = best[from] + change + squares(s, from, to);

			if (cost < best[to]) {
				best[to] = cost;
				last[to] = from;
			}
		}
	}
	for (size_t to = n; last[to]; to = last[to])
		found++;
	for (size_t to = n, i = found; last[to]; to = last[to])
		at[--i] = last[to];
	return (int)found;
}

int steps_find(const double *x, const double *sd, size_t n, size_t least, size_t *at)
{
	struct sums *s = calloc(n + 1, sizeof(*s));
	double *best = calloc(n + 1, sizeof(*best));
	size_t *last = calloc(n + 1, sizeof(*last));
	int found = n < 2 * least ? 0 : -ENOMEM;

	if (s && best && last && found) {
		double more = scatter(x, sd, n, best), middle = x[0];

		for (size_t i = 0; i < n; i++) {
			double weight = 1 / (more * more * sd[i] * sd[i]), v = x[i] - middle;

			s[i + 1] = (struct sums){s[i].weight + weight, s[i].x + weight * v, s[i].xx + weight * v * v};
		}
		found = partition(s, n, least, best, last, at);
	}
	free(s);
	free(best);
	free(last);
	return found;
}
