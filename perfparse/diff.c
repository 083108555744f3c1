// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#define ROUNDING 1e-9 /* of sums of doubles */

void diff_release(struct diff *f)
{
	free(f->symbols);
	free(f->components);
	*f = (struct diff){};
}

static int by_component(const void *a, const void *b)
{
	const struct cost_row *x = a, *y = b;

	return ORDER(x->component, y->component);
}

static void finish_row(const struct diff *f, struct diff_row *r)
{
	const struct cost_table *absent = !r->in_new ? f->new : !r->in_base ? f->base : NULL;
	double half_ns = isnan(r->half_ns) ? 0 : r->half_ns;

	r->delta_ns = r->new_ns - r->base_ns;
	/* What it costs at most on the side that does not list it. All that is hidden may be one component's. */
	if (absent && cost_table_cut_short(absent))
		r->absent_ns = r->name ? absent->absent_ns : fmax(0, absent->unattributed_ns);
	if (r->absent_ns > 0)
		r->class = fabs(r->delta_ns) > half_ns + r->absent_ns ? DIFF_CHANGED : DIFF_UNLISTED;
	else if (r->new_ns == 0)
		r->class = DIFF_GONE;
	else if (r->base_ns == 0)
		r->class = DIFF_NEW;
	else
		r->class = fabs(r->delta_ns) <= half_ns ? DIFF_SAME : DIFF_CHANGED;
}

static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;

	return ORDER(fabs(y->delta_ns), fabs(x->delta_ns))
		       ?: (x->name && y->name ? strcmp(x->name, y->name) : ORDER(x->component, y->component));
}

/*
 * Wilson's half width of a whole component would need the component's share. The errors of its rows are small and
 * nearly independent, so they are added in quadrature instead.
 */
static void sum_components(struct diff *f)
{
	size_t i, k;

	for (i = 0; i < f->nsymbols; i++) {
		for (k = 0; k < f->ncomponents && f->components[k].component != f->symbols[i].component; k++)
			;
		if (k == f->ncomponents)
			f->components[f->ncomponents++] = (struct diff_row){.component = f->symbols[i].component};
		f->components[k].in_base |= f->symbols[i].base_ns > 0;
		f->components[k].in_new |= f->symbols[i].new_ns > 0;
		f->components[k].base_ns += f->symbols[i].base_ns;
		f->components[k].new_ns += f->symbols[i].new_ns;
		f->components[k].half_ns = hypot(f->components[k].half_ns, f->symbols[i].half_ns);
	}
	for (k = 0; k < f->ncomponents; k++)
		finish_row(f, &f->components[k]);
	qsort(f->components, f->ncomponents, sizeof(*f->components), compare_rows);
}

int diff_build(struct diff *f, const struct cost_table *base, const struct cost_table *new, const struct symkeys *keys,
	       struct diag *d)
{
	struct symjoin j = {.keys = keys, .apart = by_component};
	size_t most = base->nrows + new->nrows;
	double rest_ns;

	*f = (struct diff){};
	if (isnan(base->unattributed_ns) || isnan(new->unattributed_ns))
		return diag_set(d, -EINVAL, "no column of self shares; children overlap and cannot be subtracted");
	f->base = base;
	f->new = new;
	f->base_ns = base->base_ns;
	f->new_ns = new->base_ns;
	f->delta_ns = f->new_ns - f->base_ns;
	f->symbols = calloc(most + 1, sizeof(*f->symbols));
	f->components = calloc(most + 1, sizeof(*f->components));
	if (!f->symbols || !f->components || symjoin_room(&j, most)) {
		diff_release(f);
		return diag_set(d, -ENOMEM, "out of memory");
	}
	size_t i, from, to;
	for (int side = 0; side < 2; side++)
		for (i = 0; i < (side ? new : base)->nrows; i++) {
			const struct cost_row *row = &(side ? new : base)->rows[i];

			if (row->self_ns >= 0) /* 0.00 % is listed */
				symjoin_add(&j, side, row, row->name, row->dso);
		}
	symjoin_sort(&j);
	for (from = 0; from < j.n; from = to) {
		const struct cost_row *first = j.entries[from].row;
		struct diff_row *r = &f->symbols[f->nsymbols++];

		*r = (struct diff_row){.component = first->component};
		to = symjoin_end(&j, from);
		for (i = from; i < to; i++) {
			const struct cost_row *row = j.entries[i].row;
			bool is_new = j.entries[i].is_new;

			*(is_new ? &r->new_ns : &r->base_ns) += row->self_ns;
			*(is_new ? &r->in_new : &r->in_base) = true;
			if (row->self_ns > 0)
				r->half_ns = hypot(r->half_ns, (row->ci95_ns[1] - row->ci95_ns[0]) / 2);
			if (!r->name || is_new)
				r->name = row->name;
		}
		f->nsymbols -= r->base_ns == 0 && r->new_ns == 0;
	}
	for (i = 0; i < f->nsymbols; i++) {
		finish_row(f, &f->symbols[i]);
		f->sum_delta_ns += f->symbols[i].delta_ns;
	}
	f->residual_ns = f->delta_ns - f->sum_delta_ns;
	qsort(f->symbols, f->nsymbols, sizeof(*f->symbols), compare_rows);
	sum_components(f);
	symjoin_release(&j);
	rest_ns = new->unattributed_ns - base->unattributed_ns;
	if (!(fabs(f->residual_ns - rest_ns) <= ROUNDING * (base->base_ns + new->base_ns))) {
		double apart_ns = f->residual_ns - rest_ns;

		diff_release(f);
		return diag_set(d, -ERANGE, "the differences of symbols do not add up to that of the bases: %+.3f ns",
				apart_ns);
	}
	return 0;
}
