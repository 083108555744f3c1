/*
 * explain_fit - measured costs as a sum of counts: ns = a·x[0] + b·x[1] + rest, with a and b not below 0
 *
 * in:    one point for each function and variant: its measured cost, how well it was sampled, and its counts
 * out:   the coefficients with their 95 % intervals, and the spread of functions about the model
 * units: ns per packet, counts per packet; coefficients in ns per count
 * law:   the coefficients minimise r'·V⁻¹·r with r = ns - model, over all that are not negative. V holds the variance
 *        that sampling gives a cost of the fitted size (the variance of the measured size would give a function that
 *        was sampled too seldom by chance too much weight), the covariances of costs that add up to one base, the
 *        error of the base, and the spread of functions about the model. The spread makes the minimum equal to its
 *        degrees of freedom; it is 0 where sampling alone explains the misfit. Everything is deterministic
 * error: -ENODATA: fewer than EXPLAIN_POINTS points, or no point has a count
 * src:   weights: Paule and Mandel, J. Res. Nat. Bur. Stand. 87, 1982. Intervals: profile likelihood, Venzon and
 *        Moolgavkar, Applied Statistics 37, 1988, with Student's t for the quantile. Variance of a share: Wilson, JASA
 *        22, 1927
 *
 * Why profile likelihood and not a bootstrap: only a handful of functions have transferred lines. A bootstrap over
 * functions would often draw none of them. The profile also treats a coefficient at its bound of 0 correctly.
 */
#ifndef REPORTS_EXPLAIN_FIT_H
#define REPORTS_EXPLAIN_FIT_H

#include <stdbool.h>
#include <stddef.h>

#define EXPLAIN_POINTS 5

enum explain_term { EXPLAIN_INSTRUCTIONS, EXPLAIN_TRANSFERS, EXPLAIN_TERMS };

struct explain_point {
	double ns, x[EXPLAIN_TERMS];
	size_t variant;        /* the points of one variant stand together */
	double base_ns, n_eff; /* of the variant: the cost of a packet, and what the samples are worth */
	double base_error;     /* standard error of base_ns, relative to base_ns */
};

struct explain_coefficient {
	double value, ci95[2]; /* NaN: the points cannot tell */
};

struct explain_fit {
	struct explain_coefficient terms[EXPLAIN_TERMS];
	double spread_ns; /* standard deviation of a function about the model, beside its sampling error */
	size_t npoints;
};

/* transfers: x[EXPLAIN_TRANSFERS] is known in all points; else the term is left out and its coefficient NaN. */
int explain_fit(struct explain_fit *f, const struct explain_point *points, size_t n, bool transfers);

double explain_model(const struct explain_fit *f, const struct explain_point *p);
/* Standard deviation of a point about the model: sampling of the fitted cost, and spread. */
double explain_sd(const struct explain_fit *f, const struct explain_point *p);

#endif
