// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/exact.h"

#define SMALLEST 0.001 /* the last digit that is shown */

double exact_check_bound(const struct exact_diff_row *row)
{
	return row->exact ? 0 : row->base.residual + row->new.residual;
}

enum exact_verdict exact_check_function(const struct exact_diff_row *row)
{
	double bound = exact_check_bound(row), least = SMALLEST / 2; /* counts are rounded to the sixth decimal */

	if (row->change > bound + least)
		return EXACT_MORE;
	return row->change < -bound - least ? EXACT_LESS : EXACT_SAME;
}

int exact_check_build(struct exact_check *c, const struct exact *base, const struct exact *new,
		      const struct symkeys *keys, struct diag *d)
{
	int err = 0;

	*c = (struct exact_check){.base = base, .new = new, .rows = calloc(new->nvariants + 1, sizeof(*c->rows))};
	if (!c->rows)
		err = -ENOMEM;
	for (size_t i = 0; i < new->nvariants && !err; i++) {
		struct exact_check_row *row = &c->rows[c->nrows++];
		const struct exact_variant *from = exact_find(base, new->variants[i].id, NULL);
		struct made was, is;

		*row = (struct exact_check_row){.new = &new->variants[i], .verdict = EXACT_NEW};
		if (!from)
			continue;
		err = exact_diff_build(&row->diff, (struct exact_side){base, from}, (struct exact_side){new, row->new},
				       keys);
		row->verdict = EXACT_SAME;
		for (size_t k = 0; k < row->diff.nrows && row->verdict != EXACT_MORE; k++)
			if (exact_check_function(&row->diff.rows[k]) != EXACT_SAME)
				row->verdict = exact_check_function(&row->diff.rows[k]);
		was = exact_made(base, from), is = exact_made(new, row->new);
		made_differs(&was, from->id, &is, row->new->id, row->made, sizeof(row->made));
	}
	if (err)
		diag_set(d, err, "no memory");
	else if (exact_check_count(c, EXACT_NEW) == c->nrows)
		err = diag_set(d, -ENOENT, "the two runs have no variant in common");
	if (err)
		exact_check_release(c);
	return err;
}

void exact_check_release(struct exact_check *c)
{
	for (size_t i = 0; i < c->nrows; i++)
		exact_diff_release(&c->rows[i].diff);
	free(c->rows);
	*c = (struct exact_check){};
}

size_t exact_check_count(const struct exact_check *c, enum exact_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++)
		n += c->rows[i].verdict == verdict;
	return n;
}
