// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of two variants matched by name, with the test of each difference. */
#include "reports/compare/compare.h"

static int by_component(const void *pa, const void *pb)
{
	const struct analysis_row *a = pa, *b = pb;

	return strcmp(a->component, b->component);
}

#define BY_CHANCE 0.05 /* p of one row, taken alone */

static int by_difference(const void *pa, const void *pb)
{
	const struct compare_row *a = pa, *b = pb;

	return ORDER(fabs(b->delta_ns), fabs(a->delta_ns)) ?: strcmp(a->name, b->name)
							   ?: strcmp(a->component, b->component);
}

/*
 * What a flight recorder kept has few samples, so that chance makes the largest differences. Rows that chance alone
 * does not explain come first, the surest of them at the top; the others follow by size.
 */
static int by_evidence(const void *pa, const void *pb)
{
	const struct compare_row *a = pa, *b = pb;
	double x = a->p < BY_CHANCE ? a->p : 1, y = b->p < BY_CHANCE ? b->p : 1;

	return ORDER(x, y) ?: by_difference(pa, pb);
}

/* Sums over the matched rows of each side: block values and squared errors. */
struct sums {
	double *base_ns, *new_ns; /* per used block */
	double error2;
	bool whole; /* rows are groups of functions */
};

#define PAIRS_ENOUGH 8

static void compare_rows_add_side(struct compare_row *row, struct sums *s, const struct symjoin_entry *e,
				  const struct compare *c, double *largest)
{
	const struct analysis_row *from = e->row;
	const struct analysis_variant *v = e->is_new ? c->new : c->base;
	double *block_ns = e->is_new ? s->new_ns : s->base_ns, at = c->pairs.reference.at[e->is_new];

	for (size_t b = 0; b < v->nused; b++)
		block_ns[b] += from->block_ns[b] * at;
	/*
	 * The part of a side's squared sampling error (analysis.h) that a difference of pairs has to be at least. What
	 * moves the parts of both sides alike from round to round is in that error, and cancels in pairs; the scatter
	 * of enough pairs has what is left of it. An old history does not know that part: then it is the whole.
	 */
	s->error2 +=
		pow(from->error_ns * at, 2) *
		(c->pairs.n >= PAIRS_ENOUGH && isfinite(v->weight_effect) ? v->weight_effect / v->design_effect : 1);
	*(e->is_new ? &row->new_samples : &row->base_samples) += from->samples;
	if (!row->name || from->self_ns > *largest) { /* a cost that is not known has a name too */
		*largest = from->self_ns;
		row->name = from->name;
	}
}

/* Samples that are worth as much as independent ones, per ns of cost. */
static double exposure(const struct analysis_variant *v)
{
	return v->n_eff / (v->sum_ns > 0 ? v->sum_ns : v->base_ns);
}

/*
 * What a row costs at most in a variant that does not list it: where its list of functions was cut short, one that it
 * does not name may well have had samples. All that is hidden may be one component's.
 */
static double absent_at_most(const struct analysis_variant *v, bool whole)
{
	for (size_t i = 0; i < v->nused; i++)
		if (v->used[i]->absent_part > 0.0005)
			return whole ? fmax(0, v->unattributed_ns) : v->detection_limit_ns;
	return 0;
}

static int test_row(struct compare_row *row, const struct compare *c, const struct sums *s)
{
	bool no_base = !row->base_samples, no_new = !row->new_samples;
	struct stats_difference diff, wide;
	double least;
	int err = pairs_test(&c->pairs, s->base_ns, c->base->nused, s->new_ns, c->new->nused, &diff);

	if (err)
		return err;
	row->base_ns = pairs_mean(c->pairs.base_at, &c->pairs, s->base_ns, c->base->nused);
	row->new_ns = pairs_mean(c->pairs.new_at, &c->pairs, s->new_ns, c->new->nused);
	row->delta_ns = row->new_ns - row->base_ns;
	row->absent_ns = no_base ? absent_at_most(c->base, s->whole) : no_new ? absent_at_most(c->new, s->whole) : 0;
	wide = stats_widen(diff, sqrt(s->error2));
	/* The smallest difference that is left if the row costs as much as it may where it is not listed. */
	least = fabs(diff.delta) - row->absent_ns;
	if (!c->base->samples || !c->new->samples) { /* a variant that was never profiled */
		row->p = NAN;
	} else if (row->absent_ns > 0) {
		diff.delta = copysign(least, diff.delta);
		row->p = least > 0 ? stats_widen(stats_test(diff), sqrt(s->error2)).p : NAN;
	} else if (isnan(wide.p) || (!no_base && !no_new)) {
		row->p = wide.p;
	} else { /* only one side has samples of it */
		double base = exposure(c->base), new = exposure(c->new);

		row->p = !no_base ? stats_none_by_chance((double)row->base_samples / c->base->design_effect, base, new)
				  : stats_none_by_chance((double)row->new_samples / c->new->design_effect, new, base);
	}
	row->ci95_ns[0] = row->delta_ns - wide.half - (no_base ? row->absent_ns : 0);
	row->ci95_ns[1] = row->delta_ns + wide.half + (no_new ? row->absent_ns : 0);
	row->half_ns = wide.half + row->absent_ns;
	return 0;
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
		const struct compare_row *row = &rows[i];
		rows[i].class = row->absent_ns > 0  ? (row->significant ? COMPARE_CHANGED : COMPARE_UNLISTED)
				: isnan(row->q)     ? COMPARE_UNTESTED
				: !row->significant ? COMPARE_SAME
				: !row->new_samples ? COMPARE_GONE
				: row->base_samples ? COMPARE_CHANGED
						    : COMPARE_NEW;
	}
	free(p);
	return err;
}

/* The rows of one kind, of[] and n[] on both sides. Those without samples of their own stay out. */
static int add_kind(const struct compare *c, const struct analysis_row *const of[2], const size_t n[2], bool whole,
		    struct compare_row **rows, size_t *nrows)
{
	struct sums s = {.base_ns = calloc(c->base->nused + 1, sizeof(double)),
			 .new_ns = calloc(c->new->nused + 1, sizeof(double)),
			 .whole = whole};
	struct symjoin j = {.keys = c->keys, .apart = by_component};
	int err = symjoin_room(&j, n[0] + n[1]);

	*rows = calloc(n[0] + n[1] + 1, sizeof(**rows));
	if (err || !*rows || !s.base_ns || !s.new_ns) {
		err = -ENOMEM;
		goto out;
	}
	for (int side = 0; side < 2; side++)
		for (const struct analysis_row *row = of[side]; row < of[side] + n[side]; row++)
			if (row->samples)
				symjoin_add(&j, side, row, row->name, row->dso);
	symjoin_sort(&j);
	for (size_t from = 0, to; from < j.n && !err; from = to) {
		struct compare_row *row = &(*rows)[(*nrows)++];
		double largest = -1;

		to = symjoin_end(&j, from);
		memset(s.base_ns, 0, (c->base->nused + 1) * sizeof(double));
		memset(s.new_ns, 0, (c->new->nused + 1) * sizeof(double));
		s.error2 = 0;
		row->component = ((const struct analysis_row *)j.entries[from].row)->component;
		for (size_t i = from; i < to; i++)
			compare_rows_add_side(row, &s, &j.entries[i], c, &largest);
		err = test_row(row, c, &s);
	}
	if (!err)
		err = judge_rows(*rows, *nrows);
	qsort(*rows, *nrows, sizeof(**rows), compare_is_watched(c) ? by_evidence : by_difference);
out:
	symjoin_release(&j);
	free(s.base_ns);
	free(s.new_ns);
	return err;
}

bool compare_is_watched(const struct compare *c)
{
	return c->base->of->run->view == RUN_VIEW_WATCH && c->new->of->run->view == RUN_VIEW_WATCH;
}

int compare_add_rows(struct compare *c)
{
	const struct analysis_variant *a = c->base, *b = c->new;

	return add_kind(c, (const struct analysis_row *[]){a->components, b->components},
			(size_t[]){a->ncomponents, b->ncomponents}, true, &c->components, &c->ncomponents)
		       ?: add_kind(c, (const struct analysis_row *[]){a->symbols, b->symbols},
				   (size_t[]){a->nsymbols, b->nsymbols}, false, &c->symbols, &c->nsymbols)
		       ?: add_kind(c, (const struct analysis_row *[]){a->tags, b->tags},
				   (size_t[]){a->ntags, b->ntags}, true, &c->tags, &c->ntags);
}
