// SPDX-License-Identifier: GPL-2.0-or-later
/* How the cost of a packet is spread over the single turns of a variant, or over the single windows of its blocks. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include "reports/analysis/analysis.h"

#define LEAST_PART 0.05 /* of the values, in each of two groups */
#define LEAST_STEP 1.05

static const double analysis_turn_quantiles[ANALYSIS_TURN_QUANTILES] = {0.01, 0.25, 0.5, 0.75, 0.99}; /* parts of 1 */

static bool is_of(const struct analysis_variant *v, const struct run_turn *t)
{
	return t->variant < v->of->run->nvariants && &v->of->run->variants[t->variant] == v->variant && t->packets;
}

/* The part of a block's busy time that is the variant's own: the rest is what is taken out. */
static double own_part(const struct analysis_block *b)
{
	double part = b->base_by_busy_ns * b->packets / b->busy_ns;

	return isfinite(part) ? part : 1;
}

size_t variant_windows(const struct analysis_variant *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nblocks; i++)
		n += v->blocks[i].block->nwindows;
	return n;
}

/* ns[]: what a packet cost in each turn, in ascending order; scratch: room for n values. */
static void turns_spread(struct analysis_turns *t, const double *ns, size_t n, double *scratch)
{
	double from, width;

	t->n = n;
	for (size_t i = 0; i < ANALYSIS_TURN_QUANTILES && n; i++)
		t->ns[i] = gsl_stats_quantile_from_sorted_data(ns, 1, n, analysis_turn_quantiles[i]);
	t->longest_ns = n ? ns[n - 1] : NAN;
	t->mode_ns[0] = t->mode_ns[1] = t->slower_pct = NAN;
	from = t->ns[0];
	width = (t->ns[ANALYSIS_TURN_QUANTILES - 1] - from) / ANALYSIS_TURN_BINS;
	for (size_t i = 0; i < n && width > 0; i++) {
		double bin = floor((ns[i] - from) / width);

		if (bin >= 0 && bin < ANALYSIS_TURN_BINS)
			t->bins[(size_t)bin]++;
	}
	/*
	 * The values may not be below 0, and a few far ones are no group: they would make the scatter of one too wide.
	 */
	size_t off = n / 100, near = n - 2 * off, at;
	if (n < SPEED_INTERVALS_ENOUGH || !(ns[off] > 0))
		return;
	for (size_t i = 0; i < near; i++)
		scratch[i] = log(ns[off + i]);
	at = speed_cut(scratch, near, LEAST_STEP);
	if ((double)at < LEAST_PART * (double)near || (double)(near - at) < LEAST_PART * (double)near)
		return;
	t->mode_ns[0] = gsl_stats_median_from_sorted_data(ns + off, 1, at);
	t->mode_ns[1] = gsl_stats_median_from_sorted_data(ns + off + at, 1, near - at);
	t->slower_pct = 100 * (double)(near - at) / (double)near;
}

/* ---- stalls ------------------------------------------------------------------------------------------ */

/* Only profiled turns have samples. */
void variant_look_up_stalls(struct analysis_variant *v, const struct block_source *source, const struct run_block *b)
{
	for (size_t i = 0; i < v->turns.nstalls && source->samples.n; i++) {
		const struct run_turn *t = source->stalls[i];
		struct script_span span = {t->start_ns, t->start_ns + t->wall_ns};
		struct script_filter filter = {.spans = &span, .nspans = 1, .cpu = -1, .tid = -1};
		struct analysis_stall *stall = &v->turns.stalls[i];
		struct profile p;

		if ((int)t->round != b->round || t->use != TURN_PROFILE)
			continue;
		stall->sampled = !script_pick(&p, &source->samples, &filter, NULL);
		/* What ran is the leaf of most samples. */
		double *weights = calloc(p.nsymbols + 1, sizeof(*weights)), most = 0;
		if (stall->sampled)
			stall->samples = (size_t)p.samples;
		for (size_t k = 0; k < p.nstacks && weights && stall->sampled; k++) {
			uint32_t leaf = p.frames[p.stacks[k].first];

			weights[leaf] += p.stacks[k].weight;
			if (weights[leaf] > most) {
				most = weights[leaf];
				snprintf(stall->ran, sizeof(stall->ran), "%s", p.symbols[leaf].name);
			}
		}
		free(weights);
		profile_release(&p);
	}
}

void variant_find_stalls(struct analysis_variant *v, struct block_source *source)
{
	const struct run_turns *turns = source->turns;
	const struct speed *s = &v->of->speed;

	for (size_t i = 0; turns && i < turns->n && s->stall_ns > 0; i++) {
		const struct run_turn *t = &turns->list[i];
		double longer_ns = is_of(v, t) ? speed_longer_ns(s, t) : NAN;
		struct analysis_turns *kept = &v->turns;
		size_t at = kept->nstalls;

		/* keeps the longest ones, longest first */
		if (!(longer_ns > s->stall_ns))
			continue;
		if (at == ANALYSIS_TURN_STALLS && kept->stalls[at - 1].longer_ns >= longer_ns)
			continue;
		if (at < ANALYSIS_TURN_STALLS)
			kept->nstalls++;
		else
			at--;
		for (; at && kept->stalls[at - 1].longer_ns < longer_ns; at--) {
			kept->stalls[at] = kept->stalls[at - 1];
			source->stalls[at] = source->stalls[at - 1];
		}
		kept->stalls[at] = (struct analysis_stall){.longer_ns = longer_ns};
		source->stalls[at] = t;
	}
	for (size_t i = 0; i < v->turns.nstalls; i++)
		v->turns.stalls[i].at_s = (double)(source->stalls[i]->start_ns - turns->list[0].start_ns) / 1e9;
}

/* ---- groups of turns ---------------------------------------------------------------------------------- */

#define TURNS_OF_EACH 2 /* of each variant in a group (turn_order.h) */

/* turns[0..n): those of the block's round. */
static int add_groups(const struct analysis_variant *v, struct analysis_block *b, const struct run_turn *turns,
		      size_t n)
{
	double part = b->base_ns * b->packets / b->busy_ns; /* without what is taken out */
	size_t group = TURNS_OF_EACH * v->of->run->nvariants;

	b->ngroups = n / group;
	b->group_ns = calloc(b->ngroups + 1, sizeof(*b->group_ns));
	b->group_injected_ns = calloc(b->ngroups + 1, sizeof(*b->group_injected_ns));
	if (!b->group_ns || !b->group_injected_ns)
		return -ENOMEM;
	for (size_t i = 0; i < b->ngroups * group; i++) {
		const struct run_turn *t = &turns[i];
		double ns;

		if (t->variant != b->block->variant)
			continue;
		b->group_injected_ns[i / group] +=
			t->packets ? speed_injected_ns(&v->of->speed, t) / t->packets / TURNS_OF_EACH : 0;
		ns = 1 / speed_factor(&v->of->speed, t->variant, t->start_ns) / t->packets / TURNS_OF_EACH;
		if (t->use != TURN_BASE || !t->packets ||
		    speed_sets_aside(&v->of->speed, t->start_ns, t->start_ns + t->wall_ns))
			b->group_ns[i / group] = NAN;
		else
			b->group_ns[i / group] += part * ns * t->own_ns;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return ORDER(x, y);
}

int analysis_read_turns(struct run_turns *turns, const struct run *r, const char *dir, struct diag *d)
{
	struct diag why = {""};
	uint64_t *numbers;
	int err = turns_read(turns, dir, &why);

	if (err)
		return err == -ENOENT ? 0 : diag_set(d, err, "%s", why.text);
	/*
	 * Each variant has one block in a round. What is made of turns takes time and memory for each variant, and for
	 * each block those of its round, so a file of other turns than a recorder's could take any amount of both.
	 */
	err = 0;
	if (turns->n && r->nvariants > TURNS_MAX_VARIANTS)
		err = diag_set(d, -EINVAL, "%s: turns of %zu variants; more than %d take none", dir, r->nvariants,
			       TURNS_MAX_VARIANTS);
	numbers = calloc(r->nblocks + 1, sizeof(*numbers));
	if (!err && !numbers)
		err = diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < r->nblocks && turns->n && !err; i++)
		numbers[i] = (uint64_t)(uint32_t)r->blocks[i].round << 32 | r->blocks[i].variant;
	if (numbers)
		qsort(numbers, r->nblocks, sizeof(*numbers), by_number);
	for (size_t i = 1; i < r->nblocks && turns->n && !err; i++)
		if (numbers[i] == numbers[i - 1])
			err = diag_set(d, -EINVAL, "%s: a variant has two blocks in round %" PRIu64 " of turns", dir,
				       numbers[i] >> 32);
	free(numbers);
	if (err)
		turns_release(turns);
	return err;
}

int variant_add_turns(struct analysis_variant *v, const struct run_turns *turns)
{
	size_t room = turns->n + variant_windows(v) + 1, n = 0, at = 0;
	double *ns = calloc(room, sizeof(*ns)), *scratch = calloc(room, sizeof(*scratch));
	/* Blocks and turns are in the order of their rounds. */
	size_t from = 0, to;
	int err = 0;

	for (size_t i = 0; i < v->nblocks && !err; i++) {
		uint32_t round = (uint32_t)v->blocks[i].block->round;

		while (from < turns->n && turns->list[from].round < round)
			from++;
		for (to = from; to < turns->n && turns->list[to].round == round; to++)
			;
		if (to > from)
			err = add_groups(v, &v->blocks[i], turns->list + from, to - from);
	}

	if (ns && scratch) {
		v->turns.windows = !turns->n;
		/* What a packet cost in each turn, without what is taken out of its round. */
		for (size_t i = 0; i < turns->n; i++) {
			const struct run_turn *t = &turns->list[i];

			if (!is_of(v, t) || t->use != TURN_BASE)
				continue;
			while (at + 1 < v->nblocks && (uint32_t)v->blocks[at].block->round < t->round)
				at++;
			ns[n++] = own_part(&v->blocks[at]) * (double)t->own_ns / t->packets;
		}
		/* The same of windows whose busy time is known, in blocks at the placement that counts. */
		for (size_t i = 0; i < v->nblocks && !turns->n; i++) {
			const struct analysis_block *b = &v->blocks[i];

			for (size_t k = 0; k < b->block->nwindows && (b->fate == FATE_USED || b->fate == FATE_SLOW);
			     k++) {
				const struct run_window *w = &b->block->windows[k];

				if (w->kind == RUN_BASE && !isnan(w->busy_ns) && run_window_packets(w) > 0)
					ns[n++] = own_part(b) * w->busy_ns / run_window_packets(w);
			}
		}
		gsl_sort(ns, 1, n);
		turns_spread(&v->turns, ns, n, scratch);
	}
	free(ns);
	free(scratch);
	return ns && scratch ? err : -ENOMEM;
}
