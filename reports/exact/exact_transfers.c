// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines transferred, from the machine with two CPUs into the counts of the machine with one. */
#include "reports/exact/exact.h"

static void exact_transfers_take(struct exact_cost *to, const struct exact_cost *from)
{
	to->memory[EXACT_LINES_TRANSFERRED] = from ? from->memory[EXACT_LINES_TRANSFERRED] : 0;
	to->memory_residual[EXACT_LINES_TRANSFERRED] = from ? from->memory_residual[EXACT_LINES_TRANSFERRED] : 0;
}

static const struct exact_row *exact_transfers_find(const struct exact_row *rows, size_t n, const struct exact_row *row)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].name, row->name) && !strcmp(rows[i].module, row->module))
			return &rows[i];
	return NULL;
}

/* A row that the machine with two CPUs alone has gets counts of 0; it is left out when it has no line transferred. */
static int take_rows(struct exact_variant *v, struct exact_row **rows, size_t *n, const struct exact_row *from,
		     size_t nfrom)
{
	struct exact_row *all = realloc(*rows, (*n + nfrom + 1) * sizeof(*all));
	size_t nold = *n;

	if (!all)
		return -ENOMEM;
	*rows = all;
	for (size_t i = 0; i < nold; i++) {
		const struct exact_row *same = exact_transfers_find(from, nfrom, &all[i]);

		exact_transfers_take(&all[i].cost, same ? &same->cost : NULL);
	}
	for (size_t i = 0; i < nfrom; i++) {
		struct exact_row *row = &all[*n];
		uint32_t symbol;

		if (exact_transfers_find(all, nold, &from[i]) || !(from[i].cost.memory[EXACT_LINES_TRANSFERRED] > 0))
			continue;
		*row = from[i];
		exact_cost_init(&row->cost, v);
		exact_transfers_take(&row->cost, &from[i].cost);
		if (profile_add_symbol(&v->names, span_of(row->name), span_of(row->module), SPACE_KERNEL, &symbol))
			return -ENOMEM;
		row->name = v->names.symbols[symbol].name;
		row->module = v->names.symbols[symbol].dso;
		(*n)++;
	}
	return 0;
}

int exact_take_transfers(struct exact_variant *v, const struct exact_variant *shared)
{
	int err;

	v->apart[EXACT_LINES_TRANSFERRED] = shared->apart[EXACT_LINES_TRANSFERRED];
	if (!shared->memory[EXACT_LINES_TRANSFERRED])
		return 0;
	v->memory[EXACT_LINES_TRANSFERRED] = true;
	v->memory_summed[EXACT_LINES_TRANSFERRED] = shared->memory_summed[EXACT_LINES_TRANSFERRED];
	v->memory_between[EXACT_LINES_TRANSFERRED] = shared->memory_between[EXACT_LINES_TRANSFERRED];
	exact_transfers_take(&v->total, &shared->total);
	err = take_rows(v, &v->rows, &v->nrows, shared->rows, shared->nrows);
	if (!err)
		err = take_rows(v, &v->components, &v->ncomponents, shared->components, shared->ncomponents);
	return err ? err : exact_take_places(v, shared);
}
