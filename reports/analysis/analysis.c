// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/analysis.h"

/* Share of the mean base: a block that differs less is no outlier, even if the other blocks scatter still less. */
#define OUTLIER_FLOOR 0.01

bool analysis_sleeps(const struct analysis_variant *v)
{
	return v->busy_pct < ANALYSIS_SLEEPS_PCT && !run_variant_is_watched(v->variant);
}

/* Doubles alone lie from the first to the last of them. */
static void not_known(double *first, const double *last)
{
	for (size_t i = 0; i <= (size_t)(last - first); i++)
		first[i] = NAN;
}

void analysis_variant_init(struct analysis_variant *v, const struct analysis *of, const struct run_variant *variant)
{
	*v = (struct analysis_variant){.of = of, .variant = variant};
	not_known(&v->slow_factor, &v->placement_ns);
	not_known(&v->stage.ns, &v->stage.missing);
	not_known(&v->slab.fast_ns, &v->slab.slow_pct);
	not_known(&v->wakeups.poll_ns, &v->wakeups.full_half_ns);
	v->program = (struct made_program){.instructions = -1, .bytes = -1};
}

void analysis_block_init(struct analysis_block *b, const struct run_block *block)
{
	*b = (struct analysis_block){.block = block};
	not_known(&b->packets, &b->z);
}

void analysis_ci95(double mean, double half, double ci95[2])
{
	ci95[0] = isnan(mean - half) ? NAN : fmax(0, mean - half); /* fmax(0, NAN) would be 0 */
	ci95[1] = mean + half;
}

static bool has_base(const struct analysis_block *b)
{
	return b->packets > 0 && isfinite(b->base_ns) && b->base_ns > 0;
}

int variant_list_used(struct analysis_variant *v)
{
	v->used = calloc(v->nblocks + 1, sizeof(struct analysis_block *));
	if (!v->used)
		return -ENOMEM;
	for (size_t i = 0; i < v->nblocks; i++) {
		if (v->blocks[i].fate != FATE_USED)
			continue;
		v->blocks[i].used_index = v->nused;
		v->used[v->nused++] = &v->blocks[i];
	}
	return 0;
}

struct made analysis_made(const struct analysis_variant *v)
{
	const struct run_facts *facts = &v->of->run->facts;

	return (struct made){facts->compiler, facts->kernel, v->program};
}

static int measure_blocks(struct analysis_variant *v, size_t number, struct block_source *source, struct shares *s,
			  struct diag *d)
{
	const struct run *r = source->run;
	struct analysis_variant *task;
	size_t n = 0;
	const struct run_block *b;
	int err = 0;

	for (size_t i = 0; i < r->nblocks; i++)
		n += r->blocks[i].variant == number;
	v->blocks = calloc(n + 1, sizeof(*v->blocks));
	if (!v->blocks || variant_begin_task(v, n, r, s))
		return diag_set(d, -ENOMEM, "out of memory");
	task = v->stage.task;
	for (size_t i = 0; i < r->nblocks && !err; i++) {
		if (r->blocks[i].variant != number)
			continue;
		analysis_block_init(&v->blocks[v->nblocks], &r->blocks[i]);
		err = block_measure(&v->blocks[v->nblocks], source, v->nblocks, s, d);
		v->nblocks++;
		if (!err && task) {
			struct analysis_block *of_task = &task->blocks[task->nblocks];

			analysis_block_init(of_task, v->blocks[task->nblocks].block);
			err = block_measure_task(of_task, source, task->nblocks++, s->task, d);
		}
		if (!err)
			variant_look_up_stalls(v, source, &r->blocks[i]);
	}
	if (v->nblocks) {
		b = v->blocks[0].block;
		snprintf(v->program.tag, sizeof(v->program.tag), "%s", b->prog_tag);
		v->program.instructions = b->prog_instructions;
		v->program.bytes = b->prog_bytes;
	}
	for (size_t i = 0; i < v->nblocks; i++)
		for (size_t k = 0; k < v->blocks[i].block->nwindows; k++)
			v->busy_estimated |= isnan(v->blocks[i].block->windows[k].busy_ns);
	return err;
}

static int finish_variant(struct analysis_variant *v, struct shares *s, const struct analysis *a,
			  const struct components *f)
{
	double refused = 0, given = 0, apart_ns = 0, n = 0, *z;
	int err = variant_list_used(v) ?: variant_add_base(v);

	if (err)
		return err;
	/*
	 * What the blocks of each place cost, and how far apart the CPUs were in the used ones; frames the device
	 * refused.
	 */
	for (size_t i = 0; i < v->nblocks; i++) {
		struct analysis_block *b = &v->blocks[i];
		struct placement_share *place = &v->shares[placement_of(&a->placement, b->block)];

		if (b->fate == FATE_NO_PACKETS || isnan(b->base_ns))
			continue;
		place->blocks++;
		place->base_ns += (b->base_ns - place->base_ns) / (double)place->blocks; /* running mean */
	}
	for (size_t i = 0; i < v->nused; i++) {
		const struct run_block *b = v->used[i]->block;

		for (int k = 0; k < 2; k++)
			if (!isnan(b->placement_ns[k])) {
				apart_ns += b->placement_ns[k];
				n++;
			}
		if (b->totals.gen_sent >= 0 && b->totals.gen_errors >= 0) {
			refused += (double)b->totals.gen_errors;
			given += (double)b->totals.gen_sent + (double)b->totals.gen_errors;
		}
	}
	v->placement_ns = n > 0 ? apart_ns / n : NAN;
	v->refused_pct = 100 * refused / given;
	z = calloc(v->nused + 1, sizeof(*z));
	err = variant_add_cpus(v);
	if (!err)
		err = z ? stats_modified_z(v->block_base_ns, v->nused, z) : -ENOMEM;
	for (size_t i = 0; i < v->nused && !err; i++) {
		v->used[i]->z = z[i];
		v->used[i]->outlier = v->nused >= ANALYSIS_BLOCKS && fabs(z[i]) > STATS_OUTLIER &&
				      fabs(v->used[i]->base_ns / v->base_ns - 1) > OUTLIER_FLOOR;
	}
	free(z);
	if (!err)
		err = variant_add_windows(v) ?: variant_add_rows(v, s, f);
	if (!err)
		err = variant_add_counters(v) ?: variant_add_events(v);
	if (!err && s->keep_profiles)
		err = variant_add_stacks(v, s, f);
	if (!err)
		err = variant_add_stage(v);
	variant_add_sending(v);
	variant_add_tracers(v);
	if (!err)
		err = variant_add_task(v, s, f);
	return err ? err : variant_add_gates(v, a);
}

/* Slow blocks are found among those of all variants, so they are all measured before one is finished. */
int analysis_finish(struct analysis *a, struct shares *shares, const struct components *f)
{
	int err;

	/*
	 * If any block of a variant that has a base has samples too, its blocks without samples are not used. Those
	 * that are not in the reference stratum are left out, unless too few blocks would remain.
	 */
	for (size_t i = 0; i < a->nvariants; i++) {
		struct analysis_variant *v = &a->variants[i];
		bool has_samples = false;
		size_t sound = 0, alike = 0;

		for (size_t k = 0; k < v->nblocks; k++)
			has_samples |= has_base(&v->blocks[k]) && v->blocks[k].samples;
		for (size_t k = 0; k < v->nblocks; k++) {
			struct analysis_block *b = &v->blocks[k];

			b->fate = !has_base(b)                 ? FATE_NO_PACKETS
				  : has_samples && !b->samples ? FATE_NO_SAMPLES
							       : FATE_USED;
			sound += b->fate == FATE_USED;
			alike += b->fate == FATE_USED && placement_takes(&a->placement, b->block);
		}
		v->strata_mixed = alike < PLACEMENT_BLOCKS && alike < sound;
		for (size_t k = 0; k < v->nblocks && !v->strata_mixed; k++)
			if (v->blocks[k].fate == FATE_USED && !placement_takes(&a->placement, v->blocks[k].block))
				v->blocks[k].fate = FATE_ELSEWHERE;
	}
	err = slow_blocks_judge(a);
	for (size_t i = 0; i < a->nvariants && !err; i++)
		err = finish_variant(&a->variants[i], &shares[i], a, f);
	return err;
}

static int build_variants(struct analysis *a, struct block_source *source, struct diag *d)
{
	size_t n = source->run->nvariants;
	struct shares *shares = calloc(n + 1, sizeof(*shares));
	int err = 0;

	a->variants = calloc(n + 1, sizeof(*a->variants));
	if (!a->variants || !shares) {
		free(shares);
		return diag_set(d, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < n && !err; i++) {
		shares[i].keep_profiles = a->options.stacks;
		analysis_variant_init(&a->variants[i], a, &source->run->variants[i]);
		a->variants[i].takes_turns =
			source->run->view != RUN_VIEW_BLOCKS && source->run->view != RUN_VIEW_WATCH;
		if (a->speed.variants) {
			a->variants[i].reference_ns = a->speed.variants[i].reference_ns;
			a->variants[i].slope = a->speed.variants[i].k;
			a->variants[i].slope_half = a->speed.variants[i].k_half;
		}
		a->nvariants++; /* to be released from now on */
		variant_find_stalls(&a->variants[i], source);
		err = measure_blocks(&a->variants[i], i, source, &shares[i], d);
	}
	if (!err && analysis_finish(a, shares, source->components))
		err = diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		shares_release(&shares[i]);
	script_samples_release(&source->samples);
	free(shares);
	return err;
}

int analysis_build(struct analysis *a, const struct run *r, const char *dir, const struct components *f,
		   const struct analysis_options *o, struct diag *d)
{
	struct block_source source = {.run = r, .dir = dir, .components = f};
	struct run_turns turns = {};
	int err;

	*a = (struct analysis){.run = r, .options = *o};
	quality_limits_derive(&a->options.limits, r->overhead_budget_pct);
	err = placement_build(&a->placement, r, o->placement, o->placement_like_ns, d)
		      ?: analysis_read_turns(&turns, r, dir, d);
	if (!err && o->placement != PLACEMENT_ALL &&
	    speed_judge(&a->speed, &turns, r->nvariants, r->view == RUN_VIEW_WORK ? SPEED_GENERATOR : SPEED_VARIANTS))
		err = diag_set(d, -ENOMEM, "out of memory");
	source.turns = a->speed.known ? &turns : NULL;
	source.speed = &a->speed;
	if (!err)
		err = build_variants(a, &source, d);
	for (size_t i = 0; i < a->nvariants && !err; i++)
		if (variant_add_turns(&a->variants[i], &turns))
			err = diag_set(d, -ENOMEM, "out of memory");
	turns_release(&turns);
	bool complete = !strcmp(r->ended, "complete");
	bool whole = complete || !strcmp(r->ended, "time limit"); /* fewer blocks, as somebody asked for */
	int load_cpu = r->facts.load_cpu;
	double shared = 0;
	if (!err)
		quality_add(&a->quality, &a->options.limits, QUALITY_ENDED, "", whole ? 0 : 1, "%s",
			    complete ? "" : r->ended);
	for (size_t i = 0; i < r->nrx_cpus; i++)
		shared += load_cpu == r->rx_cpus[i];
	if (!err && r->view != RUN_VIEW_WORK) /* there on purpose, and the generator's part is not in the base */
		quality_add(&a->quality, &a->options.limits, QUALITY_APART, "", load_cpu < 0 ? NAN : shared, "%s", "");
	if (!err && a->quality.err)
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err)
		analysis_release(a);
	return err;
}

static void rows_release_all(struct analysis_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].name);
		free((char *)rows[i].dso);
		free(rows[i].block_ns);
		free(rows[i].block_share);
	}
	free(rows);
}

void variant_release(struct analysis_variant *v)
{
	if (v->stage.task)
		variant_release(v->stage.task);
	free(v->stage.task);
	rows_release_all(v->symbols, v->nsymbols);
	rows_release_all(v->components, v->ncomponents);
	rows_release_all(v->tags, v->ntags);
	rows_release_all(v->lines, v->nlines);
	free(v->cpus);
	free(v->counters);
	for (size_t i = 0; i < v->nevents; i++)
		free(v->events[i].block_values);
	free(v->events);
	free(v->used);
	free(v->block_base_ns);
	free(v->block_injected_ns);
	free(v->block_sum_ns);
	stacks_release(&v->stacks);
	for (size_t i = 0; i < v->nblocks; i++) {
		free(v->blocks[i].group_ns);
		free(v->blocks[i].group_injected_ns);
	}
	free(v->blocks);
	quality_release(&v->quality);
}

void analysis_release(struct analysis *a)
{
	for (size_t i = 0; i < a->nvariants; i++)
		variant_release(&a->variants[i]);
	free(a->variants);
	speed_release(&a->speed);
	quality_release(&a->quality);
	memset(a, 0, sizeof(*a));
}

double analysis_sum_rows(const struct analysis_row *rows, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].self_ns;
	return sum;
}

const struct analysis_variant *analysis_find(const struct analysis *a, const char *id, struct diag *d)
{
	char known[384] = "";

	for (size_t i = 0; i < a->nvariants; i++) {
		if (!strcmp(a->variants[i].variant->id, id))
			return &a->variants[i];
		listed_add(known, sizeof(known), " ", "%s", a->variants[i].variant->id);
	}
	diag_set(d, -ENOENT, "the run has no variant \"%.64s\"; it has: %s", id, known);
	return NULL;
}
