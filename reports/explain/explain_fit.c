// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/explain/explain.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/base.h"

#define ROUNDS  50  /* of weights that follow from fitted costs */
#define HALVING 200 /* of an interval: more than a double has digits */
/* Counts whose columns differ by less than this share of their length cannot be separated. */
#define SEPARATE 1e-6

/* The weighted sums that the sum of squares is made of. */
struct sums {
	double xx, xz, zz, xy, zy, yy;
};

struct problem {
	const struct explain_point *points;
	size_t n;
	bool transfers;
	double at[EXPLAIN_TERMS]; /* the coefficients that the sampling errors follow from */
};

/* The variance of a sampled cost whose true size is ns, in a base that is known; Wilson's: a cost of 0 has one too. */
static double sampling_variance(const struct explain_point *p, double ns)
{
	double share = fmin(fmax(ns / p->base_ns, 0), 1), n = fmax(p->n_eff, 1), z = STATS_Z95 * STATS_Z95;
	double sd = p->base_ns * sqrt(share * (1 - share) / n + z / (4 * n * n)) / (1 + z / n);

	return sd * sd;
}

static double model(const double a[EXPLAIN_TERMS], const struct explain_point *p, bool transfers)
{
	return a[EXPLAIN_INSTRUCTIONS] * p->x[EXPLAIN_INSTRUCTIONS] +
	       (transfers ? a[EXPLAIN_TRANSFERS] * p->x[EXPLAIN_TRANSFERS] : 0);
}

/*
 * The variance of one variant's points is D + k·c·c', with fitted costs c and k = (error of the base)² - 1/n: costs
 * that are sampled together take from each other, and share the error of their base. By Sherman and Morrison, the
 * inverse is W - w·W·c·c'·W, with W = 1/D and w = k / (1 + k·c'·W·c). Returns w; c'·W·v for v = x, z and y go to cv.
 */
static double shared(const struct problem *pr, size_t from, size_t to, double spread2, double cv[3], struct sums *s)
{
	double k = pr->points[from].base_error * pr->points[from].base_error - 1 / fmax(pr->points[from].n_eff, 1);
	double cc = 0;

	for (size_t i = from; i < to; i++) {
		const struct explain_point *p = &pr->points[i];
		double x = p->x[EXPLAIN_INSTRUCTIONS], z = pr->transfers ? p->x[EXPLAIN_TRANSFERS] : 0;
		double c = fmin(model(pr->at, p, pr->transfers), p->base_ns);
		double w = 1 / (sampling_variance(p, c) + c * c / fmax(p->n_eff, 1) + spread2);

		cc += w * c * c;
		cv[0] += w * c * x;
		cv[1] += w * c * z;
		cv[2] += w * c * p->ns;
		s->xx += w * x * x;
		s->xz += w * x * z;
		s->zz += w * z * z;
		s->xy += w * x * p->ns;
		s->zy += w * z * p->ns;
		s->yy += w * p->ns * p->ns;
	}
	/* The fitted costs may add up to more than the base; a variance is never negative. */
	return k / fmax(1 + k * cc, 1e-3);
}

static struct sums sums_of(const struct problem *pr, double spread2)
{
	struct sums s = {0};

	for (size_t from = 0, to; from < pr->n; from = to) {
		double cv[3] = {0}, w;

		for (to = from; to < pr->n && pr->points[to].variant == pr->points[from].variant; to++)
			;
		w = shared(pr, from, to, spread2, cv, &s);
		s.xx -= w * cv[0] * cv[0];
		s.xz -= w * cv[0] * cv[1];
		s.zz -= w * cv[1] * cv[1];
		s.xy -= w * cv[0] * cv[2];
		s.zy -= w * cv[1] * cv[2];
		s.yy -= w * cv[2] * cv[2];
	}
	return s;
}

static double squares(const struct sums *s, double a, double b)
{
	return s->yy - 2 * (a * s->xy + b * s->zy) + a * a * s->xx + 2 * a * b * s->xz + b * b * s->zz;
}

static bool separate(const struct sums *s)
{
	return s->zz > 0 && s->xx > 0 && s->xx * s->zz - s->xz * s->xz > SEPARATE * s->xx * s->zz;
}

/* The best coefficient of one term when the other one is given. */
static double best_other(double xy, double cross, double square, double given)
{
	return square > 0 ? fmax(0, (xy - cross * given) / square) : 0;
}

/* Both terms free if neither is negative, else one of them at 0: with two terms, these are all cases. */
static void solve(const struct sums *s, double a[EXPLAIN_TERMS])
{
	double det = s->xx * s->zz - s->xz * s->xz;
	double alone[2] = {best_other(s->xy, 0, s->xx, 0), best_other(s->zy, 0, s->zz, 0)};

	a[0] = alone[0];
	a[1] = 0;
	if (!separate(s))
		return;
	a[0] = (s->xy * s->zz - s->zy * s->xz) / det;
	a[1] = (s->zy * s->xx - s->xy * s->xz) / det;
	if (a[0] >= 0 && a[1] >= 0)
		return;
	if (squares(s, alone[0], 0) <= squares(s, 0, alone[1])) {
		a[0] = alone[0];
		a[1] = 0;
	} else {
		a[0] = 0;
		a[1] = alone[1];
	}
}

static double misfit(const struct problem *pr, double spread2)
{
	struct sums s = sums_of(pr, spread2);
	double a[EXPLAIN_TERMS];

	solve(&s, a);
	return squares(&s, a[0], a[1]);
}

/* The spread at which the sum of squares is its degrees of freedom. The sum falls as the spread grows. */
static double spread2_of(const struct problem *pr, double df)
{
	double low = 0, high = 0;

	if (misfit(pr, 0) <= df)
		return 0;
	for (size_t i = 0; i < pr->n; i++)
		high += pr->points[i].ns * pr->points[i].ns;
	for (int i = 0; i < HALVING; i++) {
		double mid = (low + high) / 2;

		if (misfit(pr, mid) > df)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* The least sum of squares when one coefficient has this value. */
static double profile(const struct sums *s, int term, double value)
{
	if (term == EXPLAIN_INSTRUCTIONS)
		return squares(s, value, best_other(s->zy, s->xz, s->zz, value));
	return squares(s, best_other(s->xy, s->xz, s->xx, value), value);
}

/* Where the profile crosses limit between inside, which is below limit, and outside. */
static double crossing(const struct sums *s, int term, double limit, double inside, double outside)
{
	for (int i = 0; i < HALVING && fabs(outside - inside) > 1e-12 * fabs(outside + inside); i++) {
		double mid = (inside + outside) / 2;

		if (profile(s, term, mid) > limit)
			outside = mid;
		else
			inside = mid;
	}
	return inside;
}

static void interval(struct explain_coefficient *c, const struct sums *s, int term, double limit)
{
	double square = term == EXPLAIN_INSTRUCTIONS ? s->xx : s->zz;
	double outside = c->value + 1 / sqrt(square);

	while (profile(s, term, outside) <= limit)
		outside = c->value + 2 * (outside - c->value);
	c->ci95[1] = crossing(s, term, limit, c->value, outside);
	c->ci95[0] = profile(s, term, 0) <= limit ? 0 : crossing(s, term, limit, c->value, 0);
}

static void unknown(struct explain_coefficient *c)
{
	*c = (struct explain_coefficient){NAN, {NAN, NAN}};
}

int explain_fit(struct explain_fit *f, const struct explain_point *points, size_t n, bool transfers)
{
	struct problem pr = {.points = points, .n = n, .transfers = transfers};
	double spread2 = 0, limit, df;
	struct sums s;
	int nterms;

	memset(f, 0, sizeof(*f));
	f->npoints = n;
	unknown(&f->terms[EXPLAIN_INSTRUCTIONS]);
	unknown(&f->terms[EXPLAIN_TRANSFERS]);
	s = sums_of(&pr, 1);
	if (n < EXPLAIN_POINTS || !(s.xx > 0))
		return -ENODATA;
	pr.transfers = transfers && separate(&s);
	nterms = pr.transfers ? 2 : 1;
	df = (double)n - nterms;
	for (int i = 0; i < ROUNDS; i++) {
		double before[EXPLAIN_TERMS];

		memcpy(before, pr.at, sizeof(before));
		spread2 = spread2_of(&pr, df);
		s = sums_of(&pr, spread2);
		solve(&s, pr.at);
		if (fabs(pr.at[0] - before[0]) + fabs(pr.at[1] - before[1]) < 1e-12 * (pr.at[0] + pr.at[1]))
			break;
	}
	s = sums_of(&pr, spread2);
	limit = squares(&s, pr.at[0], pr.at[1]) + stats_t95(df) * stats_t95(df);
	f->spread_ns = sqrt(spread2);
	for (int t = 0; t < nterms; t++) {
		f->terms[t].value = pr.at[t];
		interval(&f->terms[t], &s, t, limit);
	}
	return 0;
}

double explain_model(const struct explain_fit *f, const struct explain_point *p)
{
	double a[EXPLAIN_TERMS] = {f->terms[EXPLAIN_INSTRUCTIONS].value, f->terms[EXPLAIN_TRANSFERS].value};

	return model(a, p, !isnan(a[EXPLAIN_TRANSFERS]));
}

double explain_sd(const struct explain_fit *f, const struct explain_point *p)
{
	double ns = explain_model(f, p), base = ns * p->base_error;

	return sqrt(sampling_variance(p, ns) + base * base + f->spread_ns * f->spread_ns);
}
