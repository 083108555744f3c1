// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/exact_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "perfparse/symkey.h"

static int by_change(const void *a, const void *b)
{
	const struct exact_diff_row *x = a, *y = b;
	double d = fabs(y->change) - fabs(x->change);

	if (d == 0)
		d = y->new.instructions[EXACT_PACKET] - x->new.instructions[EXACT_PACKET];
	return d > 0 ? 1 : d < 0 ? -1 : strcmp(x->name, y->name);
}

static bool same(const struct exact_row *a, const struct exact_row *b)
{
	char x[SYMKEY_BYTES], y[SYMKEY_BYTES];

	symkey(NULL, a->name, "", x);
	symkey(NULL, b->name, "", y);
	return !strcmp(x, y);
}

static void cost_add(struct exact_cost *sum, const struct exact_cost *cost)
{
	for (int t = 0; t < EXACT_TERMS; t++)
		sum->instructions[t] += cost->instructions[t];
	sum->calls += cost->calls;
	sum->residual = fmax(sum->residual, cost->residual);
}

/* Several symbols of one side may have one key ("f" and "f.cold"): the row holds their sum. */
static int join(struct exact_diff_row **rows, size_t *n, const struct exact_row *base, size_t nbase,
		const struct exact_row *new, size_t nnew)
{
	const struct exact_row **of = calloc(nbase + nnew + 1, sizeof(*of));
	struct exact_diff_row *row;

	*n = 0;
	*rows = calloc(nbase + nnew + 1, sizeof(**rows));
	if (!of || !*rows) {
		free(of);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nbase + nnew; i++) {
		const struct exact_row *from = i < nbase ? &base[i] : &new[i - nbase];
		size_t k = 0;

		while (k < *n && !same(of[k], from))
			k++;
		row = &(*rows)[k];
		if (k == *n) {
			of[(*n)++] = from;
			row->exact = true;
		}
		if (!row->name || i >= nbase) {
			row->name = from->name;
			row->facility = from->facility;
		}
		cost_add(i < nbase ? &row->base : &row->new, &from->cost);
		row->exact &= from->cost.exact;
	}
	for (size_t k = 0; k < *n; k++)
		(*rows)[k].change =
			(*rows)[k].new.instructions[EXACT_PACKET] - (*rows)[k].base.instructions[EXACT_PACKET];
	qsort(*rows, *n, sizeof(**rows), by_change);
	free(of);
	return 0;
}

int exact_diff_build(struct exact_diff *d, const struct exact *base_run, const struct exact_variant *base,
		     const struct exact *new_run, const struct exact_variant *new)
{
	int err;

	*d = (struct exact_diff){.base_run = base_run, .new_run = new_run, .base = base, .new = new};
	d->change = new->total.instructions[EXACT_PACKET] - base->total.instructions[EXACT_PACKET];
	err = join(&d->rows, &d->nrows, base->rows, base->nrows, new->rows, new->nrows);
	if (!err)
		err = join(&d->facilities, &d->nfacilities, base->facilities, base->nfacilities, new->facilities,
			   new->nfacilities);
	if (err)
		exact_diff_release(d);
	return err;
}

void exact_diff_release(struct exact_diff *d)
{
	free(d->rows);
	free(d->facilities);
	*d = (struct exact_diff){};
}
