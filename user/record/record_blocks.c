// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The view "blocks": one variant at a time is attached, loaded, and measured in windows.
 *
 * The order matters. perf starts before the generator, because they may share a CPU. The placement is probed while both
 * CPUs are quiet. The windows begin after packets have reached the program, because an attach under load takes up to
 * 0.2 s.
 */
#include "user/record/record.h"
#include "bpf/polls.skel.h"

#define ARRIVAL_PATIENCE_NS 3000000000ULL
#define REMOTE_PATIENCE_NS  15000000000ULL /* the other machine reports its start before it sends */
#define EDGE_WAIT_NS        10000000ULL
#define EDGE_SPAN_NS        500000ULL /* 0.1 % of half a second; doubled at each try, up to EDGE_SPAN_MAX_NS */
#define EDGE_SPAN_MAX_NS    20000000ULL
#define COUNT_S             0.15 /* counting has no sampling error */
#define PROBE_S             0.08 /* 600 polls at half a million packets a second */

/* What this view keeps of the recording. */
struct blocks {
	struct polls polls;
	struct perf_stat_plan plan;
	struct perf counting[PERF_STAT_GROUPS];
};

/* ---- attach, load ---------------------------------------------------------------------------------------- */

int block_load(struct recorder *r, const struct run_variant *v, struct diag *d)
{
	int err = session_load(&r->session, d);

	if (err)
		return err;
	struct patience patience = patience_of(r->session.o.load.host[0] ? REMOTE_PATIENCE_NS : ARRIVAL_PATIENCE_NS);
	uint64_t seen = session_seen(&r->session);
	err = 0;
	while (!err && session_seen(&r->session) == seen) {
		if (patience_ends(&patience))
			return r->session.layer.kind
				       ? record_layer_unreached(r, v, d)
				       : veth_no_packets(&r->session.target.nd,
							 r->session.bench.mode_found != RUN_MODE_NATIVE, d);
		sleep_until_ns(now_ns() + 2000000);
		err = record_check(r, d);
	}
	return err;
}

void block_init(struct block *b)
{
	memset(b, 0, sizeof(*b));
	b->sink_before = -1;
}

int block_attach(struct recorder *r, struct block *b, struct run_variant *v, struct diag *d)
{
	struct session *s = &r->session;
	int err = session_attach(s, v, d);

	if (err)
		return err;
	b->from.counts = calloc((size_t)s->ncpus, sizeof(*b->from.counts));
	b->to.counts = calloc((size_t)s->ncpus, sizeof(*b->to.counts));
	if (!b->from.counts || !b->to.counts)
		return diag_set(d, -ENOMEM, "no memory");
	if (session_stage_tid(s) > 0 && !oncpu_watch(&r->oncpu, session_stage_tid(s)))
		b->consumer_tid = session_stage_tid(s);
	return 0;
}

void block_release(struct recorder *r, struct block *b)
{
	session_detach(&r->session);
	if (b->consumer_tid > 0)
		oncpu_forget(&r->oncpu, b->consumer_tid);
	free(b->from.counts);
	free(b->to.counts);
	reading_release(&b->quiet);
	reading_release(&b->before);
	block_init(b);
}

/* ---- edges ----------------------------------------------------------------------------------------------- */

void stage_edge_read(const struct recorder *r, const struct session *s, struct stage_edge *e)
{
	struct oncpu_time t;

	if (s->layer.reader) {
		t.ns = clock_ns(s->layer.reader->worker.clock);
		e->has_busy = t.ns;
		if (e->has_busy) {
			oncpu_less_waits(&r->oncpu, session_stage_tid(s), &t);
			e->busy_ns = t.ns;
		}
	} else {
		e->has_busy = consumer_busy_ns(&s->stage, &r->oncpu, &e->busy_ns);
	}
	e->frames = session_stage_frames(s, true);
}

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
static int edge_read_once(struct recorder *r, enum run_window_kind kind, struct edge *e, uint64_t *since_ns,
			  struct diag *d)
{
	struct blocks *k = r->of_view;
	struct process_stat state;
	struct oncpu_time t;

	e->steal_ns = cpu_steal_ns(r->session.rx_cpu);
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
		e->napi_cpu[i] = facts_process_stat(&facts_here, r->run.napi_tids[i], &state) ?: state.cpu;
		if (r->nnapis > 1 && !r->session.bare && !r->session.layer.kind && e->napi_cpu[i] >= 0 &&
		    e->napi_cpu[i] < r->session.ncpus)
			bench_read_cpu(&r->session.bench, e->napi_cpu[i], &e->counts[e->napi_cpu[i]]);
	}
	e->at_ns = now_ns();
	stage_edge_read(r, &r->session, &e->stage);
	e->has_polls = kind == RUN_PROBE && polls_read(&k->polls, &e->polls) == 0;
	if (r->nnapis < 2)
		session_counts(&r->session, e->counts);
	return 0;
}

/*
 * All readings of an edge should be from one moment. Two things can come between them. A generator on this CPU can run
 * for 20 ms at a time, whatever its nice value; real-time priority prevents this. A hypervisor can take the CPU away;
 * so if the readings took too long, the edge is read again.
 */
int edge_read(struct recorder *r, enum run_window_kind kind, struct edge *e, struct diag *d)
{
	uint64_t span_ns = EDGE_SPAN_NS, since_ns;
	bool first = priority_realtime_begin();
	int err;

	err = edge_read_once(r, kind, e, &since_ns, d);
	for (; !err && now_ns() - since_ns > span_ns && span_ns < EDGE_SPAN_MAX_NS; span_ns *= 2)
		err = edge_read_once(r, kind, e, &since_ns, d);
	if (first)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
	return err;
}

/*
 * Returns to_ns - from_ns, which can be negative: the kernel charges a wait when a task starts to run, and the wait is
 * subtracted only when the task stops. Between two readings the time can therefore seem to run backwards.
 */
static double oncpu_between_ns(uint64_t from_ns, uint64_t to_ns)
{
	return (double)(int64_t)(to_ns - from_ns);
}

double edges_busy_ns(const struct recorder *r, const struct edge *from, const struct edge *to)
{
	double sum = 0;

	for (size_t i = 0; i < r->nnapis; i++)
		sum += oncpu_between_ns(from->busy_ns[i], to->busy_ns[i]);
	return fmax(0, sum);
}

/* ---- windows --------------------------------------------------------------------------------------------- */

_Static_assert(RUN_POLL_HIST == POLL_BUCKETS, "a run keeps another histogram of polls than the probe fills");

void window_fill_stage(struct run_window *w, const struct stage_edge *from, const struct stage_edge *to)
{
	if (from->has_busy && to->has_busy)
		w->consumer_busy_ns = fmax(0, oncpu_between_ns(from->busy_ns, to->busy_ns));
	if (from->frames >= 0 && to->frames >= 0)
		w->consumer_packets = to->frames - from->frames;
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
	window_fill_stage(w, &b->from.stage, &b->to.stage);
	if (run_has_inject_clock(&r->run.variants[b->rb->variant]))
		w->injected_ns = 0;
	for (int cpu = 0; cpu < r->session.ncpus; cpu++) {
		struct bench_count *from = &b->from.counts[cpu], *to = &b->to.counts[cpu];
		bool moved = false;
		double busy_ns = 0;
		struct run_cpu *c;
		size_t n = 0;

		if (!memcmp(from, to, sizeof(*from)))
			continue;
		c = run_add_cpu(w, cpu);
		if (!c)
			return -ENOMEM;
		for (int v = 0; v < RUN_VERDICTS; v++)
			c->verdicts[v] = to->verdicts[v] - from->verdicts[v];
		if (!isnan(w->injected_ns))
			w->injected_ns += (double)(to->injected_ns - from->injected_ns);
		/* What kthreads on this CPU at both edges took; NaN: one came or left, or there is none. */
		for (size_t i = 0; i < r->nnapis; i++) {
			bool was = b->from.napi_cpu[i] == cpu, is = b->to.napi_cpu[i] == cpu;

			moved |= was != is;
			n += is;
			busy_ns += is ? oncpu_between_ns(b->from.busy_ns[i], b->to.busy_ns[i]) : 0;
		}
		c->busy_ns = n && !moved ? fmax(0, busy_ns) : NAN;
	}
	if (kind == RUN_PROBE && b->from.has_polls && b->to.has_polls) {
		w->has_polls = true;
		w->polls = b->to.polls.polls - b->from.polls.polls;
		w->poll_packets = b->to.polls.packets - b->from.polls.packets;
		w->polls_empty = b->to.polls.empty - b->from.polls.empty;
		w->softirq_ns = b->to.polls.softirq_ns - b->from.polls.softirq_ns;
		for (int i = 0; i < RUN_POLL_HIST; i++)
			w->poll_hist[i] = b->to.polls.hist[i] - b->from.polls.hist[i];
	}
	return 0;
}

static int window_switch(struct recorder *r, const struct block *b, enum run_window_kind kind, bool on, struct diag *d)
{
	struct blocks *k = r->of_view;

	if (kind == RUN_PROBE && k->polls.skel) {
		*(volatile __u64 *)&k->polls.skel->bss->enabled_at_ns = now_ns();
		*(volatile bool *)&k->polls.skel->bss->enabled = on;
	}
	if (kind == RUN_COUNT)
		return perf_switch(&k->counting[b->ncounted], on, d);
	return kind == RUN_PROFILE ? perf_switch(&r->perf, on, d) : 0;
}

static int window_measure(struct recorder *r, struct block *b, enum run_window_kind kind, double seconds,
			  struct diag *d)
{
	struct reading now = {};
	int err, off;

	progress_tick(&r->progress); /* a terminal that draws is not to be measured */
	err = window_switch(r, b, kind, true, d);
	if (!err && kind == RUN_BASE)
		err = session_read(&r->session, &b->before);
	if (!err)
		err = edge_read(r, kind, &b->from, d) ?: record_sleep(r, seconds, d);
	if (!err)
		err = edge_read(r, kind, &b->to, d);
	off = window_switch(r, b, kind, false, err ? NULL : d);
	if (!err)
		err = off ?: window_fill(r, b, kind);
	if (!err && kind == RUN_BASE)
		err = session_read(&r->session, &now)
			      ?: reading_changes(&b->rb->windows[b->rb->nwindows - 1].counters, &b->before, &now);
	reading_release(&now);
	return err;
}

/*
 * Measures all windows of a block. The short probe window comes first. Then follow base, profile, profile,
 * base, ... in even rounds and profile, base, base, profile, ... in odd rounds, so that a drift within the block
 * affects both kinds equally. The windows of perf stat stand in the middle. The speed of the CPU is probed between two
 * windows.
 */
static int blocks_measure(struct recorder *r, struct round *n, struct diag *d)
{
	struct blocks *k = r->of_view;
	struct block *b = &n->block;
	int err = 0;

	if (k->polls.skel)
		err = window_measure(r, b, RUN_PROBE, PROBE_S, d);
	for (int i = 0; i < r->o->windows && !err; i++) {
		int turn = (i + 2 * (b->rb->round & 1)) % 4;
		bool profile = !r->o->no_profile && (turn == 1 || turn == 2);

		if (i)
			err = blocks_probe_speed(r, b->rb, 1, true, d);
		if (!err && i == r->o->windows / 2)
			for (b->ncounted = 0; b->ncounted < k->plan.ngroups && !err; b->ncounted++)
				err = window_measure(r, b, RUN_COUNT, fmin(r->o->window_s, COUNT_S), d);
		if (!err)
			err = window_measure(r, b, profile ? RUN_PROFILE : RUN_BASE, r->o->window_s, d);
	}
	return err;
}

/* ---- totals ---------------------------------------------------------------------------------------------- */

/*
 * Returns the frames that came back to the sender so far: from the lab's sink, or from the counter of received frames
 * of the sending device. -1: the sender is not ours, or runs on another machine, which reports its count at the end.
 */
int64_t block_frames_back(const struct recorder *r)
{
	const struct gen_options *g = &r->session.o.load;
	int64_t frames;
	int saved;

	if (r->session.target.lab)
		return rig_frames(RIG_TX_DEV);
	if (!r->session.o.own_load || g->host[0] || netns_visit(g->netns, &saved, NULL))
		return -1;
	if (!g->netns[0] && g->netns_fd >= 0 && netns_enter_fd(g->netns_fd)) {
		netns_back(&saved);
		return -1;
	}
	frames = netdev_packets(r->session.o.load.dev, false);
	netns_back(&saved);
	return frames;
}

/* Totals that the device counts: most drivers count native XDP_TX, and all count the stack's frames, as of generic. */
int totals_of_device(const struct session *s, struct run_block *b, const struct reading *before,
		     const struct reading *now)
{
	struct run_totals *t = &b->totals;
	bool generic = b->mode_found == RUN_MODE_SKB || run_mode_is_tc(b->mode_found);
	struct counters growth = {};
	int err = counters_growth(&growth, &before->counters, &now->counters, true);

	if (!err)
		err = reading_changes(&b->counters, before, now);
	t->tx_errors = counters_sum(&growth, generic ? COUNTER_LINK_TX_LOST : COUNTER_XDP_TX_LOST);
	t->tx_sent = generic ? -1 : counters_sum(&growth, COUNTER_XDP_TX);
	t->link_sent = counters_sum(&growth, COUNTER_LINK_TX);
	/*
	 * virtio_net counts a frame that XDP dropped among its own drops too (seen on 6.1 and 6.12); veth does not. If
	 * XDP dropped more than the drops contain, they do not include XDP's. Less those that happened after the
	 * program: veth counts a redirect that fails at once as a drop, though the program has seen the packet. The
	 * second stage's counters contain such drops already. Under an external load, verdicts and device counters are
	 * not from the same moment.
	 */
	int64_t by_xdp = counters_sum(&growth, COUNTER_XDP_DROPS), drops = counters_sum(&growth, COUNTER_RX_DROPS);
	int64_t redirected = counters_sum(&growth, COUNTER_XDP_REDIRECTED);
	t->rx_named_drops = by_xdp > 0 && drops >= by_xdp ? drops - by_xdp : drops;
	if (t->rx_named_drops >= 0 && s->stage.kind != RUN_STAGE_NONE && b->mode_found == RUN_MODE_NATIVE &&
	    redirected >= 0 && s->o.own_load)
		t->rx_named_drops -= bench_verdicts(&s->bench, RUN_REDIRECT) - redirected;
	counters_release(&growth);
	return err;
}

int64_t totals_stray(const struct run_totals *t)
{
	return t->gen_sent < 0 ? -1 : t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : 0;
}

int block_totals(struct recorder *r, struct block *b, const struct gen_result *sent)
{
	struct session *s = &r->session;
	struct run_totals *t = &b->rb->totals;
	struct reading now = {};
	int err;

	t->rx_seen = session_seen(&r->session);
	t->tx_verdicts = bench_verdicts(&r->session.bench, RUN_TX) - b->tx_before;
	t->gen_sent = r->session.o.own_load ? sent->sent : -1;
	t->gen_errors = r->session.o.own_load ? sent->refused : -1;
	t->stray = totals_stray(t);
	t->gen_pps = r->session.o.load.host[0] && sent->elapsed_ns ? sent->sent * 1e9 / sent->elapsed_ns : -1;
	t->sink_frames = r->session.o.load.host[0] ? sent->back : -1;
	if (b->sink_before >= 0)
		t->sink_frames = block_frames_back(r) - b->sink_before;
	err = session_read(&r->session, &now) ?: totals_of_device(&r->session, b->rb, &b->quiet, &now);
	reading_release(&now);
	if (s->stage.kind == RUN_STAGE_NONE && !s->layer.reader)
		return err;
	/* An external load does not stop. So the program is detached first: then every redirected frame can arrive. */
	if (!s->o.own_load && !s->layer.reader) {
		bench_detach(&s->bench);
		session_drain(s);
	}
	t->consumer_frames = session_stage_frames(s, false);
	t->consumer_dropped = session_stage_dropped(s);
	t->redirected = (int64_t)(s->layer.reader ? session_seen(s) : bench_verdicts(&s->bench, RUN_REDIRECT));
	if (s->layer.reader && !s->o.own_load) /* whose frames still come, between one count and the next */
		t->redirected = t->consumer_frames + t->consumer_dropped;
	return err;
}

/* ---- the view -------------------------------------------------------------------------------------------- */

/* A kernel that refuses the probe of polls is no error: reports state that polls are unknown. */
static int blocks_prepare(struct recorder *r, struct diag *d)
{
	struct blocks *k = r->of_view = calloc(1, sizeof(*k));
	struct diag no_probe = {};
	int err;

	if (!k)
		return diag_set(d, -ENOMEM, "no memory");
	for (int i = 0; i < PERF_STAT_GROUPS; i++)
		perf_init(&k->counting[i]);
	const struct perf_options po = {
		.cpus = r->run.rx_cpus,
		.ncpus = r->run.nrx_cpus,
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = r->data_path,
		.stderr_path = r->stderr_path,
	};
	err = r->o->no_profile ? 0
			       : perf_stat_plan(&k->plan, r->o->stat_events, r->o->nstat_events,
						!strcmp(r->run.event, "cycles"), &po, d);
	if (!err)
		polls_open(&k->polls, r->session.target.nd.ifindex, netns_inum(),
			   r->nnapis == 1 ? r->run.napi_tids[0] : 0, &no_probe);
	return err;
}

static int blocks_attach(struct recorder *r, struct round *n, struct diag *d)
{
	int err;

	round_draw_place(r, n, n->variant);
	err = block_attach(r, &n->block, &r->run.variants[n->variant], d);
	fillers_release(&n->fillers);
	n->block.rb->consumer_tid = session_stage_tid(&r->session);
	return err;
}

static const struct bench *blocks_bench(const struct recorder *r, const struct round *n, size_t variant)
{
	(void)n;
	(void)variant;
	return &r->session.bench;
}

/*
 * Starts one perf stat for each group of events; like perf record, each starts switched off. Then reads the device's
 * counters first and the verdicts next; at the block's end, the verdicts first. A frame of an external load that comes
 * between the two reads is then counted by the device only, so no frame seems to be lost.
 */
static int blocks_begin(struct recorder *r, struct round *n, struct diag *d)
{
	struct blocks *k = r->of_view;
	char path[sizeof(r->dir.at) + 40];
	struct perf_options po = {
		.cpus = r->run.rx_cpus,
		.ncpus = r->run.nrx_cpus,
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = path,
		.stderr_path = r->stderr_path,
	};
	int err = 0;

	for (size_t i = 0; i < k->plan.ngroups && !err; i++) {
		po.count = k->plan.groups[i];
		snprintf(path, sizeof(path), "%s/perf.stat-%zu", r->dir.at, i);
		err = perf_launch(&k->counting[i], &po, d);
	}
	for (size_t i = 0; i < k->plan.ngroups && !err; i++)
		err = perf_await(&k->counting[i], d);
	if (err)
		return err;
	if (session_read(&r->session, &n->block.quiet))
		return diag_set(d, -ENOMEM, "no memory");
	n->block.tx_before = bench_verdicts(&r->session.bench, RUN_TX);
	n->block.sink_before = block_frames_back(r);
	err = block_load(r, &r->run.variants[n->variant], d) ?: record_sleep(r, r->o->warmup_s, d);
	if (!err)
		err = stage_check(&r->session.stage, bench_verdicts(&r->session.bench, RUN_REDIRECT), d);
	return err;
}

static int blocks_end(struct recorder *r, struct round *n, struct diag *d)
{
	return session_stop_load(&r->session, &n->sent, d);
}

/* Then stops each perf stat and reads its counts. The n-th count window belongs to the n-th group of events. */
static int blocks_totals(struct recorder *r, struct round *n, struct diag *d)
{
	struct blocks *k = r->of_view;
	char path[sizeof(r->dir.at) + 40];
	int err = block_totals(r, &n->block, &n->sent);
	size_t group = 0;

	if (err)
		return diag_set(d, err, "no memory");
	for (size_t i = 0; i < n->block.rb->nwindows && !err; i++) {
		if (n->block.rb->windows[i].kind != RUN_COUNT)
			continue;
		err = perf_stop(&k->counting[group], d);
		snprintf(path, sizeof(path), "%s/perf.stat-%zu", r->dir.at, group++);
		if (!err)
			err = perf_stat_read(&n->block.rb->windows[i], path, d);
	}
	return err;
}

static void blocks_detach(struct recorder *r, struct round *n)
{
	struct blocks *k = r->of_view;
	char path[sizeof(r->dir.at) + 40];

	for (size_t i = 0; i < PERF_STAT_GROUPS; i++) {
		perf_release(&k->counting[i]);
		snprintf(path, sizeof(path), "%s/perf.stat-%zu", r->dir.at, i);
		remove(path);
	}
	block_release(r, &n->block);
}

static void blocks_release(struct recorder *r)
{
	struct blocks *k = r->of_view;

	if (!k)
		return;
	for (int i = 0; i < PERF_STAT_GROUPS; i++)
		perf_release(&k->counting[i]);
	polls_close(&k->polls);
	free(k);
	r->of_view = NULL;
}

const struct view view_blocks = {
	.prepare = blocks_prepare,
	.attach = blocks_attach,
	.bench = blocks_bench,
	.begin = blocks_begin,
	.measure = blocks_measure,
	.end = blocks_end,
	.totals = blocks_totals,
	.detach = blocks_detach,
	.release = blocks_release,
};
