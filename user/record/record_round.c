// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop that all views share; record_view.h has the contract. */
#include "user/record/record.h"

#include <sys/statvfs.h>

#define PROFILED   (2 / 3.0) /* of the time: functions need more of it than the base, which each turn tells */
#define SHORTEST_S 0.04      /* of a stretch without samples */
#define GROUPS     2         /* of turns in it, at least */

#define DISK_FULL_BYTES (512 * 1024) /* a block writes some hundred kB */

/* ---- is everything still there? -------------------------------------------------------------------------- */

static int check_cpus(const struct recorder *r, struct diag *d)
{
	for (size_t i = 0; i < r->run.nrx_cpus; i++)
		if (cpu_check(r->run.rx_cpus[i]))
			return diag_set(d, -ENXIO, "CPU %d went offline", r->run.rx_cpus[i]);
	return 0;
}

int record_check(struct recorder *r, struct diag *d)
{
	int err = stopped(d) ?: session_check(&r->session, d);

	if (!err && r->of_view && r->view->check)
		err = r->view->check(r, d);
	return err ? err : check_cpus(r, d);
}

/* Sleeps in small steps so that it notices trouble and signals early. */
int record_sleep(struct recorder *r, double seconds, struct diag *d)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), step;
	int err = 0;

	while (!err && now_ns() < end) {
		step = now_ns() + 250000000ULL;
		sleep_until_ns(step < end ? step : end);
		err = record_check(r, d);
	}
	return err;
}

void round_draw_place(const struct recorder *r, struct round *n, size_t i)
{
	uint64_t draw = (uint64_t)n->number / (r->view->turns ? r->run.nvariants : 1);

	fillers_load(&n->fillers, r->o->seed + RECORD_MAX_VARIANTS * draw + i);
}

/* ---- turns ------------------------------------------------------------------------------------------------ */

void round_stamp(struct recorder *r, struct round *n, double stamp_ns)
{
	bool first = !n->first_block || isnan(r->run.stamp_ns);

	n->stamp_ns = stamp_ns;
	r->run.stamp_ns = first ? stamp_ns : r->run.stamp_ns + (stamp_ns - r->run.stamp_ns) / (n->number + 1);
}

int round_turn(struct round *n, const struct run_turn *turn, const struct bench_count *grown)
{
	struct run_turn *t = array_add(&n->turns, &n->nturns, sizeof(*n->turns));
	struct turn_sums *s;

	if (!t)
		return -ENOMEM;
	*t = *turn;
	t->injected_ns = grown->injected_ns < UINT32_MAX ? (uint32_t)grown->injected_ns : UINT32_MAX;
	if (turn->use == TURN_SWITCHING)
		return 0;
	s = &n->sums[turn->use == TURN_PROFILE ? RUN_PROFILE : RUN_BASE][turn->variant];
	s->wall_ns += turn->wall_ns;
	s->own_ns += turn->own_ns;
	s->injected_ns += (double)grown->injected_ns;
	for (int v = 0; v < RUN_VERDICTS; v++)
		s->verdicts[v] += grown->verdicts[v];
	return 0;
}

/*
 * Stretches without and with samples follow each other in pairs, as short as a few groups of turns allow: the speed of
 * a machine changes within tenths of a second. In every second pair the stretch with samples comes first, and in every
 * second rotation of the devices it is the other pairs, so that a drift within rounds cancels out. (If it changed from
 * round to round, with two variants one device would always be measured early in its rounds for the first variant, and
 * late for the second.)
 */
int round_stretches(struct recorder *r, struct round *n, struct diag *d)
{
	double seconds = r->longer * r->o->windows * r->o->window_s, base_s = seconds * (1 - PROFILED);
	int rotation = n->number / (int)r->run.nvariants, err = 0;
	int pairs = (int)fmax(1, fmin(STRETCHES / 2, base_s / fmax(SHORTEST_S, GROUPS * n->group_s)));

	n->steal_ns = cpu_steal_ns(r->session.rx_cpu);
	for (int i = 0; i < (r->o->no_profile ? 1 : 2 * pairs) && !err; i++) {
		bool profile = !r->o->no_profile && (i + i / 2 + rotation) % 2;
		double part_s = r->o->no_profile ? seconds : (profile ? seconds - base_s : base_s) / pairs;
		struct stretch *s = &n->stretches[n->nstretches++];
		int off;

		s->kind = profile ? RUN_PROFILE : RUN_BASE;
		progress_tick(&r->progress); /* a terminal that draws is not to be measured */
		err = profile ? perf_switch(&r->perf, true, d) : 0;
		r->view->edge(r, n, s, 0);
		s->from_ns = now_ns();
		if (!err)
			err = r->view->stretch(r, n, s->kind, part_s, d);
		s->to_ns = now_ns();
		r->view->edge(r, n, s, 1);
		off = profile ? perf_switch(&r->perf, false, err ? NULL : d) : 0;
		err = err ? err : off;
	}
	n->steal_ns = cpu_steal_ns(r->session.rx_cpu) - n->steal_ns;
	return err;
}

/* A window of each kind, over the whole round, and the turns. */
static int windows_add(struct recorder *r, const struct round *n, struct diag *d)
{
	for (size_t i = 2 * n->first_block; i < 2 * r->run.nblocks; i++) {
		enum run_window_kind kind = i % 2 ? RUN_PROFILE : RUN_BASE;
		struct run_block *b = &r->run.blocks[i / 2];
		const struct turn_sums *sums = &n->sums[kind][b->variant];
		const struct run_variant *v = &r->run.variants[b->variant];
		struct run_window *w;
		struct run_cpu *c;

		if (kind == RUN_PROFILE && r->o->no_profile)
			continue;
		w = run_add_window(b);
		c = w ? run_add_cpu(w, r->session.rx_cpu) : NULL;
		if (!c)
			return diag_set(d, -ENOMEM, "no memory");
		w->kind = kind;
		w->from_ns = n->stretches[0].from_ns;
		w->to_ns = n->stretches[n->nstretches - 1].to_ns;
		w->steal_ns = n->steal_ns;
		w->freq_khz = cpu_freq_khz(r->session.rx_cpu);
		w->waits_ns = 0; /* the clock counts no waits */
		w->own_ns = r->o->view == RUN_VIEW_WORK ? sums->own_ns : sums->wall_ns;
		w->busy_ns = c->busy_ns = sums->own_ns;
		if (run_has_inject_clock(v))
			w->injected_ns = sums->injected_ns;
		memcpy(c->verdicts, sums->verdicts, sizeof(c->verdicts));
		if (v->stage != RUN_STAGE_NONE) {
			w->consumer_busy_ns = sums->consumer_busy_ns;
			w->consumer_packets = sums->consumer_packets;
		}
	}
	return turns_add(&r->turns, n->turns, n->nturns) ? diag_set(d, -ENOMEM, "no memory") : 0;
}

/* ---- samples ---------------------------------------------------------------------------------------------- */

/*
 * Starts perf, switched off, on the CPUs of the receivers and of the tasks of second stages. The programs are attached
 * by now: perf asks the kernel for those that are loaded when it starts, hears of later ones on the sampled CPUs alone,
 * and has no name for samples in any other.
 */
static int samples_begin(struct recorder *r, int round, struct diag *d)
{
	int cpus[RUN_MAX_RX_CPUS + RECORD_MAX_VARIANTS];
	struct perf_options po = {
		.event = r->run.event,
		.cpus = cpus,
		.hz = record_round_hz(r, round),
		.keeper_cpu = r->o->keeper_cpu,
		.data_path = r->data_path,
		.stderr_path = r->stderr_path,
	};

	for (size_t i = 0; i < r->run.nrx_cpus + r->run.nvariants; i++) {
		const struct run_variant *v = i < r->run.nrx_cpus ? NULL : &r->run.variants[i - r->run.nrx_cpus];
		int cpu = v ? v->stage_cpu : r->run.rx_cpus[i];
		size_t known = 0;

		if (v && v->stage <= RUN_STAGE_DEVICE)
			continue;
		while (known < po.ncpus && cpus[known] != cpu)
			known++;
		if (known == po.ncpus)
			cpus[po.ncpus++] = cpu;
	}
	return perf_launch(&r->perf, &po, d);
}

/* Ends perf and gives each block its samples; of a text of the whole round, its view says whose they are. */
static int samples_end(struct recorder *r, struct round *n, struct diag *d)
{
	struct run_block *blocks = &r->run.blocks[n->first_block];
	struct perf_options po = {
		.keeper_cpu = r->o->keeper_cpu, .data_path = r->data_path, .stderr_path = r->stderr_path};
	char path[sizeof(r->dir.at) + sizeof(blocks->script)], own[sizeof(path)];
	bool shared = r->view->receivers;
	int64_t lost;
	int err = perf_stop(&r->perf, d);

	if (err)
		return err;
	lost = perf_file_lost(r->data_path);
	for (size_t i = 0; i < n->nvariants; i++) {
		po.source_lines |= run_variant_is_own(&r->run.variants[n->variant + i]);
		blocks[i].totals.perf_lost = lost;
		snprintf(blocks[i].script, sizeof(blocks[i].script), RUN_SCRIPT_NAME, blocks[i].index);
	}
	snprintf(path, sizeof(path), "%s/%s", r->dir.at, shared ? "round.script" : blocks->script);
	err = perf_script(&po, path, d);
	if (!err && shared) {
		FILE *out[RIG_ARMS] = {NULL}, *in = fopen(path, "re");
		struct turn_samples s = {.turns = n->turns, .nturns = n->nturns, .nout = n->nvariants, .out = out};
		struct receivers whose;

		err = in ? 0 : diag_set(d, -errno, "%s: %s", path, strerror(errno));
		r->view->receivers(r, n, &whose, &s);
		for (size_t i = 0; i < n->nvariants && !err; i++) {
			snprintf(own, sizeof(own), "%s/%s", r->dir.at, blocks[i].script);
			out[i] = fopen(own, "we");
			if (!out[i])
				err = diag_set(d, -errno, "cannot write %s: %s", own, strerror(errno));
		}
		if (!err)
			err = turn_samples_allot(&s, in, d);
		for (size_t i = 0; i < n->nvariants; i++)
			if (out[i] && fclose(out[i]) && !err)
				err = diag_set(d, -errno, "a block's samples cannot be written: %s", strerror(errno));
		if (in)
			fclose(in);
	}
	if (shared)
		remove(path);
	for (size_t i = 0; i < n->nvariants && !err; i++)
		err = run_seal_script(&blocks[i], r->dir.at, d);
	return err;
}

/* ---- probes ----------------------------------------------------------------------------------------------- */

int blocks_probe_speed(const struct recorder *r, struct run_block *b, size_t n, bool loaded, struct diag *d)
{
	double ns = speed_probe_ns(r->session.rx_cpu);
	const struct run_speed probe = {.at_ns = now_ns(), .ns = ns, .loaded = loaded};

	for (size_t i = 0; i < n && ns > 0; i++) {
		struct run_speed *s = array_add(&b[i].speeds, &b[i].nspeeds, sizeof(*s));

		if (!s)
			return diag_set(d, -ENOMEM, "no memory");
		*s = probe;
	}
	return 0;
}

/* Probes the machine without load. when: 0 before the load of the round, 1 after it */
static int round_probe(struct recorder *r, const struct round *n, int when, struct diag *d)
{
	struct run_block *blocks = &r->run.blocks[n->first_block];
	const struct session_options *o = &r->session.o;
	/* NAN: no frame comes from another CPU */
	bool crosses = r->o->view != RUN_VIEW_WORK && o->own_load && !o->load.host[0];
	double ns = crosses ? cpu_ping_pong_ns(r->session.rx_cpu, o->load.cpu) : NAN;

	for (size_t i = 0; i < n->nvariants; i++)
		blocks[i].placement_ns[when] = ns;
	return blocks_probe_speed(r, blocks, n->nvariants, false, d);
}

/* ---- a round ---------------------------------------------------------------------------------------------- */

static int round_measure(struct recorder *r, struct round *n, struct diag *d)
{
	const struct view *view = r->view;
	int err = round_probe(r, n, 0, d) ?: view->begin(r, n, d);

	if (!err) {
		/*
		 * Gives the RX CPUs slabs of skbs that they share with nobody (skb_slabs.h), and notes in r->run how
		 * many skbs are held for that on each of them. As late as can be, because what anybody else does on the
		 * CPU may begin with another slab.
		 */
		r->run.held_skbs = r->run.nrx_cpus ? SKB_SLABS_HELD : 0;
		for (size_t i = 0; i < r->run.nrx_cpus; i++) {
			int held = skb_slabs_fill(&r->slabs[i], r->run.rx_cpus[i]);

			if (held < r->run.held_skbs)
				r->run.held_skbs = held;
		}
	}
	if (!err)
		err = view->measure(r, n, d) ?: view->end(r, n, d);
	if (!err && view->turns)
		err = windows_add(r, n, d);
	if (!err)
		err = view->totals(r, n, d) ?: round_probe(r, n, 1, d);
	return err || r->o->no_profile ? err : samples_end(r, n, d);
}

int record_round(struct recorder *r, struct round *n, struct diag *d)
{
	size_t turns_before = r->turns.n;
	int hz = record_round_hz(r, n->number), err = 0;
	struct diag cpu = {};
	struct statvfs fs;

	block_init(&n->block);
	n->first_block = r->run.nblocks;
	for (size_t i = 0; i < n->nvariants && !err; i++) {
		struct run_block *b = run_add_block(&r->run);

		if (b) {
			b->round = n->number;
			b->sample_hz = hz;
			b->variant = n->variant + i;
		} else {
			err = diag_set(d, -ENOMEM, "no memory");
		}
	}
	if (!err) {
		n->block.rb = &r->run.blocks[n->first_block];
		err = r->view->attach(r, n, d);
	}
	if (!err && !r->o->no_profile)
		err = samples_begin(r, n->number, d);
	/* Notes what is attached by now. */
	for (size_t i = n->first_block; i < r->run.nblocks && !err; i++) {
		struct run_block *b = &r->run.blocks[i];
		const struct bench *bench = r->view->bench(r, n, b->variant);

		b->prog_id = bench->prog_id;
		strcpy(b->prog_tag, bench->tag);
		b->prog_instructions = bench->instructions;
		b->prog_bytes = bench->bytes;
		strcpy(b->prog_name, bench->name);
		b->mode_found = bench->mode_found;
	}
	if (!err && r->perf.pid)
		err = perf_await(&r->perf, d);
	if (!err)
		err = round_measure(r, n, d);
	perf_release(&r->perf);
	r->view->detach(r, n);
	remove(r->data_path);
	free(n->turns);
	if (!err)
		return 0;
	/* Removes what the incomplete round left behind. */
	while (r->run.nblocks > n->first_block) {
		const struct run_block *b = &r->run.blocks[r->run.nblocks - 1];
		char path[sizeof(r->dir.at) + sizeof(b->script)];

		snprintf(path, sizeof(path), "%s/%s", r->dir.at, b->script);
		if (b->script[0])
			remove(path);
		run_block_release(&r->run.blocks[--r->run.nblocks]);
	}
	r->turns.n = turns_before;
	/* If the device or a CPU is gone or the disk is full, a sentence about that replaces the one in d. */
	if (err == -EINTR)
		return err;
	if (netdev_gone(&r->session.target.nd))
		return diag_replace(d, -ENODEV, "%s has vanished", r->session.target.nd.name);
	if (check_cpus(r, &cpu))
		return diag_replace(d, -ENXIO, "%s", cpu.text);
	if (err == -ECHILD && !statvfs(r->dir.at, &fs) &&
	    (uint64_t)fs.f_bavail * fs.f_bsize < DISK_FULL_BYTES) /* perf dies of a full disk without a message */
		return diag_replace(d, -ENOSPC, "cannot write %s: %s", r->o->out_dir, strerror(ENOSPC));
	return err;
}
