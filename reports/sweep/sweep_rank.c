// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/sweep/sweep.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#define SEED       20
#define ALL        SIZE_MAX /* no parameter is left out */
#define NO_SPREAD  1e-12    /* of the squares of the values themselves: they are equal, to rounding */
#define BY_DEFAULT (-1)     /* the library's own tolerance */

/* The values of a parameter, rising; the first one is what the effects of the others are measured from. */
struct levels {
	double *values;
	size_t n, column; /* column: of the second value in the full model */
};

/* A model with its columns made orthogonal. */
struct model {
	gsl_matrix *qr;
	gsl_vector *tau;
	gsl_permutation *p;
	size_t rank, columns;
};

struct ranking {
	const struct sweep_row **rows;
	size_t n, nparameters;
	struct levels levels[SWEEP_PARAMETERS];
	struct model full, without[SWEEP_PARAMETERS];
	gsl_vector *y, *work;
	double *draws; /* two for each parameter: parts and spans */
};

/* ---- the model --------------------------------------------------------------------------------------- */

static size_t level_of(const struct levels *l, double value)
{
	size_t i = 0;

	while (i < l->n && l->values[i] != value)
		i++;
	return i;
}

/* A column of ones, and one for each value of a parameter but the first; those of `left_out` are left out. */
static int build_model(const struct ranking *r, struct model *m, size_t left_out)
{
	gsl_vector *norm;
	int sign;
	size_t column = 1;

	m->columns = 1;
	for (size_t k = 0; k < r->nparameters; k++)
		m->columns += k == left_out ? 0 : r->levels[k].n - 1;
	m->qr = gsl_matrix_calloc(r->n, m->columns);
	m->tau = gsl_vector_alloc(r->n < m->columns ? r->n : m->columns);
	m->p = gsl_permutation_alloc(m->columns);
	norm = gsl_vector_alloc(m->columns);
	if (!m->qr || !m->tau || !m->p || !norm) {
		gsl_vector_free(norm);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->n; i++)
		gsl_matrix_set(m->qr, i, 0, 1);
	for (size_t k = 0; k < r->nparameters; k++) {
		if (k == left_out)
			continue;
		for (size_t i = 0; i < r->n; i++) {
			size_t level = level_of(&r->levels[k], r->rows[i]->point.values[k]);

			if (level)
				gsl_matrix_set(m->qr, i, column + level - 1, 1);
		}
		column += r->levels[k].n - 1;
	}
	gsl_linalg_QRPT_decomp(m->qr, m->tau, m->p, &sign, norm);
	m->rank = gsl_linalg_QRPT_rank(m->qr, BY_DEFAULT);
	gsl_vector_free(norm);
	return 0;
}

/* The sum of squared residuals of r->y. */
static double residual(struct ranking *r, const struct model *m)
{
	double squares = 0;

	gsl_vector_memcpy(r->work, r->y);
	gsl_linalg_QR_QTvec(m->qr, m->tau, r->work);
	for (size_t i = m->rank; i < r->n; i++)
		squares += gsl_vector_get(r->work, i) * gsl_vector_get(r->work, i);
	return squares;
}

/* ---- results ----------------------------------------------------------------------------------------- */

/* The effects of all values in the full model, or NULL: they are not determined. The caller frees them. */
static gsl_vector *effects(struct ranking *r)
{
	gsl_vector *x;

	if (r->full.rank < r->full.columns || r->n < r->full.columns)
		return NULL;
	x = gsl_vector_alloc(r->full.columns);
	if (x)
		gsl_linalg_QRPT_lssolve(r->full.qr, r->full.tau, r->full.p, r->y, x, r->work);
	return x;
}

static double effect(const struct levels *l, const gsl_vector *x, double value)
{
	size_t level = level_of(l, value);

	return level ? gsl_vector_get(x, l->column + level - 1) : 0;
}

static int by_part(const void *one, const void *other)
{
	const struct sweep_ranked *a = one, *b = other;

	return ORDER(b->part, a->part);
}

static int rank(struct ranking *r, struct sweep_rank *out)
{
	double full, squares = 0, all;
	gsl_vector *x;
	int err;

	for (size_t i = 0; i < r->n; i++) {
		gsl_vector_set(r->y, i, r->rows[i]->base_ns);
		squares += r->rows[i]->base_ns * r->rows[i]->base_ns;
	}
	all = gsl_stats_tss(r->y->data, 1, r->n);
	if (!(all > NO_SPREAD * squares))
		return -ERANGE;
	full = residual(r, &r->full);
	x = effects(r);
	*out = (struct sweep_rank){.n = r->nparameters, .npoints = r->n, .rest = full / all};
	for (size_t k = 0; k < r->nparameters; k++) {
		struct sweep_ranked *p = &out->parameters[k];

		double part = (residual(r, &r->without[k]) - full) / all;
		*p = (struct sweep_ranked){k, part, {NAN, NAN}, 0, 0, NAN, {NAN, NAN}};
		p->low = p->high = r->levels[k].values[0];
		for (size_t i = 1; i < r->levels[k].n && x; i++) {
			if (effect(&r->levels[k], x, r->levels[k].values[i]) < effect(&r->levels[k], x, p->low))
				p->low = r->levels[k].values[i];
			if (effect(&r->levels[k], x, r->levels[k].values[i]) > effect(&r->levels[k], x, p->high))
				p->high = r->levels[k].values[i];
		}
		p->span_ns = x ? effect(&r->levels[k], x, p->high) - effect(&r->levels[k], x, p->low) : NAN;
	}
	gsl_vector_free(x);
	/* Intervals, where those of all points are known. */
	bool known_all = true;
	for (size_t i = 0; i < r->n; i++)
		known_all &= r->rows[i]->half_ns >= 0;
	gsl_rng *random = known_all ? gsl_rng_alloc(gsl_rng_mt19937) : NULL;
	if (random)
		gsl_rng_set(random, SEED);
	for (size_t number = 0; number < SWEEP_RANK_DRAWS && random; number++) {
		for (size_t i = 0; i < r->n; i++)
			gsl_vector_set(r->y, i,
				       r->rows[i]->base_ns + gsl_ran_gaussian(random, r->rows[i]->half_ns / STATS_Z95));
		full = residual(r, &r->full);
		x = effects(r);
		for (size_t k = 0; k < r->nparameters; k++) {
			const struct sweep_ranked *p = &out->parameters[k];
			const struct levels *l = &r->levels[k];

			r->draws[2 * k * SWEEP_RANK_DRAWS + number] =
				(residual(r, &r->without[k]) - full) / gsl_stats_tss(r->y->data, 1, r->n);
			r->draws[(2 * k + 1) * SWEEP_RANK_DRAWS + number] =
				x ? effect(l, x, p->high) - effect(l, x, p->low) : NAN;
		}
		gsl_vector_free(x);
	}
	for (size_t i = 0; i < 2 * r->nparameters && random; i++) {
		struct sweep_ranked *p = &out->parameters[i / 2];
		double *draws = &r->draws[i * SWEEP_RANK_DRAWS], *ci = i % 2 ? p->span_ci : p->part_ci95;
		double found = i % 2 ? p->span_ns : p->part;

		if (i % 2 && isnan(found))
			continue;
		gsl_sort(draws, 1, SWEEP_RANK_DRAWS);
		ci[0] = fmin(found, gsl_stats_quantile_from_sorted_data(draws, 1, SWEEP_RANK_DRAWS, 0.025));
		ci[1] = fmax(found, gsl_stats_quantile_from_sorted_data(draws, 1, SWEEP_RANK_DRAWS, 0.975));
	}
	err = known_all && !random ? -ENOMEM : 0;
	gsl_rng_free(random);
	qsort(out->parameters, out->n, sizeof(out->parameters[0]), by_part);
	return err;
}

int sweep_rank_from(struct sweep_rank *out, const struct sweep *s, size_t first)
{
	struct ranking r = {.nparameters = s->rows[first].point.n};
	gsl_error_handler_t *before;
	size_t several = 0, column = 1;
	bool taken = false;
	int err;

	r.rows = calloc(s->nrows, sizeof(struct sweep_row *));
	if (!r.rows)
		return -ENOMEM;
	for (size_t i = 0; i < s->nrows; i++) {
		if (strcmp(s->rows[i].variant, s->rows[first].variant) != 0)
			continue;
		taken |= i < first;
		if (!isnan(s->rows[i].base_ns))
			r.rows[r.n++] = &s->rows[i];
	}
	before = gsl_set_error_handler_off(); /* the library then returns NULL instead of ending the process */
	err = taken || r.n < 2 ? -ERANGE : 0;
	for (size_t k = 0; k < r.nparameters && !err; k++) {
		struct levels *l = &r.levels[k];

		l->values = calloc(r.n, sizeof(*l->values));
		err = l->values ? 0 : -ENOMEM;
		for (size_t i = 0; i < r.n && !err; i++) {
			double value = r.rows[i]->point.values[k];

			if (level_of(l, value) == l->n)
				l->values[l->n++] = value;
		}
		if (err)
			break;
		gsl_sort(l->values, 1, l->n);
		l->column = column;
		column += l->n - 1;
		several += l->n > 1;
	}
	if (!err)
		err = several < 2 ? -ERANGE : build_model(&r, &r.full, ALL);
	for (size_t k = 0; k < r.nparameters && !err; k++)
		err = build_model(&r, &r.without[k], k);
	if (!err) {
		r.y = gsl_vector_alloc(r.n);
		r.work = gsl_vector_alloc(r.n);
		r.draws = calloc(2 * r.nparameters * SWEEP_RANK_DRAWS, sizeof(*r.draws));
		err = r.y && r.work && r.draws ? rank(&r, out) : -ENOMEM;
	}
	gsl_set_error_handler(before);
	for (size_t k = 0; k <= r.nparameters; k++) {
		struct model *m = k < r.nparameters ? &r.without[k] : &r.full;

		gsl_matrix_free(m->qr);
		gsl_vector_free(m->tau);
		gsl_permutation_free(m->p);
		free(k < r.nparameters ? r.levels[k].values : NULL);
	}
	gsl_vector_free(r.y);
	gsl_vector_free(r.work);
	free(r.draws);
	free(r.rows);
	return err;
}
