// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrix of exact counts as rows: its cells, and what changed from each kernel to the next. */
#include "reports/document/document.h"

#define TOLD 12 /* changes that people read in words */

static const struct column cell_columns[] = {
	{"kernel", NULL, CELL_NAME, IN_JSON, FROM(matrix_cell, kernel)},
	{"release", NULL, CELL_WORDS, IN_JSON},
	{"compiler", NULL, CELL_WORDS, IN_JSON},
	{"driver", NULL, CELL_NAME, IN_JSON, FROM(matrix_cell, driver)},
	{"variant", NULL, CELL_NAME, IN_JSON, FROM(matrix_cell, variant)},
	{"instructions", NULL, CELL_NUMBER, IN_JSON, FROM(matrix_cell, instructions)},
	{"deviation", NULL, CELL_NUMBER, IN_JSON},
	{"change", NULL, CELL_NUMBER, IN_JSON, FROM(matrix_cell, change)},
	{"other_compiler", NULL, CELL_FLAG, IN_JSON, FROM(matrix_cell, other_compiler)},
	{"run", NULL, CELL_NAME, IN_JSON | OR_NULL, FROM(matrix_cell, dir)},
	{"why", NULL, CELL_WORDS, IN_JSON | OR_NULL, FROM(matrix_cell, why)},
};

static const struct column component_columns[] = {
	{"name", NULL, CELL_COMPONENT, IN_JSON, FROM(exact_diff_row, name)},
	{"base_instructions", NULL, CELL_NUMBER, IN_JSON, FROM(exact_diff_row, base.instructions[EXACT_PACKET])},
	{"new_instructions", NULL, CELL_NUMBER, IN_JSON, FROM(exact_diff_row, new.instructions[EXACT_PACKET])},
	{"change", NULL, CELL_NUMBER, IN_JSON, FROM(exact_diff_row, change)},
	{"exact", NULL, CELL_FLAG, IN_JSON, FROM(exact_diff_row, exact)},
};

static const struct column symbol_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE, FROM(exact_diff_row, name)},
	{"component", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(exact_diff_row, component)},
	{"base_instructions", "before", CELL_NUMBER, IN_JSON | IN_TABLE,
	 FROM(exact_diff_row, base.instructions[EXACT_PACKET]), .decimals = 2},
	{"new_instructions", "after", CELL_NUMBER, IN_JSON | IN_TABLE,
	 FROM(exact_diff_row, new.instructions[EXACT_PACKET]), .decimals = 2},
	{"change", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN | WITH_BAR, FROM(exact_diff_row, change),
	 .decimals = 2},
	{"exact", NULL, CELL_FLAG, IN_JSON, FROM(exact_diff_row, exact)},
};

static const struct column change_columns[] = {
	{"id", NULL, CELL_NAME, IN_JSON, FROM(matrix_change, id)},
	{"same_as", NULL, CELL_NAME, IN_JSON},
	{"base_kernel", NULL, CELL_NAME, IN_JSON},
	{"new_kernel", NULL, CELL_NAME, IN_JSON},
	{"driver", NULL, CELL_NAME, IN_JSON},
	{"variant", NULL, CELL_NAME, IN_JSON},
	{"base_instructions", NULL, CELL_NUMBER, IN_JSON},
	{"new_instructions", NULL, CELL_NUMBER, IN_JSON},
	{"change", NULL, CELL_NUMBER, IN_JSON, FROM(matrix_change, change)},
	{"change_pct", NULL, CELL_NUMBER, IN_JSON},
	{"least_pct", NULL, CELL_NUMBER, IN_JSON},
	{"sure", NULL, CELL_NUMBER, IN_JSON, FROM(matrix_change, sure)},
	{"cause", NULL, CELL_WORDS, IN_JSON},
	{"configuration", NULL, CELL_WORDS, IN_JSON | OR_NULL, FROM(matrix_change, config)},
	{"parts", NULL, CELL_WORDS, IN_JSON, FROM(matrix_change, parts)},
	{"components", NULL, CELL_TABLE, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON},
};

/* For people: the largest changes, each with those that are the same; configurations; counts below each other. */
static const struct column told_columns[] = {
	{"change", "instructions", CELL_NUMBER, IN_TABLE | WITH_SIGN, FROM(matrix_change, change), .decimals = 1},
	{"change_pct", "%", CELL_NUMBER, IN_TABLE | WITH_SIGN},
	{"title", "largest changes", CELL_NAME, IN_TABLE, FROM(matrix_change, title)},
	{"words", "by", CELL_WORDS, IN_WIDE | WITH_LINE},
};

static const struct column config_columns[] = {
	{"kernels", "configurations that differ, as far as both kernels have an option", CELL_NAME, IN_TABLE},
	{"config", "options", CELL_WORDS, IN_WIDE | WITH_LINE, FROM(matrix_change, config)},
};

static const struct column count_columns[] = {
	{"instructions", "instructions", CELL_NUMBER, IN_TABLE, FROM(matrix_cell, instructions), .decimals = 2},
	{"change", "change", CELL_NUMBER, IN_TABLE | WITH_SIGN, FROM(matrix_cell, change), .decimals = 2},
	{"compiler", "", CELL_MARK, IN_TABLE},
	{"kernel", "kernel", CELL_NAME, IN_TABLE},
	{"driver", "driver", CELL_NAME, IN_TABLE, FROM(matrix_cell, driver)},
	{"variant", "variant", CELL_NAME, IN_TABLE, FROM(matrix_cell, variant)},
	{"why", "why there is no count", CELL_WORDS, IN_WIDE | WITH_LINE, FROM(matrix_cell, why)},
};

static const struct column matrix_columns[] = {
	{"cells", NULL, CELL_TABLE, IN_JSON | IN_CSV},
	{"changes", NULL, CELL_TABLE, IN_JSON},
	{"largest", "largest changes", CELL_TABLE, IN_TABLE},
	{"configurations", "configurations", CELL_TABLE, IN_TABLE},
	{"counts", "instructions per packet", CELL_TABLE, IN_TABLE},
};

static double percent(const struct matrix_change *c)
{
	return 100 * c->change / c->from->instructions;
}

/* The largest come first; those that change by less are one row for people. */
static void symbol_rows(struct rows *r, const struct exact_diff *d)
{
	double rest = 0;
	size_t n = 0;

	for (; n < d->nrows && fabs(d->rows[n].change) >= MATRIX_LEAST; n++) {
		const struct exact_diff_row *f = &d->rows[n];
		bool new = f->base.instructions[EXACT_PACKET] == 0, gone = f->new.instructions[EXACT_PACKET] == 0;

		rows_add_of(r, f);
		rows_last(r)->class = new ? "new" : gone ? "gone" : f->exact ? "same" : "changed";
		rows_text(r, "mark", new ? "new" : gone ? "gone" : f->exact ? "" : "~");
	}
	if (n == d->nrows)
		return;
	for (size_t i = n; i < d->nrows; i++)
		rest += d->rows[i].change;
	rows_add(r);
	rows_last(r)->aside = true;
	rows_last(r)->class = "total rest";
	rows_words(r, "name", "%zu others, each below %.1f", d->nrows - n, MATRIX_LEAST);
	rows_number(r, "change", rest, 2);
}

static void change_rows(struct rows *r, const struct matrix *m)
{
	for (size_t i = 0; i < m->nchanges; i++) {
		const struct matrix_change *c = &m->changes[i];
		struct rows *components;

		rows_add_of(r, c);
		rows_text(r, "same_as", c->leader == i ? NULL : m->changes[c->leader].id);
		rows_text(r, "base_kernel", c->from->kernel);
		rows_text(r, "new_kernel", c->to->kernel);
		rows_text(r, "driver", c->to->driver);
		rows_text(r, "variant", c->to->variant);
		rows_value(r, "base_instructions", c->from->instructions);
		rows_value(r, "new_instructions", c->to->instructions);
		rows_value(r, "change_pct", percent(c));
		rows_value(r, "least_pct", 100 * c->size);
		rows_text(r, "cause", matrix_cause_words(c));
		components = rows_table(r, "components", COLUMNS_OF(component_columns));
		for (size_t k = 0; k < c->diff.ncomponents && fabs(c->diff.components[k].change) >= MATRIX_LEAST; k++)
			rows_add_of(components, &c->diff.components[k]);
		symbol_rows(rows_table(r, "symbols", COLUMNS_OF(symbol_columns)), &c->diff);
	}
}

static void told_rows(struct rows *r, const struct matrix *m)
{
	char others[SENTENCE_BYTES];

	for (size_t i = 0; i < m->nchanges && r && r->nrows < TOLD; i++) {
		const struct matrix_change *c = &m->changes[i];
		bool source = c->causes == MATRIX_SOURCE;

		if (c->leader != i)
			continue;
		if (!c->parts[0])
			break;
		/* The others that are the same as this one, which leads: "; the same on virtio_net skb -382.3". */
		char variant[RUN_ID_BYTES];
		others[0] = '\0';
		for (size_t k = c->leader + 1; k < m->nchanges && m->changes[k].leader == c->leader; k++)
			listed_add(others, sizeof(others), ", ", "%s%s %s %+.1f (%+.1f %%)",
				   *others ? "" : "; the same on ", m->changes[k].to->driver,
				   matrix_variant_words(m, m->changes[k].to->variant, variant, sizeof(variant)),
				   m->changes[k].change, percent(&m->changes[k]));
		rows_add_of(r, c);
		rows_number(r, "change_pct", percent(c), 1);
		rows_words(r, "words", "%s%s%s%s%s", source ? "" : "by ", source ? "" : matrix_cause_words(c),
			   source ? "" : ": ", c->parts, others);
	}
}

int matrix_rows(struct rows *r, const struct matrix *m)
{
	struct rows *cells, *table;

	rows_init(r, COLUMNS_OF(matrix_columns));
	rows_add(r);
	cells = rows_table(r, "cells", COLUMNS_OF(cell_columns));
	for (const struct matrix_cell *c = m->cells; c < m->cells + m->nkernels * m->ndrivers * m->nvariants; c++) {
		rows_add_of(cells, c);
		rows_text(cells, "release", c->run && *c->run->kernel ? c->run->kernel : NULL);
		rows_text(cells, "compiler", c->run && *c->run->compiler ? c->run->compiler : NULL);
		rows_value(cells, "deviation", c->counted ? c->counted->total.residual : NAN);
	}
	change_rows(rows_table(r, "changes", COLUMNS_OF(change_columns)), m);
	told_rows(rows_table(r, "largest", COLUMNS_OF(told_columns)), m);
	/* Two kernels whose configurations differ, "6.17.13 to 6.18.15", once. */
	table = rows_table(r, "configurations", COLUMNS_OF(config_columns));
	for (const struct matrix_change *c = m->changes; c < m->changes + m->nchanges; c++) {
		bool known = !c->config[0];

		for (const struct matrix_change *before = m->changes; before < c; before++)
			known |= !strcmp(before->from->kernel, c->from->kernel) &&
				 !strcmp(before->to->kernel, c->to->kernel);
		if (known)
			continue;
		rows_add_of(table, c);
		rows_words(table, "kernels", "%.*s", (int)strcspn(c->title, ","), c->title);
	}
	/* The kernels of a driver and variant below each other; what nobody has tried is left out. */
	table = rows_table(r, "counts", COLUMNS_OF(count_columns));
	for (size_t i = 0; i < m->ndrivers * m->nvariants; i++)
		for (size_t k = 0; k < m->nkernels; k++) {
			const struct matrix_cell *c = matrix_at(m, k, i / m->nvariants, i % m->nvariants);

			if (!matrix_was_tried(c))
				continue;
			rows_add_of(table, c);
			rows_text(table, "kernel", m->names[k]);
			rows_text(table, "compiler", c->other_compiler ? "*" : "");
			if (c->other_compiler)
				table->note = "* another compiler than that of the kernel above";
		}
	return rows_error(r);
}
