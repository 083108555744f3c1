// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/overview.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_row(char *name, size_t size, const struct run_variant *v)
{
	bool beside = v->mode == RUN_MODE_NATIVE || v->mode == RUN_MODE_SKB;
	const char *at = strrchr(v->id, '@');

	if (beside && at)
		snprintf(name, size, "%.*s", (int)(at - v->id), v->id);
	else
		snprintf(name, size, "%s", v->id);
}

/* Puts the variant into the row of its name if its place there is still free, else into a new row. */
static void place_variant(struct overview *v, const struct analysis_variant *variant)
{
	bool is_skb = variant->variant->mode == RUN_MODE_SKB;
	struct overview_row *row = v->rows;
	char name[sizeof(row->name)];

	name_row(name, sizeof(name), variant->variant);
	while (row < v->rows + v->nrows && (strcmp(row->name, name) || (is_skb ? row->skb : row->native)))
		row++;
	if (row == v->rows + v->nrows) {
		v->nrows++;
		memcpy(row->name, name, sizeof(name));
	}
	*(is_skb ? &row->skb : &row->native) = variant;
}

int overview_build(struct overview *v, const struct analysis *a, struct diag *d)
{
	int err = 0;

	v->of = a;
	v->nrows = 0;
	v->rows = calloc(a->nvariants + 1, sizeof(*v->rows));
	if (!v->rows)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < a->nvariants; i++)
		place_variant(v, &a->variants[i]);
	for (size_t i = 0; i < v->nrows && !err; i++) {
		struct overview_row *row = &v->rows[i];

		row->have_difference = row->native && row->skb && row->native->nused && row->skb->nused;
		if (row->have_difference)
			err = compare_bases(&row->difference, row->native, row->skb);
	}
	if (err) {
		overview_release(v);
		return diag_set(d, err, "out of memory");
	}
	return 0;
}

void overview_release(struct overview *v)
{
	free(v->rows);
	v->rows = NULL;
	v->nrows = 0;
}
