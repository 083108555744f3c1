// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quality gates as the kernel's selftests print their results, with the costs as comments. A check that cannot tell, or
 * cannot be made here, is skipped with its reason, and never passes.
 * src: Documentation/dev-tools/ktap.rst of Linux; the first line and the totals are those of ksft_print_header() and
 *      ksft_print_cnts() in tools/testing/selftests/kselftest.h, which the readers of netdev's test machines look for
 */
#include "reports/format/format.h"

enum ktap_result { KTAP_PASS, KTAP_FAIL, KTAP_SKIP };

struct ktap {
	FILE *out;
	size_t n, count[KTAP_SKIP + 1];
};

/* One line, in which nothing begins a directive. */
static void ktap_put(FILE *out, const char *s)
{
	char c[PRINTABLE_BYTES];

	while (*s) {
		printable_next(&s, c);
		fputs(*c == '#' ? "?" : c, out);
	}
}

__attribute__((format(printf, 2, 3))) static void ktap_comment(const struct ktap *k, const char *fmt, ...)
{
	char line[800];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fputs("# ", k->out);
	ktap_put(k->out, line);
	fputc('\n', k->out);
}

static void ktap_add(struct ktap *k, enum ktap_result result, const char *of, const char *check, const char *why)
{
	k->count[result]++;
	if (result == KTAP_FAIL && *why)
		ktap_comment(k, "%s%s%s: %s", of, *of ? " " : "", check, why);
	fprintf(k->out, "%s %zu ", result == KTAP_FAIL ? "not ok" : "ok", ++k->n);
	ktap_put(k->out, of);
	fputs(*of ? " " : "", k->out);
	ktap_put(k->out, check);
	if (result == KTAP_SKIP) {
		fputs(" # SKIP ", k->out);
		ktap_put(k->out, why);
	}
	fputc('\n', k->out);
}

/* ---- results ----------------------------------------------------------------------------------------- */

/* title: of the variant; NULL: of a run or a comparison, whose rows name their own. */
static void format_ktap_put_gate(struct ktap *k, const struct quality_row *row, const char *title)
{
	static const enum ktap_result results[QUALITY_VERDICTS] = {[QUALITY_HOLDS] = KTAP_PASS,
								   [QUALITY_NOT_KNOWN] = KTAP_SKIP,
								   [QUALITY_CANNOT_TELL] = KTAP_SKIP,
								   [QUALITY_FAILS] = KTAP_FAIL};
	enum quality_verdict verdict = quality_verdict(row);
	char of[RUN_ID_BYTES + 8], why[600], value[48];
	size_t n = (size_t)snprintf(why, sizeof(why), "%s", quality_verdict_names[verdict]);

	if (!isnan(row->value))
		n += (size_t)snprintf(why + n, sizeof(why) - n, ": %s %s, %s %.4g",
				      digits_interval(row->value, row->half, value, sizeof(value)), row->unit,
				      row->at_least ? "at least" : "at most", row->limit);
	if (*row->note)
		snprintf(why + n, sizeof(why) - n, "; %s", row->note);
	snprintf(of, sizeof(of), "%s%s", title ? "" : row->side, title ? title : row->variant);
	ktap_add(k, results[verdict], of, row->gate, why);
}

/* The numbers of a row, and of the rows of its tables, as comments: "drop/no-touch@skb: ref ns 80.0, new ns 84.0". */
static void format_ktap_put_numbers(struct ktap *k, const char *of, const struct rows *r, size_t row)
{
	char line[600] = "", number[64];

	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *c = &r->columns[i];
		const struct cell *cell = &r->rows[row].cells[i];

		if (c->head && cell_is_number(c->kind) && !isnan(cell->value))
			listed_add(line, sizeof(line), ", ", "%s %s", c->head,
				   cell_fact(c, cell, number, sizeof(number)));
	}
	if (*line)
		ktap_comment(k, "%s: %s", of, line);
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct rows *table = rows_table_of(r, row, i);

		for (size_t t = 0; table && t < table->nrows; t++)
			format_ktap_put_numbers(k, table->rows[t].cells[0].text, table, t);
	}
}

int format_ktap(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct rows *list = NULL;
	struct ktap k = {.out = out};
	char why[600];
	size_t planned = 0;

	(void)o;
	if (d->kind >= DOCUMENT_LISTS)
		list = rows_in(&d->rows, 0, d->check ? "variants" : "checks");
	for (size_t i = 0; i < d->nsections && !list; i++)
		planned += (d->sections[i].gates ? d->sections[i].gates->nrows : 0) + !!d->sections[i].counted;
	if (list)
		planned = list->nrows;
	fprintf(out, "TAP version 13\n1..%zu%s\n", planned, planned ? "" : " # SKIP there is nothing to check");
	/* A result a row of the list. Its reason is the verdict, and what text shows below the row. */
	for (size_t i = 0; list && i < list->nrows; i++) {
		const char *class = list->rows[i].class, *of = rows_cell(list, i, d->check ? "id" : "of")->text;
		const char *between = ": ";

		snprintf(why, sizeof(why), "%s", rows_cell(list, i, "verdict")->text);
		for (size_t c = 0; c < list->ncolumns; c++) {
			const char *line = list->rows[i].cells[c].text;

			if (list->columns[c].flags & WITH_LINE && line && *line) {
				listed_add(why, sizeof(why), between, "%s", line);
				between = "; ";
			}
		}
		format_ktap_put_numbers(&k, of, list, i);
		ktap_add(&k,
			 !class          ? KTAP_PASS
			 : *class == 'b' ? KTAP_FAIL
					 : KTAP_SKIP,
			 of, d->check ?: rows_cell(list, i, "check")->text, why);
	}
	for (size_t i = 0; i < sizeof(d->line) / sizeof(d->line[0]) && !list; i++)
		if (*d->line[i])
			ktap_comment(&k, "%s", d->line[i]);
	if (*d->answer.number && !list)
		ktap_comment(&k, "%s%s%s", d->answer.before, d->answer.number, d->answer.after);
	for (size_t i = 0; i < d->nsections && !list; i++) {
		const struct section *s = &d->sections[i];
		const struct analysis_variant *v = s->measured;
		char words[400];

		if (s->counted) { /* it has one check: its sums are those that were counted beside them */
			ktap_comment(&k, "%s: %.3f instructions per packet", s->title,
				     s->counted->total.instructions[EXACT_PACKET]);
			ktap_add(&k, exact_open_words(s->counted, words, sizeof(words)) ? KTAP_FAIL : KTAP_PASS,
				 s->counted->id, "closure", words);
		} else if (v && v->nused) {
			ktap_comment(&k, "%s: %s ns per packet", s->title,
				     digits_interval(v->base_ns, v->half_ns, words, sizeof(words)));
		}
		for (size_t g = 0; s->gates && g < s->gates->nrows; g++)
			format_ktap_put_gate(&k, &s->gates->rows[g], s->title);
	}
	fprintf(out, "# Totals: pass:%zu fail:%zu xfail:0 xpass:0 skip:%zu error:0\n", k.count[KTAP_PASS],
		k.count[KTAP_FAIL], k.count[KTAP_SKIP]);
	return render_finish(out);
}
