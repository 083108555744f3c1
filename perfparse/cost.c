// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/stats.h"
#include "perfparse/cost.h"

#define SHARES_MAX_PCT 100.5
#define ROUNDING_PCT   0.005 /* of a share with two decimals */
#define NO_ROW         UINT32_MAX

/*
 * A table while it grows. The rows of one symbol are a linked list, so the row of (symbol, facility) is found
 * fast.
 */
struct builder {
	struct cost_table *t;
	const struct profile *p;
	struct facilities *f;
	struct diag *d;
	uint32_t *first_row; /* the symbol's first row; indexed by symbol */
	uint32_t *next_row;  /* the symbol's next row; indexed by row */
	uint32_t *row_symbol;
	double *children; /* weight including callees; indexed by symbol; < 0: not known */
	uint32_t *seen;   /* number of the last stack that counted the symbol, + 1; indexed by symbol */
	size_t cap, cap_next, cap_symbol;
	bool self_known;
	bool idle_hidden; /* the table has idle rows without a self share */
};

void cost_table_init(struct cost_table *t)
{
	memset(t, 0, sizeof(*t));
}

void cost_table_release(struct cost_table *t)
{
	free(t->rows);
	cost_table_init(t);
}

static int no_memory(struct builder *b)
{
	return diag_set(b->d, -ENOMEM, "out of memory");
}

static int builder_init(struct builder *b)
{
	size_t n = b->p->nsymbols, i;

	b->first_row = malloc((n + 1) * sizeof(*b->first_row));
	b->children = calloc(n + 1, sizeof(*b->children));
	b->seen = calloc(n + 1, sizeof(*b->seen));
	if (!b->first_row || !b->children || !b->seen)
		return no_memory(b);
	for (i = 0; i < n; i++)
		b->first_row[i] = NO_ROW;
	return 0;
}

static void builder_release(struct builder *b)
{
	free(b->first_row);
	free(b->next_row);
	free(b->row_symbol);
	free(b->children);
	free(b->seen);
}

/* Room for one more row. */
static bool grow_rows(struct builder *b)
{
	size_t n = b->t->nrows;

	return array_grow(&b->t->rows, &b->cap, n, 1, sizeof(*b->t->rows)) &&
	       array_grow(&b->next_row, &b->cap_next, n, 1, sizeof(*b->next_row)) &&
	       array_grow(&b->row_symbol, &b->cap_symbol, n, 1, sizeof(*b->row_symbol));
}

/* Finds or adds the row of (symbol, facility). Until the table is complete, the _ns members hold weights. */
static struct cost_row *row_of(struct builder *b, uint32_t symbol, unsigned int facility)
{
	const struct profile_symbol *y = &b->p->symbols[symbol];
	struct cost_table *t = b->t;
	uint32_t i;

	for (i = b->first_row[symbol]; i != NO_ROW; i = b->next_row[i])
		if (t->rows[i].facility == facility)
			return &t->rows[i];
	if (!grow_rows(b))
		return NULL;
	i = (uint32_t)t->nrows++;
	t->rows[i] = (struct cost_row){.name = y->name,
				       .dso = y->dso,
				       .space = y->space,
				       .facility = facility,
				       .tags = facilities_tags_of_symbol(b->f, b->p, symbol)};
	b->row_symbol[i] = symbol;
	b->next_row[i] = b->first_row[symbol];
	b->first_row[symbol] = i;
	return &t->rows[i];
}

/* Adds the weight to the sum of the facility's kind. True if this kind is cost. */
static bool book_weight(struct builder *b, unsigned int facility, double weight)
{
	switch (facilities_kind(b->f, facility)) {
	case FACILITY_IDLE:
		b->t->idle_weight += weight;
		return false;
	case FACILITY_TAKEN_OUT:
		b->t->taken_out_weight += weight;
		return false;
	case FACILITY_COST:
		break;
	}
	b->t->busy_weight += weight;
	return true;
}

static int add_stack(struct builder *b, size_t n)
{
	const struct profile_stack *s = &b->p->stacks[n];
	const uint32_t *frames = b->p->frames + s->first;
	unsigned int facility = facilities_of_stack(b->f, b->p, s), i;
	struct cost_row *row;

	if (!s->depth || !book_weight(b, facility, s->weight))
		return 0;
	b->t->samples += s->samples;
	row = row_of(b, frames[0], facility);
	if (!row)
		return no_memory(b);
	row->samples += s->samples;
	row->irqs_off += s->irqs_off ? s->samples : 0;
	row->self_ns += s->weight;
	for (i = 0; i < s->depth; i++) {
		if (b->seen[frames[i]] == n + 1)
			continue;
		b->seen[frames[i]] = (uint32_t)n + 1;
		b->children[frames[i]] += s->weight;
	}
	return 0;
}

/* Adds a row for each symbol that only called others: its self cost is 0, but its children cost is not. */
static int add_callers(struct builder *b)
{
	uint32_t i;

	for (i = 0; i < b->p->nsymbols; i++)
		if (b->children[i] > 0 && b->first_row[i] == NO_ROW &&
		    !row_of(b, i, facilities_of_symbol(b->f, b->p, i)))
			return no_memory(b);
	return 0;
}

static int add_stacks(struct builder *b)
{
	size_t i;
	int err;

	for (i = 0; i < b->p->nstacks; i++) {
		err = add_stack(b, i);
		if (err)
			return err;
	}
	b->self_known = true;
	return add_callers(b);
}

/*
 * Adds one row of perf's table. Weights are percent of the whole; add_table() computes the busy weight after all
 * rows.
 */
static int add_table_row(struct builder *b, const struct profile_row *in)
{
	unsigned int facility = facilities_of_symbol(b->f, b->p, in->symbol);
	struct cost_row *row;

	if (facilities_kind(b->f, facility) != FACILITY_COST) {
		b->idle_hidden |= in->self_pct < 0;
		book_weight(b, facility, in->self_pct > 0 ? in->self_pct : 0);
		return 0;
	}
	row = row_of(b, in->symbol, facility);
	if (!row)
		return no_memory(b);
	row->samples += in->samples;
	if (in->self_pct >= 0) {
		row->self_ns += in->self_pct;
		b->self_known = true;
	}
	if (in->children_pct >= 0 && b->children[in->symbol] >= 0)
		b->children[in->symbol] += in->children_pct;
	else
		b->children[in->symbol] = -1;
	return 0;
}

static int add_table(struct builder *b)
{
	double sum_pct = 0, busy;
	size_t i;
	int err;

	for (i = 0; i < b->p->nrows; i++) {
		sum_pct += b->p->rows[i].self_pct > 0 ? b->p->rows[i].self_pct : 0;
		err = add_table_row(b, &b->p->rows[i]);
		if (err)
			return err;
	}
	if (sum_pct > SHARES_MAX_PCT + ROUNDING_PCT * (double)b->p->nrows)
		return diag_set(b->d, -ERANGE, "the shares add up to %.2f %%; this is not one table of one event",
				sum_pct);
	if (!b->t->nrows)
		return 0;
	if (b->idle_hidden)
		return diag_set(b->d, -EINVAL,
				"the table has idle symbols and no self shares, so busy cannot be "
				"told from idle; run "
				"perf report with --no-children or -F +overhead");
	busy = 100 - b->t->idle_weight - b->t->taken_out_weight;
	b->t->busy_weight = busy > 0 ? busy : 0;
	b->t->samples = (uint64_t)llround((double)b->p->samples * b->t->busy_weight / 100);
	return 0;
}

/*
 * In a table the children share may include idle stacks, which cannot be subtracted. A share above the whole busy
 * weight is therefore not known.
 */
static void finish_children(struct cost_row *r, double weight, const struct cost_table *t)
{
	double share = weight / t->busy_weight;

	if (weight < 0 || share * 100 > SHARES_MAX_PCT) {
		r->children_pct = r->children_ns = -1;
		return;
	}
	r->children_pct = share * 100;
	r->children_ns = share * t->base_ns;
}

static void finish_rows(struct builder *b)
{
	struct cost_table *t = b->t;
	double sum_ns = 0, share;
	struct cost_row *r;
	size_t i;

	for (i = 0; i < t->nrows; i++) {
		r = &t->rows[i];
		share = r->self_ns / t->busy_weight;
		finish_children(r, b->children[b->row_symbol[i]], t);
		r->self_pct = b->self_known ? share * 100 : -1;
		r->self_ns = b->self_known ? share * t->base_ns : -1;
		stats_wilson(fmin(1, share), b->self_known ? (double)t->samples : 0, r->ci95_ns);
		r->ci95_ns[0] *= t->base_ns;
		r->ci95_ns[1] *= t->base_ns;
		sum_ns += r->self_ns;
	}
	t->unattributed_ns = b->self_known ? t->base_ns - sum_ns : NAN;
	t->unattributed_pct = 100 * t->unattributed_ns / t->base_ns;
	t->absent_ns = !b->self_known ? NAN : b->p->nrows ? b->p->absent_pct / t->busy_weight * t->base_ns : 0;
}

/* Rows with equal shares keep the order of the text: row_index is the position at which a row was added. */
struct keyed_row {
	struct cost_row row;
	size_t index;
};

static int compare_rows(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;

	if (x->row.self_ns != y->row.self_ns)
		return x->row.self_ns < y->row.self_ns ? 1 : -1;
	if (x->row.children_ns != y->row.children_ns)
		return x->row.children_ns < y->row.children_ns ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int sort_rows(struct builder *b)
{
	struct cost_table *t = b->t;
	struct keyed_row *k;
	size_t i;

	k = malloc((t->nrows + 1) * sizeof(*k));
	if (!k)
		return no_memory(b);
	for (i = 0; i < t->nrows; i++)
		k[i] = (struct keyed_row){t->rows[i], i};
	qsort(k, t->nrows, sizeof(*k), compare_rows);
	for (i = 0; i < t->nrows; i++)
		t->rows[i] = k[i].row;
	free(k);
	return 0;
}

static int build(struct builder *b)
{
	int err = builder_init(b);

	if (!err)
		err = b->p->nrows ? add_table(b) : add_stacks(b);
	if (err)
		return err;
	if (!(b->t->busy_weight > 0))
		return diag_set(b->d, -EINVAL,
				b->t->idle_weight > 0 ? "no busy samples, all are idle" : "no busy samples");
	finish_rows(b);
	if (-b->t->unattributed_pct > SHARES_MAX_PCT - 100 + ROUNDING_PCT * (double)b->p->nrows)
		return diag_set(b->d, -ERANGE,
				"the shares of busy symbols add up to %.2f %% of the busy time; record the busy CPU "
				"alone, so that less of it is idle",
				100 - b->t->unattributed_pct);
	return sort_rows(b);
}

int cost_table_build(struct cost_table *t, const struct profile *p, struct facilities *f, double base_ns,
		     struct diag *d)
{
	struct builder b = {.t = t, .p = p, .f = f, .d = d};
	int err;

	cost_table_init(t);
	if (!(base_ns > 0) || !isfinite(base_ns))
		return diag_set(d, -EINVAL, "the cost of a packet has to be above 0 ns, not %g", base_ns);
	t->base_ns = base_ns;
	err = build(&b);
	builder_release(&b);
	if (err)
		cost_table_release(t);
	return err;
}

bool cost_table_cut_short(const struct cost_table *t)
{
	return t->absent_ns > 0.0005 * t->base_ns;
}

static int compare_facilities(const void *a, const void *b)
{
	const struct cost_facility *x = a, *y = b;

	if (x->self_ns != y->self_ns)
		return x->self_ns < y->self_ns ? 1 : -1;
	return x->facility < y->facility ? -1 : x->facility > y->facility;
}

static void add_to_group(struct cost_facility *sum, const struct cost_row *row)
{
	sum->self_pct += row->self_pct;
	sum->samples += row->samples;
}

/* Keeps the groups that have a row, computes their costs, and puts the largest first. Returns how many there are. */
static size_t finish_groups(const struct cost_table *t, struct cost_facility *sums, size_t count)
{
	struct cost_facility *sum;
	size_t i, used = 0;

	for (i = 0; i < count; i++) {
		if (sums[i].self_pct <= 0)
			continue;
		sum = &sums[used++];
		*sum = sums[i];
		sum->facility = (unsigned int)i;
		sum->self_ns = sum->self_pct / 100 * t->base_ns;
		stats_wilson(fmin(1, sum->self_pct / 100), (double)t->samples, sum->ci95_ns);
		sum->ci95_ns[0] *= t->base_ns;
		sum->ci95_ns[1] *= t->base_ns;
	}
	qsort(sums, used, sizeof(*sums), compare_facilities);
	return used;
}

struct cost_facility *cost_table_facilities(const struct cost_table *t, const struct facilities *f, size_t *n)
{
	struct cost_facility *sums = calloc(facilities_count(f), sizeof(*sums));
	size_t i;

	if (!sums)
		return NULL;
	for (i = 0; i < t->nrows; i++)
		if (t->rows[i].self_pct > 0)
			add_to_group(&sums[t->rows[i].facility], &t->rows[i]);
	*n = finish_groups(t, sums, facilities_count(f));
	return sums;
}

struct cost_facility *cost_table_tags(const struct cost_table *t, const struct facilities *f, size_t *n)
{
	size_t count = facilities_tag_count(f), i, k;
	struct cost_facility *sums = calloc(count + 1, sizeof(*sums));

	if (!sums)
		return NULL;
	for (i = 0; i < t->nrows; i++)
		for (k = 0; k < count; k++)
			if (t->rows[i].self_pct > 0 && t->rows[i].tags >> k & 1)
				add_to_group(&sums[k], &t->rows[i]);
	*n = finish_groups(t, sums, count);
	return sums;
}
