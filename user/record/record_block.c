// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One block: attach, probe the placement, load, warm-up, windows, drain, detach. record.h has the contract.
 *
 * Order matters: perf is started before the generator (they may share a CPU), the placement is probed while both CPUs
 * are quiet, and the windows begin when the attach has been seen in effect, because attaching under load takes up to
 * 0.2 s.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "user/machine/cpu.h"
#include "user/record/record_parts.h"
#include "user/load/rig.h"
#include "base/stop.h"

#define ARRIVAL_PATIENCE_NS 3000000000ULL
#define REMOTE_PATIENCE_NS  15000000000ULL /* the other machine says that it begins, and then it does */
#define DISK_FULL_BYTES     (512 * 1024)   /* a block writes some hundred kB */

static int check_cpus(const struct recorder *r, struct diag *d)
{
	for (size_t i = 0; i < r->run.nrx_cpus; i++)
		if (cpu_check(r->run.rx_cpus[i]))
			return diag_set(d, -ENXIO, "CPU %d went offline", r->run.rx_cpus[i]);
	return 0;
}

int block_check(struct recorder *r, struct block *b, struct diag *d)
{
	int err = stopped(d);

	if (err)
		return err;
	if (netdev_gone(&r->target->nd))
		return diag_set(d, -ENODEV, "%s has vanished", r->target->nd.name);
	if (!bench_confirm(&b->bench, &r->target->nd))
		return diag_set(d, -EIO, "the XDP program is no longer on %s", r->target->nd.name);
	err = check_cpus(r, d);
	if (err)
		return err;
	return gen_runs(&r->gen) ? gen_check(&r->gen, d) : 0;
}

/* Sleeps in small steps so that trouble and signals are seen early. */
int block_sleep(struct recorder *r, struct block *b, double seconds, struct diag *d)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), step;
	int err = 0;

	while (!err && now_ns() < end) {
		step = now_ns() + 250000000ULL;
		sleep_until_ns(step < end ? step : end);
		err = block_check(r, b, d);
	}
	return err;
}

/*
 * Packets so far: by the program, or, for the bare program that does not count, by the driver's counter of packets
 * that XDP saw.
 */
uint64_t block_seen(const struct recorder *r, const struct block *b)
{
	struct counters c = {};
	int64_t n = 0;

	if (!b->bare)
		return bench_seen(&b->bench);
	if (!netdev_driver_counters(r->target->nd.name, &c))
		n = counters_sum(&c, COUNTER_XDP_SEEN);
	counters_release(&c);
	return n < 0 ? 0 : n;
}

void block_counts(const struct recorder *r, const struct block *b, struct bench_count *counts)
{
	bench_read(&b->bench, counts);
	if (b->bare)
		counts[r->rx_cpu].verdicts[RUN_DROP] = block_seen(r, b) - b->bare_before;
}

static int wait_for_packets(struct recorder *r, struct block *b, struct diag *d)
{
	uint64_t give_up = now_ns() + (r->o->load.host[0] ? REMOTE_PATIENCE_NS : ARRIVAL_PATIENCE_NS),
		 seen = block_seen(r, b);
	int err = 0;

	while (!err && block_seen(r, b) == seen) {
		if (now_ns() > give_up)
			return diag_set(d, -ETIMEDOUT, "no packets arrive at %s; is the generator sending to it?",
					r->target->nd.name);
		sleep_until_ns(now_ns() + 2000000);
		err = block_check(r, b, d);
	}
	return err;
}

static void probe_placement(struct recorder *r, struct block *b, int when)
{
	b->rb->placement_ns[when] = -1;
	if (r->o->own_load && !r->o->load.host[0])
		b->rb->placement_ns[when] = cpu_ping_pong_ns(r->rx_cpu, r->o->load.cpu);
}

static void counting_path(const struct recorder *r, size_t group, char *path, size_t size)
{
	snprintf(path, size, "%s/perf.stat-%zu", r->dir.tmp, group);
}

/* One perf stat for each group of events, switched off like perf record. */
static int counting_begin(struct recorder *r, struct perf_options po, struct diag *d)
{
	char path[sizeof(r->dir.tmp) + 40];
	int err = 0;

	po.data_path = path;
	for (size_t i = 0; i < r->plan.ngroups && !err; i++) {
		po.count = r->plan.groups[i];
		counting_path(r, i, path, sizeof(path));
		err = perf_start(&r->counting[i], &po, d);
	}
	return err;
}

static int perf_begin(struct recorder *r, struct diag *d)
{
	struct perf_options po = {
		.event = r->run.event,
		.cpus = r->run.rx_cpus,
		.ncpus = r->run.nrx_cpus,
		.hz = (int)r->run.sample_hz,
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = r->data_path,
		.stderr_path = r->stderr_path,
	};
	int err;

	if (r->o->no_profile)
		return 0;
	err = perf_start(&r->perf, &po, d);
	return err ? err : counting_begin(r, po, d);
}

/* The n-th count window is that of the n-th group. */
static int counting_finish(struct recorder *r, struct block *b, struct diag *d)
{
	char path[sizeof(r->dir.tmp) + 40];
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
	};
	char path[sizeof(r->dir.tmp) + sizeof(b->rb->script)];
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
	snprintf(b->rb->script, sizeof(b->rb->script), "blocks/%03d.script", b->rb->index);
	snprintf(path, sizeof(path), "%s/%s", r->dir.tmp, b->rb->script);
	err = perf_script(&po, path, d);
	if (err)
		remove(path);
	remove(r->data_path);
	return err;
}

static void counting_release(struct recorder *r)
{
	char path[sizeof(r->dir.tmp) + 40];

	for (size_t i = 0; i < PERF_STAT_GROUPS; i++) {
		perf_release(&r->counting[i]);
		counting_path(r, i, path, sizeof(path));
		remove(path);
	}
}

int block_load(struct recorder *r, struct block *b, struct diag *d)
{
	struct gen_options load = r->o->load;
	int err;

	if (r->target->lab && !b->bare)
		rig_close_loop(&load, b->bench.counts_fd, r->rx_cpu);
	stage_close_loop(&b->stage, &load);
	err = r->o->own_load ? gen_start(&r->gen, &load, d) : 0;
	return err ? err : wait_for_packets(r, b, d);
}

void block_init(struct block *b)
{
	memset(b, 0, sizeof(*b));
	b->sink_before = -1;
	bench_init(&b->bench);
	stage_init(&b->stage);
	device_counters_init(&b->device);
}

int block_attach(struct recorder *r, struct block *b, struct run_variant *v, struct diag *d)
{
	int err = bench_load(&b->bench, v, d);

	if (!err)
		err = stage_open(&b->stage, v, &b->bench, &r->target->nd, r->target->lab, d);
	if (err)
		return err;
	b->bare = !strcmp(v->operation, "bare");
	b->bare_before = b->bare ? block_seen(r, b) : 0;
	b->from.counts = calloc(b->bench.ncpus, sizeof(*b->from.counts));
	b->to.counts = calloc(b->bench.ncpus, sizeof(*b->to.counts));
	if (!b->from.counts || !b->to.counts)
		return diag_set(d, -ENOMEM, "no memory");
	device_counters_open(&b->device, &r->target->nd);
	b->watches_stage = b->stage.tid > 0 && !oncpu_watch(&r->oncpu, b->stage.tid);
	err = bench_attach(&b->bench, &r->target->nd, v->mode, d);
	return err ? err : steer_hold(&r->steer, d);
}

void block_release(struct recorder *r, struct block *b)
{
	perf_release(&r->perf);
	counting_release(r);
	gen_release(&r->gen);
	remove(r->data_path);
	bench_release(&b->bench);
	if (b->watches_stage)
		oncpu_forget(&r->oncpu, b->stage.tid);
	stage_release(&b->stage);
	free(b->from.counts);
	free(b->to.counts);
	counters_release(&b->quiet.counters);
	counters_release(&b->before.counters);
	device_counters_release(&b->device);
}

/* Verdicts after the device's counters, and at the end before them: what a load of others sends between is not missing.
 */
static int look_first(struct recorder *r, struct block *b, struct diag *d)
{
	if (look_at(r, b, &b->quiet))
		return diag_set(d, -ENOMEM, "no memory");
	block_counts(r, b, b->to.counts);
	b->tx_before = block_verdicts(b, RUN_TX);
	b->sink_before = block_frames_back(r);
	return 0;
}

static int block_run(struct recorder *r, struct block *b, struct diag *d)
{
	struct gen_result sent = {.sent = -1, .refused = -1, .back = -1};
	int err;

	err = perf_begin(r, d);
	if (err)
		return err;
	probe_placement(r, b, 0);
	err = look_first(r, b, d);
	if (err)
		return err;
	err = block_load(r, b, d);
	if (!err)
		err = block_sleep(r, b, r->o->warmup_s, d);
	if (!err) {
		block_counts(r, b, b->to.counts);
		err = stage_check(&b->stage, block_verdicts(b, RUN_REDIRECT), d);
	}
	if (!err)
		err = block_windows(r, b, d);
	if (!err && r->o->own_load)
		err = gen_stop(&r->gen, &sent, d);
	if (err)
		return err;
	if (r->o->own_load)
		block_drain(r, b);
	err = block_totals(r, b, &sent);
	if (err)
		return diag_set(d, err, "no memory");
	probe_placement(r, b, 1);
	return perf_finish(r, b, d);
}

static bool disk_full(const char *dir)
{
	struct statvfs fs;

	return statvfs(dir, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_bsize < DISK_FULL_BYTES;
}

int record_block(struct recorder *r, size_t variant, int round, struct diag *d)
{
	struct block b;
	int err;

	block_init(&b);
	b.rb = run_add_block(&r->run);
	if (!b.rb)
		return diag_set(d, -ENOMEM, "no memory");
	b.rb->index = r->run.nblocks - 1;
	b.rb->round = round;
	b.rb->variant = variant;
	err = block_attach(r, &b, &r->run.variants[variant], d);
	if (!err) {
		b.rb->prog_id = b.bench.prog_id;
		strcpy(b.rb->prog_tag, b.bench.tag);
		strcpy(b.rb->prog_name, b.bench.name);
		strcpy(b.rb->mode_found, b.bench.mode_found);
		b.rb->stage_tid = b.stage.tid;
		err = block_run(r, &b, d);
	}
	block_release(r, &b);
	if (err)
		run_drop_last_block(&r->run);
	if (err == -ECHILD && disk_full(r->dir.tmp)) {
		d->text[0] = 0; /* perf dies of it without saying so */
		err = diag_set(d, -ENOSPC, "cannot write %s: %s", r->o->out_dir, strerror(ENOSPC));
	}
	if (err && err != -EINTR && check_cpus(r, NULL)) {
		d->text[0] = 0;
		err = check_cpus(r, d);
	}
	if (err && err != -EINTR && netdev_gone(&r->target->nd)) {
		d->text[0] = 0; /* whoever stumbled over it first, this is the cause */
		err = diag_set(d, -ENODEV, "%s has vanished", r->target->nd.name);
	}
	return err;
}
