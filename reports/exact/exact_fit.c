// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_linalg.h>
#include "reports/exact/exact.h"

/* A singular value below this share of the largest one means that the windows cannot separate the terms. */
#define RANK_LIMIT 1e-9
/* A window whose leverage is nearer to 1 is one without which the windows cannot separate the terms. */
#define LEVERAGE_LIMIT 1e-6

static double regressor(const struct exact_window *w, enum exact_term term)
{
	switch (term) {
	case EXACT_PACKET:
		return (double)w->packets;
	case EXACT_POLL:
		return (double)w->polls;
	case EXACT_WAKEUP:
		return (double)w->wakeups;
	default:
		return 1;
	}
}

/* The largest value of a column. Columns are divided by it, so that their singular values can be compared. */
static double scale_of(const struct exact_variant *v, enum exact_term term)
{
	double most = 0;

	for (size_t i = 0; i < v->nwindows; i++)
		most = fmax(most, regressor(&v->windows[i], term));
	return most > 0 ? most : 1;
}

/* The pseudoinverse of the windows' regressors for the terms in terms[]; -ERANGE when they are not independent. */
static int pseudoinverse(struct exact_fit *fit, const struct exact_variant *v, const size_t *used, size_t n,
			 const bool terms[EXACT_TERMS])
{
	enum exact_term kept[EXACT_TERMS];
	size_t k = 0;

	gsl_matrix *u, *vt;
	gsl_vector *s, *work;
	int err = 0;

	for (int t = 0; t < EXACT_TERMS; t++)
		if (terms[t])
			kept[k++] = t;
	if (n < k)
		return -ERANGE;
	gsl_set_error_handler_off();
	u = gsl_matrix_alloc(n, k);
	vt = gsl_matrix_alloc(k, k);
	s = gsl_vector_alloc(k);
	work = gsl_vector_alloc(k);
	if (!u || !vt || !s || !work) {
		err = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < k; j++)
			gsl_matrix_set(u, i, j, regressor(&v->windows[used[i]], kept[j]) / scale_of(v, kept[j]));
	if (gsl_linalg_SV_decomp(u, vt, s, work) || gsl_vector_get(s, k - 1) <= RANK_LIMIT * gsl_vector_get(s, 0)) {
		err = -ERANGE;
		goto out;
	}
	*fit = (struct exact_fit){};
	for (size_t j = 0; j < k; j++) {
		fit->terms[kept[j]] = true;
		for (size_t i = 0; i < n; i++) {
			double sum = 0;

			for (size_t r = 0; r < k; r++)
				sum += gsl_matrix_get(vt, j, r) / gsl_vector_get(s, r) * gsl_matrix_get(u, i, r);
			fit->map[kept[j]][used[i]] = sum / scale_of(v, kept[j]);
		}
	}
out:
	if (u)
		gsl_matrix_free(u);
	if (vt)
		gsl_matrix_free(vt);
	if (s)
		gsl_vector_free(s);
	if (work)
		gsl_vector_free(work);
	return err;
}

int exact_fit(struct exact_fit *fit, const struct exact_variant *v, int parity)
{
	/* From the richest model down to the cost per packet alone. */
	static const bool models[][EXACT_TERMS] = {
		{[EXACT_PACKET] = true, [EXACT_POLL] = true, [EXACT_WAKEUP] = true, [EXACT_FIXED] = true},
		{[EXACT_PACKET] = true, [EXACT_POLL] = true, [EXACT_FIXED] = true},
		{[EXACT_PACKET] = true, [EXACT_FIXED] = true},
		{[EXACT_PACKET] = true},
	};
	size_t used[EXACT_MAX_WINDOWS], n = 0;
	int err = -ERANGE;

	for (size_t i = 0; i < v->nwindows; i++)
		if (v->windows[i].packets && (parity < 0 || (int)(i & 1) == parity))
			used[n++] = i;
	for (size_t m = 0; m < sizeof(models) / sizeof(*models) && err == -ERANGE; m++)
		err = pseudoinverse(fit, v, used, n, models[m]);
	return err;
}

/*
 * One kind of count: its terms, and per packet the largest deviation of a window from them, or how far the cost of a
 * packet moves without one window, if that is more. Returns whether the terms yield each window exactly.
 */
static bool apply(const struct exact_fit *fit, const struct exact_variant *v, const double *counts,
		  double terms[EXACT_TERMS], double *residual)
{
	double off = 0;

	memset(terms, 0, EXACT_TERMS * sizeof(*terms));
	*residual = 0;
	for (size_t i = 0; i < v->nwindows; i++)
		for (int t = 0; t < EXACT_TERMS; t++)
			terms[t] += fit->map[t][i] * counts[i];
	for (size_t i = 0; i < v->nwindows; i++) {
		double model = 0, leverage, rest;

		for (int t = 0; t < EXACT_TERMS; t++)
			model += terms[t] * regressor(&v->windows[i], t);
		rest = fabs(counts[i] - model);
		off = fmax(off, rest);
		if (v->windows[i].packets)
			*residual = fmax(*residual, rest / (double)v->windows[i].packets);
		/*
		 * How far the cost of a packet moves when the fit is made without window i, which is off by so much; 0
		 * for a window without which there is no fit, as nothing is off there.
		 */
		leverage = 0;
		for (int t = 0; t < EXACT_TERMS; t++)
			leverage += fit->map[t][i] * regressor(&v->windows[i], t);
		if (leverage < 1 - LEVERAGE_LIMIT)
			*residual = fmax(*residual, fabs(fit->map[EXACT_PACKET][i]) * rest / (1 - leverage));
	}
	for (int t = 0; t < EXACT_TERMS; t++)
		terms[t] = round(terms[t] * 1e6) / 1e6 + 0.0;
	return off < 0.5;
}

void exact_apply_memory(const struct exact_fit *fit, const struct exact_variant *v,
			const double counts[EXACT_MEMORY][EXACT_MAX_WINDOWS], double memory[EXACT_MEMORY],
			double residual[EXACT_MEMORY])
{
	double terms[EXACT_TERMS];

	for (int m = 0; m < EXACT_MEMORY; m++) {
		memory[m] = residual[m] = NAN;
		if (!v->memory[m])
			continue;
		if (m >= EXACT_FOOT_LINES) {
			memory[m] = counts[m][v->footprint];
			residual[m] = 0;
			continue;
		}
		apply(fit, v, counts[m], terms, &residual[m]);
		memory[m] = terms[EXACT_PACKET];
		residual[m] = round(residual[m] * 1e6) / 1e6 + 0.0;
	}
}

void exact_apply(const struct exact_fit *fit, const struct exact_variant *v, const struct exact_counts *counts,
		 struct exact_cost *cost)
{
	double terms[EXACT_TERMS], none;

	exact_cost_init(cost, v);
	cost->exact = apply(fit, v, counts->instructions, cost->instructions, &cost->residual);
	apply(fit, v, counts->calls, terms, &none);
	cost->calls = terms[EXACT_PACKET];
	exact_apply_memory(fit, v, counts->memory, cost->memory, cost->memory_residual);
}
