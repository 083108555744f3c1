// SPDX-License-Identifier: GPL-2.0-or-later
/* The pages of exact counts: of a run, and of two variants. */
#include <errno.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/render/render_json.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/rows/exact_rows.h"

static const char footer[] = "Instructions and calls per packet, counted under emulation. ± is how far a window is off "
			     "the model at most, or moves it; a count without ± is exact.";

static void answer(FILE *out, const char *element, const struct exact_diff *d)
{
	struct sentence s;

	sentence_of_exact(&s, d);
	fprintf(out, "<%s class=\"answer %s\">", element, d->change == 0 ? "even" : d->change < 0 ? "less" : "more");
	markup(out, "%s<span class=\"n\">%s</span>%s", s.before, s.number, s.after);
	fprintf(out, "</%s>\n", element);
}

/* A paragraph of a cell that has words. */
static void words_of(FILE *out, const struct rows *r, const char *key)
{
	const struct cell *cell = rows_cell(r, 0, key);

	if (cell && cell->text)
		markup(out, "<p class=\"how\">%s.</p>\n", cell->text);
}

static void variants_table(FILE *out, const struct rows *r)
{
	html_table(out, r, &(struct html_table){.class = "steps sides"});
}

/* Where the difference goes: facilities, functions, call paths. */
static int difference(FILE *out, const struct exact_diff *d)
{
	static const char *const facilities[] = {"facilities", NULL}, *const lines[] = {"source_lines", NULL};
	struct html_names names;
	struct flame f = {};
	struct rows r;
	int err = exact_diff_rows(&r, d);

	html_short_exact_sides(d, &names.base, &names.new);
	if (!err) {
		html_tables(out, &r, 0, facilities, &names);
		markup(out,
		       "<h3>Function by function</h3>\n<p class=\"how\">new and gone are on one side only; ~ marks a "
		       "function whose count depends on state (page pool, slab).</p>\n");
		html_table(out, rows_in(&r, 0, "symbols"), &(struct html_table){.class = "changes", .names = &names});
		words_of(out, &r, "alike");
		words_of(out, &r, "closure_words");
		if (d->nlines)
			html_tables(out, &r, 0, lines, &names);
		words_of(out, &r, "source_words");
		err = flame_build_exact_difference(&f, d);
	}
	if (!err)
		html_flame_difference_figure(out, &f);
	flame_release(&f);
	rows_release(&r);
	return err;
}

static int variant_details(FILE *out, const struct exact *e, const struct exact_variant *v, bool open)
{
	struct flame f = {};
	struct rows r;
	int err = exact_rows(&r, e, v);

	fprintf(out, "<details%s>", open ? " open" : "");
	markup(out, "<summary>%s <span class=\"r\">%.3f instructions</span></summary>\n", v->id,
	       v->total.instructions[EXACT_PACKET]);
	if (!err) {
		html_facts(out, &r, 0);
		html_tables(out, &r, 0, NULL, NULL);
		err = flame_build_exact(&f, v);
	}
	if (!err)
		html_flame_figure(out, &f);
	markup(out, "</details>\n");
	flame_release(&f);
	rows_release(&r);
	return err;
}

static void made_section(FILE *out, const struct exact *base, const struct exact *new, const struct render_options *o)
{
	markup(out, "<section id=\"made\"><h2>How this page was made</h2>\n");
	markup(out, "<p class=\"how\">Counted by %s%s%s.</p>\n", base->made_by, new && new != base ? ", and by " : "",
	       new && new != base ? new->made_by : "");
	html_page_command(out, o);
}

/* ---- a run ------------------------------------------------------------------------------------------- */

/* The skb variant of a native one, at the same place before the "@"; NULL: there is none. */
static const struct exact_variant *partner(const struct exact *e, const struct exact_variant *v)
{
	const char *mode = strrchr(v->id, '@');

	if (!mode || strcmp(mode, "@native") != 0)
		return NULL;
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *skb = &e->variants[i];

		if (!strncmp(skb->id, v->id, (size_t)(mode - v->id)) && !strcmp(skb->id + (mode - v->id), "@skb"))
			return skb;
	}
	return NULL;
}

/* number: of the variant; first: the title speaks of this pair. */
static int pair_section(FILE *out, const struct exact *e, size_t number, bool first)
{
	const struct exact_variant *native = &e->variants[number], *skb = partner(e, native);
	struct exact_diff d;
	int err = exact_diff_build(&d, (struct exact_side){e, native}, (struct exact_side){e, skb}, NULL);

	if (err)
		return err;
	markup(out, "<section class=\"pair\" id=\"pair-%zu\"><h2>%s beside %s</h2>\n", number, native->id, skb->id);
	if (!first)
		answer(out, "p", &d);
	err = difference(out, &d);
	markup(out, "</section>\n");
	exact_diff_release(&d);
	return err;
}

static int title_of_pair(FILE *out, const struct exact *e, const struct exact_variant *native)
{
	struct exact_diff d;
	int err =
		exact_diff_build(&d, (struct exact_side){e, native}, (struct exact_side){e, partner(e, native)}, NULL);

	if (!err)
		answer(out, "h1", &d);
	exact_diff_release(&d);
	return err;
}

/* SIZE_MAX: no native variant has a partner. */
static size_t first_pair(const struct exact *e, const struct exact_variant *only)
{
	for (size_t i = 0; i < e->nvariants && !only; i++)
		if (partner(e, &e->variants[i]))
			return i;
	return SIZE_MAX;
}

static void run_nav(FILE *out, const struct exact *e, size_t first)
{
	char name[sizeof(e->variants->id)];

	markup(out, "<nav aria-label=\"Sections\"><ul>");
	for (size_t i = first; i < e->nvariants; i++) {
		if (!partner(e, &e->variants[i]))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(e->variants[i].id, "@"), e->variants[i].id);
		markup(out, "<li><a href=\"#pair-%zu\">%s</a></li>", i, name);
	}
	markup(out, "<li><a href=\"#variants\">Variants</a></li><li><a href=\"#made\">Commands</a></li></ul></nav>\n");
}

static int run_body(FILE *out, const struct exact *e, const struct exact_variant *only)
{
	size_t first = first_pair(e, only);
	struct rows r;
	int err = exact_overview_rows(&r, e, only);

	if (first == SIZE_MAX)
		markup(out, "<h1>What a packet costs in instructions%s%s</h1>\n", only ? ": " : "",
		       only ? only->id : "");
	else if (!err)
		err = title_of_pair(out, e, &e->variants[first]);
	if (!err)
		variants_table(out, &r);
	rows_release(&r);
	run_nav(out, e, first);
	for (size_t i = first; i < e->nvariants && !err; i++)
		if (partner(e, &e->variants[i]))
			err = pair_section(out, e, i, i == first);
	markup(out, "<section id=\"variants\"><h2>Each variant alone</h2>\n");
	for (size_t i = 0; i < e->nvariants && !err; i++)
		if (!only || only == &e->variants[i])
			err = variant_details(out, e, &e->variants[i], only || first == SIZE_MAX);
	markup(out, "</section>\n");
	return err;
}

int render_exact_html(FILE *out, const struct exact *e, const struct exact_variant *only,
		      const struct render_options *o)
{
	struct json_out w = {};
	char line[400], title[160 + RUN_ID_BYTES];
	int err;

	snprintf(title, sizeof(title), "%s: instructions/packet on %.32s", only ? only->id : "exact counts", e->nic);
	html_begin(out, title);
	exact_words(e, line, sizeof(line));
	html_top(out, "exact", line);
	markup(out, "<main id=\"content\">\n");
	err = run_body(out, e, only);
	made_section(out, e, NULL, o);
	markup(out, "</main>\n");
	if (!err)
		err = html_embed(out, &w, exact_json(&w, e, only));
	html_end(out, footer);
	return err ? err : text_finish(&(struct text){.out = out});
}

/* ---- two variants ------------------------------------------------------------------------------------ */

static int diff_body(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct rows r;
	int err = exact_diff_rows(&r, d);

	answer(out, "h1", d);
	if (!err)
		variants_table(out, rows_in(&r, 0, "sides"));
	rows_release(&r);
	markup(out, "<nav aria-label=\"Sections\"><ul><li><a href=\"#difference\">Difference</a></li><li><a "
		    "href=\"#variants\">Variants</a></li><li><a href=\"#made\">Commands</a></li></ul></nav>\n"
		    "<section id=\"difference\"><h2>Where the difference goes</h2>\n");
	if (!err)
		err = difference(out, d);
	markup(out, "</section>\n<section id=\"variants\"><h2>Each variant alone</h2>\n");
	if (!err)
		err = variant_details(out, d->base_run, d->base, false);
	if (!err)
		err = variant_details(out, d->new_run, d->new, false);
	markup(out, "</section>\n");
	made_section(out, d->base_run, d->new_run, o);
	return err;
}

int render_exact_diff_html(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct json_out w = {};
	struct sentence s;
	char line[SENTENCE_BYTES];
	int err;

	sentence_of_exact(&s, d);
	snprintf(line, sizeof(line), "%s%s%s", s.before, s.number, s.after);
	html_begin(out, line);
	exact_words(d->base_run, line, sizeof(line));
	html_top(out, "exact diff", line);
	exact_words(d->new_run, line, sizeof(line));
	if (d->new_run != d->base_run)
		html_top(out, "against", line);
	markup(out, "<main id=\"content\">\n");
	err = diff_body(out, d, o);
	markup(out, "</main>\n");
	if (!err)
		err = html_embed(out, &w, exact_diff_json(&w, d));
	html_end(out, footer);
	return err ? err : text_finish(&(struct text){.out = out});
}
