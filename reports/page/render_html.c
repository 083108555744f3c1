// SPDX-License-Identifier: GPL-2.0-or-later
/* The pages of report and diff: one file that needs no network. Their parts are in html_parts.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/known.h"
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/render/render.h"
#include "reports/render/render_json.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/rows/diff_rows.h"
#include "base/sheet/digits.h"
#include "reports/rows/report_rows.h"
#include "reports/rows/report_words.h"

#define PARTS 5 /* facilities that the sentence below the title names */

/* ---- sections of both pages --------------------------------------------------------------------------- */

static void top_of_page(FILE *out, const char *what, const struct run *r)
{
	char line[800];

	run_words(r, line, sizeof(line));
	html_top(out, what, line);
}

static const char costs[] = "Costs are ns/packet; ± is a 95 % interval.";

static void recorded_command(FILE *out, const struct run *r)
{
	markup(out, "<h3>Recorded %s by xdpzoom %s with</h3>\n<pre><code>", r->started, r->version);
	for (size_t i = 0; i < json_array_size(r->command); i++) {
		const char *word = json_string_value(json_array_get(r->command, i));

		markup(out, "%s%s", i ? " " : "", word ? word : "?");
	}
	markup(out, "</code></pre>\n");
}

static void commands_section(FILE *out, const struct run *base, const struct run *new, const struct render_options *o)
{
	markup(out, "<section id=\"made\"><h2>How this page was made</h2>\n");
	recorded_command(out, base);
	if (new && new != base)
		recorded_command(out, new);
	html_page_command(out, o);
}

static void environment_section(FILE *out, const struct run *base, const struct run *new)
{
	markup(out, "<section id=\"environment\"><h2>Environment</h2>\n");
	if (new && new != base)
		markup(out, "<p class=\"lead key-base\">base: run of %s</p>\n", base->started);
	html_environment(out, base);
	if (new && new != base) {
		markup(out, "<p class=\"lead key-new\">new: run of %s</p>\n", new->started);
		html_environment(out, new);
	}
	markup(out, "</section>\n");
}

/* ---- a comparison ------------------------------------------------------------------------------------ */

/* The result in one sentence, and the largest parts of the difference. */
static void answer(FILE *out, const char *element, const struct compare *c)
{
	struct sentence s;
	char line[400];

	sentence_of_difference(&s, c);
	sentence_add_waking(&s, c);
	fprintf(out, "<%s class=\"answer %s\">", element,
		!(fabs(c->headline.delta_ns) > c->headline.half_ns) ? "even"
		: c->headline.delta_ns < 0                          ? "less"
								    : "more");
	markup(out, "%s<span class=\"n\">%s</span>%s", s.before, s.number, s.after);
	fprintf(out, "</%s>\n", element);
	sentence_of_parts(c, PARTS, line, sizeof(line));
	if (*line)
		markup(out, "<p class=\"parts\">%s.</p>\n", line);
}

/* What the marks mean that are not in every table. */
static void changes_note(FILE *out, const struct rows *r)
{
	const struct rows *symbols = rows_in(r, 0, "symbols");

	if (symbols && symbols->note)
		markup(out, "<p class=\"how\">%s</p>\n", symbols->note);
}

/* Both sides, then the difference by facilities, symbols, call paths and counters. */
static int difference(FILE *out, const struct compare *c, const struct rows *r, const struct html_names *names)
{
	static const char *const counted[] = {"events", "counters", NULL};
	struct flame f = {};
	int err;

	if (!c->base->nused || !c->new->nused) {
		markup(out, "<p class=\"lead\">Nothing says where: one of the two saw no packets.</p>\n");
		return 0;
	}
	if (!c->base->samples || !c->new->samples) {
		markup(out, "<p class=\"lead\">Nothing says where: one of the two was not profiled.</p>\n");
		html_tables(out, r, 0, counted, names);
		return 0;
	}
	markup(out,
	       "<h3>From %s to %s, facility by facility</h3>\n<p class=\"how\">First what %s does not pay any more, "
	       "then what it "
	       "pays in addition. Lines are 95 %% intervals; pale bars are changes that chance explains.</p>\n",
	       names->base, names->new, names->new);
	err = html_waterfall(out, c);
	if (!err && c->nsymbols) {
		markup(out, "<h3>What a packet is made of</h3>\n");
		html_bars(out, c);
		markup(out,
		       "<h3>Symbol by symbol</h3>\n<p class=\"how\">Own cost of each function in ns/packet. new and "
		       "gone are on one side only; ~ marks a change that chance explains (q ≥ 0.05).</p>\n");
		err = html_changes_table(out, r, names);
		changes_note(out, r);
		if (!err)
			err = flame_build_difference(&f, c);
		if (!err)
			html_flame_difference_figure(out, &f);
		flame_release(&f);
	}
	if (!err)
		err = html_stage_difference(out, c);
	html_tables(out, r, 0, counted, names);
	return err;
}

static void sides(FILE *out, const struct rows *r)
{
	html_table(out, rows_in(r, 0, "sides"), &(struct html_table){.class = "sides"});
	html_facts(out, r, 0);
}

/* The rows of a comparison, with the names that its sides have on a page. */
static int rows_of(struct rows *r, struct html_names *names, const struct compare *c)
{
	html_short_sides(c, &names->base, &names->new);
	return diff_rows(r, c, names->base, names->new);
}

static void nav(FILE *out, const char *first, const struct overview *v)
{
	markup(out, "<nav aria-label=\"Sections\"><ul>");
	if (v)
		for (size_t i = 0; i < v->nrows; i++)
			if (v->rows[i].have_difference)
				markup(out, "<li><a href=\"#pair-%zu\">%s</a></li>", i, v->rows[i].name);
	if (*first)
		markup(out, "<li><a href=\"#difference\">%s</a></li>", first);
	markup(out, "<li><a href=\"#run\">Run</a></li><li><a href=\"#polls\">Polls</a></li>");
	markup(out,
	       "<li><a href=\"#variants\">Variants</a></li><li><a href=\"#gates\">Gates</a></li>"
	       "<li><a href=\"#environment\">Environment</a></li><li><a href=\"#made\">Commands</a></li></ul></nav>\n");
}

/* ---- variants ---------------------------------------------------------------------------------------- */

/* Writes the variants, which are the rows of r. */
static int variant_details(FILE *out, const struct rows *r, size_t row, const struct analysis_variant *v, bool open)
{
	struct flame f = {};
	char interval[48];
	int err;

	fprintf(out, "<details%s>", open ? " open" : "");
	markup(out, "<summary>%s <span class=\"r\">%s</span></summary>\n", v->variant->id,
	       v->nused ? digits_interval(v->base_ns, v->half_ns, interval, sizeof(interval))
			: "no block with packets");
	if (!v->nused)
		return 0;
	html_facts(out, r, row);
	html_tables(out, r, row, NULL, NULL);
	err = flame_build(&f, v);
	if (!err)
		html_flame_figure(out, &f);
	flame_release(&f);
	return err ? err : html_stage_flame(out, v);
}

static int variant_section(FILE *out, const struct analysis *a, const struct analysis_variant *only, bool open)
{
	struct rows r;
	int err = report_rows(&r, a, only);

	for (size_t i = 0, row = 0; i < a->nvariants && !err; i++) {
		if (only && only != &a->variants[i])
			continue;
		err = variant_details(out, &r, row++, &a->variants[i], open);
		markup(out, "</details>\n");
	}
	rows_release(&r);
	return err;
}

static const char strip_words[] = "Packets per second, window by window; shaded from the beginning of a block to its "
				  "end. Thin lines are profiled "
				  "windows, dashed blocks were set aside. A band below "
				  "them marks the time in which the machine had another speed. Mpps over seconds since "
				  "the first window.";

static const char polls_words[] = "How many packets a poll of the NIC found, as part of all polls; logarithmic. Costs "
				  "compare only where polls are alike.";

static int strip_section(FILE *out, const struct analysis *a, const struct analysis_variant *base,
			 const struct analysis_variant *new)
{
	struct timeline t;
	int err = timeline_build(&t, a);

	if (err)
		return err;
	err = html_strip(out, &t, base, new);
	timeline_release(&t);
	return err;
}

static void spread_part(FILE *out, const struct analysis_variant *base, const struct analysis_variant *new)
{
	markup(out, "<div class=\"polls\">\n");
	if (base)
		html_spread(out, base, HTML_BASE);
	if (new)
		html_spread(out, new, HTML_NEW);
	markup(out, "</div>\n");
}

/* ---- report ------------------------------------------------------------------------------------------ */

struct report_page {
	FILE *out;
	const struct analysis *a;
	const struct analysis_variant *only;
	struct overview overview;
	size_t answered;      /* the row of the overview that the title is about */
	struct compare first; /* of that row */
	struct html_gates gates;
};

static int pair_section(struct report_page *p, size_t number)
{
	const struct overview_row *row = &p->overview.rows[number];
	struct compare other = {0}, *c = number == p->answered ? &p->first : &other;
	struct html_names names;
	struct diag d = {""};
	struct rows r = {0};
	int err = c == &other ? compare_build(c, row->native, row->skb, NULL, &d) : 0;

	if (!err)
		err = rows_of(&r, &names, c);
	if (!err) {
		markup(p->out, "<section class=\"pair\" id=\"pair-%zu\"><h2>%s</h2>\n", number, row->name);
		if (c == &other)
			answer(p->out, "p", c);
		sides(p->out, &r);
		err = difference(p->out, c, &r, &names);
		markup(p->out, "</section>\n");
	}
	rows_release(&r);
	compare_release(&other);
	return err;
}

/* The result of the first pair, and the overview of all pairs. */
static int head_section(struct report_page *p)
{
	const struct overview *v = &p->overview;
	struct diag d = {""};
	int err;

	while (p->answered < v->nrows && !v->rows[p->answered].have_difference)
		p->answered++;
	if (p->only || p->answered == v->nrows) {
		markup(p->out, "<h1>What a packet costs%s%s</h1>\n", p->only ? ": " : "",
		       p->only ? p->only->variant->id : "");
	} else {
		err = compare_build(&p->first, v->rows[p->answered].native, v->rows[p->answered].skb, NULL, &d);
		if (err)
			return err;
		answer(p->out, "h1", &p->first);
	}
	err = p->only ? 0 : html_overview_table(p->out, v);
	html_gates_verdict(p->out, &p->gates);
	return err;
}

static int run_sections(struct report_page *p)
{
	FILE *out = p->out;
	int err = 0;

	markup(out, "<section id=\"run\"><h2>The run as it went</h2>\n<p class=\"how\">%s</p>\n", strip_words);
	for (size_t i = 0; i < p->overview.nrows && !err; i++) {
		const struct overview_row *row = &p->overview.rows[i];

		if (p->only && p->only != row->native && p->only != row->skb)
			continue;
		markup(out, "<h3>%s</h3>\n", row->name);
		err = strip_section(out, p->a, row->native, row->skb);
		spread_part(out, row->native, row->skb);
	}
	markup(out,
	       "</section>\n<section id=\"polls\"><h2>Packets per poll</h2>\n<p class=\"how\">%s</p>\n<div "
	       "class=\"polls\">\n",
	       polls_words);
	for (size_t i = 0; i < p->overview.nrows; i++) {
		const struct overview_row *row = &p->overview.rows[i];

		if (row->native && (!p->only || p->only == row->native))
			html_polls(out, row->native, HTML_BASE);
		if (row->skb && (!p->only || p->only == row->skb))
			html_polls(out, row->skb, HTML_NEW);
	}
	markup(out, "</div></section>\n");
	return err;
}

static int variants_section(struct report_page *p)
{
	int err;

	markup(p->out, "<section id=\"variants\"><h2>Each variant alone</h2>\n");
	err = variant_section(p->out, p->a, p->only, p->only != NULL);
	markup(p->out, "</section>\n");
	return err;
}

static int report_body(struct report_page *p, const struct render_options *o)
{
	int err;

	html_gates_add(&p->gates, &p->a->quality);
	for (size_t i = 0; i < p->a->nvariants; i++)
		if (!p->only || p->only == &p->a->variants[i])
			html_gates_add(&p->gates, &p->a->variants[i].quality);
	top_of_page(p->out, "report", p->a->run);
	markup(p->out, "<main id=\"content\">\n");
	err = head_section(p);
	nav(p->out, "", p->only ? NULL : &p->overview);
	for (size_t i = 0; i < p->overview.nrows && !p->only && !err; i++)
		if (p->overview.rows[i].have_difference)
			err = pair_section(p, i);
	if (!err && p->only)
		err = variants_section(p);
	if (!err)
		err = run_sections(p);
	if (!err && !p->only)
		err = variants_section(p);
	html_gates_section(p->out, &p->gates);
	environment_section(p->out, p->a->run, NULL);
	commands_section(p->out, p->a->run, NULL, o);
	markup(p->out, "</main>\n");
	return err;
}

int render_report_html(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		       const struct render_options *o)
{
	struct report_page p = {.out = out, .a = a, .only = only};
	struct json_out w = {false};
	int err = overview_build(&p.overview, a, NULL);
	char title[160 + 2 * RUN_ID_BYTES];

	if (err)
		return err;
	snprintf(title, sizeof(title), "%s: ns/packet on %.64s", only ? only->variant->id : "native and generic XDP",
		 known(a->run->facts.device));
	html_begin(out, title);
	err = report_body(&p, o);
	compare_release(&p.first);
	overview_release(&p.overview);
	if (!err)
		err = html_embed(out, &w, report_json(&w, a, only));
	html_end(out, costs);
	return err ? err : text_finish(&(struct text){.out = out});
}

/* ---- diff -------------------------------------------------------------------------------------------- */

static int diff_run_sections(FILE *out, const struct compare *c)
{
	int err;

	markup(out, "<section id=\"run\"><h2>The run as it went</h2>\n<p class=\"how\">%s</p>\n", strip_words);
	if (c->same_run) {
		err = strip_section(out, c->base->of, c->base, c->new);
	} else {
		markup(out, "<h3 class=\"key-base\">base: run of %s</h3>\n", c->base->of->run->started);
		err = strip_section(out, c->base->of, c->base, NULL);
		markup(out, "<h3 class=\"key-new\">new: run of %s</h3>\n", c->new->of->run->started);
		if (!err)
			err = strip_section(out, c->new->of, NULL, c->new);
	}
	spread_part(out, c->base, c->new);
	markup(out,
	       "</section>\n<section id=\"polls\"><h2>Packets per poll</h2>\n<p class=\"how\">%s</p>\n<div "
	       "class=\"polls\">\n",
	       polls_words);
	html_polls(out, c->base, HTML_BASE);
	html_polls(out, c->new, HTML_NEW);
	markup(out, "</div></section>\n");
	return err;
}

static int diff_body(FILE *out, const struct compare *c, const struct render_options *o)
{
	const struct run *base = c->base->of->run, *new = c->new->of->run;
	struct html_gates gates = {.nlists = 0};
	struct html_names names;
	struct rows r;
	int err = rows_of(&r, &names, c);

	html_gates_add(&gates, &c->quality);
	top_of_page(out, "diff", base);
	if (!c->same_run)
		top_of_page(out, "against", new);
	markup(out, "<main id=\"content\">\n");
	answer(out, "h1", c);
	if (!err)
		sides(out, &r);
	html_gates_verdict(out, &gates);
	nav(out, "Difference", NULL);
	markup(out, "<section id=\"difference\"><h2>Where the difference goes</h2>\n");
	if (!err)
		err = difference(out, c, &r, &names);
	markup(out, "</section>\n");
	rows_release(&r);
	if (!err)
		err = diff_run_sections(out, c);
	markup(out, "<section id=\"variants\"><h2>Each variant alone</h2>\n");
	if (!err)
		err = variant_section(out, c->base->of, c->base, false);
	if (!err)
		err = variant_section(out, c->new->of, c->new, false);
	markup(out, "</section>\n");
	html_gates_section(out, &gates);
	environment_section(out, base, new);
	commands_section(out, base, new, o);
	markup(out, "</main>\n");
	return err;
}

int render_diff_html(FILE *out, const struct compare *c, const struct render_options *o)
{
	struct json_out w = {false};
	struct sentence s;
	char title[SENTENCE_BYTES];
	int err;

	sentence_of_difference(&s, c);
	snprintf(title, sizeof(title), "%s%s%s", s.before, s.number, s.after);
	html_begin(out, title);
	err = diff_body(out, c, o);
	if (!err)
		err = html_embed(out, &w, diff_json(&w, c));
	html_end(out, costs);
	return err ? err : text_finish(&(struct text){.out = out});
}
