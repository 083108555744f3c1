// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

int overview_build(struct overview *v, const struct analysis *a, struct diag *d)
{
	int err = 0;

	v->of = a;
	v->nrows = 0;
	v->rows = calloc(a->nvariants + 1, sizeof(*v->rows));
	if (!v->rows)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < a->nvariants; i++) {
		/* Puts the variant into the row of its name if its place there is still free, else into a new row. */
		const struct analysis_variant *variant = &a->variants[i];
		const struct run_variant *of = variant->variant;
		bool part = run_variant_is_watched(of) && of->operation != RUN_PART_ALL;
		bool second = part ? of->operation == RUN_PART_AFTER : of->mode == RUN_MODE_SKB;
		const char *end = part ? strrchr(of->id, '/') : strrchr(of->id, '@');
		struct overview_row *row = v->rows, new = {.kind = OVERVIEW_ALONE};

		if (end && (part || of->mode == RUN_MODE_NATIVE || of->mode == RUN_MODE_SKB))
			new.kind = part ? OVERVIEW_PARTS : OVERVIEW_MODES;
		snprintf(new.name, sizeof(new.name), "%.*s", new.kind == OVERVIEW_ALONE ? -1 : (int)(end - of->id),
			 of->id);
		while (row < v->rows + v->nrows &&
		       (row->kind != new.kind || strcmp(row->name, new.name) || (second ? row->skb : row->native)))
			row++;
		if (row == v->rows + v->nrows) {
			v->nrows++;
			*row = new;
		}
		*(second ? &row->skb : &row->native) = variant;
	}
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
