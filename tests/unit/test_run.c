// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run directory keeps what was put in, and refuses what it cannot stand for.
 */
#include <sys/wait.h>
#include "reports/run/fields.h"
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static void fill_head(struct run *r)
{
	run_init(r);
	strcpy(r->version, "0.1.0");
	strcpy(r->started, "2026-01-02T03:04:05Z");
	r->command = json_pack("[s,s]", "record", "veth0");
	r->environment = json_pack("{s:s}", "kernel", "6.18");
	r->device = json_pack("{s:s}", "driver", "veth");
	r->load = json_pack("{s:i, s:i}", "size_bytes", 64, "cpu", 5);
	strcpy(r->event, "cpu-clock");
	r->sample_hz = 397;
	r->sample_cost_ns = 15000.25;
	r->napi_threaded = true;
	r->napi_tids[r->nnapi_tids++] = 4711;
	r->napi_tids[r->nnapi_tids++] = 4712;
	r->rx_cpus[r->nrx_cpus++] = 1;
	strcpy(r->order, "balanced");
	r->view = RUN_VIEW_WORK;
	strcpy(r->view_why, "this kernel refuses turns");
	r->turn_frames = 16384;
	r->turn_lead = 512;
	r->stamp_ns = 0.75;
	r->seed = UINT64_MAX - 1;
	strcpy(r->ended, "complete");
	r->precision_pct = 2.5;
	r->precision_reached_pct = 2.25;
	strcpy(r->precision_stop, "precision");
	r->tracers_known = true;
	*run_add_tracer(r) = (struct run_tracer){.name = "snoop", .tag = "0123456789abcdef", .own = true};
	*run_add_tracer(r) = (struct run_tracer){"polls", "fedcba9876543210", "napi_poll", "a \xff owner", false};
}

static void fill_variants(struct run *r)
{
	struct diag d = {""};

	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch@native", &d), 0);
	assert_int_equal(run_variant_parse(run_add_variant(r), "tx/swap-macs+walk200@skb", &d), 0);
	r->variants[1].plant_ns = 203.1;
	r->variants[1].plant_steps = 7;
	assert_int_equal(run_variant_parse(run_add_variant(r), "redirect-cpu/no-touch@skb", &d), 0);
	r->variants[2].stage_cpu = 3;
	strcpy(r->variants[2].stage_text, "cpumap kthread on CPU 3");
}

static void fill_block(struct run_block *b)
{
	b->round = 3;
	b->variant = 1;
	b->prog_id = 4000000000u, b->prog_instructions = 16, b->prog_bytes = 0;
	strcpy(b->prog_tag, "662b9cae761bf6ab");
	strcpy(b->prog_name, "xdp_tx");
	b->mode_found = RUN_MODE_SKB;
	b->placement_ns[1] = 51.5;
	strcpy(b->script, "blocks/001.script");
	b->totals.gen_sent = 1234567890123;
	b->totals.sink_frames = 0;
	b->totals.redirected = 900;
	b->totals.stage_frames = 899;
	b->totals.stage_dropped = 1;
	b->stage_tid = 815;
	b->sample_hz = 521;
	b->totals.tx_sent = 77;
}

static void fill_base_window(struct run_window *w)
{
	struct run_cpu *c;

	w->from_ns = 1000;
	w->to_ns = 500001000;
	w->busy_ns = 0.1 + 0.2; /* not a short decimal: must come back to the bit */
	w->waits_ns = 2.25;
	w->own_ns = 3.25;
	w->plant_ns = 1.75;
	w->stage_busy_ns = 1.5;
	w->stage_packets = 88;
	c = run_add_cpu(w, 1);
	c->verdicts[RUN_TX] = 77;
	c->verdicts[RUN_REDIRECT] = 1;
	w->counters = (struct run_counters){.from_ns = 900, .to_ns = 500002000, .packets = 78};
	counters_append(&w->counters.changed, COUNTER_ETHTOOL, "rx_queue_0_xdp_tx", 17, 77, true);
	counters_append(&w->counters.changed, COUNTER_LINK, "tx_packets", 10, 0, false);
}

static void fill_profile_window(struct run_window *w)
{
	struct run_event *e;

	w->kind = RUN_PROFILE;
	w->from_ns = 500001000;
	w->to_ns = 600001000;
	e = run_add_event(w);
	strcpy(e->name, "L1-icache-load-misses");
	e->count = 12345;
	e->running_pct = 66.7;
	e->enabled_ns = 1.5e8;
	run_add_event(w);
	w->has_polls = true;
	w->polls = 10;
	w->poll_packets = 640;
	w->poll_hist[64] = 10;
	w->calls = (struct run_calls){"napi_gro_receive", 640, 639, 12345.5, 20.25};
}

static void fill(struct run *r)
{
	struct run_block *b;

	fill_head(r);
	fill_variants(r);
	run_add_block(r);
	b = run_add_block(r);
	fill_block(b);
	fill_base_window(run_add_window(b));
	fill_profile_window(run_add_window(b));
}

static void write_and_read(struct run *back)
{
	struct diag d = {""};
	struct run r;

	fill(&r);
	assert_int_equal(run_write(&r, folder, &d), 0);
	assert_int_equal(run_read(back, folder, &d), 0);
	assert_true(json_equal(back->load, r.load) && json_equal(back->command, r.command));
	run_release(&r);
}

static struct run_facts facts_of(json_t *device, json_t *load)
{
	struct run_facts facts;
	struct run r;

	run_init(&r);
	r.device = device;
	r.load = load;
	run_take_facts(&r);
	facts = r.facts;
	run_release(&r);
	return facts;
}

/* A generator of ours has a CPU; what others send, or send from elsewhere, has none. */
static void test_facts(void **state)
{
	struct run_facts f = facts_of(json_pack("{s:{s:i, s:i}}", "rings", "rx", 512, "tx", 256),
				      json_pack("{s:i, s:f}", "cpu", 0, "rate_pps", 4.5e6));

	assert_int_equal(f.load_cpu, 0);
	assert_true(f.load_rate_pps == 4.5e6 && f.tx_ring_frames == 256);
	f = facts_of(json_pack("{s:n}", "rings"), json_pack("{s:s}", "kind", "external"));
	assert_int_equal(f.load_cpu, -1);
	assert_true(f.load_rate_pps == 0 && isnan(f.tx_ring_frames));
	assert_null(f.device);
	assert_null(f.kernel);
	assert_int_equal(facts_of(NULL, json_pack("{s:s}", "cpu", "one")).load_cpu, -1);
	assert_int_equal(facts_of(NULL, json_pack("{s:I}", "cpu", 1LL << 32)).load_cpu, -1);
}

static void test_facts_in_words(void **state)
{
	struct run r;

	run_init(&r);
	r.device = json_pack("{s:s, s:n}", "name", "eth0", "driver");
	r.environment = json_pack("{s:s, s:i}", "kernel", "6.18.0", "cpu_model", 5);
	run_take_facts(&r);
	assert_string_equal(r.facts.device, "eth0");
	assert_string_equal(r.facts.kernel, "6.18.0");
	assert_null(r.facts.driver);
	assert_null(r.facts.cpu_model);
	run_release(&r);
	assert_null(r.facts.device);
}

static void test_round_trip_of_the_run(void **state)
{
	struct run back;

	write_and_read(&back);
	assert_string_equal(back.started, "2026-01-02T03:04:05Z");
	assert_true(back.seed == UINT64_MAX - 1);
	assert_int_equal(back.view, RUN_VIEW_WORK);
	assert_string_equal(back.view_why, "this kernel refuses turns");
	assert_true(back.turn_frames == 16384 && back.turn_lead == 512 && back.stamp_ns == 0.75);
	assert_true(back.sample_cost_ns == 15000.25);
	assert_true(isnan(back.overhead_budget_pct));
	assert_int_equal(back.nnapi_tids, 2);
	assert_int_equal(back.napi_tids[1], 4712);
	assert_int_equal(back.rx_cpus[0], 1);
	assert_int_equal(back.facts.load_cpu, 5);
	assert_string_equal(back.variants[1].id, "tx/swap-macs+walk200@skb");
	assert_int_equal(back.variants[1].plant, RUN_PLANT_WALK);
	assert_true(back.variants[1].plant_asked_ns == 200 && back.variants[1].plant_ns == 203.1);
	assert_int_equal(back.variants[1].plant_steps, 7);
	assert_int_equal(back.variants[0].plant, RUN_PLANT_NONE);
	assert_int_equal(back.variants[0].stage_cpu, -1);
	assert_int_equal(back.variants[2].stage, RUN_STAGE_CPU);
	assert_int_equal(back.variants[2].stage_cpu, 3);
	assert_string_equal(back.variants[2].stage_text, "cpumap kthread on CPU 3");
	assert_true(back.precision_pct == 2.5 && back.precision_reached_pct == 2.25);
	assert_string_equal(back.precision_stop, "precision");
	assert_true(back.tracers_known && back.ntracers == 2 && back.tracers[0].own && !back.tracers[1].own);
	assert_string_equal(back.tracers[0].tag, "0123456789abcdef");
	assert_true(!*back.tracers[0].hook && !*back.tracers[0].owner);
	assert_string_equal(back.tracers[1].hook, "napi_poll");
	assert_int_equal(back.nblocks, 2);
	assert_int_equal(back.blocks[0].script[0], 0);
	run_release(&back);
	run_release(&back);
}

static void test_round_trip_of_a_block(void **state)
{
	const struct run_block *b;
	struct run back;

	write_and_read(&back);
	b = &back.blocks[1];
	assert_int_equal(b->round, 3);
	assert_int_equal(b->variant, 1);
	assert_true(b->prog_id == 4000000000u && b->prog_instructions == 16 && b->prog_bytes == 0);
	assert_string_equal(b->prog_tag, "662b9cae761bf6ab");
	assert_true(isnan(b->placement_ns[0]) && b->placement_ns[1] == 51.5);
	assert_true(b->totals.gen_sent == 1234567890123);
	assert_true(b->totals.sink_frames == 0 && b->totals.gen_errors == -1);
	assert_true(b->totals.redirected == 900 && b->totals.stage_frames == 899 && b->totals.stage_dropped == 1);
	assert_true(b->stage_tid == 815 && back.blocks[0].stage_tid == -1);
	assert_true(b->sample_hz == 521 && back.blocks[0].sample_hz == 0);
	assert_true(b->totals.tx_sent == 77 && b->totals.link_sent == -1);
	run_release(&back);
}

static void test_round_trip_of_windows(void **state)
{
	const struct run_block *b;
	struct run back;

	write_and_read(&back);
	b = &back.blocks[1];
	assert_true(b->windows[0].waits_ns == 2.25 && isnan(b->windows[1].waits_ns));
	assert_true(b->windows[0].own_ns == 3.25 && isnan(b->windows[1].own_ns));
	assert_true(b->windows[0].plant_ns == 1.75 && isnan(b->windows[1].plant_ns));
	assert_true(run_window_ns(&b->windows[0]) == 3.25);
	assert_true(run_window_ns(&b->windows[1]) == (double)(b->windows[1].to_ns - b->windows[1].from_ns));
	assert_true(b->windows[0].stage_busy_ns == 1.5 && b->windows[0].stage_packets == 88);
	assert_true(isnan(b->windows[1].stage_busy_ns) && b->windows[1].stage_packets == -1);
	assert_int_equal(b->nwindows, 2);
	assert_true(b->windows[0].kind == RUN_BASE && b->windows[1].kind == RUN_PROFILE);
	assert_true(b->windows[0].busy_ns == 0.1 + 0.2);
	assert_true(isnan(b->windows[1].busy_ns));
	assert_int_equal(b->windows[0].calls.function[0], 0);
	assert_string_equal(b->windows[1].calls.function, "napi_gro_receive");
	assert_true(b->windows[1].calls.calls == 640 && b->windows[1].calls.timed == 639);
	assert_true(b->windows[1].calls.ns == 12345.5 && b->windows[1].calls.probe_ns == 20.25);
	assert_int_equal(b->windows[0].cpus[0].verdicts[RUN_TX], 77);
	assert_int_equal(b->windows[0].cpus[0].verdicts[RUN_REDIRECT], 1);
	assert_true(b->windows[0].nevents == 0 && b->windows[1].nevents == 2);
	assert_string_equal(b->windows[1].events[0].name, "L1-icache-load-misses");
	assert_true(b->windows[1].events[0].count == 12345 && b->windows[1].events[0].running_pct == 66.7);
	assert_true(b->windows[1].events[0].enabled_ns == 1.5e8);
	assert_true(isnan(b->windows[1].events[1].count) && isnan(b->windows[1].events[1].enabled_ns));
	assert_true(b->counters.to_ns == 0 && b->windows[1].counters.to_ns == 0);
	assert_true(b->windows[0].counters.from_ns == 900 && b->windows[0].counters.packets == 78);
	assert_int_equal(b->windows[0].counters.changed.n, 2);
	assert_string_equal(b->windows[0].counters.changed.list[0].name, "rx_queue_0_xdp_tx");
	assert_true(b->windows[0].counters.changed.list[0].value == 77);
	assert_false(counter_of(&b->windows[0].counters.changed, COUNTER_LINK, "tx_packets")->known);
	assert_true(!b->windows[0].has_polls && b->windows[1].has_polls);
	assert_int_equal(b->windows[1].poll_hist[64], 10);
	run_release(&back);
}

/* Every member is needed: with any one taken away the reader says which one. */
static void refused_without(json_t *whole, json_t *holder, const char *name)
{
	json_t *kept = json_incref(json_object_get(holder, name));
	struct diag d = {""};
	char path[256];
	struct run r;

	assert_non_null(kept);
	json_object_del(holder, name);
	assert_int_equal(json_dump_file(whole, in_dir(path, sizeof(path), "run.json"), 0), 0);
	assert_int_equal(run_read(&r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, name));
	assert_int_equal(r.nblocks, 0);
	json_object_set_new(holder, name, kept);
}

static void test_missing_members(void **state)
{
	static const char *const top[] = {
		"version",       "started", "command",   "environment",    "device",
		"load",          "event",   "sample_hz", "sample_cost_ns", "overhead_budget_pct",
		"napi_threaded", "rx_cpus", "order",     "seed",           "variants",
		"blocks",        "ended",   "schema"};
	static const char *const block[] = {"index",      "round",        "variant", "prog_id", "prog_tag", "prog_name",
					    "mode_found", "placement_ns", "script",  "windows", "totals"};
	static const char *const window[] = {"kind",     "from_ns",    "to_ns", "busy_ns", "steal_ns",
					     "freq_khz", "softirq_ns", "cpus",  "polls"};
	static const char *const totals[] = {"gen_sent",  "gen_errors",  "rx_seen", "rx_named_drops", "tx_verdicts",
					     "tx_errors", "sink_frames", "stray",   "perf_lost"};
	struct diag d = {""};
	json_t *whole, *b, *w;
	char path[256];
	struct run r;

	fill(&r);
	assert_int_equal(run_write(&r, folder, &d), 0);
	run_release(&r);
	whole = json_load_file(in_dir(path, sizeof(path), "run.json"), 0, NULL);
	assert_non_null(whole);
	b = json_array_get(json_object_get(whole, "blocks"), 1);
	w = json_array_get(json_object_get(b, "windows"), 0);
	for (size_t i = 0; i < sizeof(top) / sizeof(top[0]); i++)
		refused_without(whole, whole, top[i]);
	for (size_t i = 0; i < sizeof(block) / sizeof(block[0]); i++)
		refused_without(whole, b, block[i]);
	for (size_t i = 0; i < sizeof(window) / sizeof(window[0]); i++)
		refused_without(whole, w, window[i]);
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		refused_without(whole, json_object_get(b, "totals"), totals[i]);
	json_decref(whole);
}

/* A run from before the kernel, or this program, knew a verdict: nobody returned it. */
static void test_missing_verdict(void **state)
{
	struct diag d = {""};
	char path[256];
	json_t *whole, *at;
	struct run r;

	fill(&r);
	assert_int_equal(run_write(&r, folder, &d), 0);
	run_release(&r);
	whole = json_load_file(in_dir(path, sizeof(path), "run.json"), 0, NULL);
	at = json_array_get(json_object_get(whole, "blocks"), 1);
	at = json_array_get(json_object_get(at, "windows"), 0);
	at = json_array_get(json_object_get(at, "cpus"), 0);
	assert_int_equal(json_object_del(json_object_get(at, "verdicts"), "redirect"), 0);
	assert_int_equal(json_dump_file(whole, path, 0), 0);
	json_decref(whole);
	if (run_read(&r, folder, &d))
		fail_msg("%s", d.text);
	assert_int_equal(r.blocks[1].windows[0].cpus[0].verdicts[RUN_REDIRECT], 0);
	assert_int_equal(r.blocks[1].windows[0].cpus[0].verdicts[RUN_TX], 77);
	run_release(&r);
}

/* One member of the second block or its first window is set to a value that must be refused. */
static void refused_with(const char *where, const char *name, json_t *value, const char *saying)
{
	struct diag d = {""};
	json_t *whole, *holder;
	char path[256];
	struct run r;

	fill(&r);
	assert_int_equal(run_write(&r, folder, &d), 0);
	run_release(&r);
	whole = json_load_file(in_dir(path, sizeof(path), "run.json"), 0, NULL);
	holder = json_array_get(json_object_get(whole, "blocks"), 1);
	if (!strcmp(where, "run"))
		holder = whole;
	else if (!strcmp(where, "window"))
		holder = json_array_get(json_object_get(holder, "windows"), 0);
	json_object_set_new(holder, name, value);
	assert_int_equal(json_dump_file(whole, path, 0), 0);
	json_decref(whole);
	assert_int_equal(run_read(&r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, saying));
	assert_true(strstr(d.text, name) || strstr(saying, "window before"));
}

static void test_bad_values(void **state)
{
	refused_with("run", "schema", json_string("xdpzoom.run/2"), "reads xdpzoom.run/1");
	refused_with("run", "seed", json_string("12x"), "whole number");
	refused_with("run", "seed", json_string("-1"), "whole number");
	refused_with("run", "version", json_integer(1), "not text");
	refused_with("run", "event",
		     json_string("a name of an event that is longer than its place, which has 64 bytes"), "too long");
	refused_with("run", "rx_cpus", json_object(), "not an array");
	refused_with("run", "tracers", json_object(), "not an array");
	refused_with("block", "variant", json_integer(3), "not one of the variants");
	refused_with("block", "index", json_integer(0), "blocks[1].index");
	refused_with("block", "script", json_string("/etc/passwd"), "outside");
	refused_with("block", "script", json_string("blocks/../../x"), "outside");
	refused_with("block", "placement_ns", json_pack("[f]", 1.0), "two elements");
	refused_with("window", "to_ns", json_integer(1000), "not after from_ns");
	refused_with("window", "from_ns", json_integer(-1), "out of range");
	refused_with("window", "stage_packets", json_integer(FIELD_MOST + 1), "out of range");
	refused_with("window", "to_ns", json_integer(500001001), "before the end of the window before");
	refused_with("window", "busy_ns", json_real(-0.5), "from 0 up");
	refused_with("window", "busy_ns", json_real(1e300), "out of range");
	refused_with("window", "kind", json_string("warmup"), "is not \"base\"");
	refused_with("window", "events", json_object(), "not an array");
	refused_with("window", "counters", json_array(), "not an object");
	refused_with("window", "counters", json_pack("{s:i, s:i, s:i}", "from_ns", 2, "to_ns", 2, "packets", 3),
		     "not after from_ns");
	refused_with("window", "counters",
		     json_pack("{s:i, s:i, s:i, s:{s:i}}", "from_ns", 1, "to_ns", 2, "packets", 3, "ethtool",
			       "counters", -1),
		     "out of range");
	refused_with("window", "kind", json_string("b"), "blocks[1].windows[0].kind");
}

static void test_not_a_run(void **state)
{
	struct diag d = {""};
	struct run r;

	assert_int_equal(run_read(&r, "/nonexistent", &d), -ENOENT);
	assert_string_equal(d.text, "/nonexistent/run.json: No such file or directory");
	d.text[0] = '\0';
	write_text("run.json", "{\"schema\": \"xdpzoom.run/1\",\n\"version\": }");
	assert_int_equal(run_read(&r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, "line 2"));
	d.text[0] = '\0';
	write_text("run.json", "[1]");
	assert_int_equal(run_read(&r, folder, &d), -EINVAL);
	assert_non_null(strstr(d.text, "not a recorded run"));
}

static void test_disk_full(void **state)
{
	struct diag d = {""};
	char path[256];
	struct run r;

	fill(&r);
	assert_int_equal(run_write(&r, folder, &d), 0);
	run_release(&r);
	fill(&r);
	snprintf(r.ended, sizeof(r.ended), "later");
	assert_int_equal(symlink("/dev/full", in_dir(path, sizeof(path), "run.json" RUN_NEW)), 0);
	assert_int_equal(run_write(&r, folder, &d), -ENOSPC);
	assert_non_null(strstr(d.text, "no space left on the disk for"));
	run_release(&r);
	assert_int_equal(run_read(&r, folder, &d), 0); /* the one that was there */
	assert_string_not_equal(r.ended, "later");
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_facts_in_words),
		cmocka_unit_test(test_round_trip_of_the_run),
		cmocka_unit_test(test_round_trip_of_a_block),
		cmocka_unit_test(test_round_trip_of_windows),
		cmocka_unit_test(test_missing_members),
		cmocka_unit_test(test_missing_verdict),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_not_a_run),
		cmocka_unit_test(test_disk_full),
	};

	return cmocka_run_group_tests_name("run", tests, make_folder, remove_folder);
}
