// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/explain/explain.h"

#define ROUNDS  50  /* of weights that follow from fitted costs */
#define HALVING 200 /* of an interval: more than a double has digits */
/* Counts whose columns differ by less than this share of their length cannot be separated. */
#define SEPARATE 1e-6

#define NS EXPLAIN_TERMS /* the place of what was measured, behind the terms */

/* The weighted products that the sum of squares is made of: of terms with terms, and with what was measured. */
struct sums {
	double of[EXPLAIN_TERMS + 1][EXPLAIN_TERMS + 1];
};

struct problem {
	const struct explain_point *points;
	size_t n;
	unsigned int terms;       /* bits: these can be told apart */
	double at[EXPLAIN_TERMS]; /* the coefficients that the sampling errors follow from */
};

/* The variance of a sampled cost whose true size is ns, in a base that is known; Wilson's: a cost of 0 has one too. */
static double sampling_variance(const struct explain_point *p, double ns)
{
	double share = fmin(fmax(ns / p->base_ns, 0), 1), n = fmax(p->n_eff, 1), z = STATS_Z95 * STATS_Z95;
	double sd = p->base_ns * sqrt(share * (1 - share) / n + z / (4 * n * n)) / (1 + z / n);

	return sd * sd;
}

static double model(const double a[EXPLAIN_TERMS], const struct explain_point *p)
{
	double ns = 0;

	for (int t = 0; t < EXPLAIN_TERMS; t++)
		ns += a[t] > 0 ? a[t] * p->x[t] : 0;
	return ns;
}

static struct sums sums_of(const struct problem *pr, double spread2)
{
	struct sums s = {0};

	for (size_t from = 0, to; from < pr->n; from = to) {
		for (to = from; to < pr->n && pr->points[to].variant == pr->points[from].variant; to++)
			;
		/*
		 * The variance of one variant's points is D + k·c·c', with fitted costs c and k = (error of the
		 * base)² - 1/n: costs that are sampled together take from each other, and share the error of their
		 * base. By Sherman and Morrison, the inverse is W - w·W·c·c'·W, with W = 1/D and w = k / (1 +
		 * k·c'·W·c).
		 */
		double k =
			pr->points[from].base_error * pr->points[from].base_error - 1 / fmax(pr->points[from].n_eff, 1);
		double cc = 0, cv[EXPLAIN_TERMS + 1] = {0}, shared;
		for (size_t i = from; i < to; i++) {
			const struct explain_point *p = &pr->points[i];
			double c = fmin(model(pr->at, p), p->base_ns);
			double w = 1 / (sampling_variance(p, c) + c * c / fmax(p->n_eff, 1) + spread2);
			double v[EXPLAIN_TERMS + 1] = {[NS] = p->ns};

			for (int t = 0; t < EXPLAIN_TERMS; t++)
				v[t] = pr->terms & 1U << t ? p->x[t] : 0;
			cc += w * c * c;
			for (int t = 0; t <= NS; t++) {
				cv[t] += w * c * v[t];
				for (int u = 0; u <= NS; u++)
					s.of[t][u] += w * v[t] * v[u];
			}
		}
		/* The fitted costs may add up to more than the base; a variance is never negative. */
		shared = k / fmax(1 + k * cc, 1e-3);
		for (int t = 0; t <= NS; t++)
			for (int u = 0; u <= NS; u++)
				s.of[t][u] -= shared * cv[t] * cv[u];
	}
	return s;
}

static double squares(const struct sums *s, const double a[EXPLAIN_TERMS])
{
	double sum = s->of[NS][NS];

	for (int t = 0; t < EXPLAIN_TERMS; t++) {
		sum -= 2 * a[t] * s->of[t][NS];
		for (int u = 0; u < EXPLAIN_TERMS; u++)
			sum += a[t] * a[u] * s->of[t][u];
	}
	return sum;
}

/* By Gauss: a with of[terms][terms]·a == right. false: the terms depend on each other. */
static bool solve(const struct sums *s, unsigned int terms, const double right[EXPLAIN_TERMS], double a[EXPLAIN_TERMS])
{
	double m[EXPLAIN_TERMS][EXPLAIN_TERMS + 1];

	for (int t = 0; t < EXPLAIN_TERMS; t++)
		for (int u = 0; u <= NS; u++)
			m[t][u] = u == NS ? right[t] : s->of[t][u];
	for (int t = 0; t < EXPLAIN_TERMS; t++) {
		if (!(terms & 1U << t))
			continue;
		if (!(m[t][t] > SEPARATE * s->of[t][t]))
			return false;
		for (int r = 0; r < EXPLAIN_TERMS; r++) {
			double factor = m[r][t] / m[t][t];

			for (int u = 0; r != t && u <= NS; u++)
				m[r][u] -= factor * m[t][u];
		}
	}
	for (int t = 0; t < EXPLAIN_TERMS; t++)
		a[t] = terms & 1U << t ? m[t][NS] / m[t][t] : 0;
	return true;
}

/*
 * The least sum of squares over coefficients of these terms that are not negative, while the term "fixed" has this
 * value (-1: none is fixed). With so few terms every set of terms that are above 0 is tried.
 */
static double least(const struct sums *s, unsigned int terms, int fixed, double value, double best[EXPLAIN_TERMS])
{
	double lowest = INFINITY, a[EXPLAIN_TERMS], right[EXPLAIN_TERMS];

	if (fixed >= 0)
		terms &= ~(1U << fixed);
	for (int t = 0; t < EXPLAIN_TERMS; t++)
		right[t] = s->of[t][NS] - (fixed >= 0 ? value * s->of[t][fixed] : 0);
	for (unsigned int set = 0; set < 1U << EXPLAIN_TERMS; set++) {
		bool holds = !(set & ~terms) && solve(s, set, right, a);

		for (int t = 0; t < EXPLAIN_TERMS && holds; t++)
			holds = a[t] >= 0;
		if (!holds)
			continue;
		if (fixed >= 0)
			a[fixed] = value;
		if (squares(s, a) < lowest) {
			lowest = squares(s, a);
			memcpy(best, a, sizeof(a));
		}
	}
	return lowest;
}

static double misfit(const struct problem *pr, double spread2)
{
	struct sums s = sums_of(pr, spread2);
	double a[EXPLAIN_TERMS];

	return least(&s, pr->terms, -1, 0, a);
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

/* Where the least sum of squares crosses limit between inside, which is below limit, and outside. */
static double crossing(const struct sums *s, unsigned int terms, int term, double limit, double inside, double outside)
{
	double a[EXPLAIN_TERMS];

	for (int i = 0; i < HALVING && fabs(outside - inside) > 1e-12 * fabs(outside + inside); i++) {
		double mid = (inside + outside) / 2;

		if (least(s, terms, term, mid, a) > limit)
			outside = mid;
		else
			inside = mid;
	}
	return inside;
}

static void interval(struct explain_coefficient *c, const struct sums *s, unsigned int terms, int term, double limit)
{
	double outside = c->value + 1 / sqrt(s->of[term][term]), a[EXPLAIN_TERMS];

	while (least(s, terms, term, outside, a) <= limit)
		outside = c->value + 2 * (outside - c->value);
	c->ci95[1] = crossing(s, terms, term, limit, c->value, outside);
	c->ci95[0] = least(s, terms, term, 0, a) <= limit ? 0 : crossing(s, terms, term, limit, c->value, 0);
}

int explain_fit(struct explain_fit *f, const struct explain_point *points, size_t n, bool transfers)
{
	struct problem pr = {.points = points, .n = n, .terms = (1U << EXPLAIN_TERMS) - 1};
	double spread2 = 0, limit, df, none[EXPLAIN_TERMS] = {0}, a[EXPLAIN_TERMS];
	struct sums s;

	memset(f, 0, sizeof(*f));
	f->npoints = n;
	for (int t = 0; t < EXPLAIN_TERMS; t++)
		f->terms[t] = (struct explain_coefficient){NAN, {NAN, NAN}};
	if (!transfers)
		pr.terms &= ~(1U << EXPLAIN_TRANSFERS);
	s = sums_of(&pr, 1);
	if (n < EXPLAIN_POINTS || !(s.of[EXPLAIN_INSTRUCTIONS][EXPLAIN_INSTRUCTIONS] > 0))
		return -ENODATA;
	/* The first of terms that depend on each other stay. */
	for (unsigned int t = 0, known = pr.terms; t < EXPLAIN_TERMS; t++) {
		pr.terms = t ? pr.terms : 0;
		if (known & 1U << t && solve(&s, pr.terms | 1U << t, none, a))
			pr.terms |= 1U << t;
	}
	df = (double)n - __builtin_popcount(pr.terms);
	for (int i = 0; i < ROUNDS; i++) {
		double before[EXPLAIN_TERMS], moved = 0, sum = 0;

		memcpy(before, pr.at, sizeof(before));
		spread2 = spread2_of(&pr, df);
		s = sums_of(&pr, spread2);
		least(&s, pr.terms, -1, 0, pr.at);
		for (int t = 0; t < EXPLAIN_TERMS; t++) {
			moved += fabs(pr.at[t] - before[t]);
			sum += pr.at[t];
		}
		if (moved < 1e-12 * sum)
			break;
	}
	s = sums_of(&pr, spread2);
	limit = squares(&s, pr.at) + stats_t95(df) * stats_t95(df);
	f->spread_ns = sqrt(spread2);
	for (int t = 0; t < EXPLAIN_TERMS; t++)
		if (pr.terms & 1U << t) {
			f->terms[t].value = pr.at[t];
			interval(&f->terms[t], &s, pr.terms, t, limit);
		}
	return 0;
}

double explain_model(const struct explain_fit *f, const struct explain_point *p)
{
	double a[EXPLAIN_TERMS];

	for (int t = 0; t < EXPLAIN_TERMS; t++)
		a[t] = isnan(f->terms[t].value) ? 0 : f->terms[t].value;
	return model(a, p);
}

double explain_sd(const struct explain_fit *f, const struct explain_point *p)
{
	double ns = explain_model(f, p), base = ns * p->base_error;

	return sqrt(sampling_variance(p, ns) + base * base + f->spread_ns * f->spread_ns);
}
