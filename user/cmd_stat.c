// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "user/programs/bench.h"
#include "user/programs/calls.h"
#include "user/machine/cpu.h"
#include "user/machine/device_counters.h"
#include "user/cli/remote_args.h"
#include "user/programs/plant.h"
#include "user/load/rig.h"
#include "user/load/stage.h"
#include "user/settings/steer.h"
#include "user/load/target.h"
#include "user/xdpzoom.h"

#define STEER_PATIENCE_S 15 /* to begin the load elsewhere */

struct stat_args {
	const char *action, *operation, *mode, *netns, *format;
	double interval_s, duration_s;
	bool extended;
	struct opt_list functions;
	struct remote_args remote;
	struct steer_options steer;
};

/* What one interval saw. */
struct tick {
	const struct run_variant *v;
	const struct bench_count *delta; /* per CPU */
	int ncpus;
	/* since the start; -1: there is no second stage, or nobody counts */
	int64_t stage_frames, stage_dropped;
	double seconds, since_start_s;
	uint64_t packets;
	const struct counters *device; /* what changed; NULL: not asked for */
	const struct calls *calls;
	const struct call_count *called; /* of each function */
};

static uint64_t count_packets(const struct bench_count *c, int ncpus)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < ncpus; cpu++)
		for (int v = 0; v < 8; v++)
			sum += c[cpu].verdicts[v];
	return sum;
}

/* 19803663 -> "19,803,663" */
static const char *with_separators(char *out, size_t size, double pps)
{
	char digits[32];
	size_t n = snprintf(digits, sizeof(digits), "%.0f", pps), o = 0;

	for (size_t i = 0; i < n && o + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			out[o++] = ',';
		out[o++] = digits[i];
	}
	out[o] = 0;
	return out;
}

static void print_row(const char *action, double pps, const char *operation, const char *mode)
{
	char human[48];

	printf("%-12s %-10.0f %-18s %-9s  %s\n", action, pps, with_separators(human, sizeof(human), pps), operation,
	       mode);
}

static void print_heading(void)
{
	printf("%-12s %-10s %-18s %-9s  %s\n", "XDP_action", "pps", "pps-human-readable", "operation", "mode");
}

static void print_extended(const struct tick *t)
{
	for (int cpu = 0; cpu < t->ncpus; cpu++) {
		for (unsigned int v = 0; v < RUN_VERDICTS; v++) {
			char human[48], label[32];
			double pps = t->delta[cpu].verdicts[v] / t->seconds;

			if (!t->delta[cpu].verdicts[v])
				continue;
			snprintf(label, sizeof(label), "CPU %d", cpu);
			printf("  %-10s %-10.0f %-18s %s\n", label, pps, with_separators(human, sizeof(human), pps),
			       bench_verdict_name(v));
		}
	}
	if (t->v->stage != RUN_STAGE_NONE)
		printf("  %-10s %-10" PRId64 " frames in all, %" PRId64 " dropped before it: %s\n", "2nd stage",
		       t->stage_frames, t->stage_dropped, t->v->stage_text);
}

static void print_functions(const struct tick *t)
{
	for (size_t i = 0; i < t->calls->n; i++) {
		const struct call_count *c = &t->called[i];

		printf("  %-28s %10.3f calls/packet %10.1f ns/call\n", t->calls->probes[i].function,
		       t->packets ? (double)c->calls / t->packets : 0, c->timed ? (double)c->ns / c->timed : 0);
	}
}

static void print_functions_json(const struct tick *t)
{
	for (size_t i = 0; i < t->calls->n; i++)
		printf("%s{\"function\":\"%s\",\"calls\":%llu,\"timed\":%llu,\"ns\":%llu}",
		       i ? "," : ",\"functions\":[", t->calls->probes[i].function, t->called[i].calls,
		       t->called[i].timed, t->called[i].ns);
	if (t->calls->n)
		printf("]");
}

/* As `ethtool -S` names them, and only those that changed. */
static void print_device(const struct tick *t)
{
	for (size_t i = 0; i < t->device->n; i++) {
		const struct counter *c = &t->device->list[i];
		double rate = c->value / t->seconds;
		char human[48];

		if (c->known)
			printf("  %-10s %-10.0f %-18s %8.3f  %s\n", counter_source_names[c->source], rate,
			       with_separators(human, sizeof(human), rate),
			       t->packets ? (double)c->value / t->packets : 0, c->name);
		else
			printf("  %-10s %-10s %-18s %8s  %s\n", counter_source_names[c->source], "-", "-", "-",
			       c->name);
	}
}

static void print_json(const struct tick *t)
{
	uint64_t packets = t->packets;
	const char *sep = "";

	printf("{\"schema\":\"xdpzoom.stat/1\",\"time_s\":%.3f,\"seconds\":%.6f,\"action\":\"%s\",\"operation\":\"%s\","
	       "\"mode\":\"%s\",\"packets\":%" PRIu64 ",\"pps\":%.1f,\"cpus\":[",
	       t->since_start_s, t->seconds, t->v->action, t->v->operation, t->v->mode, packets, packets / t->seconds);
	for (int cpu = 0; cpu < t->ncpus; cpu++) {
		const uint64_t *n = (const uint64_t *)t->delta[cpu].verdicts;

		if (!count_packets(&t->delta[cpu], 1))
			continue;
		printf("%s{\"cpu\":%d,\"aborted\":%" PRIu64 ",\"drop\":%" PRIu64 ",\"pass\":%" PRIu64 ",\"tx\":%" PRIu64
		       ",\"redirect\":%" PRIu64 "}",
		       sep, cpu, n[RUN_ABORTED], n[RUN_DROP], n[RUN_PASS], n[RUN_TX], n[RUN_REDIRECT]);
		sep = ",";
	}
	putchar(']');
	if (t->device) {
		json_t *counters = run_counters_json(t->device);

		printf(",\"counters\":");
		json_dumpf(counters, stdout, JSON_COMPACT);
		json_decref(counters);
	}
	print_functions_json(t);
	if (t->v->stage != RUN_STAGE_NONE)
		printf(",\"second_stage\":{\"frames\":%" PRId64 ",\"dropped\":%" PRId64 "}", t->stage_frames,
		       t->stage_dropped);
	printf("}\n");
}

/* 0, or -errno when nobody can take the output any more. */
static int print_tick(const struct tick *t, const struct stat_args *a)
{
	if (!strcmp(a->format, "json")) {
		print_json(t);
	} else {
		print_row(bench_action_name(t->v->action), t->packets / t->seconds, t->v->operation, t->v->mode);
		if (a->extended)
			print_extended(t);
		if (t->device)
			print_device(t);
		print_functions(t);
	}
	return fflush(stdout) || ferror(stdout) ? -errno : 0;
}

static void subtract(struct bench_count *now, const struct bench_count *before, struct bench_count *delta, int ncpus)
{
	for (int cpu = 0; cpu < ncpus; cpu++)
		for (int v = 0; v < 8; v++)
			delta[cpu].verdicts[v] = now[cpu].verdicts[v] - before[cpu].verdicts[v];
}

/* What was called since the last time; the sums so far go into before. */
static void subtract_calls(const struct calls *calls, struct call_count *before, struct call_count *delta)
{
	for (size_t i = 0; i < calls->n; i++) {
		struct call_count now = before[i];

		calls_read(calls, i, NULL, 0, &now);
		delta[i].calls = now.calls - before[i].calls;
		delta[i].timed = now.timed - before[i].timed;
		delta[i].ns = now.ns - before[i].ns;
		before[i] = now;
	}
}

static void summary(uint64_t seen, double seconds, const struct target *t)
{
	fprintf(stderr, "%" PRIu64 " packets in %.2f s, %.0f pps on average; %s has no XDP program of ours any more\n",
		seen, seconds, seconds > 0 ? seen / seconds : 0, t->nd.name);
}

/* The device's counters from look to look. */
struct looks {
	struct device_counters device;
	struct counters last, changed;
};

static int looks_next(struct looks *l)
{
	struct counters now;
	int err = device_counters_read(&l->device, &now);

	counters_release(&l->changed);
	if (err)
		return err;
	err = counters_growth(&l->changed, &l->last, &now, false);
	counters_release(&l->last);
	l->last = now;
	return err;
}

static void looks_release(struct looks *l)
{
	counters_release(&l->changed);
	counters_release(&l->last);
	device_counters_release(&l->device);
}

static uint64_t count_redirects(const struct bench_count *c, int ncpus)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < ncpus; cpu++)
		sum += c[cpu].verdicts[RUN_REDIRECT];
	return sum;
}

/* With a generator on another machine, which wants signs of life. */
static int sleep_watching(struct gen *g, uint64_t until_ns, struct diag *d)
{
	int err = 0;

	while (gen_runs(g) && !stop_requested && !err && now_ns() < until_ns) {
		uint64_t step = now_ns() + 1000000000;

		sleep_until_ns(step < until_ns ? step : until_ns);
		err = gen_check(g, d);
	}
	if (!gen_runs(g) && !err)
		sleep_until_ns(until_ns);
	return err;
}

/* 0, or -errno when the device went away, somebody took the program off, or the generator died. */
static int watch(struct bench *b, const struct stage *stage, struct gen *g, const struct run_variant *v,
		 const struct target *t, const struct stat_args *a, const struct calls *calls, uint64_t *seen,
		 double *seconds, struct diag *d)
{
	struct bench_count *before = calloc(3 * b->ncpus, sizeof(*before)), *now, *delta;
	struct call_count called_before[CALLS_MAX] = {}, called[CALLS_MAX];
	uint64_t start = now_ns(), last = start, end = start + (uint64_t)(a->duration_s * 1e9), next = start;
	struct looks looks = {};
	int err = 0;

	if (!before)
		return diag_set(d, -ENOMEM, "no memory");
	now = before + b->ncpus;
	delta = now + b->ncpus;
	bench_read(b, before);
	if (a->extended) {
		device_counters_open(&looks.device, &t->nd);
		err = looks_next(&looks);
	}
	while (!stop_requested && !err && (a->duration_s == 0 || last < end)) {
		uint64_t at;

		next += (uint64_t)(a->interval_s * 1e9);
		err = sleep_watching(g, a->duration_s > 0 && next > end ? end : next, d);
		at = now_ns();
		if (err || at == last)
			break;
		bench_read(b, now);
		subtract(now, before, delta, b->ncpus);
		subtract_calls(calls, called_before, called);
		err = a->extended ? looks_next(&looks) : 0;
		if (!err)
			err = print_tick(&(struct tick){.v = v,
							.delta = delta,
							.ncpus = b->ncpus,
							.stage_frames = stage_frames(stage),
							.stage_dropped = stage_dropped(stage),
							.seconds = (at - last) / 1e9,
							.since_start_s = (at - start) / 1e9,
							.packets = count_packets(delta, b->ncpus),
							.device = a->extended ? &looks.changed : NULL,
							.calls = calls,
							.called = called},
					 a);
		memcpy(before, now, b->ncpus * sizeof(*now));
		last = at;
		if (err)
			err = err == -EPIPE ? -EPIPE : diag_set(d, err, "cannot write: %s", strerror(-err));
		else if (!bench_confirm(b, &t->nd))
			err = diag_set(d, -ENODEV,
				       netdev_gone(&t->nd) ? "%s has vanished" : "somebody took the XDP program off %s",
				       t->nd.name);
		else
			err = stage_check(stage, count_redirects(now, b->ncpus), d);
	}
	*seen = bench_seen(b);
	*seconds = (last - start) / 1e9;
	looks_release(&looks);
	free(before);
	return err == -EPIPE ? 0 : err; /* whoever read has had enough */
}

/* All at once and for as long as the program is attached: calls are exact, times hold the probes of what they call. */
static int begin_calls(struct calls *calls, const struct opt_list *functions, struct diag *d)
{
	struct diag why = {};
	int err = calls_open(calls, functions->items, functions->n, &why);

	if (err == -EPERM) {
		complain("%s; packets are", why.text);
		return 0;
	}
	for (size_t i = 0; i < calls->n && !err; i++)
		err = calls_attach(calls, i, &why);
	return err ? diag_set(d, err, "%s", why.text) : 0;
}

static int parse_variant(struct run_variant *v, const struct stat_args *a, bool lab, struct diag *d)
{
	int rx_cpu = lab ? rig_rx_cpu() : cpu_pick_rx(), err;
	char id[128];

	snprintf(id, sizeof(id), "%s/%s@%s", a->action, a->operation, a->mode);
	err = run_variant_parse(v, id, d);
	return err ? err : stage_choose(v, lab, cpu_pick_keeper(rx_cpu, cpu_pick_load(rx_cpu)), d);
}

/* Whether the other machine can, before anything is attached. */
static int prepare_load(struct gen_options *load, const struct target *t, struct diag *d)
{
	json_t *about = NULL;
	int err = 0;

	load->netns_fd = t->home_fd;
	if (load->host[0])
		err = remote_prepare(load, &t->nd, &about, d);
	json_decref(about);
	return err;
}

/* Stops it, and counts what was still under way. */
static int end_load(struct gen *g, const char *host, struct bench *b, uint64_t *seen, struct diag *d)
{
	struct gen_result r;
	int err;

	if (!gen_runs(g))
		return 0;
	err = gen_stop(g, &r, d);
	if (err)
		return err;
	sleep_until_ns(now_ns() + 200000000);
	*seen = bench_seen(b);
	fprintf(stderr, "%s sent %" PRId64 " frames in %.2f s, %.0f pps, %" PRId64 " errors; %" PRId64 " came back\n",
		host, r.sent, r.elapsed_ns / 1e9, r.elapsed_ns ? r.sent * 1e9 / r.elapsed_ns : 0, r.refused, r.back);
	return 0;
}

/* With the load running, which is then stopped again if it is ours. */
static int steer_to(struct steer *s, const struct steer_options *o, const struct netdev *nd, const char *mode,
		    const struct gen_options *load, struct gen *g, struct diag *d)
{
	int err = steer_prepare(s, o, nd, mode, d);

	if (!err && steer_wanted(o) && load->host[0])
		err = gen_start(g, load, d);
	if (!err)
		err = steer_begin(s, STEER_PATIENCE_S, d);
	gen_release(g);
	return err;
}

static int run_stat(const struct stat_args *a, struct gen_options *load, const char *dev)
{
	struct run_variant v;
	struct calls calls = {};
	struct stage stage;
	struct steer steer;
	struct target t;
	struct bench b;
	struct gen g;
	struct diag d = {}, undone = {};
	uint64_t seen = 0;
	double seconds = 0;
	int err, undo_err;

	err = parse_variant(&v, a, !strcmp(dev, "lab"), &d);
	if (err)
		return fail(&d, err), EXIT_USAGE;
	target_init(&t);
	bench_init(&b);
	stage_init(&stage);
	gen_init(&g);
	steer_init(&steer);
	err = target_open(&t, dev, a->netns, -1, false, &d);
	if (!err)
		err = prepare_load(load, &t, &d);
	if (!err)
		err = plant_calibrate(&v, cpu_pick_rx(), &d);
	if (!err)
		err = bench_load(&b, &v, &d);
	if (!err)
		err = begin_calls(&calls, &a->functions, &d);
	if (!err)
		err = stage_open(&stage, &v, &b, &t.nd, t.lab, &d);
	if (!err)
		err = steer_to(&steer, &a->steer, &t.nd, v.mode, load, &g, &d);
	if (!err)
		err = bench_attach(&b, &t.nd, v.mode, &d);
	if (!err)
		err = steer_hold(&steer, &d);
	if (!err && load->host[0])
		err = gen_start(&g, load, &d);
	if (err)
		goto out;
	steer_tell(&steer);
	if (!strcmp(a->format, "text"))
		print_heading();
	err = watch(&b, &stage, &g, &v, &t, a, &calls, &seen, &seconds, &d);
	if (!err)
		err = end_load(&g, load->host, &b, &seen, &d);
	bench_release(&b);
	if (err != -EOPNOTSUPP) /* nothing was measured */
		summary(seen, seconds, &t);
out:
	calls_close(&calls);
	gen_release(&g);
	bench_release(&b);
	stage_release(&stage);
	undo_err = steer_end(&steer, &undone);
	if (undo_err)
		fail(&undone, undo_err);
	target_release(&t);
	return err ? fail(&d, err) : undo_err ? EXIT_FAILED : EXIT_OK;
}

int cmd_stat(const struct command *c, int argc, char **argv)
{
	struct stat_args a = {"drop", NULL, "native", "", "text", 1, 0, false, {}, {}, {.pin_cpu = -1}};
	struct gen_options load;
	struct diag d = {};
	double rate = 0;

	gen_options_init(&load);
	const struct opt opts[] = {
		{"action", 'a', OPT_STRING, &a.action, "ACTION",
		 "drop, pass, tx, aborted, redirect:DEV, redirect-cpu:N or xsk (drop)"},
		{"operation", 'p', OPT_STRING, &a.operation, "OP",
		 "no-touch, read-data, parse-ip, swap-macs (no-touch)"},
		{"mode", 'm', OPT_STRING, &a.mode, "MODE", "native, skb or hw (native)"},
		{"extended", 'e', OPT_FLAG, &a.extended, NULL,
		 "per CPU and verdict, the second stage, and the device's counters that change"},
		{"interval", 'i', OPT_SECONDS, &a.interval_s, "TIME", "between two lines, e.g. 0.5 or 250ms (1 s)",
		 0.001, 86400},
		{"duration", 't', OPT_SECONDS, &a.duration_s, "TIME", "stop after it (until Ctrl-C)", 0.01, 1e6},
		{"fentry", 0, OPT_LIST, &a.functions, "FUNCTION", "calls of these kernel functions, and their time"},
		{"steer", 0, OPT_FLAG, &a.steer.steer, NULL,
		 "the load on one RX queue, by an ntuple rule or the table of RSS"},
		{"pin-irq", 0, OPT_INT, &a.steer.pin_cpu, "CPU", "that queue's interrupt there", 0, 4095},
		{"threaded", 0, OPT_FLAG, &a.steer.threaded, NULL, "poll in a thread on the RX CPU"},
		{"netns", 'N', OPT_STRING, &a.netns, "NAME", "the device is in that network namespace"},
		REMOTE_OPTIONS(&a.remote),
		{"rate", 'r', OPT_NUMBER, &rate, "PPS", "limit of that generator (none)", 100, 1e9},
		{"size", 's', OPT_INT, &load.bytes, "BYTES", "its frame size without FCS (64)", GEN_MIN_BYTES,
		 GEN_MAX_BYTES},
		{"flows", 'f', OPT_INT, &load.flows, "N", "its flows (1)", 1, 50000},
		{"format", 0, OPT_STRING, &a.format, "text|json", "json prints a line per interval (text)"},
		{},
	};
	int n = opts_parse(c, opts, argc, argv);

	if (n < 0)
		return opts_exit(n);
	if (n != 1)
		return complain("stat: name one device, or lab"), EXIT_USAGE;
	if (strcmp(a.format, "text") && strcmp(a.format, "json"))
		return complain("--format %s: text or json", a.format), EXIT_USAGE;
	if (steer_check(&a.steer, argv[0]))
		return EXIT_USAGE;
	if (!a.operation) /* of tx, the only one that makes sense */
		a.operation = strcmp(a.action, "tx") ? "no-touch" : "swap-macs";
	if (a.remote.generator && !strcmp(argv[0], "lab"))
		return complain("--generator: the lab has its own, xdpzoom gen lab"), EXIT_USAGE;
	if (remote_args_apply(&a.remote, &load, &d))
		return fail(&d, -EINVAL), EXIT_USAGE;
	load.rate_pps = rate;
	stop_on_signals();
	return run_stat(&a, &load, argv[0]);
}
