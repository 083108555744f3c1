// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of two sides, matched by their text. */
#include "reports/exact/exact.h"

struct keyed {
	const struct exact_line *line;
	char function[SYMKEY_BYTES];
};

static int exact_line_diff_by_text(const struct keyed *x, const struct keyed *y)
{
	int by = strcmp(x->function, y->function);

	return by ? by : strcmp(x->line->text, y->line->text);
}

/* Lines of one text are in the order in which the source has them. */
static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return exact_line_diff_by_text(x, y) ?: ORDER(x->line->number, y->line->number);
}

static struct keyed *keyed_lines(const struct exact_variant *v, const struct symkeys *keys)
{
	struct keyed *list = calloc(v->nlines + 1, sizeof(*list));

	for (size_t i = 0; list && i < v->nlines; i++) {
		list[i].line = &v->lines[i];
		symkey(keys, v->lines[i].function, v->lines[i].module, list[i].function);
	}
	if (list)
		qsort(list, v->nlines, sizeof(*list), by_key);
	return list;
}

static double instructions(const struct exact_line *line)
{
	return line ? line->cost.instructions[EXACT_PACKET] : 0;
}

static int by_change(const void *a, const void *b)
{
	const struct exact_line_change *x = a, *y = b;
	const struct exact_line *of_x = x->new ? x->new : x->base, *of_y = y->new ? y->new : y->base;

	return ORDER(fabs(y->change), fabs(x->change)) ?: ORDER(y->new_instructions, x->new_instructions)
						       ?: strcmp(of_x->file, of_y->file)
						       ?: ORDER(of_x->number, of_y->number);
}

int exact_diff_lines(struct exact_diff *d)
{
	struct keyed *base, *new;
	int err = -ENOMEM;

	if (!d->base->nlines || !d->new->nlines)
		return 0;
	d->lines = calloc(d->base->nlines + d->new->nlines, sizeof(*d->lines));
	base = keyed_lines(d->base, d->keys);
	new = keyed_lines(d->new, d->keys);
	if (d->lines && base && new) {
		size_t b = 0, n = 0;

		while (b < d->base->nlines || n < d->new->nlines) {
			int by = b == d->base->nlines  ? 1
				 : n == d->new->nlines ? -1
						       : exact_line_diff_by_text(&base[b], &new[n]);

			const struct exact_line *was = by <= 0 ? base[b].line : NULL,
						*is = by >= 0 ? new[n].line : NULL;

			d->lines[d->nlines++] = (struct exact_line_change){
				.base = was,
				.new = is,
				.base_instructions = instructions(was),
				.new_instructions = instructions(is),
				.change = instructions(is) - instructions(was),
				.exact = (!was || was->cost.exact) && (!is || is->cost.exact),
			};
			b += by <= 0;
			n += by >= 0;
		}
		qsort(d->lines, d->nlines, sizeof(*d->lines), by_change);
		err = 0;
	}
	free(base);
	free(new);
	return err;
}
