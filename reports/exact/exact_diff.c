// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/exact_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_change(const void *a, const void *b)
{
	const struct exact_diff_row *x = a, *y = b;
	double d = fabs(y->change) - fabs(x->change);

	if (d == 0)
		d = y->new.instructions[EXACT_PACKET] - x->new.instructions[EXACT_PACKET];
	return d > 0 ? 1 : d < 0 ? -1 : strcmp(x->name, y->name);
}

/* Symbols of both sides, numbered: base first. */
struct joined {
	const struct exact_row *row;
	size_t index;
	char key[SYMKEY_BYTES];
};

static int by_key(const void *a, const void *b)
{
	const struct joined *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Several symbols of one side may have one key ("f" and "f.cold"): the row holds their sum. */
static void fill_rows(struct exact_diff *d, struct exact_diff_row *rows, size_t *n, const struct joined *all,
		      size_t nall, size_t nbase)
{
	struct exact_diff_row *row = rows;

	*n = 0;
	for (size_t i = 0; i < nall; i++) {
		const struct exact_row *from = all[i].row;
		bool is_new = all[i].index >= nbase, first = !i || strcmp(all[i].key, all[i - 1].key);

		if (first) {
			row = &rows[(*n)++];
			*row = (struct exact_diff_row){.name = from->name, .facility = from->facility, .exact = true};
			exact_cost_init(&row->base, d->base);
			exact_cost_init(&row->new, d->new);
		}
		if (is_new && (first || all[i - 1].index < nbase)) {
			row->name = from->name;
			row->facility = from->facility;
		}
		exact_cost_add(is_new ? &row->new : &row->base, &from->cost);
		row->exact &= from->cost.exact;
		row->change = row->new.instructions[EXACT_PACKET] - row->base.instructions[EXACT_PACKET];
	}
	qsort(rows, *n, sizeof(*rows), by_change);
}

static int join(struct exact_diff *d, bool facilities, const struct symkeys *keys)
{
	const struct exact_row *base = facilities ? d->base->facilities : d->base->rows;
	const struct exact_row *new = facilities ? d->new->facilities : d->new->rows;
	size_t nbase = facilities ? d->base->nfacilities : d->base->nrows;
	size_t nall = nbase + (facilities ? d->new->nfacilities : d->new->nrows);
	struct joined *all = calloc(nall + 1, sizeof(*all));
	struct exact_diff_row *rows = calloc(nall + 1, sizeof(*rows));

	if (!all || !rows) {
		free(all);
		free(rows);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nall; i++) {
		all[i].row = i < nbase ? &base[i] : &new[i - nbase];
		all[i].index = i;
		symkey(facilities ? NULL : keys, all[i].row->name, "", all[i].key);
	}
	qsort(all, nall, sizeof(*all), by_key);
	*(facilities ? &d->facilities : &d->rows) = rows;
	fill_rows(d, rows, facilities ? &d->nfacilities : &d->nrows, all, nall, nbase);
	free(all);
	return 0;
}

int exact_diff_build(struct exact_diff *d, struct exact_side base, struct exact_side new, const struct symkeys *keys)
{
	int err;

	*d = (struct exact_diff){.base_run = base.run, .new_run = new.run, .base = base.v, .new = new.v, .keys = keys};
	d->change = new.v->total.instructions[EXACT_PACKET] - base.v->total.instructions[EXACT_PACKET];
	err = join(d, false, keys);
	if (!err)
		err = join(d, true, NULL);
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

int exact_diff_renames(struct symkeys **keys, const char *path, const struct exact *base, const struct exact *new,
		       struct diag *d)
{
	*keys = NULL;
	if (!path && !strcmp(base->kernel, new->kernel))
		return 0;
	return symkeys_read(keys, path, d);
}
