// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables for GitHub and GitLab. Names stand in code spans, so that no part of a name is taken for markup. */
#include <math.h>
#include <string.h>
#include "base/printable.h"
#include "reports/render/render.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/rows/diff_rows.h"
#include "reports/rows/exact_rows.h"
#include "reports/rows/explain_rows.h"
#include "reports/rows/report_rows.h"
#include "reports/rows/report_words.h"

/* Writes prose. Punctuation that may start markup gets a backslash, as CommonMark allows (section 2.4). */
static void put_prose(FILE *out, const char *s)
{
	char c[PRINTABLE_BYTES];

	while (*s) {
		printable_next(&s, c);
		fprintf(out, strchr("\\`*_{}[]<>#|&~!$@", *c) ? "\\%s" : "%s", c);
	}
}

static size_t longest_run(const char *s, char of)
{
	size_t longest = 0, n = 0;

	for (; *s; s++) {
		n = *s == of ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	return longest;
}

static void put_fence(FILE *out, size_t n)
{
	while (n--)
		fputc('`', out);
}

/* A code span ends at as many backticks as it began with; a pipe in a table needs a backslash even there. */
static void put_code(FILE *out, const char *s)
{
	size_t fence = longest_run(s, '`') + 1;
	char c[PRINTABLE_BYTES];

	put_fence(out, fence);
	fputs(fence > 1 ? " " : "", out);
	while (*s) {
		printable_next(&s, c);
		fprintf(out, *c == '|' ? "\\%s" : "%s", c);
	}
	fputs(fence > 1 ? " " : "", out);
	put_fence(out, fence);
}

static void put_gates(FILE *out, const struct quality *q)
{
	size_t failed = quality_failed(q);

	if (failed)
		fprintf(out, "\n%zu quality gate%s failed:\n\n", failed, failed == 1 ? "" : "s");
	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];

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

/* ---- rows -------------------------------------------------------------------------------------------- */

static void put_cell(FILE *out, const struct column *c, const struct cell *cell)
{
	char value[48], half[48];

	if (cell_is_number(c->kind)) {
		cell_value(c, cell, value, sizeof(value));
		cell_half(cell, half, sizeof(half));
		fprintf(out, " %s%s%s |", value, *half ? " ± " : "", half);
	} else {
		fputc(' ', out);
		(c->kind == CELL_NAME ? put_code : put_prose)(out, cell->text ? cell->text : "");
		fputs(" |", out);
	}
}

/* Numbers stand first, as in the text format. */
static void put_row(FILE *out, const struct rows *r, size_t row)
{
	fputc('|', out);
	for (int names = 0; names < 2; names++)
		for (size_t i = 0; i < r->ncolumns; i++)
			if (rows_shows(r, i, IN_TABLE | IN_WIDE) && cell_is_number(r->columns[i].kind) != names)
				put_cell(out, &r->columns[i], &r->rows[row].cells[i]);
	fputc('\n', out);
}

static void put_heads(FILE *out, const struct rows *r)
{
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
}

/* "2 others: base ns 1.2, new ns 3.4, change +2.2" */
static void put_rest(FILE *out, const struct rows *r, const struct rows_rest *rest)
{
	const char *between = ": ";
	char buf[64];

	fprintf(out, "\n%s", rows_others(rest, buf, sizeof(buf)));
	for (size_t i = 0; i < r->ncolumns; i++) {
		struct cell sum = rows_sum(r, i, rest->shown);

		if (!isnan(sum.value))
			fprintf(out, "%s%s %s", between, r->columns[i].head,
				cell_value(&r->columns[i], &sum, buf, sizeof(buf)));
		between = isnan(sum.value) ? between : ", ";
	}
	fputc('\n', out);
}

static void put_table(FILE *out, const struct rows *r, size_t max, const char *note)
{
	struct rows_rest rest = rows_rest(r, max);

	put_heads(out, r);
	for (size_t i = 0; i < rest.shown; i++)
		put_row(out, r, i);
	if (rest.summed || rest.told)
		put_rest(out, r, &rest);
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

static void put_tables(FILE *out, const struct rows *r, size_t row, const struct render_options *o)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct rows *table = rows_table_of(r, row, i);

		if (table)
			put_table(out, table, o->max_symbols ? o->max_symbols : RENDER_SYMBOLS,
				  rows_note_of(&r->columns[i], table));
	}
}

/* ---- report and diff --------------------------------------------------------------------------------- */

static void put_run(FILE *out, const struct run *r)
{
	char line[800];

	run_words(r, line, sizeof(line));
	put_prose(out, line);
	fputc('\n', out);
}

static void put_variant(FILE *out, const struct rows *r, size_t row, const struct render_options *o)
{
	fputs("\n### ", out);
	put_code(out, rows_cell(r, row, "id")->text);
	fputc('\n', out);
	if (rows_cell(r, row, "blocks_used")->value > 0) {
		put_facts(out, r, row, IN_FACTS);
		put_tables(out, r, row, o);
	} else {
		fputs("\nNo block with packets.\n", out);
	}
}

int render_report_markdown(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			   const struct render_options *o)
{
	struct rows r;
	int err = report_rows(&r, a, only);

	put_run(out, a->run);
	put_gates(out, &a->quality);
	for (size_t i = 0, row = 0; i < a->nvariants && !err; i++) {
		if (only && only != &a->variants[i])
			continue;
		put_variant(out, &r, row++, o);
		if (a->variants[i].nused)
			put_gates(out, &a->variants[i].quality);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

static void put_sentence(FILE *out, const struct sentence *s)
{
	put_prose(out, s->before);
	fputs(*s->number ? "**" : "", out);
	put_prose(out, s->number);
	fputs(*s->number ? "**" : "", out);
	put_prose(out, s->after);
	fputc('\n', out);
}

int render_diff_markdown(FILE *out, const struct compare *c, const struct render_options *o)
{
	struct sentence s;
	struct rows r;
	int err = diff_rows(&r, c, "base", "new");

	sentence_of_difference(&s, c);
	sentence_add_waking(&s, c);
	put_sentence(out, &s);
	if (!err && c->base->nused && c->new->nused) {
		put_facts(out, &r, 0, IN_FACTS);
		put_tables(out, &r, 0, o);
		put_facts(out, &r, 0, IN_PLAIN);
	}
	put_gates(out, &c->quality);
	rows_release(&r);
	return err ? err : render_finish(out);
}

/* ---- exact counts ------------------------------------------------------------------------------------ */

int render_exact_markdown(FILE *out, const struct exact *e, const struct exact_variant *only,
			  const struct render_options *o)
{
	char line[400];
	struct rows r;
	int err = exact_rows(&r, e, only);

	exact_words(e, line, sizeof(line));
	put_prose(out, line);
	fputc('\n', out);
	for (size_t i = 0; i < r.nrows && !err; i++) {
		fputs("\n### ", out);
		put_code(out, rows_cell(&r, i, "variant")->text);
		fputc('\n', out);
		put_facts(out, &r, i, IN_FACTS);
		put_tables(out, &r, i, o);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_exact_diff_markdown(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct sentence s;
	struct rows r;
	int err = exact_diff_rows(&r, d);

	sentence_of_exact(&s, d);
	put_sentence(out, &s);
	if (!err) {
		put_facts(out, &r, 0, IN_FACTS);
		put_tables(out, &r, 0, o);
		put_facts(out, &r, 0, IN_PLAIN);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

/* ---- measured ns beside exact counts ------------------------------------------------------------------ */

int render_explain_markdown(FILE *out, const struct explain *e, const struct render_options *o)
{
	const struct rows *variants;
	char line[RUN_ID_BYTES + 200];
	struct rows r;
	int err = explain_rows(&r, e);

	sentence_of_explanation(line, sizeof(line), e);
	put_prose(out, line);
	fputc('\n', out);
	if (!err) {
		put_facts(out, &r, 0, IN_FACTS);
		put_tables(out, &r, 0, o);
	}
	variants = err ? NULL : rows_in(&r, 0, "variants");
	for (size_t i = 0; variants && i < variants->nrows; i++) {
		fputs("\n### ", out);
		put_code(out, rows_cell(variants, i, "variant")->text);
		fputc('\n', out);
		put_tables(out, variants, i, o);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}
