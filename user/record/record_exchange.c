// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "user/load/turn_order.h"
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

/* What is counted of one variant in one stretch. */
struct sums {
	uint64_t verdicts[RUN_VERDICTS];
	double wall_ns, own_ns, plant_ns;
};

struct exchange_round {
	struct round n;
	size_t room; /* of n.turns */
	struct sums sums[STRETCHES][RIG_ARMS];
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

static int turn_keep(struct exchange_round *x, const struct turn_edge *from, const struct turn_edge *to,
		     const struct run_turn *turn, struct sums *s)
{
	struct run_turn *t;

	if (x->n.nturns == x->room) {
		size_t room = 2 * x->room + 64;
		struct run_turn *more = realloc(x->n.turns, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		x->n.turns = more;
		x->room = room;
	}
	t = &x->n.turns[x->n.nturns++];
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
static int turn_take(struct recorder *r, struct exchange_round *x, int stretch, size_t variant, struct diag *d)
{
	const struct run_turn turn = {
		.round = (uint32_t)x->n.number,
		.variant = (uint16_t)variant,
		.use = x->n.stretches[stretch].kind == RUN_PROFILE ? TURN_PROFILE : TURN_BASE,
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
	if (!err && turn_keep(x, &from, &to, &turn, &x->sums[stretch][variant]))
		err = diag_set(d, -ENOMEM, "no memory for the turns");
	if (!err && to.at_ns - x->packets_at_ns > SILENCE_NS)
		err = diag_set(d, -ETIMEDOUT, "packets came to %s, and then no more", r->session.target.nd.name);
	return err;
}

/* Whole groups of turns, so that each variant has the same number of turns in the stretch. */
static int stretch_turns(struct recorder *r, struct exchange_round *x, int stretch, double seconds, struct diag *d)
{
	struct exchange *e = &r->exchange;
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
	int err = 0;

	do {
		for (size_t i = 0; i < turn_group(r->run.nvariants) && !err; i++) {
			err = turn_take(r, x, stretch, e->order[e->next], d);
			e->next = (e->next + 1) % e->norder;
		}
	} while (!err && now_ns() < end);
	return err;
}

static int stretch_run(struct recorder *r, struct exchange_round *x, int stretch, double seconds, struct diag *d)
{
	struct stretch *s = &x->n.stretches[stretch];
	bool profile = s->kind == RUN_PROFILE, realtime;
	int err = profile ? perf_switch(&r->perf, true, d) : 0, off = 0;

	work_clock_keep_foreigns(&r->exchange.clock, profile);
	s->from_ns = now_ns();
	s->steal_ns = cpu_steal_ns(r->session.rx_cpu);
	realtime = priority_realtime_begin(); /* it sleeps nearly all the time, and then has to be there at once */
	if (!err)
		err = stretch_turns(r, x, stretch, seconds, d);
	if (realtime)
		priority_realtime_end();
	s->steal_ns = cpu_steal_ns(r->session.rx_cpu) - s->steal_ns;
	s->freq_khz = cpu_freq_khz(r->session.rx_cpu);
	s->to_ns = now_ns();
	work_clock_keep_foreigns(&r->exchange.clock, false);
	if (profile)
		off = perf_switch(&r->perf, false, err ? NULL : d);
	return err ? err : off;
}

/* In every second rotation the stretch with samples comes first, as in record_turns.c. */
static int stretches_run(struct recorder *r, struct exchange_round *x, struct diag *d)
{
	double seconds = r->o->windows * r->o->window_s / STRETCHES;
	int rotation = x->n.number / (int)r->run.nvariants, err = 0;

	x->packets_at_ns = now_ns();
	for (int i = 0; i < STRETCHES && !err; i++) {
		x->n.stretches[i].kind = !r->o->no_profile && i != rotation % 2 ? RUN_PROFILE : RUN_BASE;
		err = stretch_run(r, x, i, seconds, d);
	}
	return err;
}

/* ---- a round ------------------------------------------------------------------------------------------- */

/*
 * Begins the load. The clock of a thread begins at the next switch to it, and a thread that is always busy may not be
 * switched for a long time; the probe of the CPU's speed, a real-time thread, interrupts it.
 */
static int load_begin(struct recorder *r, const struct exchange_round *x, struct diag *d)
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
	r->run.stamp_ns = r->run.nblocks && !isnan(r->run.stamp_ns)
				  ? r->run.stamp_ns + (c->stamp_ns - r->run.stamp_ns) / (x->n.number + 1)
				  : c->stamp_ns;
	return err;
}

static int window_add(struct recorder *r, const struct exchange_round *x, int stretch, struct run_block *b)
{
	const struct stretch *s = &x->n.stretches[stretch];
	const struct sums *sum = &x->sums[stretch][b->variant];
	struct run_window *w = run_add_window(b);
	struct run_cpu *c = w ? run_add_cpu(w, r->session.rx_cpu) : NULL;

	if (!c)
		return -ENOMEM;
	w->kind = s->kind;
	w->from_ns = s->from_ns;
	w->to_ns = s->to_ns;
	w->steal_ns = s->steal_ns;
	w->freq_khz = s->freq_khz;
	w->waits_ns = 0; /* the clock counts no waits */
	w->own_ns = sum->wall_ns;
	w->busy_ns = c->busy_ns = sum->own_ns;
	if (run_has_plant_clock(&r->run.variants[b->variant]))
		w->plant_ns = sum->plant_ns;
	memcpy(c->verdicts, sum->verdicts, sizeof(c->verdicts));
	return 0;
}

static int block_add(struct recorder *r, const struct exchange_round *x, size_t variant, struct diag *d)
{
	struct run_block *b;
	int err = round_add_block(r, &x->n, variant, exchange_bench(r, variant), &b, d);

	if (err)
		return err;
	strcpy(b->mode_found, r->session.bench.mode_found);
	for (int i = 0; i < STRETCHES && !err; i++)
		if (window_add(r, x, i, b))
			err = diag_set(d, -ENOMEM, "no memory");
	return err;
}

/* Each block has the totals of the round, the first one also the device's counters. */
static int totals_fill(struct recorder *r, struct exchange_round *x, const struct gen_result *sent)
{
	struct run_block *blocks = &r->run.blocks[x->n.first_block];
	struct run_totals *t = &blocks[0].totals;
	int64_t seen = (int64_t)(exchange_seen(r) - x->seen_before); /* before the device's counters are read */
	int err;

	x->block.rb = &blocks[0];
	err = block_totals(r, &x->block, sent);
	t->rx_seen = seen;
	t->tx_verdicts = exchange_sent(r) - x->block.tx_before;
	if (t->gen_sent >= 0)
		t->stray = t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : 0;
	blocks[0].counters.packets = (uint64_t)t->rx_seen;
	for (size_t i = 1; i < r->run.nvariants; i++)
		blocks[i].totals = *t;
	return err;
}

/* A receiver that another task keeps from its CPU still has frames in its ring when the load has ended. */
static void await_last_frames(struct recorder *r, const struct exchange_round *x, const struct gen_result *sent)
{
	uint64_t give_up = now_ns() + LAST_FRAMES_NS;

	if (!r->session.o.own_load || r->session.o.load.host[0])
		return;
	while ((int64_t)(exchange_seen(r) - x->seen_before) < (int64_t)sent->sent && now_ns() < give_up)
		sleep_until_ns(now_ns() + 1000000);
}

static int round_finish(struct recorder *r, struct exchange_round *x, struct diag *d)
{
	struct gen_result sent;
	int err = session_stop_load(&r->session, &sent, d);

	if (err)
		return err;
	await_last_frames(r, x, &sent);
	round_probe(r, &x->n, 1);
	if (turns_add(&r->turns, x->n.turns, x->n.nturns))
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = block_add(r, x, i, d);
	if (!err && totals_fill(r, x, &sent))
		err = diag_set(d, -ENOMEM, "no memory");
	return err ? err : round_samples_take(r, &x->n, d);
}

static int round_measure(struct recorder *r, struct exchange_round *x, struct diag *d)
{
	int err = session_read(&r->session, &x->block.quiet) ? diag_set(d, -ENOMEM, "no memory") : 0;

	round_probe(r, &x->n, 0);
	record_fill_slabs(r);
	x->seen_before = exchange_seen(r);
	x->block.tx_before = exchange_sent(r);
	x->block.sink_before = block_frames_back(r);
	if (!err)
		err = load_begin(r, x, d);
	if (!err)
		err = stretches_run(r, x, d);
	return err ? err : round_finish(r, x, d);
}

int record_exchange_round(struct recorder *r, int round, struct diag *d)
{
	struct exchange_round *x = calloc(1, sizeof(*x));
	size_t turns_before = r->turns.n;
	int err;

	if (!x)
		return diag_set(d, -ENOMEM, "no memory");
	x->n.number = round;
	x->n.first_block = r->run.nblocks;
	block_init(&x->block);
	err = exchange_attach(r, &x->block, round, d);
	if (!err)
		err = block_perf_begin(r, round, d);
	if (!err)
		err = round_measure(r, x, d);
	exchange_release(r, &x->block);
	if (err)
		round_undo(r, &x->n, turns_before);
	free(x->n.turns);
	free(x);
	return err ? block_find_cause(r, err, d) : 0;
}
