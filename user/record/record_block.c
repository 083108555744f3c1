// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures one block: attach, probe the placement, load, warm-up, windows, drain, detach. record.h has the contract.
 *
 * The order matters. perf starts before the generator, because they may share a CPU. The placement is probed while both
 * CPUs are quiet. The windows begin after packets have reached the program, because an attach under load takes up to
 * 0.2 s.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/machine/veth.h"
#include "user/record/record_parts.h"
#include "user/record/record_rungs.h"
#include "base/stop.h"

#define ARRIVAL_PATIENCE_NS 3000000000ULL
#define REMOTE_PATIENCE_NS  15000000000ULL /* the other machine reports its start before it sends */
#define DISK_FULL_BYTES     (512 * 1024)   /* a block writes some hundred kB */

static int check_cpus(const struct recorder *r, struct diag *d)
{
	for (size_t i = 0; i < r->run.nrx_cpus; i++)
		if (cpu_check(r->run.rx_cpus[i]))
			return diag_set(d, -ENXIO, "CPU %d went offline", r->run.rx_cpus[i]);
	return 0;
}

int block_check(struct recorder *r, struct diag *d)
{
	int err = stopped(d);

	if (!err)
		err = session_check(&r->session, d);
	return err ? err : check_cpus(r, d);
}

/* Sleeps in small steps so that it notices trouble and signals early. */
int block_sleep(struct recorder *r, double seconds, struct diag *d)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), step;
	int err = 0;

	while (!err && now_ns() < end) {
		step = now_ns() + 250000000ULL;
		sleep_until_ns(step < end ? step : end);
		err = block_check(r, d);
	}
	return err;
}

static int wait_for_packets(struct recorder *r, const struct run_variant *v, struct diag *d)
{
	uint64_t give_up = now_ns() + (r->session.o.load.host[0] ? REMOTE_PATIENCE_NS : ARRIVAL_PATIENCE_NS),
		 seen = session_seen(&r->session);
	int err = 0;

	while (!err && session_seen(&r->session) == seen) {
		if (now_ns() > give_up && r->session.rung.kind)
			return record_rung_unreached(r, v, d);
		if (now_ns() > give_up)
			return veth_no_packets(&r->session.target.nd, !strcmp(r->session.bench.mode_found, "skb"), d);
		sleep_until_ns(now_ns() + 2000000);
		err = block_check(r, d);
	}
	return err;
}

static void probe_placement(struct recorder *r, struct block *b, int when)
{
	b->rb->placement_ns[when] = record_probe_placement(r);
}

static void counting_path(const struct recorder *r, size_t group, char *path, size_t size)
{
	snprintf(path, size, "%s/perf.stat-%zu", r->dir.at, group);
}

/* Starts one perf stat for each group of events. Like perf record, each starts switched off. */
static int counting_begin(struct recorder *r, struct perf_options po, struct diag *d)
{
	char path[sizeof(r->dir.at) + 40];
	int err = 0;

	po.data_path = path;
	for (size_t i = 0; i < r->plan.ngroups && !err; i++) {
		po.count = r->plan.groups[i];
		counting_path(r, i, path, sizeof(path));
		err = perf_start(&r->counting[i], &po, d);
	}
	return err;
}

static void add_cpu(int *cpus, size_t *n, int cpu)
{
	for (size_t i = 0; i < *n; i++)
		if (cpus[i] == cpu)
			return;
	cpus[(*n)++] = cpu;
}

/* The CPUs of the receivers, and of the tasks of second stages. */
static size_t sampled_cpus(const struct recorder *r, int *cpus)
{
	size_t n = 0;

	for (size_t i = 0; i < r->run.nrx_cpus; i++)
		add_cpu(cpus, &n, r->run.rx_cpus[i]);
	for (size_t i = 0; i < r->run.nvariants; i++)
		if (r->run.variants[i].stage > RUN_STAGE_DEVICE)
			add_cpu(cpus, &n, r->run.variants[i].stage_cpu);
	return n;
}

int block_perf_begin(struct recorder *r, int round, struct diag *d)
{
	int cpus[RUN_MAX_RX_CPUS + RECORD_MAX_VARIANTS];
	struct perf_options po = {
		.event = r->run.event,
		.cpus = cpus,
		.ncpus = sampled_cpus(r, cpus),
		.hz = record_round_hz(r, round),
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = r->data_path,
		.stderr_path = r->stderr_path,
	};
	int err;

	if (r->o->no_profile)
		return 0;
	err = perf_start(&r->perf, &po, d);
	po.cpus = r->run.rx_cpus;
	po.ncpus = r->run.nrx_cpus;
	return err ? err : counting_begin(r, po, d);
}

/* Stops each perf stat and reads its counts. The n-th count window belongs to the n-th group of events. */
static int counting_finish(struct recorder *r, struct block *b, struct diag *d)
{
	char path[sizeof(r->dir.at) + 40];
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
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = r->data_path,
		.stderr_path = r->stderr_path,
		.source_lines = run_variant_is_own(&r->run.variants[b->rb->variant]),
	};
	char path[sizeof(r->dir.at) + sizeof(b->rb->script)];
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
	run_script_name(b->rb->script, sizeof(b->rb->script), b->rb->index);
	snprintf(path, sizeof(path), "%s/%s", r->dir.at, b->rb->script);
	err = perf_script(&po, path, d);
	if (!err)
		err = run_seal_script(b->rb, r->dir.at, d);
	if (err)
		remove(path);
	remove(r->data_path);
	return err;
}

static void counting_release(struct recorder *r)
{
	char path[sizeof(r->dir.at) + 40];

	for (size_t i = 0; i < PERF_STAT_GROUPS; i++) {
		perf_release(&r->counting[i]);
		counting_path(r, i, path, sizeof(path));
		remove(path);
	}
}

int block_load(struct recorder *r, const struct run_variant *v, struct diag *d)
{
	int err = session_load(&r->session, d);

	return err ? err : wait_for_packets(r, v, d);
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
		b->stage_tid = session_stage_tid(s);
	return 0;
}

void block_release(struct recorder *r, struct block *b)
{
	perf_release(&r->perf);
	counting_release(r);
	session_detach(&r->session);
	remove(r->data_path);
	if (b->stage_tid > 0)
		oncpu_forget(&r->oncpu, b->stage_tid);
	free(b->from.counts);
	free(b->to.counts);
	reading_release(&b->quiet);
	reading_release(&b->before);
	block_init(b);
}

/*
 * At the beginning of a block we read the device's counters first, then the verdicts; at its end, the verdicts first. A
 * frame of an external load that arrives between the two reads is then counted by the device only, so no frame seems to
 * be lost.
 */
static int read_quiet(struct recorder *r, struct block *b, struct diag *d)
{
	if (session_read(&r->session, &b->quiet))
		return diag_set(d, -ENOMEM, "no memory");
	b->tx_before = bench_verdicts(&r->session.bench, RUN_TX);
	b->sink_before = block_frames_back(r);
	return 0;
}

static int block_run(struct recorder *r, struct block *b, struct diag *d)
{
	struct session *s = &r->session;
	struct gen_result sent;
	int err;

	err = block_perf_begin(r, b->rb->round, d);
	if (err)
		return err;
	probe_placement(r, b, 0);
	record_fill_slabs(r);
	err = block_probe_speed(r, b, false, d);
	if (!err)
		err = read_quiet(r, b, d);
	if (err)
		return err;
	err = block_load(r, &r->run.variants[b->rb->variant], d);
	if (!err)
		err = block_sleep(r, r->o->warmup_s, d);
	if (!err)
		err = session_check_stage(s, d);
	if (!err)
		err = block_windows(r, b, d);
	if (!err)
		err = session_stop_load(s, &sent, d);
	if (err)
		return err;
	err = block_totals(r, b, &sent);
	if (err)
		return diag_set(d, err, "no memory");
	probe_placement(r, b, 1);
	err = block_probe_speed(r, b, false, d);
	return err ? err : perf_finish(r, b, d);
}

static bool disk_full(const char *dir)
{
	struct statvfs fs;

	return statvfs(dir, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_bsize < DISK_FULL_BYTES;
}

/*
 * Looks for the cause behind an error. If the device or a CPU is gone or the disk is full, a sentence about that
 * replaces the sentence in d.
 */
int block_find_cause(const struct recorder *r, int err, struct diag *d)
{
	struct diag cpu = {};

	if (err == -EINTR)
		return err;
	if (netdev_gone(&r->session.target.nd))
		return diag_replace(d, -ENODEV, "%s has vanished", r->session.target.nd.name);
	if (check_cpus(r, &cpu))
		return diag_replace(d, -ENXIO, "%s", cpu.text);
	if (err == -ECHILD && disk_full(r->dir.at)) /* perf dies of a full disk without a message */
		return diag_replace(d, -ENOSPC, "cannot write %s: %s", r->o->out_dir, strerror(ENOSPC));
	return err;
}

static void note_program(struct block *b, const struct session *s)
{
	b->rb->prog_id = s->bench.prog_id;
	strcpy(b->rb->prog_tag, s->bench.tag);
	b->rb->prog_instructions = s->bench.instructions;
	b->rb->prog_bytes = s->bench.bytes;
	strcpy(b->rb->prog_name, s->bench.name);
	strcpy(b->rb->mode_found, s->bench.mode_found);
	b->rb->stage_tid = session_stage_tid(s);
}

int record_block(struct recorder *r, size_t variant, int round, struct diag *d)
{
	int err, hz = record_round_hz(r, round);
	struct block b;

	block_init(&b);
	b.rb = run_add_block(&r->run);
	if (!b.rb)
		return diag_set(d, -ENOMEM, "no memory");
	b.rb->index = r->run.nblocks - 1;
	b.rb->round = round;
	b.rb->sample_hz = hz;
	b.rb->variant = variant;
	err = block_attach(r, &b, &r->run.variants[variant], d);
	if (!err) {
		note_program(&b, &r->session);
		err = record_resume_check(r, variant, b.rb->prog_tag, d);
	}
	if (!err)
		err = block_run(r, &b, d);
	block_release(r, &b);
	if (err)
		run_drop_last_block(&r->run);
	return err ? block_find_cause(r, err, d) : 0;
}
