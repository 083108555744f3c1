// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows: digits are decided by intervals, what is not known stays unknown, layouts print the same cells. */
#include "base/sheet/sheet.h"
#include "tests/unit/unit.h"

static const struct column columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "symbol", CELL_NAME, IN_JSON | IN_TABLE | IN_FACTS},
	{"ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | IN_FACTS | WITH_SUM, "per packet"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON},
	{"nothing", "never", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE},
	{"calls", "calls", CELL_TABLE, IN_JSON},
	{"slab", NULL, CELL_OBJECT, IN_JSON},
};

static void add(struct rows *r, const char *name, double ns, double half)
{
	rows_add(r);
	rows_text(r, "name", name);
	rows_interval(r, "ns", ns, half);
	rows_range(r, "ci95_ns", (double[]){ns - half, ns + half});
	rows_value(r, "samples", 1234567);
}

static void fill(struct rows *r)
{
	rows_init(r, columns, sizeof(columns) / sizeof(columns[0]));
	add(r, "first", 381.34, 12.2);
	rows_text(r, "mark", "~");
	add(r, "second", 81.34, 0.87);
	add(r, "third", 1.234, 0.04);
	add(r, "unseen", 0, 0.5);
	rows_hide(r);
	assert_int_equal(rows_error(r), 0);
}

static char *text_of(const struct rows *r, size_t max)
{
	char *text = NULL;
	size_t size;
	struct text t = {.out = open_memstream(&text, &size)};

	text_rows(&t, r, max, NULL);
	fclose(t.out);
	return text;
}

static void test_digits_change_at(void **state)
{
	assert_int_equal(digits_of_interval(9.5), 0);
	assert_int_equal(digits_of_interval(9.49), 1);
	assert_int_equal(digits_of_interval(0.095), 1);
	assert_int_equal(digits_of_interval(0.0949), 2);
	assert_int_equal(digits_of_event(100), 1);
	assert_int_equal(digits_of_event(-99.9), 2);
	assert_int_equal(digits_of_event(1), 2);
	assert_int_equal(digits_of_event(0.99), 4);
}

static void test_digits(void **state)
{
	static const struct {
		double value, half;
		const char *want;
	} cases[] = {
		{381.34, 12.2, "381"}, {81.34, 0.87, "81.3"}, {1.234, 0.04, "1.23"}, {81.34, NAN, "81.3"},
		{-0.04, 0.5, "0.0"},   {-0.4, 20, "0"},       {NAN, NAN, "-"},
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int decimals = digits_of_interval(cases[i].half);

		assert_string_equal(digits_number(cases[i].value, decimals, false, buf, sizeof(buf)), cases[i].want);
	}
	assert_string_equal(digits_number(0.5, 1, true, buf, sizeof(buf)), "+0.5");
	assert_int_equal(digits_of_event(1140), 1);
	assert_int_equal(digits_of_event(-2.5), 2);
	assert_int_equal(digits_of_event(0.08), 4);
}

static void test_cells(void **state)
{
	static const struct column chance = {"q", "q", CELL_CHANCE, IN_WIDE};
	struct cell q = {.value = 0.00001, .half = NAN, .at_most = NAN, .decimals = 4};
	struct rows r;
	char buf[64];

	fill(&r);
	assert_string_equal(cell_fact(&columns[2], rows_cell(&r, 0, "ns"), buf, sizeof(buf)), "381 ± 12 per packet");
	assert_string_equal(cell_fact(&columns[2], rows_cell(&r, 2, "ns"), buf, sizeof(buf)), "1.23 ± 0.04 per packet");
	assert_string_equal(cell_value(&columns[5], rows_cell(&r, 0, "samples"), buf, sizeof(buf)), "1,234,567");
	assert_string_equal(cell_value(&chance, &q, buf, sizeof(buf)), "< 0.0001");
	q.value = 0.05;
	assert_string_equal(cell_value(&chance, &q, buf, sizeof(buf)), "0.0500");
	q.at_most = 0.05;
	q.decimals = 2;
	memset(buf, '#', sizeof(buf));
	assert_string_equal(cell_value(&chance, &q, buf, 5), "<0.0");
	assert_int_equal(buf[5], '#');
	rows_release(&r);
	rows_release(&r);
}

/* What nobody filled is unknown, and no layout for people has a column of it. */
static void test_unknown(void **state)
{
	struct rows r;
	char *text;

	fill(&r);
	assert_true(isnan(rows_cell(&r, 0, "nothing")->value));
	assert_false(rows_shows(&r, 4, IN_TABLE));
	assert_true(rows_shows(&r, 2, IN_TABLE));
	assert_false(rows_shows(&r, 5, IN_TABLE)); /* where there is room alone */
	assert_true(rows_shows(&r, 5, IN_TABLE | IN_WIDE));
	text = text_of(&r, 0);
	assert_null(strstr(text, "never"));
	free(text);
	rows_number(&r, "no such key", 1, 1);
	assert_int_equal(rows_error(&r), -EINVAL);
	rows_release(&r);
}

static void test_rest(void **state)
{
	struct rows_rest rest;
	struct rows r;
	char *text;

	fill(&r);
	rest = rows_rest(&r, 0);
	assert_int_equal(rest.shown, 3);
	assert_int_equal(rest.left, 1);
	rest = rows_rest(&r, 1);
	assert_int_equal(rest.shown, 1);
	assert_int_equal(rest.left, 3);
	assert_true(rest.summed && !rest.told);
	assert_true(fabs(rows_sum(&r, 2, 1).value - 82.574) < 1e-9);
	assert_true(isnan(rows_sum(&r, 5, 1).value));
	text = text_of(&r, 1);
	assert_non_null(strstr(text, "\n     82.6 "));
	assert_non_null(strstr(text, " 3 others\n"));
	free(text);
	rows_add(&r);
	rows_at_most(&r, "ns", 3.3, 0.5);
	assert_true(fabs(rows_sum(&r, 2, 1).value - 82.574) < 1e-9); /* what has a limit alone adds nothing */
	rows_release(&r);
}

/* Numbers before names, points below each other, no blanks at the end. */
static void test_text(void **state)
{
	struct rows r;
	char *text;

	fill(&r);
	text = text_of(&r, 0);
	assert_string_equal(text, "  self ns              symbol\n"
				  "   381    ± 12    ~    first\n"
				  "    81.3  ±  0.9       second\n"
				  "     1.23 ±  0.04      third\n"
				  "     0.0               1 other\n");
	free(text);
	rows_release(&r);
}

/* Columns of a terminal. A character has at most four bytes; what follows it is another one, valid or not. */
static void test_width(void **state)
{
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("a± b"), 4);
	assert_int_equal(text_width("\xf0\x9f\x98\x80"), 1);
	assert_int_equal(text_width("\xf0\x9f\x98\x80\x80"), 2);
	assert_int_equal(text_width("\x80"), 1);
}

/* 60 columns for two names: the one behind has two fifths of them, or what the other leaves. */
static void test_names_share_a_line(void **state)
{
	const struct text t = {.columns = 80}, wide = {0};
	struct text_split s = text_split(&t, 19, 50, 50);

	assert_int_equal(s.name, 36);
	assert_int_equal(s.rest, 24);
	s = text_split(&t, 19, 30, 50);
	assert_int_equal(s.name, 30);
	assert_int_equal(s.rest, 30);
	s = text_split(&t, 19, 50, 20);
	assert_int_equal(s.name, 40);
	assert_int_equal(s.rest, 20);
	s = text_split(&wide, 19, 50, 50);
	assert_true(s.name == 50 && s.rest == 0);
}

/* The names of a table have all columns that numbers and gaps leave, and none more: both last ones or the last. */
static void test_names_fill_the_line(void **state)
{
	static const struct column four[] = {
		{"ns", "ns", CELL_NUMBER, IN_TABLE},
		{"count", "count", CELL_COUNT, IN_TABLE},
		{"symbol", "symbol", CELL_NAME, IN_TABLE},
		{"from", "from", CELL_NAME, IN_TABLE},
	};
	static const char *const lines[] = {"  123456  1,234  xxxxxxxxxxxxxxxxxxxx…xxxxxxxxxx",
					    "  123456  1,234  xxxxxxxxxxx…xxxxxx yyyyyyy…yyyy"};
	char text[200], x[60] = {0}, y[60] = {0};

	memset(x, 'x', sizeof(x) - 1);
	memset(y, 'y', sizeof(y) - 1);
	for (size_t names = 1; names <= 2; names++) {
		struct text t = {.out = fmemopen(text, sizeof(text), "w"), .columns = 48};
		struct rows r;

		rows_init(&r, four, 2 + names);
		rows_add(&r);
		rows_value(&r, "ns", 123456);
		rows_value(&r, "count", 1234);
		rows_text(&r, "symbol", x);
		if (names == 2)
			rows_text(&r, "from", y);
		text_rows(&t, &r, 1, NULL);
		fclose(t.out);
		assert_string_equal(strtok(strchr(text, '\n') + 1, "\n"), lines[names - 1]);
		rows_release(&r);
	}
}

/* A word that is longer than any line is cut into pieces, and none of it is lost. */
static void test_long_words(void **state)
{
	char word[1300], *text = NULL;
	size_t size, letters = 0;
	struct text t = {.out = open_memstream(&text, &size)};

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	text_wrapped(&t, 2, word);
	fclose(t.out);
	for (size_t i = 0; i < size; i++)
		letters += text[i] == 'x';
	assert_int_equal(letters, sizeof(word) - 1);
	free(text);
}

/* A table that is hidden from its first row on. */
static void test_all_hidden(void **state)
{
	struct rows_rest rest;
	struct rows r;

	rows_init(&r, columns, sizeof(columns) / sizeof(columns[0]));
	add(&r, "unseen", 0, 0.5);
	rows_hide(&r);
	rest = rows_rest(&r, 0);
	assert_true(rest.shown == 0 && rest.left == 1);
	rows_release(&r);
}

static void test_json(void **state)
{
	static const struct column inner[] = {{"function", NULL, CELL_NAME, IN_JSON}};
	struct json_out w = {false};
	const json_t *row;
	struct rows r, *calls;
	json_t *array;

	fill(&r);
	calls = rows_table(&r, "calls", inner, 1);
	rows_add(calls);
	rows_words(calls, "function", "napi_%s", "poll");
	array = json_rows(&w, &r);
	assert_false(w.failed);
	assert_int_equal(json_array_size(array), 4); /* those hidden from people too */
	row = json_array_get(array, 0);
	assert_true(json_number_value(json_object_get(row, "ns")) == 381.34);
	assert_true(json_is_integer(json_object_get(row, "samples")));
	assert_true(json_is_null(json_object_get(row, "nothing")));
	assert_true(json_is_null(json_object_get(row, "slab")));
	assert_null(json_object_get(row, "calls")); /* nobody began that table */
	assert_null(json_object_get(row, "mark"));
	row = json_array_get(json_object_get(json_array_get(array, 3), "calls"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "function")), "napi_poll");
	json_decref(array);
	rows_release(&r);
}

/* A document whose one row could not be made is an error, and no empty object. */
static void test_json_without_a_row(void **state)
{
	struct json_out w = {false};
	json_t *o = json_object();
	struct rows r;

	rows_init(&r, columns, sizeof(columns) / sizeof(columns[0]));
	json_rows_put(&w, o, &r, 0);
	assert_true(w.failed && !json_object_size(o));
	json_decref(o);
	rows_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_names_share_a_line),
		cmocka_unit_test(test_names_fill_the_line),
		cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_all_hidden),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_without_a_row),
		cmocka_unit_test(test_digits_change_at),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
