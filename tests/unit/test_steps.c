// SPDX-License-Identifier: GPL-2.0-or-later
/* Levels of a series, by simulation: how often there is a change where there is none, and how well one is found. */
#include "base/base.h"
#include "reports/history/history.h"
#include "tests/unit/unit.h"

#define MOST   400
#define SERIES 400 /* of each kind */

static uint64_t seed = 36;

static double uniform(void)
{
	return ((double)random_below(&seed, 1 << 30) + 0.5) / (1 << 30);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Tails of Student's t with 3 degrees of freedom, at a standard deviation of 1. */
static double heavy(void)
{
	double a = normal(), b = normal(), c = normal(), z = normal();

	return z / sqrt(a * a + b * b + c * c);
}

static size_t at[MOST];
static double x[MOST], sd[MOST];

/* n values of which those from each place on are higher by so much more. */
static int found(size_t n, double (*noise)(void), double said, size_t least, size_t place, double step)
{
	for (size_t i = 0; i < n; i++) {
		x[i] = 100 + noise() + (place && i >= place ? step : 0);
		sd[i] = said;
	}
	return steps_find(x, sd, n, least, at);
}

static void alarms(size_t n, double (*noise)(void), double said, size_t least, double limit)
{
	int all = 0;

	for (int i = 0; i < SERIES; i++)
		all += found(n, noise, said, least, 0, 0) > 0;
	print_message("%zu values: %d of %d\n", n, all, SERIES);
	assert_true(all <= limit * SERIES);
}

/* 0.05, and 2.5 standard deviations of 400 draws more: 0.077. */
static void test_alarms(void **state)
{
	alarms(4, normal, 1, 1, 0.077);
	alarms(10, normal, 1, 1, 0.077);
	alarms(50, normal, 1, 1, 0.077);
	alarms(400, normal, 1, 1, 0.077);
	alarms(50, normal, 1, 2, 0.077);
	/* Runs that scatter three times as much as they say; and heavy tails. */
	alarms(30, normal, 1.0 / 3, 2, 0.077);
	alarms(200, normal, 1.0 / 3, 2, 0.077);
	alarms(50, heavy, 1, 2, 0.17);
}

static void test_steps(void **state)
{
	int right = 0, near = 0, several = 0;

	for (int i = 0; i < SERIES; i++) {
		int n = found(40, normal, 1, 2, 25, 4);

		right += n == 1 && at[0] == 25;
		near += n == 1 && at[0] >= 24 && at[0] <= 26;
		/* There and back. */
		for (size_t k = 32; k < 40; k++)
			x[k] -= 8;
		n = steps_find(x, sd, 40, 2, at);
		several += n == 2 && labs((long)at[0] - 25) <= 1 && labs((long)at[1] - 32) <= 1;
	}
	print_message("4 sd at value 25 of 40: %d right, %d within one, both of two %d, of %d\n", right, near, several,
		      SERIES);
	assert_true(right >= 0.9 * SERIES && near >= 0.97 * SERIES && several >= 0.95 * SERIES);
}

static void test_edges(void **state)
{
	const double alike[] = {5, 5, 5, 5, 5, 5, 5, 5}, more[] = {5, 5, 5, 5, 5, 5, 5, 6};
	const double large[] = {1e9, 1e9, 1e9 + 1, 1e9 + 1};
	double small[8];

	for (int i = 0; i < 8; i++)
		small[i] = 0.001;
	assert_int_equal(steps_find(alike, small, 0, 1, at), 0);
	assert_int_equal(steps_find(alike, small, 1, 1, at), 0);
	assert_int_equal(steps_find(alike, small, 8, 1, at), 0);
	/* The last value alone is a level where one may be so short. */
	assert_int_equal(steps_find(more, small, 8, 1, at), 1);
	assert_int_equal(at[0], 7);
	assert_int_equal(steps_find(more, small, 8, 2, at), 1);
	assert_int_equal(at[0], 6);
	assert_int_equal(steps_find(large, small, 4, 1, at), 1);
	assert_int_equal(at[0], 2);
	assert_int_equal(steps_find(more + 6, small, 2, 1, at), 1);
	assert_int_equal(steps_find(more + 6, small, 2, 2, at), 0);
}

/* The level after a change ends where the next one begins. */
static void test_changes(void **state)
{
	struct history_row rows[12];
	struct history_list l = {.rows = rows, .nrows = 12};
	struct history_change *changes;
	size_t n;

	for (int i = 0; i < 12; i++)
		rows[i] = (struct history_row){
			.kind = HISTORY_EXACT, .run = i + 1, .cost = 100 * (i / 4 + 1), .half = 1, .reference_ns = NAN};
	assert_int_equal(history_changes(&l, &changes, &n), 0);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(changes[i].first->run, 5 + 4 * i);
		assert_true(changes[i].before == 100 * (i + 1.0) && changes[i].after == 100 * (i + 2.0));
		assert_true(changes[i].runs_before == 4 && changes[i].runs_after == 4);
	}
	free(changes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alarms),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
