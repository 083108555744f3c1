// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/base.h"

#define SHARES_MAX_PCT 100.5
#define ROUNDING_PCT   0.005 /* of a share with two decimals */
#define NO_ROW         UINT32_MAX

/*
 * Weights while they grow. The rows of one symbol are a linked list, so the row of (symbol, component) is found fast.
 */
struct builder {
	struct weights *w;
	const struct profile *p;
	const struct components *f;
	struct diag *d;
	uint32_t *first_row; /* the symbol's first row; indexed by symbol */
	uint32_t *next_row;  /* the symbol's next row; indexed by row */
	double *children;    /* weight including callees; indexed by symbol; NaN: not known */
	uint32_t *seen;      /* number of the last stack that counted the symbol, + 1; indexed by symbol */
	size_t cap, cap_next;
	bool self_known;
	bool idle_hidden; /* the table has idle rows without a self share */
};

void weights_release(struct weights *w)
{
	free(w->rows);
	*w = (struct weights){};
}

static int weights_no_memory(struct builder *b)
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
		return weights_no_memory(b);
	for (i = 0; i < n; i++)
		b->first_row[i] = NO_ROW;
	return 0;
}

static void builder_release(struct builder *b)
{
	free(b->first_row);
	free(b->next_row);
	free(b->children);
	free(b->seen);
}

/* Finds or adds the row of (symbol, component). */
static struct weight_row *weights_row_of(struct builder *b, uint32_t symbol, unsigned int component)
{
	struct weights *w = b->w;
	uint32_t i;

	for (i = b->first_row[symbol]; i != NO_ROW; i = b->next_row[i])
		if (w->rows[i].component == component)
			return &w->rows[i];
	if (!array_grow(&w->rows, &b->cap, w->nrows, 1, sizeof(*w->rows)) ||
	    !array_grow(&b->next_row, &b->cap_next, w->nrows, 1, sizeof(*b->next_row)))
		return NULL;
	i = (uint32_t)w->nrows++;
	w->rows[i] = (struct weight_row){.symbol = symbol, .component = component};
	b->next_row[i] = b->first_row[symbol];
	b->first_row[symbol] = i;
	return &w->rows[i];
}

/* Adds the weight to the sum of the component's kind. True if this kind is cost. */
static bool book_weight(struct builder *b, unsigned int component, double weight)
{
	switch (components_kind(b->f, component)) {
	case COMPONENT_IDLE:
		b->w->idle += weight;
		return false;
	case COMPONENT_EXCLUDED:
		b->w->excluded += weight;
		return false;
	case COMPONENT_COST:
		break;
	}
	b->w->busy += weight;
	return true;
}

static int add_stack(struct builder *b, size_t n)
{
	const struct profile_stack *s = &b->p->stacks[n];
	const uint32_t *frames = b->p->frames + s->first;
	unsigned int component = components_of_stack(b->f, b->p, s), i;
	struct weight_row *row;

	if (!s->depth || !book_weight(b, component, s->weight))
		return 0;
	b->w->samples += s->samples;
	row = weights_row_of(b, frames[0], component);
	if (!row)
		return weights_no_memory(b);
	row->samples += s->samples;
	row->irqs_off += s->irqs_off ? s->samples : 0;
	row->self += s->weight;
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
		    !weights_row_of(b, i, components_of_symbol(b->f, b->p, i)))
			return weights_no_memory(b);
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

/* Adds one row of perf's table. add_table() computes the busy weight after all rows. */
static int add_table_row(struct builder *b, const struct profile_row *in)
{
	unsigned int component = components_of_symbol(b->f, b->p, in->symbol);
	struct weight_row *row;

	if (components_kind(b->f, component) != COMPONENT_COST) {
		b->idle_hidden |= in->self_pct < 0;
		book_weight(b, component, in->self_pct > 0 ? in->self_pct : 0);
		return 0;
	}
	row = weights_row_of(b, in->symbol, component);
	if (!row)
		return weights_no_memory(b);
	row->samples += in->samples;
	if (in->self_pct >= 0) {
		row->self += in->self_pct;
		b->self_known = true;
	}
	b->children[in->symbol] += in->children_pct >= 0 ? in->children_pct : NAN;
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
	if (!b->w->nrows)
		return 0;
	if (b->idle_hidden)
		return diag_set(
			b->d, -EINVAL,
			"the table has idle symbols and no self shares, so busy cannot be distinguished from idle; run "
			"perf report with --no-children or -F +overhead");
	busy = 100 - b->w->idle - b->w->excluded;
	b->w->busy = busy > 0 ? busy : 0;
	b->w->samples = (uint64_t)llround((double)b->p->samples * b->w->busy / 100);
	return 0;
}

/*
 * In a table the children share may include idle stacks, which cannot be subtracted. A share above the whole busy
 * weight is therefore not known.
 */
static int weights_finish(struct builder *b)
{
	struct weights *w = b->w;
	double rest = 1;

	for (size_t i = 0; i < w->nrows; i++) {
		struct weight_row *r = &w->rows[i];

		r->children = b->children[r->symbol];
		if (r->children / w->busy * 100 > SHARES_MAX_PCT)
			r->children = NAN;
		if (!b->self_known)
			r->self = NAN;
		rest -= r->self / w->busy;
	}
	w->absent = !b->self_known ? NAN : b->p->nrows ? b->p->absent_pct / w->busy : 0;
	if (-100 * rest > SHARES_MAX_PCT - 100 + ROUNDING_PCT * (double)b->p->nrows)
		return diag_set(b->d, -ERANGE,
				"the shares of busy symbols add up to %.2f %% of the busy time; record the busy CPU "
				"alone, so that less of it is idle",
				100 - 100 * rest);
	return 0;
}

int weights_build(struct weights *w, const struct profile *p, const struct components *f, struct diag *d)
{
	struct builder b = {.w = w, .p = p, .f = f, .d = d};
	int err;

	*w = (struct weights){};
	err = builder_init(&b);
	if (!err)
		err = p->nrows ? add_table(&b) : add_stacks(&b);
	if (!err && !(w->busy > 0))
		err = diag_set(d, -EINVAL, w->idle > 0 ? "no busy samples, all are idle" : "no busy samples");
	if (!err)
		err = weights_finish(&b);
	builder_release(&b);
	if (err)
		weights_release(w);
	return err;
}
