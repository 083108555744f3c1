// SPDX-License-Identifier: GPL-2.0-or-later
/* The source lines of a variant's program: shares of blocks -> cost per line, with intervals. */
#include "reports/analysis/analysis.h"

void shares_free(struct shares *s)
{
	if (s)
		shares_release(s);
	free(s);
}

int block_add_lines(struct shares *out, const struct profile *p, size_t number)
{
	if (!p->nlines)
		return 0;
	out->lines = out->lines ?: calloc(1, sizeof(*out->lines));
	if (!out->lines)
		return -ENOMEM;
	for (size_t i = 0; i < p->nlines; i++) {
		struct share *new = array_add(&out->lines->list, &out->lines->n, sizeof(*new));

		if (!new)
			return -ENOMEM;
		*new = (struct share){
			.name = strdup(p->lines[i].words),
			.dso = strdup(p->symbols[p->lines[i].symbol].name),
			.block = number,
			.samples = p->lines[i].samples,
			.weight = p->lines[i].weight,
			.children_weight = NAN,
		};
		if (!new->name || !new->dso)
			return -ENOMEM;
	}
	return 0;
}

int variant_add_lines(struct analysis_variant *v, struct shares *s)
{
	int err = 0;

	if (!s || !s->n || !v->nsymbols || !run_variant_is_own(v->variant))
		return 0;
	shares_sort_used(s, v);
	v->lines = calloc(s->n + 1, sizeof(*v->lines));
	if (!v->lines)
		return -ENOMEM;
	for (size_t from = 0, to; from < s->n && !err; from = to) {
		for (to = from + 1; to < s->n && shares_alike(&s->list[from], &s->list[to]); to++)
			;
		err = row_of_shares(v, &v->lines[v->nlines++], &s->list[from], &s->list[to]);
	}
	if (!err)
		rows_finish(v, v->lines, v->nlines);
	return err;
}
