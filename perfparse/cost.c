// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

void cost_table_init(struct cost_table *t)
{
	memset(t, 0, sizeof(*t));
}

void cost_table_release(struct cost_table *t)
{
	free(t->rows);
	cost_table_init(t);
}

/* The interval of a share, times the base; NaN without samples. */
static void set_interval(const struct cost_table *t, double share, double samples, double ci95_ns[2])
{
	stats_wilson(fmin(1, share), samples, ci95_ns);
	ci95_ns[0] *= t->base_ns;
	ci95_ns[1] *= t->base_ns;
}

static struct cost_row cost_row_of(const struct cost_table *t, const struct weight_row *w, const struct profile *p,
				   const struct components *f)
{
	const struct profile_symbol *y = &p->symbols[w->symbol];
	double self = w->self / t->busy_weight, children = w->children / t->busy_weight;
	struct cost_row row = {
		.name = y->name,
		.dso = y->dso,
		.space = y->space,
		.component = w->component,
		.samples = w->samples,
		.irqs_off = w->irqs_off,
		.self_pct = isnan(self) ? -1 : self * 100,
		.self_ns = isnan(self) ? -1 : self * t->base_ns,
		.children_pct = isnan(children) ? -1 : children * 100,
		.children_ns = isnan(children) ? -1 : children * t->base_ns,
		.tags = components_tags_of_symbol(f, p, w->symbol),
	};

	set_interval(t, self, isnan(self) ? 0 : (double)t->samples, row.ci95_ns);
	return row;
}

/* Rows with equal shares keep the order of the text: index is the position at which a row was added. */
struct keyed_row {
	struct cost_row row;
	size_t index;
};

static int compare_rows(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;

	return ORDER(y->row.self_ns, x->row.self_ns) ?: ORDER(y->row.children_ns, x->row.children_ns)
						     ?: ORDER(x->index, y->index);
}

static int cost_fill(struct cost_table *t, const struct weights *w, const struct profile *p, const struct components *f)
{
	struct keyed_row *k = malloc((w->nrows + 1) * sizeof(*k));
	double sum_ns = 0;

	t->rows = malloc((w->nrows + 1) * sizeof(*t->rows));
	if (!k || !t->rows) {
		free(k);
		return -ENOMEM;
	}
	t->samples = w->samples;
	t->busy_weight = w->busy;
	t->idle_weight = w->idle;
	t->excluded_weight = w->excluded;
	for (size_t i = 0; i < w->nrows; i++) {
		k[i] = (struct keyed_row){cost_row_of(t, &w->rows[i], p, f), i};
		sum_ns += k[i].row.self_ns;
	}
	t->unattributed_ns = isnan(w->absent) ? NAN : t->base_ns - sum_ns;
	t->unattributed_pct = 100 * t->unattributed_ns / t->base_ns;
	t->absent_ns = w->absent * t->base_ns;
	qsort(k, w->nrows, sizeof(*k), compare_rows);
	for (; t->nrows < w->nrows; t->nrows++)
		t->rows[t->nrows] = k[t->nrows].row;
	free(k);
	return 0;
}

int cost_table_build(struct cost_table *t, const struct profile *p, const struct components *f, double base_ns,
		     struct diag *d)
{
	struct weights w;
	int err;

	cost_table_init(t);
	if (!(base_ns > 0) || !isfinite(base_ns))
		return diag_set(d, -EINVAL, "the cost of a packet has to be above 0 ns, not %g", base_ns);
	t->base_ns = base_ns;
	err = weights_build(&w, p, f, d);
	if (!err && cost_fill(t, &w, p, f))
		err = diag_set(d, -ENOMEM, "out of memory");
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

static void add_to_group(struct cost_component *sum, const struct cost_row *row)
{
	sum->self_pct += row->self_pct;
	sum->samples += row->samples;
}

/* Keeps the groups that have a row, computes their costs, and puts the largest first. Returns how many there are. */
static size_t finish_groups(const struct cost_table *t, struct cost_component *sums, size_t count)
{
	struct cost_component *sum;
	size_t i, used = 0;

	for (i = 0; i < count; i++) {
		if (sums[i].self_pct <= 0)
			continue;
		sum = &sums[used++];
		*sum = sums[i];
		sum->component = (unsigned int)i;
		sum->self_ns = sum->self_pct / 100 * t->base_ns;
		set_interval(t, sum->self_pct / 100, (double)t->samples, sum->ci95_ns);
	}
	qsort(sums, used, sizeof(*sums), compare_components);
	return used;
}

struct cost_component *cost_table_components(const struct cost_table *t, const struct components *f, size_t *n)
{
	struct cost_component *sums = calloc(components_count(f), sizeof(*sums));
	size_t i;

	if (!sums)
		return NULL;
	for (i = 0; i < t->nrows; i++)
		if (t->rows[i].self_pct > 0)
			add_to_group(&sums[t->rows[i].component], &t->rows[i]);
	*n = finish_groups(t, sums, components_count(f));
	return sums;
}

struct cost_component *cost_table_tags(const struct cost_table *t, const struct components *f, size_t *n)
{
	size_t count = components_tag_count(f), i, k;
	struct cost_component *sums = calloc(count + 1, sizeof(*sums));

	if (!sums)
		return NULL;
	for (i = 0; i < t->nrows; i++)
		for (k = 0; k < count; k++)
			if (t->rows[i].self_pct > 0 && t->rows[i].tags >> k & 1)
				add_to_group(&sums[k], &t->rows[i]);
	*n = finish_groups(t, sums, count);
	return sums;
}
