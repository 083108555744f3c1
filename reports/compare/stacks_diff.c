// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

void stacks_diff_release(struct stacks_diff *d)
{
	free(d->symbols);
	free(d->names);
	free(d->rows);
	free(d->frames);
	memset(d, 0, sizeof(*d));
}

/*
 * Fills d->symbols with one symbol per key, in the order of keys. to[] receives, for each symbol of base and then of
 * new, its index in d->symbols.
 */
static int join_symbols(struct stacks_diff *d, const struct stacks *base, const struct stacks *new,
			const struct symkeys *keys, uint32_t *to)
{
	struct symjoin j = {.keys = keys};
	size_t n = base->nsymbols + new->nsymbols;

	d->symbols = calloc(n + 1, sizeof(*d->symbols));
	d->names = calloc(n + 1, sizeof(*d->names));
	if (!d->symbols || !d->names || symjoin_room(&j, n))
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		const struct stacks *s = side ? new : base;

		for (size_t i = 0; i < s->nsymbols; i++)
			symjoin_add(&j, side, &s->symbols[i], s->symbols[i].name, s->symbols[i].dso);
	}
	symjoin_sort(&j);
	for (size_t from = 0, end; from < n; from = end, d->nsymbols++) {
		end = symjoin_end(&j, from);
		d->symbols[d->nsymbols] = *(const struct profile_symbol *)j.entries[from].row;
		for (const struct symjoin_entry *e = &j.entries[from]; e < &j.entries[end]; e++) {
			const char **name = &d->names[d->nsymbols][e->is_new];

			to[e->index] = (uint32_t)d->nsymbols;
			/* The plain name is shorter than those of the parts that the compiler made of it. */
			if (!*name || strlen(e->name) < strlen(*name))
				*name = e->name;
		}
	}
	symjoin_release(&j);
	return 0;
}

/* Symbols are sorted by their keys, so comparing indices compares keys. */
static int by_path(const void *pa, const void *pb)
{
	const struct stacks_diff_row *a = pa, *b = pb;

	for (unsigned int i = 0; i < a->depth && i < b->depth; i++)
		if (a->frames[i] != b->frames[i])
			return ORDER(a->frames[i], b->frames[i]);
	return ORDER(a->depth, b->depth) ?: (b->base_cost > 0) - (a->base_cost > 0);
}

int stacks_diff_build(struct stacks_diff *d, const struct stacks *base, const struct stacks *new,
		      const struct symkeys *keys)
{
	uint32_t *to = calloc(base->nsymbols + new->nsymbols + 1, sizeof(*to)), *frames;
	const struct stacks *const sides[] = {base, new};
	size_t nframes = 0;
	int err = -ENOMEM;

	memset(d, 0, sizeof(*d));
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->nrows; i++)
			nframes += sides[k]->rows[i].depth;
	d->frames = frames = calloc(nframes + 1, sizeof(*d->frames));
	d->rows = calloc(base->nrows + new->nrows + 1, sizeof(*d->rows));
	if (to && d->frames && d->rows)
		err = join_symbols(d, base, new, keys, to);
	if (!err) {
		for (int k = 0; k < 2; k++)
			for (const struct stacks_row *from = sides[k]->rows; from < sides[k]->rows + sides[k]->nrows;
			     from++) {
				struct stacks_diff_row *row = &d->rows[d->nrows++];

				row->frames = frames;
				row->depth = from->depth;
				row->component = from->component;
				*(k ? &row->new_cost : &row->base_cost) = from->cost;
				*(k ? &row->new_samples : &row->base_samples) = from->samples;
				for (unsigned int i = 0; i < from->depth; i++)
					*frames++ = to[from->frames[i] + (k ? base->nsymbols : 0)];
			}
		qsort(d->rows, d->nrows, sizeof(*d->rows), by_path);
		/* Joins the rows of one path into one. They follow each other. */
		size_t n = 0;
		for (size_t i = 0; i < d->nrows; i++) {
			struct stacks_diff_row *last = &d->rows[n ? n - 1 : 0], *row = &d->rows[i];

			if (!n || !(last->depth == row->depth &&
				    !memcmp(last->frames, row->frames, last->depth * sizeof(*last->frames)))) {
				d->rows[n++] = *row;
				continue;
			}
			last->base_cost += row->base_cost;
			last->new_cost += row->new_cost;
			last->base_samples += row->base_samples;
			last->new_samples += row->new_samples;
		}
		d->nrows = n;
	}
	free(to);
	if (err)
		stacks_diff_release(d);
	return err;
}
