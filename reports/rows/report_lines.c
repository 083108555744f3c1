// SPDX-License-Identifier: GPL-2.0-or-later
/* The source lines of a variant's program, by samples. */
#include <stdlib.h>
#include <string.h>
#include "reports/rows/report_parts.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const struct column line_columns[] = {
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BAR},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"file", NULL, CELL_WORDS, IN_JSON},
	{"line", NULL, CELL_COUNT, IN_JSON},
	{"symbol", "function", CELL_NAME, IN_JSON | IN_WIDE},
};

/* Samples in the functions that have lines. */
static uint64_t samples_of_functions(const struct analysis_variant *v)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v->nsymbols; i++) {
		size_t k = 0;

		while (k < v->nlines && strcmp(v->lines[k].dso, v->symbols[i].name))
			k++;
		n += k < v->nlines ? v->symbols[i].samples : 0;
	}
	return n;
}

static void put(struct rows *r, const struct analysis_variant *v, const struct analysis_row *row)
{
	const char *file = strchr(row->name, ' ') + 1, *tab = strchr(file, '\t'), *last = file;

	for (const char *c = file; c + 1 < tab; c++)
		last = *c == '/' ? c + 1 : last;
	rows_add(r);
	rows_value(r, "samples", (double)row->samples);
	rows_beside(r, "self_pct", row->self_pct, 100 * row->half_ns / v->base_ns);
	rows_interval(r, "self_ns", row->self_ns, row->half_ns);
	rows_range(r, "ci95_ns", row->ci95_ns);
	rows_words(r, "where", "%.*s:%lu", (int)(tab - last), last, strtoul(row->name, NULL, 10));
	rows_text(r, "text", tab + 1);
	rows_words(r, "file", "%.*s", (int)(tab - file), file);
	rows_value(r, "line", (double)strtoul(row->name, NULL, 10));
	rows_text(r, "symbol", row->dso);
}

/* Where no line's cost is larger than its uncertainty, the order of lines is chance. */
static bool too_few(const struct analysis_variant *v)
{
	for (size_t i = 0; i < v->nlines; i++)
		if (v->lines[i].half_ns < v->lines[i].self_ns)
			return false;
	return true;
}

void variant_line_rows(struct rows *parent, const struct analysis_variant *v)
{
	bool hidden = too_few(v);
	uint64_t samples = 0;
	struct rows *r;

	if (!v->nlines)
		return;
	r = rows_table(parent, "source_lines", line_columns, COUNT(line_columns));
	for (size_t i = 0; i < v->nlines; i++) {
		put(r, v, &v->lines[i]);
		if (hidden)
			rows_hide(r);
		samples += v->lines[i].samples;
	}
	if (hidden)
		rows_words(parent, "source_words", "too few samples to tell them apart: %llu in %zu lines",
			   (unsigned long long)samples, v->nlines);
	else
		rows_words(parent, "source_words", "%llu samples in %zu lines, of %llu in their functions",
			   (unsigned long long)samples, v->nlines, (unsigned long long)samples_of_functions(v));
}
