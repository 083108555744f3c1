// SPDX-License-Identifier: GPL-2.0-or-later
/* How the cost of a packet is spread over the single turns of a variant, where variants take turns. */
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include "reports/analysis/analysis_parts.h"

const double analysis_turn_quantiles[ANALYSIS_TURN_QUANTILES] = {0.01, 0.25, 0.5, 0.75, 0.99};

/* By successive turns, so that slow movements of the machine are not in it. */
static double noise_of(const double *ns, size_t n)
{
	double squares = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += ns[i];
		squares += i ? (ns[i] - ns[i - 1]) * (ns[i] - ns[i - 1]) : 0;
	}
	return n < 3 ? NAN : sqrt(squares / (2 * (double)(n - 1))) / (sum / (double)n);
}

static bool is_of(const struct analysis_variant *v, const struct run_turn *t)
{
	return &v->of->run->variants[t->variant] == v->variant && t->use == TURN_BASE && t->packets;
}

/* ns[]: what a packet cost in each turn. Returns how many. */
static size_t take(const struct analysis_variant *v, const struct run_turns *turns, bool at_reference, double *ns)
{
	size_t n = 0;

	for (size_t i = 0; i < turns->n; i++) {
		const struct run_turn *t = &turns->list[i];

		if (t->variant >= v->of->run->nvariants || !is_of(v, t) ||
		    (at_reference && speed_sets_aside(&v->of->speed, t->start_ns, t->start_ns + t->wall_ns)))
			continue;
		ns[n++] = (double)t->own_ns / t->packets;
	}
	return n;
}

/* Sets v->turns from the unprofiled turns of the variant. */
int variant_add_turns(struct analysis_variant *v, const struct run_turns *turns)
{
	double *ns = calloc(turns->n + 1, sizeof(*ns));
	size_t n = 0;

	if (!ns)
		return -ENOMEM;
	n = take(v, turns, true, ns);
	v->turns.noise = noise_of(ns, n);
	n = take(v, turns, false, ns);
	gsl_sort(ns, 1, n);
	v->turns.n = n;
	for (size_t i = 0; i < ANALYSIS_TURN_QUANTILES && n; i++)
		v->turns.ns[i] = gsl_stats_quantile_from_sorted_data(ns, 1, n, analysis_turn_quantiles[i]);
	v->turns.longest_ns = n ? ns[n - 1] : NAN;
	free(ns);
	return 0;
}
