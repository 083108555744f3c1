// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate: instructions and source lines of symbols. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "perfparse/filter.h"

static bool is_wanted(const struct filter *f, const struct annotate *a)
{
	return a->nrows && (!f->o->symbol || !strcmp(f->o->symbol, a->symbol));
}

/* The cost of a whole symbol: its cost in --profile, or --share percent of the base (100 if not given). */
static int find_cost(struct filter *f, const struct annotate *a, double *symbol_ns)
{
	double base_ns = filter_base_ns(f->o);
	size_t i;

	*symbol_ns = base_ns;
	if (a->global)
		return 0;
	if (!f->o->profile) {
		*symbol_ns = base_ns * (f->o->share > 0 ? f->o->share : 100) / 100;
		return 0;
	}
	*symbol_ns = 0;
	for (i = 0; i < f->table.nrows; i++)
		if (!strcmp(f->table.rows[i].name, a->symbol) && f->table.rows[i].self_ns > 0)
			*symbol_ns += f->table.rows[i].self_ns;
	if (*symbol_ns > 0)
		return 0;
	return diag_set(f->d, -EINVAL, "%s has no symbol '%s'", f->o->profile, a->symbol);
}

/* Without --profile there is one share, so the text may have only one symbol. */
static int check_symbols(struct filter *f)
{
	const struct annotate *first = NULL;
	size_t i;

	for (i = 0; i < f->annotated.n; i++) {
		if (!is_wanted(f, &f->annotated.symbols[i]))
			continue;
		if (first && !f->o->profile && !f->annotated.symbols[i].global)
			return diag_set(f->d, -EINVAL,
					"several symbols (%s, %s, ...): pick one with --symbol, or give "
					"a perf report with --profile",
					first->symbol, f->annotated.symbols[i].symbol);
		first = &f->annotated.symbols[i];
	}
	return first ? 0 : diag_set(f->d, -EINVAL, "the text has no symbol '%s'", f->o->symbol);
}

static int fill_parts(struct filter *f)
{
	const struct annotate *a;
	size_t i;
	int err;

	f->parts = calloc(f->annotated.n, sizeof(*f->parts));
	if (!f->parts)
		return diag_set(f->d, -ENOMEM, "out of memory");
	for (i = 0; i < f->annotated.n; i++) {
		a = &f->annotated.symbols[i];
		if (!is_wanted(f, a))
			continue;
		f->parts[f->nparts] = (struct annotate_render){.symbol = a, .base_ns = filter_base_ns(f->o)};
		err = find_cost(f, a, &f->parts[f->nparts].symbol_ns);
		if (err)
			return err;
		f->nparts++;
	}
	return 0;
}

int filter_read_annotate(struct filter *f, struct linescan *lines)
{
	int err = filter_need_base(f, filter_base_ns(f->o));

	if (!err)
		err = annotate_read(&f->annotated, lines, f->d);
	if (!err)
		err = check_symbols(f);
	if (!err && f->o->profile)
		err = filter_read_table(f, f->o->profile, filter_base_ns(f->o), &f->profile, &f->table);
	return err ? err : fill_parts(f);
}

int filter_render_annotate(const struct filter *f, FILE *out)
{
	if (!strcmp(f->o->format, "json"))
		return filter_print_json(annotate_render_json(f->parts, f->nparts), out);
	if (!strcmp(f->o->format, "csv"))
		return annotate_render_csv(f->parts, f->nparts, out);
	if (!strcmp(f->o->format, "text"))
		return annotate_render_text(f->parts, f->nparts, out);
	return diag_set(f->d, -EINVAL, "instructions have no folded form");
}
