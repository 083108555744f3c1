// SPDX-License-Identifier: GPL-2.0-or-later
/* One block: the sums of its windows and the shares of its samples. */
#include "reports/analysis/analysis.h"

/* Its periods are ns, and its timer cannot fire while interrupts are off. */
static bool is_clock(const char *event)
{
	return !strncmp(event, "cpu-clock", 9) || !strncmp(event, "task-clock", 10);
}

struct block_span block_span_of(const struct run_block *b, enum run_window_kind kind, bool of_task)
{
	struct block_span s = {.freq_khz = NAN};

	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];

		if (w->kind != kind)
			continue;
		s.packets += of_task && w->consumer_packets >= 0 ? (double)w->consumer_packets : run_window_packets(w);
		s.ns += of_task ? (double)(w->to_ns - w->from_ns) : run_window_ns(w);
		s.busy_ns += of_task ? w->consumer_busy_ns : w->busy_ns;
		s.softirq_ns += w->softirq_ns;
		s.injected_ns += w->injected_ns;
		if (!of_task && !isnan(w->freq_khz))
			s.freq_khz = w->freq_khz;
	}
	return s;
}

/*
 * Takes the sums anew, of turns without stalls, each at the median speed. Returns the busy time of a packet in the same
 * turns as it was.
 */
static double rule_turns(struct block_span *s, const struct block_source *source, const struct run_block *b,
			 enum run_window_kind kind)
{
	bool wall = source->run->view != RUN_VIEW_WORK;
	enum turn_use use = kind == RUN_PROFILE ? TURN_PROFILE : TURN_BASE;
	double was_ns = 0, injected_ns = 0, packets = s->packets;

	s->packets = s->ns = s->busy_ns = 0;
	/* where the turns of the round begin, or where they would be */
	size_t low = 0, high = source->turns->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((int)source->turns->list[middle].round < b->round)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i < source->turns->n; i++) {
		const struct run_turn *t = &source->turns->list[i];
		double factor;

		if ((int)t->round != b->round)
			break;
		if (t->variant != b->variant || t->use != use ||
		    speed_sets_aside(source->speed, t->start_ns, t->start_ns + t->wall_ns))
			continue;
		factor = speed_factor(source->speed, b->variant, t->start_ns);
		s->packets += t->packets;
		s->ns += (wall ? t->wall_ns : t->own_ns) / factor;
		s->busy_ns += t->own_ns / factor;
		injected_ns += speed_injected_ns(source->speed, t);
		was_ns += t->own_ns;
	}
	/* turns whose clock did not read the injection know its mean alone */
	s->injected_ns = injected_ns > 0 ? injected_ns : s->injected_ns * s->packets / packets;
	return was_ns / s->packets;
}

static int add_share(struct shares *s, const struct weight_row *row, const struct weights *w, const struct profile *p,
		     const struct components *f, size_t number)
{
	const struct profile_symbol *y = &p->symbols[row->symbol];
	struct share *new = array_add(&s->list, &s->n, sizeof(*new));
	uint64_t samples = row->samples;

	if (!new)
		return -ENOMEM;
	/* Without perf's column of them, the row's part of all samples, which is at least one. */
	if (!samples && row->self > 0)
		samples = (uint64_t)fmax(1, round(row->self / w->busy * (double)w->samples));
	*new = (struct share){
		.name = strdup(y->name),
		.dso = strdup(y->dso),
		.component = row->component,
		.block = number,
		.samples = samples,
		.irqs_off = row->irqs_off,
		.tags = components_tags_of_symbol(f, p, row->symbol),
		.weight = isnan(row->self) ? 0 : row->self,
		.children_weight = row->children,
	};
	return new->name &&new->dso ? 0 : -ENOMEM;
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
	shares_free(s->task);
	shares_free(s->lines);
	memset(s, 0, sizeof(*s));
}

/* Adds the weights and shares of one CPU's or one task's profile. */
static int add_profile(struct analysis_block *b, const struct profile *p, const struct components *f, size_t number,
		       struct shares *out, struct diag *d)
{
	struct weights w;
	int err;

	if (!p->samples)
		return 0;
	err = weights_build(&w, p, f, NULL);
	b->absent_part = w.absent > 0 ? w.absent : 0;
	b->idle_weight += w.idle;
	b->excluded_weight += w.excluded;
	if (err == -EINVAL) /* no stack of the profile is a cost */
		return 0;
	if (err)
		return diag_set(d, err, "block %d: %s", b->block->index, strerror(-err));
	b->samples += w.samples;
	b->cost_weight += w.busy;
	for (size_t i = 0; i < w.nrows && !err; i++)
		err = add_share(out, &w.rows[i], &w, p, f, number);
	if (!err)
		err = block_add_lines(out, p, number);
	weights_release(&w);
	return err ? diag_set(d, err, "out of memory") : 0;
}

/* Adds what the filter keeps of the block's samples, or the one profile of a perf report. */
static int add_picked(struct analysis_block *b, struct block_source *source, const struct script_filter *filter,
		      size_t number, struct shares *out, struct diag *d)
{
	struct block_profile *kept = NULL;
	struct profile p;
	int err = 0;

	if (source->samples.profile.nrows) {
		p = source->samples.profile;
		source->samples.profile = (struct profile){};
	} else {
		err = script_pick(&p, &source->samples, filter, d);
	}
	if (err)
		return err;
	if (is_clock(source->run->event) && components_strip_enablers(source->components, &p))
		err = diag_set(d, -ENOMEM, "out of memory");
	else
		err = add_profile(b, &p, source->components, number, out, d);
	if (!err && out->keep_profiles)
		kept = array_add(&out->profiles, &out->nprofiles, sizeof(*kept));
	if (kept)
		*kept = (struct block_profile){p, number};
	else
		profile_release(&p);
	return err || kept || !out->keep_profiles ? err : diag_set(d, -ENOMEM, "out of memory");
}

/* Its profiled windows; the caller frees f->spans. */
static int analysis_block_filter(struct script_filter *f, const struct run_block *b, const struct speed *speed,
				 size_t variant, struct diag *d)
{
	struct script_span *spans =
		calloc(b->nwindows + (speed ? speed->nspans + speed->nintervals : 0) + 1, sizeof(*spans));

	if (!spans)
		return diag_set(d, -ENOMEM, "out of memory");
	f->spans = spans;
	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];

		/* Samples stand for the time that their packets take at the median speed; stalls are left out. */
		for (uint64_t from_ns = w->from_ns, to_ns; w->kind == RUN_PROFILE && from_ns < w->to_ns;
		     from_ns = to_ns) {
			uint64_t end_ns = speed ? speed_interval_end(speed, from_ns) : UINT64_MAX, start_ns = from_ns;
			double part = speed ? 1 / speed_factor(speed, variant, from_ns) : 1;

			to_ns = end_ns < w->to_ns ? end_ns : w->to_ns;
			for (size_t k = 0; speed && k < speed->nspans; k++) {
				const struct speed_span *aside = &speed->spans[k];

				if (aside->to_ns <= start_ns || aside->from_ns >= to_ns)
					continue;
				if (aside->from_ns > start_ns)
					spans[f->nspans++] = (struct script_span){start_ns, aside->from_ns, part};
				start_ns = aside->to_ns;
			}
			if (start_ns < to_ns)
				spans[f->nspans++] = (struct script_span){start_ns, to_ns, part};
		}
	}
	return 0;
}

/* Reads the block's script, once, and checks its seal on the way. It is empty where perf took no sample. */
static int read_script(struct script_samples *samples, const struct run_block *b, const struct block_source *source,
		       const struct script_filter *filter, struct diag *d)
{
	struct run_sealed sealed;
	struct diag why = {""};
	char path[4096];
	int err, changed, first;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", source->dir, b->script);
	err = foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, d) ?: run_sealed_begin(&sealed, in, d);
	if (err)
		return err;
	first = getc(sealed.text);
	if (first != EOF || ferror(sealed.text)) {
		ungetc(first, sealed.text);
		/* the text of perf script or, where shares are all that is wanted, of perf report */
		const struct text_pick all = {.cpu = -1, .event = filter->event};
		struct linescan lines = {.in = sealed.text};
		const char *text;
		size_t len;

		err = linescan_peek(&lines, &text, &len, &why);
		if (!err && !source->run->nnapi_tids && !source->run->nrx_cpus &&
		    text_kind_guess(text, len) == TEXT_REPORT)
			err = report_read(&samples->profile, &lines, &all, &why);
		else if (!err)
			err = script_keep(samples, &lines, filter, &why);
		linescan_release(&lines);
	}
	changed = run_sealed_end(&sealed, b, path, d);
	if (changed)
		return changed;
	return err ? diag_set(d, err, "%s: %s", path, why.text) : 0;
}

/* Adds the receiver's samples: those of its NAPI threads, or, if it has none, all samples of its CPUs. */
static int analysis_block_add_samples(struct analysis_block *b, struct block_source *source, size_t number,
				      struct shares *out, struct diag *d)
{
	const struct run *r = source->run;
	struct script_filter filter = {.cpu = -1, .tid = -1, .event = run_chosen_event(r)};
	int err;

	b->shares_only = !r->nnapi_tids && !r->nrx_cpus;
	if (!b->block->script[0])
		return 0;
	if (b->shares_only)
		return add_picked(b, source, &filter, number, out, d);
	err = analysis_block_filter(&filter, b->block, source->turns ? source->speed : NULL, b->block->variant, d);
	for (size_t i = 0; i < r->nnapi_tids && !err; i++) {
		filter.tid = r->napi_tids[i];
		err = add_picked(b, source, &filter, number, out, d);
	}
	for (size_t i = 0; i < r->nrx_cpus && !r->nnapi_tids && !err; i++) {
		double before = b->cost_weight + b->excluded_weight;

		filter.cpu = r->rx_cpus[i];
		filter.not_tid = b->block->consumer_tid > 0 ? b->block->consumer_tid : 0;
		err = add_picked(b, source, &filter, number, out, d);
		b->cpu_weight[i] = b->cost_weight + b->excluded_weight - before;
	}
	free((void *)filter.spans);
	return err;
}

/*
 * Busy time in the profiled windows, computed from the weight of the samples. NaN: there are no samples, or the weight
 * is in cycles and the frequency is not known.
 */
static double sampled_busy_ns(double weight, const char *event, const struct block_span *profiled)
{
	if (!(weight > 0))
		return NAN;
	if (is_clock(event))
		return weight;
	return weight / profiled->freq_khz * 1e6; /* cycles / (kHz / 1e6 ns) */
}

/* The part of the profiled windows in which the CPUs worked, by their samples; NaN: sampled_ns is not known. */
static double busy_part(double sampled_ns, const struct block_span *profiled, double cpus)
{
	return sampled_ns / (profiled->ns * cpus); /* may come out above 1; cut off, its mean would be too low */
}

/* How the samples' weight becomes ns; busy_ns: of the profiled windows, with what is taken out. */
static void scale_samples(struct analysis_block *b, const char *event, const struct block_span *profiled,
			  double busy_ns)
{
	bool cycles = !strncmp(event, "cycles", 6) || !strncmp(event, "cpu-cycles", 10) || strstr(event, "/cycles");
	double weight = b->cost_weight + b->excluded_weight;

	b->profiled_packets = profiled->packets;
	b->scale = !event_is_time(event)              ? SCALE_SHARES
		   : b->shares_only                   ? SCALE_BUSY
		   : is_clock(event)                  ? SCALE_TIME
		   : cycles && profiled->freq_khz > 0 ? SCALE_FREQUENCY
						      : SCALE_BUSY;
	b->ns_per_weight = b->scale == SCALE_TIME        ? 1
			   : b->scale == SCALE_FREQUENCY ? 1e6 / profiled->freq_khz
							 : busy_ns / weight;
	b->sum_ns = weight > 0 ? b->cost_weight * b->ns_per_weight / b->profiled_packets : NAN;
}

/*
 * The part of the busy time that is not the variant's work and is taken out of its cost.
 * - The samples decide whether there is such work at all. With a device as second stage there always is: the device is
 *   polled in the receiver's thread.
 * - The size of the part comes from the probe windows, whose clock has no sampling error.
 * - Without probe windows, the size comes from the samples.
 */
static double excluded_part(const struct analysis_block *b, enum run_stage stage)
{
	struct block_span probe = block_span_of(b->block, RUN_PROBE, false);
	double ran = b->cost_weight + b->excluded_weight;
	double by_clock = probe.softirq_ns / probe.busy_ns;

	if (!(b->excluded_weight > 0) && stage != RUN_STAGE_DEVICE)
		return 0;
	return by_clock > 0 && by_clock < 1 ? by_clock : ran > 0 ? b->excluded_weight / ran : 0;
}

/* Cost of a packet in the windows of perf stat: by busy time where it is known, else by the rate. NaN: not known. */
static double counted_ns(const struct analysis_block *b, double cpus, double out)
{
	struct block_span counted = block_span_of(b->block, RUN_COUNT, false);

	if (!(counted.packets > 0) || b->shares_only)
		return NAN;
	return (isnan(counted.busy_ns) ? counted.ns * cpus : counted.busy_ns) * (1 - out) / counted.packets;
}

static void weigh_block(struct analysis_block *b, const struct block_source *source)
{
	const struct run *r = source->run;
	struct block_span base = block_span_of(b->block, RUN_BASE, false);
	struct block_span profiled = block_span_of(b->block, RUN_PROFILE, false);
	double cpus = r->nrx_cpus ? (double)r->nrx_cpus : 1, profiled_busy_ns, sampled_ns;
	double weight = b->shares_only ? 0 : b->cost_weight + b->excluded_weight;
	double out = excluded_part(b, r->variants[b->block->variant].stage);

	b->all_ns = (isnan(base.busy_ns) ? base.ns : base.busy_ns) / base.packets;
	if (source->turns) {
		/* Both become those at the median speed. What sampling takes is in them no more, so it is noted. */
		double base_ns = rule_turns(&base, source, b->block, RUN_BASE);

		b->slower_profiled = rule_turns(&profiled, source, b->block, RUN_PROFILE) / base_ns;
	}
	profiled_busy_ns = profiled.busy_ns;
	sampled_ns = sampled_busy_ns(weight, r->event, &profiled);

	b->sampled_busy_pct = 100 * sampled_ns / profiled.busy_ns;
	b->busy_ns = base.busy_ns;
	if (isnan(base.busy_ns)) {
		b->busy_ns = busy_part(sampled_ns, &profiled, cpus) * base.ns * cpus;
		profiled_busy_ns = busy_part(sampled_ns, &profiled, cpus) * profiled.ns * cpus;
	}
	/*
	 * Busy time of each CPU: from the kernel's clock where kthreads do the work, else from the samples of the CPU.
	 */
	for (size_t i = 0; i < r->nrx_cpus; i++) {
		double sampled = sampled_busy_ns(b->cpu_weight[i], r->event, &profiled), clock = 0;

		for (size_t k = 0; k < b->block->nwindows; k++) {
			const struct run_window *w = &b->block->windows[k];
			size_t c = 0;

			while (c < w->ncpus && w->cpus[c].cpu != r->rx_cpus[i])
				c++;
			if (w->kind == RUN_BASE)
				clock += c < w->ncpus ? w->cpus[c].busy_ns : NAN;
		}
		b->cpu_busy_ns[i] = r->nrx_cpus == 1 ? b->busy_ns
				    : r->nnapi_tids  ? clock
						     : busy_part(sampled, &profiled, 1) * base.ns;
	}
	b->all_ns *= 1 - out;
	b->packets = base.packets;
	b->injected_ns = base.injected_ns;
	b->span_ns = base.ns;
	b->pps = 1e9 * base.packets / base.ns;
	b->busy_pct = 100 * b->busy_ns / (base.ns * cpus);
	b->base_by_busy_ns = b->busy_ns * (1 - out) / base.packets;
	b->base_by_rate_ns = base.ns * cpus * (1 - out) / base.packets;
	b->base_ns = b->base_by_busy_ns;
	/* A device that is watched need not be busy: packets that come seldom are not dear. */
	if (isnan(b->base_ns) && r->view != RUN_VIEW_WATCH)
		b->base_ns = b->base_by_rate_ns;
	b->excluded_ns = b->base_ns * out / (1 - out);
	b->counted_ns = counted_ns(b, cpus, out);
	if (isnan(profiled_busy_ns))
		profiled_busy_ns = profiled.ns * cpus;
	b->profiled_ns =
		profiled.packets > 0 && !b->shares_only ? profiled_busy_ns * (1 - out) / profiled.packets : NAN;
	if (r->view == RUN_VIEW_WATCH) /* there was no time without samples, so what they cost is not known */
		b->profiled_ns = NAN;
	if (isnan(b->slower_profiled))
		b->slower_profiled = b->profiled_ns / b->base_ns;
	scale_samples(b, r->event, &profiled, profiled_busy_ns);
	if (r->view == RUN_VIEW_WATCH && profiled.packets > 0 &&
	    !(weight > 0)) /* hardly busy, and sampled all the time */
		b->ns_per_weight = b->sum_ns = b->sampled_busy_pct = 0;
}

int block_measure(struct analysis_block *b, struct block_source *source, size_t number, struct shares *out,
		  struct diag *d)
{
	/* all samples of the event in the profiled windows; those of the receiver are picked from them */
	struct script_filter filter = {.cpu = -1, .tid = -1, .event = run_chosen_event(source->run)};
	int err;

	script_samples_release(&source->samples);
	err = (!source->run->nnapi_tids && !source->run->nrx_cpus)
		      ? 0
		      : analysis_block_filter(&filter, b->block, NULL, 0, d);
	if (!err && b->block->script[0])
		err = read_script(&source->samples, b->block, source, &filter, d);
	free((void *)filter.spans);
	if (!err)
		err = analysis_block_add_samples(b, source, number, out, d);

	if (!err)
		weigh_block(b, source);
	return err;
}

int block_measure_task(struct analysis_block *b, struct block_source *source, size_t number, struct shares *out,
		       struct diag *d)
{
	const struct run_block *block = b->block;
	struct block_span base = block_span_of(block, RUN_BASE, true);
	struct block_span profiled = block_span_of(block, RUN_PROFILE, true);
	struct script_filter filter = {.cpu = -1, .tid = block->consumer_tid};
	int err = analysis_block_filter(&filter, block, NULL, 0, d);

	if (!err && block->script[0] && block->consumer_tid > 0)
		err = add_picked(b, source, &filter, number, out, d);
	free((void *)filter.spans);
	b->packets = base.packets;
	b->span_ns = base.ns;
	b->busy_ns = base.busy_ns;
	b->base_ns = b->base_by_busy_ns = base.busy_ns / base.packets;
	b->profiled_ns = profiled.busy_ns / profiled.packets;
	b->slower_profiled = b->profiled_ns / b->base_ns;
	b->sampled_busy_pct = 100 * sampled_busy_ns(b->cost_weight, source->run->event, &profiled) / profiled.busy_ns;
	scale_samples(b, source->run->event, &profiled, profiled.busy_ns);
	return err;
}
