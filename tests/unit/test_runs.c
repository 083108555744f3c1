// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The difference of two variants by several runs of each: how often the truth is in its interval, and how often like
 * runs raise an alarm. A base has a level of its own in each run (2 % of scatter); both variants of a run share half of
 * its variance. Seeds are fixed, so the counts are the same everywhere.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include "reports/compare/compare.h"
#include "tests/unit/unit.h"

#define TRIALS 4000

static gsl_rng *rng;

/* Percent of the trials in which the interval holds the truth. */
static double coverage(size_t nbase, size_t nnew, double base_ns, double new_ns, bool paired)
{
	double base[COMPARE_MAX_RUNS], new[COMPARE_MAX_RUNS], inside = 0;

	gsl_rng_set(rng, 7);
	for (int trial = 0; trial < TRIALS; trial++) {
		struct compare_runs r;

		for (size_t i = 0; i < nbase || i < nnew; i++) {
			double all = 0.0141 * gsl_ran_ugaussian(rng);

			base[i] = base_ns * exp(all + 0.0141 * gsl_ran_ugaussian(rng));
			all = paired ? all : 0.0141 * gsl_ran_ugaussian(rng);
			new[i] = new_ns *exp(all + 0.0141 * gsl_ran_ugaussian(rng));
		}
		r = compare_runs_of(base, nbase, new, nnew, paired);
		inside += fabs(r.delta_ns - (new_ns - base_ns)) <= r.half_ns;
		assert_int_equal(r.p<0.05, fabs(r.delta_ns)> r.half_ns);
	}
	return 100 * inside / TRIALS;
}

static void holds(double pct)
{
	double chance = 3 * sqrt(95 * 5.0 / TRIALS);

	assert_true(pct >= 95 - chance && pct <= 95 + chance);
}

/* Of like variants, what is outside is an alarm: 5 in 100. */
static void test_coverage(void **state)
{
	holds(coverage(3, 3, 70, 70, false));
	holds(coverage(2, 2, 70, 70, false));
	holds(coverage(5, 1, 70, 70, false)); /* many runs before, one after */
	holds(coverage(3, 3, 70, 170, false));
	holds(coverage(4, 4, 70, 170, true));
}

static void test_numbers(void **state)
{
	static const double base[] = {100, 102, 98}, new[] = {110, 113, 107};
	struct compare_runs r = compare_runs_of(base, 3, new, 3, true);
	char words[320];

	assert_true(r.paired && isnan(r.sd_pct));
	assert_true(fabs(r.delta_ns - 10) < 1e-12);
	/* differences 10, 11, 9: sd 1, t(2) = 4.3027 */
	assert_true(fabs(r.half_ns - 4.3027 / sqrt(3)) < 1e-3);
	r = compare_runs_of(base, 3, new, 3, false);
	assert_true(fabs(r.delta_ns - 10) < 1e-12 && fabs(r.base_ns - 100) < 1e-12);
	/* logs scatter by 0.02000 and 0.02728: pooled 0.02392; t(4) = 2.7764 */
	assert_true(fabs(r.sd_pct - 2.392) < 0.002);
	assert_true(fabs(r.half_ns - 2.7764 * 0.02392 * sqrt((100 * 100 + 110 * 110) / 3.0)) < 0.01);
	assert_true(fabs(r.ci95_ns[0] - 10 + r.half_ns) < 1e-9 && fabs(r.ci95_ns[1] - 10 - r.half_ns) < 1e-9);
	assert_non_null(strstr(compare_runs_words(&r, words, sizeof(words)), "3 and 3 runs: 100.0 and 110.0 ns"));
	assert_non_null(strstr(words, "2.4 %"));
	r = compare_runs_of(base, 1, new, 1, false); /* one run a side says nothing about runs */
	assert_true(isnan(r.half_ns) && isnan(r.sd_pct));
	r = compare_runs_of(base, 1, new, 1, true);
	assert_true(isnan(r.half_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage), cmocka_unit_test(test_numbers)};
	int failed;

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		return 1;
	failed = cmocka_run_group_tests_name("runs", tests, NULL, NULL);
	gsl_rng_free(rng);
	return failed;
}
