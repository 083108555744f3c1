// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The view "turns": variants of one mode take turns on one device, and the clock of its receiver's work.
 *
 * The programs are exchanged by bpf_link_update() on one link, every few ten ms, in an order in which steady drifts
 * cancel (turn_order.h). After each exchange nothing is counted for a while. The recorder then reads, at both edges of
 * the turn, the packets of the program on the RX CPU and the clock of the receiver's work (work_clock.h). Each variant
 * has the same number of turns in each of its stretches. Totals are those of the round: what was sent was seen by
 * one of the programs. record_view.h has the contract.
 */
#include <sys/mman.h>
#include "user/record/record.h"
#include "user/turns/turns.h"
#include "bpf/edges.skel.h"

#define TURN_NS        20000000ULL
#define SETTLE_NS      2000000ULL
#define TURN_ORDER     4096
#define EDGE_SPAN_NS   100000ULL /* of the readings of one edge; then they are taken again */
#define EDGE_TRIES     5
#define CALIBRATE_S    0.05
#define LAST_FRAMES_NS 1000000000ULL
#define SILENCE_NS     5000000000ULL
#define LOOK_S         0.05
#define OTHER_THREAD   0.05 /* of the time of the thread that receives: more is a second receiver */

/* session.bench is the program that is attached, that of the variant `at`; waiting[at] is empty. */
struct exchange {
	struct work_clock clock;
	pid_t tid;                      /* of the NAPI thread that receives; 0: packets are received in softirqs */
	struct bench waiting[RIG_ARMS]; /* of each variant, loaded and not attached */
	size_t at;
	uint8_t order[TURN_ORDER];
	size_t norder, next; /* entries in use, the one that comes next */
};

static const char *device_cannot(const struct run *run, const struct record_options *o)
{
	(void)o;
	if (run->nvariants > RIG_ARMS)
		return "there are more variants than can take turns";
	for (size_t i = 0; i < run->nvariants; i++) {
		const struct run_variant *v = &run->variants[i];

		if (run_variant_is_layer(v))
			return "a layer is no program that another one could take the place of";
		if (v->mode != run->variants[0].mode)
			return "a device has one mode at a time, and the variants are of several";
		if (v->mode == RUN_MODE_CLSACT)
			return "a classifier of clsact is not exchanged; @tcx is";
		if (v->mode == RUN_MODE_HW)
			return "programs in the NIC's hardware are not exchanged";
		if (v->stage != RUN_STAGE_NONE)
			return "what is redirected is worked on elsewhere, too late to assign it to a turn";
		if (v->observer)
			return "an observer would watch the other variants too";
		if (v->operation == RUN_BARE)
			return "the bare program counts nothing";
	}
	return NULL;
}

/* ---- programs ------------------------------------------------------------------------------------------ */

static const struct bench *device_bench(const struct recorder *r, const struct round *n, size_t variant)
{
	const struct exchange *x = r->of_view;

	(void)n;
	return variant == x->at ? &r->session.bench : &x->waiting[variant];
}

/* Loads all programs, beginning with another one in each round, and attaches the first of them. */
static int device_attach(struct recorder *r, struct round *n, struct diag *d)
{
	size_t all = r->run.nvariants, first = (size_t)n->number % all;
	struct exchange *x = r->of_view;
	int err;

	round_draw_place(r, n, 0);
	err = block_attach(r, &n->block, &r->run.variants[first], d);
	x->at = first;
	for (size_t i = 1; i < all && !err; i++) {
		size_t v = (first + i) % all;
		struct bench *waiting = &x->waiting[v];

		waiting->frags = bench_frags(&r->session.target.nd);
		round_draw_place(r, n, i);
		err = bench_load(waiting, &r->run.variants[v], &r->session.own, d);
		if (!err)
			bench_watch(waiting, &r->session.target.nd);
	}
	fillers_release(&n->fillers);
	return err;
}

static void device_detach(struct recorder *r, struct round *n)
{
	struct exchange *x = r->of_view;

	block_release(r, &n->block);
	for (size_t i = 0; i < RIG_ARMS; i++)
		bench_release(&x->waiting[i]);
}

/* Attaches the variant's program in the place of the one that is attached. */
static int exchange_to(struct recorder *r, size_t variant, struct diag *d)
{
	struct exchange *x = r->of_view;
	int err;

	if (variant == x->at)
		return 0;
	/* what is attached by now goes where the next one waits, and then to its own place */
	err = bench_exchange(&r->session.bench, &x->waiting[variant], &r->session.target.nd, d);
	if (err)
		return err;
	r->session.exchanged = true;
	x->waiting[x->at] = x->waiting[variant];
	bench_init(&x->waiting[variant]);
	x->at = variant;
	return 0;
}

/*
 * Frames that all programs of the round saw. An own program's packets are counted by a probe of the device's polls,
 * which sees packets of every program, so one reading is the total.
 */
static uint64_t exchange_seen(const struct recorder *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->run.nvariants; i++) {
		if (run_variant_is_own(&r->run.variants[i]))
			return bench_seen(device_bench(r, NULL, i));
		sum += bench_seen(device_bench(r, NULL, i));
	}
	return sum;
}

/* Those that they sent back. */
static int64_t exchange_sent(const struct recorder *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->run.nvariants; i++)
		sum += (int64_t)bench_verdicts(device_bench(r, NULL, i), RUN_TX);
	return sum;
}

/* ---- before the first round ---------------------------------------------------------------------------- */

/*
 * Exchanges each program once, so that what the device refuses is known before anything is measured. Of the device's
 * several threads the one that receives is found by its time while packets come in.
 */
static int programs_try(struct recorder *r, struct diag *d)
{
	struct oncpu_time from[RUN_MAX_NAPIS], to;
	struct exchange *x = r->of_view;
	double most = 0, others = 0;
	struct round n = {};
	int err;

	block_init(&n.block);
	err = device_attach(r, &n, d);
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = exchange_to(r, i, d);
	if (r->nnapis == 1)
		x->tid = r->run.napi_tids[0];
	if (!err && r->nnapis > 1) {
		err = block_load(r, &r->run.variants[0], d);
		for (size_t i = 0; i < r->nnapis && !err; i++)
			oncpu_time(&r->oncpu, r->run.napi_tids[i], &from[i]);
		if (!err)
			err = record_sleep(r, fmax(LOOK_S, r->o->warmup_s), d);
		for (size_t i = 0; i < r->nnapis && !err; i++) {
			double ns;

			if (oncpu_time(&r->oncpu, r->run.napi_tids[i], &to))
				continue;
			ns = fmax(0, (double)(int64_t)(to.ns - from[i].ns));
			others += fmin(most, ns);
			if (ns > most)
				x->tid = r->run.napi_tids[i];
			most = fmax(most, ns);
		}
		if (!err && others > OTHER_THREAD * most)
			err = diag_set(
				d, -EOPNOTSUPP,
				"several NAPI threads receive packets, and turns are timed by one; --steer brings "
				"them to one queue");
	}
	device_detach(r, &n);
	return err;
}

static int device_prepare(struct recorder *r, struct diag *d)
{
	struct exchange *x = r->of_view = calloc(1, sizeof(*x));
	struct work_clock_options o = {
		.cpu = r->session.rx_cpu, .ifindex = r->session.target.nd.ifindex, .netns = netns_inum()};
	int err = 0;

	if (!x)
		return diag_set(d, -ENOMEM, "no memory");
	x->clock = (struct work_clock){.stamp_ns = NAN};
	for (size_t i = 0; i < RIG_ARMS; i++)
		bench_init(&x->waiting[i]);
	if (r->run.nrx_cpus != 1)
		err = diag_set(d, -EOPNOTSUPP,
			       "packets come to %zu CPUs, and turns are timed on one; --steer brings them to one queue",
			       r->run.nrx_cpus);
	if (!err)
		err = programs_try(r, d);
	o.tid = x->tid;
	if (!err)
		err = work_clock_open(&x->clock, &o, d);
	oncpu_close(&r->oncpu); /* the clock above counts no waits, and needs no help */
	x->norder = turn_order_fill(x->order, TURN_ORDER, r->run.nvariants, r->o->seed);
	snprintf(r->run.order, sizeof(r->run.order), "%s", (r->run.nvariants == 2 ? "thue-morse" : "balanced"));
	r->run.turn_ns = TURN_NS;
	r->run.turn_settle_ns = SETTLE_NS;
	r->run.stamp_ns = NAN;
	r->turns_refused = err == -EOPNOTSUPP;
	return err;
}

static void device_release(struct recorder *r)
{
	struct exchange *x = r->of_view;

	if (!x)
		return;
	if (x->clock.foreigns)
		munmap((void *)x->clock.foreigns, sizeof(*x->clock.foreigns) * TURN_FOREIGN);
	edges_bpf__destroy(x->clock.skel);
	for (size_t i = 0; i < RIG_ARMS; i++)
		bench_release(&x->waiting[i]);
	free(x);
	r->of_view = NULL;
}

/* ---- turns --------------------------------------------------------------------------------------------- */

struct turn_edge {
	uint64_t at_ns;
	double own_ns;
	struct bench_count count;
};

/* Packets and clock of one moment; if the readings took too long, they are taken again. */
static int edge_take(struct recorder *r, struct turn_edge *e, struct diag *d)
{
	const struct exchange *x = r->of_view;
	const struct work_clock *c = &x->clock;
	struct work_edge clock;
	int err = 0;

	for (int i = 0; i < EDGE_TRIES && !err; i++) {
		uint64_t before = now_ns();

		bench_read_cpu(&r->session.bench, r->session.rx_cpu, &e->count);
		err = work_clock_read(c, &clock, d);
		if (now_ns() - before < EDGE_SPAN_NS)
			break;
	}
	e->at_ns = clock.at_ns;
	e->own_ns = (double)clock.own_ns - (isnan(c->stamp_ns) ? 0 : (double)clock.stamps * c->stamp_ns);
	return err;
}

/*
 * The receiver does not pause while programs are exchanged. The first SETTLE_NS after an exchange are not counted,
 * because caches and rings still hold the turn before.
 */
static int turn_take(struct recorder *r, struct round *n, enum run_window_kind kind, size_t variant, struct diag *d)
{
	struct turn_edge from, to;
	struct bench_count grown;
	struct run_turn turn;
	uint64_t settled;
	int err = exchange_to(r, variant, d);

	settled = now_ns() + SETTLE_NS;
	if (!err)
		err = record_check(r, d);
	if (err)
		return err;
	sleep_until_ns(settled);
	err = edge_take(r, &from, d);
	if (err)
		return err;
	sleep_until_ns(from.at_ns + TURN_NS);
	err = edge_take(r, &to, d);
	if (err)
		return err;
	turn = (struct run_turn){
		.start_ns = from.at_ns,
		.wall_ns = (uint32_t)fmin((double)(to.at_ns - from.at_ns), UINT32_MAX),
		.round = (uint32_t)n->number,
		.variant = (uint16_t)variant,
		.use = kind == RUN_PROFILE ? TURN_PROFILE : TURN_BASE,
	};
	turn.own_ns = (uint32_t)fmax(0, fmin(to.own_ns - from.own_ns, turn.wall_ns));
	for (int v = 0; v < RUN_VERDICTS; v++) {
		grown.verdicts[v] = to.count.verdicts[v] - from.count.verdicts[v];
		turn.packets += (uint32_t)grown.verdicts[v];
	}
	grown.injected_ns = to.count.injected_ns - from.count.injected_ns;
	if (turn.packets)
		n->silence = patience_of(SILENCE_NS);
	if (round_turn(n, &turn, &grown))
		return diag_set(d, -ENOMEM, "no memory for the turns");
	return patience_ends(&n->silence)
		       ? diag_set(d, -ETIMEDOUT, "packets came to %s, and then no more", r->session.target.nd.name)
		       : 0;
}

static void device_edge(struct recorder *r, struct round *n, const struct stretch *s, int when)
{
	struct exchange *x = r->of_view;

	(void)n;
	/* While on, the polls of other devices in softirqs are kept, TURN_FOREIGN of them at most. */
	*(volatile __u32 *)&x->clock.skel->bss->foreign = !when && s->kind == RUN_PROFILE;
}

static int device_stretch(struct recorder *r, struct round *n, enum run_window_kind kind, double seconds,
			  struct diag *d)
{
	bool realtime = priority_realtime_begin(); /* it sleeps nearly all the time, and then has to be there at once */
	/* Whole groups of turns, so that each variant has the same number of turns in the stretch. */
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
	struct exchange *e = r->of_view;
	int err = 0;

	do {
		for (size_t i = 0; i < turn_group(r->run.nvariants) && !err; i++) {
			err = turn_take(r, n, kind, e->order[e->next], d);
			e->next = (e->next + 1) % e->norder;
		}
	} while (!err && now_ns() < end);

	if (realtime)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
	return err;
}

/* ---- a round ------------------------------------------------------------------------------------------- */

/*
 * Begins the load. The clock of a thread begins at the next switch to it, and a thread that is always busy may not be
 * switched for a long time; the probe of the CPU's speed, a real-time thread, interrupts it.
 */
static int device_begin(struct recorder *r, struct round *n, struct diag *d)
{
	int err = session_read(&r->session, &n->block.quiet) ? diag_set(d, -ENOMEM, "no memory") : 0;
	struct exchange *x = r->of_view;
	struct work_clock *c = &x->clock;
	struct oncpu_time alive;
	struct work_edge now;

	n->seen_before = exchange_seen(r);
	n->block.tx_before = exchange_sent(r);
	n->block.sink_before = block_frames_back(r);
	if (!err) {
		err = x->tid && oncpu_time(&r->oncpu, x->tid, &alive)
			      ? diag_set(d, -ENODEV, "the NAPI kthread of %s is gone", r->session.target.nd.name)
			      : work_clock_read(c, &now, d);
		*(volatile __u32 *)&c->skel->bss->foreigns = 0;
		if (!err)
			err = block_load(r, &r->run.variants[0], d) ?: work_clock_calibrate(c, true, d);
		if (!err)
			err = record_sleep(r, fmax(CALIBRATE_S, r->o->warmup_s), d)
				      ?: work_clock_calibrate(c, false, d);
		speed_probe_ns(r->session.rx_cpu);
		round_stamp(r, n, c->stamp_ns);
	}
	n->silence = patience_of(SILENCE_NS);
	n->group_s = (double)(turn_group(r->run.nvariants) * (SETTLE_NS + TURN_NS)) / 1e9;
	return err;
}

/* A receiver that another task keeps from its CPU still has frames in its ring when the load has ended. */
static int device_end(struct recorder *r, struct round *n, struct diag *d)
{
	bool own = r->session.o.own_load && !r->session.o.load.host[0];
	int err = session_stop_load(&r->session, &n->sent, d);
	struct patience patience = patience_of(LAST_FRAMES_NS);

	while (!err && own && (int64_t)(exchange_seen(r) - n->seen_before) < n->sent.sent && !patience_ends(&patience))
		sleep_until_ns(now_ns() + 1000000);
	return err;
}

/* Each block has the totals of the round, the first one also the device's counters. */
static int device_totals(struct recorder *r, struct round *n, struct diag *d)
{
	struct run_block *blocks = &r->run.blocks[n->first_block];
	struct run_totals *t = &blocks[0].totals;
	int64_t seen = (int64_t)(exchange_seen(r) - n->seen_before); /* before the device's counters are read */
	int err;

	for (size_t i = 0; i < r->run.nvariants; i++)
		blocks[i].mode_found = r->session.bench.mode_found;
	err = block_totals(r, &n->block, &n->sent);
	t->rx_seen = seen;
	t->tx_verdicts = exchange_sent(r) - n->block.tx_before;
	t->stray = totals_stray(t);
	blocks[0].counters.packets = (uint64_t)t->rx_seen;
	for (size_t i = 1; i < r->run.nvariants; i++)
		blocks[i].totals = *t;
	return err ? diag_set(d, -ENOMEM, "no memory") : 0;
}

/* On one device: its NAPI thread, or its polls in softirqs. */
static void device_receivers(struct recorder *r, const struct round *n, struct receivers *w, struct turn_samples *s)
{
	const struct exchange *x = r->of_view;

	(void)n;
	for (size_t i = 0; i < r->run.nvariants; i++) {
		w->tids[i] = x->tid;
		w->roots[i] = SOFTIRQ_ROOT;
	}
	s->foreigns = x->clock.foreigns;
	s->nforeigns = *(const volatile __u32 *)&x->clock.skel->bss->foreigns;
	if (x->tid)
		s->tids = w->tids;
	else
		s->roots = w->roots;
}

const struct view view_device = {
	.turns = true,
	.cannot = device_cannot,
	.prepare = device_prepare,
	.attach = device_attach,
	.bench = device_bench,
	.begin = device_begin,
	.measure = round_stretches,
	.edge = device_edge,
	.stretch = device_stretch,
	.end = device_end,
	.totals = device_totals,
	.receivers = device_receivers,
	.detach = device_detach,
	.release = device_release,
};
