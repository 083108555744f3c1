/*
 * stats - intervals and tests for numbers that come in blocks
 *
 * in:    arrays of plain numbers, borrowed; at least the count each function names
 * out:   by value or into the caller's memory; NaN where there are too few values to say anything
 * units: those of the input; probabilities and shares are 0..1, never percent
 * law:   two-sided, 95 %; a difference is always second minus first
 * error: none; nothing allocates but the functions that return 0 / -ENOMEM
 * src:   t quantiles, medians: GNU Scientific Library
 *        t interval: Student, "The Probable Error of a Mean", Biometrika 6, 1908
 *        unequal variances: Welch, Biometrika 34, 1947; degrees of freedom: Satterthwaite, 1946
 *        shares: Wilson, JASA 22, 1927
 *        unseen: Hanley and Lippman-Hand, JAMA 249, 1983 ("rule of three")
 *        false discoveries: Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995
 *        design effect: Kish, "Survey Sampling", 1965, section 8.2
 *        modified z: Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stddef.h>

#define STATS_Z95 1.959963984540054 /* two-sided 95 % of the normal distribution */

/* t such that 95 % of Student's distribution with df degrees of freedom lies within -t .. t. */
double stats_t95(double df);

/* Mean of n values; half: the interval is mean -+ half, t(n-1)·sd/sqrt(n), NaN for n < 2. */
struct stats_mean {
	size_t n;
	double mean, sd, half;
};
struct stats_mean stats_mean(const double *x, size_t n);

/*
 * Mean of b minus mean of a; p of "no difference". Two constant samples: p is 1 when they are equal
 * and 0 when not.
 *     se² = sa²/na + sb²/nb      df = se⁴ / ((sa²/na)²/(na-1) + (sb²/nb)²/(nb-1))
 */
struct stats_difference {
	double delta, se, df, t, p, half;
};
struct stats_difference stats_welch(const double *a, size_t na, const double *b, size_t nb);

/* Mean of b[i] - a[i]: df = n - 1. */
struct stats_difference stats_paired(const double *a, const double *b, size_t n);

/* The same difference when its standard error is known to be at least se: t, p and half follow. */
struct stats_difference stats_widen(struct stats_difference d, double se);

/* p[] -> q[], the lowest false discovery rate at which each is a discovery. NaN: not a test. */
int stats_benjamini_hochberg(const double *p, double *q, size_t n);

/*
 * Score interval of share p seen in n samples (n may be a corrected, fractional count):
 * (p + z²/2n -+ z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n). Never outside 0..1.
 */
void stats_wilson(double p, double n, double ci[2]);

/* The largest share that would stay unseen in n samples once in twenty times: 3/n, at most 1. */
double stats_unseen(double n);

/*
 * How much less the samples say than as many independent ones: the variance of the shares between
 * blocks, divided by what binomial sampling alone would give, p(1-p)·mean(1/n_b); both summed over
 * all rows (symbols), as one row has too few blocks to say. share[row * nblocks + block];
 * samples[block]. At least 1; n_eff = n / design effect.
 */
double stats_design_effect(const double *share, size_t nrows, const double *samples, size_t nblocks);

/*
 * Standard error of a cost c = p·base, relative to c: sqrt((1-p)/(p·n_eff) + (se_base/base)²).
 * p = 0: infinite (an unseen symbol has a bound, stats_unseen(), and no error).
 */
double stats_cost_error(double p, double n_eff, double base_error);

double stats_median(double *x, size_t n); /* sorts x; NaN of none */

/* 0.6745·(x - median)/MAD of each value; 0 for all when more than half of them are equal. An
 * outlier is beyond 3.5. */
#define STATS_OUTLIER 3.5
int stats_modified_z(const double *x, size_t n, double *z);

/*
 * Is a series of windows steady? Values y at times x, in groups (blocks) that each have a level of
 * their own but share a slope: ordinary least squares after taking group means off, df = n - groups
 * - 1. lag1: autocorrelation of successive values in a group, after taking group means off (Box and
 * Jenkins' estimate, products over squares). A group is a run of equal numbers.
 */
struct stats_trend {
	double slope, se, df, p; /* p of "slope is 0" */
	double lag1;
};
int stats_trend(const double *x, const double *y, const size_t *group, size_t n, struct stats_trend *out);

#endif
