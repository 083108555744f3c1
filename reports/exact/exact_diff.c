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

/* Rows of both sides that belong together become one, the largest change first. */
static int join_rows(struct exact_diff *d, bool components, struct exact_diff_row **rows, size_t *n)
{
	struct symjoin j = {.keys = components ? NULL : d->keys};

	*rows = calloc(d->base->nrows + d->new->nrows + d->base->ncomponents + d->new->ncomponents + 1, sizeof(**rows));
	if (!*rows || symjoin_room(&j, d->base->nrows + d->new->nrows + d->base->ncomponents + d->new->ncomponents))
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		const struct exact_variant *v = side ? d->new : d->base;
		const struct exact_row *row = components ? v->components : v->rows;

		for (const struct exact_row *end = row + (components ? v->ncomponents : v->nrows); row < end; row++)
			symjoin_add(&j, side, row, row->name, "");
	}
	symjoin_sort(&j);
	for (size_t from = 0, to; from < j.n; from = to) {
		to = symjoin_end(&j, from);
		/*
		 * Several symbols of one side may have one key ("f" and "f.cold"): the row holds their sum. Residuals
		 * add up as well: the sum cannot be farther from the model.
		 */
		const struct exact_row *first = j.entries[from].row;
		struct exact_diff_row row = {.name = first->name, .component = first->component, .exact = true};
		bool named_by_new = j.entries[from].is_new;
		exact_cost_init(&row.base, d->base);
		exact_cost_init(&row.new, d->new);
		for (const struct symjoin_entry *e = &j.entries[from]; e < &j.entries[to]; e++) {
			const struct exact_row *part = e->row;
			struct exact_cost *sum = e->is_new ? &row.new : &row.base;

			if (e->is_new && !named_by_new) {
				row.name = part->name;
				row.component = part->component;
				named_by_new = true;
			}
			for (int t = 0; t < EXACT_TERMS; t++)
				sum->instructions[t] += part->cost.instructions[t];
			for (int i = 0; i < EXACT_MEMORY; i++) {
				sum->memory[i] += part->cost.memory[i];
				sum->memory_residual[i] += part->cost.memory_residual[i];
			}
			sum->calls += part->cost.calls;
			sum->residual += part->cost.residual;
			sum->exact &= part->cost.exact;
			row.exact &= part->cost.exact;
		}
		row.change = row.new.instructions[EXACT_PACKET] - row.base.instructions[EXACT_PACKET];
		row.footprint = row.new.memory[EXACT_FOOT_LINES] - row.base.memory[EXACT_FOOT_LINES];
		(*rows)[(*n)++] = row;
	}
	qsort(*rows, *n, sizeof(**rows), by_change);
	symjoin_release(&j);
	return 0;
}

int exact_diff_build(struct exact_diff *d, struct exact_side base, struct exact_side new, const struct symkeys *keys)
{
	int err;

	*d = (struct exact_diff){.base_run = base.run, .new_run = new.run, .base = base.v, .new = new.v, .keys = keys};
	d->change = new.v->total.instructions[EXACT_PACKET] - base.v->total.instructions[EXACT_PACKET];
	err = join_rows(d, false, &d->rows, &d->nrows) ?: join_rows(d, true, &d->components, &d->ncomponents)
		      ?: exact_diff_lines(d);
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
