/*
 * stats - intervals and tests for numbers that come in blocks
 *
 * in:    arrays of plain numbers, borrowed; at least as many as each function names
 * out:   by value or into the caller's memory; NaN where there are too few values for a result
 * units: those of the input; probabilities and shares are 0..1, never percent
 * law:   two-sided, 95 %; a difference is always second minus first
 * error: none; only the functions that return 0 / -ENOMEM allocate memory
 * src:   t quantiles, medians: GNU Scientific Library
 *        t interval: Student, "The Probable Error of a Mean", Biometrika 6, 1908
 *        unequal variances: Welch, Biometrika 34, 1947; degrees of freedom: Satterthwaite, 1946
 *        shares: Wilson, JASA 22, 1927
 *        unseen: Hanley and Lippman-Hand, JAMA 249, 1983 ("rule of three")
 *        false discoveries: Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995
 *        design effect: Kish, "Survey Sampling", 1965, section 8.2
 *        successive differences: von Neumann, Ann. Math. Stat. 12, 1941; for samples in order: Wolter, JASA 79, 1984
 *        trimmed means: Tukey and McLaughlin, Sankhya A 25, 1963; Yuen, Biometrika 61, 1974
 *        a count against none: Przyborowski and Wilenski, Biometrika 31, 1940
 *        modified z: Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define STATS_Z95 1.959963984540054 /* two-sided 95 % of the normal distribution */

/* t such that 95 % of Student's distribution with df degrees of freedom lies within -t .. t. */
double stats_t95(double df);

/* The same for all but the part alpha of the distribution. */
double stats_t(double df, double alpha);

/* Mean of n values. The interval is mean -+ half, with half = t(n-1)·sd/sqrt(n); half is NaN for n < 2. */
struct stats_mean {
	size_t n;
	double mean, sd, half;
};
struct stats_mean stats_mean(const double *x, size_t n);

/*
 * delta: mean of b minus mean of a; p: probability of a difference at least as large if there is none. Of two constant
 * samples p is 1 when they are equal, and 0 when they differ.
 *     se² = sa²/na + sb²/nb      df = se⁴ / ((sa²/na)²/(na-1) + (sb²/nb)²/(nb-1))
 */
struct stats_difference {
	double delta, se, df, t, p, half;
};
struct stats_difference stats_welch(const double *a, size_t na, const double *b, size_t nb);

/*
 * Returns the one of n estimates of one number whose interval is farthest from 0. half is that of intervals of which
 * all hold together but in the part alpha (Bonferroni). Estimates without an error are left out; if none is left, delta
 * and half are NaN.
 */
struct stats_difference stats_farthest(const struct stats_difference *estimates, size_t n, double alpha);

/* delta: mean of b[i] - a[i]; df = n - 1. */
struct stats_difference stats_paired(const double *a, const double *b, size_t n);

/* t, p and half from delta, se and df. */
struct stats_difference stats_test(struct stats_difference d);

/*
 * The same difference where a known standard error se (of counting, not estimated from few values) is a lower bound:
 * the interval is the wider one of t(df)·d.se and z·se, and p is the larger one of the two.
 */
struct stats_difference stats_widen(struct stats_difference d, double se);

/*
 * Mean of a series in the order of time, whose level may move slowly while the series runs. Its error comes from
 * successive differences: var = sum (x[i+1] - x[i])² / 2(n-1), with 2(n-1)²/(3n-4) degrees of freedom. A slow movement
 * is in the mean, because the series samples all of it, and is no error of the mean. sd is that of all values, with the
 * movement.
 */
struct stats_mean stats_series(const double *x, size_t n);

/*
 * Values that were taken in rotations: x[i] in rotation[i], which do not fall. What moves values to and fro within a
 * rotation is made no scatter: all values of one become alike, and so far from the mean of all, which stays as it is,
 * that the error of the mean is that of the rotations' means. Returns the degrees of freedom that are lost: n less the
 * number of rotations; 0: there are fewer than STATS_ROTATIONS, or each has one value, and nothing is changed.
 */
#define STATS_ROTATIONS 4
double stats_rotate(double *x, const size_t *rotation, size_t n);

/*
 * Has the sample heavy tails: is any modified z beyond STATS_HEAVY? False for fewer than STATS_TAIL values. At
 * STATS_OUTLIER, one normal sample of 12 in ten would be heavy, and trimming those costs a percent of coverage.
 */
#define STATS_TAIL  6
#define STATS_HEAVY 5
int stats_heavy(const double *x, size_t n, bool *heavy);

/* keep[i]: x[i] is not among the STATS_TRIM·n smallest, nor among the STATS_TRIM·n largest. Returns 0 or -ENOMEM. */
#define STATS_TRIM 0.2
int stats_trim(const double *x, size_t n, bool *keep);
/* The trimmed mean as delta; its error from the winsorized values, df = kept - 1. 0 or -ENOMEM. */
int stats_trimmed(const double *x, size_t n, struct stats_difference *out);

/*
 * p of "both have the same rate", for count events in an exposure and none in another one: twice the chance that all of
 * the events fall into the first. At most 1.
 */
double stats_none_by_chance(double count, double exposure, double other);

/* p[] -> q[]: the lowest false discovery rate at which each test counts as a discovery. A NaN in p is not a test. */
int stats_benjamini_hochberg(const double *p, double *q, size_t n);

/*
 * Score interval of share p seen in n samples (n may be a corrected, fractional count):
 * (p + z²/2n -+ z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n). Never outside 0..1.
 */
void stats_wilson(double p, double n, double ci[2]);

/* The largest share that has a chance of 1 in 20 to be in none of n samples: 3/n, at most 1. */
double stats_unseen(double n);

/*
 * The design effect: the variance of the shares between blocks, divided by the variance p(1-p)·mean(1/n_b) that
 * independent samples would have. Both variances are summed over all rows (symbols), because the few blocks of one row
 * are not enough. At least 1. The samples are worth n_eff = n / design effect independent samples.
 * share[row * nblocks + block]; samples[block].
 */
double stats_design_effect(const double *share, size_t nrows, const double *samples, size_t nblocks);

/*
 * Standard error of a cost c = p·base, relative to c: sqrt((1-p)/(p·n_eff) + (se_base/base)²).
 * For p = 0 the error is infinite: an unseen symbol has a bound, stats_unseen(), instead of an error.
 */
double stats_cost_error(double p, double n_eff, double base_error);

double stats_median(double *x, size_t n); /* moves the values of x about; NaN for n == 0 */

/* 0.6745·(x - median)/MAD of each value; 0 for all when more than half of the values are equal. */
#define STATS_OUTLIER 3.5 /* a value is an outlier when its |z| is larger */
int stats_modified_z(const double *x, size_t n, double *z);

/*
 * Is a series of windows steady? y[i] is the value at time x[i]. Each group (block) has a level of its own, and
 * all groups share one slope: ordinary least squares after the mean of each group is subtracted, df = n - groups - 1.
 * lag1: autocorrelation of successive values in a group, with the mean of the group subtracted (Box and Jenkins'
 * estimate: sum of products over sum of squares). A group is a run of equal numbers in group[].
 */
struct stats_trend {
	double slope, se, df, p; /* p of "slope is 0" */
	double lag1;
};
int stats_trend(const double *x, const double *y, const size_t *group, size_t n, struct stats_trend *out);

#endif
