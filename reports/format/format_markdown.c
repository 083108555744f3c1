// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables for GitHub and GitLab. Names stand in code spans, so that no part of a name is taken for markup. */
#include "reports/format/format.h"

/* Writes prose. Punctuation that may start markup gets a backslash, as CommonMark allows (section 2.4). */
static void put_prose(FILE *out, const char *s)
{
	char c[PRINTABLE_BYTES];

	while (*s) {
		printable_next(&s, c);
		fprintf(out, strchr("\\`*_{}[]<>#|&~!$@", *c) ? "\\%s" : "%s", c);
	}
}

/* A code span ends at as many backticks as it began with; a pipe in a table needs a backslash even there. */
static void put_code(FILE *out, const char *s)
{
	size_t fence = 1, n = 0;
	char c[PRINTABLE_BYTES];

	for (const char *at = s; *at; at++) {
		n = *at == '`' ? n + 1 : 0;
		fence = n >= fence ? n + 1 : fence;
	}
	for (size_t i = 0; i < fence; i++)
		fputc('`', out);
	fputs(fence > 1 ? " " : "", out);
	while (*s) {
		printable_next(&s, c);
		fprintf(out, *c == '|' ? "\\%s" : "%s", c);
	}
	fputs(fence > 1 ? " " : "", out);
	for (size_t i = 0; i < fence; i++)
		fputc('`', out);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* Numbers stand first, as in the text format. */
static void format_markdown_put_row(FILE *out, const struct rows *r, size_t row)
{
	char value[48], half[48];

	fputc('|', out);
	for (size_t i = 0; i < 2 * r->ncolumns; i++) {
		const struct column *c = &r->columns[i % r->ncolumns];
		const struct cell *cell = &r->rows[row].cells[i % r->ncolumns];
		bool number = cell_is_number(c->kind);

		if (!rows_shows(r, i % r->ncolumns, IN_TABLE | IN_WIDE) || number != (i < r->ncolumns))
			continue;
		if (number) {
			cell_value(c, cell, value, sizeof(value));
			cell_half(cell, half, sizeof(half));
			fprintf(out, " %s%s%s |", value, *half ? " ± " : "", half);
		} else {
			fputc(' ', out);
			(c->kind == CELL_NAME ? put_code : put_prose)(out, cell->text ? cell->text : "");
			fputs(" |", out);
		}
	}
	fputc('\n', out);
}

static void format_markdown_put_table(FILE *out, const struct rows *r, size_t max, const char *note)
{
	struct rows_rest rest = rows_rest(r, max);

	for (int rule = 0; rule < 2; rule++) {
		fputs(rule ? "|" : "\n|", out);
		for (int names = 0; names < 2; names++)
			for (size_t i = 0; i < r->ncolumns; i++) {
				if (!rows_shows(r, i, IN_TABLE | IN_WIDE) ||
				    cell_is_number(r->columns[i].kind) == names)
					continue;
				if (rule)
					fputs(names ? ":--|" : "--:|", out);
				else
					fprintf(out, " %s |", r->columns[i].head);
			}
		fputc('\n', out);
	}
	for (size_t i = 0; i < rest.shown; i++)
		format_markdown_put_row(out, r, i);
	if (rest.summed || rest.told) {
		/* "2 others: base ns 1.2, new ns 3.4, change +2.2" */
		const char *between = ": ";
		char buf[64];

		fprintf(out, "\n%s", rows_others(&rest, buf, sizeof(buf)));
		for (size_t i = 0; i < r->ncolumns; i++) {
			struct cell sum = rows_sum(r, i, rest.shown);

			if (!isnan(sum.value))
				fprintf(out, "%s%s %s", between, r->columns[i].head,
					cell_value(&r->columns[i], &sum, buf, sizeof(buf)));
			between = isnan(sum.value) ? between : ", ";
		}
		fputc('\n', out);
	}
	if (note) {
		fputc('\n', out);
		put_prose(out, note);
		fputc('\n', out);
	}
}

static void put_facts(FILE *out, const struct rows *r, size_t row, unsigned int in)
{
	const char *before = "\n";
	char fact[1024];

	for (size_t i = 0; i < r->ncolumns; i++) {
		if (!rows_is_fact(r, row, i, in))
			continue;
		fprintf(out, "%s- %s: ", before, r->columns[i].head);
		before = "";
		put_prose(out, cell_fact(&r->columns[i], &r->rows[row].cells[i], fact, sizeof(fact)));
		fputc('\n', out);
	}
}

/* ---- documents --------------------------------------------------------------------------------------- */

int format_markdown(FILE *out, const struct document *d, const struct render_options *o)
{
	size_t most = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;
	const struct sentence *answer = &d->answer;

	put_prose(out, *answer->before ? answer->before : d->line[0]);
	fputs(*answer->number ? "**" : "", out);
	put_prose(out, answer->number);
	fputs(*answer->number ? "**" : "", out);
	put_prose(out, answer->after);
	fputc('\n', out);
	for (const struct section *s = d->sections; s < d->sections + d->nsections; s++) {
		if (s->title) {
			fputs("\n### ", out);
			put_code(out, s->title);
			fputc('\n', out);
		}
		if (s->title && s->empty) {
			fputs("\nNo block with packets.\n", out);
			continue;
		}
		if (!s->empty) {
			put_facts(out, s->rows, s->row, IN_FACTS);
			for (size_t i = 0; i < s->rows->ncolumns; i++) {
				const struct rows *table = rows_table_of(s->rows, s->row, i);

				if (table)
					format_markdown_put_table(out, table, s->times * most,
								  table->note ?: s->rows->columns[i].note);
			}
			put_facts(out, s->rows, s->row, IN_PLAIN);
		}
		size_t failed = s->gates ? quality_failed(s->gates) : 0;
		if (failed)
			fprintf(out, "\n%zu check%s failed:\n\n", failed, failed == 1 ? "" : "s");
		for (size_t i = 0; s->gates && i < s->gates->nrows; i++) {
			const struct quality_row *row = &s->gates->rows[i];

			if (row->ok)
				continue;
			fputs("- ", out);
			put_code(out, row->gate);
			if (*row->side || *row->variant)
				fprintf(out, " of %s", row->side);
			if (*row->variant)
				put_code(out, row->variant);
			else if (*row->side)
				fputs("run", out);
			fputs(": ", out);
			put_prose(out, row->note);
			fputc('\n', out);
		}
	}
	return render_finish(out);
}
