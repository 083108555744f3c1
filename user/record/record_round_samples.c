// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "user/record/record_arms.h"
#include "user/record/record_parts.h"
#include "user/record/record_round.h"
#include "user/record/turn_samples.h"

#define SOFTIRQ_ROOT "net_rx_action" /* what softirqs of NET_RX run; what called it is the generator's */
#define FLOOR_ROOT   "bpf_prog_test_run_xdp"

static int scripts_open(struct recorder *r, const struct round *n, FILE **out, struct diag *d)
{
	char path[sizeof(r->dir.at) + sizeof(r->run.blocks->script)];

	for (size_t i = 0; i < r->run.nvariants; i++) {
		struct run_block *b = &r->run.blocks[n->first_block + i];

		run_script_name(b->script, sizeof(b->script), b->index);
		snprintf(path, sizeof(path), "%s/%s", r->dir.at, b->script);
		out[i] = fopen(path, "we");
		if (!out[i])
			return diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	}
	return 0;
}

static int scripts_close(struct recorder *r, const struct round *n, FILE **out, int err, struct diag *d)
{
	for (size_t i = 0; i < r->run.nvariants; i++)
		if (out[i] && fclose(out[i]) && !err)
			err = diag_set(d, -errno, "a block's samples cannot be written: %s", strerror(errno));
	for (size_t i = 0; i < r->run.nvariants && !err; i++)
		err = run_seal_script(&r->run.blocks[n->first_block + i], r->dir.at, d);
	return err;
}

/* Whose samples count, and which of their frames, of each variant. */
struct receivers {
	pid_t tids[RIG_ARMS], readers[RIG_ARMS], helpers[RIG_ARMS];
	const char *roots[RIG_ARMS];
};

/* On one device: its NAPI thread, or its polls in softirqs. */
static void receivers_of_exchange(const struct recorder *r, struct receivers *w, struct turn_samples *s)
{
	const struct exchange *x = &r->exchange;

	for (size_t i = 0; i < r->run.nvariants; i++) {
		w->tids[i] = x->tid;
		w->roots[i] = SOFTIRQ_ROOT;
	}
	s->foreigns = x->clock.foreigns;
	s->nforeigns = work_clock_foreigns(&x->clock);
	if (x->tid)
		s->tids = w->tids;
	else
		s->roots = w->roots;
}

static void receivers_of_arms(struct recorder *r, const struct round *n, struct receivers *w, struct turn_samples *s)
{
	for (size_t i = 0; i < r->run.nvariants; i++) {
		const struct sender *sender = arms_at(r, i, n->number)->rung.sender;

		w->tids[i] = sender && sender_task(sender) ? sender_task(sender) : turner_sender_tid(&r->turner);
		if (w->tids[i] < 0)
			w->tids[i] = arms_at(r, i, n->number)->napi_tid;
		w->helpers[i] = sender ? sender_helper(sender) : 0;
		w->roots[i] = sender                                                ? sender_root(sender)
			      : rung_floor_fd(&arms_at(r, i, n->number)->rung) >= 0 ? FLOOR_ROOT
										    : SOFTIRQ_ROOT;
		w->readers[i] = r->run.blocks[n->first_block + i].stage_tid;
	}
	s->readers = w->readers;
	s->helpers = w->helpers;
	s->foreigns = r->turner.foreigns;
	s->nforeigns = turner_foreigns(&r->turner);
	if (r->o->view == RECORD_WORK)
		s->roots = w->roots;
	if (r->o->view != RECORD_WORK || turner_sender_tid(&r->turner) >= 0)
		s->tids = w->tids;
	if (turner_sender_tid(&r->turner) >= 0)
		s->without = SOFTIRQ_ROOT; /* polls of the other end, in the sender's task */
}

static int allot(struct recorder *r, const struct round *n, FILE *in, struct diag *d)
{
	FILE *out[RIG_ARMS] = {NULL};
	struct receivers whose;
	struct turn_samples s = {.turns = n->turns, .nturns = n->nturns, .out = out, .nout = r->run.nvariants};
	int err;

	if (r->o->view == RECORD_TURNS)
		receivers_of_exchange(r, &whose, &s);
	else
		receivers_of_arms(r, n, &whose, &s);
	err = scripts_open(r, n, out, d);
	if (!err)
		err = turn_samples_allot(&s, in, d);
	return scripts_close(r, n, out, err, d);
}

int round_samples_take(struct recorder *r, const struct round *n, struct diag *d)
{
	struct perf_options po = {
		.keeper_cpu = r->o->keeper_cpu, .data_path = r->data_path, .stderr_path = r->stderr_path};
	char path[sizeof(r->dir.at) + 16];
	int64_t lost;
	FILE *in;
	int err;

	if (r->o->no_profile)
		return 0;
	for (size_t i = 0; i < r->run.nvariants; i++)
		po.source_lines |= run_variant_is_own(&r->run.variants[i]);
	err = perf_stop(&r->perf, d);
	if (err)
		return err;
	lost = perf_data_lost(r->data_path);
	for (size_t i = n->first_block; i < r->run.nblocks; i++)
		r->run.blocks[i].totals.perf_lost = lost;
	snprintf(path, sizeof(path), "%s/round.script", r->dir.at);
	err = perf_script(&po, path, d);
	in = err ? NULL : fopen(path, "re");
	if (!err && !in)
		err = diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (!err)
		err = allot(r, n, in, d);
	if (in)
		fclose(in);
	remove(path);
	remove(r->data_path);
	return err;
}
