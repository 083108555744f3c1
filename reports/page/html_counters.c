// SPDX-License-Identifier: GPL-2.0-or-later
/* What was counted beside packets and time: the device's own counters, and perf stat's events. */
#include <math.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/rows/digits.h"

/* ---- counters ---------------------------------------------------------------------------------------- */

static const struct analysis_counter *find_counter(const struct analysis_variant *v,
						   const struct analysis_counter *like)
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
			html_number_cell(out, c->per_packet, 4, false);
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
	html_number_cell(out, value, digits_of_event(value), sign);
	html_interval_cell(out, half, digits_of_event(value));
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
		markup(out, "<th class=\"r\" scope=\"col\">%s</th><th scope=\"col\">± 95 %%</th>",
		       variants[i]->variant->id);
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
	markup(out,
	       "<div class=\"scroll\"><table class=\"counters events\"><thead><tr><th scope=\"col\">event</th>"
	       "<th class=\"r\" scope=\"col\">%s</th><th class=\"r\" scope=\"col\">%s</th>"
	       "<th class=\"r\" scope=\"col\">change</th><th scope=\"col\">± 95 %%</th><th></th></tr></thead><tbody>\n",
	       base, new);
	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];

		event_name(out, e->name, e->unit, e->running_pct);
		html_number_cell(out, e->base, digits_of_event(e->base), false);
		html_number_cell(out, e->new, digits_of_event(e->new), false);
		event_cells(out, e->delta, e->half, true);
		markup(out, "<td>%s</td></tr>\n", fabs(e->delta) <= e->half ? "~" : "");
	}
	markup(out, "</tbody></table></div>\n");
}
