// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page: bases, symbols, facilities, gates, environment. */
#include <math.h>
#include <string.h>
#include "reports/html_parts.h"
#include "reports/markup.h"
#include "reports/palette.h"
#include "reports/sentence.h"
#include "reports/text.h"

const char *html_side_class(enum html_side side)
{
	return side == HTML_NEW ? "new" : "base";
}

void html_short_sides(const struct compare *c, const char **base, const char **new)
{
	sentence_sides(c, base, new);
	if (strchr(*base, '@')) {
		*base = "base";
		*new = "new";
	}
}

static void number_cell(FILE *out, double value, int decimals, bool sign)
{
	if (isnan(value))
		markup(out, "<td class=\"r\">-</td>");
	else if (sign)
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%+.*f</td>", value, decimals, value);
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.*f</td>", value, decimals, value);
}

static void interval_cell(FILE *out, double half, int decimals)
{
	if (isnan(half))
		markup(out, "<td class=\"pm\"></td>");
	else
		markup(out, "<td class=\"pm\" data-v=\"%.10g\">%.*f</td>", half, decimals, half);
}

static void count_cell(FILE *out, double count)
{
	char digits[40];

	if (isnan(count)) {
		markup(out, "<td class=\"r\">-</td>");
		return;
	}
	markup(out, "<td class=\"r\" data-v=\"%.10g\">%s</td>", count,
	       text_count(count, digits, sizeof(digits)));
}

static void side_row(FILE *out, const char *class, const char *what, const struct analysis_variant *v)
{
	int decimals = text_decimals(v->half_ns);

	markup(out, "<tr class=\"%s\"><th scope=\"row\">%s</th><td>%s</td>", class, what, v->variant->id);
	count_cell(out, v->pps);
	number_cell(out, v->base_ns, decimals, false);
	interval_cell(out, v->half_ns, decimals);
	number_cell(out, v->busy_pct, 1, false);
	number_cell(out, v->packets_per_poll, 1, false);
	markup(out, "<td class=\"r wide\">%zu of %zu</td>", v->nused, v->nblocks);
	markup(out, "<td class=\"r wide\">%.0f</td></tr>\n", (double)v->samples);
}

void html_sides_table(FILE *out, const struct compare *c)
{
	const char *base, *new;

	html_short_sides(c, &base, &new);
	markup(out, "<div class=\"scroll\"><table class=\"sides\"><thead><tr><th></th><th scope=\"col\">variant</th>"
		    "<th class=\"r\" scope=\"col\">packets/s</th><th class=\"r\" scope=\"col\">ns/packet</th>"
		    "<th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r\" scope=\"col\">busy %%</th><th class=\"r\" scope=\"col\">packets/poll</th>"
		    "<th class=\"r wide\" scope=\"col\">blocks used</th>"
		    "<th class=\"r wide\" scope=\"col\">samples</th></tr></thead><tbody>\n");
	side_row(out, "base", base, c->base);
	side_row(out, "new", new, c->new);
	markup(out, "</tbody></table></div>\n");
}

static void overview_side(FILE *out, const struct analysis_variant *v)
{
	if (!v || !v->nused) {
		markup(out, "<td class=\"r wide\">-</td><td class=\"r\">-</td><td class=\"pm\"></td>");
		return;
	}
	markup(out, "<td class=\"r wide\">%.3f</td>", v->pps / 1e6);
	number_cell(out, v->base_ns, text_decimals(v->half_ns), false);
	interval_cell(out, v->half_ns, text_decimals(v->half_ns));
}

static void overview_row(FILE *out, const struct overview_row *row, size_t number)
{
	markup(out, "<tr><th scope=\"row\">");
	if (row->have_difference)
		markup(out, "<a href=\"#pair-%zu\">%s</a></th>", number, row->name);
	else
		markup(out, "%s</th>", row->name);
	overview_side(out, row->native);
	overview_side(out, row->skb);
	if (row->have_difference) {
		number_cell(out, row->difference.delta_ns, text_decimals(row->difference.half_ns), true);
		interval_cell(out, row->difference.half_ns, text_decimals(row->difference.half_ns));
	} else {
		markup(out, "<td class=\"r\">-</td><td></td>");
	}
	markup(out, "</tr>\n");
}

void html_overview_table(FILE *out, const struct overview *v)
{
	markup(out, "<div class=\"scroll\"><table class=\"overview\"><thead><tr><th></th>"
		    "<th class=\"r wide\" scope=\"col\">Mpps</th><th class=\"r key-base\" scope=\"col\">native, ns</th>"
		    "<th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r wide\" scope=\"col\">Mpps</th><th class=\"r key-new\" scope=\"col\">generic, ns</th>"
		    "<th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r\" scope=\"col\">difference, ns</th>"
		    "<th scope=\"col\">± 95 %%</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < v->nrows; i++)
		overview_row(out, &v->rows[i], i);
	markup(out, "</tbody></table></div>\n");
}

static void facility_cell(FILE *out, const char *facility)
{
	markup(out, "<td class=\"wide\"><span class=\"sw %s\"></span>%s</td>",
	       palette_of_facility(facility)->class, facility);
}

/* As wide as the change is next to the largest one. */
static void mini_cell(FILE *out, double delta_ns, double largest_ns)
{
	double part = largest_ns > 0 ? 50 * fabs(delta_ns) / largest_ns : 0;

	markup(out, "<td class=\"wide\"><svg class=\"mini\" aria-hidden=\"true\"><rect class=\"%s\" x=\"%.2f%%\" y=\"3\" "
		    "width=\"%.2f%%\" height=\"11\"/><line x1=\"50%%\" x2=\"50%%\" y1=\"0\" y2=\"17\"/></svg></td>",
	       delta_ns < 0 ? "less" : "more", delta_ns < 0 ? 50 - part : 50, part);
}

/* In words where a row came or went; "~" where chance explains the change. */
static const char *kind_of(const struct compare_row *row)
{
	return row->significant ? compare_class_name(row->class) : "same";
}

static void change_row(FILE *out, const struct compare_row *row, double largest_ns)
{
	const char *kind = kind_of(row);

	markup(out, "<tr class=\"%s\" data-kind=\"%s\"><td><span class=\"tag %s\">%s</span></td>"
		    "<th scope=\"row\" class=\"sym\">%s</th>",
	       kind, kind, kind, row->significant ? kind : "~", row->name);
	facility_cell(out, row->facility);
	number_cell(out, row->base_ns, 1, false);
	number_cell(out, row->new_ns, 1, false);
	number_cell(out, row->delta_ns, 1, true);
	interval_cell(out, row->half_ns, 1);
	mini_cell(out, row->delta_ns, largest_ns);
	if (isnan(row->q))
		markup(out, "<td class=\"r wide\">-</td></tr>\n");
	else
		markup(out, "<td class=\"r wide\" data-v=\"%.10g\">%s%.4f</td></tr>\n", row->q,
		       row->q < 0.0001 ? "< " : "", fmax(row->q, 0.0001));
}

/* What the rows above add up to. */
static void closure_rows(FILE *out, const struct compare *c)
{
	const struct {
		const char *name, *class;
		double ns;
	} rows[] = {
		{"unattributed", "", c->unattributed_delta_ns},
		{"sum of all changes", "total sum", c->sum_delta_ns},
		{"difference measured", "total measured", c->headline.delta_ns},
		{"residual", "residual", c->residual_ns},
	};

	markup(out, "</tbody><tfoot>\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		markup(out, "<tr class=\"%s\"><td></td><th scope=\"row\">%s</th><td class=\"wide\"></td><td></td><td></td>",
		       rows[i].class, rows[i].name);
		number_cell(out, rows[i].ns, i == 3 ? 3 : 1, true);
		markup(out, "<td></td><td class=\"wide\"></td><td class=\"wide\"></td></tr>\n");
	}
	markup(out, "</tfoot></table></div>\n");
}

void html_changes_table(FILE *out, const struct compare *c)
{
	double largest_ns = c->nsymbols ? fabs(c->symbols[0].delta_ns) : 0;
	const char *base, *new;

	html_short_sides(c, &base, &new);
	markup(out, "<div class=\"scroll\"><table class=\"sortable changes\"><thead><tr>"
		    "<th scope=\"col\">kind</th><th scope=\"col\">symbol</th><th class=\"wide\" scope=\"col\">facility</th>"
		    "<th class=\"r\" scope=\"col\">%s</th><th class=\"r\" scope=\"col\">%s</th>"
		    "<th class=\"r\" scope=\"col\">change, ns</th><th scope=\"col\">± 95 %%</th>"
		    "<th class=\"wide\"></th><th class=\"r wide\" scope=\"col\">q</th></tr></thead><tbody>\n",
	       base, new);
	for (size_t i = 0; i < c->nsymbols; i++)
		change_row(out, &c->symbols[i], largest_ns);
	closure_rows(out, c);
}

void html_facilities_table(FILE *out, const struct analysis_variant *v)
{
	double largest_ns = v->nfacilities ? v->facilities[0].self_ns : 0;

	markup(out, "<div class=\"scroll\"><table class=\"steps\"><thead><tr><th scope=\"col\">facility</th><th></th>"
		    "<th class=\"r\" scope=\"col\">self, ns</th><th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r\" scope=\"col\">share %%</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < v->nfacilities; i++) {
		const struct analysis_row *row = &v->facilities[i];
		const char *class = palette_of_facility(row->name)->class;

		if (!row->samples)
			continue;
		markup(out, "<tr><th scope=\"row\"><span class=\"sw %s\"></span>%s</th><td class=\"bar\"><svg aria-hidden=\"true\">"
			    "<g class=\"seg %s\"><rect y=\"5\" width=\"%.2f%%\" height=\"15\"/></g></svg></td>",
		       class, row->name, class, 100 * row->self_ns / largest_ns);
		number_cell(out, row->self_ns, 1, false);
		interval_cell(out, row->half_ns, 1);
		number_cell(out, row->self_pct, 1, false);
		markup(out, "</tr>\n");
	}
	markup(out, "</tbody></table></div>\n");
}

void html_symbols_table(FILE *out, const struct analysis_variant *v)
{
	markup(out, "<div class=\"scroll\"><table class=\"sortable symbols\"><thead><tr>"
		    "<th scope=\"col\">symbol</th><th class=\"wide\" scope=\"col\">facility</th>"
		    "<th class=\"r\" scope=\"col\">self, ns</th><th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r\" scope=\"col\">with callees</th><th class=\"r wide\" scope=\"col\">share %%</th>"
		    "<th class=\"r wide\" scope=\"col\">samples</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];

		markup(out, "<tr><th scope=\"row\" class=\"sym\">%s</th>", row->name);
		facility_cell(out, row->facility);
		number_cell(out, row->self_ns, 1, false);
		interval_cell(out, row->half_ns, 1);
		number_cell(out, row->children_ns, 1, false);
		markup(out, "<td class=\"r wide\" data-v=\"%.10g\">%.1f</td>", row->self_pct, row->self_pct);
		markup(out, "<td class=\"r wide\" data-v=\"%.0f\">%.0f</td></tr>\n", (double)row->samples,
		       (double)row->samples);
	}
	markup(out, "</tbody></table></div>\n");
}

/* ---- counters ---------------------------------------------------------------------------------------- */

static const struct analysis_counter *find_counter(const struct analysis_variant *v, const struct analysis_counter *like)
{
	for (size_t i = 0; i < v->ncounters; i++)
		if (v->counters[i].source == like->source && !strcmp(v->counters[i].name, like->name))
			return &v->counters[i];
	return NULL;
}

static void counter_row(FILE *out, const struct analysis_variant *const *variants, size_t n,
			const struct analysis_counter *like)
{
	markup(out, "<tr><th scope=\"row\"><span class=\"sym\">%s</span>", like->name);
	if (*like->meaning)
		markup(out, "<br><span class=\"pm\">%s</span>", like->meaning);
	markup(out, "</th><td class=\"wide\">%s</td>", counter_source_names[like->source]);
	for (size_t i = 0; i < n; i++) {
		const struct analysis_counter *c = find_counter(variants[i], like);

		if (!c) /* it stood still */
			markup(out, "<td class=\"r\" data-v=\"0\">0</td>");
		else
			number_cell(out, c->per_packet, 4, false);
	}
	markup(out, "</tr>\n");
}

/* Was it in one of the variants before? */
static bool had_counter(const struct analysis_variant *const *variants, size_t n, const struct analysis_counter *like)
{
	for (size_t i = 0; i < n; i++)
		if (find_counter(variants[i], like))
			return true;
	return false;
}

void html_counters_table(FILE *out, const struct analysis_variant *const *variants, size_t n)
{
	markup(out, "<div class=\"scroll\"><table class=\"sortable counters\"><thead><tr><th scope=\"col\">counter</th>"
		    "<th class=\"wide\" scope=\"col\">source</th>");
	for (size_t i = 0; i < n; i++)
		markup(out, "<th class=\"r\" scope=\"col\">%s</th>", variants[i]->variant->id);
	markup(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < variants[i]->ncounters; k++)
			if (!had_counter(variants, i, &variants[i]->counters[k]))
				counter_row(out, variants, n, &variants[i]->counters[k]);
	markup(out, "</tbody></table></div>\n");
}

/* ---- perf stat --------------------------------------------------------------------------------------- */

static void event_cells(FILE *out, double value, double half, bool sign)
{
	number_cell(out, value, text_event_decimals(value), sign);
	interval_cell(out, half, text_event_decimals(value));
}

static void event_name(FILE *out, const char *name, const char *unit, double running_pct)
{
	markup(out, "<tr><th scope=\"row\"><span class=\"sym\">%s</span>%s%s", name, *unit ? ", " : "", unit);
	if (running_pct < 99.995)
		markup(out, "<br><span class=\"pm\">shared a counter: scaled from %.1f %%</span>", running_pct);
	markup(out, "</th>");
}

static const struct analysis_event *find_event(const struct analysis_variant *v, const char *name)
{
	for (size_t i = 0; i < v->nevents; i++)
		if (!strcmp(v->events[i].name, name))
			return &v->events[i];
	return NULL;
}

static void event_row(FILE *out, const struct analysis_variant *const *variants, size_t n,
		      const struct analysis_event *like)
{
	event_name(out, like->name, like->unit, like->running_pct);
	for (size_t i = 0; i < n; i++) {
		const struct analysis_event *e = find_event(variants[i], like->name);

		event_cells(out, e ? e->per_packet : NAN, e ? e->half : NAN, false);
	}
	markup(out, "</tr>\n");
}

/* Was it in one of the variants before? */
static bool had_event(const struct analysis_variant *const *variants, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (find_event(variants[i], name))
			return true;
	return false;
}

void html_events_table(FILE *out, const struct analysis_variant *const *variants, size_t n)
{
	markup(out, "<div class=\"scroll\"><table class=\"counters\"><thead><tr><th scope=\"col\">event</th>");
	for (size_t i = 0; i < n; i++)
		markup(out, "<th class=\"r\" scope=\"col\">%s</th><th scope=\"col\">± 95 %%</th>", variants[i]->variant->id);
	markup(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < variants[i]->nevents; k++)
			if (!had_event(variants, i, variants[i]->events[k].name))
				event_row(out, variants, n, &variants[i]->events[k]);
	markup(out, "</tbody></table></div>\n");
}

void html_event_changes_table(FILE *out, const struct compare *c)
{
	const char *base, *new;

	html_short_sides(c, &base, &new);
	markup(out, "<div class=\"scroll\"><table class=\"counters events\"><thead><tr><th scope=\"col\">event</th>"
		    "<th class=\"r\" scope=\"col\">%s</th><th class=\"r\" scope=\"col\">%s</th>"
		    "<th class=\"r\" scope=\"col\">change</th><th scope=\"col\">± 95 %%</th><th></th></tr></thead><tbody>\n",
	       base, new);
	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];

		event_name(out, e->name, e->unit, e->running_pct);
		number_cell(out, e->base, text_event_decimals(e->base), false);
		number_cell(out, e->new, text_event_decimals(e->new), false);
		event_cells(out, e->delta, e->half, true);
		markup(out, "<td>%s</td></tr>\n", fabs(e->delta) <= e->half ? "~" : "");
	}
	markup(out, "</tbody></table></div>\n");
}

/* ---- a variant alone --------------------------------------------------------------------------------- */

static void fact(FILE *out, const char *name, const char *value)
{
	markup(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

void html_variant_facts(FILE *out, const struct analysis_variant *v)
{
	char line[200], count[40], interval[48];

	markup(out, "<dl class=\"facts\">\n");
	fact(out, "packets/s", text_count(v->pps, count, sizeof(count)));
	snprintf(line, sizeof(line), "%s ns/packet (95 %%)",
		 text_interval(v->base_ns, v->half_ns, interval, sizeof(interval)));
	fact(out, "base", line);
	if (isnan(v->busy_pct))
		snprintf(line, sizeof(line), "not known: base by rate");
	else
		snprintf(line, sizeof(line), "CPU %.1f %% busy: %.1f ns by busy time, %.1f ns by rate", v->busy_pct,
			 v->base_by_busy_ns, v->base_by_rate_ns);
	fact(out, "busy", line);
	snprintf(line, sizeof(line), "%.1f ns, as not this variant's", v->taken_out_ns);
	fact(out, "taken out", line);
	if (!isnan(v->overhead_pct)) {
		snprintf(line, sizeof(line), "slows it by %.1f %%", v->overhead_pct);
		fact(out, "profiling", line);
	}
	snprintf(line, sizeof(line), "symbols %.1f + unattributed %.1f = base %.1f ns, residual %.3f ns",
		 analysis_sum_rows(v->symbols, v->nsymbols, 0), v->unattributed_ns, v->base_ns, fabs(v->closure_ns));
	fact(out, "closure", line);
	if (v->samples) {
		snprintf(line, sizeof(line), "%s; a symbol that was not seen costs at most %.2f ns",
			 text_count((double)v->samples, count, sizeof(count)), v->unseen_max_ns);
		fact(out, "samples", line);
	}
	markup(out, "</dl>\n");
}

/* ---- gates ------------------------------------------------------------------------------------------- */

static size_t count_gates(const struct html_gates *g, bool failed)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nlists; i++)
		n += failed ? quality_failed(g->lists[i]) : g->lists[i]->nrows;
	return n;
}

void html_gates_verdict(FILE *out, const struct html_gates *g)
{
	size_t failed = count_gates(g, true), all = count_gates(g, false);

	if (failed)
		markup(out, "<p class=\"verdict\"><span class=\"failed\">✗ %zu of %zu quality gates failed.</span> "
			    "<a href=\"#gates\">What that means for these numbers</a></p>\n",
		       failed, all);
	else
		markup(out, "<p class=\"verdict\"><span class=\"ok\">✓ All %zu quality gates are ok.</span> "
			    "<a href=\"#gates\">What was checked</a></p>\n",
		       all);
}

enum gate_order { GATES_FAILED, GATES_TOLD, GATES_OK, GATES_UNKNOWN, GATE_ORDERS };

static enum gate_order order_of(const struct quality_row *row)
{
	if (!row->ok)
		return GATES_FAILED;
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
		[GATES_TOLD] = {"ok", "✓ ok"},
		[GATES_OK] = {"ok", "✓ ok"},
		[GATES_UNKNOWN] = {"unknown", "not known"},
	};
	enum gate_order order = row->ok && isnan(row->value) ? GATES_UNKNOWN : order_of(row);

	markup(out, "<tr><td class=\"%s\">%s</td><th scope=\"row\">%s</th><td>%s</td>", verdicts[order].class,
	       verdicts[order].words, row->gate, row->variant);
	if (isnan(row->value))
		markup(out, "<td class=\"r\">-</td>");
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.4g</td>", row->value, row->value);
	markup(out, "<td class=\"wide\">%s</td><td class=\"wide r\">%s %.4g</td><td>%s</td></tr>\n", row->unit,
	       row->at_least ? "≥" : "≤", row->limit, row->note);
}

void html_gates_table(FILE *out, const struct html_gates *g)
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

/* ---- environment ------------------------------------------------------------------------------------- */

static void json_value(FILE *out, const json_t *value);

static void json_members(FILE *out, const json_t *o)
{
	const char *name;
	json_t *value;

	markup(out, "<dl class=\"facts\">\n");
	json_object_foreach((json_t *)o, name, value) {
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
