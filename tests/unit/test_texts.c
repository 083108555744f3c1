// SPDX-License-Identifier: GPL-2.0-or-later
/* What all readers of perf's texts stand on: lines, numbers, kinds of text, and what is written
 * out. */
#include "base/sheet/sheet.h"
#include "base/base.h"
#include "perfparse/perfparse.h"
#include "tests/unit/unit.h"

/* Line i is i % 5000 characters long, so that lines end at every place of a block. */
static void test_lines_across_blocks(void **state)
{
	FILE *in = tmpfile();
	struct linescan s;
	char *line;
	size_t len, i, k;

	for (i = 0; i < 6000; i++) {
		for (k = 0; k < i % 5000; k++)
			fputc('a' + (int)((i + k) % 26), in);
		fputs(i % 3 ? "\n" : "\r\n", in);
	}
	fputs("last", in);
	rewind(in);
	linescan_init(&s, in);
	for (i = 0; i < 6000; i++) {
		assert_int_equal(linescan_next(&s, &line, &len, NULL), 1);
		assert_int_equal(len, i % 5000);
		assert_int_equal(line[len], '\0');
		if (len)
			assert_int_equal(line[len - 1], 'a' + (int)((i + len - 1) % 26));
		assert_int_equal(s.line, i + 1);
	}
	assert_int_equal(linescan_next(&s, &line, &len, NULL), 1);
	assert_string_equal(line, "last");
	assert_int_equal(linescan_next(&s, &line, &len, NULL), 0);
	assert_int_equal(linescan_next(&s, &line, &len, NULL), 0);
	linescan_release(&s);
	linescan_release(&s);
	fclose(in);
}

/* What comes out of a text, line by line, with "/" between the lines. */
static void comes_out(const char *text, const char *want)
{
	struct undress worn = {};
	struct linescan s;
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char got[256] = "", *line;
	size_t len;

	linescan_init(&s, in);
	s.worn = &worn;
	while (linescan_next(&s, &line, &len, NULL) > 0) {
		assert_true(strlen(got) + len + 2 < sizeof(got));
		if (got[0])
			strcat(got, "/");
		strcat(got, line);
	}
	assert_string_equal(got, want);
	linescan_release(&s);
	fclose(in);
}

static void test_undressed(void **state)
{
	comes_out("\033[31ma\033[m b\033[1;32m\033[\n", "a b");
	comes_out("> a\n>> b\n> > c\n>\n| d\n  | e\n", "a/b/c//d/  | e");
	comes_out("    >   1 a\n\t> > b\n", "  1 a/b");
	comes_out("a => b\n  --> c\n", "a => b/  --> c");
	comes_out("  9.50%  t  [kernel]  [k]\nbuild_skb\n  8.00%  [kernel]\n[k] f\n",
		  "  9.50%  t  [kernel]  [k] build_skb/ 8.00%  [kernel]  [k] f");
	comes_out("  9.50%  t  [kernel]  [k]\r\nbuild_skb\r\n", "  9.50%  t  [kernel]  [k] build_skb");
	comes_out("> 9.50%  [k] \n> build_skb\n> 8.00%  [k]\n> 7.00%  [k] f\n",
		  "9.50%  [k] build_skb/8.00%  [k]/7.00%  [k] f");
	comes_out("  9.50%  name  [kernel]\n  8.00%  other  [kernel]\nwords [k] of\n",
		  "  9.50%  name  [kernel]/  8.00%  other  [kernel]/words [k] of");
	comes_out("20.00% [k] a.cons=\ntprop.0\n 10.00% [k] =\r\n__b\nfoo =3D 1=20\n",
		  "20.00% [k] a.constprop.0/ 10.00% [k] __b/foo = 1 ");
	comes_out("20.00% [k] operator=\n10.00% [k] operator+=\n5.00% a==\nb\n",
		  "20.00% [k] operator=/10.00% [k] operator+=/5.00% a=b");
	comes_out("swapper 0 [000] 1.0: irq:x: name=\nswapper 0 [000] 2.0: irq:y:\n",
		  "swapper 0 [000] 1.0: irq:x: name=/swapper 0 [000] 2.0: irq:y:");
	comes_out("5\ta\n6\tb\n7\tc\nd\n8\te\n", "a/b/c/d/e");
	comes_out("5 a\n7 b\n9 c\n", "5 a/7 b/9 c");
	comes_out("5 a\n6 b\n8 c\n", "5 a/6 b/8 c");
	comes_out("7 a\n6 b\n5 c\n", "7 a/6 b/5 c");
	comes_out("5 a\n6 b\nc\n", "5 a/6 b/c");
	comes_out("&gt; 20% a&amp;b &gtx\n20\xc2\xa0%\xe2\x80\xaf\xe2\x80\x8b.\n", "20% a&b &gtx/20 % .");
}

/* Blocks end anywhere: each line of a long text comes out the same. */
static void test_undressed_blocks(void **state)
{
	const size_t n = 3 * LINESCAN_BLOCK_BYTES / 16;
	struct undress worn = {};
	struct linescan s;
	char *text, *line;
	size_t len, i, size;
	FILE *out = open_memstream(&text, &size), *in;

	for (i = 0; i < n; i++)
		fprintf(out, "> %.*s1%% =\n%06zu\n", (int)(i % 7), "xxxxxxx", i);
	fclose(out);
	in = fmemopen(text, size, "r");
	linescan_init(&s, in);
	s.worn = &worn;
	for (i = 0; linescan_next(&s, &line, &len, NULL) > 0; i++) {
		assert_int_equal(len, i % 7 + 3 + 6);
		assert_int_equal(strtoul(line + i % 7 + 3, NULL, 10), i);
	}
	assert_int_equal(i, n);
	assert_int_equal(worn.quoted, n);
	assert_int_equal(worn.joined, n);
	linescan_release(&s);
	fclose(in);
	free(text);
}

static void check_number(const char *(*read)(const char *, const char *, double *), const char *text, size_t used,
			 double want)
{
	double v = -1;
	const char *end = read(text, text + strlen(text), &v);

	if (!used) {
		assert_null(end);
		return;
	}
	assert_int_equal(end - text, used);
	assert_true(v == want);
}

static void test_numbers(void **state)
{
	double v;

	check_number(number_read_decimal, "34.33%", 5, 34.33);
	check_number(number_read_decimal, "1003009 x", 7, 1003009);
	check_number(number_read_decimal, "7.", 1, 7);
	check_number(number_read_decimal, "0.1", 3, 0.1);
	check_number(number_read_decimal, ".5", 0, 0);
	check_number(number_read_decimal, "", 0, 0);
	check_number(number_read_decimal, "1234567890123456789", 0, 0);
	check_number(number_read_grouped, "3,989,134,732", 13, 3989134732.0);
	check_number(number_read_grouped, "1,234.5", 7, 1234.5);
	check_number(number_read_grouped, "1,23", 1, 1);
	check_number(number_read_grouped, "1234,567", 4, 1234);
	assert_int_equal(number_parse("8165032", 1, 1e9, &v), 0);
	assert_true(v == 8165032);
	assert_int_equal(number_parse("64abc", 1, 1e9, &v), -EINVAL);
	assert_int_equal(number_parse("", 1, 1e9, &v), -EINVAL);
	assert_int_equal(number_parse("nan", 1, 1e9, &v), -EINVAL);
	assert_int_equal(number_parse("inf", 1, 1e9, &v), -EINVAL);
	assert_int_equal(number_parse("1e99", 1, 1e9, &v), -ERANGE);
	assert_int_equal(number_parse("0", 1, 1e9, &v), -ERANGE);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *text;
		enum text_kind kind;
	} texts[] = {
		{"# Samples: 1  of event 'x'\n", TEXT_REPORT},
		{"noise\n#\n# Overhead  Symbol\n", TEXT_REPORT},
		{"    34.33%  [k] f\n", TEXT_REPORT},
		{"+   34.33%  [k] f\n", TEXT_REPORT},
		{" 34.33% =>  42.0 ns func:  [k] f\n", TEXT_REPORT},
		{"# Event 'cycles'\n#\n# Baseline  Delta Abs  Symbol\n", TEXT_DIFF},
		{"  5.00%  +1.00%  [k] f\n", TEXT_DIFF},
		{"  3114.00 11.8% _raw_spin_lock  [kernel.kallsyms]\n", TEXT_REPORT},
		{"5.0% faster\n", TEXT_UNKNOWN},
		{"dd  4883 [001]  1143.9:  1 cycles: \n", TEXT_SCRIPT},
		{"\n\tffffffff821f236b f\n", TEXT_SCRIPT},
		{"\n Performance counter stats for 'x':\n", TEXT_STAT},
		{"1,,cycles,472510,100.00,,\n", TEXT_STAT},
		{"CPU0,1,,cycles,472510,100.00,,\n", TEXT_STAT},
		{"0,5,msec,cpu-clock,472510,100,00,,\n", TEXT_STAT},
		{"{\"counter-value\" : \"1\", \"event\" : \"x\"}\n", TEXT_STAT},
		{"98,571,874,480 cpu_atom/cycles/ (0.10%)\n", TEXT_STAT},
		{"   84.48 spin.c:9\n Percent |\tSource code & Disassembly of spin for x\n", TEXT_ANNOTATE},
		{"hello\n", TEXT_UNKNOWN},
		{"", TEXT_UNKNOWN},
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (text_kind_guess(texts[i].text, strlen(texts[i].text)) != texts[i].kind)
			fail_msg("%s", texts[i].text);
}

/* More names than places: what is found is right, and what came first is found. */
static void test_cache_is_never_wrong(void **state)
{
	struct symbol_cache *c = calloc(1, sizeof(*c));
	char name[200];
	uint32_t i, found;
	int round, len;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 3 * SYMBOL_CACHE_SLOTS; i++) {
			len = snprintf(name, sizeof(name), "name_%u_%.*s", i, (int)(i % 130),
				       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
				       "xxxxxxxxxxxxxxxxxxxxx"
				       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
			found = symbol_cache_get(c, name, (size_t)len, (uint8_t)(i % 3));
			if (found == SYMBOL_CACHE_NONE)
				symbol_cache_put(c, name, (size_t)len, (uint8_t)(i % 3), i);
			else
				assert_int_equal(found, i);
			if (round && i < 1000)
				assert_int_equal(found, i);
			assert_int_equal(symbol_cache_get(c, name, (size_t)len, 7), SYMBOL_CACHE_NONE);
		}
	}
	free(c);
}

static void test_written_text(void **state)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	json_t *j = json_text_string("a\xff");

	csv_text(out, "f(int, char)");
	csv_number(out, 1.5, true);
	csv_number(out, NAN, true);
	csv_number(out, 2, false);
	fputc(';', out);
	csv_text(out, "a\"b");
	fclose(out);
	assert_string_equal(text, "\"f(int, char)\",1.5,,;\"a\"\"b\"");
	assert_string_equal(json_string_value(j), "a?");
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_across_blocks),
		cmocka_unit_test(test_undressed),
		cmocka_unit_test(test_undressed_blocks),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_cache_is_never_wrong),
		cmocka_unit_test(test_written_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
