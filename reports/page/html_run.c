// SPDX-License-Identifier: GPL-2.0-or-later
/* How far to trust the numbers (gates), and where they were measured (environment). */
#include <math.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"

/* ---- gates ------------------------------------------------------------------------------------------- */

static size_t count_gates(const struct html_gates *g, enum quality_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nlists; i++)
		for (size_t k = 0; k < g->lists[i]->nrows; k++)
			n += quality_verdict(&g->lists[i]->rows[k]) == verdict;
	return n;
}

void html_gates_verdict(FILE *out, const struct html_gates *g)
{
	size_t failed = count_gates(g, QUALITY_FAILS), open = count_gates(g, QUALITY_CANNOT_TELL);
	size_t all = failed + open + count_gates(g, QUALITY_HOLDS);

	if (failed)
		markup(out,
		       "<p class=\"verdict\"><span class=\"failed\">✗ %zu of %zu quality gates failed.</span> "
		       "<a href=\"#gates\">What that means for these numbers</a></p>\n",
		       failed, all);
	else if (open)
		markup(out,
		       "<p class=\"verdict\"><span class=\"unknown\">%zu of %zu quality gates cannot tell; none "
		       "failed.</span> <a href=\"#gates\">What was checked</a></p>\n",
		       open, all);
	else
		markup(out,
		       "<p class=\"verdict\"><span class=\"ok\">✓ All %zu quality gates are ok.</span> "
		       "<a href=\"#gates\">What was checked</a></p>\n",
		       all);
}

enum gate_order { GATES_FAILED, GATES_OPEN, GATES_TOLD, GATES_OK, GATES_UNKNOWN, GATE_ORDERS };

static enum gate_order order_of(const struct quality_row *row)
{
	if (!row->ok)
		return GATES_FAILED;
	if (quality_verdict(row) == QUALITY_CANNOT_TELL)
		return GATES_OPEN;
	if (row->tell && *row->note)
		return GATES_TOLD;
	return isnan(row->value) ? GATES_UNKNOWN : GATES_OK;
}

static void gate_row(FILE *out, const struct quality_row *row)
{
	static const struct {
		const char *class, *words;
	} verdicts[] = {
		[GATES_FAILED] = {"failed", "✗ failed"},
		[GATES_OPEN] = {"unknown", "cannot tell"},
		[GATES_TOLD] = {"ok", "✓ ok"},
		[GATES_OK] = {"ok", "✓ ok"},
		[GATES_UNKNOWN] = {"unknown", "not known"},
	};
	enum gate_order order = row->ok && isnan(row->value) ? GATES_UNKNOWN : order_of(row);

	markup(out, "<tr><td class=\"%s\">%s</td><th scope=\"row\">%s</th><td>%s%s</td>", verdicts[order].class,
	       verdicts[order].words, row->gate, row->side, row->variant);
	if (isnan(row->value))
		markup(out, "<td class=\"r\">-</td>");
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.4g</td>", row->value, row->value);
	markup(out, "<td class=\"wide\">%s</td><td class=\"wide r\">%s %.4g</td><td>%s</td></tr>\n", row->unit,
	       row->at_least ? "≥" : "≤", row->limit, row->note);
}

static void gates_table(FILE *out, const struct html_gates *g)
{
	markup(out, "<div class=\"scroll\"><table class=\"gates\"><thead><tr><th scope=\"col\">verdict</th>"
		    "<th scope=\"col\">gate</th><th scope=\"col\">variant</th><th class=\"r\" scope=\"col\">value</th>"
		    "<th class=\"wide\" scope=\"col\">unit</th><th class=\"wide r\" scope=\"col\">limit</th>"
		    "<th scope=\"col\">what it says</th></tr></thead><tbody>\n");
	for (enum gate_order order = 0; order < GATE_ORDERS; order++)
		for (size_t i = 0; i < g->nlists; i++)
			for (size_t k = 0; k < g->lists[i]->nrows; k++)
				if (order_of(&g->lists[i]->rows[k]) == order)
					gate_row(out, &g->lists[i]->rows[k]);
	markup(out, "</tbody></table></div>\n");
}

void html_gates_add(struct html_gates *g, const struct quality *q)
{
	if (g->nlists < sizeof(g->lists) / sizeof(g->lists[0]))
		g->lists[g->nlists++] = q;
}

void html_gates_section(FILE *out, const struct html_gates *g)
{
	markup(out, "<section id=\"gates\"><h2>Quality gates</h2>\n<p class=\"how\">Is a number worth what it looks "
		    "like? Failed "
		    "gates first, with what to do.</p>\n");
	gates_table(out, g);
	markup(out, "</section>\n");
}

/* ---- environment ------------------------------------------------------------------------------------- */

static void json_value(FILE *out, const json_t *value);

static void json_members(FILE *out, const json_t *o)
{
	const char *name;
	json_t *value;

	markup(out, "<dl class=\"facts\">\n");
	json_object_foreach ((json_t *)o, name, value) {
		markup(out, "<dt>%s</dt><dd>", name);
		json_value(out, value);
		markup(out, "</dd>\n");
	}
	markup(out, "</dl>\n");
}

static void json_value(FILE *out, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		json_members(out, value);
		break;
	case JSON_ARRAY:
		for (size_t i = 0; i < json_array_size(value); i++) {
			markup(out, "%s", i ? " " : "");
			json_value(out, json_array_get(value, i));
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

void html_environment(FILE *out, const struct run *r)
{
	const struct {
		const char *title;
		const json_t *o;
	} parts[] = {{"Device", r->device}, {"Load", r->load}, {"Machine", r->environment}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].o)
			continue;
		markup(out, "<h3>%s</h3>\n", parts[i].title);
		json_value(out, parts[i].o);
	}
}
