// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of an explanation: measured ns beside exact counts. */
#include <math.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/page/palette.h"
#include "reports/render/render_json.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/rows/exact_rows.h"
#include "reports/rows/explain_rows.h"
#include "reports/rows/report_words.h"

#define PLOT_PX   300 /* from the top of the plot to its x axis */
#define LEFT_PCT  5.0 /* room for the numbers of the y axis */
#define DOT_PX    4.5
#define NAMED_PCT 30 /* a function farther out than that, of either axis, has its name beside it */

/* ---- scatter plot ------------------------------------------------------------------------------------ */

/* What the axes of a plot end at. */
struct axes {
	double instructions, ns;
};

static double x_pct(const struct axes *top, double instructions)
{
	return LEFT_PCT + (100 - LEFT_PCT) * instructions / top->instructions;
}

static double y_px(const struct axes *top, double ns)
{
	return 10 + PLOT_PX * (1 - fmax(0, ns) / top->ns);
}

static bool plotted(const struct explain_row *row)
{
	return !isnan(row->instructions);
}

/* The same for all variants, so that plots can be compared. */
static struct axes axes_of(const struct explain *e)
{
	struct axes top = {1, 1};

	for (size_t i = 0; i < e->nvariants; i++)
		for (size_t k = 0; k < e->variants[i].nrows; k++) {
			const struct explain_row *row = &e->variants[i].rows[k];

			if (!plotted(row))
				continue;
			top.instructions = fmax(top.instructions, 1.08 * row->instructions);
			top.ns = fmax(top.ns, 1.04 * (row->ns + (row->half_ns > 0 ? row->half_ns : 0)));
		}
	return top;
}

static void grid(FILE *out, const struct axes *top)
{
	double step = html_tick_step(top->ns, 5);

	for (double ns = 0; ns <= top->ns; ns += step)
		markup(out,
		       "<line class=\"%s\" x1=\"%.2f%%\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/><text "
		       "y=\"%.1f\">%.4g%s</text>\n",
		       ns > 0 ? "grid" : "axis", LEFT_PCT, y_px(top, ns), y_px(top, ns), y_px(top, ns) + 4, ns,
		       ns + step > top->ns ? " ns" : "");
	step = html_tick_step(top->instructions, 6);
	for (double n = 0; n <= 0.97 * top->instructions; n += step)
		markup(out, "<text x=\"%.2f%%\" y=\"%d\" text-anchor=\"middle\">%.6g</text>", x_pct(top, n),
		       PLOT_PX + 28, n);
	markup(out, "<text x=\"100%%\" y=\"%d\" text-anchor=\"end\">instructions per packet</text>\n", PLOT_PX + 44);
}

/* What instructions alone cost: a line from the origin to where it leaves the plot. */
static void model_line(FILE *out, const struct explain *e, const struct axes *top)
{
	double a = e->fit.terms[EXPLAIN_INSTRUCTIONS].value, end = top->instructions;

	if (isnan(a))
		return;
	if (a * end > top->ns)
		end = top->ns / a;
	markup(out, "<line class=\"model\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>\n", x_pct(top, 0),
	       y_px(top, 0), x_pct(top, end), y_px(top, a * end));
}

static void dot(FILE *out, const struct axes *top, const struct explain_row *row)
{
	double x = x_pct(top, row->instructions), y = y_px(top, row->ns);
	char transfers[48] = "";

	if (!isnan(row->transfers))
		snprintf(transfers, sizeof(transfers), ", %.2f transferred lines", row->transfers);
	markup(out, "<g class=\"%s%s\"><title>%s\n%.1f ± %.1f ns, %.1f instructions%s\n%.1f ns by the model%s</title>",
	       palette_of_facility(row->facility)->class, row->fits ? "" : " off", row->name, row->ns, row->half_ns,
	       row->instructions, transfers, row->model_ns, row->fits ? "" : ": does not fit");
	if (!row->fits)
		markup(out, "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
		       y_px(top, row->ns + row->half_ns), y_px(top, row->ns - row->half_ns));
	markup(out, "<circle cx=\"%.2f%%\" cy=\"%.1f\" r=\"%.1f\"/></g>\n", x, y, DOT_PX);
}

/* Names of functions that do not fit, or are far out. A name that would lie on one before it is left out. */
static void names_of(FILE *out, const struct axes *top, const struct explain_variant *v)
{
	double taken[32];
	size_t n = 0;

	for (size_t i = 0; i < v->nrows && n < sizeof(taken) / sizeof(*taken); i++) {
		const struct explain_row *row = &v->rows[i];
		double x, y;
		bool free_here = true, left;

		if (!plotted(row) || (row->fits && 100 * row->ns < NAMED_PCT * top->ns &&
				      100 * row->instructions < NAMED_PCT * top->instructions))
			continue;
		x = x_pct(top, row->instructions);
		y = y_px(top, row->ns) + (row->fits ? -8 : 4);
		for (size_t k = 0; k < n; k++)
			free_here &= fabs(taken[k] - y) > 12;
		if (!free_here)
			continue;
		taken[n++] = y;
		left = x > 40;
		markup(out, "<text class=\"name\" x=\"%.2f%%\" dx=\"%d\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x,
		       left ? -9 : 9, y, left ? "end" : "start", row->name);
	}
}

static void scatter(FILE *out, const struct explain *e, const struct explain_variant *v, const struct axes *top)
{
	size_t n = 0, off = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		n += plotted(&v->rows[i]);
		off += plotted(&v->rows[i]) && !v->rows[i].fits;
	}
	markup(out,
	       "<figure><figcaption>%s</figcaption>\n<svg class=\"chart scatter\" height=\"%d\" role=\"img\" "
	       "aria-label=\"measured ns over instructions of %zu functions of %s, %zu of which do not fit; the tables "
	       "below have the numbers\">\n",
	       v->measured->variant->id, PLOT_PX + 50, n, v->measured->variant->id, off);
	grid(out, top);
	model_line(out, e, top);
	for (size_t i = v->nrows; i--;) /* the dearest on top */
		if (plotted(&v->rows[i]))
			dot(out, top, &v->rows[i]);
	names_of(out, top, v);
	markup(out, "</svg></figure>\n");
}

static void scatter_section(FILE *out, const struct explain *e)
{
	struct axes top = axes_of(e);

	markup(out,
	       "<section id=\"functions\"><h2>Measured over counted</h2>\n<p class=\"how\">Each dot is a function; its "
	       "colour is its facility. The line is what its instructions cost at %.3f ns each%s. Functions with a "
	       "vertical line, their 95 %% interval, do not fit.</p>\n",
	       e->fit.terms[EXPLAIN_INSTRUCTIONS].value, e->transfers ? "; transferred lines lift a dot above it" : "");
	for (size_t i = 0; i < e->nvariants; i++)
		scatter(out, e, &e->variants[i], &top);
	markup(out, "</section>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static void variants_section(FILE *out, const struct rows *r)
{
	const struct rows *variants = rows_in(r, 0, "variants");

	markup(out, "<section id=\"variants\"><h2>Function by function</h2>\n");
	for (size_t i = 0; variants && i < variants->nrows; i++) {
		markup(out, "<details open><summary>%s</summary>\n", rows_cell(variants, i, "id")->text);
		html_tables(out, variants, i, NULL, NULL);
		markup(out, "</details>\n");
	}
	markup(out, "</section>\n");
}

static void gates_of(struct html_gates *g, const struct explain *e)
{
	html_gates_add(g, &e->measured->quality);
	for (size_t i = 0; i < e->nvariants; i++)
		html_gates_add(g, &e->variants[i].measured->quality);
}

static int body(FILE *out, const struct explain *e, const struct render_options *o)
{
	static const char *const parts[] = {"parts", NULL}, *const misfits[] = {"misfits", NULL};
	struct html_gates gates = {.nlists = 0};
	char line[800];
	struct rows r;
	int err = explain_rows(&r, e);

	gates_of(&gates, e);
	sentence_of_explanation(line, sizeof(line), e);
	markup(out, "<h1>%s</h1>\n", line);
	if (!err) {
		html_facts(out, &r, 0);
		html_gates_verdict(out, &gates);
		markup(out, "<nav aria-label=\"Sections\"><ul><li><a href=\"#made-of\">Difference</a></li><li><a "
			    "href=\"#functions\">Plot</a></li><li><a href=\"#variants\">Functions</a></li><li><a "
			    "href=\"#gates\">Gates</a></li><li><a href=\"#made\">Commands</a></li></ul></nav>\n"
			    "<section id=\"made-of\">\n");
		html_tables(out, &r, 0, parts, NULL);
		html_tables(out, &r, 0, misfits, NULL);
		markup(out, "</section>\n");
		scatter_section(out, e);
		variants_section(out, &r);
	}
	html_gates_section(out, &gates);
	markup(out,
	       "<section id=\"made\"><h2>How this page was made</h2>\n<p class=\"how\">Measured by xdpzoom %s, "
	       "counted by %s.</p>\n",
	       e->measured->run->version, e->counted->made_by);
	html_page_command(out, o);
	rows_release(&r);
	return err;
}

int render_explain_html(FILE *out, const struct explain *e, const struct render_options *o)
{
	struct json_out w = {};
	char line[800];
	int err;

	sentence_of_explanation(line, sizeof(line), e);
	html_begin(out, line);
	run_words(e->measured->run, line, sizeof(line));
	html_top(out, "explain", line);
	exact_words(e->counted, line, sizeof(line));
	html_top(out, "beside", line);
	markup(out, "<main id=\"content\">\n");
	err = body(out, e, o);
	markup(out, "</main>\n");
	if (!err)
		err = html_embed(out, &w, explain_json(&w, e));
	html_end(out, "Costs are ns/packet; counts are per packet; ± is a 95 % interval.");
	return err ? err : text_finish(&(struct text){.out = out});
}
