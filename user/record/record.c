// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "user/machine/clock.h"
#include "user/machine/env.h"
#include "user/machine/netns.h"
#include "user/programs/plant.h"
#include "user/record/record.h"
#include "user/record/record_exchange.h"
#include "user/record/record_parts.h"
#include "user/record/record_resume.h"
#include "user/record/record_rungs.h"
#include "user/record/record_turns.h"
#include "base/complain.h"
#include "base/printable.h"
#include "base/stop.h"

const char *const record_view_words[] = {"blocks", "work", "crossing", "turns", NULL};

void recorder_init(struct recorder *r, const struct record_options *o)
{
	memset(r, 0, sizeof(*r));
	r->o = o;
	session_init(&r->session, &o->session);
	run_init(&r->run);
	run_dir_init(&r->dir);
	perf_init(&r->perf);
	turner_init(&r->turner);
	exchange_init(&r->exchange);
	turns_init(&r->turns);
	for (int i = 0; i < PERF_STAT_GROUPS; i++)
		perf_init(&r->counting[i]);
	for (int i = 0; i < RUN_MAX_RX_CPUS; i++)
		skb_slabs_init(&r->slabs[i]);
}

void recorder_release(struct recorder *r)
{
	priority_restore(&r->priority);
	record_turns_close(r);
	record_exchange_close(r);
	turns_release(&r->turns);
	perf_release(&r->perf);
	for (int i = 0; i < PERF_STAT_GROUPS; i++)
		perf_release(&r->counting[i]);
	for (int i = 0; i < RUN_MAX_RX_CPUS; i++)
		skb_slabs_release(&r->slabs[i]);
	oncpu_close(&r->oncpu);
	polls_close(&r->polls);
	progress_end(&r->progress);
	run_dir_abort(&r->dir);
	run_release(&r->run);
	facilities_free(r->facilities);
	r->facilities = NULL;
	session_release(&r->session);
}

static int steer_rx(struct recorder *r, struct diag *d)
{
	char words[STEER_WORDS];
	int err;

	if (!steer_wanted(&r->o->session.steer))
		return 0;
	progress_now(&r->progress, "looking for the load's flow and queue");
	err = session_steer(&r->session, record_has_rungs(&r->run) ? "skb" : r->run.variants[0].mode, d);
	if (!err && !r->o->quiet) {
		steer_words(&r->session.steer, words, sizeof(words));
		printable_printf(stderr, "%s", words);
	}
	return err;
}

/*
 * Fills r->run with the NAPI kthreads and the RX CPUs. The RX CPUs come from the option or from a look at the
 * counters.
 */
static int find_rx(struct recorder *r, struct diag *d)
{
	size_t n = napi_kthreads(r->session.target.nd.name, r->run.napi_tids, RUN_MAX_NAPIS);
	int err = 0;

	if (n > RUN_MAX_NAPIS)
		return diag_set(d, -E2BIG, "%s has %zu NAPI kthreads; more than %d are not measured",
				r->session.target.nd.name, n, RUN_MAX_NAPIS);
	r->run.nnapi_tids = r->nnapis = n;
	r->run.napi_threaded = n > 0;
	if (r->o->rx_cpu >= 0)
		r->run.rx_cpus[r->run.nrx_cpus++] = r->o->rx_cpu;
	else
		err = record_find_rx_cpus(r, 0, d);
	r->session.rx_cpu = r->run.nrx_cpus ? r->run.rx_cpus[0] : 0;
	return err;
}

static bool second_stage_has_a_task(const struct run *run)
{
	for (size_t i = 0; i < run->nvariants; i++)
		if (run->variants[i].stage > RUN_STAGE_DEVICE)
			return true;
	return false;
}

/*
 * Opens the clock of busy time. A kernel that refuses the waits' probe is no error: busy time then is right as long as
 * the receiver does not sleep, and reports state that the waits are unknown.
 */
static int open_clock(struct recorder *r, struct diag *d)
{
	struct diag why = {};
	int err = 0;

	if (r->run.napi_threaded || second_stage_has_a_task(&r->run))
		oncpu_open(&r->oncpu, &why);
	for (size_t i = 0; i < r->nnapis && !err; i++)
		err = oncpu_watch(&r->oncpu, r->run.napi_tids[i]);
	return err ? diag_set(d, err, "cannot watch a NAPI kthread of %s: %s", r->session.target.nd.name,
			      strerror(-err))
		   : 0;
}

static int choose_events(struct recorder *r, struct diag *d)
{
	const struct perf_options po = {
		.cpus = r->run.rx_cpus,
		.ncpus = r->run.nrx_cpus,
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = r->data_path,
		.stderr_path = r->stderr_path,
	};

	return r->o->no_profile ? 0
				: perf_stat_plan(&r->plan, r->o->stat_events, r->o->nstat_events,
						 !strcmp(r->run.event, "cycles"), &po, d);
}

/* Runs on the RX CPU, before the load starts. */
static int calibrate_plants(struct recorder *r, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < r->run.nvariants && !err && !record_resumes(r); i++) {
		progress_now(&r->progress, "calibrating planted costs");
		err = plant_calibrate(&r->run.variants[i], r->session.rx_cpu, d);
	}
	return err;
}

/* Opens the probes of called functions. A kernel that refuses them is no error: the rest is measured. */
static int open_calls(struct recorder *r, struct diag *d)
{
	struct diag refused = {};
	int err;

	if (!r->o->session.nfunctions)
		return 0;
	progress_now(&r->progress, "attaching to functions");
	err = session_open_calls(&r->session, &refused, d);
	if (refused.text[0])
		complain("%s; everything else is measured", refused.text);
	return err;
}

static int prepare_turns(struct recorder *r, struct diag *d)
{
	int err;

	r->session.rx_cpu = r->run.rx_cpus[r->run.nrx_cpus++] = r->o->rx_cpu;
	err = record_choose_rate(r, d);
	if (!err)
		err = calibrate_plants(r, d);
	if (!err)
		err = record_turns_open(r, d);
	return err;
}

/* Finds the RX path and the rate of samples. */
static int prepare_device(struct recorder *r, struct diag *d)
{
	bool rungs = record_has_rungs(&r->run);
	int err = rungs ? record_rungs_try(r, d) : 0;

	for (size_t i = 0; i < r->run.nvariants && !err && !rungs; i++)
		err = session_try(&r->session, &r->run.variants[i], d);
	if (!err)
		err = steer_rx(r, d);
	if (!err)
		err = find_rx(r, d);
	if (!err)
		err = open_clock(r, d);
	if (!err && rungs)
		err = record_rungs_reach(r, d);
	return err ? err : record_choose_rate(r, d);
}

static int prepare_exchange(struct recorder *r, struct diag *d)
{
	int err = prepare_device(r, d);

	if (!err)
		err = calibrate_plants(r, d);
	return err ? err : record_exchange_open(r, d);
}

static int prepare_blocks(struct recorder *r, struct diag *d)
{
	struct diag no_probe = {};
	int err = prepare_device(r, d);

	if (!err)
		err = choose_events(r, d);
	if (!err)
		err = calibrate_plants(r, d);
	if (!err)
		err = open_calls(r, d);
	/*
	 * A kernel that refuses this probe is no error: the rest is measured, and reports state that polls are
	 * unknown.
	 */
	if (!err)
		polls_open(&r->polls, r->session.target.nd.ifindex, netns_inum(),
			   r->nnapis == 1 ? r->run.napi_tids[0] : 0, &no_probe);
	return err;
}

static int prepare_view(struct recorder *r, struct diag *d)
{
	switch (r->o->view) {
	case RECORD_BLOCKS:
		return prepare_blocks(r, d);
	case RECORD_TURNS:
		return prepare_exchange(r, d);
	case RECORD_WORK:
	case RECORD_CROSSING:
		break;
	}
	return prepare_turns(r, d);
}

/* So that a resumed recording knows whether a program is still the same. */
static int seal_objects(struct run *run, struct diag *d)
{
	struct run_own own;
	int err = 0;

	for (size_t i = 0; i < run->nvariants && !err; i++) {
		struct run_variant *v = &run->variants[i];

		if (run_variant_is_own(v) && !run_own_parse(&own, v->target, NULL) && own.kind == RUN_OWN_FILE)
			err = run_seal_file(&v->object, own.path, d);
	}
	return err;
}

static int prepare(struct recorder *r, struct diag *d)
{
	int err = run_dir_begin(&r->dir, r->o->out_dir, r->o->force, d);

	if (!err && record_resumes(r))
		err = run_dir_follows(&r->dir, r->o->resume->dir_fd, r->o->resume->path, d);
	if (!err && r->dir.killed[0])
		complain("%s holds the blocks of a recording that was killed; it is left there", r->dir.killed);
	if (!err)
		err = session_open_own(&r->session, r->run.variants, r->run.nvariants, d);
	if (!err)
		err = seal_objects(&r->run, d);
	if (!err)
		err = record_resume_variants(r, d);
	if (!err && !record_resumes(r))
		err = record_verdicts(r, d);
	if (err)
		return err;
	snprintf(r->data_path, sizeof(r->data_path), "%s/perf.data", r->dir.at);
	snprintf(r->stderr_path, sizeof(r->stderr_path), "%s/perf.stderr", r->dir.at);
	err = prepare_view(r, d);
	if (err)
		return err;
	record_describe(r);
	err = record_wait_steady(r, d);
	if (!err)
		err = record_resume_join(r, d);
	if (err)
		return err;
	/* The generator may share the recorder's CPU; the priority lets the recorder read each edge on time. */
	priority_raise(&r->priority, r->o->keeper_cpu);
	session_settle(&r->session, r->run.variants, r->run.nvariants, !r->o->no_profile);
	return 0;
}

static void report_block(struct recorder *r, const struct run_block *b)
{
	double packets = 0, ns = 0, busy = 0;

	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];

		if (w->kind != RUN_BASE)
			continue;
		ns += run_window_ns(w);
		busy += w->busy_ns;
		packets += run_window_packets(w);
	}
	progress_block(&r->progress, r->run.variants[b->variant].id, ns > 0 ? packets * 1e9 / ns : 0,
		       packets > 0 ? (busy > 0 ? busy : ns) / packets : 0);
}

/*
 * Devices differ, and so do places in memory. So rounds count by whole rotations, in which each variant is on each
 * device once, or is loaded as the first, the second ... one once. A rotation
 * that would not end in time, by the length of the last one, does not begin; only the first one may be cut.
 */
static bool turns_time_up(struct recorder *r, int round)
{
	uint64_t now = now_ns();
	int rotation = (int)r->run.nvariants;

	if (round % rotation)
		return round < rotation && now > r->end_ns;
	r->rotation_ns = now - r->rotation_at_ns;
	r->rotation_at_ns = now;
	return now > r->end_ns || (round && now + r->rotation_ns > r->end_ns);
}

/* A round whose variants take turns measures all of them at once, whatever their order. */
static int round_of_turns(struct recorder *r, int round, struct diag *d)
{
	size_t first = r->run.nblocks;
	int err;

	r->time_up = turns_time_up(r, round);
	if (r->time_up) {
		r->cut = round < r->o->rounds;
		return 0;
	}
	progress_now(&r->progress, "all variants in turns");
	err = r->o->view == RECORD_TURNS ? record_exchange_round(r, round, d) : record_turns_round(r, round, d);
	for (size_t i = first; i < r->run.nblocks && !err; i++)
		report_block(r, &r->run.blocks[i]);
	if (!err)
		record_save_now_and_then(r);
	return err;
}

static int round_run(struct recorder *r, int round, const size_t *order, size_t n, struct diag *d)
{
	int err = 0;

	if (r->o->view != RECORD_BLOCKS)
		return round_of_turns(r, round, d);

	for (size_t i = record_plan_done(r, round); i < n && !err; i++) {
		r->time_up = now_ns() > r->end_ns;
		if (r->time_up) {
			r->cut = round < r->o->rounds;
			break;
		}
		progress_now(&r->progress, r->run.variants[order[i]].id);
		err = record_block(r, order[i], round, d);
		if (!err) {
			report_block(r, &r->run.blocks[r->run.nblocks - 1]);
			record_save_now_and_then(r);
		}
	}
	return err;
}

static int rounds_run(struct recorder *r, struct diag *d)
{
	size_t order[RECORD_MAX_VARIANTS], n;
	bool enough;
	int round, err;

	r->random = r->o->seed ? r->o->seed : 1;
	r->begin_ns = now_ns();
	record_resume_clocks(r);
	r->end_ns = r->o->max_time_s > 0 ? r->begin_ns + (uint64_t)(r->o->max_time_s * 1e9) : UINT64_MAX;
	err = record_plan_replay(r, &round, d);
	for (; !err && !r->time_up; round++) {
		err = record_plan(r, round, order, &n, d);
		if (!err)
			err = record_adapt_rate(r, round, d);
		if (err || !n)
			break;
		err = round_run(r, round, order, n, d);
	}
	if (!err && r->time_up && r->o->precision_pct > 0) {
		err = record_precise(r, &enough, d);
		snprintf(r->run.precision_stop, sizeof(r->run.precision_stop), enough ? "precision" : "max-time");
	}
	return err;
}

static const char *why_ended(int err, bool cut)
{
	switch (err) {
	case 0:
		return cut ? "time limit" : "complete";
	case -EINTR:
		return "interrupted";
	case -ENODEV:
		return "device vanished";
	case -ENXIO:
		return "CPU went offline";
	case -ECHILD:
		return "generator or perf died";
	case -ENOSPC:
		return "disk full";
	default:
		return "failed";
	}
}

int record_run(struct recorder *r, bool *kept, struct diag *d)
{
	struct diag saving = {};
	int err, save_err;

	*kept = false;
	progress_begin(&r->progress, r->o->rounds * (int)r->run.nvariants, r->o->max_time_s, r->o->quiet);
	err = prepare(r, d);
	if (!err)
		err = rounds_run(r, d);
	progress_end(&r->progress);
	if (err && err != -EINTR && stop_requested) /* the signal caused the error */
		err = diag_replace(d, -EINTR, "stopped by a signal");
	run_dir_tell(&r->dir, d);
	if (err && r->run.nblocks == r->resumed)
		return err;     /* nothing to keep; the directory is aborted on release */
	remove(r->stderr_path); /* an error of perf is in d by now */
	save_err = record_save(r, why_ended(err, r->cut), &saving);
	if (!save_err)
		run_end_spill(&r->run, r->dir.at);
	run_dir_tell(&r->dir, &saving);
	if (!save_err)
		save_err = run_dir_commit(&r->dir, &saving);
	else if (r->saved_blocks > r->resumed) /* a disk that is full */
		return diag_replace(d, run_dir_leave(&r->dir, save_err, &saving), "%s", saving.text);
	*kept = !save_err;
	if (save_err && !err)
		return diag_set(d, save_err, "%s", saving.text);
	return err;
}
