// SPDX-License-Identifier: GPL-2.0-or-later
/* One block: the sums of its windows and the shares of its samples. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "perfparse/cost.h"
#include "perfparse/script.h"
#include "reports/analysis/analysis_parts.h"

/* Sums over the windows of one kind. */
struct span {
	double packets, ns, busy_ns; /* busy_ns NaN: it is not known for one of the windows */
	double softirq_ns;           /* NaN: it is not known for one of the windows */
	double freq_khz;             /* of the last window that has it; NaN: none has */
};

static struct span span_of(const struct run_block *b, enum run_window_kind kind)
{
	struct span s = {.freq_khz = NAN};

	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];

		if (w->kind != kind)
			continue;
		s.packets += run_window_packets(w);
		s.ns += (double)(w->to_ns - w->from_ns);
		s.busy_ns += w->busy_ns >= 0 ? w->busy_ns : NAN;
		s.softirq_ns += w->softirq_ns >= 0 ? w->softirq_ns : NAN;
		if (w->freq_khz >= 0)
			s.freq_khz = w->freq_khz;
	}
	return s;
}

static int add_share(struct shares *s, const struct cost_row *row, const struct cost_table *t, size_t number)
{
	struct share *bigger;

	if ((s->n & (s->n - 1)) == 0) { /* room is the power of two above n */
		bigger = reallocarray(s->list, s->n ? 2 * s->n : 1, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		s->list = bigger;
	}
	s->list[s->n++] = (struct share){
		.name = strdup(row->name),
		.dso = strdup(row->dso ? row->dso : ""),
		.facility = row->facility,
		.block = number,
		.samples = row->samples,
		.weight = fmax(0, row->self_pct) / 100 * t->busy_weight,
		.children_weight = row->children_pct < 0 ? -1 : row->children_pct / 100 * t->busy_weight,
	};
	return s->list[s->n - 1].name && s->list[s->n - 1].dso ? 0 : -ENOMEM;
}

void shares_release(struct shares *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].name);
		free(s->list[i].dso);
	}
	for (size_t i = 0; i < s->nprofiles; i++)
		profile_release(&s->profiles[i].profile);
	free(s->profiles);
	free(s->list);
	memset(s, 0, sizeof(*s));
}

/* When profiles are kept, moves p into s and leaves p empty. */
static int keep_profile(struct shares *s, struct profile *p, size_t number)
{
	struct block_profile *bigger;

	if (!s->keep_profiles)
		return 0;
	bigger = reallocarray(s->profiles, s->nprofiles + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	s->profiles = bigger;
	s->profiles[s->nprofiles++] = (struct block_profile){*p, number};
	profile_init(p);
	return 0;
}

/* Adds the weights and shares of one CPU's or one task's profile. */
static int add_profile(struct analysis_block *b, const struct profile *p, struct facilities *f, size_t number,
		       struct shares *out, struct diag *d)
{
	struct cost_table t;
	int err;

	if (!p->samples)
		return 0;
	cost_table_init(&t);
	err = cost_table_build(&t, p, f, 1, NULL); /* base 1: the table holds shares; the base in ns is not known yet */
	b->idle_weight += t.idle_weight;
	b->taken_out_weight += t.taken_out_weight;
	if (err == -EINVAL) { /* no stack of the profile is a cost */
		cost_table_release(&t);
		return 0;
	}
	if (err)
		return diag_set(d, err, "block %d: %s", b->block->index, strerror(-err));
	b->samples += t.samples;
	b->cost_weight += t.busy_weight;
	for (size_t i = 0; i < t.nrows && !err; i++)
		err = add_share(out, &t.rows[i], &t, number);
	cost_table_release(&t);
	return err ? diag_set(d, err, "out of memory") : 0;
}

static int read_one(struct analysis_block *b, const struct block_source *source, const struct script_filter *filter,
		    size_t number, struct shares *out, struct diag *d)
{
	struct diag why = {""};
	struct profile p;
	struct stat st;
	char path[4096];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%s/%s", source->dir, b->block->script);
	in = fopen(path, "re");
	if (!in)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (!fstat(fileno(in), &st) && S_ISREG(st.st_mode) && !st.st_size) { /* perf took no sample */
		fclose(in);
		return 0;
	}
	profile_init(&p);
	err = script_read(&p, in, filter, &why);
	fclose(in);
	if (err)
		diag_set(d, err, "%s: %s", path, why.text);
	else
		err = add_profile(b, &p, source->facilities, number, out, d);
	if (!err && keep_profile(out, &p, number))
		err = diag_set(d, -ENOMEM, "out of memory");
	profile_release(&p);
	return err;
}

/* Reads the receiver's samples: those of its NAPI threads, or, if it has none, all samples of its CPUs. */
static int read_samples(struct analysis_block *b, const struct block_source *source, size_t number, struct shares *out,
			struct diag *d)
{
	struct script_filter filter = {.cpu = -1, .tid = -1};
	const struct run *r = source->run;
	struct script_span *spans;
	int err = 0;

	if (!b->block->script[0])
		return 0;
	spans = calloc(b->block->nwindows + 1, sizeof(*spans));
	if (!spans)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < b->block->nwindows; i++)
		if (b->block->windows[i].kind == RUN_PROFILE)
			spans[filter.nspans++] =
				(struct script_span){b->block->windows[i].from_ns, b->block->windows[i].to_ns};
	filter.spans = spans;
	for (size_t i = 0; i < r->nnapi_tids && !err; i++) {
		filter.tid = r->napi_tids[i];
		err = read_one(b, source, &filter, number, out, d);
	}
	for (size_t i = 0; i < r->nrx_cpus && !r->nnapi_tids && !err; i++) {
		double before = b->cost_weight + b->taken_out_weight;

		filter.cpu = r->rx_cpus[i];
		filter.not_tid = b->block->stage_tid > 0 ? b->block->stage_tid : 0;
		err = read_one(b, source, &filter, number, out, d);
		b->cpu_weight[i] = b->cost_weight + b->taken_out_weight - before;
	}
	free(spans);
	return err;
}

/*
 * Busy time in the profiled windows, computed from the weight of the samples. NaN: there are no samples, or the weight
 * is in cycles and the frequency is not known.
 */
static double sampled_busy_ns(double weight, const char *event, const struct span *profiled)
{
	if (!(weight > 0))
		return NAN;
	if (!strncmp(event, "cpu-clock", 9) || !strncmp(event, "task-clock", 10))
		return weight;
	return weight / profiled->freq_khz * 1e6; /* cycles / (kHz / 1e6 ns) */
}

/* The part of the profiled windows in which the CPUs worked, by their samples; NaN: sampled_ns is not known. */
static double busy_part(double sampled_ns, const struct span *profiled, double cpus)
{
	double part = sampled_ns / (profiled->ns * cpus);

	return part > 1 ? 1 : part;
}

/*
 * The part of the busy time that is not the variant's work and is taken out of its cost.
 * - The samples decide whether there is such work at all. With a device as second stage there always is: the device is
 *   polled in the receiver's thread.
 * - The size of the part comes from the probe windows, whose clock has no sampling error.
 * - Without probe windows, the size comes from the samples.
 */
static double taken_out_part(const struct analysis_block *b, enum run_stage stage)
{
	struct span probe = span_of(b->block, RUN_PROBE);
	double ran = b->cost_weight + b->taken_out_weight;
	double by_clock = probe.softirq_ns / probe.busy_ns;

	if (!(b->taken_out_weight > 0) && stage != RUN_STAGE_DEVICE)
		return 0;
	return by_clock > 0 && by_clock < 1 ? by_clock : ran > 0 ? b->taken_out_weight / ran : 0;
}

/*
 * Cost of a packet in the windows of perf stat: from busy time where it is known, else from the rate. NaN: there are no
 * such windows.
 */
static double counted_ns(const struct analysis_block *b, double cpus, double out)
{
	struct span counted = span_of(b->block, RUN_COUNT);

	if (!(counted.packets > 0))
		return NAN;
	return (isnan(counted.busy_ns) ? counted.ns * cpus : counted.busy_ns) * (1 - out) / counted.packets;
}

static double cpu_busy_of(const struct run_window *w, int cpu)
{
	for (size_t i = 0; i < w->ncpus; i++)
		if (w->cpus[i].cpu == cpu)
			return w->cpus[i].busy_ns >= 0 ? w->cpus[i].busy_ns : NAN;
	return NAN;
}

/* Busy time of each CPU: from the kernel's clock where kthreads do the work, else from the samples of the CPU. */
static void weigh_cpus(struct analysis_block *b, const struct run *r, const struct span *base,
		       const struct span *profiled)
{
	for (size_t i = 0; i < r->nrx_cpus; i++) {
		double sampled = sampled_busy_ns(b->cpu_weight[i], r->event, profiled), clock = 0;

		for (size_t k = 0; k < b->block->nwindows; k++)
			if (b->block->windows[k].kind == RUN_BASE)
				clock += cpu_busy_of(&b->block->windows[k], r->rx_cpus[i]);
		b->cpu_busy_ns[i] = r->nrx_cpus == 1 ? b->busy_ns
				    : r->nnapi_tids  ? clock
						     : busy_part(sampled, profiled, 1) * base->ns;
	}
}

static void weigh_block(struct analysis_block *b, const struct run *r)
{
	struct span base = span_of(b->block, RUN_BASE), profiled = span_of(b->block, RUN_PROFILE);
	double cpus = r->nrx_cpus ? (double)r->nrx_cpus : 1, profiled_busy_ns = profiled.busy_ns;
	double sampled_ns = sampled_busy_ns(b->cost_weight + b->taken_out_weight, r->event, &profiled);
	double out = taken_out_part(b, r->variants[b->block->variant].stage);

	b->sampled_busy_pct = 100 * sampled_ns / profiled.busy_ns;
	b->busy_ns = base.busy_ns;
	if (isnan(base.busy_ns)) {
		b->busy_ns = busy_part(sampled_ns, &profiled, cpus) * base.ns * cpus;
		profiled_busy_ns = busy_part(sampled_ns, &profiled, cpus) * profiled.ns * cpus;
	}
	weigh_cpus(b, r, &base, &profiled);
	b->packets = base.packets;
	b->span_ns = base.ns;
	b->pps = 1e9 * base.packets / base.ns;
	b->busy_pct = 100 * b->busy_ns / (base.ns * cpus);
	b->base_by_busy_ns = b->busy_ns * (1 - out) / base.packets;
	b->base_by_rate_ns = base.ns * cpus * (1 - out) / base.packets;
	b->base_ns = isnan(b->base_by_busy_ns) ? b->base_by_rate_ns : b->base_by_busy_ns;
	b->taken_out_ns = b->base_ns * out / (1 - out);
	b->counted_ns = counted_ns(b, cpus, out);
	if (isnan(profiled_busy_ns))
		profiled_busy_ns = profiled.ns * cpus;
	b->profiled_ns = profiled.packets > 0 ? profiled_busy_ns * (1 - out) / profiled.packets : NAN;
}

int block_measure(struct analysis_block *b, const struct block_source *source, size_t number, struct shares *out,
		  struct diag *d)
{
	int err = read_samples(b, source, number, out, d);

	if (!err)
		weigh_block(b, source->run);
	return err;
}
