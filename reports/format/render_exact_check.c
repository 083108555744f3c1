// SPDX-License-Identifier: GPL-2.0-or-later
/* What history check prints of exact runs. */
#include <math.h>
#include "base/base.h"
#include "base/sheet/sheet.h"
#include "reports/format/format.h"

/* Functions of one verdict, in the order of the comparison. */
static void render_exact_check_print_functions(const struct text *t, const struct exact_diff *d,
					       enum exact_verdict verdict)
{
	for (size_t i = 0; i < d->nrows; i++) {
		const struct exact_diff_row *row = &d->rows[i];

		if (exact_check_function(row) != verdict)
			continue;
		text_styled(t, verdict == EXACT_MORE ? TEXT_BAD : TEXT_PLAIN, "  %-6s", exact_verdict_name(verdict));
		text_number(t, row->base.instructions[EXACT_PACKET], 11, 3, false);
		text_number(t, row->new.instructions[EXACT_PACKET], 11, 3, false);
		text_number(t, row->change, 11, 3, true);
		fprintf(t->out, "%s", row->exact ? "    " : "  ~ ");
		text_last(t, row->name, 0);
		fputc('\n', t->out);
	}
}

static void print_variant(const struct text *t, const struct exact_check_row *row)
{
	bool known = row->verdict != EXACT_NEW;

	text_styled(t, row->verdict == EXACT_MORE ? TEXT_BAD : TEXT_PLAIN, "%-8s", exact_verdict_name(row->verdict));
	text_number(t, known ? row->diff.base->total.instructions[EXACT_PACKET] : NAN, 11, 3, false);
	text_number(t, row->new->total.instructions[EXACT_PACKET], 11, 3, false);
	text_number(t, known ? row->diff.change : NAN, 11, 3, true);
	fputs("  ", t->out);
	text_last(t, row->new->id, 0);
	fputc('\n', t->out);
	if (row->made[0])
		text_wrapped(t, 2, row->made);
	render_exact_check_print_functions(t, &row->diff, EXACT_MORE);
	render_exact_check_print_functions(t, &row->diff, EXACT_LESS);
}

int render_exact_check_text(FILE *out, const struct exact_check *c, bool colour)
{
	const struct text t = {.out = out, .colour = colour};
	char line[400];

	text_styled(&t, TEXT_TITLE, "%-8s%11s%11s%11s  %s\n", "", "ref", "new", "change", "instructions per packet");
	for (size_t i = 0; i < c->nrows; i++)
		print_variant(&t, &c->rows[i]);
	snprintf(line, sizeof(line),
		 "%zu of %zu variants have a function that takes more instructions than in the run of %s. Exact "
		 "functions are the same to 0.001; a function that depends on state (~) may differ by the deviations "
		 "of both runs",
		 exact_check_count(c, EXACT_MORE), c->nrows, c->base->time);
	text_wrapped(&t, 0, line);
	return text_finish(&t);
}

static json_t *render_exact_check_functions_json(struct json_out *w, const struct exact_diff *d)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < d->nrows; i++) {
		const struct exact_diff_row *row = &d->rows[i];
		enum exact_verdict verdict = exact_check_function(row);
		json_t *item;

		if (verdict == EXACT_SAME)
			continue;
		item = json_object();
		json_out_text(w, item, "name", row->name);
		json_out_text(w, item, "verdict", exact_verdict_name(verdict));
		json_out_number(w, item, "base_instructions", row->base.instructions[EXACT_PACKET]);
		json_out_number(w, item, "new_instructions", row->new.instructions[EXACT_PACKET]);
		json_out_number(w, item, "change", row->change);
		json_out_number(w, item, "bound", exact_check_bound(row));
		json_out_put(w, item, "exact", json_boolean(row->exact));
		json_out_add(w, rows, item);
	}
	return rows;
}

int render_exact_check_json(FILE *out, const struct exact_check *c)
{
	json_t *o = json_object(), *rows = json_array();
	struct json_out w = {false};

	for (size_t i = 0; i < c->nrows; i++) {
		const struct exact_check_row *row = &c->rows[i];
		bool known = row->verdict != EXACT_NEW;
		json_t *item = json_object();

		json_out_text(&w, item, "id", row->new->id);
		json_out_text(&w, item, "verdict", exact_verdict_name(row->verdict));
		json_out_number(&w, item, "base_instructions",
				known ? row->diff.base->total.instructions[EXACT_PACKET] : NAN);
		json_out_number(&w, item, "new_instructions", row->new->total.instructions[EXACT_PACKET]);
		json_out_number(&w, item, "change", known ? row->diff.change : NAN);
		json_out_put(&w, item, "made_with", row->made[0] ? json_text_string(row->made) : json_null());
		json_out_put(&w, item, "functions", render_exact_check_functions_json(&w, &row->diff));
		json_out_add(&w, rows, item);
	}
	json_out_text(&w, o, "schema", "xdpzoom.exact-check/2");
	json_out_text(&w, o, "base_time", c->base->time);
	json_out_text(&w, o, "new_time", c->new->time);
	json_out_put(&w, o, "variants", rows);
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

/* Functions that take more are comments before the result of their variant. */
int render_exact_check_ktap(FILE *out, const struct exact_check *c)
{
	static const enum ktap_result results[] = {
		[EXACT_SAME] = KTAP_PASS, [EXACT_LESS] = KTAP_PASS, [EXACT_MORE] = KTAP_FAIL, [EXACT_NEW] = KTAP_SKIP};
	char why[400];
	struct ktap k;

	ktap_begin(&k, out, c->nrows);
	for (const struct exact_check_row *row = c->rows; row < c->rows + c->nrows; row++) {
		snprintf(why, sizeof(why), "%s", exact_verdict_name(row->verdict));
		if (row->verdict != EXACT_NEW)
			snprintf(why, sizeof(why), "%s: %.3f instructions per packet, were %.3f%s%s",
				 exact_verdict_name(row->verdict), row->new->total.instructions[EXACT_PACKET],
				 row->diff.base->total.instructions[EXACT_PACKET], row->made[0] ? "; " : "", row->made);
		for (size_t i = 0; i < row->diff.nrows; i++)
			if (exact_check_function(&row->diff.rows[i]) == EXACT_MORE)
				ktap_comment(&k, "%s: %+.3f %s", row->new->id, row->diff.rows[i].change,
					     row->diff.rows[i].name);
		ktap_add(&k, results[row->verdict], row->new->id, "no-more-instructions", why);
	}
	return ktap_end(&k);
}
