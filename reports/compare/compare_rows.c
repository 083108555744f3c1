// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of two variants matched by name, with the test of each difference. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reports/compare/compare_parts.h"

/* A row of one side, before it is matched with rows of the other side. */
struct candidate {
	const struct analysis_row *row;
	bool is_new;
	char key[SYMKEY_BYTES];
};

static int by_key(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	int order = strcmp(a->row->facility, b->row->facility);

	if (!order)
		order = strcmp(a->key, b->key);
	if (!order)
		order = a->is_new - b->is_new;
	return order ? order : strcmp(a->row->name, b->row->name);
}

static bool match(const struct candidate *a, const struct candidate *b)
{
	return !strcmp(a->row->facility, b->row->facility) && !strcmp(a->key, b->key);
}

static int by_difference(const void *pa, const void *pb)
{
	const struct compare_row *a = pa, *b = pb;

	if (fabs(a->delta_ns) != fabs(b->delta_ns))
		return fabs(a->delta_ns) < fabs(b->delta_ns) ? 1 : -1;
	if (strcmp(a->name, b->name))
		return strcmp(a->name, b->name);
	return strcmp(a->facility, b->facility);
}

/* Sums over the matched rows of each side: block values and squared errors. */
struct sums {
	double *base_ns, *new_ns; /* per used block */
	double error2;
};

static void add_candidate(struct compare_row *row, struct sums *s, const struct candidate *c, size_t nblocks,
			  double *largest)
{
	double *block_ns = c->is_new ? s->new_ns : s->base_ns;

	for (size_t b = 0; b < nblocks; b++)
		block_ns[b] += c->row->block_ns[b];
	s->error2 += c->row->error_ns * c->row->error_ns;
	*(c->is_new ? &row->new_samples : &row->base_samples) += c->row->samples;
	if (c->row->self_ns > *largest) {
		*largest = c->row->self_ns;
		row->name = c->row->name;
	}
}

/* Samples that are worth as much as independent ones, per ns of cost. */
static double exposure(const struct analysis_variant *v)
{
	return v->n_eff / (v->sum_ns > 0 ? v->sum_ns : v->base_ns);
}

/* p of a row that only one side has samples of. */
static double p_of_none(const struct compare_row *row, const struct compare *c)
{
	double base = exposure(c->base), new = exposure(c->new);

	if (row->base_samples)
		return stats_none_by_chance((double)row->base_samples / c->base->design_effect, base, new);
	return stats_none_by_chance((double)row->new_samples / c->new->design_effect, new, base);
}

/* True if v's list of functions was cut short: one that it does not name may well have had samples. */
static bool hides(const struct analysis_variant *v)
{
	for (size_t i = 0; i < v->nused; i++)
		if (v->used[i]->absent_part > 0.0005)
			return true;
	return false;
}

static int test_row(struct compare_row *row, const struct compare *c, const struct sums *s)
{
	struct stats_difference diff;
	int err = pairs_test(&c->pairs, s->base_ns, c->base->nused, s->new_ns, c->new->nused, &diff);

	if (err)
		return err;
	diff = stats_widen(diff, sqrt(s->error2));
	row->base_ns = pairs_mean(c->pairs.base_at, &c->pairs, s->base_ns, c->base->nused);
	row->new_ns = pairs_mean(c->pairs.new_at, &c->pairs, s->new_ns, c->new->nused);
	row->delta_ns = row->new_ns - row->base_ns;
	row->half_ns = diff.half;
	row->ci95_ns[0] = row->delta_ns - diff.half;
	row->ci95_ns[1] = row->delta_ns + diff.half;
	if ((!row->base_samples && hides(c->base)) || (!row->new_samples && hides(c->new)))
		diff.p = NAN;
	row->p = isnan(diff.p) || (row->base_samples && row->new_samples) ? diff.p : p_of_none(row, c);
	return 0;
}

/* Makes one row from the candidates [from, to), which all match. */
static int make_row(struct compare_row *row, const struct compare *c, const struct candidate *from,
		    const struct candidate *to, struct sums *s)
{
	double largest = -1;

	memset(s->base_ns, 0, (c->base->nused + 1) * sizeof(double));
	memset(s->new_ns, 0, (c->new->nused + 1) * sizeof(double));
	s->error2 = 0;
	row->facility = from->row->facility;
	for (; from < to; from++)
		add_candidate(row, s, from, from->is_new ? c->new->nused : c->base->nused, &largest);
	return test_row(row, c, s);
}

static enum compare_class classify(const struct compare_row *row)
{
	if (!row->significant)
		return COMPARE_SAME;
	if (!row->new_samples)
		return COMPARE_GONE;
	return row->base_samples ? COMPARE_CHANGED : COMPARE_NEW;
}

static int judge_rows(struct compare_row *rows, size_t n)
{
	double *p = calloc(2 * n + 1, sizeof(*p)), *q;
	int err;

	if (!p)
		return -ENOMEM;
	q = p + n;
	for (size_t i = 0; i < n; i++)
		p[i] = rows[i].p;
	err = stats_benjamini_hochberg(p, q, n);
	for (size_t i = 0; i < n && !err; i++) {
		rows[i].q = q[i];
		rows[i].significant = q[i] < COMPARE_ALPHA;
		rows[i].class = classify(&rows[i]);
	}
	free(p);
	return err;
}

/* Adds the rows that have samples of their own to out; returns how many. */
static size_t gather(struct candidate *out, const struct symkeys *keys, const struct analysis_row *rows, size_t n,
		     bool is_new)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!rows[i].samples)
			continue;
		out[kept].row = &rows[i];
		out[kept].is_new = is_new;
		symkey(keys, rows[i].name, rows[i].dso, out[kept].key);
		kept++;
	}
	return kept;
}

static int match_rows(const struct compare *c, struct candidate *all, size_t n, struct compare_row **rows,
		      size_t *nrows)
{
	struct sums s = {.base_ns = calloc(c->base->nused + 1, sizeof(double)),
			 .new_ns = calloc(c->new->nused + 1, sizeof(double))};
	int err = -ENOMEM;

	*rows = calloc(n + 1, sizeof(**rows));
	if (!*rows || !s.base_ns || !s.new_ns)
		goto out;
	if (n)
		qsort(all, n, sizeof(*all), by_key);
	err = 0;
	for (size_t from = 0, to; from < n && !err; from = to) {
		for (to = from + 1; to < n && match(&all[to], &all[from]); to++)
			;
		err = make_row(&(*rows)[(*nrows)++], c, &all[from], &all[to], &s);
	}
	if (!err)
		err = judge_rows(*rows, *nrows);
	qsort(*rows, *nrows, sizeof(**rows), by_difference);
out:
	free(s.base_ns);
	free(s.new_ns);
	return err;
}

static int add_kind(const struct compare *c, const struct analysis_row *base, size_t nbase,
		    const struct analysis_row *new, size_t nnew, struct compare_row **rows, size_t *nrows)
{
	struct candidate *all = calloc(nbase + nnew + 1, sizeof(*all));
	size_t n;
	int err;

	if (!all)
		return -ENOMEM;
	n = gather(all, c->keys, base, nbase, false);
	n += gather(all + n, c->keys, new, nnew, true);
	err = match_rows(c, all, n, rows, nrows);
	free(all);
	return err;
}

int compare_add_rows(struct compare *c)
{
	int err = add_kind(c, c->base->facilities, c->base->nfacilities, c->new->facilities, c->new->nfacilities,
			   &c->facilities, &c->nfacilities);

	if (!err)
		err = add_kind(c, c->base->symbols, c->base->nsymbols, c->new->symbols, c->new->nsymbols, &c->symbols,
			       &c->nsymbols);
	return err;
}
