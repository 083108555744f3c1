// SPDX-License-Identifier: GPL-2.0-or-later
/* Facilities of the built-in rules are told apart by colour. */
#include "perfparse/perfparse.h"
#include "reports/page/page.h"
#include "tests/unit/unit.h"

/* The distance of two colours "#rrggbb", of at most 442. */
static double apart(const char *a, const char *b)
{
	long one = strtol(a + 1, NULL, 16), other = strtol(b + 1, NULL, 16);
	double sum = 0;

	for (int shift = 0; shift < 24; shift += 8)
		sum += pow((double)((one >> shift & 255) - (other >> shift & 255)), 2);
	return sqrt(sum);
}

static void test_facilities_have_colours_of_their_own(void **state)
{
	const char *a, *b;
	struct facilities *f;
	struct diag d = {""};

	assert_int_equal(facilities_read(&f, NULL, &d), 0);
	for (unsigned int i = 0; i < facilities_count(f); i++)
		for (unsigned int k = 0; k < i; k++) {
			a = facilities_name(f, i);
			b = facilities_name(f, k);
			if (facilities_kind(f, i) == FACILITY_COST && facilities_kind(f, k) == FACILITY_COST &&
			    apart(palette_of_facility(a)->fill, palette_of_facility(b)->fill) < 30)
				fail_msg("%s looks like %s", a, b);
		}
	facilities_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facilities_have_colours_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
