// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include "base/json_text.h"
#include "reports/format/render_checks.h"
#include "base/sheet/text.h"

static const char *const words[] = {[CHECK_HELD] = "ok", [CHECK_OPEN] = "cannot tell", [CHECK_MISSED] = "missed"};

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
		fprintf(out, "; %zu cannot be told (a longer run narrows their intervals)",
			checks_count(c, CHECK_OPEN));
	fputc('\n', out);
	return text_finish(&t);
}

static json_t *render_checks_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

int render_checks_json(FILE *out, const struct checks *c)
{
	json_t *rows = json_array(), *o;
	int err = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct check_row *row = &c->rows[i];

		if (json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:s, s:s}", "check",
							  row->check, "of", row->of, "unit", row->unit, "value",
							  render_checks_number(row->value), "ci95_half",
							  render_checks_number(row->spread), "limit",
							  render_checks_number(row->limit), "sense",
							  row->at_least ? "at least" : "at most", "verdict",
							  words[row->verdict], "note", row->note)))
			err = -ENOMEM;
	}
	o = json_pack("{s:s, s:b, s:o}", "schema", "xdpzoom.selftest/1", "ok", checks_count(c, CHECK_HELD) == c->nrows,
		      "checks", rows);
	errno = 0;
	if (!err && (!o || json_text_write(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) ||
		     fputc('\n', out) == EOF || fflush(out)))
		err = errno ? -errno : -EIO;
	json_decref(o);
	return err;
}
