// SPDX-License-Identifier: GPL-2.0-or-later
/* How often to sample: what the budget allows, what intervals need, and different primes from round to round. */
#include "base/base.h"
#include "user/record/record.h"
#include "tests/unit/unit.h"

static void close_to(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-9 * fabs(b));
}

static void test_affordable(void **state)
{
	close_to(sampling_affordable_hz(20000, 4), 2000);
	close_to(sampling_affordable_hz(61000, 1), 1e7 / 61000);
	close_to(sampling_affordable_hz(1e9, 4), SAMPLING_LOWEST);
	close_to(sampling_affordable_hz(100, 4), SAMPLING_HIGHEST);
	close_to(sampling_affordable_hz(0, 4), SAMPLING_HIGHEST);
	close_to(sampling_affordable_hz(-5, 4), SAMPLING_HIGHEST);
}

/* The rate is right when, after the time, half of the interval of the part is a tenth of it. */
static void test_needed(void **state)
{
	struct sampling_seen seen[] = {
		{.samples = 4000, .effect = 1, .part = 0.2},
		{.samples = 1000, .effect = 1.5, .part = 0.05},
		{.samples = 10, .effect = 1, .part = 0},
	};
	double hz = sampling_needed_hz(seen, 3, 10, 500, 60), after = 1000 * (hz / 500) * (60 / 10.0) / 1.5;

	close_to(STATS_Z95 * sqrt(0.05 * 0.95 / after), 0.1 * 0.05);
	seen[1].effect = 3;
	close_to(sampling_needed_hz(seen, 3, 10, 500, 60), 2 * hz);
	close_to(sampling_needed_hz(seen, 3, 20, 500, 60), 4 * hz);
	close_to(sampling_needed_hz(seen, 3, 10, 500, 30), 4 * hz);
	close_to(sampling_needed_hz(seen, 3, 10, 250, 60), hz);
	seen[0].part = seen[1].part = 0;
	assert_true(sampling_needed_hz(seen, 3, 10, 500, 60) == 0);
	assert_true(sampling_needed_hz(seen, 0, 10, 500, 60) == 0);
}

/* At 500 Hz, 1 % is 20 us a sample. The budget is 4 %. */
static void test_cost(void **state)
{
	close_to(sampling_cost_ns(125000, 2, 0.9, 500, 4), 40000); /* known */
	close_to(sampling_cost_ns(125000, 0.2, 1.3, 500, 4),
		 30000); /* too much was assumed: it cannot be more than that */
	close_to(sampling_cost_ns(10000, 3, 1.5, 500, 4), 30000); /* too little */
	close_to(sampling_cost_ns(0, 3, 1.5, 500, 4), 30000);
	close_to(sampling_cost_ns(25000, 1.5, 1.2, 500, 4), 25000); /* it may be so */
	close_to(sampling_cost_ns(25000, NAN, NAN, 500, 4), 25000);
	close_to(sampling_cost_ns(25000, 3, NAN, 500, 4), 25000);
	close_to(sampling_cost_ns(25000, -2, 1.5, 500, 4), 0); /* samples cost nothing that could be seen */
}

static void test_next(void **state)
{
	close_to(sampling_next_hz(1000, 700, 2000), 700);   /* what is needed */
	close_to(sampling_next_hz(1000, 1500, 1200), 1200); /* within the budget */
	close_to(sampling_next_hz(1000, 0, 1200), 1200);    /* nobody knows what is needed */
	close_to(sampling_next_hz(1000, 100, 2000), 500);   /* not at one go */
	close_to(sampling_next_hz(1000, 9000, 3900), 2000);
	close_to(sampling_next_hz(150, 10, 2000), SAMPLING_LOWEST);
}

static bool prime(int n)
{
	for (int i = 2; i < n; i++)
		if (n % i == 0)
			return false;
	return n > 1;
}

static int coprime(int a, int b)
{
	return b ? coprime(b, a % b) : a == 1;
}

/* For any target: primes near it, at least two of them, and none twice before all have been. */
static void test_rounds(void **state)
{
	for (double target = SAMPLING_LOWEST; target <= SAMPLING_HIGHEST; target = target * 1.01 + 0.3) {
		int rates[SAMPLING_HIGHEST], distinct = 0, last = 0, hz = sampling_round_hz(target, 0);

		do {
			assert_true(prime(hz) && hz >= target * 11 / 12 && hz <= target * 13 / 12);
			assert_true(coprime(hz, last) || !last);
			for (int k = 0; k < distinct; k++)
				assert_int_not_equal(rates[k], hz);
			rates[distinct++] = last = hz;
			hz = sampling_round_hz(target, distinct);
		} while (hz != rates[0]);
		assert_true(distinct >= 2);
		for (int i = 0; i < distinct; i++)
			assert_int_equal(rates[i], sampling_round_hz(target, i + 3 * distinct));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_affordable), cmocka_unit_test(test_needed), cmocka_unit_test(test_cost),
		cmocka_unit_test(test_next),       cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
