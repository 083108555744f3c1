// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures of a page: tables and words, and the numbers that the script draws beside them. */
#include "reports/page/page.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* ---- the run as it went ------------------------------------------------------------------------------ */

static const struct column block_columns[] = {
	{"block", "block", CELL_WORDS, IN_TABLE}, {"variant", "variant", CELL_NAME, IN_TABLE},
	{"place", "place", CELL_WORDS, IN_TABLE}, {"base_ns", "ns/packet", CELL_NUMBER, IN_TABLE},
	{"fate", "", CELL_WORDS, IN_TABLE},
};

static void put_polls(FILE *out, const struct analysis_variant *v, const char *side)
{
	if (!(v->polls > 0))
		return;
	markup(out, "<figure class=\"%s\" data-chart=\"polls\" data-pct=\"", side);
	for (int i = 0; i < RUN_POLL_HIST; i++)
		markup(out, "%s%.4g", i ? " " : "", v->poll_pct[i]);
	markup(out,
	       "\"><figcaption><span class=\"key-%s\">%s</span><br>%.1f packets per poll; %.1f %% of polls full, %.1f "
	       "%% empty</figcaption></figure>\n",
	       side, v->variant->id, v->packets_per_poll, v->poll_pct[64], v->poll_pct[0]);
}

static void put_spread(FILE *out, const struct analysis_variant *v, const char *side)
{
	const struct analysis_turns *t = &v->turns;
	const char *what = t->windows ? "windows" : "turns";
	size_t sum = 0;

	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		sum += t->bins[i];
	if (!sum)
		return;
	markup(out, "<figure class=\"%s\" data-chart=\"spread\" data-what=\"%s\" data-ns=\"%.6g %.6g\" data-bins=\"",
	       side, what, t->ns[0], t->ns[ANALYSIS_TURN_QUANTILES - 1]);
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		markup(out, "%s%zu", i ? " " : "", t->bins[i]);
	markup(out,
	       "\"><figcaption><span class=\"key-%s\">%s</span><br>ns per packet in %zu single %s: half of them from "
	       "%.1f to %.1f, the slowest %.1f</figcaption></figure>\n",
	       side, v->variant->id, t->n, what, t->ns[1], t->ns[3], t->longest_ns);
}

/* Those of two variants; either may be NULL. */
static void histograms(FILE *out, void (*put)(FILE *, const struct analysis_variant *, const char *),
		       const struct analysis_variant *base, const struct analysis_variant *new)
{
	if (base)
		put(out, base, "base");
	if (new)
		put(out, new, "new");
}

/* The windows of two variants of a run, and how their costs are spread; either may be NULL. */
static int run_part(FILE *out, const struct analysis *a, const struct analysis_variant *base,
		    const struct analysis_variant *new)
{
	const struct analysis_variant *first = base ? base : new;
	struct timeline t;
	struct rows r;
	int err = timeline_build(&t, a);

	if (err)
		return err;
	if (first && t.nwindows && t.length_s > 0) {
		rows_init(&r, block_columns, COUNT(block_columns));
		markup(out, "<figure data-chart=\"strip\" data-length=\"%.6g\" data-blocks=\"[", t.length_s);
		for (size_t i = 0; i < t.nblocks; i++) {
			const struct timeline_block *b = &t.blocks[i];

			if (b->variant != base && b->variant != new)
				continue;
			fputs(r.nrows ? "," : "", out);
			const char *side = b->variant == base ? "base" : "new";
			bool aside = b->block->fate != FATE_USED;
			rows_add(&r);
			rows_words(&r, "block", "block %d, round %d, at %.1f s", b->block->block->index,
				   b->block->block->round, b->from_s);
			rows_last(&r)->class = !aside ? side : *side == 'n' ? "new aside" : "base aside";
			rows_text(&r, "variant", b->variant->variant->id);
			rows_text(&r, "place", b->place);
			rows_number(&r, "base_ns", b->block->base_ns, 1);
			rows_text(&r, "fate", aside ? "discarded" : b->block->outlier ? "outlier" : "");
			/* [from, to, [[from, to, pps, is profiled], ...]], which needs no quotes in an attribute */
			markup(out, "[%.6g,%.6g,[", b->from_s, b->to_s);
			for (const struct timeline_window *w = &t.windows[b->first];
			     w < &t.windows[b->first + b->nwindows]; w++)
				markup(out, "%s[%.6g,%.6g,%.6g,%d]", w > &t.windows[b->first] ? "," : "", w->from_s,
				       w->to_s, w->pps, w->profiled);
			markup(out, "]]");
		}
		markup(out, "]\" data-spans=\"[");
		for (size_t i = 0; i < t.nspans; i++)
			markup(out, "%s[%.6g,%.6g]", i ? "," : "", t.spans[i].from_s, t.spans[i].to_s);
		markup(out, "]\"");
		if (t.nspans && !isnan(t.factor))
			markup(out, " data-factor=\"%.6g\"", t.factor);
		markup(out, "><figcaption class=\"how\">");
		const struct analysis_variant *const drawn[] = {first, base ? new : NULL};
		for (int i = 0; i < 2 && drawn[i]; i++) {
			markup(out, "%s%s", i ? " and " : "Packets per second of ", drawn[i]->variant->id);
			if (isnan(drawn[i]->pps))
				markup(out, " at a rate that is " NOT_KNOWN);
			else
				markup(out, " at %.2f Mpps", drawn[i]->pps / 1e6);
		}
		markup(out,
		       " on average, over %.0f seconds</figcaption>\n<details class=\"blocks\"><summary>%zu "
		       "blocks</summary>\n",
		       t.length_s, r.nrows);
		html_table(out, &r, &(struct html_table){.class = "sides"});
		markup(out, "</details></figure>\n");
		err = rows_error(&r);
		rows_release(&r);
	}
	timeline_release(&t);
	markup(out, "<div class=\"polls\">\n");
	histograms(out, put_spread, base, new);
	markup(out, "</div>\n");
	return err;
}

static bool has_polls(const struct analysis_variant *v)
{
	return v && v->polls > 0;
}

bool html_has_polls(const struct document *d)
{
	const struct overview *v = &d->overview;
	bool any = d->compare && (has_polls(d->compare->base) || has_polls(d->compare->new));

	for (size_t i = 0; i < v->nrows; i++)
		any |= ((!d->only || d->only == v->rows[i].native) && has_polls(v->rows[i].native)) ||
		       ((!d->only || d->only == v->rows[i].skb) && has_polls(v->rows[i].skb));
	return any;
}

int html_run_sections(FILE *out, const struct document *d)
{
	const struct overview *v = &d->overview;
	int err = 0;

	markup(out,
	       "<section id=\"run\"><h2>The run as it went</h2>\n<p class=\"how\">Packets per second, window by "
	       "window; shaded from the beginning of a block to its end. Thin lines are profiled windows, dashed "
	       "blocks were discarded. A band below them marks the time in which the machine had another speed. "
	       "Mpps over seconds since the first window.</p>\n<details class=\"fold\"><summary>Rates of all windows"
	       "</summary>\n");
	const struct compare *c = d->compare;
	if (c && c->same_run) {
		err = run_part(out, c->base->of, c->base, c->new);
	} else if (c) { /* each of two runs has its own time */
		markup(out, "<h3 class=\"key-base\">base: run of %s</h3>\n", c->base->of->run->started);
		err = run_part(out, c->base->of, c->base, NULL);
		markup(out, "<h3 class=\"key-new\">new: run of %s</h3>\n", c->new->of->run->started);
		err = err ? err : run_part(out, c->new->of, NULL, c->new);
	}
	for (size_t i = 0; i < v->nrows && !err; i++) {
		const struct overview_row *row = &v->rows[i];

		if (d->only && d->only != row->native && d->only != row->skb)
			continue;
		markup(out, "<h3>%s</h3>\n", row->name);
		err = run_part(out, d->analysis, row->native, row->skb);
	}
	markup(out, "</details>\n</section>\n");
	if (!html_has_polls(d))
		return err;
	markup(out, "<section id=\"polls\"><h2>Packets per poll</h2>\n<p class=\"how\">How many packets a "
		    "poll of the NIC found, as part of all polls; logarithmic. Costs compare only where polls are "
		    "alike.</p>\n<details class=\"fold\"><summary>Distributions</summary>\n<div class=\"polls\">\n");
	if (d->compare)
		histograms(out, put_polls, d->compare->base, d->compare->new);
	for (size_t i = 0; i < v->nrows; i++) {
		const struct overview_row *row = &v->rows[i];

		histograms(out, put_polls, !d->only || d->only == row->native ? row->native : NULL,
			   !d->only || d->only == row->skb ? row->skb : NULL);
	}
	markup(out, "</div></details>\n</section>\n");
	return err;
}
