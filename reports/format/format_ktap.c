// SPDX-License-Identifier: GPL-2.0-or-later
/* Quality gates as the kernel's selftests print their results, with the costs as comments. */
#include "reports/format/format.h"

/* title: of the variant; NULL: of a run or a comparison, whose rows name their own. */
static void format_ktap_put_gate(struct ktap *k, const struct quality_row *row, const char *title)
{
	static const enum ktap_result results[QUALITY_VERDICTS] = {[QUALITY_HOLDS] = KTAP_PASS,
								   [QUALITY_NOT_KNOWN] = KTAP_SKIP,
								   [QUALITY_CANNOT_TELL] = KTAP_SKIP,
								   [QUALITY_FAILS] = KTAP_FAIL};
	enum quality_verdict verdict = quality_verdict(row);
	char of[RUN_ID_BYTES + 8], why[600], value[48];
	size_t n = (size_t)snprintf(why, sizeof(why), "%s", quality_verdict_name(verdict));

	if (!isnan(row->value))
		n += (size_t)snprintf(why + n, sizeof(why) - n, ": %s %s, %s %.4g",
				      digits_interval(row->value, row->half, value, sizeof(value)), row->unit,
				      row->at_least ? "at least" : "at most", row->limit);
	if (*row->note)
		snprintf(why + n, sizeof(why) - n, "; %s", row->note);
	snprintf(of, sizeof(of), "%s%s", title ? "" : row->side, title ? title : row->variant);
	ktap_add(k, results[verdict], of, row->gate, why);
}

static void format_ktap_put_cost(const struct ktap *k, const struct section *s)
{
	char number[48];

	if (s->counted)
		ktap_comment(k, "%s: %.3f instructions per packet", s->title,
			     s->counted->total.instructions[EXACT_PACKET]);
	else if (s->measured && s->measured->nused)
		ktap_comment(k, "%s: %s ns per packet", s->title,
			     digits_interval(s->measured->base_ns, s->measured->half_ns, number, sizeof(number)));
}

/* An exact run has one check a variant: its sums are those that were counted beside them. */
static void format_ktap_put_closure(struct ktap *k, const struct exact_variant *v)
{
	char words[400];
	bool open = exact_open_words(v, words, sizeof(words));

	ktap_add(k, open ? KTAP_FAIL : KTAP_PASS, v->id, "closure", words);
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

/* A result a row of the list. Its reason is the verdict, and what text shows below the row. */
static int format_ktap_put_list(FILE *out, const struct document *d)
{
	const struct rows *r = rows_in(&d->rows, 0, d->check ? "variants" : "checks");
	struct ktap k;

	ktap_begin(&k, out, r->nrows);
	for (size_t i = 0; i < r->nrows; i++) {
		const char *class = r->rows[i].class, *of = rows_cell(r, i, d->check ? "id" : "of")->text;
		const char *between = ": ";
		char why[600];

		snprintf(why, sizeof(why), "%s", rows_cell(r, i, "verdict")->text);
		for (size_t c = 0; c < r->ncolumns; c++) {
			const char *line = r->rows[i].cells[c].text;

			if (r->columns[c].flags & WITH_LINE && line && *line) {
				listed_add(why, sizeof(why), between, "%s", line);
				between = "; ";
			}
		}
		format_ktap_put_numbers(&k, of, r, i);
		ktap_add(&k,
			 !class          ? KTAP_PASS
			 : *class == 'b' ? KTAP_FAIL
					 : KTAP_SKIP,
			 of, d->check ?: rows_cell(r, i, "check")->text, why);
	}
	return ktap_end(&k);
}

int format_ktap(FILE *out, const struct document *d, const struct render_options *o)
{
	size_t planned = 0;
	struct ktap k;

	(void)o;
	if (d->kind >= DOCUMENT_LISTS)
		return format_ktap_put_list(out, d);
	for (size_t i = 0; i < d->nsections; i++)
		planned += (d->sections[i].gates ? d->sections[i].gates->nrows : 0) + !!d->sections[i].counted;
	ktap_begin(&k, out, planned);
	for (size_t i = 0; i < sizeof(d->line) / sizeof(d->line[0]); i++)
		if (*d->line[i])
			ktap_comment(&k, "%s", d->line[i]);
	if (*d->answer.number)
		ktap_comment(&k, "%s%s%s", d->answer.before, d->answer.number, d->answer.after);
	for (size_t i = 0; i < d->nsections; i++) {
		const struct section *s = &d->sections[i];

		format_ktap_put_cost(&k, s);
		if (s->counted)
			format_ktap_put_closure(&k, s->counted);
		for (size_t g = 0; s->gates && g < s->gates->nrows; g++)
			format_ktap_put_gate(&k, &s->gates->rows[g], s->title);
	}
	return ktap_end(&k);
}
