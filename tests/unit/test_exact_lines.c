// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of a program under test. */
#include "reports/exact/exact.h"
#include "tests/unit/unit.h"

#define WINDOWS 2

/* Lines that are named twice are one; the lines of a function are held against its paths, each function by itself. */
static void test_lines(void **state)
{
	static const char *const refused[] = {"x f 1 a.c\t",  "1 f a.c\tx", "1 f 1 a.c",
					      "1 f 1 \tx",    "1 f 1",      "9007199254740993 f 1 a.c\tx",
					      "-1 f 1 a.c\tx"};
	struct exact_window windows[WINDOWS];
	struct exact_counts of_path = {};
	struct exact_variant v;
	struct exact_tree t;
	struct exact_fit fit;
	char words[64];

	v = (struct exact_variant){.windows = windows, .nwindows = WINDOWS};
	for (size_t i = 0; i < WINDOWS; i++)
		windows[i] = (struct exact_window){.packets = 320 << i, .polls = 10, .wakeups = 10};
	profile_init(&v.names);
	exact_tree_init(&t, &v.names);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_int_equal(exact_line_add(&t, refused[i], 0), -EINVAL);
	for (size_t w = 0; w < WINDOWS; w++) {
		for (int twice = 0; twice < 2; twice++) {
			snprintf(words, sizeof(words), "%d f 7 a b/a.c\tx = 1;", 3 * (int)windows[w].packets);
			assert_int_equal(exact_line_add(&t, words, w), 0);
		}
		snprintf(words, sizeof(words), "%d f 8 a b/a.c\t", (int)windows[w].packets);
		assert_int_equal(exact_line_add(&t, words, w), 0);
		of_path.instructions[w] = 7.0 * (double)windows[w].packets;
	}
	t.nodes = calloc(1, sizeof(*t.nodes));
	assert_non_null(t.nodes);
	t.n = 1;
	t.nodes[0].symbol = t.sources[0].symbol;
	t.nodes[0].counts = of_path;
	assert_int_equal(exact_fit(&fit, &v, -1), 0);
	assert_int_equal(exact_build_lines(&v, &t, &fit), 0);
	assert_int_equal(v.nlines, 2);
	assert_true(v.lines[0].number == 7 && v.lines[0].cost.exact);
	assert_true(v.lines[0].cost.instructions[EXACT_PACKET] == 6 && v.lines[1].cost.instructions[EXACT_PACKET] == 1);
	assert_string_equal(v.lines[0].file, "a b/a.c");
	assert_string_equal(v.lines[0].text, "x = 1;");
	assert_string_equal(v.lines[1].text, "");
	assert_true(v.line_apart == 0 && v.line_summed == v.line_counted && v.line_counted == 7 * 960);
	free(v.lines);

	/* What one function has too much and another too little is apart twice. */
	assert_int_equal(exact_line_add(&t, "5 f 9 a.c\ty", 0), 0);
	assert_int_equal(exact_line_add(&t, "2 g 9 a.c\ty", 0), 0);
	v.nlines = v.line_summed = v.line_counted = 0;
	assert_int_equal(exact_build_lines(&v, &t, &fit), 0);
	assert_true(v.line_apart == 7 && v.line_summed - v.line_counted == 7);
	free(v.lines);
	exact_tree_release(&t);
	profile_release(&v.names);
}

static struct exact_line line_of(const char *function, unsigned int number, const char *text, double instructions)
{
	return (struct exact_line){.file = "a.c",
				   .text = text,
				   .number = number,
				   .function = function,
				   .module = "bpf",
				   .cost = {.instructions = {[EXACT_PACKET] = instructions}, .exact = true}};
}

static void is_change(const struct exact_line_change *c, unsigned int base, unsigned int new, double change)
{
	assert_int_equal(c->base ? c->base->number : 0, base);
	assert_int_equal(c->new ? c->new->number : 0, new);
	assert_true(c->change == change && c->exact && c->new_instructions - c->base_instructions == change);
}

/* Lines are matched by function and text, in their order; numbers, files and the tags of programs may differ. */
static void test_changes(void **state)
{
	struct exact_line old[] = {line_of("bpf_prog_1111111111111111_f", 9, "y++;", 2),
				   line_of("bpf_prog_1111111111111111_f", 3, "x++;", 4),
				   line_of("bpf_prog_1111111111111111_f", 5, "y++;", 1),
				   line_of("bpf_prog_1111111111111111_f", 7, "z = 0;", 3)};
	struct exact_line later[] = {line_of("bpf_prog_2222222222222222_f", 13, "x++;", 20),
				     line_of("bpf_prog_2222222222222222_f", 15, "y++;", 1),
				     line_of("bpf_prog_2222222222222222_f", 19, "y++;", 9),
				     line_of("bpf_prog_2222222222222222_g", 30, "z = 0;", 5)};
	struct exact_variant base = {.lines = old, .nlines = 4}, new = {.lines = later, .nlines = 4};
	struct exact_side from = {.v = &base}, to = {.v = &new};
	struct exact_diff d;

	assert_int_equal(exact_diff_build(&d, from, to, NULL), 0);
	assert_int_equal(d.nlines, 5);
	is_change(&d.lines[0], 3, 13, 16);
	is_change(&d.lines[1], 9, 19, 7);
	is_change(&d.lines[2], 0, 30, 5);
	is_change(&d.lines[3], 7, 0, -3);
	is_change(&d.lines[4], 5, 15, 0);
	exact_diff_release(&d);

	later[1].cost.exact = false;
	assert_int_equal(exact_diff_build(&d, from, to, NULL), 0);
	assert_false(d.lines[4].exact);
	exact_diff_release(&d);

	/* Where one side has no lines, all of the other would be new. */
	base.nlines = 0;
	assert_int_equal(exact_diff_build(&d, from, to, NULL), 0);
	assert_int_equal(d.nlines, 0);
	exact_diff_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
