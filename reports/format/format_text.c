// SPDX-License-Identifier: GPL-2.0-or-later
/* Text: the answer or the run; then facts, tables and gates of the whole and of each variant. */
#include "reports/format/format.h"

/* The gates of a whole run are shown where one of them fails. */
static void format_text_put_section(const struct text *t, const struct document *d, const struct section *s,
				    size_t most, bool brief)
{
	bool gates = s->gates && (s->title || !d->analysis || quality_failed(s->gates)), apart = gates;
	char label[128 + RUN_ID_BYTES], line[640];

	if (s->title)
		text_styled(t, TEXT_TITLE, "\n%s\n", s->title);
	if (s->title && s->empty)
		text_wrap(t, 0, 2, "no block with a base");
	if (!s->empty) {
		text_facts(t, s->rows, s->row, IN_FACTS);
		for (size_t i = 0; i < s->rows->ncolumns; i++) {
			const struct rows *table = rows_table_of(s->rows, s->row, i);
			const struct column *column = &s->rows->columns[i];
			bool caption = column->flags & WITH_CAPTION;

			if (!table)
				continue;
			fputc('\n', t->out);
			if (caption)
				text_wrap(t, 0, 2, column->note);
			text_rows(t, table, s->times * most, caption ? table->note : table->note ?: column->note);
		}
		for (size_t i = 0; i < s->rows->ncolumns && !apart; i++)
			apart = rows_is_fact(s->rows, s->row, i, IN_PLAIN);
		fputs(apart ? "\n" : "", t->out);
		text_facts(t, s->rows, s->row, IN_PLAIN);
	}
	if (gates && brief) {
		struct trust trust = {};

		if (!trust_add(&trust, s->gates, 0, QUALITY_GATES - 1, s->title ?: ""))
			trust_render(t, &trust, SIZE_MAX);
		quality_release(&trust.rows);
	} else if (gates) {
		/* Those that are ok in one line, those not known in one, telling ones and failed ones in full. */
		trust_list(t, s->gates, QUALITY_HOLDS, "checks ok:");
		trust_list(t, s->gates, QUALITY_CANNOT_TELL, "inconclusive:");
		trust_list(t, s->gates, QUALITY_NOT_KNOWN, "not known here:");
		for (int failed = 0; failed < 2; failed++)
			for (const struct quality_row *row = s->gates->rows; row < s->gates->rows + s->gates->nrows;
			     row++) {
				if (row->ok ? !row->tell || failed : !failed)
					continue;
				const char *of = *row->variant ? row->variant : *row->side ? "run" : "";
				snprintf(label, sizeof(label), "%s%s%s%s%s:", row->ok ? "" : "FAILED ", row->gate,
					 *row->side || *row->variant ? " " : "", row->side, of);
				if (row->ok || (!*row->unit && !isnan(row->value)))
					snprintf(line, sizeof(line), "%s", row->note);
				else if (isnan(row->value))
					snprintf(line, sizeof(line), "not known; %s", row->note);
				else
					snprintf(line, sizeof(line), "%.4g %s (limit %.4g): %s", row->value, row->unit,
						 row->limit, row->note);
				text_labelled(t, row->ok ? TEXT_PLAIN : TEXT_BAD, label, line);
			}
	}
}

int format_text(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	const struct rows *variants = d->kind >= DOCUMENT_LISTS ? rows_in(&d->rows, 0, "variants") : NULL;
	const struct sentence *answer = &d->answer;
	char line[SENTENCE_BYTES];
	bool begun = false;

	if (d->kind < DOCUMENT_LISTS && o->detail == TEXT_SHORT)
		return format_short(out, d, o);
	if (d->kind < DOCUMENT_LISTS) {
		snprintf(line, sizeof(line), "%s%s%s", answer->before, answer->number, answer->after);
		text_wrap(&t, 0, 0, *line ? line : d->line[0]);
		for (size_t i = 0; i < d->nsections; i++)
			format_text_put_section(&t, d, &d->sections[i],
						o->max_symbols ? o->max_symbols : RENDER_SYMBOLS,
						o->detail == TEXT_VERBOSE);
		return render_finish(out);
	}
	/* The tables of a list, then those in the rows of its variants. Nothing is cut, and the answer comes last. */
	for (size_t i = 0; i < d->rows.ncolumns; i++) {
		const struct rows *table = rows_table_of(&d->rows, 0, i);

		if (!table)
			continue;
		fputs(begun ? "\n" : "", out);
		begun = true;
		text_rows(&t, table, 0, table->note ?: d->rows.columns[i].note);
		for (size_t k = 0; table == variants && k < table->nrows * table->ncolumns; k++) {
			const struct rows *inner = rows_table_of(table, k / table->ncolumns, k % table->ncolumns);

			if (!inner)
				continue;
			text_styled(&t, TEXT_TITLE, "\n");
			text_last(&t, table->rows[k / table->ncolumns].cells[0].text, t.columns);
			fprintf(out, ": %s\n", table->columns[k % table->ncolumns].head);
			text_rows(&t, inner, 0, NULL);
		}
	}
	fputs(begun ? "\n" : "", out);
	text_wrap(&t, 0, 0, answer->before);
	return render_finish(out);
}
