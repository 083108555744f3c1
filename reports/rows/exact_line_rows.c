// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of the program under test. */
#include <math.h>
#include <string.h>
#include "base/sheet/digits.h"
#include "reports/rows/exact_rows.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const struct column line_columns[] = {
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BOUND},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"file", NULL, CELL_WORDS, IN_JSON},
	{"line", NULL, CELL_COUNT, IN_JSON},
	{"symbol", "function", CELL_NAME, IN_JSON | IN_WIDE},
	{"residual", NULL, CELL_NUMBER, IN_JSON},
	{"exact", NULL, CELL_FLAG, IN_JSON},
};

static const struct column change_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"base_instructions", "base", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BOUND},
	{"new_instructions", "new", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BOUND},
	{"change", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BOUND | WITH_SIGN | WITH_BAR},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"base_file", NULL, CELL_WORDS, IN_JSON},
	{"base_line", NULL, CELL_COUNT, IN_JSON},
	{"new_file", NULL, CELL_WORDS, IN_JSON},
	{"new_line", NULL, CELL_COUNT, IN_JSON},
	{"symbol", "function", CELL_NAME, IN_JSON | IN_WIDE},
	{"exact", NULL, CELL_FLAG, IN_JSON},
};

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void exact_line_rows(struct rows *parent, const struct exact_variant *v)
{
	char a[32], b[32];
	struct rows *r;

	if (!v->nlines && !v->line_apart)
		return;
	rows_words(
		parent, "source_words", "source lines sum to %s instructions, their functions to %s: residual %llu%s",
		digits_count((double)v->line_summed, a, sizeof(a)), digits_count((double)v->line_counted, b, sizeof(b)),
		(unsigned long long)v->line_apart, v->line_apart ? "; they are left out" : "");
	rows_value(parent, "closure_source", (double)v->line_apart);
	if (!v->nlines)
		return;
	r = rows_table(parent, "source_lines", line_columns, COUNT(line_columns));
	for (size_t i = 0; i < v->nlines; i++) {
		const struct exact_line *l = &v->lines[i];

		rows_add(r);
		exact_put_count(r, "instructions", l->cost.instructions[EXACT_PACKET], &l->cost);
		rows_words(r, "where", "%s:%u", last_of(l->file), l->number);
		rows_text(r, "text", l->text);
		rows_text(r, "file", l->file);
		rows_value(r, "line", l->number);
		rows_text(r, "symbol", l->function);
		rows_value(r, "residual", l->cost.residual);
		rows_value(r, "exact", l->cost.exact);
	}
}

/* What the functions of v that have source lines execute. */
static double functions_with_lines(const struct exact_variant *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		size_t k = 0;

		while (k < v->nlines &&
		       (strcmp(v->lines[k].function, v->rows[i].name) || strcmp(v->lines[k].module, v->rows[i].module)))
			k++;
		sum += k < v->nlines ? v->rows[i].cost.instructions[EXACT_PACKET] : 0;
	}
	return sum;
}

static void put_change(struct rows *r, const struct exact_line_change *c)
{
	const struct exact_line *l = c->new ? c->new : c->base;

	rows_add(r);
	rows_class(r, c->change == 0 && c->exact ? "same" : !c->new ? "gone" : !c->base ? "new" : "changed");
	if (c->change == 0 && c->exact)
		rows_hide(r);
	rows_text(r, "mark", c->exact ? "" : "~");
	rows_number(r, "base_instructions", c->base_instructions, 3);
	rows_number(r, "new_instructions", c->new_instructions, 3);
	rows_number(r, "change", c->change, 3);
	rows_words(r, "where", "%s:%u%s", last_of(l->file), l->number, c->new ? "" : " (base)");
	rows_text(r, "text", l->text);
	rows_text(r, "base_file", c->base ? c->base->file : NULL);
	rows_value(r, "base_line", c->base ? c->base->number : NAN);
	rows_text(r, "new_file", c->new ? c->new->file : NULL);
	rows_value(r, "new_line", c->new ? c->new->number : NAN);
	rows_text(r, "symbol", l->function);
	rows_value(r, "exact", c->exact);
}

void exact_line_change_rows(struct rows *parent, const struct exact_diff *d)
{
	struct rows *r;
	double sum = 0;

	if (!d->nlines)
		return;
	r = rows_table(parent, "source_lines", change_columns, COUNT(change_columns));
	for (size_t i = 0; i < d->nlines; i++) {
		put_change(r, &d->lines[i]);
		sum += d->lines[i].change;
	}
	rows_words(parent, "source_words", "changes of all source lines sum to %+.3f, their functions differ by %+.3f",
		   sum, functions_with_lines(d->new) - functions_with_lines(d->base));
}
