// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does a facility's share of the cost depend on the speed of the machine? By the speeds at which its samples were
 * taken.
 *
 * With z how much slower the machine was at a sample than on average over all samples, n_b the samples of a block, and
 * p_f the facility's part of all samples:
 *
 *     u_b   = sum of z over the facility's samples - p_f * sum of z over all samples of the block
 *     slope = sum u_b / sum n_b E(z^2)_b             of its share over z
 *
 * A weighted sample stands for its period times part, and part is 1 / speed_factor(): so samples and weights together
 * have the sum of z. The error is that of the slopes without one block each (jackknife), since memory lies otherwise in
 * each block, and moves shares by more than the chance of samples. Where few blocks were at another speed, the slope
 * and its error are theirs alone: the degrees of freedom are those of so many like blocks (Kish: (sum w)^2 / sum w^2),
 * less 1.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "reports/analysis/analysis_parts.h"

/* Sums over blocks; of one of them alone, what it adds. */
struct slope {
	double u, squares;
};

/* The mean part of all samples; NaN: a block's is not known. */
static double mean_part(const struct analysis_variant *v)
{
	double sum = 0;

	for (size_t b = 0; b < v->nused; b++)
		sum += (double)v->used[b]->samples * v->used[b]->part_mean;
	return sum / (double)v->samples;
}

/* samples, weight: the facility's in the block; p: its part of all samples */
static struct slope slope_of(const struct analysis_block *b, double samples, double weight, double p, double mean)
{
	double n = (double)b->samples, off = 1 - b->part_mean / mean;
	double z = samples - weight / b->cost_weight * n * b->part_mean / mean;

	return (struct slope){z - p * n * off, n * (off * off + b->part_var / (mean * mean))};
}

/* samples[], weight[]: the facility's, one value a used block; blocks[]: scratch. Points for one standard deviation. */
static struct stats_difference test(const struct analysis_variant *v, const double *samples, const double *weight,
				    struct slope *blocks)
{
	struct slope all = {0};
	double p = 0, mean = mean_part(v), n = (double)v->nused, squares = 0, weights = 0, deviation;

	for (size_t b = 0; b < v->nused; b++)
		p += samples[b] / (double)v->samples;
	for (size_t b = 0; b < v->nused; b++) {
		blocks[b] = slope_of(v->used[b], samples[b], weight[b], p, mean);
		all.u += blocks[b].u;
		all.squares += blocks[b].squares;
	}
	for (size_t b = 0; b < v->nused; b++) {
		double without = (all.u - blocks[b].u) / (all.squares - blocks[b].squares);

		squares += (without - all.u / all.squares) * (without - all.u / all.squares);
		weights += blocks[b].squares * blocks[b].squares;
	}
	deviation = 100 * sqrt(all.squares / (double)v->samples);
	return (struct stats_difference){.delta = deviation * all.u / all.squares,
					 .se = deviation * sqrt((n - 1) / n * squares),
					 .df = fmax(1, all.squares * all.squares / weights - 1)};
}

static size_t sampled_facilities(const struct analysis_variant *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nfacilities; i++)
		n += v->facilities[i].samples > 0;
	return n;
}

static bool is_known(const struct analysis_variant *v)
{
	const struct speed *s = &v->of->speed;

	return s->known && s->moved >= SPEED_MOVES && v->nused >= ANALYSIS_BLOCKS && v->samples && !isnan(mean_part(v));
}

int variant_add_slower(struct analysis_variant *v, const struct shares *s, const struct facilities *f)
{
	double *samples = calloc(2 * v->nused + 1, sizeof(*samples)), *weight = samples + v->nused;
	struct slope *scratch = calloc(v->nused + 1, sizeof(*scratch));
	double alpha = ANALYSIS_SLOWER_ALPHA / (double)sampled_facilities(v);
	bool room = samples && scratch;

	for (size_t i = 0; i < v->nfacilities; i++) {
		struct analysis_row *row = &v->facilities[i];
		struct stats_difference d;

		row->slower_pct = row->slower_half_pct = NAN;
		if (!room || !row->samples || !is_known(v))
			continue;
		for (size_t b = 0; b < v->nused; b++)
			samples[b] = weight[b] = 0;
		for (size_t k = 0; k < s->n; k++)
			if (facilities_name(f, s->list[k].facility) == row->facility) {
				samples[s->list[k].block] += (double)s->list[k].samples;
				weight[s->list[k].block] += s->list[k].weight;
			}
		d = test(v, samples, weight, scratch);
		row->slower_pct = d.delta;
		row->slower_half_pct = stats_t(d.df, alpha) * d.se;
	}
	free(samples);
	free(scratch);
	return room ? 0 : -ENOMEM;
}
