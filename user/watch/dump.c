// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define PART_BLOCKS   24 /* of a part of the dump, at most: enough for tests of single functions */
#define BLOCK_SAMPLES 5  /* of a block, at least: one without samples would be left out, and bias the others */
#define PARTS         (RUN_PART_AFTER + 1)

/* Whole seconds that make a block of one device. */
struct stretch {
	unsigned int slot;
	enum run_operation part;
	size_t first, end; /* of the past's seconds */
	int block;         /* index of the run's */
	FILE *script;      /* NULL: no sample yet */
};

struct dump {
	const struct dump_options *o;
	const struct watcher *w;
	struct flight *f;
	struct run run;
	struct run_dir dir;
	uint64_t samples[WATCH_SLOTS][PARTS];
	struct stretch *stretches;
	size_t nstretches;
	int variant[WATCH_SLOTS][PARTS]; /* index of the run's; -1: none */
	uint64_t shared;                 /* samples that several devices share */
};

/* ---- which seconds make a block ----------------------------------------------------------------- */

static enum run_operation part_at(const struct dump *p, uint64_t at_ns)
{
	return !p->o->moment_ns ? RUN_PART_ALL : at_ns < p->o->moment_ns ? RUN_PART_BEFORE : RUN_PART_AFTER;
}

static int count_sample(void *arg, unsigned int slot, double part, const struct ring_sample *s, size_t frames)
{
	struct dump *p = arg;

	(void)part;
	(void)frames;
	p->samples[slot][part_at(p, s->time_ns)]++;
	return 0;
}

/* The seconds of one part, cut into blocks of about the same length. */
static int cut(struct dump *p, unsigned int slot, size_t first, size_t end)
{
	enum run_operation part = part_at(p, past_at(&p->w->past, first)->from_ns);
	size_t n = end - first, blocks = p->f->on ? p->samples[slot][part] / BLOCK_SAMPLES : PART_BLOCKS;

	blocks = blocks < n ? blocks : n;
	blocks = blocks > PART_BLOCKS ? PART_BLOCKS : blocks ? blocks : 1;
	for (size_t i = 0; i < blocks; i++) {
		struct stretch s = {slot, part, first + n * i / blocks, first + n * (i + 1) / blocks, -1, NULL}, *new;
		bool polled = false;

		for (size_t k = s.first; k < s.end && !polled; k++) {
			const struct past_second *second = past_at(&p->w->past, k);

			for (size_t e = 0; e < second->n; e++)
				polled |= second->entries[e].slot == slot && second->entries[e].polls.packets;
		}
		if (!polled)
			continue;
		new = array_add(&p->stretches, &p->nstretches, sizeof(*new));
		if (!new)
			return -ENOMEM;
		*new = s;
	}
	return 0;
}

static int find_stretches(struct dump *p, uint64_t from_ns, struct diag *d)
{
	const struct past *past = &p->w->past;
	size_t begin = 0;
	int err = flight_samples(p->f, p->w, from_ns, count_sample, p, d);

	while (begin < past->n && past_at(past, begin)->from_ns < from_ns)
		begin++;
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++)
		for (size_t first = begin, end; first < past->n && !err;
		     first = end + !flight_sampled(p->f, past_at(past, first), slot)) {
			enum run_operation part = part_at(p, past_at(past, first)->from_ns);

			/* A CPU that polls a device for the first time is sampled from the next second on. */
			end = first;
			while (end < past->n && flight_sampled(p->f, past_at(past, end), slot) &&
			       part_at(p, past_at(past, end)->from_ns) == part)
				end++;
			err = end > first ? cut(p, slot, first, end) : 0;
		}
	return err ? diag_set(d, err, "no memory") : 0;
}

/* ---- variants and blocks ------------------------------------------------------------------------ */

static enum run_mode mode_of(const struct past_second *s, unsigned int slot)
{
	for (int mode = RUN_MODE_NATIVE; mode <= RUN_MODE_HW; mode++)
		if (!strcmp(run_mode_words[mode], s->programs[slot].mode))
			return mode;
	return RUN_MODE_NONE;
}

/* What the device did in the stretch. The busy time is that of all CPUs, as softirqs are timed at random. */
static int fill_window(const struct dump *p, struct run_window *win, const struct stretch *s)
{
	struct watch_polls sum = {};
	int err = 0;

	win->from_ns = past_at(&p->w->past, s->first)->from_ns;
	win->to_ns = past_at(&p->w->past, s->end - 1)->to_ns;
	for (size_t i = s->first; i < s->end; i++) {
		const struct past_second *second = past_at(&p->w->past, i);

		for (size_t k = 0; k < second->n && !err; k++) {
			const struct past_entry *e = &second->entries[k];
			struct run_cpu *c = NULL;

			if (e->slot != s->slot)
				continue;
			polled_add(&sum, &e->polls);
			for (size_t n = 0; n < win->ncpus; n++)
				if (win->cpus[n].cpu == (int)e->cpu)
					c = &win->cpus[n];
			c = c ?: run_add_cpu(win, (int)e->cpu);
			if (c)
				c->verdicts[RUN_UNTOLD] += e->polls.packets;
			else
				err = -ENOMEM;
		}
	}
	win->busy_ns = polled_busy_ns(&sum);
	win->has_polls = win->kind == RUN_PROBE;
	if (win->has_polls) {
		win->polls = sum.polls;
		win->poll_packets = sum.packets;
		win->polls_empty = sum.empty;
	}
	return err;
}

/* The mode of its variant is the one that the device had in most seconds of the part. */
static int dump_add_block(struct dump *p, struct stretch *s, struct diag *d)
{
	static const enum run_window_kind kinds[] = {RUN_BASE, RUN_PROFILE, RUN_PROBE};
	const struct netdev *nd = &p->w->devices.list[s->slot].nd;
	const struct past_second *last = past_at(&p->w->past, s->end - 1);
	int *variant = &p->variant[s->slot][s->part], err = 0;
	enum run_mode best = RUN_MODE_NATIVE;
	char id[RUN_ID_BYTES], name[16];
	size_t seconds[RUN_MODES] = {0};
	struct run_block *b;

	for (const struct stretch *o = p->stretches; o < p->stretches + p->nstretches && *variant < 0; o++)
		for (size_t k = o->first; k < o->end; k++)
			if (o->slot == s->slot && o->part == s->part)
				seconds[mode_of(past_at(&p->w->past, k), s->slot)]++;
	for (int mode = 0; mode < RUN_MODES; mode++)
		if (seconds[mode] > seconds[best])
			best = mode;
	if (*variant < 0) {
		struct run_variant *v = run_add_variant(&p->run);

		snprintf(id, sizeof(id), RUN_WATCH_WORD "%s/%s@%s", run_watch_device(name, nd->name, nd->ifindex),
			 run_operation_words[s->part], run_mode_words[best]);
		err = v ? run_variant_parse(v, id, d) : diag_set(d, -ENOMEM, "no memory");
		*variant = (int)p->run.nvariants - 1;
	}
	b = err ? NULL : run_add_block(&p->run);
	if (!b)
		return err ? err : diag_set(d, -ENOMEM, "no memory");
	s->block = b->index;
	b->round = (int)s->first; /* no part shares its rounds with another: nothing was measured side by side */
	b->variant = (size_t)*variant;
	b->sample_hz = (int)p->f->hz;
	b->prog_id = last->programs[s->slot].id;
	snprintf(b->prog_name, sizeof(b->prog_name), "%s", last->programs[s->slot].name);
	b->mode_found = mode_of(last, s->slot);
	for (int i = 0; i < 3 && !err; i++) {
		struct run_window *win;

		if (kinds[i] == RUN_PROFILE && !p->f->on)
			continue;
		win = run_add_window(b);
		if (!win)
			return diag_set(d, -ENOMEM, "no memory");
		win->kind = kinds[i];
		err = fill_window(p, win, s);
	}
	b->totals.rx_seen = (int64_t)run_window_packets(&b->windows[0]);
	return err ? diag_set(d, err, "no memory") : 0;
}

/* ---- samples ------------------------------------------------------------------------------------ */

/* As perf script prints it. A part of a sample is one with a part of the period. */
static int write_sample(void *arg, unsigned int slot, double part, const struct ring_sample *s, size_t frames)
{
	struct dump *p = arg;
	struct stretch *stretch = NULL;
	char path[sizeof(p->dir.at) + sizeof(((struct run_block *)0)->script) + 2];
	FILE *out;

	for (size_t i = 0; i < p->nstretches && !stretch; i++) {
		struct stretch *one = &p->stretches[i];

		if (one->slot == slot && s->time_ns >= past_at(&p->w->past, one->first)->from_ns &&
		    s->time_ns < past_at(&p->w->past, one->end - 1)->to_ns)
			stretch = one;
	}
	if (!stretch)
		return 0;
	if (!stretch->script) {
		struct run_block *b = &p->run.blocks[stretch->block];

		snprintf(b->script, sizeof(b->script), RUN_SCRIPT_NAME, stretch->block);
		snprintf(path, sizeof(path), "%s/%s", p->dir.at, b->script);
		stretch->script = fopen(path, "we");
	}
	out = stretch->script;
	if (!out)
		return -errno;
	p->shared += part < 1;
	errno = 0;
	fprintf(out, "%s %d [%03d] %" PRIu64 ".%09" PRIu64 ": %10.0f %s: \n", frames == s->depth ? "napi" : "softirq",
		s->tid, s->cpu, s->time_ns / 1000000000, s->time_ns % 1000000000, fmax(1, (double)s->period * part),
		p->f->event);
	for (size_t i = 0; i < frames; i++) {
		const struct ksym *k = ksyms_find(&p->f->names, s->stack[i], s->time_ns);
		bool bpf = k && !strcmp(k->module, "bpf");

		fprintf(out, "\t%16" PRIx64 " %s (%s%s%s)\n", s->stack[i], k ? k->name : "[unknown]",
			!k || bpf || !*k->module ? "" : "[",
			!k || !*k->module ? "[kernel.kallsyms]"
			: bpf             ? k->name
					  : k->module,
			!k || bpf || !*k->module ? "" : "]");
	}
	fputc('\n', out);
	return !ferror(out) ? 0 : errno ? -errno : -EIO;
}

/* ---- what the run is about ---------------------------------------------------------------------- */

static json_t *describe_device(struct json_out *out, const struct watched *dev)
{
	json_t *programs = json_array();

	for (size_t i = 0; i < dev->nprograms; i++)
		json_out_add(out, programs,
			     json_pack("{s:s, s:o, s:I}", "hook", dev->programs[i].hook, "name",
				       json_text_string(dev->programs[i].name), "id", (json_int_t)dev->programs[i].id));
	return json_pack("{s:o, s:o, s:i, s:I, s:o}", "name", json_text_string(dev->nd.name), "driver",
			 json_text_string(dev->nd.driver), "ifindex", dev->nd.ifindex, "napi_threads",
			 (json_int_t)dev->ntids, "programs", programs);
}

static int dump_describe(struct dump *p, uint64_t from_ns)
{
	struct json_out out = {};
	time_t began = time(NULL) - (time_t)((now_ns() - from_ns) / 1000000000);
	struct run *r = &p->run;
	uint64_t lost = flight_lost(p->f);
	struct tm tm;
	json_t *devices;
	int sysfs;
	bool first = true;

	gmtime_r(&began, &tm);
	strftime(r->started, sizeof(r->started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(r->version, sizeof(r->version), "%s", XDPZOOM_VERSION);
	for (size_t i = 0; i < r->nblocks; i++) {
		const struct run_window *win = &r->blocks[i].windows[0];

		for (size_t k = 0; k < win->ncpus; k++) {
			bool known = false;

			for (size_t n = 0; n < r->nrx_cpus; n++)
				known |= r->rx_cpus[n] == win->cpus[k].cpu;
			if (!known && r->nrx_cpus < RUN_MAX_RX_CPUS)
				r->rx_cpus[r->nrx_cpus++] = win->cpus[k].cpu;
		}
		r->blocks[i].totals.perf_lost = lost ? -1 : 0; /* when they were lost is not known */
	}
	r->environment = env_describe(&out, "", r->nrx_cpus ? r->rx_cpus[0] : 0);
	devices = json_array();
	sysfs = netns_sysfs(NULL);
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++) {
		const struct watched *dev = &p->w->devices.list[slot];
		bool in = false;

		for (int part = 0; part < PARTS; part++)
			in |= p->variant[slot][part] >= 0;
		if (!in)
			continue;
		if (first)
			p->run.device = netdev_describe(&out, &dev->nd, sysfs);
		first = false;
		json_out_add(&out, devices, describe_device(&out, dev));
	}
	json_out_put(&out, p->run.device, "watched", devices);
	fd_close(sysfs);
	r->load = json_pack("{s:s}", "kind", "external");
	r->command = json_incref(p->o->command);
	json_out_put(&out, r->environment, "watch",
		     json_pack("{s:o, s:b, s:I, s:I, s:I, s:f}", "why", json_text_string(p->o->why), "trigger",
			       p->o->trigger, "softirqs_per_timed", (json_int_t)p->w->every, "samples_lost",
			       (json_int_t)lost, "samples_shared", (json_int_t)p->shared, "after_s",
			       p->o->moment_ns ? (double)(p->w->look_ns - p->o->moment_ns) / 1e9 : 0.0));
	if (p->o->queues)
		json_out_put(&out, r->environment, "queues", json_incref(p->o->queues));
	snprintf(r->event, sizeof(r->event), "%s", p->f->event);
	r->sample_hz = p->f->on ? p->f->hz : NAN;
	r->sample_cost_ns = p->f->on ? p->f->sample_cost_ns : NAN;
	r->overhead_budget_pct = p->f->budget_pct;
	r->view = RUN_VIEW_WATCH;
	snprintf(r->order, sizeof(r->order), "%s", "as it came");
	snprintf(r->ended, sizeof(r->ended), "%s", "complete");
	r->seed = from_ns;
	return out.failed || !r->load ? -ENOMEM : 0;
}

/* ---- both sides of the moment, and the state of the machine ------------------------------------- */

static int write_moment(const struct dump *p, struct diag *d)
{
	const char *const *words = run_operation_words;
	json_t *o = json_object(), *sides = json_array();
	uint64_t from_ns = p->o->from_ns, moment_ns = p->o->moment_ns, end_ns = p->w->look_ns;
	struct json_out out = {};
	char path[sizeof(p->dir.at) + sizeof(RUN_MOMENT) + 1];
	FILE *f;
	int err;

	json_out_text(&out, o, "schema", RUN_MOMENT_SCHEMA);
	json_out_put(&out, o, "sides", sides);
	if (moment_ns)
		json_out_add(&out, sides, sides_between(p->o->sides, from_ns, moment_ns, words[RUN_PART_BEFORE]));
	json_out_add(&out, sides,
		     sides_between(p->o->sides, moment_ns ?: from_ns, end_ns,
				   words[moment_ns ? RUN_PART_AFTER : RUN_PART_ALL]));
	json_out_put(&out, o, "intervals", sides_intervals(p->o->sides, from_ns, end_ns) ?: json_null());
	json_out_put(&out, o, "state", states_between(p->o->states, from_ns, moment_ns, now_ns()) ?: json_null());
	snprintf(path, sizeof(path), "%s/" RUN_MOMENT, p->dir.at);
	f = fopen(path, "we");
	if (!f) {
		json_decref(o);
		return diag_set(d, -errno, "%s cannot be written: %s", p->o->dir, strerror(errno));
	}
	err = json_out_write(&out, o, f, JSON_INDENT(1));
	if (fclose(f) && !err)
		err = -errno;
	return err ? diag_set(d, err, "%s cannot be written: %s", p->o->dir, strerror(-err)) : 0;
}

int dump_write(const struct dump_options *o, const struct watcher *w, struct flight *f, size_t *blocks, struct diag *d)
{
	struct dump *p = calloc(1, sizeof(*p));
	uint64_t kept = flight_kept_ns(f), from_ns = o->from_ns > kept ? o->from_ns : kept;
	int err;

	if (!p)
		return diag_set(d, -ENOMEM, "no memory");
	p->o = o;
	p->w = w;
	p->f = f;
	run_init(&p->run);
	run_dir_init(&p->dir);
	memset(p->variant, -1, sizeof(p->variant));
	err = find_stretches(p, from_ns, d);
	for (size_t i = 0; i < p->nstretches && !err; i++)
		err = dump_add_block(p, &p->stretches[i], d);
	if (!err && !p->run.nblocks)
		err = diag_set(d, -ENODATA,
			       "no packet was polled in that time, or samples began just now; nothing is kept");
	if (!err)
		err = run_dir_begin(&p->dir, o->dir, o->force, d);
	if (!err) {
		err = flight_samples(f, w, from_ns, write_sample, p, d);
		for (size_t i = 0; i < p->nstretches; i++) {
			struct stretch *s = &p->stretches[i];

			if (s->script && fclose(s->script) && !err)
				err = diag_set(d, -errno, "%s cannot be written: %s", o->dir, strerror(errno));
			if (!err)
				err = run_seal_script(&p->run.blocks[s->block], p->dir.at, d);
		}
	}
	if (!err && dump_describe(p, from_ns))
		err = diag_set(d, -ENOMEM, "no memory");
	if (!err)
		err = write_moment(p, d) ?: run_write(&p->run, p->dir.at, d);
	if (!err)
		err = run_dir_commit(&p->dir, d);
	*blocks = p->run.nblocks;
	if (err)
		run_dir_tell(&p->dir, d);
	run_dir_abort(&p->dir);
	run_release(&p->run);
	free(p->stretches);
	free(p);
	return err;
}
