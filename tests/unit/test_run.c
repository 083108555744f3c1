// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run directory keeps what was put in, refuses what it cannot stand for, and is complete or
 * absent.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static const char *in_dir(char *buf, size_t size, const char *name)
{
	snprintf(buf, size, "%s/%s", folder, name);
	return buf;
}

static void write_text(const char *name, const char *text)
{
	char path[256];
	FILE *f = fopen(in_dir(path, sizeof(path), name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void fill(struct run *r)
{
	struct run_window *w;
	struct run_block *b;
	struct run_event *e;
	struct run_cpu *c;
	struct diag d = {""};

	run_init(r);
	strcpy(r->version, "0.1.0");
	strcpy(r->started, "2026-01-02T03:04:05Z");
	r->command = json_pack("[s,s]", "record", "veth0");
	r->environment = json_pack("{s:s}", "kernel", "6.18");
	r->device = json_pack("{s:s}", "driver", "veth");
	r->load = json_pack("{s:i}", "size_bytes", 64);
	strcpy(r->event, "cpu-clock");
	r->sample_hz = 397;
	r->sample_cost_ns = 15000.25;
	r->napi_threaded = true;
	r->napi_tids[r->nnapi_tids++] = 4711;
	r->napi_tids[r->nnapi_tids++] = 4712;
	r->rx_cpus[r->nrx_cpus++] = 1;
	strcpy(r->order, "abba");
	r->seed = UINT64_MAX - 1;
	strcpy(r->ended, "complete");
	r->precision_pct = 2.5;
	r->precision_reached_pct = 2.25;
	strcpy(r->precision_stop, "precision");
	assert_int_equal(run_variant_parse(run_add_variant(r), "drop/no-touch@native", &d), 0);
	assert_int_equal(run_variant_parse(run_add_variant(r), "tx/swap-macs+walk200@skb", &d), 0);
	r->variants[1].plant_ns = 203.1;
	r->variants[1].plant_steps = 7;
	assert_int_equal(run_variant_parse(run_add_variant(r), "redirect-cpu/no-touch@skb", &d), 0);
	r->variants[2].stage_cpu = 3;
	strcpy(r->variants[2].stage_text, "cpumap kthread on CPU 3");
	b = run_add_block(r);
	b = run_add_block(r);
	b->round = 3;
	b->variant = 1;
	b->prog_id = 4000000000u;
	strcpy(b->prog_tag, "662b9cae761bf6ab");
	strcpy(b->prog_name, "xdp_tx");
	strcpy(b->mode_found, "skb");
	b->placement_ns[1] = 51.5;
	strcpy(b->script, "blocks/001.script");
	b->totals.gen_sent = 1234567890123;
	b->totals.sink_frames = 0;
	b->totals.redirected = 900;
	b->totals.stage_frames = 899;
	b->totals.stage_dropped = 1;
	b->stage_tid = 815;
	w = run_add_window(b);
	w->from_ns = 1000;
	w->to_ns = 500001000;
	w->busy_ns = 0.1 + 0.2; /* not a short decimal: must come back to the bit */
	w->waits_ns = 2.25;
	w->stage_busy_ns = 1.5;
	w->stage_packets = 88;
	c = run_add_cpu(w, 1);
	c->verdicts[RUN_TX] = 77;
	c->verdicts[RUN_REDIRECT] = 1;
	w->counters = (struct run_counters){.from_ns = 900, .to_ns = 500002000, .packets = 78};
	counters_append(&w->counters.changed, COUNTER_ETHTOOL, "rx_queue_0_xdp_tx", 17, 77, true);
	counters_append(&w->counters.changed, COUNTER_LINK, "tx_packets", 10, 0, false);
	b->totals.tx_sent = 77;
	w = run_add_window(b);
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

static void test_round_trip(void **state)
{
	struct diag d = {""};
	struct run r, back;
	const struct run_block *b;

	(void)state;
	fill(&r);
	assert_int_equal(run_write(&r, folder, &d), 0);
	assert_int_equal(run_read(&back, folder, &d), 0);
	assert_string_equal(back.started, "2026-01-02T03:04:05Z");
	assert_true(json_equal(back.load, r.load) && json_equal(back.command, r.command));
	assert_true(back.seed == UINT64_MAX - 1);
	assert_true(back.sample_cost_ns == 15000.25);
	assert_true(back.overhead_budget_pct < 0);
	assert_int_equal(back.nnapi_tids, 2);
	assert_int_equal(back.napi_tids[1], 4712);
	assert_int_equal(back.rx_cpus[0], 1);
	assert_string_equal(back.variants[1].id, "tx/swap-macs+walk200@skb");
	assert_string_equal(back.variants[1].plant, "walk");
	assert_true(back.variants[1].plant_asked_ns == 200 && back.variants[1].plant_ns == 203.1);
	assert_int_equal(back.variants[1].plant_steps, 7);
	assert_int_equal(back.variants[0].plant[0], 0);
	assert_int_equal(back.variants[0].stage_cpu, -1);
	assert_int_equal(back.variants[2].stage, RUN_STAGE_CPU);
	assert_int_equal(back.variants[2].stage_cpu, 3);
	assert_string_equal(back.variants[2].stage_text, "cpumap kthread on CPU 3");
	assert_true(back.precision_pct == 2.5 && back.precision_reached_pct == 2.25);
	assert_string_equal(back.precision_stop, "precision");
	assert_int_equal(back.nblocks, 2);
	assert_int_equal(back.blocks[0].script[0], 0);
	b = &back.blocks[1];
	assert_int_equal(b->round, 3);
	assert_int_equal(b->variant, 1);
	assert_true(b->prog_id == 4000000000u);
	assert_string_equal(b->prog_tag, "662b9cae761bf6ab");
	assert_true(b->placement_ns[0] < 0 && b->placement_ns[1] == 51.5);
	assert_true(b->totals.gen_sent == 1234567890123);
	assert_true(b->totals.sink_frames == 0 && b->totals.gen_errors == -1);
	assert_true(b->totals.redirected == 900 && b->totals.stage_frames == 899 && b->totals.stage_dropped == 1);
	assert_true(b->stage_tid == 815 && back.blocks[0].stage_tid == -1);
	assert_true(b->windows[0].waits_ns == 2.25 && b->windows[1].waits_ns < 0);
	assert_true(b->windows[0].stage_busy_ns == 1.5 && b->windows[0].stage_packets == 88);
	assert_true(b->windows[1].stage_busy_ns < 0 && b->windows[1].stage_packets == -1);
	assert_int_equal(b->nwindows, 2);
	assert_true(b->windows[0].kind == RUN_BASE && b->windows[1].kind == RUN_PROFILE);
	assert_true(b->windows[0].busy_ns == 0.1 + 0.2);
	assert_true(b->windows[1].busy_ns < 0);
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
	assert_true(b->windows[1].events[1].count < 0 && b->windows[1].events[1].enabled_ns < 0);
	assert_true(b->totals.tx_sent == 77 && b->totals.link_sent == -1);
	assert_true(b->counters.to_ns == 0 && b->windows[1].counters.to_ns == 0);
	assert_true(b->windows[0].counters.from_ns == 900 && b->windows[0].counters.packets == 78);
	assert_int_equal(b->windows[0].counters.changed.n, 2);
	assert_string_equal(b->windows[0].counters.changed.list[0].name, "rx_queue_0_xdp_tx");
	assert_true(b->windows[0].counters.changed.list[0].value == 77);
	assert_false(counters_find(&b->windows[0].counters.changed, COUNTER_LINK, "tx_packets")->known);
	assert_true(!b->windows[0].has_polls && b->windows[1].has_polls);
	assert_int_equal(b->windows[1].poll_hist[64], 10);
	run_release(&back);
	run_release(&back);
	run_release(&r);
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

	(void)state;
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

	(void)state;
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
	(void)state;
	refused_with("run", "schema", json_string("xdpzoom.run/2"), "reads xdpzoom.run/1");
	refused_with("run", "seed", json_string("12x"), "whole number");
	refused_with("run", "seed", json_string("-1"), "whole number");
	refused_with("run", "version", json_integer(1), "not text");
	refused_with("run", "event", json_string("a name of an event that is longer than its place"), "too long");
	refused_with("run", "rx_cpus", json_object(), "not an array");
	refused_with("block", "variant", json_integer(3), "not one of the variants");
	refused_with("block", "index", json_integer(0), "blocks[1].index");
	refused_with("block", "script", json_string("/etc/passwd"), "outside");
	refused_with("block", "script", json_string("blocks/../../x"), "outside");
	refused_with("block", "placement_ns", json_pack("[f]", 1.0), "two elements");
	refused_with("window", "to_ns", json_integer(1000), "not after from_ns");
	refused_with("window", "from_ns", json_integer(-1), "out of range");
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

	(void)state;
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

	(void)state;
	fill(&r);
	unlink(in_dir(path, sizeof(path), "run.json"));
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(run_write(&r, folder, &d), -ENOSPC);
	assert_non_null(strstr(d.text, "no space left on the disk for"));
	run_release(&r);
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void test_dir_commit(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];
	struct stat st;
	FILE *f;

	(void)state;
	in_dir(path, sizeof(path), "out");
	assert_int_equal(run_dir_begin(&rd, in_dir(file, sizeof(file), "out//"), false, &d), 0);
	assert_false(exists(path));
	snprintf(file, sizeof(file), "%.200s/blocks", rd.tmp);
	assert_true(!stat(file, &st) && S_ISDIR(st.st_mode));
	snprintf(file, sizeof(file), "%.200s/run.json", rd.tmp);
	f = fopen(file, "w");
	fclose(f);
	assert_int_equal(run_dir_commit(&rd, &d), 0);
	run_dir_abort(&rd); /* after a commit there is nothing to abort */
	assert_true(exists(in_dir(file, sizeof(file), "out/run.json")));

	assert_int_equal(run_dir_begin(&rd, path, false, &d), -EEXIST);
	run_dir_abort(&rd);
	assert_non_null(strstr(d.text, "--force"));
	assert_int_equal(run_dir_begin(&rd, path, true, &d), 0);
	assert_true(exists(in_dir(file, sizeof(file), "out/run.json"))); /* until the new one is complete */
	assert_int_equal(run_dir_commit(&rd, &d), 0);
	assert_false(exists(in_dir(file, sizeof(file), "out/run.json")));
	assert_true(exists(in_dir(file, sizeof(file), "out/blocks")));
}

static void test_dir_abort(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];
	FILE *f;
	int input = fcntl(0, F_GETFD);

	(void)state;
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "gone"), false, &d), 0);
	snprintf(file, sizeof(file), "%.200s/blocks/000.script", rd.tmp);
	f = fopen(file, "w");
	fclose(f);
	snprintf(file, sizeof(file), "%.200s", rd.tmp);
	run_dir_abort(&rd);
	run_dir_abort(&rd);
	assert_int_equal(fcntl(0, F_GETFD), input); /* and closes nothing that is not its own */
	assert_false(exists(file));
	assert_false(exists(path));
	assert_int_equal(run_dir_begin(&rd, "/nonexistent/x", false, &d), -ENOENT);
	run_dir_abort(&rd);
}

/* --force with the wrong name must not cost anybody a directory. */
static void test_dir_force_is_careful(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128];

	(void)state;
	in_dir(path, sizeof(path), "home");
	assert_int_equal(mkdir(path, 0777), 0);
	write_text("home/letter", "dear");
	assert_int_equal(run_dir_begin(&rd, path, true, &d), -ENOTEMPTY);
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "home/letter"), true, &d), -ENOTDIR);
	assert_true(exists(path));
}

/* A process that begins a directory and is killed, in a directory "dead" that is named here; its number. */
static pid_t begin_and_die(const char *path, char *tmp, size_t size)
{
	pid_t pid = fork();
	struct run_dir rd;

	if (!pid) {
		run_dir_begin(&rd, path, false, NULL);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	snprintf(tmp, size, "%s.tmp-%d", path, (int)pid);
	return pid;
}

static void test_dir_of_the_dead(void **state)
{
	char path[128], unfinished[160], whole[160], others[160], held[160], file[200];
	struct run_dir rd;
	pid_t gone;
	int lock;

	(void)state;
	in_dir(path, sizeof(path), "dead");
	gone = begin_and_die(path, whole, sizeof(whole));
	snprintf(file, sizeof(file), "dead.tmp-%d/run.json", (int)gone);
	write_text(file, "{}"); /* it was killed just before the rename: that is a run */
	begin_and_die(path, held, sizeof(held));
	lock = open(held, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(lock, LOCK_EX), 0); /* by a process with that number in another container */
	snprintf(others, sizeof(others), "%s.tmp-%d0x", path, (int)gone);
	assert_int_equal(mkdir(others, 0777), 0);
	begin_and_die(path, unfinished, sizeof(unfinished));
	assert_true(exists(unfinished));

	assert_int_equal(run_dir_begin(&rd, path, false, NULL), 0);
	assert_false(exists(unfinished));
	assert_true(exists(whole) && exists(held) && exists(others) && exists(rd.tmp));
	run_dir_abort(&rd);
	close(lock);
	in_dir(file, sizeof(file), "dead.tmp-1"); /* somebody lives */
	assert_int_equal(mkdir(file, 0777), 0);
	in_dir(file, sizeof(file), "dead.tmp-1/blocks");
	assert_int_equal(mkdir(file, 0777), 0);
	assert_int_equal(run_dir_begin(&rd, path, false, NULL), 0);
	assert_false(exists(held));
	assert_true(exists(file));
	run_dir_abort(&rd);
}

static void test_variant_words(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	(void)state;
	assert_int_equal(run_variant_parse(&v, "aborted/parse-ip@hw", &d), 0);
	assert_string_equal(v.id, "aborted/parse-ip@hw");
	assert_string_equal(v.action, "aborted");
	assert_string_equal(v.operation, "parse-ip");
	assert_string_equal(v.mode, "hw");
	assert_int_equal(run_variant_parse(&v, "drop/no-touch", &d), -EINVAL);
	assert_non_null(strstr(d.text, "ACTION/OPERATION@MODE"));
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "dropp/no-touch@skb", &d), -EINVAL);
	assert_string_equal(d.text, "unknown action \"dropp\"; known: drop pass tx aborted redirect "
				    "redirect-cpu xsk");
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/touch@skb", &d), -EINVAL);
	assert_non_null(strstr(d.text, "known: no-touch read-data parse-ip swap-macs"));
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/no-touch@nativ", &d), -EINVAL);
	assert_string_equal(d.text, "unknown mode \"nativ\"; known: native skb hw");
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "tx/no-touch@native", &d), -EINVAL);
	assert_non_null(strstr(d.text, "its own source address"));
	assert_int_equal(v.id[0], 0);
}

static void takes(const char *id, enum run_stage stage, const char *target, int cpu)
{
	struct diag d = {""};
	struct run_variant v;

	assert_int_equal(run_variant_parse(&v, id, &d), 0);
	assert_string_equal(v.id, id);
	assert_int_equal(v.stage, stage);
	assert_string_equal(v.target, target);
	assert_int_equal(v.stage_cpu, cpu);
}

static void refuses(const char *id, const char *saying)
{
	struct diag d = {""};
	struct run_variant v;

	assert_int_equal(run_variant_parse(&v, id, &d), -EINVAL);
	assert_non_null(strstr(d.text, saying));
	assert_int_equal(v.id[0], 0);
}

static void test_redirect_variants(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	(void)state;
	takes("drop/no-touch@native", RUN_STAGE_NONE, "", -1);
	takes("redirect/no-touch@native", RUN_STAGE_DEVICE, "", -1);
	takes("redirect:eth0.5@x/swap-macs@skb", RUN_STAGE_DEVICE, "eth0.5@x", -1);
	takes("redirect-cpu/parse-ip@skb", RUN_STAGE_CPU, "", -1);
	takes("redirect-cpu:0/no-touch+chain50@native", RUN_STAGE_CPU, "0", 0);
	takes("xsk/no-touch@native", RUN_STAGE_SOCKET, "", -1);
	takes("xsk:copy/read-data@skb", RUN_STAGE_SOCKET, "copy", -1);
	takes("xsk:zero-copy/no-touch@native", RUN_STAGE_SOCKET, "zero-copy", -1);
	assert_int_equal(run_variant_parse(&v, "redirect-cpu:007/no-touch@skb", &d), 0);
	assert_string_equal(v.id, "redirect-cpu:7/no-touch@skb");
	assert_int_equal(v.stage_cpu, 7);
	refuses("redirect:/no-touch@native", "name a device");
	refuses("redirect:a-name-that-is-too-long/no-touch@native", "name a device");
	refuses("redirect-cpu:/no-touch@native", "name a CPU");
	refuses("redirect-cpu:1x/no-touch@native", "by its number");
	refuses("redirect-cpu:-1/no-touch@native", "by its number");
	refuses("redirect-cpu:+1/no-touch@native", "by its number");
	refuses("redirect-cpu:65536/no-touch@native", "by its number");
	refuses("redirect-cpu:99999999999999/no-touch@native", "by its number");
	refuses("xsk:fast/no-touch@native", "known: copy zero-copy");
	refuses("xsk:zero-copy/no-touch@skb", "only native");
	refuses("xsk/bare@native", "bare only drops");
	refuses("drop:eth0/no-touch@native", "goes nowhere");
}

static void test_planted_variants(void **state)
{
	struct diag d = {""};
	struct run_variant v;

	(void)state;
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain50@skb", &d), 0);
	assert_string_equal(v.id, "drop/no-touch+chain50@skb");
	assert_string_equal(v.operation, "no-touch");
	assert_string_equal(v.plant, "chain");
	assert_true(v.plant_asked_ns == 50 && v.plant_ns == 0 && v.plant_steps == 0);
	assert_int_equal(run_variant_parse(&v, "tx/swap-macs+walk0012.5@native", &d), 0);
	assert_string_equal(v.id, "tx/swap-macs+walk12.5@native");
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain5x@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+chain10001@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+50@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch+@skb", &d), -EINVAL);
	assert_int_equal(run_variant_parse(&v, "drop/no-touch@skb+chain50", &d), -EINVAL);
	d.text[0] = '\0';
	assert_int_equal(run_variant_parse(&v, "drop/bare+chain50@skb", &d), -EINVAL);
	assert_non_null(strstr(d.text, "least a program can be"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_missing_members),
		cmocka_unit_test(test_missing_verdict),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_not_a_run),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_dir_commit),
		cmocka_unit_test(test_dir_abort),
		cmocka_unit_test(test_dir_force_is_careful),
		cmocka_unit_test(test_dir_of_the_dead),
		cmocka_unit_test(test_variant_words),
		cmocka_unit_test(test_planted_variants),
		cmocka_unit_test(test_redirect_variants),
	};

	return cmocka_run_group_tests_name("run", tests, make_folder, remove_folder);
}
