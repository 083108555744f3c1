// SPDX-License-Identifier: GPL-2.0-or-later
/* What pages have around their sections; how far to trust the numbers (gates); where they were measured. */
#include "reports/page/page.h"

void html_page_command(FILE *out, const struct render_options *o)
{
	if (o->command)
		markup(out, "<h3>Page</h3>\n<pre><code>%s</code></pre>\n", o->command);
	markup(out, "<p id=\"save\"></p>\n</section>\n</main>\n");
}

/* ---- gates ------------------------------------------------------------------------------------------- */

/* The gates of section number i of a document; NULL: it has none. */
static const struct quality *gates_of(const struct document *d, size_t i)
{
	if (!d->explain)
		return d->sections[i].gates;
	return i ? &d->explain->variants[i - 1].measured->quality : &d->explain->measured->quality;
}

static size_t count_gates(const struct document *d, enum quality_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < d->nsections; i++) {
		const struct quality *q = gates_of(d, i);

		for (size_t k = 0; q && k < q->nrows; k++)
			n += quality_verdict(&q->rows[k]) == verdict;
	}
	return n;
}

void html_gates_verdict(FILE *out, const struct document *d)
{
	size_t failed = count_gates(d, QUALITY_FAILS), open = count_gates(d, QUALITY_CANNOT_TELL);
	size_t all = failed + open + count_gates(d, QUALITY_HOLDS);

	if (failed)
		markup(out,
		       "<p class=\"verdict\"><span class=\"failed\">✗ %zu of %zu checks failed.</span> "
		       "<a href=\"#checks\">What that means for these numbers</a></p>\n",
		       failed, all);
	else if (open)
		markup(out,
		       "<p class=\"verdict\"><span class=\"unknown\">%zu of %zu checks inconclusive; none "
		       "failed.</span> <a href=\"#checks\">What was checked</a></p>\n",
		       open, all);
	else
		markup(out,
		       "<p class=\"verdict\"><span class=\"ok\">✓ All %zu checks are ok.</span> "
		       "<a href=\"#checks\">What was checked</a></p>\n",
		       all);
}

static void gates_table(FILE *out, const struct document *d, const enum quality_verdict *order, size_t n)
{
	static const struct {
		const char *class, *words;
	} verdicts[] = {
		[QUALITY_FAILS] = {"failed", "✗ failed"},
		[QUALITY_CANNOT_TELL] = {"unknown", "inconclusive"},
		[QUALITY_HOLDS] = {"ok", "✓ ok"},
		[QUALITY_NOT_KNOWN] = {"unknown", "not available"},
	};

	markup(out, "<div class=\"scroll\"><table class=\"checks\"><thead><tr><th scope=\"col\">verdict</th>"
		    "<th scope=\"col\">check</th><th scope=\"col\">variant</th><th class=\"r\" scope=\"col\">value</th>"
		    "<th class=\"wide\" scope=\"col\">unit</th><th class=\"wide r\" scope=\"col\">limit</th>"
		    "<th scope=\"col\">detail</th></tr></thead><tbody>\n");
	for (size_t at = 0; at < n * d->nsections; at++) {
		enum quality_verdict verdict = order[at / d->nsections];
		const struct quality *q = gates_of(d, at % d->nsections);

		for (size_t k = 0; q && k < q->nrows; k++) {
			const struct quality_row *row = &q->rows[k];

			if (quality_verdict(row) != verdict)
				continue;
			markup(out, "<tr><td class=\"%s\">%s</td><th scope=\"row\">%s</th><td>%s%s</td>",
			       verdicts[verdict].class, verdicts[verdict].words, row->gate, row->side, row->variant);
			if (isnan(row->value))
				markup(out, "<td class=\"r\">-</td>");
			else
				markup(out, "<td class=\"r\" data-v=\"%.10g\">%.4g</td>", row->value, row->value);
			markup(out, "<td class=\"wide\">%s</td><td class=\"wide r\">%s %.4g</td><td>%s</td></tr>\n",
			       row->unit, row->at_least ? "≥" : "≤", row->limit, row->note);
		}
	}
	markup(out, "</tbody></table></div>\n");
}

/* Failed checks are in sight, the others folded. */
void html_gates_section(FILE *out, const struct document *d)
{
	static const enum quality_verdict order[] = {QUALITY_FAILS, QUALITY_CANNOT_TELL, QUALITY_HOLDS,
						     QUALITY_NOT_KNOWN};

	markup(out, "<section id=\"checks\"><h2>Checks</h2>\n<p class=\"how\">Can a number be trusted? Failed "
		    "checks first, with what to do.</p>\n");
	if (count_gates(d, QUALITY_FAILS))
		gates_table(out, d, order, 1);
	markup(out, "<details class=\"fold\"><summary>%zu passed, %zu inconclusive, %zu not available</summary>\n",
	       count_gates(d, QUALITY_HOLDS), count_gates(d, QUALITY_CANNOT_TELL), count_gates(d, QUALITY_NOT_KNOWN));
	gates_table(out, d, order + 1, 3);
	markup(out, "</details>\n</section>\n");
}

/* ---- environment ------------------------------------------------------------------------------------- */

void html_json(FILE *out, const json_t *value)
{
	const char *name;
	json_t *member;

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		markup(out, "<dl class=\"facts\">\n");
		json_object_foreach ((json_t *)value, name, member) {
			markup(out, "<dt>%s</dt><dd>", name);
			html_json(out, member);
			markup(out, "</dd>\n");
		}
		markup(out, "</dl>\n");
		break;
	case JSON_ARRAY:
		for (size_t i = 0; i < json_array_size(value); i++) {
			markup(out, "%s", i ? " " : "");
			html_json(out, json_array_get(value, i));
		}
		break;
	case JSON_STRING:
		markup(out, "%s", json_string_value(value));
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		markup(out, "%.10g", json_number_value(value));
		break;
	case JSON_TRUE:
		markup(out, "yes");
		break;
	case JSON_FALSE:
		markup(out, "no");
		break;
	case JSON_NULL:
		markup(out, "-");
	}
}
