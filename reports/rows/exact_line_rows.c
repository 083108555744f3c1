// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of the program under test. */
#include <string.h>
#include "reports/rows/digits.h"
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

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void exact_line_rows(struct rows *parent, const struct exact_variant *v)
{
	char a[32], b[32];
	struct rows *r;

	if (!v->nlines)
		return;
	rows_words(parent, "source_words", "source lines sum to %s instructions, their functions to %s: residual %llu",
		   digits_count((double)v->line_summed, a, sizeof(a)),
		   digits_count((double)v->line_counted, b, sizeof(b)), (unsigned long long)v->line_apart);
	rows_value(parent, "closure_source", (double)v->line_apart);
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
