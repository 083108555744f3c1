// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/render_sweep_html.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/page/palette.h"
#include "reports/render/render_sweep.h"
#include "base/sheet/text.h"
#include "base/sheet/digits.h"
#include "reports/sweep/sweep_rank.h"

static bool first_of_variant(const struct sweep *s, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(s->rows[i].variant, s->rows[row].variant))
			return false;
	return true;
}

/* A rate or a number of queues asks how busy the CPUs are; other parameters leave them saturated. */
static bool asks_busy(const struct sweep_point *p)
{
	return sweep_parameter(p, SWEEP_RATE) < p->n || sweep_parameter(p, "queues") < p->n;
}

/* The script draws the charts from the data of the page, in the colours of the legend. */
static void variant_section(FILE *out, const struct sweep *s, size_t row, size_t axis)
{
	const char *names[SWEEP_FACILITIES];
	size_t n = sweep_facilities(s, s->rows[row].variant, names);

	markup(out,
	       "<section class=\"pair\" id=\"variant-%zu\"><h2>%s</h2>\n<div data-chart=\"sweep\" "
	       "data-variant=\"%s\" data-axis=\"%s\"",
	       row, s->rows[row].variant, s->rows[row].variant, s->rows[row].point.names[axis]);
	markup(out,
	       asks_busy(&s->rows[row].point) ? " data-busy=\"\"><ul class=\"legend\">" : "><ul class=\"legend\">");
	for (size_t i = 0; i < n; i++)
		markup(out, "<li><span class=\"sw %s\"></span>%s</li>", palette_of_facility(names[i])->class, names[i]);
	markup(out, "</ul></div>\n</section>\n");
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static int fit_rows(FILE *out, const struct sweep *s, const struct render_sweep_fit *fit, bool *any)
{
	size_t p = sweep_parameter(&s->rows[0].point, fit->name);
	char others[SWEEP_NAME], a[64], b[64], full[64];
	bool begun = false, rate = !strcmp(fit->name, SWEEP_RATE);
	struct sweep_line l;

	for (size_t i = 0; i < s->nrows && p < s->rows[0].point.n; i++) {
		int err = sweep_line_from(&l, s, i, p, NULL);

		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		if (!*any)
			markup(out, "<section id=\"lines\"><h2>Lines through the points</h2>\n");
		*any = true;
		if (!begun)
			markup(out,
			       "<h3>%s</h3>\n<div class=\"scroll\"><table><thead><tr><th scope=\"col\">variant</th>"
			       "<th scope=\"col\">a, ns</th><th scope=\"col\">b, %s</th>%s<th class=\"r\" "
			       "scope=\"col\">"
			       "points</th></tr></thead><tbody>\n",
			       fit->law, fit->unit, rate ? "<th scope=\"col\">ns in full polls</th>" : "");
		begun = true;
		render_sweep_others(&s->rows[i], p, others);
		markup(out, "<tr><th scope=\"row\">%s%s%s</th><td>%s</td><td>%s</td>", s->rows[i].variant,
		       *others ? ", " : "", others, render_sweep_half(l.a, l.a_half, 1, a),
		       render_sweep_half(l.b, l.b_half, fit->decimals, b));
		if (rate)
			markup(out, "<td>%s</td>", render_sweep_half(l.full, l.full_half, 1, full));
		markup(out, "<td class=\"r\">%zu</td></tr>\n", l.n);
	}
	if (begun)
		markup(out, "</tbody></table></div>\n");
	return 0;
}

static int lines_section(FILE *out, const struct sweep *s)
{
	bool any = false;
	int err = 0;

	for (const struct render_sweep_fit *fit = render_sweep_fits; fit->name && !err; fit++)
		err = fit_rows(out, s, fit, &any);
	if (any)
		markup(out, "</section>\n");
	return err;
}

static void ranked_row(FILE *out, const struct sweep_row *row, const struct sweep_ranked *p)
{
	markup(out, "<tr><th scope=\"row\">%s</th><td class=\"r\">%.1f %%</td>", row->point.names[p->parameter],
	       100 * p->part);
	if (isnan(p->part_ci95[0]))
		markup(out, "<td></td>");
	else
		markup(out, "<td>(%.1f to %.1f)</td>", 100 * p->part_ci95[0], 100 * p->part_ci95[1]);
	if (isnan(p->span_ns) || p->low == p->high)
		markup(out, "<td></td></tr>\n");
	else
		markup(out, "<td>%.1f ns more at %.10g than at %.10g</td></tr>\n", p->span_ns, p->high, p->low);
}

static int rank_section(FILE *out, const struct sweep *s)
{
	struct sweep_rank r;
	bool any = false;

	for (size_t i = 0; i < s->nrows; i++) {
		int err = sweep_rank_from(&r, s, i);

		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		if (!any)
			markup(out, "<section id=\"rank\"><h2>Which parameter matters most</h2>\n<p class=\"how\">The "
				    "part of the spread of ns/packet that each explains alone, by least squares; its "
				    "interval moves each point within its own. The rest belongs to combinations of "
				    "parameters, and to noise.</p>\n");
		any = true;
		markup(out, "<h3>%s</h3>\n<div class=\"scroll\"><table><tbody>\n", s->rows[i].variant);
		for (size_t k = 0; k < r.n; k++)
			ranked_row(out, &s->rows[i], &r.parameters[k]);
		markup(out,
		       "<tr><th scope=\"row\">the rest</th><td class=\"r\">%.1f %%</td><td></td><td></td></tr>\n"
		       "</tbody></table></div>\n",
		       100 * r.rest);
	}
	if (any)
		markup(out, "</section>\n");
	return 0;
}

static void point_row(FILE *out, const struct sweep_row *row)
{
	int decimals = digits_of_interval(row->half_ns);

	markup(out, "<tr>");
	for (size_t i = 0; i < row->point.n; i++)
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.10g</td>", row->point.values[i], row->point.values[i]);
	if (isnan(row->base_ns))
		markup(out, "<td class=\"r\">-</td>");
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.*f</td>", row->base_ns, decimals, row->base_ns);
	if (isnan(row->half_ns))
		markup(out, "<td class=\"pm\"></td>");
	else
		markup(out, "<td class=\"pm\">%.*f</td>", decimals, row->half_ns);
	if (isnan(row->pps))
		markup(out, "<td class=\"r\">-</td>");
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.3f</td>", row->pps / 1e6, row->pps / 1e6);
	markup(out, "<td class=\"r\">%zu</td><td>%s%s%s%s</td></tr>\n", row->gates_failed, row->variant,
	       strcmp(row->ended, "complete") ? " (" : "", strcmp(row->ended, "complete") ? row->ended : "",
	       strcmp(row->ended, "complete") ? ")" : "");
}

static void points_section(FILE *out, const struct sweep *s)
{
	markup(out, "<section id=\"points\"><h2>All points</h2>\n<div class=\"scroll\"><table><thead><tr>");
	for (size_t i = 0; i < s->rows[0].point.n; i++)
		markup(out, "<th class=\"r\" scope=\"col\">%s</th>", s->rows[0].point.names[i]);
	markup(out,
	       "<th class=\"r\" scope=\"col\">ns/packet</th><th scope=\"col\">± 95 %%</th><th class=\"r\" "
	       "scope=\"col\">Mpps</th><th class=\"r\" scope=\"col\">gates failed</th><th scope=\"col\">variant</th>"
	       "</tr></thead><tbody>\n");
	for (size_t i = 0; i < s->nrows; i++)
		point_row(out, &s->rows[i]);
	markup(out, "</tbody></table></div></section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static void title_of(const struct sweep *s, char *title, size_t size)
{
	const struct sweep_point *p = &s->rows[0].point;
	size_t n = (size_t)snprintf(title, size, "What a packet costs over ");

	for (size_t i = 0; i < p->n; i++)
		n += (size_t)snprintf(title + n, size - n, "%s%s",
				      !i             ? ""
				      : i + 1 < p->n ? ", "
						     : " and ",
				      p->names[i]);
}

static int body(FILE *out, const struct sweep *s, const char *title, const struct render_options *o)
{
	size_t axis = sweep_axis(s);
	int err;

	markup(out,
	       "<main id=\"content\">\n<h1>%s</h1>\n<p class=\"how\">Bars are over %s; the charts of a measure have "
	       "one "
	       "scale. Lines on bars are 95 %% intervals. Each point is a run directory of its own.</p>\n",
	       title, s->rows[0].point.names[axis]);
	for (size_t i = 0; i < s->nrows; i++)
		if (first_of_variant(s, i))
			variant_section(out, s, i, axis);
	err = lines_section(out, s);
	if (!err)
		err = rank_section(out, s);
	points_section(out, s);
	markup(out, "<section id=\"made\"><h2>How this page was made</h2>\n");
	html_page_command(out, o);
	return err;
}

static json_t *data(struct json_out *w, const struct sweep *s)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < s->nrows; i++)
		json_out_add(w, rows, render_sweep_row(w, &s->rows[i]));
	return rows;
}

int render_sweep_html(FILE *out, const struct sweep *s, const struct render_options *o)
{
	struct json_out w = {};
	char title[160];
	int err;

	title_of(s, title, sizeof(title));
	html_begin(out, title);
	html_top(out, "sweep", "");
	err = body(out, s, title, o);
	return err ? err : html_end(out, &w, data(&w, s), HTML_COSTS);
}
