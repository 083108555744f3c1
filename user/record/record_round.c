// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record_round.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/record/record_parts.h"

void round_stamp(struct recorder *r, struct round *n, double stamp_ns)
{
	bool first = !r->run.nblocks || isnan(r->run.stamp_ns);

	n->stamp_ns = stamp_ns;
	r->run.stamp_ns = first ? stamp_ns : r->run.stamp_ns + (stamp_ns - r->run.stamp_ns) / (n->number + 1);
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

static int stretch_run(struct recorder *r, const struct round_kind *kind, struct round *n, int stretch, struct diag *d)
{
	double seconds = r->o->windows * r->o->window_s / STRETCHES;
	struct stretch *s = &n->stretches[stretch];
	bool profile = s->kind == RUN_PROFILE;
	int err = profile ? perf_switch(&r->perf, true, d) : 0, off;

	kind->edge(r, n, s, 0);
	s->from_ns = now_ns();
	s->steal_ns = cpu_steal_ns(r->session.rx_cpu);
	if (!err)
		err = kind->stretch(r, n, stretch, seconds, d);
	s->steal_ns = cpu_steal_ns(r->session.rx_cpu) - s->steal_ns;
	s->freq_khz = cpu_freq_khz(r->session.rx_cpu);
	s->to_ns = now_ns();
	kind->edge(r, n, s, 1);
	off = profile ? perf_switch(&r->perf, false, err ? NULL : d) : 0;
	return err ? err : off;
}

/*
 * In every second rotation of the devices the stretch with samples comes first, so that a drift within rounds cancels
 * out. (If it changed from round to round, with two variants one device would always be measured early in its rounds
 * for the first variant, and late for the second.)
 */
static int stretches_run(struct recorder *r, const struct round_kind *kind, struct round *n, struct diag *d)
{
	int rotation = n->number / (int)r->run.nvariants, err = 0;

	for (int i = 0; i < STRETCHES && !err; i++) {
		n->stretches[i].kind = !r->o->no_profile && i != rotation % 2 ? RUN_PROFILE : RUN_BASE;
		err = stretch_run(r, kind, n, i, d);
	}
	return err;
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* Of the machine without load. when: 0 before the load of the round, 1 after it */
static void round_probe(const struct recorder *r, struct round *n, int when)
{
	n->placement_ns[when] = record_probe_placement(r);
	n->speeds[when] = record_probe_speed(r, false);
}

static int window_add(struct recorder *r, const struct round *n, int stretch, struct run_block *b)
{
	const struct turn_sums *sums = &n->sums[stretch][b->variant];
	const struct run_variant *v = &r->run.variants[b->variant];
	const struct stretch *s = &n->stretches[stretch];
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
	w->own_ns = r->o->view == RECORD_WORK ? sums->own_ns : sums->wall_ns;
	w->busy_ns = c->busy_ns = sums->own_ns;
	if (run_has_plant_clock(v))
		w->plant_ns = sums->plant_ns;
	memcpy(c->verdicts, sums->verdicts, sizeof(c->verdicts));
	if (v->stage == RUN_STAGE_READER) {
		const struct reading_by *by = s->readers[b->variant];

		w->stage_busy_ns = fmax(0, (double)(int64_t)(by[1].busy_ns - by[0].busy_ns));
		w->stage_packets = (int64_t)(by[1].frames - by[0].frames);
	}
	return 0;
}

/* Windows are in the order of time. */
static int block_add(struct recorder *r, const struct round *n, size_t variant, const struct bench *bench,
		     struct diag *d)
{
	struct run_block *b = run_add_block(&r->run);
	int err = 0;

	if (!b)
		return diag_set(d, -ENOMEM, "no memory");
	b->index = (int)r->run.nblocks - 1;
	b->round = n->number;
	b->sample_hz = record_round_hz(r, n->number);
	b->variant = variant;
	b->prog_id = bench->prog_id;
	strcpy(b->prog_tag, bench->tag);
	b->prog_instructions = bench->instructions;
	b->prog_bytes = bench->bytes;
	strcpy(b->prog_name, bench->name);
	memcpy(b->placement_ns, n->placement_ns, sizeof(b->placement_ns));
	for (int i = 0; i < 2 && !err; i++)
		err = block_add_speed(b, &n->speeds[i], d);
	for (int i = 0; i < STRETCHES && !err; i++)
		if (window_add(r, n, i, b))
			err = diag_set(d, -ENOMEM, "no memory");
	return err;
}

/* ---- a round ------------------------------------------------------------------------------------------- */

static int round_measure(struct recorder *r, const struct round_kind *kind, struct round *n, struct diag *d)
{
	int err;

	round_probe(r, n, 0);
	record_fill_slabs(r);
	err = kind->begin(r, n, d);
	if (!err)
		err = stretches_run(r, kind, n, d);
	if (!err)
		err = kind->end(r, n, d);
	if (err)
		return err;
	round_probe(r, n, 1);
	if ((kind->read && kind->read(r, n)) || turns_add(&r->turns, n->turns, n->nturns))
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = block_add(r, n, i, kind->bench(r, n, i), d);
	if (!err)
		err = kind->totals(r, n, d);
	return err ? err : round_samples_take(r, n, d);
}

/* Removes what an incomplete round left behind; turns_before: r->turns.n before it. */
static void round_undo(struct recorder *r, const struct round *n, size_t turns_before)
{
	char path[sizeof(r->dir.at) + sizeof(r->run.blocks->script)];

	while (r->run.nblocks > n->first_block) {
		const struct run_block *b = &r->run.blocks[r->run.nblocks - 1];

		if (b->script[0]) {
			snprintf(path, sizeof(path), "%s/%s", r->dir.at, b->script);
			remove(path);
		}
		run_drop_last_block(&r->run);
	}
	r->turns.n = turns_before;
}

int record_round(struct recorder *r, const struct round_kind *kind, struct round *n, struct diag *d)
{
	size_t turns_before = r->turns.n;
	int err;

	n->first_block = r->run.nblocks;
	err = kind->open(r, n, d);
	if (!err)
		err = block_perf_begin(r, n->number, d);
	if (!err)
		err = round_measure(r, kind, n, d);
	kind->close(r, n);
	free(n->turns);
	if (!err)
		return 0;
	round_undo(r, n, turns_before);
	return block_find_cause(r, err, d);
}
