// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One block: attach, probe the placement, load, warm-up, windows, drain, detach. record.h has the contract.
 *
 * Order matters: perf is started before the generator (they may share a CPU), the placement is probed while both CPUs
 * are quiet, and the windows begin when the attach has been seen in effect, because attaching under load takes up to
 * 0.2 s.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "reports/stats.h"
#include "user/cpu.h"
#include "user/device_counters.h"
#include "user/netns.h"
#include "user/record.h"
#include "user/rig.h"
#include "user/stage.h"
#include "user/xdpzoom.h"

#define ARRIVAL_PATIENCE_NS 3000000000ULL
#define FAR_PATIENCE_NS	    15000000000ULL /* the other machine says that it begins, and then it does */
#define DRAIN_STILL_NS	    10000000ULL
#define DRAIN_PATIENCE_NS   1000000000ULL
#define EDGE_WAIT_NS	    10000000ULL
#define COUNT_S		    0.15 /* counting has no sampling error */
#define PROBE_S		    0.08 /* at half a million packets a second still 600 polls */
#define DISK_FULL_BYTES	    (512 * 1024) /* a block writes some hundred kB */
#define GLANCE_S	    0.05
#define GLANCES		    10
#define RX_SHARE	    0.01 /* a CPU with fewer of the packets is not an RX CPU but noise */

/* What is read at the edge of a window: busy time, polls and packets within some microseconds, steal a little before. */
struct edge {
	uint64_t at_ns, busy_ns[RUN_MAX_NAPIS];
	int napi_cpu[RUN_MAX_NAPIS];
	double steal_ns;
	uint64_t stage_busy_ns;
	int64_t stage_frames;
	bool has_stage_busy;
	struct poll_count polls;
	bool has_polls;
	struct call_count calls;
	struct bench_count *counts;
};

/* At the device's counters, and the packets that the program had seen by then. */
struct look {
	uint64_t at_ns, packets;
	struct counters counters;
};

struct block {
	struct bench bench;
	struct stage stage;
	struct run_block *rb;
	bool bare; /* the program counts nothing */
	uint64_t bare_before;
	struct edge from, to;
	size_t function; /* in a window of calls: which of them */
	int64_t sink_before;
	struct device_counters device;
	struct look quiet, before; /* at the block's beginning, at a window's */
	size_t ncounted;	   /* count windows so far, one for each group of events */
	int64_t tx_before;	   /* verdicts by then: a load that is not ours runs already */
};

static int stopped(struct diag *d)
{
	return stop_requested ? diag_set(d, -EINTR, "stopped by a signal") : 0;
}

static int check_cpus(const struct recorder *r, struct diag *d)
{
	for (size_t i = 0; i < r->run.nrx_cpus; i++)
		if (cpu_check(r->run.rx_cpus[i]))
			return diag_set(d, -ENXIO, "CPU %d went offline", r->run.rx_cpus[i]);
	return 0;
}

static int check_alive(struct recorder *r, struct block *b, struct diag *d)
{
	int err = stopped(d);

	if (err)
		return err;
	if (netdev_gone(&r->target->nd))
		return diag_set(d, -ENODEV, "%s has vanished", r->target->nd.name);
	if (!bench_confirm(&b->bench, &r->target->nd))
		return diag_set(d, -EIO, "the XDP program is no longer on %s", r->target->nd.name);
	err = check_cpus(r, d);
	if (err)
		return err;
	return gen_runs(&r->gen) ? gen_check(&r->gen, d) : 0;
}

/* Sleeps in small steps so that trouble and signals are seen early. */
static int sleep_alive(struct recorder *r, struct block *b, double seconds, struct diag *d)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), step;
	int err = 0;

	while (!err && now_ns() < end) {
		step = now_ns() + 250000000ULL;
		sleep_until_ns(step < end ? step : end);
		err = check_alive(r, b, d);
	}
	return err;
}

/*
 * Packets so far: by the program, or, for the bare program that does not count, by the driver's counter of packets
 * that XDP saw.
 */
static uint64_t seen_packets(const struct recorder *r, const struct block *b)
{
	struct counters c = {};
	int64_t n = 0;

	if (!b->bare)
		return bench_seen(&b->bench);
	if (!netdev_driver_counters(r->target->nd.name, &c))
		n = counters_sum(&c, COUNTER_XDP_SEEN);
	counters_release(&c);
	return n < 0 ? 0 : n;
}

static void read_counts(const struct recorder *r, const struct block *b, struct bench_count *counts)
{
	bench_read(&b->bench, counts);
	if (b->bare)
		counts[r->rx_cpu].verdicts[RUN_DROP] = seen_packets(r, b) - b->bare_before;
}

static int wait_for_packets(struct recorder *r, struct block *b, struct diag *d)
{
	uint64_t give_up = now_ns() + (r->o->load.host[0] ? FAR_PATIENCE_NS : ARRIVAL_PATIENCE_NS), seen = seen_packets(r, b);
	int err = 0;

	while (!err && seen_packets(r, b) == seen) {
		if (now_ns() > give_up)
			return diag_set(d, -ETIMEDOUT, "no packets arrive at %s; is the generator sending to it?",
					r->target->nd.name);
		sleep_until_ns(now_ns() + 2000000);
		err = check_alive(r, b, d);
	}
	return err;
}

/*
 * The time of each NAPI kthread, and with several of them the packets of its CPU at that moment: the kernel brings the
 * time up to date at each CPU's own tick.
 */
static int kthreads_read(struct recorder *r, struct block *b, struct edge *e, struct diag *d)
{
	uint64_t at_ns;

	if (r->run.nnapi_tids > 1)
		read_counts(r, b, e->counts);
	for (size_t i = 0; i < r->run.nnapi_tids; i++) {
		if (napi_busy_edge(r->run.napi_tids[i], EDGE_WAIT_NS, &e->busy_ns[i], &at_ns))
			return netdev_gone(&r->target->nd)
				       ? diag_set(d, -ENODEV, "%s has vanished", r->target->nd.name)
				       : diag_set(d, -ENODEV, "a NAPI kthread of %s is gone", r->target->nd.name);
		e->napi_cpu[i] = napi_cpu(r->run.napi_tids[i]);
		if (r->run.nnapi_tids > 1 && !b->bare && e->napi_cpu[i] >= 0 && e->napi_cpu[i] < b->bench.ncpus)
			bench_read_cpu(&b->bench, e->napi_cpu[i], &e->counts[e->napi_cpu[i]]);
	}
	return 0;
}

static int edge_read(struct recorder *r, struct block *b, enum run_window_kind kind, struct edge *e, struct diag *d)
{
	int err;

	e->steal_ns = cpu_steal_ns(r->rx_cpu);
	err = kthreads_read(r, b, e, d);
	if (err)
		return err;
	e->at_ns = now_ns();
	e->has_stage_busy = stage_busy_ns(&b->stage, &e->stage_busy_ns);
	e->stage_frames = stage_frames_now(&b->stage);
	e->has_polls = polls_read(&r->polls, &e->polls) == 0;
	if (r->run.nnapi_tids < 2)
		read_counts(r, b, e->counts);
	if (kind == RUN_CALLS)
		return calls_read(&r->calls, b->function, r->run.rx_cpus, r->run.nrx_cpus, &e->calls);
	return 0;
}

static void window_fill_probe(struct run_window *w, const struct poll_count *from, const struct poll_count *to)
{
	w->has_polls = true;
	w->polls = to->polls - from->polls;
	w->poll_packets = to->packets - from->packets;
	w->polls_empty = to->empty - from->empty;
	w->softirq_ns = to->softirq_ns - from->softirq_ns;
	for (int i = 0; i < POLL_BUCKETS; i++)
		w->poll_hist[i] = to->hist[i] - from->hist[i];
}

static void window_fill_calls(const struct recorder *r, const struct block *b, struct run_calls *c)
{
	snprintf(c->function, sizeof(c->function), "%s", r->calls.probes[b->function].function);
	c->calls = b->to.calls.calls - b->from.calls.calls;
	c->timed = b->to.calls.timed - b->from.calls.timed;
	c->ns = b->to.calls.ns - b->from.calls.ns;
	c->probe_ns = r->calls.probe_ns;
}

static void window_fill_stage(struct run_window *w, const struct edge *from, const struct edge *to)
{
	if (from->has_stage_busy && to->has_stage_busy)
		w->stage_busy_ns = (double)(to->stage_busy_ns - from->stage_busy_ns);
	if (from->stage_frames >= 0 && to->stage_frames >= 0)
		w->stage_packets = to->stage_frames - from->stage_frames;
}

static uint64_t busy_sum(const struct recorder *r, const struct edge *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->run.nnapi_tids; i++)
		sum += e->busy_ns[i];
	return sum;
}

/* Of the kthreads that were on this CPU at both ends of the window; -1: one came or went, or there are none. */
static double cpu_busy_ns(const struct recorder *r, const struct block *b, int cpu)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->run.nnapi_tids; i++) {
		if ((b->from.napi_cpu[i] == cpu) != (b->to.napi_cpu[i] == cpu))
			return -1;
		if (b->to.napi_cpu[i] != cpu)
			continue;
		sum += b->to.busy_ns[i] - b->from.busy_ns[i];
		n++;
	}
	return n ? sum : -1;
}

static int window_fill(struct recorder *r, struct block *b, enum run_window_kind kind)
{
	struct run_window *w = run_add_window(b->rb);

	if (!w)
		return -ENOMEM;
	w->kind = kind;
	w->from_ns = b->from.at_ns;
	w->to_ns = b->to.at_ns;
	w->busy_ns = r->run.napi_threaded ? (double)(busy_sum(r, &b->to) - busy_sum(r, &b->from)) : -1;
	w->steal_ns = b->from.steal_ns < 0 ? -1 : b->to.steal_ns - b->from.steal_ns;
	w->freq_khz = cpu_freq_khz(r->rx_cpu);
	window_fill_stage(w, &b->from, &b->to);
	for (int cpu = 0; cpu < b->bench.ncpus; cpu++) {
		struct bench_count *from = &b->from.counts[cpu], *to = &b->to.counts[cpu];
		struct run_cpu *c;

		if (!memcmp(from, to, sizeof(*from)))
			continue;
		c = run_add_cpu(w, cpu);
		if (!c)
			return -ENOMEM;
		for (int v = 0; v < RUN_VERDICTS; v++)
			c->verdicts[v] = to->verdicts[v] - from->verdicts[v];
		c->busy_ns = cpu_busy_ns(r, b, cpu);
	}
	if (kind == RUN_PROBE && b->from.has_polls && b->to.has_polls)
		window_fill_probe(w, &b->from.polls, &b->to.polls);
	if (kind == RUN_CALLS)
		window_fill_calls(r, b, &w->calls);
	return 0;
}

static int window_switch(struct recorder *r, const struct block *b, enum run_window_kind kind, bool on, struct diag *d)
{
	if (kind == RUN_PROBE)
		polls_enable(&r->polls, on);
	if (kind == RUN_CALLS && on)
		return calls_attach(&r->calls, b->function, d);
	if (kind == RUN_CALLS)
		calls_detach(&r->calls, b->function);
	if (kind == RUN_COUNT)
		return perf_switch(&r->counting[b->ncounted], on, d);
	return kind == RUN_PROFILE ? perf_switch(&r->perf, on, d) : 0;
}

static int look_at(const struct recorder *r, const struct block *b, struct look *l)
{
	counters_release(&l->counters);
	l->packets = seen_packets(r, b);
	l->at_ns = now_ns();
	return device_counters_read(&b->device, &l->counters);
}

static int fill_changed(struct run_counters *out, const struct look *from, const struct look *to)
{
	out->from_ns = from->at_ns;
	out->to_ns = to->at_ns;
	out->packets = to->packets - from->packets;
	return counters_growth(&out->changed, &from->counters, &to->counters, false);
}

static int window_fill_counters(const struct recorder *r, const struct block *b, struct run_window *w)
{
	struct look now = {};
	int err = look_at(r, b, &now);

	if (!err)
		err = fill_changed(&w->counters, &b->before, &now);
	counters_release(&now.counters);
	return err;
}

static int window_measure(struct recorder *r, struct block *b, enum run_window_kind kind, double seconds,
			  struct diag *d)
{
	int err = window_switch(r, b, kind, true, d), off;

	if (!err && kind == RUN_BASE)
		err = look_at(r, b, &b->before);
	if (!err)
		err = edge_read(r, b, kind, &b->from, d);
	if (!err)
		err = sleep_alive(r, b, seconds, d);
	if (!err)
		err = edge_read(r, b, kind, &b->to, d);
	off = window_switch(r, b, kind, false, err ? NULL : d);
	if (!err)
		err = off;
	if (!err)
		err = window_fill(r, b, kind);
	if (!err && kind == RUN_BASE)
		err = window_fill_counters(r, b, &b->rb->windows[b->rb->nwindows - 1]);
	return err;
}

static int windows_count(struct recorder *r, struct block *b, struct diag *d)
{
	int err = 0;

	for (b->ncounted = 0; b->ncounted < r->plan.ngroups && !err; b->ncounted++)
		err = window_measure(r, b, RUN_COUNT, r->o->window_s < COUNT_S ? r->o->window_s : COUNT_S, d);
	return err;
}

/*
 * A short window for the probes; then base, profile, profile, base, ... in even rounds and the other way round in odd
 * ones: a drift within the block hits both kinds alike. Those of perf stat in the middle.
 */
static int windows_measure(struct recorder *r, struct block *b, struct diag *d)
{
	int err = 0;

	if (r->polls.skel)
		err = window_measure(r, b, RUN_PROBE, PROBE_S, d);
	for (b->function = 0; b->function < r->calls.n && !err; b->function++)
		err = window_measure(r, b, RUN_CALLS, PROBE_S, d);
	for (int i = 0; i < r->o->windows && !err; i++) {
		int k = (i + 2 * (b->rb->round & 1)) % 4;

		bool profile = !r->o->no_profile && (k == 1 || k == 2);

		if (i == r->o->windows / 2)
			err = windows_count(r, b, d);
		if (!err)
			err = window_measure(r, b, profile ? RUN_PROFILE : RUN_BASE, r->o->window_s, d);
	}
	return err;
}

static void drain(const struct recorder *r, const struct block *b)
{
	uint64_t give_up = now_ns() + DRAIN_PATIENCE_NS, still_since = now_ns(), seen, seen_before = 0;

	while (now_ns() - still_since < DRAIN_STILL_NS && now_ns() < give_up) {
		seen = seen_packets(r, b) + (uint64_t)stage_frames(&b->stage); /* each only grows, and -1 stays */
		if (seen != seen_before)
			still_since = now_ns();
		seen_before = seen;
		sleep_until_ns(now_ns() + 1000000);
	}
}

/*
 * Frames that came back to the sender so far: by the lab's sink, else by what the sending device received. -1: the
 * sender is not ours, or on another machine, which says so at the end.
 */
static int64_t frames_back(const struct recorder *r)
{
	const struct gen_options *g = &r->o->load;
	int64_t frames;
	int saved;

	if (r->target->lab)
		return rig_sink_frames();
	if (!r->o->own_load || g->host[0] || netns_visit(g->netns, &saved, NULL))
		return -1;
	if (!g->netns[0] && g->netns_fd >= 0 && setns(g->netns_fd, CLONE_NEWNET)) {
		netns_back(&saved);
		return -1;
	}
	frames = netdev_rx_packets(r->o->load.dev);
	netns_back(&saved);
	return frames;
}

static int64_t verdicts_of(const struct block *b, int verdict)
{
	int64_t sum = 0;

	for (int cpu = 0; cpu < b->bench.ncpus; cpu++)
		sum += b->to.counts[cpu].verdicts[verdict];
	return sum;
}

/*
 * veth counts a redirect that failed at once among its drops, though the program has seen the packet: such drops are
 * behind the program, and the second stage's counters have them.
 */
static int64_t late_drops(const struct recorder *r, const struct block *b, const struct counters *growth)
{
	int64_t redirected = counters_sum(growth, COUNTER_XDP_REDIRECTED);

	/* Under a load of others the two were not read at one moment. */
	if (b->stage.kind == RUN_STAGE_NONE || strcmp(b->rb->mode_found, "native") || redirected < 0 || !r->o->own_load)
		return 0;
	return verdicts_of(b, RUN_REDIRECT) - redirected;
}

/* A load of others goes on, so the program is taken off first: then all that it redirected can arrive. */
static void totals_of_stage(struct recorder *r, struct block *b)
{
	struct run_totals *t = &b->rb->totals;

	if (b->stage.kind == RUN_STAGE_NONE)
		return;
	if (!r->o->own_load) {
		bench_detach(&b->bench);
		drain(r, b);
		read_counts(r, b, b->to.counts);
	}
	t->redirected = verdicts_of(b, RUN_REDIRECT);
	t->stage_frames = stage_frames(&b->stage);
	t->stage_dropped = stage_dropped(&b->stage);
}

/*
 * What the device says of the block. XDP_TX in the driver has counters of its own in most; generic XDP sends through the
 * stack, which every device counts.
 */
static int totals_of_device(struct recorder *r, struct block *b)
{
	struct run_totals *t = &b->rb->totals;
	bool generic = !strcmp(b->rb->mode_found, "skb");
	struct counters growth = {};
	struct look now = {};
	int err = look_at(r, b, &now);

	if (!err)
		err = counters_growth(&growth, &b->quiet.counters, &now.counters, true);
	if (!err)
		err = fill_changed(&b->rb->counters, &b->quiet, &now);
	t->tx_errors = counters_sum(&growth, generic ? COUNTER_LINK_TX_LOST : COUNTER_XDP_TX_LOST);
	t->tx_sent = generic ? -1 : counters_sum(&growth, COUNTER_XDP_TX);
	t->link_sent = counters_sum(&growth, COUNTER_LINK_TX);
	t->rx_named_drops = counters_rx_lost(&growth);
	if (t->rx_named_drops >= 0)
		t->rx_named_drops -= late_drops(r, b, &growth);
	counters_release(&growth);
	counters_release(&now.counters);
	return err;
}

static int totals_fill(struct recorder *r, struct block *b, const struct gen_result *sent)
{
	struct run_totals *t = &b->rb->totals;
	int err;

	read_counts(r, b, b->to.counts);
	t->rx_seen = seen_packets(r, b) - b->bare_before;
	t->tx_verdicts = verdicts_of(b, RUN_TX) - b->tx_before;
	t->gen_sent = r->o->own_load ? sent->sent : -1;
	t->gen_errors = r->o->own_load ? sent->refused : -1;
	t->stray = t->gen_sent >= 0 && t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : t->gen_sent >= 0 ? 0 : -1;
	t->gen_pps = r->o->load.host[0] && sent->elapsed_ns ? sent->sent * 1e9 / sent->elapsed_ns : -1;
	t->sink_frames = r->o->load.host[0] ? sent->back : -1;
	if (b->sink_before >= 0)
		t->sink_frames = frames_back(r) - b->sink_before;
	err = totals_of_device(r, b);
	totals_of_stage(r, b);
	return err;
}

static void probe_placement(struct recorder *r, struct block *b, int when)
{
	b->rb->placement_ns[when] = -1;
	if (r->o->own_load && !r->o->load.host[0])
		b->rb->placement_ns[when] = cpu_ping_pong_ns(r->rx_cpu, r->o->load.cpu);
}

static void counting_path(const struct recorder *r, size_t group, char *path, size_t size)
{
	snprintf(path, size, "%s/perf.stat-%zu", r->dir.tmp, group);
}

/* One perf stat for each group of events, switched off like perf record. */
static int counting_begin(struct recorder *r, struct perf_options po, struct diag *d)
{
	char path[sizeof(r->dir.tmp) + 40];
	int err = 0;

	po.data_path = path;
	for (size_t i = 0; i < r->plan.ngroups && !err; i++) {
		po.count = r->plan.groups[i];
		counting_path(r, i, path, sizeof(path));
		err = perf_start(&r->counting[i], &po, d);
	}
	return err;
}

static int perf_begin(struct recorder *r, struct diag *d)
{
	struct perf_options po = {
		.event = r->run.event, .cpus = r->run.rx_cpus, .ncpus = r->run.nrx_cpus, .hz = (int)r->run.sample_hz,
		.keeper_cpu = r->o->keeper_cpu, .data_path = r->data_path, .stderr_path = r->stderr_path,
	};
	int err;

	if (r->o->no_profile)
		return 0;
	err = perf_start(&r->perf, &po, d);
	return err ? err : counting_begin(r, po, d);
}

/* The n-th count window is that of the n-th group. */
static int counting_finish(struct recorder *r, struct block *b, struct diag *d)
{
	char path[sizeof(r->dir.tmp) + 40];
	size_t group = 0;
	int err = 0;

	for (size_t i = 0; i < b->rb->nwindows && !err; i++) {
		if (b->rb->windows[i].kind != RUN_COUNT)
			continue;
		err = perf_stop(&r->counting[group], d);
		counting_path(r, group++, path, sizeof(path));
		if (!err)
			err = perf_stat_read(&b->rb->windows[i], path, d);
	}
	return err;
}

static int perf_finish(struct recorder *r, struct block *b, struct diag *d)
{
	struct perf_options po = {
		.keeper_cpu = r->o->keeper_cpu, .data_path = r->data_path, .stderr_path = r->stderr_path,
	};
	char path[sizeof(r->dir.tmp) + sizeof(b->rb->script)];
	int err;

	b->rb->totals.perf_lost = -1;
	if (r->o->no_profile)
		return 0;
	err = perf_stop(&r->perf, d);
	if (!err)
		err = counting_finish(r, b, d);
	if (err)
		return err;
	b->rb->totals.perf_lost = perf_data_lost(r->data_path);
	snprintf(b->rb->script, sizeof(b->rb->script), "blocks/%03d.script", b->rb->index);
	snprintf(path, sizeof(path), "%s/%s", r->dir.tmp, b->rb->script);
	err = perf_script(&po, path, d);
	if (err)
		remove(path);
	remove(r->data_path);
	return err;
}

static void counting_release(struct recorder *r)
{
	char path[sizeof(r->dir.tmp) + 40];

	for (size_t i = 0; i < PERF_STAT_GROUPS; i++) {
		perf_release(&r->counting[i]);
		counting_path(r, i, path, sizeof(path));
		remove(path);
	}
}

static int load_begin(struct recorder *r, struct block *b, struct diag *d)
{
	struct gen_options load = r->o->load;
	int err;

	if (r->target->lab && !b->bare)
		rig_close_loop(&load, b->bench.counts_fd, r->rx_cpu);
	err = r->o->own_load ? gen_start(&r->gen, &load, d) : 0;
	return err ? err : wait_for_packets(r, b, d);
}

static int block_attach(struct recorder *r, struct block *b, struct run_variant *v, struct diag *d)
{
	int err = bench_load(&b->bench, v, d);

	if (!err)
		err = stage_open(&b->stage, v, &b->bench, &r->target->nd, r->target->lab, d);
	if (err)
		return err;
	b->bare = !strcmp(v->operation, "bare");
	b->bare_before = b->bare ? seen_packets(r, b) : 0;
	b->from.counts = calloc(b->bench.ncpus, sizeof(*b->from.counts));
	b->to.counts = calloc(b->bench.ncpus, sizeof(*b->to.counts));
	if (!b->from.counts || !b->to.counts)
		return diag_set(d, -ENOMEM, "no memory");
	device_counters_open(&b->device, &r->target->nd);
	err = bench_attach(&b->bench, &r->target->nd, v->mode, d);
	return err ? err : steer_hold(&r->steer, d);
}

static void block_release(struct recorder *r, struct block *b)
{
	perf_release(&r->perf);
	counting_release(r);
	gen_release(&r->gen);
	remove(r->data_path);
	bench_release(&b->bench);
	stage_release(&b->stage);
	free(b->from.counts);
	free(b->to.counts);
	counters_release(&b->quiet.counters);
	counters_release(&b->before.counters);
	device_counters_release(&b->device);
}

/* Verdicts after the device's counters, and at the end before them: what a load of others sends between is not missing. */
static int look_first(struct recorder *r, struct block *b, struct diag *d)
{
	if (look_at(r, b, &b->quiet))
		return diag_set(d, -ENOMEM, "no memory");
	read_counts(r, b, b->to.counts);
	b->tx_before = verdicts_of(b, RUN_TX);
	b->sink_before = frames_back(r);
	return 0;
}

static int block_run(struct recorder *r, struct block *b, struct diag *d)
{
	struct gen_result sent = {.sent = -1, .refused = -1, .back = -1};
	int err;

	err = perf_begin(r, d);
	if (err)
		return err;
	probe_placement(r, b, 0);
	err = look_first(r, b, d);
	if (err)
		return err;
	err = load_begin(r, b, d);
	if (!err)
		err = sleep_alive(r, b, r->o->warmup_s, d);
	if (!err) {
		read_counts(r, b, b->to.counts);
		err = stage_check(&b->stage, verdicts_of(b, RUN_REDIRECT), d);
	}
	if (!err)
		err = windows_measure(r, b, d);
	if (!err && r->o->own_load)
		err = gen_stop(&r->gen, &sent, d);
	if (err)
		return err;
	if (r->o->own_load)
		drain(r, b);
	err = totals_fill(r, b, &sent);
	if (err)
		return diag_set(d, err, "no memory");
	probe_placement(r, b, 1);
	return perf_finish(r, b, d);
}

int record_try_stage(struct recorder *r, size_t variant, struct diag *d)
{
	struct run_variant *v = &r->run.variants[variant];
	struct stage stage;
	struct bench bench;
	int err;

	if (v->stage == RUN_STAGE_NONE)
		return 0;
	bench_init(&bench);
	stage_init(&stage);
	err = bench_load(&bench, v, d);
	if (!err)
		err = stage_open(&stage, v, &bench, &r->target->nd, r->target->lab, d);
	bench_release(&bench);
	stage_release(&stage);
	return err;
}

static bool disk_full(const char *dir)
{
	struct statvfs fs;

	return statvfs(dir, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_bsize < DISK_FULL_BYTES;
}

int record_block(struct recorder *r, size_t variant, int round, struct diag *d)
{
	struct block b = {.sink_before = -1};
	int err;

	bench_init(&b.bench);
	stage_init(&b.stage);
	b.rb = run_add_block(&r->run);
	if (!b.rb)
		return diag_set(d, -ENOMEM, "no memory");
	b.rb->index = r->run.nblocks - 1;
	b.rb->round = round;
	b.rb->variant = variant;
	device_counters_init(&b.device);
	err = block_attach(r, &b, &r->run.variants[variant], d);
	if (!err) {
		b.rb->prog_id = b.bench.prog_id;
		strcpy(b.rb->prog_tag, b.bench.tag);
		strcpy(b.rb->prog_name, b.bench.name);
		strcpy(b.rb->mode_found, b.bench.mode_found);
		b.rb->stage_tid = b.stage.tid;
		err = block_run(r, &b, d);
	}
	block_release(r, &b);
	if (err)
		run_drop_last_block(&r->run);
	if (err == -ECHILD && disk_full(r->dir.tmp)) {
		d->text[0] = 0; /* perf dies of it without saying so */
		err = diag_set(d, -ENOSPC, "cannot write %s: %s", r->o->out_dir, strerror(ENOSPC));
	}
	if (err && err != -EINTR && check_cpus(r, NULL)) {
		d->text[0] = 0;
		err = check_cpus(r, d);
	}
	if (err && err != -EINTR && netdev_gone(&r->target->nd)) {
		d->text[0] = 0; /* whoever stumbled over it first, this is the cause */
		err = diag_set(d, -ENODEV, "%s has vanished", r->target->nd.name);
	}
	return err;
}

static int find_rx(struct recorder *r, struct block *b, struct diag *d)
{
	uint64_t seen;
	int err = load_begin(r, b, d);

	if (!err)
		err = sleep_alive(r, b, 0.3, d);
	if (err)
		return err;
	read_counts(r, b, b->to.counts);
	seen = bench_seen(&b->bench);
	for (int cpu = 0; cpu < b->bench.ncpus && r->run.nrx_cpus < 64; cpu++) {
		uint64_t here = 0;

		for (int v = 0; v < 8; v++)
			here += b->to.counts[cpu].verdicts[v];
		if (here > RX_SHARE * seen)
			r->run.rx_cpus[r->run.nrx_cpus++] = cpu;
	}
	return 0;
}

int record_find_rx_cpus(struct recorder *r, size_t variant, struct diag *d)
{
	struct run_variant counting = r->run.variants[variant];
	struct block b = {};
	int err;

	if (!strcmp(counting.operation, "bare"))
		strcpy(counting.operation, "no-touch"); /* the bare program does not tell CPUs apart */
	if (counting.stage != RUN_STAGE_NONE) { /* nor does it matter here where packets go on */
		counting.stage = RUN_STAGE_NONE;
		strcpy(counting.action, "drop");
	}
	bench_init(&b.bench);
	stage_init(&b.stage);
	err = block_attach(r, &b, &counting, d);
	if (!err)
		err = find_rx(r, &b, d);
	block_release(r, &b);
	return err;
}

/* ns of busy time per packet over a moment. */
static int glance(struct recorder *r, struct block *b, double *ns, struct diag *d)
{
	uint64_t from_packets, from_ns;
	int err = edge_read(r, b, RUN_BASE, &b->from, d);

	from_packets = seen_packets(r, b);
	from_ns = busy_sum(r, &b->from);
	if (!err)
		err = sleep_alive(r, b, GLANCE_S, d);
	if (!err)
		err = edge_read(r, b, RUN_BASE, &b->to, d);
	*ns = (double)(busy_sum(r, &b->to) - from_ns) / (seen_packets(r, b) - from_packets);
	return err;
}

static int sample_cost(struct recorder *r, struct block *b, struct perf_sampler *s, double *cost_ns, struct diag *d)
{
	double cost[GLANCES], off, on;
	int err = load_begin(r, b, d);

	if (!err)
		err = sleep_alive(r, b, r->o->warmup_s, d);
	for (int i = 0; i < GLANCES && !err; i++) {
		err = glance(r, b, &off, d);
		perf_sampler_switch(s, true);
		if (!err)
			err = glance(r, b, &on, d);
		perf_sampler_switch(s, false);
		cost[i] = (1 - off / on) * 1e9 / PERF_SAMPLER_HZ;
	}
	if (err)
		return err;
	*cost_ns = fmax(*cost_ns, stats_median(cost, GLANCES));
	return 0;
}

int record_sample_cost(struct recorder *r, size_t variant, double *cost_ns, struct diag *d)
{
	struct perf_sampler s = {.fd = -1};
	struct block b = {};
	int err;

	if (perf_sampler_open(&s, r->run.event, r->rx_cpu))
		return 0;
	bench_init(&b.bench);
	err = block_attach(r, &b, &r->run.variants[variant], d);
	if (!err)
		err = sample_cost(r, &b, &s, cost_ns, d);
	block_release(r, &b);
	perf_sampler_close(&s);
	return err;
}
