/* explain.h - measured ns beside exact counts */
#ifndef REPORTS_EXPLAIN_EXPLAIN_H
#define REPORTS_EXPLAIN_EXPLAIN_H

#include "perfparse/perfparse.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/compare.h"
#include "reports/exact/exact.h"

/*
 * explain_fit - measured costs as a sum of counts: ns = Σ a[t]·x[t] + rest, with no a below 0
 *
 * units: ns per packet, counts per packet; coefficients in ns per count
 * law:   the coefficients minimise r'·V⁻¹·r with r = ns - model, over all that are not negative. V holds the variance
 *        that sampling gives a cost of the fitted size (the variance of the measured size would give a function that
 *        was sampled too seldom by chance too much weight), the covariances of costs that add up to one base, the
 *        error of the base, and the spread of functions about the model. The spread makes the minimum equal to its
 *        degrees of freedom; it is 0 where sampling alone explains the misfit. Everything is deterministic
 * src:   weights: Paule and Mandel, J. Res. Nat. Bur. Stand. 87, 1982. Intervals: profile likelihood, Venzon and
 *        Moolgavkar, Applied Statistics 37, 1988, with Student's t for the quantile. Variance of a share: Wilson, JASA
 *        22, 1927
 *
 * Why profile likelihood and not a bootstrap: only a handful of functions have transferred lines. A bootstrap over
 * functions would often draw none of them. The profile also treats a coefficient at its bound of 0 correctly.
 */

#define EXPLAIN_POINTS 5

/* Terms that cannot be told apart from those before them are left out. */
enum explain_term { EXPLAIN_INSTRUCTIONS, EXPLAIN_TRANSFERS, EXPLAIN_CALLS, EXPLAIN_TERMS };

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

/*
 * explain - measured ns of each function beside its exact counts: ns = a·instructions + b·transfers + c·calls + rest
 *
 * units: ns, instructions, transferred lines of 64 bytes and calls, all per packet; a, b and c in ns for each of them.
 *        A call is what calling the function and returning from it take beside their instructions: where the kernel
 *        returns through thunks (srso, rethunk) or flushes, much more than where it does not
 * law:   of each variant, by_ns of all terms + rest + not_counted + unattributed == its base, to rounding;
 *        the same holds for differences. A function that is in the counts and has no sample costs 0 ns with the
 *        error of a cost that was not seen. A function that was measured and not counted is outside of the fit
 * src:   explain_fit.h
 *
 * Instructions of a function are those per packet, and those per poll divided by the measured packets per poll. What a
 * wakeup costs is left out: a receiver under load has none.
 */

struct explain_row {
	const char *name, *component;
	const struct analysis_variant *variant;
	double ns, half_ns;       /* measured; half_ns: of the 95 % interval */
	double x[EXPLAIN_TERMS];  /* instructions, transfers and calls; NaN: not counted */
	double model_ns, rest_ns; /* NaN: not counted */
	double model_half_ns;     /* 95 of 100 functions are not farther from model_ns */
	bool fits;                /* rest_ns is within model_half_ns, or the function was not counted */
};

/* Where the ns of a variant, or of a difference, come from. */
struct explain_parts {
	double ns, half_ns; /* the base, or the difference measured */
	double x[EXPLAIN_TERMS];
	double by_ns[EXPLAIN_TERMS], by_ci95[EXPLAIN_TERMS][2]; /* 0 and NaN of a term that is left out */
	double rest_ns, not_counted_ns, unattributed_ns;
};

struct explain_variant {
	const struct analysis_variant *measured;
	const struct exact_variant *counted;
	struct explain_row *rows; /* most ns first */
	size_t nrows;
	struct explain_parts parts;
};

struct explain_difference {
	const char *name; /* "drop/no-touch": skb less native */
	const struct explain_variant *native, *skb;
	struct explain_parts parts;
};

/* What the change to another kernel's counts costs at the fitted ns: a forecast, which nobody has measured. */
struct explain_change {
	const struct explain_variant *variant;
	double x[EXPLAIN_TERMS]; /* changes per packet; NaN: one of both did not count them */
	double ns, half_ns;      /* of the 95 % intervals of what one of each costs */
};

struct explain {
	const struct analysis *measured;
	const struct exact *counted;
	struct explain_variant *variants;
	size_t nvariants;
	struct explain_difference *differences;
	size_t ndifferences;
	const struct exact *to;         /* the other kernel's counts; NULL: none */
	struct explain_change *changes; /* of variants that it has, too */
	size_t nchanges;
	struct explain_fit fit;
	bool transfers;      /* the exact run counted them */
	double ping_pong_ns; /* a line from CPU to CPU, one way, measured beside the run; NaN: not known */
	const struct explain_row **misfits; /* functions that do not fit, largest rest first */
	size_t nmisfits, npoints;
	/* private */
	struct overview overview;
};

/* only: a variant of the measured run; NULL: all that both runs have. */
int explain_build(struct explain *e, const struct analysis *a, const struct analysis_variant *only,
		  const struct exact *counted, const struct symkeys *keys, struct diag *d);
/* Fills e->changes. -ENOENT: the other counts have none of the variants. */
int explain_forecast(struct explain *e, const struct exact *to, struct diag *d);
void explain_release(struct explain *e); /* may be called twice */

#endif
