// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions and source lines of symbols. */
#include "perfparse/perfparse.h"

static const struct column instruction_columns[] = {
	{"symbol", NULL, CELL_NAME, 0, .csv = "symbol"},
	{"pct", NULL, CELL_NUMBER, IN_JSON, FROM(annotate_row, pct), .csv = "pct"},
	{"ns", NULL, CELL_NUMBER, IN_JSON, .csv = "ns"},
	{"address", NULL, CELL_NAME, IN_JSON, .csv = "address"},
	{"instruction", NULL, CELL_NAME, IN_JSON, FROM(annotate_row, instruction), .csv = "instruction"},
	{"source", NULL, CELL_NAME, IN_JSON, FROM(annotate_row, source), .csv = "source"},
};

static const struct column line_columns[] = {
	{"pct", NULL, CELL_NUMBER, IN_JSON, FROM(annotate_row, pct)},
	{"ns", NULL, CELL_NUMBER, IN_JSON},
	{"source", NULL, CELL_NAME, IN_JSON},
};

static const struct column symbol_columns[] = {
	{"name", NULL, CELL_NAME, IN_JSON, FROM(annotate, symbol)},
	{"dso", NULL, CELL_NAME, IN_JSON, FROM(annotate, dso)},
	{"event", NULL, CELL_NAME, IN_JSON, FROM(annotate, event)},
	{"samples", NULL, CELL_COUNT, IN_JSON, FROM(annotate, samples)},
	{"self_ns", NULL, CELL_NUMBER, IN_JSON},
	{"instructions", NULL, CELL_TABLE, IN_JSON | IN_CSV},
	{"lines", NULL, CELL_TABLE, IN_JSON},
};

static const struct column annotate_columns[] = {
	{"schema", NULL, CELL_WORDS, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON},
};

static double row_ns(const struct annotate_render *a, const struct annotate_row *row)
{
	return a->symbol_ns * row->pct / 100;
}

static void add_instructions(struct rows *r, const struct annotate_render *a)
{
	for (size_t i = 0; i < a->symbol->nrows; i++) {
		const struct annotate_row *row = &a->symbol->rows[i];

		rows_add_of(r, row);
		rows_text(r, "symbol", a->symbol->symbol);
		rows_value(r, "ns", row_ns(a, row));
		if (row->has_address)
			rows_words(r, "address", "%llx", (unsigned long long)row->address);
	}
}

static void add_lines(struct rows *r, const struct annotate_render *a)
{
	struct annotate by_source;

	if (annotate_by_source(a->symbol, &by_source)) {
		if (r)
			r->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < by_source.nrows; i++) {
		rows_add_of(r, &by_source.rows[i]);
		rows_value(r, "ns", row_ns(a, &by_source.rows[i]));
		rows_words(r, "source", "%s", by_source.rows[i].source);
	}
	annotate_release(&by_source);
}

void annotate_render_rows(struct rows *r, const struct annotate_render *a, size_t n)
{
	struct rows *symbols;

	rows_init(r, COLUMNS_OF(annotate_columns));
	rows_add(r);
	rows_text(r, "schema", "xdpzoom.annotate/1");
	rows_value(r, "base_ns", n ? a[0].base_ns : 0);
	symbols = rows_table(r, "symbols", COLUMNS_OF(symbol_columns));
	for (size_t i = 0; i < n; i++) {
		rows_add_of(symbols, a[i].symbol);
		rows_value(symbols, "self_ns", a[i].symbol_ns);
		add_instructions(rows_table(symbols, "instructions", COLUMNS_OF(instruction_columns)), &a[i]);
		add_lines(rows_table(symbols, "lines", COLUMNS_OF(line_columns)), &a[i]);
	}
}

/* ---- text -------------------------------------------------------------------------------------------- */

static int print_sources(const struct annotate_render *a, FILE *out)
{
	struct annotate by_source;

	if (annotate_by_source(a->symbol, &by_source))
		return -ENOMEM;
	if (by_source.nrows)
		fputs("#\n# by source line\n", out);
	for (size_t i = 0; i < by_source.nrows; i++)
		printable_printf(out, "%6.2f%% => %5.1f ns  %s\n", by_source.rows[i].pct, row_ns(a, &by_source.rows[i]),
				 by_source.rows[i].source);
	annotate_release(&by_source);
	return 0;
}

static int print_symbol(const struct annotate_render *r, FILE *out)
{
	const struct annotate *a = r->symbol;
	double sum_pct = 0;
	int err;

	printable_printf(out, "# %s: %.2f ns of %.2f ns/packet", a->symbol[0] ? a->symbol : a->dso, r->symbol_ns,
			 r->base_ns);
	if (a->samples)
		fprintf(out, ", %llu samples", (unsigned long long)a->samples);
	if (a->event[0])
		printable_printf(out, ", event '%s'", a->event);
	fputs("\n#\n# share =>  ns/packet  address           instruction\n", out);
	for (size_t i = 0; i < a->nrows; i++) {
		char address[20] = "-";

		if (a->rows[i].has_address)
			snprintf(address, sizeof(address), "%llx", (unsigned long long)a->rows[i].address);
		printable_printf(out, "%6.2f%% => %5.1f ns  %16s  %s\n", a->rows[i].pct, row_ns(r, &a->rows[i]),
				 address, a->rows[i].instruction);
		sum_pct += a->rows[i].pct;
	}
	err = print_sources(r, out);
	fprintf(out, "#\n# listed: %.2f %% = %.2f ns\n", sum_pct, r->symbol_ns * sum_pct / 100);
	return err;
}

int annotate_render_text(const struct annotate_render *a, size_t n, FILE *out)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		if (i)
			fputc('\n', out);
		err = print_symbol(&a[i], out);
	}
	return err;
}
