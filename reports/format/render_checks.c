// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"
#include <math.h>
#include "base/sheet/sheet.h"

static const char *const words[] = {[CHECK_HELD] = "ok", [CHECK_OPEN] = "inconclusive", [CHECK_MISSED] = "missed"};

int render_checks_text(FILE *out, const struct checks *c, bool colour)
{
	const struct text t = {out, colour};
	char bar[64];

	text_styled(&t, TEXT_TITLE, "  %-11s  %-21s %9s  %-17s  %s\n", "", "check", "value", "bar", "of");
	for (size_t i = 0; i < c->nrows; i++) {
		const struct check_row *row = &c->rows[i];

		text_styled(&t, row->verdict == CHECK_MISSED ? TEXT_BAD : TEXT_PLAIN, "  %-11s",
			    row->verdict == CHECK_MISSED ? "MISSED" : words[row->verdict]);
		fprintf(out, "  %-21s ", row->check);
		text_number(&t, row->value, 9, 2, false);
		snprintf(bar, sizeof(bar), "%s %.4g %s", row->at_least ? ">=" : "<=", row->limit, row->unit);
		fprintf(out, "  %-17s  %s\n", bar, row->of);
		if (row->note[0])
			text_wrapped(&t, 10, row->note);
	}
	fprintf(out, "  %zu of %zu bars held, %zu missed", checks_count(c, CHECK_HELD), c->nrows,
		checks_count(c, CHECK_MISSED));
	if (checks_count(c, CHECK_OPEN))
		fprintf(out, "; %zu inconclusive (a longer run narrows their intervals)", checks_count(c, CHECK_OPEN));
	fputc('\n', out);
	return text_finish(&t);
}

int render_checks_json(FILE *out, const struct checks *c)
{
	json_t *o = json_object(), *rows = json_array();
	struct json_out w = {};

	for (size_t i = 0; i < c->nrows; i++) {
		const struct check_row *row = &c->rows[i];
		json_t *item = json_object();

		json_out_text(&w, item, "check", row->check);
		json_out_text(&w, item, "of", row->of);
		json_out_text(&w, item, "unit", row->unit);
		json_out_number(&w, item, "value", row->value);
		json_out_number(&w, item, "ci95_half", row->spread);
		json_out_number(&w, item, "limit", row->limit);
		json_out_text(&w, item, "sense", row->at_least ? "at least" : "at most");
		json_out_text(&w, item, "verdict", words[row->verdict]);
		json_out_text(&w, item, "note", row->note);
		json_out_add(&w, rows, item);
	}
	json_out_text(&w, o, "schema", "xdpzoom.selftest/1");
	json_out_put(&w, o, "ok", json_boolean(checks_count(c, CHECK_HELD) == c->nrows));
	json_out_put(&w, o, "checks", rows);
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

int render_checks_ktap(FILE *out, const struct checks *c)
{
	static const enum ktap_result results[] = {
		[CHECK_HELD] = KTAP_PASS, [CHECK_OPEN] = KTAP_SKIP, [CHECK_MISSED] = KTAP_FAIL};
	char value[48], why[400];
	struct ktap k;

	ktap_begin(&k, out, c->nrows);
	for (const struct check_row *row = c->rows; row < c->rows + c->nrows; row++) {
		snprintf(why, sizeof(why), "%s: %s %s, %s %.4g%s%s", words[row->verdict],
			 isnan(row->value) ? "not known"
					   : digits_interval(row->value, row->spread, value, sizeof(value)),
			 row->unit, row->at_least ? "at least" : "at most", row->limit, *row->note ? "; " : "",
			 row->note);
		ktap_add(&k, results[row->verdict], row->of, row->check, why);
	}
	return ktap_end(&k);
}
