// SPDX-License-Identifier: GPL-2.0-or-later
/* The random numbers are those of the formula, so that a seed gives the same order on every machine. */
#include "base/base.h"
#include "tests/unit/unit.h"

/* The state that the paper gives as an example; its followers worked out in Python, whose integers have no end. */
static void test_numbers(void **state)
{
	uint64_t random = 88172645463325252;

	assert_int_equal(random_below(&random, SIZE_MAX), 8748534153485358512ULL);
	assert_int_equal(random_below(&random, SIZE_MAX), 3040900993826735515ULL);
	assert_int_equal(random_below(&random, 1000), 312); /* of 3453997556048239312 */
	assert_int_equal(random_below(&random, 3), 16431732851926010853ULL % 3);
	assert_true(random == 16431732851926010853ULL);
}

static void test_below(void **state)
{
	uint64_t random = 1;
	size_t seen[5] = {0};

	for (int i = 0; i < 5000; i++) {
		size_t k = random_below(&random, 5);

		assert_true(k < 5);
		seen[k]++;
	}
	for (int i = 0; i < 5; i++) /* 1000, give or take five standard deviations of 28 */
		assert_in_range(seen[i], 860, 1140);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
