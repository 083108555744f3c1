// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, numbers and parts of sentences as people read them. */
#include "base/base.h"
#include "reports/document/document.h"
#include "base/sheet/sheet.h"
#include "tests/unit/unit.h"

static void check_name(const char *name, size_t width, const char *want)
{
	char *text = NULL;
	size_t size;
	struct text t = {.out = open_memstream(&text, &size)};

	text_name(&t, name, width);
	fclose(t.out);
	assert_string_equal(text, want);
	free(text);
}

/* Names are cut by columns, not by bytes, and do nothing to a terminal. */
static void test_names(void **state)
{
	check_name("short", 8, "short   ");
	check_name("exactly8", 8, "exactly8");
	check_name("kmem_cache_alloc_bulk", 10, "kmem_c…ulk");
	check_name("ÄÖÜäöüß", 5, "ÄÖÜ…ß");
	check_name("\033[2Jred\n\t\302\2331m", 0, "?[2Jred???1m");
	check_name("\377\376\233", 4, "??? ");
	check_name("\340\202\233m", 5, "???m "); /* U+009B in more bytes than it needs */
	check_name("", 2, "  ");
}

static void test_numbers(void **state)
{
	char buf[48];

	assert_string_equal(digits_count(0, buf, sizeof(buf)), "0");
	assert_string_equal(digits_count(999, buf, sizeof(buf)), "999");
	assert_string_equal(digits_count(1000, buf, sizeof(buf)), "1,000");
	assert_string_equal(digits_count(12500123, buf, sizeof(buf)), "12,500,123");
	assert_string_equal(digits_interval(81.34, 0.87, buf, sizeof(buf)), "81.3 ± 0.9");
	assert_string_equal(digits_interval(81.34, 0.04, buf, sizeof(buf)), "81.34 ± 0.04");
	assert_string_equal(digits_interval(381.34, 12.2, buf, sizeof(buf)), "381 ± 12");
	assert_string_equal(digits_interval(81.34, NAN, buf, sizeof(buf)), "81.3");
}

/* Parts that chance explains are left out, others take their place, and no more are named than asked for. */
static void test_parts_of_a_sentence(void **state)
{
	struct compare_row rows[] = {
		{.name = "driver RX", .delta_ns = 91.26, .half_ns = 12, .significant = true},
		{.name = "rest", .delta_ns = 50, .half_ns = 60},
		{.name = "TX", .delta_ns = -39.64, .half_ns = 3.4, .significant = true},
		{.name = "GRO", .delta_ns = 0.256, .half_ns = 0.05, .significant = true},
	};
	struct compare c = {.facilities = rows, .nfacilities = 4};
	char line[200];

	sentence_of_parts(&c, 3, line, sizeof(line));
	assert_string_equal(line, "+91 driver RX, -39.6 TX, +0.26 GRO");
	sentence_of_parts(&c, 2, line, sizeof(line));
	assert_string_equal(line, "+91 driver RX, -39.6 TX");
	sentence_of_parts(&c, 9, line, sizeof(line));
	assert_string_equal(line, "+91 driver RX, -39.6 TX, +0.26 GRO");
	sentence_of_parts(&c, 0, line, sizeof(line));
	assert_string_equal(line, "");
}

/* One way to say that something is not known. */
static void test_not_known(void **state)
{
	char buf[48];

	assert_string_equal(known(NULL), "not known");
	assert_string_equal(known(""), "not known");
	assert_string_equal(known("veth"), "veth");
	assert_string_equal(or_empty(NULL), "");
	assert_string_equal(digits_interval(NAN, NAN, buf, sizeof(buf)), "-");
	assert_string_equal(digits_interval(NAN, 2, buf, sizeof(buf)), "-");
	assert_string_equal(digits_interval(-0.01, 12, buf, sizeof(buf)), "0 ± 12");
	assert_string_equal(digits_count(NAN, buf, sizeof(buf)), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_parts_of_a_sentence),
		cmocka_unit_test(test_not_known),
	};

	return cmocka_run_group_tests_name("wording", tests, NULL, NULL);
}
