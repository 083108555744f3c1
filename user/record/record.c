// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/resource.h>
#include "user/record/record.h"

#define SAVE_SHARE  20 /* of the time, for saving: one part of so many */
#define SAVE_GROWTH 4  /* run.json is written again when it has grown by one part of so many */

static const struct view *const views[] = {
	[RUN_VIEW_BLOCKS] = &view_blocks,
	[RUN_VIEW_WORK] = &view_lab,
	[RUN_VIEW_CROSSING] = &view_lab,
	[RUN_VIEW_TURNS] = &view_device,
};

const char *record_cannot(enum run_view view, const struct run *run, const struct record_options *o)
{
	const char *why = views[view]->cannot ? views[view]->cannot(run, o) : NULL;

	if (!why && views[view]->turns && o->nstat_events && strcmp(o->stat_events[0], "none"))
		return "events of perf stat are counted block by block";
	return why;
}

void recorder_init(struct recorder *r, const struct record_options *o)
{
	memset(r, 0, sizeof(*r));
	r->o = o;
	r->longer = 1;
	r->view = views[o->view];
	session_init(&r->session, &o->session);
	run_init(&r->run);
	run_dir_init(&r->dir);
	perf_init(&r->perf);
	for (int i = 0; i < RUN_MAX_RX_CPUS; i++)
		r->slabs[i] = (struct skb_slabs){{-1, -1}};
}

void recorder_release(struct recorder *r)
{
	if (r->priority.raised) {
		sched_setaffinity(0, sizeof(r->priority.cpus), &r->priority.cpus);
		setpriority(PRIO_PROCESS, 0, r->priority.nice);
		r->priority.raised = false;
	}
	r->view->release(r);
	turns_release(&r->turns);
	free(r->tracers.seen);
	r->tracers = (struct tracers){};
	perf_release(&r->perf);
	for (int i = 0; i < RUN_MAX_RX_CPUS; i++)
		skb_slabs_release(&r->slabs[i]);
	oncpu_close(&r->oncpu);
	progress_end(&r->progress);
	run_dir_abort(&r->dir);
	run_release(&r->run);
	components_free(r->components);
	r->components = NULL;
	session_release(&r->session);
}

/*
 * The RX path of a device that is not the lab's own: brings the load to one queue where that is asked for, and fills
 * r->run with the NAPI kthreads and the RX CPUs, which come from the option or from a look at the counters. Then opens
 * the clock of busy time. A kernel that refuses the waits' probe is no error: busy time then is right as long as the
 * receiver does not sleep, and reports state that the waits are unknown.
 */
static int find_rx(struct recorder *r, struct diag *d)
{
	const char *dev = r->session.target.nd.name;
	bool layers = record_any(&r->run, run_variant_is_layer), tasks = false;
	char words[STEER_WORDS];
	struct diag why = {};
	size_t n;
	int err = 0;

	if (steer_wanted(&r->o->session.steer)) {
		progress_now(&r->progress, "looking for the load's flow and queue");
		err = session_steer(&r->session, layers ? RUN_MODE_SKB : r->run.variants[0].mode, d);
		if (err)
			return err;
		if (!r->o->quiet) {
			steer_words(&r->session.steer, words, sizeof(words));
			printable_printf(stderr, "%s", words);
		}
	}
	n = napi_kthreads(dev, r->run.napi_tids, RUN_MAX_NAPIS);
	if (n > RUN_MAX_NAPIS)
		return diag_set(d, -E2BIG, "%s has %zu NAPI kthreads; more than %d are not measured", dev, n,
				RUN_MAX_NAPIS);
	r->run.nnapi_tids = r->nnapis = n;
	r->run.napi_threaded = n > 0;
	if (r->o->rx_cpu >= 0)
		r->run.rx_cpus[r->run.nrx_cpus++] = r->o->rx_cpu;
	else
		err = record_find_rx_cpus(r, d);
	r->session.rx_cpu = r->run.nrx_cpus ? r->run.rx_cpus[0] : 0;
	if (err)
		return err;
	for (size_t i = 0; i < r->run.nvariants; i++)
		tasks |= r->run.variants[i].stage > RUN_STAGE_DEVICE;
	if (r->run.napi_threaded || tasks)
		oncpu_open(&r->oncpu, &why);
	for (size_t i = 0; i < r->nnapis && !err; i++)
		err = oncpu_watch(&r->oncpu, r->run.napi_tids[i]);
	return err ? diag_set(d, err, "cannot watch a NAPI kthread of %s: %s", dev, strerror(-err)) : 0;
}

static int prepare_view(struct recorder *r, struct diag *d)
{
	bool device = !r->view->arms, layers = device && record_any(&r->run, run_variant_is_layer);
	int err = 0;
	char foreign[400];

	if (!device)
		r->session.rx_cpu = r->run.rx_cpus[r->run.nrx_cpus++] = r->o->rx_cpu;
	if (layers) {
		layer_nft_foreign(foreign, sizeof(foreign));
		if (foreign[0])
			complain("rules are here already (%s); they stay, and are part of what the layers behind them "
				 "cost",
				 foreign);
		err = record_leave_out(r, record_layer_try, d);
	}
	for (size_t i = 0; i < r->run.nvariants && !err && device && !layers; i++)
		err = session_try(&r->session, &r->run.variants[i], d);
	if (!err && device)
		err = find_rx(r, d);
	if (!err && layers)
		err = record_leave_out(r, record_layer_reach, d);
	if (!err)
		err = record_choose_rate(r, d);
	if (err)
		return err;
	/* On the RX CPU, before the load starts. */
	progress_now(&r->progress, "calibrating injected costs");
	err = injects_calibrate(r->run.variants, r->run.nvariants, r->session.rx_cpu, r->view == &view_lab, d);
	return err ? err : r->view->prepare(r, d);
}

/* ---- what a run says about the device, the load and the machine ------------------------------------------- */

static json_t *describe_load(const struct recorder *r)
{
	const struct gen_options *g = &r->session.o.load;
	const char *file = frames_file(&r->session.o.frames);
	const char *own = r->run.nvariants && run_layer_sends(r->run.variants) ? "senders"
			  : gen_is_large(g)                                    ? "packet-socket"
									       : "live-frames";

	if (!r->session.o.own_load)
		return json_pack("{s:s}", "kind", "external");
	if (g->host[0])
		return json_pack("{s:s, s:s, s:o, s:i, s:i, s:i, s:f, s:s, s:O?}", "kind", g->tool, "host", g->host,
				 "device", json_text_string(g->dev), "bytes", g->bytes, "flows", g->flows, "threads",
				 g->threads, "rate_pps", g->rate_pps, "dst_ip", g->dst_ip, "machine",
				 r->session.remote);
	if (g->frames)
		return json_pack("{s:s, s:o, s:o, s:i, s:i, s:o, s:f}", "kind", own, "device", json_text_string(g->dev),
				 "netns", json_text_string(g->netns), "cpu", g->cpu, "frames", (int)g->frames->n,
				 "frames_file", file ? json_text_string(file) : json_null(), "rate_pps", g->rate_pps);
	return json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:f, s:b}", "kind", own, "device",
			 json_text_string(g->dev), "netns", json_text_string(g->netns), "cpu", g->cpu, "bytes",
			 g->bytes, "flows", g->flows, "batch", (int)gen_batch(g), "rate_pps", g->rate_pps, "written",
			 g->write);
}

static int run_describe(struct recorder *r, struct diag *d)
{
	struct json_out w = {};
	time_t now = time(NULL);
	struct tm tm;
	int sysfs = netns_sysfs(NULL);
	struct rx_path path;
	struct facts f;
	char words[240];
	json_t *o;

	gmtime_r(&now, &tm);
	strftime(r->run.started, sizeof(r->run.started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(r->run.version, sizeof(r->run.version), "%s", XDPZOOM_VERSION);
	r->run.environment = env_describe(&w, r->tool.version, r->session.rx_cpu);
	r->run.device = netdev_describe(&w, &r->session.target.nd, sysfs);
	/* Leaves out the lab, whose veth has no queues and no interrupts to tell apart. */
	if (!r->session.target.lab && !facts_open(&f, NULL, NULL)) {
		rx_path_find(&path, &f, &r->session.target.nd, r->session.steer.o ? r->session.steer.seen.queue : -1,
			     r->session.rx_cpu);
		facts_release(&f);
		o = rx_path_json(&w, &path);
		if (r->session.steer.how[0])
			json_out_text(&w, o, "steered", r->session.steer.how);
		json_out_put(&w, r->run.device, "rx_path", o);
		rx_path_words(&path, words, sizeof(words));
		if (!r->o->quiet && !r->session.steer.o)
			printable_printf(stderr, "RX path: %s\n", words);
	}
	r->run.load = describe_load(r);
	run_take_facts(&r->run);
	r->run.view = r->o->view;
	if (r->o->view == RUN_VIEW_BLOCKS)
		snprintf(r->run.order, sizeof(r->run.order), "%s", r->o->shuffle ? "shuffle" : "abba");
	r->run.seed = r->o->seed;
	fd_close(sysfs);
	return w.failed || !r->run.load ? diag_set(d, -ENOMEM, "cannot describe the device and its load") : 0;
}

/* ---- a recording -------------------------------------------------------------------------------------------- */

static int record_prepare(struct recorder *r, struct diag *d)
{
	int err = run_dir_begin(&r->dir, r->o->out_dir, r->o->force, d);
	struct run_own own;

	if (!err && r->dir.killed[0])
		complain("%s holds the blocks of a recording that was killed; it is left there", r->dir.killed);
	if (!err)
		err = own_list_open(&r->session.own, r->run.variants, r->run.nvariants, r->session.target.nd.name, d);
	/* So that a run tells which program of the user's own it measured. */
	for (size_t i = 0; i < r->run.nvariants && !err; i++) {
		struct run_variant *v = &r->run.variants[i];

		if (run_variant_is_own(v) && !run_own_parse(&own, v->target, NULL) && own.kind == RUN_OWN_FILE)
			err = run_seal_file(&v->object, own.path, false, d);
	}
	if (!err)
		err = record_verdicts(r, d);
	if (err)
		return err;
	snprintf(r->data_path, sizeof(r->data_path), "%s/perf.data", r->dir.at);
	snprintf(r->stderr_path, sizeof(r->stderr_path), "%s/perf.stderr", r->dir.at);
	err = prepare_view(r, d);
	if (err)
		return err;
	err = run_describe(r, d) ?: record_wait_steady(r, d);
	if (err)
		return err;
	/* The generator may share the recorder's CPU; the priority lets the recorder read each edge on time. */
	r->priority.raised = sched_getaffinity(0, sizeof(r->priority.cpus), &r->priority.cpus) == 0;
	r->priority.nice = getpriority(PRIO_PROCESS, 0);
	cpu_pin(0, r->o->keeper_cpu);
	setpriority(PRIO_PROCESS, 0, PRIORITY_FIRST);
	session_settle(&r->session, r->run.variants, r->run.nvariants, !r->o->no_profile);
	return 0;
}

int record_save(struct recorder *r, const char *ended, struct diag *d)
{
	int err;

	record_note_rate(r);
	tracers_look(&r->tracers, &r->run);
	snprintf(r->run.ended, sizeof(r->run.ended), "%s", ended);
	/* before the blocks: none has turns that are missing */
	err = r->turns.n || r->turns.nwritten ? turns_write(&r->turns, r->dir.at, d) : 0;
	if (!err)
		err = turns_sync(&r->turns, r->dir.at, d) ?: run_write(&r->run, r->dir.at, d);
	if (!err)
		r->saved_blocks = r->run.nblocks;
	return err;
}

static void report_block(struct recorder *r, const struct run_block *b)
{
	double packets = 0, ns = 0, busy = 0, ns_per_packet, delta, half;
	struct block_mean *m;

	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];

		if (w->kind != RUN_BASE)
			continue;
		ns += run_window_ns(w);
		busy += w->busy_ns;
		packets += run_window_packets(w);
	}
	if (!(packets > 0)) {
		progress_block(&r->progress, r->run.variants[b->variant].id, 0, 0, NAN);
		return;
	}
	/*
	 * the mean of the blocks so far and its interval, by Welford's running sums; the report corrects them for
	 * drift
	 */
	ns_per_packet = (busy > 0 ? busy : ns) / packets;
	m = &r->means[b->variant];
	m->n++;
	delta = ns_per_packet - m->mean;
	m->mean += delta / m->n;
	m->squares += delta * (ns_per_packet - m->mean);
	half = m->n > 1 ? stats_t95(m->n - 1) * sqrt(m->squares / (m->n - 1) / m->n) : NAN;
	progress_block(&r->progress, r->run.variants[b->variant].id, packets * 1e9 / ns, m->mean, half);
}

/*
 * Devices differ, and so do places in memory. So rounds of turns count by whole rotations, in which each variant is on
 * each device once, or is loaded as the first, the second ... one once. Their windows are so long that they end in
 * time, by what the last one took around its windows; if that is not possible, no rotation begins. Only the first one
 * may be cut.
 */
static bool is_time_up(struct recorder *r, int round)
{
	double windows_s, took_s, left_s, wanted;
	int rotation = (int)r->run.nvariants;
	uint64_t now = now_ns();

	if (!r->view->turns)
		return now > r->end_ns;
	if (round % rotation)
		return round < rotation && now > r->end_ns;
	took_s = (double)(now - r->rotation_at_ns) / 1e9;
	r->rotation_at_ns = now;
	if (!round || r->end_ns == UINT64_MAX)
		return now > r->end_ns;
	left_s = ((double)r->end_ns - (double)now) / 1e9;
	windows_s = rotation * r->o->windows * r->o->window_s;
	wanted = (r->o->rounds - round) / (double)rotation;
	r->longer = record_plan_longer(left_s, fmax(0, took_s - r->longer * windows_s), windows_s, wanted);
	return r->longer <= 0;
}

/*
 * Measures the variant, or all of them in turns, and saves from time to time, so that a recorder that is killed leaves
 * a run with all its whole blocks: what is new is appended to the turns and to run.json.part. Now and then it is also
 * flushed, for a machine that dies, and run.json is written anew when it has grown by a quarter; a twentieth of the
 * recording goes into that at most. Turns take no memory from then on, and blocks next to none where the run is not
 * analysed again. Where something fails, the end of the recording finds the same cause and reports it.
 */
static int record_measure(struct recorder *r, int round, size_t variant, struct diag *d)
{
	struct round n = {.number = round, .variant = variant, .nvariants = 1};
	size_t first = r->run.nblocks;
	uint64_t before, after;
	int err;

	r->time_up = is_time_up(r, round);
	if (r->time_up) {
		r->cut = round < r->o->rounds;
		return 0;
	}
	if (r->view->turns)
		n = (struct round){.number = round, .nvariants = r->run.nvariants};
	tracers_look(&r->tracers, &r->run);
	progress_now(&r->progress, r->view->turns ? "all variants in turns" : r->run.variants[variant].id);
	err = record_round(r, &n, d);
	for (size_t i = first; i < r->run.nblocks && !err; i++)
		report_block(r, &r->run.blocks[i]);
	if (err)
		return err;
	before = now_ns();
	if (((r->turns.n || r->turns.nwritten) && turns_write(&r->turns, r->dir.at, NULL)) ||
	    run_spill(&r->run, r->dir.at))
		return 0;
	if (!record_looks_again(r))
		for (; r->run.nforgotten < r->run.nspilled; r->run.nforgotten++)
			run_block_release(&r->run.blocks[r->run.nforgotten]);
	if (before < r->save_at_ns)
		return 0;
	if (r->run.nblocks > r->saved_blocks + r->saved_blocks / SAVE_GROWTH)
		record_save(r, "killed", NULL);
	else if (!turns_sync(&r->turns, r->dir.at, NULL) && r->run.spilled.is_open)
		fsync(r->run.spilled.fd);
	after = now_ns();
	r->save_at_ns = after + (SAVE_SHARE - 1) * (after - before);
	return 0;
}

static int rounds_run(struct recorder *r, struct diag *d)
{
	size_t order[RECORD_MAX_VARIANTS], n;
	int err = 0;

	r->random = r->o->seed ? r->o->seed : 1;
	r->begin_ns = now_ns();
	r->end_ns = r->o->max_time_s > 0 ? r->begin_ns + (uint64_t)(r->o->max_time_s * 1e9) : UINT64_MAX;
	for (int round = 0; !err && !r->time_up; round++) {
		n = record_plan(r, round, order);
		err = record_adapt_rate(r, round, d);
		if (err || !n)
			break;
		/* Where variants take turns, all are measured at once, whatever their order. */
		for (size_t i = 0; i < (r->view->turns ? 1 : n) && !err && !r->time_up; i++)
			err = record_measure(r, round, order[i], d);
	}
	return err;
}

double record_planned_s(const struct recorder *r)
{
	const struct record_options *o = r->o;
	double asked_s = (double)o->rounds * (double)r->run.nvariants * o->windows * o->window_s;

	return o->max_time_s > 0 ? fmin(asked_s, o->max_time_s) : asked_s;
}

int record_run(struct recorder *r, bool *kept, struct diag *d)
{
	const char *ended = "failed";
	struct diag saving = {};
	int err, save_err;

	*kept = false;
	progress_begin(&r->progress, r->o->rounds * (int)r->run.nvariants, r->o->max_time_s, r->o->quiet);
	err = record_prepare(r, d) ?: rounds_run(r, d);
	progress_end(&r->progress);
	if (err && err != -EINTR && stop_requested) /* the signal caused the error */
		err = diag_replace(d, -EINTR, "stopped by a signal");
	run_dir_tell(&r->dir, d);
	if (err && !r->run.nblocks)
		return err;     /* nothing to keep; the directory is aborted on release */
	remove(r->stderr_path); /* an error of perf is in d by now */
	switch (err) {
	case 0:
		ended = r->cut ? "time limit" : "complete";
		break;
	case -EINTR:
		ended = "interrupted";
		break;
	case -ENODEV:
		ended = "device vanished";
		break;
	case -ENXIO:
		ended = "CPU went offline";
		break;
	case -ECHILD:
		ended = "generator or perf died";
		break;
	case -ENOSPC:
		ended = "disk full";
	}
	save_err = record_save(r, ended, &saving);
	if (!save_err)
		run_end_spill(&r->run, r->dir.at);
	run_dir_tell(&r->dir, &saving);
	if (!save_err)
		save_err = run_dir_commit(&r->dir, &saving);
	else if (r->saved_blocks) /* a disk that is full */
		return diag_replace(d, run_dir_leave(&r->dir, save_err, &saving), "%s", saving.text);
	*kept = !save_err;
	if (save_err && !err)
		return diag_set(d, save_err, "%s", saving.text);
	return err;
}
