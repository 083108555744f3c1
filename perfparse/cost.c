// SPDX-License-Identifier: GPL-2.0-or-later
/* What samples weigh, by symbol and component, and what that costs a packet. */
#include "perfparse/perfparse.h"

#define SHARES_MAX_PCT 100.5
#define ROUNDING_PCT   0.005 /* of a share with two decimals */
#define NO_ROW         UINT32_MAX

/* ---- weights --------------------------------------------------------------------------------------------- */

/* Weights while they grow. The rows of one symbol are a list, so that the row of (symbol, component) is found fast. */
struct builder {
	struct weights *w;
	const struct profile *p;
	const struct components *f;
	struct diag *d;
	uint32_t *first_row; /* the symbol's first row; indexed by symbol */
	uint32_t *next_row;  /* the symbol's next row; indexed by row */
	double *children;    /* weight including callees; indexed by symbol; NaN: not known */
	size_t cap, cap_next;
	bool self_known;
};

void weights_release(struct weights *w)
{
	free(w->rows);
	*w = (struct weights){};
}

/* Finds or adds the row of (symbol, component). */
static struct weight_row *row_of(struct builder *b, uint32_t symbol, unsigned int component)
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
static bool book(struct builder *b, unsigned int component, double weight)
{
	enum component_kind kind = b->f->list[component].kind;

	*(kind == COMPONENT_IDLE ? &b->w->idle : kind == COMPONENT_EXCLUDED ? &b->w->excluded : &b->w->busy) += weight;
	return kind == COMPONENT_COST;
}

/* seen[]: the number of the last stack that counted the symbol, + 1. */
static int add_stacks(struct builder *b, uint32_t *seen)
{
	const struct profile *p = b->p;
	struct weight_row *row;

	b->self_known = true;
	for (uint32_t n = 0; n < p->nstacks; n++) {
		const struct profile_stack *s = &p->stacks[n];
		const uint32_t *frames = p->frames + s->first;
		unsigned int component = components_of_stack(b->f, p, s);

		if (!s->depth || !book(b, component, s->weight))
			continue;
		row = row_of(b, frames[0], component);
		if (!row)
			return -ENOMEM;
		b->w->samples += s->samples;
		row->samples += s->samples;
		row->irqs_off += s->irqs_off ? s->samples : 0;
		row->self += s->weight;
		for (unsigned int i = 0; i < s->depth; i++) {
			if (seen[frames[i]] == n + 1)
				continue;
			seen[frames[i]] = n + 1;
			b->children[frames[i]] += s->weight;
		}
	}
	/* a symbol that only called others costs nothing itself, but what it calls does */
	for (uint32_t i = 0; i < p->nsymbols; i++)
		if (b->children[i] > 0 && b->first_row[i] == NO_ROW && !row_of(b, i, components_of_symbol(b->f, p, i)))
			return -ENOMEM;
	return 0;
}

/* Adds perf's table, whose busy weight is what idle and excluded rows leave. */
static int add_table(struct builder *b)
{
	const struct profile *p = b->p;
	struct weights *w = b->w;
	bool idle_hidden = false; /* it has idle rows without a self share */
	double sum_pct = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct profile_row *in = &p->rows[i];
		unsigned int component = components_of_symbol(b->f, p, in->symbol);
		struct weight_row *row;

		sum_pct += fmax(0, in->self_pct);
		if (!book(b, component, fmax(0, in->self_pct))) {
			idle_hidden |= in->self_pct < 0;
			continue;
		}
		row = row_of(b, in->symbol, component);
		if (!row)
			return -ENOMEM;
		row->samples += in->samples;
		row->self += fmax(0, in->self_pct);
		b->self_known |= in->self_pct >= 0;
		b->children[in->symbol] += in->children_pct >= 0 ? in->children_pct : NAN;
	}
	if (sum_pct > SHARES_MAX_PCT + ROUNDING_PCT * (double)p->nrows)
		return diag_set(b->d, -ERANGE, "the shares add up to %.2f %%; this is not one table of one event",
				sum_pct);
	if (w->nrows && idle_hidden)
		return diag_set(
			b->d, -EINVAL,
			"the table has idle symbols and no self shares, so busy cannot be distinguished from idle; "
			"run perf report with --no-children or -F +overhead");
	w->busy = w->nrows ? fmax(0, 100 - w->idle - w->excluded) : 0;
	w->samples = (uint64_t)llround((double)p->samples * w->busy / 100);
	return 0;
}

int weights_build(struct weights *w, const struct profile *p, const struct components *f, struct diag *d)
{
	struct builder b = {.w = w, .p = p, .f = f, .d = d};
	uint32_t *seen = calloc(p->nsymbols + 1, sizeof(*seen));
	double rest = 1;
	int err = -ENOMEM;

	*w = (struct weights){};
	b.first_row = malloc((p->nsymbols + 1) * sizeof(*b.first_row));
	b.children = calloc(p->nsymbols + 1, sizeof(*b.children));
	if (seen && b.first_row && b.children) {
		memset(b.first_row, 0xff, (p->nsymbols + 1) * sizeof(*b.first_row)); /* NO_ROW */
		err = p->nrows ? add_table(&b) : add_stacks(&b, seen);
	}
	if (err == -ENOMEM)
		diag_set(d, err, "out of memory");
	if (!err && !(w->busy > 0))
		err = diag_set(d, -EINVAL, w->idle > 0 ? "no busy samples, all are idle" : "no busy samples");
	/*
	 * In a table the children share may include idle stacks, which cannot be subtracted. A share above the whole
	 * busy weight is therefore not known.
	 */
	for (struct weight_row *r = w->rows; !err && r < w->rows + w->nrows; r++) {
		r->children = b.children[r->symbol];
		if (r->children / w->busy * 100 > SHARES_MAX_PCT)
			r->children = NAN;
		if (!b.self_known)
			r->self = NAN;
		rest -= r->self / w->busy;
	}
	w->absent = !b.self_known ? NAN : p->nrows ? p->absent_pct / w->busy : 0;
	if (!err && -100 * rest > SHARES_MAX_PCT - 100 + ROUNDING_PCT * (double)p->nrows)
		err = diag_set(d, -ERANGE,
			       "the shares of busy symbols add up to %.2f %% of the busy time; record the busy CPU "
			       "alone, so that less of it is idle",
			       100 - 100 * rest);
	free(seen);
	free(b.first_row);
	free(b.next_row);
	free(b.children);
	if (err)
		weights_release(w);
	return err;
}

/* ---- costs ----------------------------------------------------------------------------------------------- */

void cost_table_release(struct cost_table *t)
{
	free(t->rows);
	*t = (struct cost_table){};
}

/* The interval of a share, times the base; NaN without samples. */
static void set_interval(const struct cost_table *t, double share, double samples, double ci95_ns[2])
{
	stats_wilson(fmin(1, share), samples, ci95_ns);
	ci95_ns[0] *= t->base_ns;
	ci95_ns[1] *= t->base_ns;
}

static double or_least(double v)
{
	return isnan(v) ? -1 : v;
}

/* The largest first; equal ones keep the order of the text. */
static int compare_weights(const void *a, const void *b)
{
	const struct weight_row *const *x = a, *const *y = b;

	return ORDER(or_least((*y)->self), or_least((*x)->self))
		       ?: ORDER(or_least((*y)->children), or_least((*x)->children))
		       ?: ORDER(*x, *y);
}

int cost_table_build(struct cost_table *t, const struct profile *p, const struct components *f, double base_ns,
		     struct diag *d)
{
	const struct weight_row **sorted;
	double sum_ns = 0;
	struct weights w;
	int err;

	*t = (struct cost_table){};
	if (!(base_ns > 0) || !isfinite(base_ns))
		return diag_set(d, -EINVAL, "the cost of a packet has to be above 0 ns, not %g", base_ns);
	err = weights_build(&w, p, f, d);
	if (err)
		return err;
	sorted = malloc((w.nrows + 1) * sizeof(*sorted));
	t->rows = malloc((w.nrows + 1) * sizeof(*t->rows));
	if (!sorted || !t->rows) {
		err = diag_set(d, -ENOMEM, "out of memory");
		goto out;
	}
	t->base_ns = base_ns;
	t->samples = w.samples;
	t->busy_weight = w.busy;
	t->idle_weight = w.idle;
	t->excluded_weight = w.excluded;
	for (size_t i = 0; i < w.nrows; i++) {
		sorted[i] = &w.rows[i];
		sum_ns += w.rows[i].self / w.busy * base_ns;
	}
	t->unattributed_ns = isnan(w.absent) ? NAN : base_ns - sum_ns;
	t->unattributed_pct = 100 * t->unattributed_ns / base_ns;
	t->absent_ns = w.absent * base_ns;
	qsort(sorted, w.nrows, sizeof(*sorted), compare_weights);
	for (; t->nrows < w.nrows; t->nrows++) {
		const struct weight_row *from = sorted[t->nrows];
		const struct profile_symbol *y = &p->symbols[from->symbol];
		double self = from->self / t->busy_weight, children = from->children / t->busy_weight;
		struct cost_row *row = &t->rows[t->nrows];

		*row = (struct cost_row){
			.name = y->name,
			.dso = y->dso,
			.space = y->space,
			.component = from->component,
			.samples = from->samples,
			.irqs_off = from->irqs_off,
			.self_pct = isnan(self) ? -1 : self * 100,
			.self_ns = isnan(self) ? -1 : self * t->base_ns,
			.children_pct = isnan(children) ? -1 : children * 100,
			.children_ns = isnan(children) ? -1 : children * t->base_ns,
			.tags = components_tags_of_symbol(f, p, from->symbol),
		};
		set_interval(t, self, isnan(self) ? 0 : (double)t->samples, row->ci95_ns);
	}
out:
	free(sorted);
	weights_release(&w);
	if (err)
		cost_table_release(t);
	return err;
}

bool cost_table_cut_short(const struct cost_table *t)
{
	return t->absent_ns > 0.0005 * t->base_ns;
}

static int compare_components(const void *a, const void *b)
{
	const struct cost_component *x = a, *y = b;

	return ORDER(y->self_ns, x->self_ns) ?: ORDER(x->component, y->component);
}

struct cost_component *cost_table_groups(const struct cost_table *t, const struct components *f, bool tags, size_t *n)
{
	size_t count = tags ? f->ntags : f->n;
	struct cost_component *sums = calloc(count + 1, sizeof(*sums)), *sum = sums;

	if (!sums)
		return NULL;
	for (const struct cost_row *row = t->rows; row < t->rows + t->nrows; row++)
		for (size_t k = 0; k < count && row->self_pct > 0; k++)
			if (tags ? row->tags >> k & 1 : row->component == k) {
				sums[k].self_pct += row->self_pct;
				sums[k].samples += row->samples;
			}
	for (size_t k = 0; k < count; k++) {
		if (sums[k].self_pct <= 0)
			continue;
		*sum = sums[k];
		sum->component = (unsigned int)k;
		sum->name = tags ? f->tags[sum->component].name : f->list[sum->component].name;
		sum->self_ns = sum->self_pct / 100 * t->base_ns;
		set_interval(t, sum->self_pct / 100, (double)t->samples, sum->ci95_ns);
		sum++;
	}
	*n = (size_t)(sum - sums);
	qsort(sums, *n, sizeof(*sums), compare_components);
	return sums;
}
