// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact counts: the model finds what was put in, and files that make no sense are refused. */
#include "reports/exact/exact.h"
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
static void planted(const struct exact_variant *v, struct exact_counts *c)
{
	for (size_t i = 0; i < v->nwindows; i++) {
		const struct exact_window *w = &v->windows[i];

		c->calls[i] = (double)w->packets;
		c->instructions[i] =
			82.0 * (double)w->packets + 63.0 * (double)w->polls + 10.0 * (double)w->wakeups + 5;
	}
}

static void test_model(void **state)
{
	struct exact_counts counts = {};
	struct exact_window windows[WINDOWS];
	struct exact_variant v;
	struct exact_cost cost;
	struct exact_fit f;

	fill(&v, windows);
	planted(&v, &counts);
	assert_int_equal(exact_fit(&f, &v, -1), 0);
	exact_apply(&f, &v, &counts, &cost);
	assert_true(cost.exact);
	assert_true(cost.instructions[EXACT_PACKET] == 82 && cost.instructions[EXACT_POLL] == 63);
	assert_true(cost.instructions[EXACT_WAKEUP] == 10 && cost.instructions[EXACT_FIXED] == 5);
	assert_true(cost.calls == 1);

	/* 64 instructions too many in one window: not exact, off by at most 64 of 160 packets. */
	/* 18 loads a packet; stores that only one window has are off; lines are not counted. */
	assert_true(isnan(cost.memory[EXACT_LOADS]));
	v.memory[EXACT_LOADS] = v.memory[EXACT_STORES] = true;
	for (size_t i = 0; i < WINDOWS; i++)
		counts.memory[EXACT_LOADS][i] = 18.0 * (double)windows[i].packets + 7.0 * (double)windows[i].polls;
	counts.memory[EXACT_STORES][2] = 640;
	exact_apply(&f, &v, &counts, &cost);
	assert_true(cost.memory[EXACT_LOADS] == 18 && cost.memory_residual[EXACT_LOADS] < 1e-6);
	assert_true(cost.memory_residual[EXACT_STORES] > 0.1 && isnan(cost.memory[EXACT_LINES_TOUCHED]));

	counts.instructions[2] += 64;
	exact_apply(&f, &v, &counts, &cost);
	assert_false(cost.exact);
	assert_true(cost.residual > 0.001 && cost.residual <= 0.4);
}

/*
 * All windows but two have a poll for each packet. One of these two decides what a packet costs, so the model goes
 * nearly through it, however wrong its count is: 1000 instructions for 500 packets. The model without it tells.
 */
static void test_one_window_decides(void **state)
{
	static const unsigned int packets[] = {1000, 2000, 3000, 4000, 2500, 2500};
	static const unsigned int polls[] = {1000, 2000, 3000, 4000, 2500, 2000};
	struct exact_window windows[WINDOWS];
	struct exact_counts counts = {};
	struct exact_variant v;
	struct exact_cost cost;
	struct exact_fit f;

	fill(&v, windows);
	for (size_t i = 0; i < WINDOWS; i++)
		windows[i] = (struct exact_window){.packets = packets[i], .polls = polls[i] + (i == 2 ? 50 : 0)};
	planted(&v, &counts);
	assert_int_equal(exact_fit(&f, &v, -1), 0);
	assert_true(f.terms[EXACT_POLL] && !f.terms[EXACT_WAKEUP]);
	exact_apply(&f, &v, &counts, &cost);
	assert_true(cost.exact && cost.residual < 1e-6);
	counts.instructions[WINDOWS - 1] += 1000;
	exact_apply(&f, &v, &counts, &cost);
	assert_true(cost.instructions[EXACT_PACKET] > 83.9 && cost.residual > 1.9 && !cost.exact);
}

static void test_mean(void **state)
{
	struct exact_window windows[WINDOWS];
	struct exact_counts counts = {};
	struct exact_variant v;
	struct exact_cost cost;
	struct exact_fit f;

	fill(&v, windows);
	v.memory[EXACT_LINES_TRANSFERRED] = true;
	for (size_t i = 0; i < WINDOWS; i++)
		counts.memory[EXACT_LINES_TRANSFERRED][i] = 0.5 * (double)windows[i].packets;
	counts.memory[EXACT_LINES_TRANSFERRED][1] += 40; /* of 160 packets */
	assert_int_equal(exact_fit_mean(&f, &v), 0);
	exact_apply(&f, &v, &counts, &cost);
	assert_true(fabs(cost.memory[EXACT_LINES_TRANSFERRED] - (0.5 + 40.0 / 3840)) < 1e-6);
	assert_true(fabs(cost.memory_residual[EXACT_LINES_TRANSFERRED] - (0.25 - 40.0 / 3840)) < 1e-6);

	for (size_t i = 0; i < WINDOWS; i++)
		windows[i].packets = 0;
	assert_int_equal(exact_fit_mean(&f, &v), -ERANGE);
}

static void test_terms_that_cannot_be_told_apart(void **state)
{
	struct exact_counts counts = {};
	struct exact_window windows[WINDOWS];
	struct exact_variant v;
	struct exact_cost cost;
	struct exact_fit f;

	fill(&v, windows);
	for (size_t i = 0; i < WINDOWS; i++)
		windows[i].wakeups = windows[i].polls;
	planted(&v, &counts);
	assert_int_equal(exact_fit(&f, &v, -1), 0);
	assert_true(f.terms[EXACT_PACKET] && f.terms[EXACT_POLL] && !f.terms[EXACT_WAKEUP]);
	exact_apply(&f, &v, &counts, &cost);
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
	int err;
	struct exact_tree t;
	struct profile names;

	write_temporary(path, text);
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

static void test_window_with_memory(void **state)
{
	struct exact_window w;
	struct diag d = {};

	assert_int_equal(read_text("cpu 0 0 0 900 7 0 0 0 0 0\ncpu 1 2 50 500 7 9 5 3 1 2\n"
				   "path 0 2 20 veth_poll veth 4 3 2 0 0\n"
				   "path 1 3 30 bpf_prog_1_xdp_bench bpf 5 2 1 1 2\n",
				   &w, &d),
			 0);
	for (int m = 0; m < EXACT_MEMORY; m++)
		assert_true(w.memory[m] && w.memory_summed[m] == w.memory_between[m]);
	assert_int_equal(w.memory_summed[EXACT_LOADS], 9);
	assert_int_equal(w.memory_summed[EXACT_LINES_TRANSFERRED], 1);
	assert_int_equal(w.memory_summed[EXACT_LINES_DEVICE], 2);

	/* Data structures of a path; their sums are independent of those of the paths. */
	assert_int_equal(read_text("cpu 0 2 50 500 7 9 5 3 1 2\npath 0 2 50 veth_poll veth 9 5 3 1 2\n"
				   "at 8 1 2 1 2 slab a b\nat 1 3 1 0 0 stack\n",
				   &w, &d),
			 0);
	assert_int_equal(w.memory_placed[EXACT_LOADS], 9);
	assert_int_equal(w.memory_placed[EXACT_STORES], 4);
	assert_int_equal(w.memory_placed[EXACT_LINES_TRANSFERRED], 1);
	assert_int_equal(w.memory_placed[EXACT_LINES_DEVICE], 2);

	/* An older run has no lines of a device; one of the lab does not know them. */
	assert_int_equal(
		read_text("cpu 0 2 50 500 7 9 5 3 1\npath 0 2 50 veth_poll veth 9 5 3 1\nat 9 5 3 1 a 2\n", &w, &d), 0);
	assert_int_equal(w.memory_placed[EXACT_LINES_TRANSFERRED], 1);
	assert_false(w.memory[EXACT_LINES_DEVICE]);
	assert_int_equal(read_text("cpu 0 2 50 500 7 9 5 3 1 -\npath 0 2 50 veth_poll veth 9 5 3 1 -\n", &w, &d), 0);
	assert_true(w.memory[EXACT_LINES_TRANSFERRED] && !w.memory[EXACT_LINES_DEVICE]);

	/* One vCPU: no line can come from another one. The residual of the lines is seen. */
	assert_int_equal(read_text("cpu 0 2 50 500 7 9 5 3 - 1\npath 0 2 50 veth_poll veth 9 5 2 - 1\n", &w, &d), 0);
	assert_true(w.memory[EXACT_LINES_TOUCHED] && !w.memory[EXACT_LINES_TRANSFERRED]);
	assert_true(w.memory[EXACT_LINES_DEVICE]);
	assert_int_equal(w.memory_between[EXACT_LINES_TOUCHED] - w.memory_summed[EXACT_LINES_TOUCHED], 1);

	/* A vCPU without counts of memory: they are not known. */
	assert_int_equal(read_text("cpu 0 1 1 9 7 1 1 1 1 1\ncpu 1 2 50 500 7\n", &w, &d), 0);
	for (int m = 0; m < EXACT_MEMORY; m++)
		assert_false(w.memory[m]);
}

static void test_windows_that_make_no_sense(void **state)
{
	static const char *const texts[] = {
		"path 1 1 1 f -\n",                                            /* below nothing */
		"path 0 1 1 f -\npath 2 1 1 g -\n",                            /* two levels down at once */
		"path 0 1 f -\n",                                              /* a number is missing */
		"path 0 1 1 f - more\n",                                       /* a word too many */
		"cpu 0 1 2 3 4,5 6 7 8\n",                                     /* no blank before the memory */
		"cpu 0 1 2 3\n",                                               /* a counter is missing */
		"outside x f\n",                                               /* no number */
		"cpu 0 1 2 3 4 5 6 7\n",                                       /* three counts of memory */
		"cpu 0 1 2 3 4 5 6 7 8 9 9\n",                                 /* six */
		"cpu 0 1 2 3 4 5 6 7 8 x\n",                                   /* a fifth one that is none */
		"cpu 0 1 2 3 4 5 6 7 8\npath 0 1 1 f - 1 1 1 1 1\n",           /* a line of a device, of one without */
		"cpu 0 1 2 3 4 5 6 - 8\n",                                     /* one that has to be known */
		"cpu 0 1 2 3 4 5 6 7 -1\n",                                    /* less than nothing */
		"cpu 0 1 2 3 4 5 6 7 99999999999999999999\n",                  /* more than a number holds */
		"cpu 0 1 2 3 4 5 6 7 9007199254740993\n",                      /* more than a double holds */
		"cpu 0 1 2 3 4\npath 0 1 1 f - 1 1 1 1\n",                     /* of a vCPU without counts of memory */
		"cpu 0 1 2 3 4 5 6 7 8\npath 0 1 1 f - 1 1 1 -\n",             /* not known, of one that has them */
		"path 0 1 1 f -\ncpu 0 1 1 1 1\npath 1 1 1 g -\n",             /* the path above it is of another CPU */
		"cpu 0 1 2 3 4 5 6 7 8\nat 1 1 1 1 stack\n",                   /* a data structure without a path */
		"cpu 0 1 2 3 4 5 6 7 8\npath 0 1 1 f - 1 1 1 1\nat 1 1 1 1\n", /* without a name */
		"cpu 0 1 2 3 4 5 6 7 8\npath 0 1 1 f - 1 1 1 1\nat 1 1 1 - stack\n", /* not known, of one that has it */
		"cpu 0 1 2 3 4\npath 0 1 1 f -\nat 1 1 1 1 stack\n",                 /* of a vCPU without memory */
		"cpu 0 1 2 3 4\npath 0 1 9007199254740992 f -\npath 0 1 1 g -\n",    /* a sum that no double holds */
		"cpu 0 1 2 3 4\npath 0 9007199254740992 1 f -\npath 0 1 1 g -\n",
	};
	struct exact_window w;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct diag d = {};

		assert_int_equal(read_text(texts[i], &w, &d), -EINVAL);
		assert_non_null(strstr(d.text, "line "));
	}
}

static struct exact_row transferred(const char *name, double lines)
{
	struct exact_row r = {.name = name, .module = "", .facility = "rest"};

	r.cost.memory[EXACT_LINES_TRANSFERRED] = lines;
	return r;
}

/* Lines transferred come from the machine with two CPUs, all else from that with one. */
static void test_transfers(void **state)
{
	struct exact_row two[] = {transferred("veth_xdp_rcv", 1.25), transferred("free_unref_page", 0.5),
				  transferred("nothing", 0)};
	struct exact_variant v = {}, shared = {.rows = two, .nrows = 3, .memory[EXACT_LINES_TRANSFERRED] = true};
	struct exact_row *one = calloc(2, sizeof(*one));

	assert_non_null(one);
	profile_init(&v.names);
	one[0] = transferred("veth_xdp_rcv", NAN);
	one[1] = transferred("alone", NAN);
	one[0].cost.instructions[EXACT_PACKET] = 43;
	v.rows = one;
	v.nrows = 2;
	v.total.memory[EXACT_LINES_TRANSFERRED] = NAN;
	shared.total.memory[EXACT_LINES_TRANSFERRED] = 1.75;
	assert_int_equal(exact_take_transfers(&v, &shared), 0);
	assert_true(v.memory[EXACT_LINES_TRANSFERRED] && v.total.memory[EXACT_LINES_TRANSFERRED] == 1.75);
	assert_int_equal(v.nrows, 3);
	assert_true(v.rows[0].cost.memory[EXACT_LINES_TRANSFERRED] == 1.25);
	assert_true(v.rows[0].cost.instructions[EXACT_PACKET] == 43);
	assert_true(v.rows[1].cost.memory[EXACT_LINES_TRANSFERRED] == 0); /* it ran there without one */
	assert_string_equal(v.rows[2].name, "free_unref_page");
	assert_true(v.rows[2].cost.memory[EXACT_LINES_TRANSFERRED] == 0.5);
	assert_true(v.rows[2].cost.instructions[EXACT_PACKET] == 0);
	free(v.rows);
	free(v.facilities);
	profile_release(&v.names);
}

static struct exact_place placed(const char *name, const char *function, double loads, double lines)
{
	struct exact_place p = {.name = name, .function = function, .module = function ? "veth" : NULL};

	p.memory[EXACT_LOADS] = loads;
	p.memory[EXACT_LINES_TRANSFERRED] = lines;
	return p;
}

/* Functions are summed for each data structure; lines transferred come from the other machine. */
static void test_places(void **state)
{
	struct exact_place theirs[] = {placed("page", NULL, 5, 1.5), placed("ring", NULL, 5, 0.25)};
	struct exact_place theirs_by[] = {placed("page", "veth_poll", 5, 1.5), placed("ring", "veth_poll", 5, 0.25)};
	struct exact_variant v, shared = {.places = theirs, .nplaces = 2, .spots = theirs_by, .nspots = 2};
	const uint64_t first[EXACT_MEMORY] = {32}, second[EXACT_MEMORY] = {64};
	struct exact_window windows[WINDOWS];
	struct exact_tree t;
	struct exact_fit fit;
	uint32_t poll, rcv;

	fill(&v, windows);
	v.memory[EXACT_LOADS] = v.memory[EXACT_STORES] = true;
	profile_init(&v.names);
	exact_tree_init(&t, &v.names);
	assert_int_equal(profile_add_symbol(&v.names, "veth_poll", 9, "veth", 4, SPACE_KERNEL, &poll), 0);
	assert_int_equal(profile_add_symbol(&v.names, "veth_xdp_rcv", 12, "veth", 4, SPACE_KERNEL, &rcv), 0);
	for (size_t w = 0; w < WINDOWS; w++)
		for (uint64_t k = 0; k < windows[w].packets; k += 32) {
			assert_int_equal(exact_spot_add(&t, poll, "page", w, first), 0);
			assert_int_equal(exact_spot_add(&t, rcv, "page", w, second), 0);
			assert_int_equal(exact_spot_add(&t, rcv, "stack", w, first), 0);
		}
	assert_int_equal(exact_fit(&fit, &v, -1), 0);
	assert_int_equal(exact_build_places(&v, &t, &fit), 0);
	assert_int_equal(v.nplaces, 2);
	assert_int_equal(v.nspots, 3);
	for (size_t i = 0; i < 2; i++)
		assert_true(v.places[i].memory[EXACT_LOADS] == (strcmp(v.places[i].name, "page") ? 1 : 3));

	assert_int_equal(exact_take_places(&v, &shared), 0);
	assert_int_equal(v.nplaces, 3);
	assert_int_equal(v.nspots, 4);
	assert_string_equal(v.places[0].name, "page"); /* most lines */
	assert_true(v.places[0].memory[EXACT_LINES_TRANSFERRED] == 1.5 && v.places[0].memory[EXACT_LOADS] == 3);
	assert_string_equal(v.places[1].name, "ring"); /* that the other machine alone has */
	assert_true(v.places[1].memory[EXACT_LINES_TRANSFERRED] == 0.25 && v.places[1].memory[EXACT_LOADS] == 0);
	assert_true(v.places[2].memory[EXACT_LINES_TRANSFERRED] == 0);
	assert_string_equal(v.spots[0].function, "veth_poll");
	free(v.places);
	free(v.spots);
	exact_tree_release(&t);
	profile_release(&v.names);
}

/* A function without state takes more by 0.001; one with state, by more than both runs deviate. */
static void test_bounds(void **state)
{
	static const struct {
		double change;
		bool exact;
		enum exact_verdict verdict;
	} cases[] = {{0.0001, true, EXACT_SAME}, {0.001, true, EXACT_MORE},  {-0.001, true, EXACT_LESS},
		     {0.29, false, EXACT_SAME},  {0.301, false, EXACT_MORE}, {-0.301, false, EXACT_LESS}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct exact_diff_row row = {.change = cases[i].change, .exact = cases[i].exact};

		row.base.residual = 0.1;
		row.new.residual = 0.2;
		assert_int_equal(exact_check_function(&row), cases[i].verdict);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_one_window_decides),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_terms_that_cannot_be_told_apart),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_window_with_memory),
		cmocka_unit_test(test_windows_that_make_no_sense),
		cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
