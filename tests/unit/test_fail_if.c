// SPDX-License-Identifier: GPL-2.0-or-later
/* When a comparison fails: only beyond the whole interval, in each unit and direction; never at the limit itself. */
#include "reports/compare/compare.h"
#include "tests/unit/unit.h"

static struct fail_if parsed(const char *words)
{
	struct fail_if f;

	assert_int_equal(fail_if_parse(&f, words, NULL), 0);
	return f;
}

static bool fails(const char *words, double base, double low, double high)
{
	struct compare_headline h = {.base_ns = base, .delta_ns = (low + high) / 2, .ci95_ns = {low, high}};
	struct fail_if f = parsed(words);
	char why[200] = "";
	bool failed = fail_if_measured(&f, &h, why, sizeof(why));

	assert_int_equal(failed, why[0] != 0);
	return failed;
}

static void test_words(void **state)
{
	static const char *const bad[] = {
		"",           "slower",     "slower=",    "faster=2%",     "slower=2",
		"slower=-2%", "slower=2 %", "slower=2%%", "slower=nan%",   "different=1e999ns",
		"slower=2us", "Slower=2%",  "slower=2%,", "different2%=2%"};
	struct diag d = {};
	struct fail_if f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(fail_if_parse(&f, bad[i], &d), -EINVAL);
		assert_non_null(strstr(d.text, "write slower=LIMIT"));
	}
	f = parsed("different=2.5instructions");
	assert_true(f.given && f.either_way && f.limit == 2.5 && f.unit == FAIL_INSTRUCTIONS);
	assert_int_equal(fail_if_fits(&f, true, NULL), 0);
	assert_int_equal(fail_if_fits(&f, false, NULL), -EINVAL);
	f = parsed("slower=3ns");
	assert_int_equal(fail_if_fits(&f, false, NULL), 0);
	assert_int_equal(fail_if_fits(&f, true, NULL), -EINVAL);
	f = parsed("slower=3%");
	assert_true(!fail_if_fits(&f, false, NULL) && !fail_if_fits(&f, true, NULL));
	f = (struct fail_if){};
	assert_true(!fail_if_fits(&f, false, NULL) && !fail_if_fits(&f, true, NULL));
}

static void test_measured(void **state)
{
	assert_true(fails("slower=2%", 100, 2.1, 4));
	assert_false(fails("slower=2%", 100, 2, 4)); /* the limit itself is in the interval */
	assert_false(fails("slower=2%", 100, -1, 40));
	assert_true(fails("slower=2%", 50, 1.1, 4));
	assert_true(fails("slower=3ns", 100, 3.1, 4));
	assert_false(fails("slower=3ns", 10, 2.9, 4));
	assert_false(fails("slower=0ns", 100, -4, -3));
	assert_true(fails("different=3ns", 100, -5, -3.1));
	assert_false(fails("different=3ns", 100, -5, -3));
	assert_true(fails("different=3ns", 100, 3.1, 5));
	assert_true(fails("slower=50%", 100, NAN, NAN)); /* what cannot be told does not pass */
}

static void test_not_asked(void **state)
{
	const struct compare_headline h = {.base_ns = 1, .delta_ns = 9, .ci95_ns = {8, 10}};
	const struct fail_if none = {};
	char why[8] = "";

	assert_false(fail_if_measured(&none, &h, why, sizeof(why)));
	assert_false(fail_if_counted(&none, 1, 9, why, sizeof(why)));
}

static void test_counted(void **state)
{
	struct fail_if slower = parsed("slower=10instructions"), different = parsed("different=1%");
	char why[200];

	assert_true(fail_if_counted(&slower, 300, 11, why, sizeof(why)));
	assert_string_equal(why, "+11 instructions per packet (+3.67 %), which is beyond 10 instructions");
	assert_false(fail_if_counted(&slower, 300, 10, why, sizeof(why)));
	assert_false(fail_if_counted(&slower, 300, -11, why, sizeof(why)));
	assert_true(fail_if_counted(&different, 300, -3.5, why, sizeof(why)));
	assert_false(fail_if_counted(&different, 300, 3, why, sizeof(why)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_not_asked),
		cmocka_unit_test(test_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
