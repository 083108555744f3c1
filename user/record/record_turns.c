// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/stop.h"
#include "user/ladder/reader.h"
#include "user/bed/rig.h"
#include "user/turns/turn_order.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/netns.h"
#include "user/record/record_parts.h"
#include "user/record/record_arms.h"
#include "user/record/record_round.h"
#include "user/record/record_turns.h"

#define PATIENCE_NS 5000000000ULL
#define CALIBRATE_S 0.05

static int turns_sleep(struct recorder *r, double seconds, struct diag *d)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), step;
	int err = 0;

	while (!err && now_ns() < end) {
		step = now_ns() + 100000000ULL;
		sleep_until_ns(step < end ? step : end);
		err = arms_check(r, d);
	}
	return err;
}

static uint64_t frames_sent(const struct recorder *r)
{
	uint64_t sent = 0;

	for (size_t i = 0; i < r->run.nvariants; i++)
		sent += turner_sent(&r->turner, i);
	return sent;
}

/* Until one more group of turns has ended. An emulated machine's turn takes a second: patience counts frames. */
static int await_turns(struct recorder *r, struct diag *d)
{
	uint64_t give_up = now_ns() + PATIENCE_NS, sent = 0;
	size_t wanted = turner_count(&r->turner) + turn_group(r->run.nvariants);
	int err = 0;

	while (!err && turner_count(&r->turner) < wanted) {
		if (frames_sent(r) != sent)
			give_up = now_ns() + PATIENCE_NS;
		sent = frames_sent(r);
		if (now_ns() > give_up)
			return diag_set(d, -ETIMEDOUT, "no turn of %s ends; does its receiver take frames?",
					r->arms[0].rx.name);
		sleep_until_ns(now_ns() + 1000000);
		err = arms_check(r, d);
	}
	return err;
}

/* A reader has no work outside the turns of its own variant. */
static void readers_read(struct recorder *r, const struct round *n, struct stretch *s, int when)
{
	for (size_t i = 0; i < r->run.nvariants; i++) {
		const struct reader *reader = arms_at(r, i, n->number)->rung.reader;
		struct oncpu_time busy;

		if (!reader || !reader_busy_ns(reader, &busy.ns))
			continue;
		oncpu_less_waits(&r->oncpu, reader_tid(reader), &busy);
		s->readers[i][when].busy_ns = busy.ns;
		s->readers[i][when].frames = reader_frames(reader);
	}
}

static void lab_edge(struct recorder *r, const struct round *n, struct stretch *s, int when)
{
	if (!when)
		turner_keep_foreign(&r->turner, s->kind == RUN_PROFILE);
	readers_read(r, n, s, when);
	if (when)
		turner_keep_foreign(&r->turner, false);
}

/* For so long, and until a whole group of turns is in it: the first turn to end had begun before. */
static int lab_stretch(struct recorder *r, struct round *n, int stretch, double seconds, struct diag *d)
{
	size_t before = turner_count(&r->turner);
	int err = turns_sleep(r, seconds, d);
	bool too_few = turner_count(&r->turner) < before + 1 + turn_group(r->run.nvariants);

	(void)n;
	(void)stretch;
	/* A full list of turns ends the generator. */
	return !err && too_few && turner_count(&r->turner) < TURN_RECORDS / 2 ? await_turns(r, d) : err;
}

/* When the polls of other devices were too many to be kept; samples of later turns cannot be allotted. */
static uint64_t foreigns_end_ns(const struct recorder *r)
{
	size_t kept = turner_foreigns(&r->turner);

	return kept < TURN_FOREIGN ? UINT64_MAX : r->turner.foreigns[kept - 1].to_ns;
}

/* The stretch in which the turn lies; -1: in none. */
static int stretch_of(const struct round *n, const struct turn_record *t)
{
	for (int i = 0; i < STRETCHES; i++)
		if (t->start_ns >= n->stretches[i].from_ns && t->end_ns <= n->stretches[i].to_ns)
			return i;
	return -1;
}

static void sums_add(struct turn_sums *s, const struct run_variant *v, const struct run_turn *t, double plant_ns)
{
	s->wall_ns += t->wall_ns;
	s->own_ns += t->own_ns;
	s->plant_ns += plant_ns;
	s->verdicts[run_verdict_of(v)] += t->packets;
}

static int lab_read(struct recorder *r, struct round *n)
{
	uint64_t foreigns_end = foreigns_end_ns(r);

	n->nturns = turner_count(&r->turner);
	n->turns = calloc(n->nturns + 1, sizeof(*n->turns));
	if (!n->turns)
		return -ENOMEM;
	for (size_t i = 0; i < n->nturns; i++) {
		struct turn_record t;
		double own;
		int at;

		turner_turn(&r->turner, i, &t);
		at = stretch_of(n, &t);
		own = (double)t.own_ns - (r->o->view == RECORD_WORK ? t.stamps * n->stamp_ns : 0);
		n->turns[i] = (struct run_turn){
			.start_ns = t.start_ns,
			.wall_ns = (uint32_t)fmin((double)(t.end_ns - t.start_ns), UINT32_MAX),
			.own_ns = (uint32_t)fmax(0, fmin(own, UINT32_MAX)),
			.packets = t.packets,
			.lost = t.lost,
			.round = (uint32_t)n->number,
			.variant = (uint16_t)t.arm,
			.device = (uint8_t)arms_at(r, t.arm, n->number)->number,
			.use = at < 0                                 ? TURN_SWITCHING
			       : n->stretches[at].kind == RUN_PROFILE ? TURN_PROFILE
								      : TURN_BASE,
		};
		if (t.end_ns > foreigns_end && n->turns[i].use == TURN_PROFILE)
			n->turns[i].use = TURN_SWITCHING;
		if (n->turns[i].use != TURN_SWITCHING)
			sums_add(&n->sums[at][t.arm], &r->run.variants[t.arm], &n->turns[i], (double)t.plant_ns);
	}
	return 0;
}

/* The frames went from the receiver of the arm to its sender, where the sink counts them. */
static void fill_sent(struct run_totals *t, const struct arm *a, const struct arm_reading *now,
		      const struct counters *growth)
{
	const struct sender_counts *c = sender_counts(a->rung.sender);

	t->gen_sent = (int64_t)(now->packets - a->before.packets);
	t->rx_seen = sender_awaits(a->rung.sender) ? (int64_t)c->arrived : t->sink_frames;
	t->sink_frames = -1;
	t->stray = t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : 0;
	t->rx_named_drops =
		counters_sum(growth, COUNTER_LINK_TX_LOST) + fmax(0, counters_sum(growth, COUNTER_XMIT_REFUSED));
	t->send_calls = (int64_t)c->calls;
	t->send_owed = (int64_t)c->awaited;
	t->send_completed = (int64_t)c->completions;
	t->send_copied = (int64_t)c->copied;
}

static int block_fill_totals(struct recorder *r, struct run_block *b, struct arm *a, struct diag *d)
{
	bool generic = !strcmp(b->mode_found, "skb"), bare = !strcmp(r->run.variants[b->variant].operation, "bare");
	struct run_totals *t = &b->totals;
	struct arm_reading now = {};
	struct counters growth = {};
	int err = arm_read(a, &now, d);
	int64_t lost;

	if (!err)
		err = counters_growth(&growth, &a->before.rx, &now.rx, true);
	if (err) {
		counters_release(&now.rx);
		return diag_set(d, err, "no memory");
	}
	lost = (int64_t)(now.lost - a->before.lost);
	t->gen_sent = now.taken >= 0 && a->before.taken >= 0 ? now.taken - a->before.taken : -1;
	if (rung_floor_fd(&a->rung) >= 0) /* they go to no device */
		t->gen_sent = (int64_t)turner_sent(&r->turner, b->variant);
	t->gen_errors = now.refused >= 0 && a->before.refused >= 0 ? now.refused - a->before.refused : -1;
	t->rx_seen = bare ? counters_sum(&growth, COUNTER_XDP_SEEN) : (int64_t)(now.packets - a->before.packets);
	t->stray = t->gen_sent < 0 ? -1 : t->rx_seen > t->gen_sent ? t->rx_seen - t->gen_sent : 0;
	t->tx_verdicts = a->rung.kind ? 0 : (int64_t)bench_verdicts(&a->bench, RUN_TX);
	t->tx_errors = counters_sum(&growth, generic ? COUNTER_LINK_TX_LOST : COUNTER_XDP_TX_LOST);
	t->tx_sent = generic ? -1 : counters_sum(&growth, COUNTER_XDP_TX);
	t->link_sent = counters_sum(&growth, COUNTER_LINK_TX);
	t->rx_named_drops = counters_rx_lost(&growth);
	if (!a->rung.reader && lost)
		t->rx_named_drops = lost + (t->rx_named_drops > 0 ? t->rx_named_drops : 0);
	if (now.back != UINT64_MAX && a->before.back != UINT64_MAX)
		t->sink_frames = (int64_t)(now.back - a->before.back);
	if (a->rung.sender)
		fill_sent(t, a, &now, &growth);
	if (a->rung.reader) {
		t->redirected = t->gen_sent;
		t->stage_frames = t->rx_seen;
		t->stage_dropped = lost;
	}
	b->counters.from_ns = a->before.at_ns;
	b->counters.to_ns = now.at_ns;
	b->counters.packets = t->rx_seen > 0 ? (uint64_t)t->rx_seen : 0;
	counters_release(&growth);
	err = counters_growth(&b->counters.changed, &a->before.rx, &now.rx, false);
	/* The device counts in no turn but its own, so the windows can have the growth over the whole round. */
	for (size_t i = 0; i < b->nwindows && !err; i++) {
		struct run_counters *c = &b->windows[i].counters;

		if (b->windows[i].kind != RUN_BASE)
			continue;
		*c = b->counters;
		err = counters_growth(&c->changed, &a->before.rx, &now.rx, false);
	}
	counters_release(&now.rx);
	return err ? diag_set(d, err, "no memory") : 0;
}

static int lab_totals(struct recorder *r, struct round *n, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		struct run_block *b = &r->run.blocks[n->first_block + i];
		struct arm *a = arms_at(r, i, n->number);

		b->stage_tid = a->rung.reader ? reader_tid(a->rung.reader) : -1;
		strcpy(b->mode_found, a->rung.kind ? RUN_RUNG_MODE : a->bench.mode_found);
		err = block_fill_totals(r, b, a, d);
	}
	return err;
}

/* Measured in each round before its stretches: a machine that is slower in this round has slower stamps too. */
static int calibrate(struct recorder *r, struct round *n, struct diag *d)
{
	int err;

	if (r->o->view != RECORD_WORK)
		return 0;
	err = turner_calibrate(&r->turner, true, d);
	if (!err)
		err = turns_sleep(r, CALIBRATE_S, d);
	if (!err)
		err = turner_calibrate(&r->turner, false, d);
	round_stamp(r, n, r->turner.stamp_ns);
	return err;
}

static const struct bench *lab_bench(struct recorder *r, const struct round *n, size_t variant)
{
	return &arms_at(r, variant, n->number)->bench;
}

/* In the order of the devices: what is loaded first gets other memory than what is loaded last. */
static int lab_open(struct recorder *r, struct round *n, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = arm_attach(r, i, n->number, d);
	return err;
}

static int lab_begin(struct recorder *r, struct round *n, struct diag *d)
{
	int err = turner_begin(&r->turner, d);

	if (!err) /* the first turns fill the generator's page pool, and may be in no stretch */
		err = await_turns(r, d);
	return err ? err : calibrate(r, n, d);
}

static int lab_end(struct recorder *r, struct round *n, struct diag *d)
{
	(void)n;
	return turner_end(&r->turner, d);
}

static void lab_close(struct recorder *r, struct round *n)
{
	(void)n;
	turner_stop(&r->turner);
	perf_release(&r->perf);
	arms_detach(r);
	remove(r->data_path);
}

int record_turns_round(struct recorder *r, int round, struct diag *d)
{
	static const struct round_kind lab = {
		.open = lab_open,
		.begin = lab_begin,
		.edge = lab_edge,
		.stretch = lab_stretch,
		.end = lab_end,
		.read = lab_read,
		.bench = lab_bench,
		.totals = lab_totals,
		.close = lab_close,
	};
	struct round n = {.number = round};

	return record_round(r, &lab, &n, d);
}
