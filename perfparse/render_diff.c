// SPDX-License-Identifier: GPL-2.0-or-later
/* Two profiles side by side. */
#include "perfparse/perfparse.h"

void render_half(double half_ns, FILE *out)
{
	if (isnan(half_ns))
		fputs("         ", out);
	else
		fprintf(out, "  ±%5.2f ", half_ns);
}

void render_bases(double base_ns, double new_ns, double delta_ns, FILE *out)
{
	fprintf(out, "# base: %.2f ns/packet, new: %.2f ns/packet, difference: %+.2f ns/packet\n", base_ns, new_ns,
		delta_ns);
}

int render_width(int width, const char *name)
{
	return (int)strlen(name) > width ? (int)strlen(name) : width;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

#define CHANGE_COLUMNS                                                                                                 \
	{"class", NULL, CELL_WORDS, IN_JSON, .csv = "class"},                                                          \
		{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},                                             \
		{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},                                               \
		{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff_row, delta_ns), .csv = "delta_ns"},                 \
		{"half_ns", NULL, CELL_NUMBER, 0, FROM(diff_row, half_ns), .csv = "half_ns"},                          \
		{"absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "absent_at_most_ns"},                         \
	{                                                                                                              \
		"ci95_ns", NULL, CELL_RANGE, IN_JSON | OR_NULL                                                         \
	}

static const struct column symbol_columns[] = {{"name", NULL, CELL_NAME, IN_JSON, .csv = "symbol"},
					       {"component", NULL, CELL_COMPONENT, IN_JSON, .csv = "component"},
					       CHANGE_COLUMNS};

static const struct column component_columns[] = {{"name", NULL, CELL_COMPONENT, IN_JSON}, CHANGE_COLUMNS};

static const struct column closure_columns[] = {
	{"sum_delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, sum_delta_ns)},
	{"residual_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, residual_ns)},
};

static const struct column diff_columns[] = {
	{"schema", NULL, CELL_WORDS, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, base_ns)},
	{"new_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, new_ns)},
	{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, delta_ns)},
	{"base_absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON},
	{"new_absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON},
	{"components", NULL, CELL_TABLE, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON | IN_CSV},
	{"rest", NULL, CELL_TABLE, IN_CSV},
	{"closure", NULL, CELL_OBJECT, IN_JSON},
};

/* A side that does not list the symbol, and may hide as much, is not known: the interval reaches as far. */
static void add_change(struct rows *r, const struct diff_render *d, const struct diff_row *row)
{
	const char *component = components_name(d->components, row->component);
	bool hidden = row->absent_ns > 0, no_base = hidden && row->base_ns == 0, no_new = hidden && row->new_ns == 0;

	rows_add_of(r, row);
	rows_text(r, "name", row->name ? row->name : component);
	if (row->name)
		rows_text(r, "component", component);
	rows_text(r, "class", diff_class_name(row->class));
	rows_value(r, "base_ns", no_base ? NAN : row->base_ns);
	rows_value(r, "new_ns", no_new ? NAN : row->new_ns);
	rows_value(r, "absent_at_most_ns", hidden ? row->absent_ns : NAN);
	rows_range(r, "ci95_ns",
		   (const double[]){row->delta_ns - row->half_ns - (no_base ? row->absent_ns : 0),
				    row->delta_ns + row->half_ns + (no_new ? row->absent_ns : 0)});
}

void diff_render_rows(struct rows *r, const struct diff_render *d)
{
	const struct diff *f = d->diff;
	struct rows *table;

	rows_init(r, COLUMNS_OF(diff_columns));
	rows_add_of(r, f);
	rows_text(r, "schema", "xdpzoom.profile-diff/1");
	rows_value(r, "base_absent_at_most_ns", f->base->absent_ns);
	rows_value(r, "new_absent_at_most_ns", f->new->absent_ns);
	table = rows_table(r, "components", COLUMNS_OF(component_columns));
	for (size_t i = 0; i < f->ncomponents; i++)
		add_change(table, d, &f->components[i]);
	table = rows_table(r, "symbols", COLUMNS_OF(symbol_columns));
	for (size_t i = 0; i < f->nsymbols; i++)
		add_change(table, d, &f->symbols[i]);
	table = rows_table(r, "rest", COLUMNS_OF(symbol_columns));
	rows_add(table);
	rows_text(table, "name", "[unattributed]");
	rows_value(table, "delta_ns", f->residual_ns);
	table = rows_table(r, "closure", COLUMNS_OF(closure_columns));
	rows_add_of(table, f);
}

/* ---- text -------------------------------------------------------------------------------------------- */

/* The cost on one side, or "<0.61" where that side does not list it and may hide as much. */
static void print_side(double ns, double absent_ns, FILE *out)
{
	char text[32];

	if (ns == 0 && absent_ns > 0) {
		snprintf(text, sizeof(text), "<%.2f", absent_ns);
		fprintf(out, "%9s ", text);
	} else {
		fprintf(out, "%9.2f ", ns);
	}
}

static void print_cut_short(const char *side, const struct cost_table *t, FILE *out)
{
	if (cost_table_cut_short(t))
		fprintf(out, "# %s lists %.2f %%: a symbol that it does not list costs at most %.2f ns there\n", side,
			100 - t->unattributed_pct, t->absent_ns);
}

static void render_diff_print_row(const struct diff_render *d, const struct diff_row *row, int width, FILE *out)
{
	print_side(row->base_ns, row->absent_ns, out);
	print_side(row->new_ns, row->absent_ns, out);
	fprintf(out, "%+9.2f", row->delta_ns);
	render_half(row->half_ns, out);
	fprintf(out, "  %-8s %-*s", diff_class_name(row->class), width, components_name(d->components, row->component));
	if (row->name) {
		fputs("  ", out);
		printable_put(out, row->name);
	}
	fputc('\n', out);
}

int diff_render_text(const struct diff_render *d, FILE *out)
{
	const struct diff *f = d->diff;
	int width = render_width(0, "component");

	for (size_t i = 0; i < f->ncomponents; i++)
		width = render_width(width, components_name(d->components, f->components[i].component));
	render_bases(f->base_ns, f->new_ns, f->delta_ns, out);
	print_cut_short("base", f->base, out);
	print_cut_short("new", f->new, out);
	fputs("#\n#    base       new     delta   95 %    class    component\n", out);
	for (size_t i = 0; i < f->ncomponents; i++)
		render_diff_print_row(d, &f->components[i], 0, out);
	if (d->symbols)
		fprintf(out, "#\n#    base       new     delta   95 %%    class    %-*s  symbol\n", width, "component");
	for (size_t i = 0; d->symbols && i < f->nsymbols; i++)
		render_diff_print_row(d, &f->symbols[i], width, out);
	fprintf(out, "#\n# closure: sum of differences %+.2f + not attributed %+.2f = %+.2f ns\n", f->sum_delta_ns,
		f->residual_ns, f->delta_ns);
	return 0;
}
