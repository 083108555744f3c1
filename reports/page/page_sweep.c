// SPDX-License-Identifier: GPL-2.0-or-later
/* A sweep as one page: small multiples, lines, which parameter matters most, and all points. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "reports/page/page.h"
#include "reports/format/format.h"
#include "reports/sweep/sweep.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* The script draws the charts from the data of the page, in the colours of the legend. */
static void variant_section(FILE *out, const struct sweep *s, size_t row, size_t axis)
{
	const char *names[SWEEP_COMPONENTS];
	const struct sweep_point *p = &s->rows[row].point;
	size_t n = sweep_components(s, s->rows[row].variant, names);
	/* a rate or a number of queues asks how busy the CPUs are; other parameters leave them saturated */
	bool busy = sweep_parameter(p, SWEEP_RATE) < p->n || sweep_parameter(p, "queues") < p->n;

	markup(out,
	       "<section class=\"pair\" id=\"variant-%zu\"><h2>%s</h2>\n<div data-chart=\"sweep\" "
	       "data-variant=\"%s\" data-axis=\"%s\"",
	       row, s->rows[row].variant, s->rows[row].variant, p->names[axis]);
	fputs(busy ? " data-busy=\"\">" : ">", out);
	fputs("<ul class=\"legend\">", out);
	for (size_t i = 0; i < n; i++)
		markup(out, "<li><span class=\"sw %s\"></span>%s</li>", palette_of_component(names[i])->class,
		       names[i]);
	markup(out, "</ul></div>\n</section>\n");
}

/* ---- lines through the points ------------------------------------------------------------------------ */

static void line_row(struct rows *r, const struct sweep *s, size_t row, size_t p, const struct sweep_line *l,
		     const struct render_sweep_fit *fit)
{
	char others[SWEEP_NAME], half[64];

	render_sweep_others(&s->rows[row], p, others);
	rows_add(r);
	rows_words(r, "variant", "%s%s%s", s->rows[row].variant, *others ? ", " : "", others);
	rows_words(r, "a", "%s", render_sweep_half(l->a, l->a_half, 1, half));
	rows_words(r, "b", "%s", render_sweep_half(l->b, l->b_half, fit->decimals, half));
	if (!strcmp(fit->name, SWEEP_RATE))
		rows_words(r, "full", "%s", render_sweep_half(l->full, l->full_half, 1, half));
	rows_value(r, "points", (double)l->n);
}

static int fit_table(FILE *out, const struct sweep *s, const struct render_sweep_fit *fit, bool *any)
{
	char unit[48];
	const struct column columns[] = {
		{"variant", "variant", CELL_WORDS, IN_TABLE},
		{"a", "a, ns", CELL_WORDS, IN_TABLE},
		{"b", unit, CELL_WORDS, IN_TABLE},
		{"full", "ns in full polls", CELL_WORDS, IN_TABLE},
		{"points", "points", CELL_COUNT, IN_TABLE},
	};
	size_t p = sweep_parameter(&s->rows[0].point, fit->name);
	struct sweep_line l;
	struct rows r;
	int err = 0;

	snprintf(unit, sizeof(unit), "b, %s", fit->unit);
	rows_init(&r, columns, COUNT(columns));
	for (size_t i = 0; i < s->nrows && p < s->rows[0].point.n && err != -ENOMEM; i++) {
		err = sweep_line_from(&l, s, i, p, NULL);
		if (!err)
			line_row(&r, s, i, p, &l, fit);
	}
	if (r.nrows && !*any)
		markup(out, "<section id=\"lines\"><h2>Lines through the points</h2>\n");
	if (r.nrows)
		markup(out, "<h3>%s</h3>\n", fit->law);
	*any |= r.nrows > 0;
	html_table(out, &r, &(struct html_table){.class = "fits"});
	err = err == -ENOMEM ? err : rows_error(&r);
	rows_release(&r);
	return err;
}

static int lines_section(FILE *out, const struct sweep *s)
{
	bool any = false;
	int err = 0;

	for (const struct render_sweep_fit *fit = render_sweep_fits; fit->name && !err; fit++)
		err = fit_table(out, s, fit, &any);
	if (any)
		markup(out, "</section>\n");
	return err;
}

/* ---- which parameter matters most -------------------------------------------------------------------- */

static const struct column rank_columns[] = {
	{"parameter", "parameter", CELL_WORDS, IN_TABLE},
	{"part", "part", CELL_WORDS, IN_TABLE},
	{"interval", "95 %", CELL_WORDS, IN_TABLE},
	{"span", "from its cheapest value to its most expensive", CELL_WORDS, IN_TABLE},
};

static int rank_table(FILE *out, const struct sweep *s, size_t row, const struct sweep_rank *rank)
{
	struct rows r;
	int err;

	rows_init(&r, rank_columns, COUNT(rank_columns));
	for (size_t k = 0; k < rank->n; k++) {
		const struct sweep_ranked *p = &rank->parameters[k];

		rows_add(&r);
		rows_text(&r, "parameter", s->rows[row].point.names[p->parameter]);
		rows_words(&r, "part", "%.1f %%", 100 * p->part);
		if (!isnan(p->part_ci95[0]))
			rows_words(&r, "interval", "%.1f to %.1f", 100 * p->part_ci95[0], 100 * p->part_ci95[1]);
		if (!isnan(p->span_ns) && p->low != p->high)
			rows_words(&r, "span", "%.1f ns more at %.10g than at %.10g", p->span_ns, p->high, p->low);
	}
	rows_add(&r);
	rows_text(&r, "parameter", "the rest");
	rows_words(&r, "part", "%.1f %%", 100 * rank->rest);
	markup(out, "<h3>%s</h3>\n", s->rows[row].variant);
	html_table(out, &r, &(struct html_table){.class = "ranks"});
	err = rows_error(&r);
	rows_release(&r);
	return err;
}

static int rank_section(FILE *out, const struct sweep *s)
{
	struct sweep_rank r;
	bool any = false;

	for (size_t i = 0; i < s->nrows; i++) {
		int err = sweep_rank_from(&r, s, i);

		if (!err && !any)
			markup(out,
			       "<section id=\"rank\"><h2>Which parameter matters most</h2>\n<p class=\"how\">The "
			       "part of the variation of ns/packet that each explains alone, by least squares; its "
			       "interval moves each point within its own. The rest belongs to combinations of "
			       "parameters, and to noise.</p>\n");
		any |= !err;
		if (!err)
			err = rank_table(out, s, i, &r);
		if (err == -ENOMEM)
			return err;
	}
	if (any)
		markup(out, "</section>\n");
	return 0;
}

/* ---- all points -------------------------------------------------------------------------------------- */

/* As many as it has, up to six. */
static int decimals_of(double value)
{
	int decimals = 0;

	for (; decimals < 6 && fabs(value - round(value)) > 1e-9; decimals++)
		value *= 10;
	return decimals;
}

static int points_section(FILE *out, const struct sweep *s)
{
	static const struct column measured[] = {
		{"base_ns", "ns/packet", CELL_NUMBER, IN_TABLE},
		{"mpps", "Mpps", CELL_NUMBER, IN_TABLE},
		{"checks_failed", "checks failed", CELL_COUNT, IN_TABLE},
		{"variant", "variant", CELL_WORDS, IN_TABLE},
	};
	const struct sweep_point *point = &s->rows[0].point;
	struct column columns[SWEEP_PARAMETERS + COUNT(measured)];
	struct rows r;
	int err;

	for (size_t i = 0; i < point->n; i++)
		columns[i] = (struct column){point->names[i], point->names[i], CELL_NUMBER, IN_TABLE};
	memcpy(columns + point->n, measured, sizeof(measured));
	rows_init(&r, columns, point->n + COUNT(measured));
	for (size_t i = 0; i < s->nrows; i++) {
		const struct sweep_row *row = &s->rows[i];
		bool complete = !strcmp(row->ended, "complete");

		rows_add(&r);
		for (size_t k = 0; k < point->n; k++)
			rows_number(&r, point->names[k], row->point.values[k], decimals_of(row->point.values[k]));
		rows_interval(&r, "base_ns", row->base_ns, row->half_ns);
		rows_number(&r, "mpps", row->pps / 1e6, 3);
		rows_value(&r, "checks_failed", (double)row->gates_failed);
		rows_words(&r, "variant", complete ? "%s" : "%s (%s)", row->variant, row->ended);
	}
	markup(out, "<section id=\"points\"><h2>All points</h2>\n");
	html_table(out, &r, &(struct html_table){.class = "points"});
	markup(out, "</section>\n");
	err = rows_error(&r);
	rows_release(&r);
	return err;
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static int body(FILE *out, const struct sweep *s, const char *title, const struct render_options *o)
{
	size_t axis = sweep_axis(s);
	int err;

	markup(out,
	       "<main id=\"content\">\n<h1>%s</h1>\n<p class=\"how\">Bars are over %s; the charts of a measure have "
	       "one scale. Lines on bars are 95 %% intervals. Each point is a run directory of its own.</p>\n",
	       title, s->rows[0].point.names[axis]);
	for (size_t i = 0; i < s->nrows; i++)
		if (sweep_is_first(s, i))
			variant_section(out, s, i, axis);
	err = lines_section(out, s) ?: rank_section(out, s) ?: points_section(out, s);
	markup(out, "<section id=\"made\"><h2>How this page was made</h2>\n");
	html_page_command(out, o);
	return err;
}

int render_sweep_html(FILE *out, const struct sweep *s, const struct render_options *o)
{
	json_t *rows = json_array();
	struct json_out w = {};
	const struct sweep_point *p = &s->rows[0].point;
	char title[160] = "";
	int err;

	for (size_t i = 0; i < p->n; i++)
		listed_add(title, sizeof(title), i + 1 < p->n ? ", " : " and ", "%s%s",
			   i ? "" : "What a packet costs over ", p->names[i]);
	html_begin(out, title);
	html_top(out, "sweep", "");
	err = body(out, s, title, o);
	for (size_t i = 0; i < s->nrows; i++)
		json_out_add(&w, rows, render_sweep_row(&w, &s->rows[i]));
	if (err)
		json_decref(rows);
	return err ? err : html_end(out, &w, rows, HTML_COSTS);
}
