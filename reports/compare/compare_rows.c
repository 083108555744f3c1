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

/*
 * The part of a side's squared sampling error (analysis.h) that a difference of pairs has to be at least. What moves
 * the parts of both sides alike from round to round is in that error, and cancels in pairs; the scatter of enough pairs
 * has what is left of it. An old history does not know that part: then it is the whole.
 */
static double sampling_part(const struct compare *c, const struct analysis_variant *v)
{
	return c->pairs.n >= PAIRS_ENOUGH && isfinite(v->weight_effect) ? v->weight_effect / v->design_effect : 1;
}

static void compare_rows_add_side(struct compare_row *row, struct sums *s, const struct symjoin_entry *e,
				  const struct compare *c, double *largest)
{
	const struct analysis_row *from = e->row;
	const struct analysis_variant *v = e->is_new ? c->new : c->base;
	double *block_ns = e->is_new ? s->new_ns : s->base_ns, at = c->pairs.reference.at[e->is_new];

	for (size_t b = 0; b < v->nused; b++)
		block_ns[b] += from->block_ns[b] * at;
	s->error2 += pow(from->error_ns * at, 2) * sampling_part(c, v);
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

/* What a row costs at most in a variant that does not list it. All that is hidden may be one component's. */
static double absent_at_most(const struct analysis_variant *v, bool whole)
{
	return !hides(v) ? 0 : whole ? fmax(0, v->unattributed_ns) : v->detection_limit_ns;
}

static double p_of_row(const struct compare_row *row, const struct compare *c, struct stats_difference diff,
		       double error_ns)
{
	if (!c->base->samples || !c->new->samples) /* a variant that was never profiled */
		return NAN;
	if (row->absent_ns > 0) {
		/* The smallest difference that is left if the row costs as much as it may where it is not listed. */
		double least = fabs(diff.delta) - row->absent_ns;

		if (!(least > 0))
			return NAN;
		diff.delta = copysign(least, diff.delta);
		return stats_widen(stats_test(diff), error_ns).p;
	}
	diff = stats_widen(diff, error_ns);
	return isnan(diff.p) || (row->base_samples && row->new_samples) ? diff.p : p_of_none(row, c);
}

static int test_row(struct compare_row *row, const struct compare *c, const struct sums *s)
{
	bool no_base = !row->base_samples, no_new = !row->new_samples;
	struct stats_difference diff;
	double half;
	int err = pairs_test(&c->pairs, s->base_ns, c->base->nused, s->new_ns, c->new->nused, &diff);

	if (err)
		return err;
	row->base_ns = pairs_mean(c->pairs.base_at, &c->pairs, s->base_ns, c->base->nused);
	row->new_ns = pairs_mean(c->pairs.new_at, &c->pairs, s->new_ns, c->new->nused);
	row->delta_ns = row->new_ns - row->base_ns;
	row->absent_ns = no_base ? absent_at_most(c->base, s->whole) : no_new ? absent_at_most(c->new, s->whole) : 0;
	row->p = p_of_row(row, c, diff, sqrt(s->error2));
	half = stats_widen(diff, sqrt(s->error2)).half;
	row->ci95_ns[0] = row->delta_ns - half - (no_base ? row->absent_ns : 0);
	row->ci95_ns[1] = row->delta_ns + half + (no_new ? row->absent_ns : 0);
	row->half_ns = half + row->absent_ns;
	return 0;
}

/* Makes one row from the entries [from, to) of one group. */
static int make_row(struct compare_row *row, const struct compare *c, const struct symjoin_entry *from,
		    const struct symjoin_entry *to, struct sums *s)
{
	double largest = -1;

	memset(s->base_ns, 0, (c->base->nused + 1) * sizeof(double));
	memset(s->new_ns, 0, (c->new->nused + 1) * sizeof(double));
	s->error2 = 0;
	row->component = ((const struct analysis_row *)from->row)->component;
	for (; from < to; from++)
		compare_rows_add_side(row, s, from, c, &largest);
	return test_row(row, c, s);
}

static enum compare_class compare_rows_classify(const struct compare_row *row)
{
	if (row->absent_ns > 0)
		return row->significant ? COMPARE_CHANGED : COMPARE_UNLISTED;
	if (isnan(row->q))
		return COMPARE_UNTESTED;
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
		rows[i].class = compare_rows_classify(&rows[i]);
	}
	free(p);
	return err;
}

struct side_rows {
	const struct analysis_row *rows;
	size_t n;
};

/* Rows without samples of their own stay out. */
static void compare_rows_add_rows(struct symjoin *j, bool is_new, struct side_rows side)
{
	for (size_t i = 0; i < side.n; i++)
		if (side.rows[i].samples)
			symjoin_add(j, is_new, &side.rows[i], side.rows[i].name, side.rows[i].dso);
}

static int compare_rows_make_rows(const struct compare *c, const struct symjoin *j, bool whole,
				  struct compare_row **rows, size_t *nrows)
{
	struct sums s = {.base_ns = calloc(c->base->nused + 1, sizeof(double)),
			 .new_ns = calloc(c->new->nused + 1, sizeof(double)),
			 .whole = whole};
	int err = -ENOMEM;

	*rows = calloc(j->n + 1, sizeof(**rows));
	if (!*rows || !s.base_ns || !s.new_ns)
		goto out;
	err = 0;
	for (size_t from = 0, to; from < j->n && !err; from = to) {
		to = symjoin_end(j, from);
		err = make_row(&(*rows)[(*nrows)++], c, &j->entries[from], &j->entries[to], &s);
	}
	if (!err)
		err = judge_rows(*rows, *nrows);
	qsort(*rows, *nrows, sizeof(**rows), compare_is_watched(c) ? by_evidence : by_difference);
out:
	free(s.base_ns);
	free(s.new_ns);
	return err;
}

static int add_kind(const struct compare *c, struct side_rows base, struct side_rows new, bool whole,
		    struct compare_row **rows, size_t *nrows)
{
	struct symjoin j = {.keys = c->keys, .apart = by_component};
	int err = symjoin_room(&j, base.n + new.n);

	if (err)
		return err;
	compare_rows_add_rows(&j, false, base);
	compare_rows_add_rows(&j, true, new);
	symjoin_sort(&j);
	err = compare_rows_make_rows(c, &j, whole, rows, nrows);
	symjoin_release(&j);
	return err;
}

bool compare_is_watched(const struct compare *c)
{
	return c->base->of->run->view == RUN_VIEW_WATCH && c->new->of->run->view == RUN_VIEW_WATCH;
}

int compare_add_rows(struct compare *c)
{
	const struct analysis_variant *base = c->base, *new = c->new;
	int err =
		add_kind(c, (struct side_rows){base->components, base->ncomponents},
			 (struct side_rows){new->components, new->ncomponents}, true, &c->components, &c->ncomponents);

	if (!err)
		err = add_kind(c, (struct side_rows){base->symbols, base->nsymbols},
			       (struct side_rows){new->symbols, new->nsymbols}, false, &c->symbols, &c->nsymbols);
	if (!err)
		err = add_kind(c, (struct side_rows){base->tags, base->ntags},
			       (struct side_rows){new->tags, new->ntags}, true, &c->tags, &c->ntags);
	return err;
}
