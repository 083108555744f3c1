/*
 * between - how much the base of a variant differs from run to run, and what that makes of a difference of two runs
 *
 * in:    bases of several runs of the same variants; or a standard deviation that the user knows; or nothing
 * out:   struct between, by value; a headline with a wider interval; how two runs come to one speed
 * units: percent of the base: the standard deviation of one run's base
 * law:   the interval of a difference of two runs is never narrower than that of their blocks. Of known runs, the
 *        larger one of both errors counts, because the scatter of runs has that of their blocks in it; an assumed
 *        deviation is added in quadrature
 * error: none
 * src:   the assumed 2 %: one machine, another day, boot and build each time. Where the generator is the ruler, speeds
 *        are taken out and the same is left: 18 runs of 15 s with drawn places, 1.9 and 1.5 % with their own errors;
 *        two pairs of runs of other hours differed by 0.3 to 2.7 % (docs/figures.rst)
 *
 * One speed: two runs of the view "work" have a ruler (speed.h), and with R and R' what it takes in both, costs of the
 * first one times (R'/R)^(k/2) and costs of the second one times (R/R')^(k'/2) are at the speed in the middle. The
 * ratio is that of the two variants that are compared, where both runs have them, else of all that both have: what the
 * generator takes depends on the variant, too.
 */
#ifndef REPORTS_BETWEEN_H
#define REPORTS_BETWEEN_H

#include <stdbool.h>
#include <stddef.h>

struct analysis_variant;
struct compare_headline;
struct run;

#define BETWEEN_ASSUMED_PCT 2
#define BETWEEN_RUNS        3 /* that a standard deviation needs */

/* BETWEEN_SIDES: measured too, by the runs that are compared (runs.h) */
enum between_source { BETWEEN_ASSUMED, BETWEEN_GIVEN, BETWEEN_MEASURED, BETWEEN_SIDES };

struct between {
	enum between_source source;
	double sd_pct;
	size_t runs; /* BETWEEN_MEASURED, BETWEEN_SIDES: degrees of freedom + 1 */
};

struct between_ruler {
	bool known;    /* two runs, both have a ruler, their loads are alike, and so are their rulers */
	double slower; /* logarithm of the ruler's time in the new run over that in the base run */
	double at[2];  /* what costs of base and new are multiplied by; 1 where it is not known */
	double error;  /* relative standard error of one cost over the other that this leaves */
	double apart;  /* the part of the half-width that is the slopes' */
};

struct between_ruler between_find_ruler(const struct analysis_variant *base, const struct analysis_variant *new);
/* The base of v at the speed of the run that `like` is of; its own where there is no ruler. */
double between_base_like(const struct analysis_variant *v, const struct analysis_variant *like);
/*
 * Whether the generator can be the ruler of both runs; else words has why not: "64 and 256 bytes a frame".
 * LOADS_OF_OTHER_CODE: the same frames by another kernel, build of it, version or machine, and nobody knows whether
 * they cost the generator the same
 */
enum between_load { LOADS_ALIKE, LOADS_OF_OTHER_CODE, LOADS_UNLIKE };
enum between_load between_loads(const struct run *base, const struct run *new, char *words, size_t size);

/*
 * The least and the most of how many times as long the generator took for a frame in the new run, over the variants of
 * both runs. A machine that is slower slows the generator alike beside all of them. Where these are
 * BETWEEN_RULERS_APART times apart, other work was in its time in one of the runs, and it is no ruler: false. NaN, and
 * true: no variant is in both, or there is no ruler
 */
#define BETWEEN_RULERS_APART 1.1
bool between_rulers_agree(const struct analysis_variant *base, const struct analysis_variant *new, double ratio[2]);

/* given_pct: < 0 for not given. */
struct between between_default(double given_pct);

bool between_other_machine(const struct run *base, const struct run *new); /* both are known, and are not one */

/*
 * From n bases, of variant[i] each, in the order of variants: the deviations from the mean of each variant, together.
 * Its degrees of freedom are those of the runs, because all variants of a run may move together. Fewer than
 * BETWEEN_RUNS runs: otherwise is returned.
 */
struct between between_fit(const double *base_ns, const char *const *variant, size_t n, struct between otherwise);

/* The interval and p of the difference of two runs. */
void between_widen(struct compare_headline *h, const struct between *b);

/*
 * Half of the 95 % interval in which another run like this one finds the difference of two variants of one run: each of
 * the two bases moves by itself from run to run, and both runs have their errors. ns; NAN where the difference has no
 * interval.
 */
double between_another_half(const struct compare_headline *h, const struct between *b);

/* "2 % of the base from run to run (standard deviation), assumed" */
const char *between_words(const struct between *b, char *buf, size_t size);

#endif
