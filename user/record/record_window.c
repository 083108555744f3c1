// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the windows of a block: reads their edges and puts the windows in order. record_parts.h has the
 * contract.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "user/machine/clock.h"
#include "user/machine/priority.h"
#include "user/machine/cpu.h"
#include "user/record/record_parts.h"

#define EDGE_WAIT_NS     10000000ULL
#define EDGE_SPAN_NS     500000ULL /* 0.1 % of half a second; doubled at each try, up to EDGE_SPAN_MAX_NS */
#define EDGE_SPAN_MAX_NS 20000000ULL
#define COUNT_S          0.15 /* counting has no sampling error */
#define PROBE_S          0.08 /* 600 polls at half a million packets a second */

/*
 * Reads the busy time of each NAPI kthread. If there are several, the function also reads the packets of the kthread's
 * CPU at the same moment, because the kernel updates the time at each CPU's own tick.
 *
 * The loop runs backwards. Kthreads that only send stand last in the list (napi.h) and are idle, so waiting for their
 * update takes the full EDGE_WAIT_NS. Read first, they delay no receiver. If a sender and a receiver share a CPU, the
 * packets from the receiver's moment overwrite those from the sender's.
 *
 * *since_ns: the update of the kthread read last happened after this time.
 */
static int kthreads_read(struct recorder *r, struct edge *e, uint64_t *since_ns, struct diag *d)
{
	struct oncpu_time t;

	*since_ns = now_ns();
	e->waits_ns = 0;
	if (r->nnapis > 1)
		session_counts(&r->session, e->counts);
	for (size_t i = r->nnapis; i-- > 0;) {
		if (oncpu_edge(&r->oncpu, r->run.napi_tids[i], EDGE_WAIT_NS, &t, since_ns))
			return netdev_gone(&r->session.target.nd)
				       ? diag_set(d, -ENODEV, "%s has vanished", r->session.target.nd.name)
				       : diag_set(d, -ENODEV, "a NAPI kthread of %s is gone",
						  r->session.target.nd.name);
		e->busy_ns[i] = t.ns;
		e->waits_ns += t.waits_ns;
		e->napi_cpu[i] = napi_cpu(r->run.napi_tids[i]);
		if (r->nnapis > 1 && session_tells_cpus(&r->session) && e->napi_cpu[i] >= 0 &&
		    e->napi_cpu[i] < r->session.ncpus)
			bench_read_cpu(&r->session.bench, e->napi_cpu[i], &e->counts[e->napi_cpu[i]]);
	}
	return 0;
}

static int edge_read_once(struct recorder *r, struct block *b, enum run_window_kind kind, struct edge *e,
			  uint64_t *since_ns, struct diag *d)
{
	int err;

	e->steal_ns = cpu_steal_ns(r->session.rx_cpu);
	err = kthreads_read(r, e, since_ns, d);
	if (err)
		return err;
	e->at_ns = now_ns();
	e->has_stage_busy = session_stage_busy_ns(&r->session, &r->oncpu, &e->stage_busy_ns);
	e->stage_frames = session_stage_frames_now(&r->session);
	e->has_polls = polls_read(&r->polls, &e->polls) == 0;
	if (r->nnapis < 2)
		session_counts(&r->session, e->counts);
	if (kind == RUN_CALLS)
		return calls_read(&r->session.calls, b->function, r->run.rx_cpus, r->run.nrx_cpus, &e->calls);
	return 0;
}

/*
 * All readings of an edge should be from one moment. Two things can come between them. A generator on this CPU can run
 * for 20 ms at a time, whatever its nice value; real-time priority prevents this. A hypervisor can take the CPU away;
 * so if the readings took too long, the edge is read again.
 */
int edge_read(struct recorder *r, struct block *b, enum run_window_kind kind, struct edge *e, struct diag *d)
{
	uint64_t span_ns = EDGE_SPAN_NS, since_ns;
	bool first = priority_realtime_begin();
	int err;

	err = edge_read_once(r, b, kind, e, &since_ns, d);
	for (; !err && now_ns() - since_ns > span_ns && span_ns < EDGE_SPAN_MAX_NS; span_ns *= 2)
		err = edge_read_once(r, b, kind, e, &since_ns, d);
	if (first)
		priority_realtime_end();
	return err;
}

_Static_assert(RUN_POLL_HIST == POLL_BUCKETS, "a run keeps another histogram of polls than the probe fills");

static void window_fill_probe(struct run_window *w, const struct poll_count *from, const struct poll_count *to)
{
	w->has_polls = true;
	w->polls = to->polls - from->polls;
	w->poll_packets = to->packets - from->packets;
	w->polls_empty = to->empty - from->empty;
	w->softirq_ns = to->softirq_ns - from->softirq_ns;
	for (int i = 0; i < RUN_POLL_HIST; i++)
		w->poll_hist[i] = to->hist[i] - from->hist[i];
}

static void window_fill_calls(const struct recorder *r, const struct block *b, struct run_calls *c)
{
	snprintf(c->function, sizeof(c->function), "%s", r->session.calls.probes[b->function].function);
	c->calls = b->to.calls.calls - b->from.calls.calls;
	c->timed = b->to.calls.timed - b->from.calls.timed;
	c->ns = b->to.calls.ns - b->from.calls.ns;
	c->probe_ns = r->session.calls.probe_ns;
}

/*
 * Returns to_ns - from_ns, which can be negative: the kernel charges a wait when a task starts to run, and the wait is
 * subtracted only when the task stops. Between two readings the time can therefore seem to run backwards.
 */
static double oncpu_between_ns(uint64_t from_ns, uint64_t to_ns)
{
	return (double)(int64_t)(to_ns - from_ns);
}

static void window_fill_stage(struct run_window *w, const struct edge *from, const struct edge *to)
{
	if (from->has_stage_busy && to->has_stage_busy)
		w->stage_busy_ns = fmax(0, oncpu_between_ns(from->stage_busy_ns, to->stage_busy_ns));
	if (from->stage_frames >= 0 && to->stage_frames >= 0)
		w->stage_packets = to->stage_frames - from->stage_frames;
}

double edges_busy_ns(const struct recorder *r, const struct edge *from, const struct edge *to)
{
	double sum = 0;

	for (size_t i = 0; i < r->nnapis; i++)
		sum += oncpu_between_ns(from->busy_ns[i], to->busy_ns[i]);
	return fmax(0, sum);
}

/*
 * Returns the busy time, in ns, of the kthreads that were on this CPU at both edges of the window. NaN: a kthread came
 * or left, or there was none.
 */
static double cpu_busy_ns(const struct recorder *r, const struct block *b, int cpu)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->nnapis; i++) {
		if ((b->from.napi_cpu[i] == cpu) != (b->to.napi_cpu[i] == cpu))
			return NAN;
		if (b->to.napi_cpu[i] != cpu)
			continue;
		sum += oncpu_between_ns(b->from.busy_ns[i], b->to.busy_ns[i]);
		n++;
	}
	return n ? fmax(0, sum) : NAN;
}

static int window_fill(struct recorder *r, struct block *b, enum run_window_kind kind)
{
	struct run_window *w = run_add_window(b->rb);

	if (!w)
		return -ENOMEM;
	w->kind = kind;
	w->from_ns = b->from.at_ns;
	w->to_ns = b->to.at_ns;
	w->busy_ns = r->run.napi_threaded ? edges_busy_ns(r, &b->from, &b->to) : NAN;
	w->waits_ns = r->oncpu.skel ? fmax(0, b->to.waits_ns - b->from.waits_ns) : NAN;
	w->steal_ns = b->to.steal_ns - b->from.steal_ns;
	w->freq_khz = cpu_freq_khz(r->session.rx_cpu);
	window_fill_stage(w, &b->from, &b->to);
	if (run_has_plant_clock(&r->run.variants[b->rb->variant]))
		w->plant_ns = 0;
	for (int cpu = 0; cpu < r->session.ncpus; cpu++) {
		struct bench_count *from = &b->from.counts[cpu], *to = &b->to.counts[cpu];
		struct run_cpu *c;

		if (!memcmp(from, to, sizeof(*from)))
			continue;
		c = run_add_cpu(w, cpu);
		if (!c)
			return -ENOMEM;
		for (int v = 0; v < RUN_VERDICTS; v++)
			c->verdicts[v] = to->verdicts[v] - from->verdicts[v];
		if (!isnan(w->plant_ns))
			w->plant_ns += (double)(to->plant_ns - from->plant_ns);
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
	if (kind == RUN_CALLS && on) {
		gen_short_calls(&r->session.gen, true);
		return calls_attach(&r->session.calls, b->function, d);
	}
	if (kind == RUN_CALLS) {
		calls_detach(&r->session.calls, b->function);
		gen_short_calls(&r->session.gen, false);
	}
	if (kind == RUN_COUNT)
		return perf_switch(&r->counting[b->ncounted], on, d);
	return kind == RUN_PROFILE ? perf_switch(&r->perf, on, d) : 0;
}

static int window_fill_counters(const struct recorder *r, const struct block *b, struct run_window *w)
{
	struct reading now = {};
	int err = session_read(&r->session, &now);

	if (!err)
		err = reading_changes(&w->counters, &b->before, &now);
	reading_release(&now);
	return err;
}

static int window_measure(struct recorder *r, struct block *b, enum run_window_kind kind, double seconds,
			  struct diag *d)
{
	int err = window_switch(r, b, kind, true, d), off;

	if (!err && kind == RUN_BASE)
		err = session_read(&r->session, &b->before);
	if (!err)
		err = edge_read(r, b, kind, &b->from, d);
	if (!err)
		err = block_sleep(r, seconds, d);
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
 * Measures all windows of a block. The short probe and call windows come first. Then follow base, profile, profile,
 * base, ... in even rounds and profile, base, base, profile, ... in odd rounds, so that a drift within the block
 * affects both kinds equally. The windows of perf stat stand in the middle. The speed of the CPU is probed between two
 * windows.
 */
int block_windows(struct recorder *r, struct block *b, struct diag *d)
{
	int err = 0;

	if (r->polls.skel)
		err = window_measure(r, b, RUN_PROBE, PROBE_S, d);
	for (b->function = 0; b->function < r->session.calls.n && !err; b->function++)
		err = window_measure(r, b, RUN_CALLS, PROBE_S, d);
	for (int i = 0; i < r->o->windows && !err; i++) {
		int k = (i + 2 * (b->rb->round & 1)) % 4;

		bool profile = !r->o->no_profile && (k == 1 || k == 2);

		if (i)
			err = block_probe_speed(r, b, true, d);
		if (!err && i == r->o->windows / 2)
			err = windows_count(r, b, d);
		if (!err)
			err = window_measure(r, b, profile ? RUN_PROFILE : RUN_BASE, r->o->window_s, d);
	}
	return err;
}
