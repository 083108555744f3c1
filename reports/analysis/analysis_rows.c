// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of one variant: shares of blocks -> cost per symbol and facility, with intervals. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reports/analysis/analysis_parts.h"

void row_release(struct analysis_row *row)
{
	free(row->name);
	free((char *)row->dso);
	free(row->block_ns);
}

static int compare_symbols(const struct share *a, const struct share *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->dso, b->dso);
}

static int by_symbol(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;
	int order = compare_symbols(a, b);

	if (!order)
		order = (a->facility > b->facility) - (a->facility < b->facility);
	return order ? order : (a->block > b->block) - (a->block < b->block);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct analysis_row *a = pa, *b = pb;

	if (a->self_ns != b->self_ns)
		return a->self_ns < b->self_ns ? 1 : -1;
	if (a->children_ns != b->children_ns && !isnan(a->children_ns) && !isnan(b->children_ns))
		return a->children_ns < b->children_ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Keeps the shares of used blocks, with their place in used[] as the block's number. */
static void keep_used(struct shares *s, const struct analysis_variant *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct analysis_block *b = &v->blocks[s->list[i].block];

		if (b->fate != FATE_USED) {
			free(s->list[i].name);
			free(s->list[i].dso);
			continue;
		}
		s->list[kept] = s->list[i];
		s->list[kept++].block = b->place;
	}
	s->n = kept;
}

static double relative_half(const struct analysis_variant *v)
{
	return isnan(v->half_ns) ? 0 : v->half_ns / v->base_ns;
}

void analysis_interval(const struct analysis_variant *v, double ns, double ci95_ns[2])
{
	double share[2], of_base = ns * relative_half(v);

	stats_wilson(fmin(1, ns / v->base_ns), v->n_eff, share);
	ci95_ns[0] = fmax(0, ns - hypot(ns - share[0] * v->base_ns, of_base));
	ci95_ns[1] = ns + hypot(share[1] * v->base_ns - ns, of_base);
}

/* With ANALYSIS_BLOCKS blocks or more, the interval of a row is at least as wide as the t interval over blocks. */
static void row_interval(struct analysis_row *row, const struct analysis_variant *v)
{
	double p = fmin(1, row->self_ns / v->base_ns);
	struct stats_mean m = stats_mean(row->block_ns, v->nused);
	double base_error = isnan(v->half_ns) ? 0 : relative_half(v) / stats_t95((double)v->nused - 1);

	analysis_interval(v, row->self_ns, row->ci95_ns);
	if (v->nused >= ANALYSIS_BLOCKS) {
		row->ci95_ns[0] = fmin(row->ci95_ns[0], fmax(0, row->self_ns - m.half));
		row->ci95_ns[1] = fmax(row->ci95_ns[1], row->self_ns + m.half);
	}
	row->half_ns = fmax(row->self_ns - row->ci95_ns[0], row->ci95_ns[1] - row->self_ns);
	row->error_ns = 0;
	if (p > 0)
		row->error_ns = row->self_ns * stats_cost_error(p, v->n_eff, base_error);
}

static void finish_row(struct analysis_row *row, const struct analysis_variant *v)
{
	row->self_ns = stats_mean(row->block_ns, v->nused).mean;
	row->self_pct = 100 * row->self_ns / v->base_ns;
}

/* The cost in ns of one unit of weight in the share's block. */
static double ns_per_weight(const struct analysis_variant *v, const struct share *s)
{
	return v->block_base_ns[s->block] / v->used[s->block]->cost_weight;
}

/* Adds one row from the shares [from, to), all of one symbol in one facility. */
static int add_row(struct analysis_variant *v, const struct share *from, const struct share *to, double children_ns,
		   struct facilities *f)
{
	struct analysis_row *row = &v->symbols[v->nsymbols++];

	row->name = strdup(from->name);
	row->dso = strdup(from->dso);
	row->facility = facilities_name(f, from->facility);
	row->block_ns = calloc(v->nused, sizeof(double));
	if (!row->name || !row->dso || !row->block_ns)
		return -ENOMEM;
	for (; from < to; from++) {
		row->samples += from->samples;
		row->block_ns[from->block] += from->weight * ns_per_weight(v, from);
	}
	row->children_ns = children_ns;
	finish_row(row, v);
	return 0;
}

/*
 * The cost of one symbol, [from, to), with all that it calls. This cost does not depend on the facility: all shares of
 * the symbol in one block have the same children_weight, so one of them is taken per block.
 */
static double symbol_children_ns(const struct analysis_variant *v, const struct share *from, const struct share *to,
				 double *block_ns)
{
	for (size_t b = 0; b < v->nused; b++)
		block_ns[b] = 0;
	for (; from < to; from++) {
		if (from->children_weight < 0)
			return NAN;
		block_ns[from->block] = from->children_weight * ns_per_weight(v, from);
	}
	return stats_mean(block_ns, v->nused).mean;
}

static double sum_weights(const struct share *from, const struct share *to)
{
	double sum = 0;

	for (; from < to; from++)
		sum += from->weight;
	return sum;
}

/*
 * Adds the rows of one symbol, [from, to). In a block in which the symbol only called other functions, its facility
 * was chosen by its name alone. Such a facility gets no row when the symbol ran itself in other blocks.
 */
static int add_symbol(struct analysis_variant *v, const struct share *from, const struct share *to, double *scratch,
		      struct facilities *f)
{
	double children_ns = symbol_children_ns(v, from, to, scratch);
	bool ran = sum_weights(from, to) > 0;
	const struct share *next;
	int err = 0;

	for (; from < to && !err; from = next) {
		for (next = from + 1; next < to && next->facility == from->facility; next++)
			;
		if (!ran || sum_weights(from, next) > 0)
			err = add_row(v, from, next, children_ns, f);
	}
	return err;
}

static int add_symbols(struct analysis_variant *v, const struct shares *s, struct facilities *f)
{
	double *scratch = calloc(v->nused + 1, sizeof(*scratch));
	int err = 0;

	v->symbols = calloc(s->n + 1, sizeof(*v->symbols));
	if (!v->symbols || !scratch)
		err = -ENOMEM;
	for (size_t from = 0, to; from < s->n && !err; from = to) {
		for (to = from + 1; to < s->n && !compare_symbols(&s->list[to], &s->list[from]); to++)
			;
		err = add_symbol(v, &s->list[from], &s->list[to], scratch, f);
	}
	free(scratch);
	return err;
}

/*
 * Adds a facility: the sum of its symbols in each block. Its interval then comes from the scatter of these sums, not
 * from the scatter of the symbols.
 */
static int add_facility(struct analysis_variant *v, const char *name)
{
	struct analysis_row *row = &v->facilities[v->nfacilities++];

	row->name = strdup(name);
	row->dso = strdup("");
	row->facility = name;
	row->children_ns = NAN;
	row->block_ns = calloc(v->nused, sizeof(double));
	if (!row->name || !row->dso || !row->block_ns)
		return -ENOMEM;
	for (size_t i = 0; i < v->nsymbols; i++) {
		if (v->symbols[i].facility != name)
			continue;
		row->samples += v->symbols[i].samples;
		for (size_t b = 0; b < v->nused; b++)
			row->block_ns[b] += v->symbols[i].block_ns[b];
	}
	finish_row(row, v);
	return 0;
}

static int add_facilities(struct analysis_variant *v, const struct facilities *f)
{
	int err = 0;

	v->facilities = calloc(facilities_count(f) + 1, sizeof(*v->facilities));
	if (!v->facilities)
		return -ENOMEM;
	for (unsigned int i = 0; i < facilities_count(f) && !err; i++)
		if (facilities_kind(f, i) == FACILITY_COST)
			err = add_facility(v, facilities_name(f, i));
	return err;
}

/* Fills design_effect and n_eff: a sample counts for less where blocks scatter more than chance alone explains. */
static int weigh_samples(struct analysis_variant *v)
{
	double *share = calloc(v->nsymbols * v->nused + 1, sizeof(*share));
	double *samples = calloc(v->nused + 1, sizeof(*samples));
	int err = -ENOMEM;

	if (!share || !samples)
		goto out;
	for (size_t b = 0; b < v->nused; b++) {
		samples[b] = (double)v->used[b]->samples;
		v->samples += v->used[b]->samples;
		for (size_t i = 0; i < v->nsymbols; i++)
			share[i * v->nused + b] = v->symbols[i].block_ns[b] / v->block_base_ns[b];
	}
	v->design_effect = stats_design_effect(share, v->nsymbols, samples, v->nused);
	v->n_eff = (double)v->samples / v->design_effect;
	v->unseen_max_ns = stats_unseen(v->n_eff) * v->base_ns;
	err = 0;
out:
	free(samples);
	free(share);
	return err;
}

int variant_add_rows(struct analysis_variant *v, struct shares *s, struct facilities *f)
{
	double sum = 0;
	int err;

	keep_used(s, v);
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), by_symbol);
	err = add_symbols(v, s, f);
	if (!err)
		err = add_facilities(v, f);
	if (!err)
		err = weigh_samples(v);
	if (err)
		return err;
	for (size_t i = 0; i < v->nsymbols; i++) {
		row_interval(&v->symbols[i], v);
		sum += v->symbols[i].self_ns;
	}
	for (size_t i = 0; i < v->nfacilities; i++)
		row_interval(&v->facilities[i], v);
	qsort(v->symbols, v->nsymbols, sizeof(*v->symbols), by_cost);
	qsort(v->facilities, v->nfacilities, sizeof(*v->facilities), by_cost);
	v->unattributed_ns = v->samples ? 0 : v->base_ns;
	v->closure_ns = v->base_ns - sum - v->unattributed_ns;
	if (fabs(v->closure_ns) < ANALYSIS_ROUNDING_NS)
		v->closure_ns = 0;
	return 0;
}
