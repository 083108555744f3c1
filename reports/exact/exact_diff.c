// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/exact.h"

static int by_change(const void *a, const void *b)
{
	const struct exact_diff_row *x = a, *y = b;

	return ORDER(fabs(y->change), fabs(x->change))
		       ?: ORDER(fabs(y->footprint), fabs(x->footprint))
		       ?: ORDER(y->new.instructions[EXACT_PACKET], x->new.instructions[EXACT_PACKET])
		       ?: strcmp(x->name, y->name);
}

/* Several symbols of one side may have one key ("f" and "f.cold"): the row holds their sum. */
static struct exact_diff_row exact_diff_row_of(const struct exact_diff *d, const struct symjoin_entry *e,
					       const struct symjoin_entry *end)
{
	const struct exact_row *first = e->row;
	struct exact_diff_row row = {.name = first->name, .component = first->component, .exact = true};
	bool named_by_new = e->is_new;

	exact_cost_init(&row.base, d->base);
	exact_cost_init(&row.new, d->new);
	for (; e < end; e++) {
		const struct exact_row *from = e->row;

		if (e->is_new && !named_by_new) {
			row.name = from->name;
			row.component = from->component;
			named_by_new = true;
		}
		exact_cost_add(e->is_new ? &row.new : &row.base, &from->cost);
		row.exact &= from->cost.exact;
	}
	row.change = row.new.instructions[EXACT_PACKET] - row.base.instructions[EXACT_PACKET];
	row.footprint = row.new.memory[EXACT_FOOT_LINES] - row.base.memory[EXACT_FOOT_LINES];
	return row;
}

static void exact_diff_add_rows(struct symjoin *j, bool is_new, const struct exact_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		symjoin_add(j, is_new, &rows[i], rows[i].name, "");
}

/* *rows and *n receive a row for each group of j, the largest change first. */
static void exact_diff_make_rows(const struct exact_diff *d, struct symjoin *j, struct exact_diff_row *rows, size_t *n)
{
	symjoin_sort(j);
	for (size_t from = 0, to; from < j->n; from = to) {
		to = symjoin_end(j, from);
		rows[(*n)++] = exact_diff_row_of(d, &j->entries[from], &j->entries[to]);
	}
	qsort(rows, *n, sizeof(*rows), by_change);
}

static int join_symbols(struct exact_diff *d)
{
	struct symjoin j = {.keys = d->keys};
	size_t most = d->base->nrows + d->new->nrows;

	d->rows = calloc(most + 1, sizeof(*d->rows));
	if (!d->rows || symjoin_room(&j, most))
		return -ENOMEM;
	exact_diff_add_rows(&j, false, d->base->rows, d->base->nrows);
	exact_diff_add_rows(&j, true, d->new->rows, d->new->nrows);
	exact_diff_make_rows(d, &j, d->rows, &d->nrows);
	symjoin_release(&j);
	return 0;
}

static int join_components(struct exact_diff *d)
{
	struct symjoin j = {};
	size_t most = d->base->ncomponents + d->new->ncomponents;

	d->components = calloc(most + 1, sizeof(*d->components));
	if (!d->components || symjoin_room(&j, most))
		return -ENOMEM;
	exact_diff_add_rows(&j, false, d->base->components, d->base->ncomponents);
	exact_diff_add_rows(&j, true, d->new->components, d->new->ncomponents);
	exact_diff_make_rows(d, &j, d->components, &d->ncomponents);
	symjoin_release(&j);
	return 0;
}

int exact_diff_build(struct exact_diff *d, struct exact_side base, struct exact_side new, const struct symkeys *keys)
{
	int err;

	*d = (struct exact_diff){.base_run = base.run, .new_run = new.run, .base = base.v, .new = new.v, .keys = keys};
	d->change = new.v->total.instructions[EXACT_PACKET] - base.v->total.instructions[EXACT_PACKET];
	err = join_symbols(d) ?: join_components(d) ?: exact_diff_lines(d);
	if (err)
		exact_diff_release(d);
	return err;
}

size_t exact_diff_mitigations(const struct exact_diff *d, char *words, size_t size)
{
	return made_config_differs(d->base_run->mitigations, d->new_run->mitigations, words, size);
}

void exact_diff_release(struct exact_diff *d)
{
	free(d->rows);
	free(d->components);
	free(d->lines);
	*d = (struct exact_diff){};
}

int exact_diff_renames(struct symkeys **keys, const char *path, const struct exact *base, const struct exact *new,
		       struct diag *d)
{
	*keys = NULL;
	if (!path && !strcmp(base->kernel, new->kernel))
		return 0;
	return symkeys_read(keys, path, d);
}

bool exact_diff_footprint(const struct exact_diff *d, char *words, size_t size)
{
	words[0] = '\0';
	return d->new_run->footprint_frames == d->base_run->footprint_frames &&
	       exact_footprint_words(d->new_run, d->new, d->base, words, size);
}
