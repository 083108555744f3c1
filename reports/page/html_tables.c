// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page: bases, symbols, facilities, and what is known of one variant. */
#include <math.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/page/palette.h"
#include "reports/render/sentence.h"
#include "reports/rows/report_words.h"
#include "reports/rows/digits.h"

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

void html_number_cell(FILE *out, double value, int decimals, bool sign)
{
	if (isnan(value))
		markup(out, "<td class=\"r\">-</td>");
	else if (sign)
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%+.*f</td>", value, decimals, value);
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.*f</td>", value, decimals, value);
}

void html_interval_cell(FILE *out, double half, int decimals)
{
	if (isnan(half))
		markup(out, "<td class=\"pm\"></td>");
	else
		markup(out, "<td class=\"pm\" data-v=\"%.10g\">%.*f</td>", half, decimals, half);
}

void html_count_cell(FILE *out, double count)
{
	char digits[40];

	if (isnan(count)) {
		markup(out, "<td class=\"r\">-</td>");
		return;
	}
	markup(out, "<td class=\"r\" data-v=\"%.10g\">%s</td>", count, digits_count(count, digits, sizeof(digits)));
}

static void side_row(FILE *out, const char *class, const char *what, const struct analysis_variant *v)
{
	int decimals = digits_of_interval(v->half_ns);

	markup(out, "<tr class=\"%s\"><th scope=\"row\">%s</th><td>%s</td>", class, what, v->variant->id);
	html_count_cell(out, v->pps);
	html_number_cell(out, v->base_ns, decimals, false);
	html_interval_cell(out, v->half_ns, decimals);
	html_number_cell(out, v->busy_pct, 1, false);
	html_number_cell(out, v->packets_per_poll, 1, false);
	markup(out, "<td class=\"r wide\">%zu of %zu</td>", v->nused, v->nblocks);
	markup(out, "<td class=\"r wide\">%.0f</td></tr>\n", (double)v->samples);
}

/* The second stage of a redirect is beside the base and never in it. */
static void side_stage(FILE *out, const char *what, const char *name, const struct analysis_variant *v)
{
	char words[400];

	if (v->variant->stage == RUN_STAGE_NONE)
		return;
	stage_words(v, words, sizeof(words));
	markup(out, "<p class=\"how\"><span class=\"key-%s\">%s</span>, second stage%s: %s</p>\n", what, name,
	       isnan(v->stage.ns) ? "" : ", not in the base", words);
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
	side_stage(out, "base", base, c->base);
	side_stage(out, "new", new, c->new);
}

static void overview_side(FILE *out, const struct analysis_variant *v)
{
	if (!v || !v->nused) {
		markup(out, "<td class=\"r wide\">-</td><td class=\"r\">-</td><td class=\"pm\"></td>");
		return;
	}
	markup(out, "<td class=\"r wide\">%.3f</td>", v->pps / 1e6);
	html_number_cell(out, v->base_ns, digits_of_interval(v->half_ns), false);
	html_interval_cell(out, v->half_ns, digits_of_interval(v->half_ns));
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
		html_number_cell(out, row->difference.delta_ns, digits_of_interval(row->difference.half_ns), true);
		html_interval_cell(out, row->difference.half_ns, digits_of_interval(row->difference.half_ns));
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
	markup(out, "<td class=\"wide\"><span class=\"sw %s\"></span>%s</td>", palette_of_facility(facility)->class,
	       facility);
}

/* As wide as the change is next to the largest one. */
static void mini_cell(FILE *out, double delta_ns, double largest_ns)
{
	double part = largest_ns > 0 ? 50 * fabs(delta_ns) / largest_ns : 0;

	markup(out,
	       "<td class=\"wide\"><svg class=\"mini\" aria-hidden=\"true\"><rect class=\"%s\" x=\"%.2f%%\" y=\"3\" "
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

	markup(out,
	       "<tr class=\"%s\" data-kind=\"%s\"><td><span class=\"tag %s\">%s</span></td>"
	       "<th scope=\"row\" class=\"sym\">%s</th>",
	       kind, kind, kind, row->significant ? kind : "~", row->name);
	facility_cell(out, row->facility);
	html_number_cell(out, row->base_ns, 1, false);
	html_number_cell(out, row->new_ns, 1, false);
	html_number_cell(out, row->delta_ns, 1, true);
	html_interval_cell(out, row->half_ns, 1);
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
		markup(out,
		       "<tr class=\"%s\"><td></td><th scope=\"row\">%s</th><td class=\"wide\"></td><td></td><td></td>",
		       rows[i].class, rows[i].name);
		html_number_cell(out, rows[i].ns, i == 3 ? 3 : 1, true);
		markup(out, "<td></td><td class=\"wide\"></td><td class=\"wide\"></td></tr>\n");
	}
	markup(out, "</tfoot></table></div>\n");
}

void html_changes_table(FILE *out, const struct compare *c)
{
	double largest_ns = c->nsymbols ? fabs(c->symbols[0].delta_ns) : 0;
	const char *base, *new;

	html_short_sides(c, &base, &new);
	markup(out,
	       "<div class=\"scroll\"><table class=\"sortable changes\"><thead><tr>"
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
		markup(out,
		       "<tr><th scope=\"row\"><span class=\"sw %s\"></span>%s</th><td class=\"bar\"><svg "
		       "aria-hidden=\"true\">"
		       "<g class=\"seg %s\"><rect y=\"5\" width=\"%.2f%%\" height=\"15\"/></g></svg></td>",
		       class, row->name, class, 100 * row->self_ns / largest_ns);
		html_number_cell(out, row->self_ns, 1, false);
		html_interval_cell(out, row->half_ns, 1);
		html_number_cell(out, row->self_pct, 1, false);
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
		html_number_cell(out, row->self_ns, 1, false);
		html_interval_cell(out, row->half_ns, 1);
		html_number_cell(out, row->children_ns, 1, false);
		markup(out, "<td class=\"r wide\" data-v=\"%.10g\">%.1f</td>", row->self_pct, row->self_pct);
		markup(out, "<td class=\"r wide\" data-v=\"%.0f\">%.0f</td></tr>\n", (double)row->samples,
		       (double)row->samples);
	}
	markup(out, "</tbody></table></div>\n");
}

/* ---- a variant alone --------------------------------------------------------------------------------- */

static void fact(FILE *out, const char *name, const char *value)
{
	markup(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static void slab_fact(FILE *out, const struct analysis_slab *s)
{
	char line[320];

	if (!s->samples)
		return;
	if (s->slowest)
		snprintf(line, sizeof(line), "fast path %.1f ns, slow path %.1f ns (%.0f %% of both), most of it in %s",
			 s->fast_ns, s->slow_ns, s->slow_pct, s->slowest);
	else
		snprintf(line, sizeof(line), "fast path %.1f ns; no symbol of the slow path was seen", s->fast_ns);
	fact(out, "slab memory", line);
}

static void stage_fact(FILE *out, const struct analysis_variant *v)
{
	char words[400];

	if (v->variant->stage == RUN_STAGE_NONE)
		return;
	stage_words(v, words, sizeof(words));
	fact(out, isnan(v->stage.ns) ? "second stage" : "second stage, not in the base", words);
}

/* Several receivers, one by one. */
static void cpus_table(FILE *out, const struct analysis_variant *v)
{
	if (v->ncpus < 2)
		return;
	markup(out, "<h3>CPUs</h3>\n<div class=\"scroll\"><table class=\"cpus\"><thead><tr><th scope=\"col\">CPU</th>"
		    "<th class=\"r\" scope=\"col\">packets/s</th><th class=\"r\" scope=\"col\">ns/packet</th>"
		    "<th class=\"r\" scope=\"col\">busy %%</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < v->ncpus; i++) {
		markup(out, "<tr><th scope=\"row\">%d</th>", v->cpus[i].cpu);
		html_count_cell(out, v->cpus[i].pps);
		html_number_cell(out, v->cpus[i].base_ns, 1, false);
		html_number_cell(out, v->cpus[i].busy_pct, 1, false);
		markup(out, "</tr>\n");
	}
	markup(out, "</tbody></table></div>\n");
}

/* Functions that were counted and timed, beside what samples say of them; both hold what the function calls. */
static void calls_table(FILE *out, const struct analysis_variant *v)
{
	if (!v->ncalls)
		return;
	markup(out, "<h3>Call by call</h3>\n<div class=\"scroll\"><table class=\"calls\"><thead><tr><th "
		    "scope=\"col\">function</th>"
		    "<th class=\"r\" scope=\"col\">calls/packet</th><th class=\"r\" scope=\"col\">ns/call</th>"
		    "<th class=\"r\" scope=\"col\">ns/packet</th><th class=\"r\" scope=\"col\">sampled, "
		    "ns/packet</th></tr></thead>"
		    "<tbody>\n");
	for (size_t i = 0; i < v->ncalls; i++) {
		markup(out, "<tr><th scope=\"row\" class=\"sym\">%s</th>", v->calls[i].function);
		html_number_cell(out, v->calls[i].per_packet, 3, false);
		html_number_cell(out, v->calls[i].ns_per_call, 1, false);
		html_number_cell(out, v->calls[i].ns, 1, false);
		html_number_cell(out, v->calls[i].sampled_ns, 1, false);
		markup(out, "</tr>\n");
	}
	markup(out, "</tbody></table></div>\n");
}

void html_variant_facts(FILE *out, const struct analysis_variant *v)
{
	char line[200], count[40], interval[48];

	markup(out, "<dl class=\"facts\">\n");
	fact(out, "packets/s", digits_count(v->pps, count, sizeof(count)));
	snprintf(line, sizeof(line), "%s ns/packet (95 %%)",
		 digits_interval(v->base_ns, v->half_ns, interval, sizeof(interval)));
	fact(out, "base", line);
	if (isnan(v->busy_pct))
		snprintf(line, sizeof(line), "not known: base by rate");
	else
		snprintf(line, sizeof(line), "CPU %.1f %% busy: %.1f ns by busy time, %.1f ns by rate", v->busy_pct,
			 v->base_by_busy_ns, v->base_by_rate_ns);
	fact(out, "busy", line);
	snprintf(line, sizeof(line), "%.1f ns, as not this variant's", v->taken_out_ns);
	fact(out, "taken out", line);
	if (!isnan(v->waits_ns)) {
		snprintf(line, sizeof(line), "%.1f ns for the CPU, not in the base", v->waits_ns);
		fact(out, "waits", line);
	}
	if (!isnan(v->overhead_pct)) {
		snprintf(line, sizeof(line),
			 isnan(v->overhead_half_pct) ? "slows it by %.1f %%" : "slows it by %.1f ± %.1f %%",
			 v->overhead_pct, v->overhead_half_pct);
		fact(out, "profiling", line);
	}
	snprintf(line, sizeof(line), "symbols %.1f + unattributed %.1f = base %.1f ns, residual %.3f ns",
		 analysis_sum_rows(v->symbols, v->nsymbols), v->unattributed_ns, v->base_ns, fabs(v->closure_ns));
	fact(out, "closure", line);
	if (v->samples) {
		snprintf(line, sizeof(line), "%s; a symbol that was not seen costs at most %.2f ns",
			 digits_count((double)v->samples, count, sizeof(count)), v->unseen_max_ns);
		fact(out, "samples", line);
	}
	slab_fact(out, &v->slab);
	stage_fact(out, v);
	markup(out, "</dl>\n");
	cpus_table(out, v);
	calls_table(out, v);
}
