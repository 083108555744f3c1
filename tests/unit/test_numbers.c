// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every number of analyses and comparisons, to six digits, of recorded runs and of runs whose truth is known: kept in
 * tests/golden/numbers/. After a change that is meant: UPDATE=1 build/tests/unit/test_numbers, and read the difference.
 */
#include "reports/format/format.h"
#include "tests/unit/kept.h"
#include "tests/unit/put_numbers.h"

static void end_check(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "tests/golden/numbers/%s.txt", name);
	kept_end(path);
}

static void check(const char *name, const struct analysis *a)
{
	out = kept_begin();
	put_speed(&a->speed);
	put_quality(&a->quality);
	for (size_t i = 0; i < a->nvariants; i++)
		put_variant(&a->variants[i]);
	for (size_t i = 1; i < a->nvariants; i++)
		put_comparison(&a->variants[0], &a->variants[i]);
	end_check(name);
}

static void check_recorded(const char *name, const char *dir)
{
	struct analysis_options o;
	struct diag d = {""};
	struct measured m;

	memset(&m, 0, sizeof(m));
	o = (struct analysis_options){};
	o.stacks = true;
	if (run_read(&m.run, dir, &d) || facilities_read(&m.f, "tests/synthetic.conf", &d) ||
	    analysis_build(&m.a, &m.run, dir, m.f, &o, &d))
		fail_msg("%s", d.text);
	check(name, &m.a);
	measured_release(&m);
}

static void test_recorded(void **state)
{
	check_recorded("recorded", "build/runs/recorded");
	check_recorded("turns", "build/runs/fw1");
}

static void test_synthetic(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured m;

	o.rounds = 5;
	o.window_ms = 50;
	o.counted = true;
	o.scatter_pct = 3;
	o.overhead_pct = 2;
	o.waits_ns = 12;
	o.busy = 0.8;
	o.placements = "nfnnnnmnff";
	measure(&m, &o);
	check("counted", &m.a);
	measured_release(&m);
	o = two_modes();
	o.rounds = 4;
	o.window_ms = 50;
	o.threaded = false;
	o.busy = 0.6;
	measure(&m, &o);
	check("softirq", &m.a);
	measured_release(&m);
	o = two_modes();
	o.variants = synthetic_redirects;
	o.rounds = 4;
	o.window_ms = 50;
	o.stage_ns = 250;
	o.stage_dropped_pct = 2.5;
	measure(&m, &o);
	check("to-cpu", &m.a);
	measured_release(&m);
	o = two_modes();
	o.variants = synthetic_second_device;
	o.nvariants = 1;
	o.rounds = 3;
	o.window_ms = 50;
	measure(&m, &o);
	check("to-device", &m.a);
	measured_release(&m);
}

/* Blocks 4 and 5 of a slow machine: their probes, of which two in four are under load, say 1.2 times, packets 1.3. */
static void probe(struct run_block *b, int i)
{
	double slow = i / 2 == 2 ? 1.2 : 1;

	for (int k = 0; k < 4; k++) {
		struct run_speed *s = run_add_speed(b);

		s->at_ns = b->windows[0].from_ns + (uint64_t)k * 1000000;
		s->loaded = k % 2;
		s->ns = 10 * slow * (s->loaded ? 1.1 + 0.1 * (i % 2) : 1) * (1 + 0.001 * ((i * 7 + k * 3) % 11));
	}
	for (size_t k = 0; k < b->nwindows; k++)
		b->windows[k].busy_ns *= i / 2 == 2 ? 1.3 : 1;
}

/* Calls that are counted one by one, polls, waits, a planted cost, another task's steal, and a clock that moves. */
static void enrich(struct run *r)
{
	static const char *const functions[] = {"veth_xdp_rcv.constprop.0", "napi_gro_receive"};

	for (size_t i = 0; i < r->nblocks; i++) {
		struct run_block *b = &r->blocks[i];
		double packets = run_window_packets(&b->windows[0]);
		struct run_window *w;

		probe(b, (int)i);
		for (size_t k = 0; k < b->nwindows; k++) {
			w = &b->windows[k];
			w->steal_ns = 1e5 * (double)(k + 1);
			w->freq_khz = 2.1e6 + 1e4 * (double)(i % 5);
			w->plant_ns = (10 + (double)b->variant) * run_window_packets(w);
			w->has_polls = true;
			w->polls = 1000 + 10 * i;
			w->polls_empty = 40;
			w->poll_packets = 60 * w->polls;
			w->poll_hist[0] = 40;
			w->poll_hist[RUN_POLL_HIST - 2] = w->polls - 40;
		}
		for (int k = 0; k < 2; k++) {
			w = run_add_window(b);
			w->kind = RUN_CALLS;
			w->from_ns = b->windows[0].from_ns;
			w->to_ns = w->from_ns + 1000000;
			run_add_cpu(w, SYNTHETIC_RX_CPU)->verdicts[RUN_DROP] = (uint64_t)(packets / 2);
			snprintf(w->calls.function, sizeof(w->calls.function), "%s", functions[k]);
			w->calls.calls = (uint64_t)packets / (k ? 64 : 1);
			w->calls.timed = w->calls.calls / 4;
			w->calls.ns = (double)w->calls.timed * (55 + 3 * (double)i);
			w->calls.probe_ns = 21;
		}
		b->totals.gen_errors = (int64_t)(packets / 50);
		b->totals.perf_lost = (int64_t)i % 2;
	}
	for (size_t i = 0; i < r->nvariants; i++) {
		r->variants[i].plant = RUN_PLANT_CHAIN;
		r->variants[i].plant_asked_ns = r->variants[i].plant_ns = 10 + (double)i;
	}
}

static void make_rich(struct measured *m)
{
	struct synthetic_options o = two_modes();
	struct analysis_options ao;

	ao = (struct analysis_options){};
	ao.stacks = true;
	o.rounds = 7;
	o.window_ms = 50;
	o.scatter_pct = 1;
	o.waits_ns = 5;
	o.counted = true;
	measured_record(m, &o);
	enrich(&m->run);
	measured_analyse(m, &ao);
}

static void test_rich(void **state)
{
	struct measured m;

	make_rich(&m);
	check("rich", &m.a);
	measured_release(&m);
}

/* The same run in every format of text that has no pictures or programs of its own. */
static void test_formats(void **state)
{
	static const char *const others[] = {"html", "svg", "pprof", "ladder-html", "jsonl"};
	struct render_options o = {.program = "xdpzoom", .dir = "run"};
	struct measured m;
	struct compare c;

	make_rich(&m);
	compare(&c, &m.a.variants[0], &m.a.variants[1]);
	for (size_t i = 0; i < 2 * nformats; i++) {
		const struct format *format = &formats[i / 2];
		bool other = i % 2 ? !(format->of & KIND(DOCUMENT_DIFF)) : !(format->of & KIND(DOCUMENT_REPORT));
		struct document doc;
		char path[128];
		int err;

		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
			other |= !strcmp(format->name, others[k]);
		if (other)
			continue;
		out = kept_begin();
		err = i % 2 ? document_of_diff(&doc, &c) : document_of_report(&doc, &m.a, NULL);
		assert_int_equal(format_write(format, out, &doc, err, &o), 0);
		snprintf(path, sizeof(path), "tests/golden/numbers/rich-%s.%s", i % 2 ? "diff" : "report",
			 format->name);
		kept_end(path);
	}
	compare_release(&c);
	measured_release(&m);
}

/* Of two runs, blocks are groups; the second run is on other CPUs, and has fewer blocks. */
static void test_two_runs(void **state)
{
	struct synthetic_options o = two_modes();
	struct measured m, n;

	o.rounds = 5;
	o.window_ms = 50;
	o.scatter_pct = 2;
	measure(&m, &o);
	o.rounds = 4;
	o.far_factor = 1.2;
	o.placements = "ffffffff";
	measure(&n, &o);
	out = kept_begin();
	put_comparison(&m.a.variants[0], &n.a.variants[0]);
	put_comparison(&n.a.variants[1], &m.a.variants[1]);
	end_check("two-runs");
	measured_release(&m);
	measured_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded), cmocka_unit_test(test_synthetic), cmocka_unit_test(test_rich),
		cmocka_unit_test(test_formats),  cmocka_unit_test(test_two_runs),
	};

	return cmocka_run_group_tests_name("numbers", tests, make_folder, remove_folder);
}
