// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of an explanation: measured ns beside exact counts. */
#include <math.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/render/render_json.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/rows/exact_rows.h"
#include "reports/rows/explain_rows.h"
#include "reports/rows/report_words.h"

/* The script draws it from the table of functions, that of variant number n. */
static void scatter(FILE *out, const struct explain *e, size_t number)
{
	const struct explain_variant *v = &e->variants[number];
	double slope = e->fit.terms[EXPLAIN_INSTRUCTIONS].value;
	size_t n = 0, off = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		n += !isnan(v->rows[i].instructions);
		off += !isnan(v->rows[i].instructions) && !v->rows[i].fits;
	}
	markup(out, "<figure data-chart=\"scatter\" data-table=\"#variants details:nth-of-type(%zu) .functions\"",
	       number + 1);
	if (!isnan(slope))
		markup(out, " data-slope=\"%.6g\"", slope);
	markup(out,
	       "><figcaption>%s: measured ns over instructions of %zu functions, %zu of which do not fit; the tables "
	       "below have the numbers</figcaption></figure>\n",
	       v->measured->variant->id, n, off);
}

static void scatter_section(FILE *out, const struct explain *e)
{
	markup(out,
	       "<section id=\"functions\"><h2>Measured over counted</h2>\n<p class=\"how\">Each dot is a function; its "
	       "colour is its facility. The line is what its instructions cost at %.3f ns each%s. Functions with a "
	       "vertical line, their 95 %% interval, do not fit.</p>\n",
	       e->fit.terms[EXPLAIN_INSTRUCTIONS].value, e->transfers ? "; transferred lines lift a dot above it" : "");
	for (size_t i = 0; i < e->nvariants; i++)
		scatter(out, e, i);
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
