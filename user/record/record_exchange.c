// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/array.h"
#include "user/turns/turn_order.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/priority.h"
#include "user/machine/speed_probe.h"
#include "user/record/record_exchange.h"
#include "user/record/record_parts.h"
#include "user/record/record_round.h"

#define EDGE_SPAN_NS   100000ULL /* of the readings of one edge; then they are taken again */
#define EDGE_TRIES     5
#define CALIBRATE_S    0.05
#define LAST_FRAMES_NS 1000000000ULL
#define SILENCE_NS     5000000000ULL

struct exchange_round {
	size_t room;            /* of the round's turns */
	struct gen_result sent; /* in the whole round */
	struct block block;     /* counters before the round; its run_block is that of the first variant */
	uint64_t seen_before;   /* frames that the programs saw before these counters were read */
	uint64_t packets_at_ns; /* when packets were seen last */
};

struct turn_edge {
	uint64_t at_ns;
	double own_ns;
	struct bench_count count;
};

/* ---- turns --------------------------------------------------------------------------------------------- */

/* Packets and clock of one moment; if the readings took too long, they are taken again. */
static int edge_take(struct recorder *r, struct turn_edge *e, struct diag *d)
{
	const struct work_clock *c = &r->exchange.clock;
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

static int turn_keep(struct round *n, const struct turn_edge *from, const struct turn_edge *to,
		     const struct run_turn *turn, struct turn_sums *s)
{
	struct exchange_round *x = n->of;
	struct run_turn *t;

	if (!array_grow(&n->turns, &x->room, n->nturns, 1, sizeof(*n->turns)))
		return -ENOMEM;
	t = &n->turns[n->nturns++];
	*t = *turn;
	t->start_ns = from->at_ns;
	t->wall_ns = (uint32_t)fmin((double)(to->at_ns - from->at_ns), UINT32_MAX);
	t->own_ns = (uint32_t)fmax(0, fmin(to->own_ns - from->own_ns, t->wall_ns));
	for (int v = 0; v < RUN_VERDICTS; v++) {
		uint64_t grown = to->count.verdicts[v] - from->count.verdicts[v];

		t->packets += (uint32_t)grown;
		s->verdicts[v] += grown;
	}
	s->wall_ns += t->wall_ns;
	s->own_ns += t->own_ns;
	s->plant_ns += (double)(to->count.plant_ns - from->count.plant_ns);
	if (t->packets)
		x->packets_at_ns = to->at_ns;
	return 0;
}

/* The device's receiver works on under the next program at once; what it needs to find its pace is not counted. */
static int turn_take(struct recorder *r, struct round *n, int stretch, size_t variant, struct diag *d)
{
	const struct exchange_round *x = n->of;
	const struct run_turn turn = {
		.round = (uint32_t)n->number,
		.variant = (uint16_t)variant,
		.use = n->stretches[stretch].kind == RUN_PROFILE ? TURN_PROFILE : TURN_BASE,
	};
	struct turn_edge from, to;
	uint64_t settled;
	int err = exchange_to(r, variant, d);

	settled = now_ns() + EXCHANGE_SETTLE_NS;
	if (!err)
		err = block_check(r, d);
	if (err)
		return err;
	sleep_until_ns(settled);
	err = edge_take(r, &from, d);
	if (err)
		return err;
	sleep_until_ns(from.at_ns + EXCHANGE_TURN_NS);
	err = edge_take(r, &to, d);
	if (!err && turn_keep(n, &from, &to, &turn, &n->sums[stretch][variant]))
		err = diag_set(d, -ENOMEM, "no memory for the turns");
	if (!err && to.at_ns - x->packets_at_ns > SILENCE_NS)
		err = diag_set(d, -ETIMEDOUT, "packets came to %s, and then no more", r->session.target.nd.name);
	return err;
}

/* Whole groups of turns, so that each variant has the same number of turns in the stretch. */
static int groups_take(struct recorder *r, struct round *n, int stretch, double seconds, struct diag *d)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
	struct exchange *e = &r->exchange;
	int err = 0;

	do {
		for (size_t i = 0; i < turn_group(r->run.nvariants) && !err; i++) {
			err = turn_take(r, n, stretch, e->order[e->next], d);
			e->next = (e->next + 1) % e->norder;
		}
	} while (!err && now_ns() < end);
	return err;
}

static void device_edge(struct recorder *r, const struct round *n, struct stretch *s, int when)
{
	(void)n;
	work_clock_keep_foreigns(&r->exchange.clock, !when && s->kind == RUN_PROFILE);
}

static int device_stretch(struct recorder *r, struct round *n, int stretch, double seconds, struct diag *d)
{
	bool realtime = priority_realtime_begin(); /* it sleeps nearly all the time, and then has to be there at once */
	int err = groups_take(r, n, stretch, seconds, d);

	if (realtime)
		priority_realtime_end();
	return err;
}

/* ---- a round ------------------------------------------------------------------------------------------- */

/*
 * Begins the load. The clock of a thread begins at the next switch to it, and a thread that is always busy may not be
 * switched for a long time; the probe of the CPU's speed, a real-time thread, interrupts it.
 */
static int load_begin(struct recorder *r, struct round *n, struct diag *d)
{
	struct work_clock *c = &r->exchange.clock;
	struct work_edge now;
	struct oncpu_time alive;
	int err = r->exchange.tid && oncpu_time(&r->oncpu, r->exchange.tid, &alive)
			  ? diag_set(d, -ENODEV, "the NAPI kthread of %s is gone", r->session.target.nd.name)
			  : work_clock_read(c, &now, d);

	work_clock_forget_foreigns(c);
	if (!err)
		err = block_load(r, &r->run.variants[0], d);
	if (!err)
		err = work_clock_calibrate(c, true, d);
	if (!err)
		err = block_sleep(r, fmax(CALIBRATE_S, r->o->warmup_s), d);
	if (!err)
		err = work_clock_calibrate(c, false, d);
	speed_probe_ns(r->session.rx_cpu);
	round_stamp(r, n, c->stamp_ns);
	return err;
}

static const struct bench *device_bench(struct recorder *r, const struct round *n, size_t variant)
{
	(void)n;
	return exchange_bench(r, variant);
}

/* Each block has the totals of the round, the first one also the device's counters. */
static int device_totals(struct recorder *r, struct round *n, struct diag *d)
{
	struct run_block *blocks = &r->run.blocks[n->first_block];
	struct exchange_round *x = n->of;
	struct run_totals *t = &blocks[0].totals;
	int64_t seen = (int64_t)(exchange_seen(r) - x->seen_before); /* before the device's counters are read */
	int err;

	x->block.rb = &blocks[0];
	err = block_totals(r, &x->block, &x->sent);
	t->rx_seen = seen;
	t->tx_verdicts = exchange_sent(r) - x->block.tx_before;
	if (t->gen_sent >= 0)
		t->stray = t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : 0;
	blocks[0].counters.packets = (uint64_t)t->rx_seen;
	for (size_t i = 1; i < r->run.nvariants; i++)
		blocks[i].totals = *t;
	for (size_t i = 0; i < r->run.nvariants; i++)
		strcpy(blocks[i].mode_found, r->session.bench.mode_found);
	return err ? diag_set(d, -ENOMEM, "no memory") : 0;
}

/* A receiver that another task keeps from its CPU still has frames in its ring when the load has ended. */
static void await_last_frames(struct recorder *r, const struct exchange_round *x)
{
	uint64_t give_up = now_ns() + LAST_FRAMES_NS;

	if (!r->session.o.own_load || r->session.o.load.host[0])
		return;
	while ((int64_t)(exchange_seen(r) - x->seen_before) < (int64_t)x->sent.sent && now_ns() < give_up)
		sleep_until_ns(now_ns() + 1000000);
}

static int device_end(struct recorder *r, struct round *n, struct diag *d)
{
	struct exchange_round *x = n->of;
	int err = session_stop_load(&r->session, &x->sent, d);

	if (!err)
		await_last_frames(r, x);
	return err;
}

static int device_open(struct recorder *r, struct round *n, struct diag *d)
{
	struct exchange_round *x = n->of;

	return exchange_attach(r, &x->block, n->number, d);
}

static int device_begin(struct recorder *r, struct round *n, struct diag *d)
{
	struct exchange_round *x = n->of;
	int err = session_read(&r->session, &x->block.quiet) ? diag_set(d, -ENOMEM, "no memory") : 0;

	x->seen_before = exchange_seen(r);
	x->block.tx_before = exchange_sent(r);
	x->block.sink_before = block_frames_back(r);
	if (!err)
		err = load_begin(r, n, d);
	x->packets_at_ns = now_ns();
	return err;
}

static void device_close(struct recorder *r, struct round *n)
{
	struct exchange_round *x = n->of;

	exchange_release(r, &x->block);
}

int record_exchange_round(struct recorder *r, int round, struct diag *d)
{
	static const struct round_kind device = {
		.open = device_open,
		.begin = device_begin,
		.edge = device_edge,
		.stretch = device_stretch,
		.end = device_end,
		.bench = device_bench,
		.totals = device_totals,
		.close = device_close,
	};
	struct exchange_round x = {};
	struct round n = {.number = round, .of = &x};

	block_init(&x.block);
	return record_round(r, &device, &n, d);
}
