// SPDX-License-Identifier: GPL-2.0-or-later
/* A text of perf script without its addresses is the same profile, and tells nobody where the kernel lies. */
#include "perfparse/perfparse.h"
#include "tests/unit/unit.h"

#define TEXT                                                                                                           \
	"  4883 [001]  1143.000000100:    1003009 cpu-clock: \n"                                                       \
	"\tffffffff81aed969 veth_poll ([kernel.kallsyms])\n"                                                           \
	"\t80000000000000a0 low ([kernel.kallsyms])\n"                                                                 \
	"\t    7f0123456780 main (/usr/bin/a b)\n"                                                                     \
	"\t               0 [unknown] ([unknown])\n"                                                                   \
	"\n"                                                                                                           \
	"\tdeadbeef no frame\n"

#define HIDDEN                                                                                                         \
	"  4883 [001]  1143.000000100:    1003009 cpu-clock: \n"                                                       \
	"\tffffffffffffffff veth_poll ([kernel.kallsyms])\n"                                                           \
	"\tffffffffffffffff low ([kernel.kallsyms])\n"                                                                 \
	"\t               1 main (/usr/bin/a b)\n"                                                                     \
	"\t               0 [unknown] ([unknown])\n"                                                                   \
	"\n"                                                                                                           \
	"\tdeadbeef no frame\n"

static char path[128];

static void put(const char *text)
{
	write_at(in_dir(path, sizeof(path), "000.script"), text);
}

static const char *now(void)
{
	static char text[4096];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void only_the_half_is_left(void **state)
{
	put(TEXT);
	assert_int_equal(script_hide_addresses(path, NULL, NULL), 0);
	assert_string_equal(now(), HIDDEN);
	assert_int_equal(script_hide_addresses(path, NULL, NULL), 0);
	assert_string_equal(now(), HIDDEN);
	assert_int_equal(script_hide_addresses("/nonexistent", NULL, NULL), -ENOENT);
}

static void read_profile(struct profile *p, const char *text)
{
	static const struct script_filter all = {.cpu = -1, .tid = -1};
	struct diag d = {""};
	FILE *in = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(in);
	assert_int_equal(script_read(p, in, &all, &d), 0);
	fclose(in);
}

static void the_profile_is_the_same(void **state)
{
	char text[sizeof(TEXT)];
	struct profile a, b;

	snprintf(text, sizeof(text), "%.*s", (int)(strstr(TEXT, "\n\n") + 2 - TEXT), TEXT);
	put(text);
	assert_int_equal(script_hide_addresses(path, NULL, NULL), 0);
	read_profile(&a, text);
	read_profile(&b, now());
	assert_int_equal(a.nsymbols, 4);
	assert_int_equal(b.nsymbols, 4);
	for (size_t i = 0; i < a.nsymbols; i++) {
		assert_string_equal(a.symbols[i].name, b.symbols[i].name);
		assert_string_equal(a.symbols[i].dso, b.symbols[i].dso);
		assert_int_equal(a.symbols[i].space, b.symbols[i].space);
	}
	profile_release(&a);
	profile_release(&b);
}

static const char *line_of(const void *of, uint64_t address)
{
	return address == *(const uint64_t *)of ? "84 a b.c\tx = 1;"
	       : address == 0x80000000000000a0  ? "1 b.c\ty"
						: NULL;
}

/* Below the innermost frame alone, and the reader finds it there. */
static void lines_of_sources(void **state)
{
	static const uint64_t veth_poll = 0xffffffff81aed969;
	char text[sizeof(TEXT)];
	struct profile p;

	snprintf(text, sizeof(text), "%.*s", (int)(strstr(TEXT, "\n\n") + 2 - TEXT), TEXT);
	put(text);
	assert_int_equal(script_hide_addresses(path, line_of, &veth_poll), 0);
	assert_non_null(strstr(now(), "veth_poll ([kernel.kallsyms])\n  source: 84 a b.c\tx = 1;\n\t"));
	assert_null(strstr(now(), "b.c\ty"));
	read_profile(&p, now());
	assert_int_equal(p.nlines, 1);
	assert_string_equal(p.lines[0].words, "84 a b.c\tx = 1;");
	assert_string_equal(p.symbols[p.lines[0].symbol].name, "veth_poll");
	assert_true(p.lines[0].samples == 1 && p.lines[0].weight == 1003009);
	assert_int_equal(p.nsymbols, 4);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_half_is_left),
		cmocka_unit_test(the_profile_is_the_same),
		cmocka_unit_test(lines_of_sources),
	};

	return cmocka_run_group_tests_name("script_hide", tests, make_folder, remove_folder);
}
