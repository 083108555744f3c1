// SPDX-License-Identifier: GPL-2.0-or-later
/* Text: the answer, or the run and native beside skb; then facts, tables and gates, variant by variant. */
#include "reports/format/format.h"

/* Prints "12.500      80.0 ±  0.4", 25 columns wide. Without such a variant: blanks, then "-". */
static void overview_side(const struct text *t, const struct analysis_variant *v)
{
	if (!v || !v->nused) {
		fprintf(t->out, "%25s", "-");
		return;
	}
	fprintf(t->out, "%8.3f ", v->pps / 1e6);
	text_column(t, v->base_ns, v->half_ns, 9, false);
}

/* Returns the width of the first column: that of the longest name, if there is room for it. */
static int name_width(const struct overview *v, enum overview_kind kind, const struct text *t)
{
	size_t width = 16, taken = kind == OVERVIEW_ALONE ? 25 : 64;

	for (size_t i = 0; i < v->nrows; i++)
		if (v->rows[i].kind == kind)
			width = fmax(width, text_width(v->rows[i].name));
	if (t->columns && width + taken > t->columns)
		width = t->columns > taken + 16 ? t->columns - taken : 16;
	return (int)width;
}

/* Where no table fits: a line of a name, and one of each number. */
static void narrow_row(const struct text *t, const struct overview_row *row)
{
	const char *const *heads = overview_heads[row->kind];
	const struct analysis_variant *sides[] = {row->native, row->skb};

	text_last(t, row->name, t->columns);
	fputc('\n', t->out);
	for (int i = 0; i < 2; i++)
		if (sides[i] && sides[i]->nused) {
			fprintf(t->out, "  %-14s", heads[i] ? heads[i] : "ns/packet");
			text_column(t, sides[i]->base_ns, sides[i]->half_ns, 9, false);
			fputc('\n', t->out);
		}
	if (row->have_difference && compare_busy_alike(row->native, row->skb)) {
		fprintf(t->out, "  %-14s", heads[2]);
		text_column(t, row->difference.delta_ns, row->difference.half_ns, 9, true);
		fputc('\n', t->out);
	}
}

static void put_heads(const struct text *t, enum overview_kind kind, int width)
{
	static const enum text_style styles[] = {TEXT_NATIVE, TEXT_SKB};
	const char *const *heads = overview_heads[kind];
	bool alone = kind == OVERVIEW_ALONE;

	if (!alone) {
		text_styled(t, TEXT_TITLE, "%-*s", width, "");
		for (int i = 0; i < 2; i++)
			text_styled(t, kind == OVERVIEW_MODES ? styles[i] : TEXT_TITLE, "%18s       ", heads[i]);
		text_styled(t, TEXT_TITLE, "%14s\n", heads[2]);
	}
	text_styled(t, TEXT_TITLE, "%-*s%8s %9s", width, "", "Mpps", "ns/packet");
	if (!alone)
		text_styled(t, TEXT_TITLE, "%15s %9s%16s", "Mpps", "ns/packet", "ns/packet");
	fputc('\n', t->out);
}

int render_overview_table(FILE *out, const struct overview *v, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	bool narrow = t.columns && t.columns < TEXT_COLUMNS, any = false;

	for (enum overview_kind kind = 0; kind < OVERVIEW_KINDS; kind++) {
		int width = name_width(v, kind, &t);
		bool first = true;

		for (size_t i = 0; i < v->nrows; i++) {
			const struct overview_row *row = &v->rows[i];

			if (row->kind != kind)
				continue;
			if (first && any)
				fputc('\n', out);
			if (first && !narrow)
				put_heads(&t, kind, width);
			first = false;
			any = true;
			if (narrow) {
				narrow_row(&t, row);
				continue;
			}
			text_name(&t, row->name, (size_t)width);
			overview_side(&t, row->native);
			if (kind != OVERVIEW_ALONE)
				overview_side(&t, row->skb);
			if (row->have_difference && !compare_busy_alike(row->native, row->skb))
				fprintf(out, "%14s", "unlike busy");
			else if (row->have_difference)
				text_column(&t, row->difference.delta_ns, row->difference.half_ns, 7, true);
			fputc('\n', out);
		}
	}
	return text_finish(&t);
}

static int put_overview(const struct text *t, const struct document *d, const struct render_options *o)
{
	struct overview v;
	int err = overview_build(&v, d->analysis, NULL);

	if (err)
		return err;
	fputc('\n', t->out);
	err = render_overview_table(t->out, &v, o);
	overview_release(&v);
	return err;
}

/* Returns the worst row of a gate. A row with a known value counts before one without. */
static enum quality_verdict verdict_of(const struct quality *q, const char *gate)
{
	enum quality_verdict worst = QUALITY_HOLDS;
	bool known = false;

	for (size_t i = 0; i < q->nrows; i++) {
		enum quality_verdict verdict = quality_verdict(&q->rows[i]);

		if (strcmp(q->rows[i].gate, gate))
			continue;
		worst = verdict > worst ? verdict : worst;
		known |= verdict == QUALITY_HOLDS;
	}
	return worst == QUALITY_NOT_KNOWN && known ? QUALITY_HOLDS : worst;
}

/* Prints "checks ok: mode, rate, ...". Each gate stands there once, even if several variants have it. */
static void list_gates(const struct text *t, const struct quality *q, const char *title, enum quality_verdict verdict)
{
	char line[1024] = "";

	for (size_t i = 0; i < q->nrows; i++) {
		const char *gate = q->rows[i].gate;

		if (quality_is_first(q, i) && verdict_of(q, gate) == verdict)
			listed_add(line, sizeof(line), ", ", "%s", gate);
	}
	if (*line)
		text_labelled(t, TEXT_PLAIN, title, line);
}

static void tell_row(const struct text *t, const struct quality_row *row)
{
	char label[128 + RUN_ID_BYTES], line[640];

	snprintf(label, sizeof(label), "%s%s%s%s%s:", row->ok ? "" : "FAILED ", row->gate,
		 *row->side || *row->variant ? " " : "", row->side,
		 *row->variant ? row->variant
		 : *row->side  ? "run"
			       : "");
	if (row->ok || (!*row->unit && !isnan(row->value)))
		snprintf(line, sizeof(line), "%s", row->note);
	else if (isnan(row->value))
		snprintf(line, sizeof(line), "not known; %s", row->note);
	else
		snprintf(line, sizeof(line), "%.4g %s (limit %.4g): %s", row->value, row->unit, row->limit, row->note);
	text_labelled(t, row->ok ? TEXT_PLAIN : TEXT_BAD, label, line);
}

/* Gates that are ok in one line, those not known in one, telling ones and failed ones in full. */
static void text_quality(const struct text *t, const struct quality *q)
{
	list_gates(t, q, "checks ok:", QUALITY_HOLDS);
	list_gates(t, q, "inconclusive:", QUALITY_CANNOT_TELL);
	list_gates(t, q, "not known here:", QUALITY_NOT_KNOWN);
	for (size_t i = 0; i < q->nrows; i++)
		if (q->rows[i].ok && q->rows[i].tell)
			tell_row(t, &q->rows[i]);
	for (size_t i = 0; i < q->nrows; i++)
		if (!q->rows[i].ok)
			tell_row(t, &q->rows[i]);
}

static bool has_facts(const struct section *s, unsigned int in)
{
	for (size_t i = 0; i < s->rows->ncolumns; i++)
		if (rows_is_fact(s->rows, s->row, i, in))
			return true;
	return false;
}

/* The gates of a whole run are shown where one of them fails. */
static void format_text_put_section(const struct text *t, const struct document *d, const struct section *s,
				    size_t most, bool brief)
{
	bool gates = s->gates && (s->title || !d->analysis || quality_failed(s->gates));

	if (s->title)
		text_styled(t, TEXT_TITLE, "\n%s\n", s->title);
	if (s->title && s->empty)
		text_wrapped(t, 2, "no block with a base");
	if (!s->empty) {
		text_facts(t, s->rows, s->row, IN_FACTS);
		text_tables(t, s->rows, s->row, s->times * most);
		if (gates || has_facts(s, IN_PLAIN))
			fputc('\n', t->out);
		text_facts(t, s->rows, s->row, IN_PLAIN);
	}
	if (gates && brief) {
		struct trust trust = {};

		if (!trust_add(&trust, s->gates, 0, QUALITY_GATES - 1, s->title ?: ""))
			trust_render(t, &trust, SIZE_MAX);
		trust_release(&trust);
	} else if (gates)
		text_quality(t, s->gates);
}

/* The tables of a list, then those within the rows of its variants. Nothing is cut, and the answer comes last. */
static int format_text_put_list(const struct text *t, const struct document *d)
{
	const struct rows *variants = rows_in(&d->rows, 0, "variants");
	bool begun = false;

	for (size_t i = 0; i < d->rows.ncolumns; i++) {
		const struct rows *table = rows_table_of(&d->rows, 0, i);

		if (!table)
			continue;
		fputs(begun ? "\n" : "", t->out);
		begun = true;
		text_rows(t, table, 0, rows_note_of(&d->rows.columns[i], table));
		for (size_t v = 0; table == variants && v < table->nrows; v++)
			for (size_t k = 0; k < table->ncolumns; k++)
				if (rows_table_of(table, v, k)) {
					text_styled(t, TEXT_TITLE, "\n");
					text_last(t, table->rows[v].cells[0].text, t->columns);
					fprintf(t->out, ": %s\n", table->columns[k].head);
					text_rows(t, rows_table_of(table, v, k), 0, NULL);
				}
	}
	fputs(begun ? "\n" : "", t->out);
	text_wrapped(t, 0, d->answer.before);
	return text_finish(t);
}

int format_text(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	const struct sentence *answer = &d->answer;
	char line[SENTENCE_BYTES];
	int err = 0;

	if (d->kind >= DOCUMENT_LISTS)
		return format_text_put_list(&t, d);
	if (o->detail == TEXT_SHORT)
		return format_short(out, d, o);
	snprintf(line, sizeof(line), "%s%s%s", answer->before, answer->number, answer->after);
	text_wrapped(&t, 0, *line ? line : d->line[0]);
	if (d->analysis && !d->only)
		err = put_overview(&t, d, o);
	for (size_t i = 0; i < d->nsections && !err; i++)
		format_text_put_section(&t, d, &d->sections[i], o->max_symbols ? o->max_symbols : RENDER_SYMBOLS,
					o->detail == TEXT_VERBOSE);
	return err ? err : text_finish(&t);
}
