// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of a ladder: rungs as bars, and for each step from rung to rung where it goes. */
#include <errno.h>
#include <stdlib.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/render/render.h"
#include "reports/render/render_json.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/rows/diff_rows.h"
#include "reports/rows/report_rows.h"
#include "reports/rows/report_words.h"

#define PARTS 5

struct ladder_page {
	struct html_rung *rungs;
	struct compare *steps; /* of each rung; those without a rung below are empty */
	size_t n;
};

static void release(struct ladder_page *p)
{
	for (size_t i = 0; i < p->n && p->steps; i++)
		compare_release(&p->steps[i]);
	free(p->rungs);
	free(p->steps);
}

/* A step begins at the last rung below that is not aside. */
static int build(struct ladder_page *p, const struct analysis *a, const struct analysis_variant *only)
{
	const struct analysis_variant *below = NULL;
	struct diag d = {""};
	int err = 0;

	p->rungs = calloc(a->nvariants + 1, sizeof(*p->rungs));
	p->steps = calloc(a->nvariants + 1, sizeof(*p->steps));
	if (!p->rungs || !p->steps)
		return -ENOMEM;
	for (size_t i = 0; i < a->nvariants && !err; i++) {
		const struct analysis_variant *v = &a->variants[i];
		struct html_rung *rung = &p->rungs[p->n];

		if (only && v != only)
			continue;
		rung->v = v;
		if (below && below->nused && v->nused) {
			err = compare_build(&p->steps[p->n], below, v, NULL, &d);
			rung->step = err ? NULL : &p->steps[p->n];
		}
		p->n++;
		if (!run_rung_is_aside(v->variant))
			below = v;
	}
	return err;
}

static int step_section(FILE *out, const struct html_rung *rung, size_t number)
{
	const struct compare *c = rung->step;
	struct html_names names;
	struct sentence s;
	char parts[400];
	struct rows r;
	int err;

	html_short_sides(c, &names.base, &names.new);
	err = diff_rows(&r, c, names.base, names.new);
	sentence_of_difference(&s, c);
	sentence_of_parts(c, PARTS, parts, sizeof(parts));
	markup(out, "<section class=\"pair\" id=\"step-%zu\"><h2>From %s to %s</h2>\n<p class=\"lead\">%s%s%s</p>\n",
	       number, c->base->variant->id, c->new->variant->id, s.before, s.number, s.after);
	if (*parts)
		markup(out, "<p class=\"parts\">%s.</p>\n", parts);
	if (!err)
		err = html_waterfall(out, c);
	if (!err && c->nsymbols)
		err = html_changes_table(out, &r, &names);
	if (!err && c->stage) {
		markup(out, "<div id=\"stage-%zu\">", number);
		err = html_stage_difference(out, c);
		markup(out, "</div>\n");
	}
	markup(out, "<p><a href=\"#rungs\">Back to the ladder</a></p>\n</section>\n");
	rows_release(&r);
	return err;
}

static int rung_details(FILE *out, const struct analysis *a, const struct analysis_variant *only)
{
	struct rows r;
	int err = report_rows(&r, a, only);

	markup(out, "<section id=\"variants\"><h2>Each rung alone</h2>\n");
	for (size_t i = 0, row = 0; i < a->nvariants && !err; i++) {
		if (only && only != &a->variants[i])
			continue;
		markup(out, "<details><summary>%s</summary>\n", a->variants[i].variant->id);
		if (a->variants[i].nused) {
			html_facts(out, &r, row);
			html_tables(out, &r, row, NULL, NULL);
			err = html_stage_flame(out, &a->variants[i]);
		}
		markup(out, "</details>\n");
		row++;
	}
	markup(out, "</section>\n");
	rows_release(&r);
	return err;
}

static bool any(const struct ladder_page *p, bool (*is)(const struct run_variant *v))
{
	for (size_t i = 0; i < p->n; i++)
		if (is(p->rungs[i].v->variant))
			return true;
	return false;
}

static bool has_stage(const struct run_variant *v)
{
	return v->stage != RUN_STAGE_NONE;
}

static const char *title(const struct ladder_page *p)
{
	return any(p, run_rung_is_tcp)     ? "way of reading or relaying a TCP segment costs"
	       : any(p, run_rung_sends)    ? "way of sending a packet costs"
	       : any(p, run_rung_forwards) ? "way of forwarding a packet costs"
					   : "place costs that drops a packet";
}

static int body(FILE *out, const struct ladder_page *p, const struct analysis *a, const struct analysis_variant *only,
		const struct render_options *o)
{
	struct html_gates gates = {.nlists = 0};
	int err = 0;

	html_gates_add(&gates, &a->quality);
	for (size_t i = 0; i < p->n; i++)
		html_gates_add(&gates, &p->rungs[i].v->quality);
	markup(out, "<main id=\"content\">\n<h1>What each %s</h1>\n<section id=\"rungs\">\n", title(p));
	markup(out,
	       "<p class=\"how\">Bars are ns/packet of the %s, lines their 95 %% intervals. Each step leads to "
	       "the functions that it consists of. The rung above one that is aside does not go through it, and is "
	       "compared with the rung before.%s</p>\n",
	       any(p, run_rung_sends) ? "sender" : "receiver",
	       any(p, has_stage)
		       ? " A thin bar is what another CPU does for a frame of the rung above it, such as a thread that "
			 "reads the socket. It is no part of that rung's bar, and its step is to that of the rung that "
			 "the rung's own step begins at."
		       : "");
	err = html_rungs(out, p->rungs, p->n);
	html_gates_verdict(out, &gates);
	markup(out, "</section>\n");
	for (size_t i = 0; i < p->n && !err; i++)
		if (p->rungs[i].step)
			err = step_section(out, &p->rungs[i], i);
	if (!err)
		err = rung_details(out, a, only);
	html_gates_section(out, &gates);
	markup(out, "<section id=\"environment\"><h2>Environment</h2>\n");
	html_environment(out, a->run);
	markup(out, "</section>\n<section id=\"made\"><h2>How this page was made</h2>\n");
	html_page_command(out, o);
	markup(out, "</main>\n");
	return err;
}

int render_report_ladder_html(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			      const struct render_options *o)
{
	struct json_out w = {false};
	struct ladder_page p = {0};
	char line[800];
	int err = build(&p, a, only);

	if (!err) {
		html_begin(out, "A ladder of ns/packet");
		run_words(a->run, line, sizeof(line));
		html_top(out, "ladder", line);
		err = body(out, &p, a, only, o);
	}
	if (!err)
		err = html_embed(out, &w, report_json(&w, a, only));
	if (!err)
		html_end(out, "Costs are ns/packet; ± is a 95 % interval.");
	release(&p);
	return err ? err : text_finish(&(struct text){.out = out});
}
