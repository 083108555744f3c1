// SPDX-License-Identifier: GPL-2.0-or-later
/* What is shown of exact counts: differences, sums, sentences. */
#include "reports/exact/exact.h"
#include "reports/format/format.h"
#include "reports/document/document.h"
#include "tests/unit/unit.h"

static struct exact_row row(const char *name, double packet)
{
	struct exact_row r = {.name = name, .module = "", .facility = "rest", .cost = {.calls = 1, .exact = true}};

	r.cost.instructions[EXACT_PACKET] = packet;
	return r;
}

static void test_diff(void **state)
{
	struct exact_row before[] = {row("veth_xdp_rcv_one", 82), row("bpf_prog_0123456789abcdef_mine", 51),
				     row("gone", 7)};
	struct exact_row after[] = {row("veth_xdp_rcv_one", 38), row("bpf_prog_fedcba9876543210_mine", 51),
				    row("new", 122)};
	static const struct exact run = {.kernel = "6.12", .nic = "veth"};
	struct exact_variant base = {.id = "a", .rows = before, .nrows = 3},
			     new = {.id = "b", .rows = after, .nrows = 3};
	struct exact_diff d;
	double sum = 0;

	base.total.instructions[EXACT_PACKET] = 140;
	new.total.instructions[EXACT_PACKET] = 211;
	assert_int_equal(exact_diff_build(&d, (struct exact_side){NULL, &base}, (struct exact_side){NULL, &new}, NULL),
			 0);
	assert_int_equal(d.nrows, 4); /* the programs join, whatever their tags */
	assert_string_equal(d.rows[0].name, "new");
	assert_string_equal(d.rows[1].name, "veth_xdp_rcv_one");
	assert_true(d.rows[1].change == -44 && d.rows[1].exact);
	assert_string_equal(d.rows[3].name, "bpf_prog_fedcba9876543210_mine");
	for (size_t i = 0; i < d.nrows; i++)
		sum += d.rows[i].change;
	assert_true(sum == d.change && d.change == 71);
	exact_diff_release(&d);
	exact_diff_release(&d);
	for (base.nrows = new.nrows = 2; base.nrows; base.nrows = --new.nrows) { /* the program, then nothing alike */
		struct document doc;

		assert_int_equal(
			exact_diff_build(&d, (struct exact_side){&run, &base}, (struct exact_side){&run, &new}, NULL),
			0);
		assert_int_equal(document_of_exact_diff(&doc, &d), 0);
		if (base.nrows == 2)
			assert_string_equal(rows_cell(&doc.rows, 0, "alike")->text, "1 function is exactly alike");
		else
			assert_null(rows_cell(&doc.rows, 0, "alike")->text);
		document_release(&doc);
		exact_diff_release(&d);
	}
}

/* People see every function that takes more. */
static void test_check_shown(void **state)
{
	struct exact_diff_row functions[] = {{.name = "first", .change = 7, .exact = true},
					     {.name = "as_it_was", .change = 0.0001, .exact = true},
					     {.name = "second", .change = 2, .exact = true},
					     {.name = "third", .change = -1, .exact = true}};
	struct exact_variant base = {.id = "drop/no-touch@native"}, new = base;
	struct exact_check_row row = {.new = &new, .verdict = EXACT_MORE};
	struct exact e = {};
	struct exact_check c = {.base = &e, .new = &e, .rows = &row, .nrows = 1};
	char *text = NULL, *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	row.diff = (struct exact_diff){.base = &base, .new = &new, .rows = functions, .nrows = 4, .change = 8};
	assert_int_equal(render_exact_check_text(out, &c, false), 0);
	fclose(out);
	at = strstr(text, "+7.000    first\n");
	assert_non_null(at);
	at = strstr(at, "+2.000    second\n");
	assert_non_null(at);
	assert_non_null(strstr(at, "-1.000    third\n"));
	assert_null(strstr(text, "as_it_was"));
	free(text);
}

/* What each function costs, per packet and per poll, is in the total once. */
static void test_rows_sum_up(void **state)
{
	static const char *const runs[] = {"build/runs/counted", "build/runs/memory"};
	struct facilities *f = NULL;
	struct diag d = {};
	struct exact e;

	assert_int_equal(facilities_read(&f, NULL, &d), 0);
	for (size_t i = 0; i < 2; i++) {
		if (exact_read(&e, runs[i], f, &d))
			fail_msg("%s", d.text);
		for (size_t k = 0; k < e.nvariants; k++) {
			const struct exact_variant *v = &e.variants[k];

			for (int term = 0; term < EXACT_TERMS; term++) {
				double rows = 0, facilities = 0;

				for (size_t n = 0; n < v->nrows; n++)
					rows += v->rows[n].cost.instructions[term];
				for (size_t n = 0; n < v->nfacilities; n++)
					facilities += v->facilities[n].cost.instructions[term];
				near_to(rows, v->total.instructions[term], 1e-5);
				near_to(facilities, v->total.instructions[term], 1e-5);
			}
		}
		exact_release(&e);
	}
	facilities_free(f);
}

/* Functions beyond the last one are counted by nobody. */
static void test_functions_counted(void **state)
{
	struct exact_row rows[] = {row("a", 1), row("b", 2), row("beyond", 4)};
	struct exact_variant v = {.id = "drop/no-touch@native", .rows = rows, .nrows = 2};
	struct exact e = {.variants = &v, .nvariants = 1};
	struct document doc;

	rows[1].cost.exact = false;
	assert_int_equal(document_of_exact(&doc, &e, NULL), 0);
	assert_string_equal(rows_cell(rows_cell(&doc.rows, 0, "variants")->rows, 0, "exact_words")->text,
			    "1 of 2 functions; the counts of the others depend on state");
	document_release(&doc);
}

static void test_sentences(void **state)
{
	static const struct exact run, other;
	struct exact_variant native = {.id = "drop/no-touch@native"}, skb = {.id = "drop/no-touch@skb"},
			     touch = {.id = "drop/read-data@skb"};
	struct exact_diff d = {.base_run = &run, .new_run = &run, .base = &native, .new = &skb, .change = 12.5};
	const char *base, *new;
	struct sentence s;

	sentence_of_exact(&s, &d);
	assert_string_equal(s.number, "12.500 instructions");
	assert_string_equal(s.after, " per packet more than drop/no-touch@native");
	sentence_exact_sides(&d, &base, &new);
	assert_string_equal(base, "native");
	assert_string_equal(new, "generic");
	d.new_run = &other;
	d.change = -12.5;
	sentence_of_exact(&s, &d);
	assert_string_equal(s.after, " per packet less in the new run than drop/no-touch@native in the base run");
	strcpy(native.id, "drop"); /* without a mode */
	sentence_exact_sides(&d, &base, &new);
	assert_string_equal(base, "drop");
	assert_string_equal(new, skb.id);
	strcpy(native.id, "drop/no-touch@native");
	d.new = &touch; /* in another mode, and not only in that */
	sentence_exact_sides(&d, &base, &new);
	assert_string_equal(base, native.id);
	assert_string_equal(new, touch.id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff),        cmocka_unit_test(test_rows_sum_up),
		cmocka_unit_test(test_check_shown), cmocka_unit_test(test_functions_counted),
		cmocka_unit_test(test_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
