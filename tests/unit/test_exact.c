// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact counts: the model finds what was put in, and files that make no sense are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/exact/exact_diff.h"
#include "reports/exact/exact_parts.h"
#include "tests/unit/unit.h"

#define WINDOWS 6

/* Packets, polls and wakeups of six windows that are independent of each other. */
static void fill(struct exact_variant *v, struct exact_window windows[WINDOWS])
{
	static const unsigned int counts[WINDOWS][3] = {{320, 10, 10}, {160, 10, 10},  {640, 20, 10},
							{960, 20, 20}, {1280, 40, 20}, {480, 30, 30}};

	*v = (struct exact_variant){.id = "drop/no-touch@native", .windows = windows, .nwindows = WINDOWS};
	for (size_t i = 0; i < WINDOWS; i++)
		windows[i] =
			(struct exact_window){.packets = counts[i][0], .polls = counts[i][1], .wakeups = counts[i][2]};
}

/* 82 instructions a packet, 63 a poll, 10 a wakeup and 5 a window; one call a packet. */
static void planted(const struct exact_variant *v, double *instructions, double *calls)
{
	for (size_t i = 0; i < v->nwindows; i++) {
		const struct exact_window *w = &v->windows[i];

		calls[i] = (double)w->packets;
		instructions[i] = 82.0 * (double)w->packets + 63.0 * (double)w->polls + 10.0 * (double)w->wakeups + 5;
	}
}

static void test_model(void **state)
{
	double instructions[EXACT_MAX_WINDOWS] = {0}, calls[EXACT_MAX_WINDOWS] = {0};
	struct exact_window windows[WINDOWS];
	struct exact_variant v;
	struct exact_cost cost;
	struct exact_fit f;

	(void)state;
	fill(&v, windows);
	planted(&v, instructions, calls);
	assert_int_equal(exact_fit(&f, &v, -1), 0);
	exact_apply(&f, &v, instructions, calls, &cost);
	assert_true(cost.exact);
	assert_true(cost.instructions[EXACT_PACKET] == 82 && cost.instructions[EXACT_POLL] == 63);
	assert_true(cost.instructions[EXACT_WAKEUP] == 10 && cost.instructions[EXACT_FIXED] == 5);
	assert_true(cost.calls == 1);

	/* 64 instructions too many in one window: not exact, off by at most 64 of 160 packets. */
	instructions[2] += 64;
	exact_apply(&f, &v, instructions, calls, &cost);
	assert_false(cost.exact);
	assert_true(cost.residual > 0.001 && cost.residual <= 0.4);
}

static void test_terms_that_cannot_be_told_apart(void **state)
{
	double instructions[EXACT_MAX_WINDOWS] = {0}, calls[EXACT_MAX_WINDOWS] = {0};
	struct exact_window windows[WINDOWS];
	struct exact_variant v;
	struct exact_cost cost;
	struct exact_fit f;

	(void)state;
	fill(&v, windows);
	for (size_t i = 0; i < WINDOWS; i++)
		windows[i].wakeups = windows[i].polls;
	planted(&v, instructions, calls);
	assert_int_equal(exact_fit(&f, &v, -1), 0);
	assert_true(f.terms[EXACT_PACKET] && f.terms[EXACT_POLL] && !f.terms[EXACT_WAKEUP]);
	exact_apply(&f, &v, instructions, calls, &cost);
	assert_true(cost.exact && cost.instructions[EXACT_PACKET] == 82 && cost.instructions[EXACT_POLL] == 73);

	for (size_t i = 0; i < WINDOWS; i++)
		windows[i].packets = 0;
	assert_int_equal(exact_fit(&f, &v, -1), -ERANGE);
}

/* Reads text as the file of one window: its status; the window as read is in *w. */
static int read_text(const char *text, struct exact_window *w, struct diag *d)
{
	struct exact_variant v = {.windows = w, .nwindows = 1, .program = "bpf_prog_1_xdp_bench"};
	char path[64];
	int fd, err;
	struct exact_tree t;
	struct profile names;

	temporary(path);
	fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	*w = (struct exact_window){};
	profile_init(&names);
	exact_tree_init(&t, &names);
	err = exact_window_read(&t, &v, 0, path, d);
	exact_tree_release(&t);
	profile_release(&names);
	unlink(path);
	return err;
}

static void test_window(void **state)
{
	struct exact_window w;
	struct diag d = {};

	(void)state;
	assert_int_equal(
		read_text("cpu 0 2 110 500 7\npath 0 2 20 veth_poll veth\npath 1 3 30 bpf_prog_1_xdp_bench bpf\n"
			  "path 1 1 40 napi_complete_done -\nbad",
			  &w, &d),
		-EINVAL);
	assert_int_equal(
		read_text("cpu 0 2 90 500 7\npath 0 2 20 veth_poll veth\npath 1 3 30 bpf_prog_1_xdp_bench bpf\n"
			  "path 1 1 40 napi_complete_done -\noutside 410 asm_sysvec_apic_timer_interrupt\n",
			  &w, &d),
		0);
	assert_int_equal(w.polls, 2);
	assert_int_equal(w.packets, 3);
	assert_int_equal(w.wakeups, 1);
	assert_int_equal(w.summed, 90);
	assert_int_equal(w.between, 90);
}

static void test_windows_that_make_no_sense(void **state)
{
	static const char *const texts[] = {
		"path 1 1 1 f -\n",                                /* below nothing */
		"path 0 1 1 f -\npath 2 1 1 g -\n",                /* two levels down at once */
		"path 0 1 f -\n",                                  /* a number is missing */
		"path 0 1 1 f - more\n",                           /* a word too many */
		"cpu 0 1 2 3\n",                                   /* a counter is missing */
		"outside x f\n",                                   /* no number */
		"path 0 1 1 f -\ncpu 0 1 1 1 1\npath 1 1 1 g -\n", /* the path above it is of another CPU */
	};
	struct exact_window w;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct diag d = {};

		assert_int_equal(read_text(texts[i], &w, &d), -EINVAL);
		assert_non_null(strstr(d.text, "line "));
	}
}

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
	struct exact_variant base = {.id = "a", .rows = before, .nrows = 3},
			     new = {.id = "b", .rows = after, .nrows = 3};
	struct exact_diff d;
	double sum = 0;

	(void)state;
	base.total.instructions[EXACT_PACKET] = 140;
	new.total.instructions[EXACT_PACKET] = 211;
	assert_int_equal(exact_diff_build(&d, NULL, &base, NULL, &new), 0);
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),  cmocka_unit_test(test_terms_that_cannot_be_told_apart),
		cmocka_unit_test(test_window), cmocka_unit_test(test_windows_that_make_no_sense),
		cmocka_unit_test(test_diff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
