// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics against published tables and examples, and against sums done by hand in the comments.
 */
#include "base/base.h"
#include "tests/unit/unit.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Student's sleep data (1908), as R ships it in datasets::sleep; results as printed by R's
 * t.test().
 */
static const double drug1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double drug2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

/* Two-sided 95 % points of the t table in any textbook. */
static void test_t95(void **state)
{
	near_to(stats_t95(1), 12.706, 5e-4);
	near_to(stats_t95(5), 2.571, 5e-4);
	near_to(stats_t95(11), 2.201, 5e-4);
	near_to(stats_t95(120), 1.980, 5e-4);
	assert_true(isnan(stats_t95(0)));
}

/* R: t.test(drug1): mean 0.75, 95 percent confidence interval -0.5297804 2.0297804. */
static void test_mean(void **state)
{
	struct stats_mean m = stats_mean(drug1, LEN(drug1));

	near_to(m.mean, 0.75, 1e-12);
	near_to(m.sd, 1.789010, 1e-6);
	near_to(m.mean - m.half, -0.5297804, 1e-7);
	m = stats_mean(drug1, 1);
	assert_true(isnan(m.half) && m.mean == 0.7);
	assert_true(isnan(stats_mean(NULL, 0).mean));
}

/*
 * R: t.test(drug2, drug1): t = 1.8608, df = 17.776, p-value = 0.07939, interval
 * -0.2054832 3.3654832.
 */
static void test_welch(void **state)
{
	struct stats_difference d = stats_welch(drug1, LEN(drug1), drug2, LEN(drug2));

	near_to(d.delta, 1.58, 1e-12);
	near_to(d.t, 1.8608, 5e-5);
	near_to(d.df, 17.776, 5e-4);
	near_to(d.p, 0.07939, 5e-6);
	near_to(d.delta + d.half, 3.3654832, 1e-7);
	assert_true(isnan(stats_welch(drug1, 1, drug2, 10).p));
}

static void test_welch_of_constants(void **state)
{
	static const double zero[] = {0, 0, 0}, two[] = {2, 2, 2}, some[] = {1, 2, 3};
	struct stats_difference d;

	assert_true(stats_welch(zero, 3, zero, 3).p == 1);
	d = stats_welch(zero, 3, two, 3);
	assert_true(d.p == 0 && d.half == 0 && d.delta == 2);
	/*
	 * One side constant: all of the error, and the degrees of freedom, are the other's: t =
	 * 2/(1/sqrt(3)), df 2.
	 */
	d = stats_welch(zero, 3, some, 3);
	near_to(d.t, 3.4641016, 1e-7);
	near_to(d.df, 2, 1e-12);
}

/*
 * R: t.test(drug2, drug1, paired = TRUE): t = 4.0621, df = 9, p-value = 0.002833,
 * 0.7001142 2.4598858.
 */
static void test_paired(void **state)
{
	struct stats_difference d = stats_paired(drug1, drug2, LEN(drug1));

	near_to(d.t, 4.0621, 5e-5);
	near_to(d.p, 0.002833, 5e-7);
	near_to(d.delta - d.half, 0.7001142, 1e-7);
	near_to(d.delta + d.half, 2.4598858, 1e-7);
}

/*
 * A known se of 1.0 beside 0.388961 at df 9: t = 1.58, half = 1.959964 (normal), p = 0.1141 (two tails of the normal
 * distribution at 1.58). A known se of 0.4 is larger than 0.388961, but 1.96·0.4 < 2.262·0.389.
 */
static void test_widen(void **state)
{
	struct stats_difference d = stats_paired(drug1, drug2, LEN(drug1));

	near_to(stats_widen(d, 0.1).half, d.half, 0);
	near_to(stats_widen(d, NAN).half, d.half, 0);
	near_to(stats_widen(d, 0.4).half, d.half, 0);
	d = stats_widen(d, 1);
	near_to(d.t, 1.58, 1e-12);
	near_to(d.half, 1.959964, 1e-6);
	near_to(d.p, 0.1141, 1e-4);
}

/*
 * The fifteen comparisons of Benjamini and Hochberg (1995), section 4.1: at 0.05 four are
 * discoveries. By hand: q4 = 0.0095·15/4, q5 = 0.0201·15/5, q6 = q7 = 0.0298·15/7 (smaller than
 * 0.0278·15/6), q15 = 1.
 */
static void test_benjamini_hochberg(void **state)
{
	/* as published, but out of order, with a row that is no test in the middle */
	static const double p[] = {0.3240, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, NAN,
				   0.0298, 0.0344, 0.0459, 1.0000, 0.4262, 0.5719, 0.6528, 0.7590};
	double q[LEN(p)];
	int discoveries = 0;

	assert_int_equal(stats_benjamini_hochberg(p, q, LEN(p)), 0);
	for (size_t i = 0; i < LEN(p); i++)
		discoveries += q[i] < 0.05;
	assert_int_equal(discoveries, 4);
	near_to(q[1], 0.0015, 1e-12);
	near_to(q[4], 0.035625, 1e-12);
	near_to(q[5], 0.0603, 1e-12);
	near_to(q[6], 0.0638571, 1e-7);
	near_to(q[8], 0.0638571, 1e-7);
	near_to(q[11], 1, 0);
	assert_true(isnan(q[7]));
	assert_int_equal(stats_benjamini_hochberg(NULL, NULL, 0), 0);
}

/*
 * Newcombe, "Two-sided confidence intervals for the single proportion", Stat. Med. 17, 1998, table
 * I, method 3.
 */
static void test_wilson(void **state)
{
	static const struct {
		double seen, n, lo, hi;
	} published[] = {
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0.0000, 0.1611},
		{1, 29, 0.0061, 0.1718},
	};
	double ci[2];

	for (size_t i = 0; i < LEN(published); i++) {
		stats_wilson(published[i].seen / published[i].n, published[i].n, ci);
		near_to(ci[0], published[i].lo, 5e-5);
		near_to(ci[1], published[i].hi, 5e-5);
	}
	stats_wilson(1, 20, ci);
	near_to(ci[0], 1 - 0.1611, 5e-5);
	assert_true(ci[1] == 1);
	stats_wilson(0.5, 0, ci);
	assert_true(isnan(ci[0]));
}

static void test_unseen(void **state)
{
	near_to(stats_unseen(1500), 0.002, 1e-15);
	near_to(stats_unseen(2), 1, 0);
}

/*
 * Four blocks of 100 samples, shares 0.1 0.2 0.3 0.4: mean 0.25, variance (2·0.15² + 2·0.05²)/3 =
 * 0.0166667, binomial 0.25·0.75/100 = 0.001875: 8.8889. With a second row 0.5 0.5 0.5 0.5 (variance
 * 0, binomial 0.0025): 0.0166667/0.004375 = 3.8095. Steadier than chance counts as 1.
 */
/* Pairs that differ by the same each time leave no doubt, and pairs that do not differ no difference. */
static void test_pairs_that_differ_alike(void **state)
{
	const double a[] = {1, 2, 4}, b[] = {3, 4, 6};
	struct stats_difference d = stats_paired(a, b, 3);

	assert_true(isinf(d.t) && d.t > 0 && d.p == 0 && d.half == 0 && d.delta == 2);
	d = stats_paired(b, a, 3);
	assert_true(isinf(d.t) && d.t < 0 && d.p == 0 && d.half == 0 && d.delta == -2);
	d = stats_paired(a, a, 3);
	assert_true(d.t == 0 && d.p == 1 && d.half == 0 && d.delta == 0);
}

static void test_design_effect(void **state)
{
	static const double share[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5};
	static const double samples[] = {100, 100, 100, 100};

	near_to(stats_design_effect(share, 1, samples, 4), 8.8889, 1e-4);
	near_to(stats_design_effect(share, 2, samples, 4), 3.8095, 1e-4);
	near_to(stats_design_effect(share + 4, 1, samples, 4), 1, 0);
	near_to(stats_design_effect(share, 1, samples, 1), 1, 0);
	/* two blocks are enough: 0.1 and 0.3 scatter by 0.02, 100 samples of 0.2 by 0.0016 */
	near_to(stats_design_effect((const double[]){0.1, 0.3}, 1, (const double[]){100, 100}, 2), 12.5, 1e-9);
}

/* p 0.1 of 1000 samples, base known to 1 %: sqrt(0.9/100 + 0.0001) = sqrt(0.0091) = 0.0953939. */
static void test_cost_error(void **state)
{
	near_to(stats_cost_error(0.1, 1000, 0.01), 0.0953939, 1e-7);
	near_to(stats_cost_error(1, 1000, 0.01), 0.01, 1e-12);
	assert_true(isinf(stats_cost_error(0, 1000, 0.01)));
}

/*
 * 2.1 2.6 2.4 2.5 2.3 2.1 2.3 2.6 8.2 8.3: median 2.45, distances sorted .05 .05 .15 .15 .15 .15
 * .35 .35 5.75 5.85, MAD 0.15: z(8.2) = 0.6745·5.75/0.15 = 25.8558, z(2.1) = -1.5738.
 */
static void test_modified_z(void **state)
{
	static const double x[] = {2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3};
	static const double same[] = {5, 5, 5, 9};
	double z[LEN(x)];

	assert_int_equal(stats_modified_z(x, LEN(x), z), 0);
	near_to(z[8], 25.8558, 1e-4);
	near_to(z[0], -1.5738, 1e-4);
	assert_int_equal(stats_modified_z(same, LEN(same), z), 0);
	assert_true(z[3] == 0);
}

/*
 * Anscombe's first set (1973): slope 0.5001, its standard error 0.1179, p = 0.00217 with 9 degrees
 * of freedom. Shifting a second copy of it by 100 in another group changes neither slope; df 22 - 2
 * - 1.
 */
static void test_trend(void **state)
{
	static const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5, 10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
	double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
		      8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
	static const size_t group[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	struct stats_trend t;

	assert_int_equal(stats_trend(x, y, group, 11, &t), 0);
	near_to(t.slope, 0.5001, 5e-5);
	near_to(t.se, 0.1179, 5e-5);
	near_to(t.df, 9, 0);
	near_to(t.p, 0.00217, 5e-6);
	for (size_t i = 11; i < 22; i++)
		y[i] += 100;
	assert_int_equal(stats_trend(x, y, group, 22, &t), 0);
	near_to(t.slope, 0.5001, 5e-5);
	near_to(t.df, 19, 0);
}

/*
 * 1 2 3 4 5: squares 4+1+0+1+4 = 10, products 2+0+0+2 = 4. Two such groups: the step between them
 * does not count.
 */
static void test_lag1(void **state)
{
	static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, y[] = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5};
	static const size_t group[] = {0, 0, 0, 0, 0, 7, 7, 7, 7, 7};
	struct stats_trend t;

	assert_int_equal(stats_trend(x, y, group, 5, &t), 0);
	near_to(t.lag1, 0.4, 1e-12);
	assert_int_equal(stats_trend(x, y, group, 10, &t), 0);
	near_to(t.lag1, 0.4, 1e-12);
	assert_int_equal(stats_trend(x, y, group, 1, &t), 0);
	assert_true(isnan(t.slope) && isnan(t.lag1));
}

/* By hand: differences 1, -3, 1, 4 of 1 2 -1 0 4: 27 / 8 / 5 = 0.675; df = 32/11, t = 3.243 (t table). */
static void test_series(void **state)
{
	static const double x[] = {1, 2, -1, 0, 4}, slope[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct stats_mean m = stats_series(x, LEN(x));

	near_to(m.mean, 1.2, 1e-12);
	near_to(m.half, stats_t95(32.0 / 11) * sqrt(0.675), 1e-12);
	near_to(stats_t95(32.0 / 11), 3.24, 0.02);
	/* a movement of the level is in the mean, and hardly in its error: 7 / 14 / 8 against 6 / 8 */
	m = stats_series(slope, LEN(slope));
	near_to(m.half / stats_t95(98.0 / 20), sqrt(0.0625), 1e-12);
	near_to(m.sd, sqrt(6), 1e-12);
	assert_true(isnan(stats_series(x, 1).half) && isnan(stats_series(x, 0).mean));
}

/*
 * Ten values, two cut off at each end: 3 4 5 6 7 8 remain, mean 5.5. Winsorized 3 3 3 4 5 6 7 8 8 8: mean 5.5, squares
 * 42.5, sd² = 4.7222; se = sqrt(4.7222 · 9 / (6 · 5)) = 1.19024, df = 5.
 */
static void test_trimmed(void **state)
{
	static const double x[] = {100, 1, 7, 3, 5, 8, 4, 6, 2, 90};
	struct stats_difference d;
	bool keep[LEN(x)], heavy;
	size_t kept = 0;

	assert_int_equal(stats_trimmed(x, LEN(x), &d), 0);
	near_to(d.delta, 5.5, 1e-12);
	near_to(d.se, 1.19024, 1e-5);
	near_to(d.df, 5, 0);
	near_to(d.half, 2.570582 * 1.19024, 1e-4);
	assert_int_equal(stats_trim(x, LEN(x), keep), 0);
	for (size_t i = 0; i < LEN(x); i++) {
		kept += keep[i];
		assert_int_equal(keep[i], x[i] >= 3 && x[i] <= 8);
	}
	assert_int_equal(kept, 6);
	assert_int_equal(stats_heavy(x, LEN(x), &heavy), 0);
	assert_true(heavy);
	assert_int_equal(stats_heavy(drug1, LEN(drug1), &heavy), 0);
	assert_false(heavy);
	assert_int_equal(stats_heavy(x, 5, &heavy), 0); /* too few to tell */
	assert_false(heavy);
}

/* Like exposures: all k events on one side have the chance 2 / 2^k. Ten to one: 2 / 11^k for the small one. */
static void test_none_by_chance(void **state)
{
	near_to(stats_none_by_chance(8, 5, 5), 2.0 / 256, 1e-12);
	near_to(stats_none_by_chance(3, 1, 10), 2.0 / 1331, 1e-12);
	near_to(stats_none_by_chance(3, 10, 1), 1, 0);
	near_to(stats_none_by_chance(0, 1, 1), 1, 0);
}

/* One place is 10 dearer than the other: what is left is the error of four means, 6 to 9, of 7.5. */
static void test_rotate(void **state)
{
	static const size_t rotation[] = {0, 0, 1, 1, 2, 2, 3, 3}, each[] = {0, 1, 2, 3, 4, 5};
	double x[] = {1, 11, 2, 12, 3, 13, 4, 14}, means[] = {6, 7, 8, 9};
	struct stats_mean m;

	assert_true(stats_rotate(x, rotation, 6) == 0); /* three rotations are too few */
	assert_true(stats_rotate(x, each, 6) == 0);
	assert_true(x[0] == 1 && x[5] == 13);
	assert_true(stats_rotate(x, rotation, 8) == 4);
	m = stats_mean(x, 8);
	near_to(m.mean, 7.5, 1e-12);
	near_to(m.sd / sqrt(8), stats_mean(means, 4).sd / sqrt(4), 1e-12);
}

/* The mean stays where the last rotation was cut short. */
static void test_rotate_cut(void **state)
{
	static const size_t rotation[] = {0, 0, 1, 1, 2, 2, 3};
	double x[] = {1, 11, 2, 12, 3, 13, 4};

	assert_true(stats_rotate(x, rotation, 7) == 3);
	near_to(stats_mean(x, 7).mean, 46.0 / 7, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rotate),
		cmocka_unit_test(test_rotate_cut),
		cmocka_unit_test(test_t95),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_welch),
		cmocka_unit_test(test_welch_of_constants),
		cmocka_unit_test(test_paired),
		cmocka_unit_test(test_widen),
		cmocka_unit_test(test_benjamini_hochberg),
		cmocka_unit_test(test_wilson),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_pairs_that_differ_alike),
		cmocka_unit_test(test_design_effect),
		cmocka_unit_test(test_cost_error),
		cmocka_unit_test(test_modified_z),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_lag1),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_none_by_chance),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
