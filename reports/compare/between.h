/*
 * between - how much the base of a variant differs from run to run, and what that makes of a difference of two runs
 *
 * in:    bases of several runs of the same variants; or a standard deviation that the user knows; or nothing
 * out:   struct between, by value; a headline with a wider interval
 * units: percent of the base: the standard deviation of one run's base
 * law:   the interval of a difference of two runs is never narrower than that of their blocks. Of known runs, the
 *        larger one of both errors counts, because the scatter of runs has that of their blocks in it; an assumed
 *        deviation is added in quadrature
 * error: none
 * src:   the assumed 2 %: one machine, another day, boot and build each time (docs/measuring.rst)
 */
#ifndef REPORTS_BETWEEN_H
#define REPORTS_BETWEEN_H

#include <stddef.h>

struct compare_headline;

#define BETWEEN_ASSUMED_PCT 2
#define BETWEEN_RUNS        3 /* that a standard deviation needs */

/* BETWEEN_SIDES: measured too, by the runs that are compared (runs.h) */
enum between_source { BETWEEN_ASSUMED, BETWEEN_GIVEN, BETWEEN_MEASURED, BETWEEN_SIDES };

struct between {
	enum between_source source;
	double sd_pct;
	size_t runs; /* BETWEEN_MEASURED, BETWEEN_SIDES: degrees of freedom + 1 */
};

/* given_pct: < 0 for not given. */
struct between between_default(double given_pct);

/*
 * From n bases, of variant[i] each, in the order of variants: the deviations from the mean of each variant, together.
 * Its degrees of freedom are those of the runs, because all variants of a run may move together. Fewer than
 * BETWEEN_RUNS runs: otherwise is returned.
 */
struct between between_fit(const double *base_ns, const char *const *variant, size_t n, struct between otherwise);

/* The interval and p of the difference of two runs. */
void between_widen(struct compare_headline *h, const struct between *b);

/*
 * Half of the 95 % interval of the difference of two variants of one run, for runs in general: each of the two bases
 * moves by itself from run to run. ns; NAN where the difference has no interval.
 */
double between_half(const struct compare_headline *h, const struct between *b);

/* "2 % of the base from run to run (standard deviation), assumed" */
const char *between_words(const struct between *b, char *buf, size_t size);

#endif
