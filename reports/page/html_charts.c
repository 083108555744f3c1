// SPDX-License-Identifier: GPL-2.0-or-later
/* Charts of a page as SVG: x in percent, y in pixels, so that only the width scales with the page. */
#include <math.h>
#include <string.h>
#include "base/known.h"
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/page/palette.h"
#include "reports/document/sentence.h"
#include "base/sheet/digits.h"
#include "reports/page/waterfall.h"

#define STEP_PX  25
#define BAR_PX   34
#define STRIP_PX 150
#define POLLS_PX 110

double html_tick_step(double top, int n)
{
	double rough = top / n, power, m, step;

	if (!(rough > 0))
		return 1;
	power = pow(10, floor(log10(rough)));
	m = rough / power;
	step = power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
	return isnormal(step) ? step : NAN;
}

/* ---- waterfall --------------------------------------------------------------------------------------- */

static void step_grid(FILE *out, double top_ns, double step_ns)
{
	for (double t = 0; t <= top_ns * 1.0001; t += step_ns)
		markup(out, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%d\"/>", 100 * t / top_ns,
		       100 * t / top_ns, STEP_PX);
}

static void step_axis(FILE *out, double top_ns, double step_ns)
{
	markup(out, "<svg aria-hidden=\"true\" height=\"16\">");
	for (double t = 0; t <= top_ns * 0.97; t += step_ns)
		markup(out, "<text x=\"%.2f%%\" y=\"20\">%.6g</text>", 100 * t / top_ns, t);
	markup(out, "</svg>");
}

/* Draws the interval of a step at the end of the step. */
static void whisker(FILE *out, double at_ns, double half_ns, double top_ns)
{
	double from = fmax(0, 100 * (at_ns - half_ns) / top_ns), to = fmin(100, 100 * (at_ns + half_ns) / top_ns);

	if (isnan(half_ns))
		return;
	markup(out, "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"12.5\" y2=\"12.5\"/>", from, to);
}

static bool is_total(const struct waterfall_step *s)
{
	return s->kind == WATERFALL_BASE || s->kind == WATERFALL_NEW;
}

static void step_bar(FILE *out, const struct waterfall_step *s, double half_ns, double top_ns, double step_ns)
{
	double lo = fmin(s->from_ns, s->to_ns), hi = fmax(s->from_ns, s->to_ns);

	markup(out, "<td class=\"bar\"><svg aria-hidden=\"true\">");
	step_grid(out, top_ns, step_ns);
	if (!is_total(s))
		markup(out, "<line class=\"link\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"5\"/>",
		       100 * s->from_ns / top_ns, 100 * s->from_ns / top_ns);
	markup(out, "<rect class=\"%s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"5\" height=\"15\"/>",
	       is_total(s)       ? "whole"
	       : s->delta_ns < 0 ? "less"
				 : "more",
	       100 * lo / top_ns, fmax(0.15, 100 * (hi - lo) / top_ns));
	if (s->kind != WATERFALL_NEW)
		markup(out, "<line class=\"link\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"20\" y2=\"%d\"/>",
		       100 * s->to_ns / top_ns, 100 * s->to_ns / top_ns, STEP_PX);
	whisker(out, s->to_ns, half_ns, top_ns);
	markup(out, "</svg></td>");
}

static void total_row(FILE *out, const struct waterfall_step *s, const char *name, const char *key,
		      const struct analysis_variant *v, double top_ns, double step_ns)
{
	int decimals = digits_of_interval(v->half_ns);

	markup(out, "<tr class=\"total\"><th scope=\"row\" class=\"key-%s\">%s</th>", key, name);
	step_bar(out, s, v->half_ns, top_ns, step_ns);
	markup(out, "<td class=\"wide\"></td><td class=\"wide\"></td><td class=\"r\" data-v=\"%.10g\">%.*f</td>",
	       s->to_ns, decimals, s->to_ns);
	if (isnan(v->half_ns))
		markup(out, "<td class=\"pm\"></td><td></td></tr>\n");
	else
		markup(out, "<td class=\"pm\">%.*f</td><td></td></tr>\n", decimals, v->half_ns);
}

static void half_cell(FILE *out, double half_ns)
{
	if (isnan(half_ns))
		markup(out, "<td class=\"pm\"></td>");
	else
		markup(out, "<td class=\"pm\">%.1f</td>", half_ns);
}

/* The cost on one side; where that side's list was cut short and does not have the row, its limit. */
static void side_cell(FILE *out, const struct compare_row *row, double ns, uint64_t samples)
{
	bool hidden = !samples && row->absent_ns > 0;

	markup(out, hidden ? "<td class=\"r wide\">&lt;%.1f</td>" : "<td class=\"r wide\">%.1f</td>",
	       hidden ? row->absent_ns : ns);
}

static void facility_row(FILE *out, const struct waterfall_step *s, double top_ns, double step_ns)
{
	const struct compare_row *row = s->row;
	const char *kind = compare_class_name(row->class), *mark = compare_mark(row);

	markup(out, "<tr class=\"%s\"><th scope=\"row\"><span class=\"sw %s\"></span>%s</th>", kind,
	       palette_of_facility(row->name)->class, row->name);
	step_bar(out, s, row->half_ns, top_ns, step_ns);
	side_cell(out, row, row->base_ns, row->base_samples);
	side_cell(out, row, row->new_ns, row->new_samples);
	markup(out, "<td class=\"r\" data-v=\"%.10g\">%+.1f</td>", row->delta_ns, row->delta_ns);
	half_cell(out, row->half_ns);
	markup(out, "<td><span class=\"tag %s\">%s</span></td></tr>\n", kind, *mark ? mark : kind);
}

static void unattributed_row(FILE *out, const struct waterfall_step *s, const struct compare *c, double top_ns,
			     double step_ns)
{
	markup(out, "<tr class=\"same\"><th scope=\"row\">%s</th>", s->name);
	step_bar(out, s, c->unattributed_half_ns, top_ns, step_ns);
	markup(out,
	       "<td class=\"r wide\">%.1f</td><td class=\"r wide\">%.1f</td>"
	       "<td class=\"r\" data-v=\"%.10g\">%+.1f</td>",
	       c->base_unattributed_ns, c->new_unattributed_ns, s->delta_ns, s->delta_ns);
	half_cell(out, c->unattributed_half_ns);
	markup(out, "<td></td></tr>\n");
}

static void waterfall_rows(FILE *out, const struct waterfall *w, const struct compare *c, const char *base,
			   const char *new)
{
	double top_ns = 1.06 * fmax(w->top_ns, fmax(c->base->ci95_ns[1], c->new->ci95_ns[1]));
	double step_ns = html_tick_step(top_ns, 5);

	markup(out, "<div class=\"scroll\"><table class=\"steps waterfall\"><thead><tr><th scope=\"col\">facility</th>"
		    "<th class=\"bar\"><span class=\"vh\">chart</span>");
	step_axis(out, top_ns, step_ns);
	markup(out,
	       "</th><th class=\"r wide\" scope=\"col\">%s</th><th class=\"r wide\" scope=\"col\">%s</th>"
	       "<th class=\"r\" scope=\"col\">ns/packet</th><th scope=\"col\">± 95 %%</th>"
	       "<th><span class=\"vh\">kind</span></th></tr></thead><tbody>\n",
	       base, new);
	for (size_t i = 0; i < w->nsteps; i++) {
		const struct waterfall_step *s = &w->steps[i];

		if (s->kind == WATERFALL_BASE)
			total_row(out, s, base, "base", c->base, top_ns, step_ns);
		else if (s->kind == WATERFALL_NEW)
			total_row(out, s, new, "new", c->new, top_ns, step_ns);
		else if (s->row)
			facility_row(out, s, top_ns, step_ns);
		else
			unattributed_row(out, s, c, top_ns, step_ns);
	}
	markup(out, "</tbody></table></div>\n");
}

int html_waterfall(FILE *out, const struct compare *c)
{
	struct waterfall w;
	const char *base, *new;
	int err = waterfall_build(&w, c);

	if (err)
		return err;
	html_short_sides(c, &base, &new);
	waterfall_rows(out, &w, c, base, new);
	waterfall_release(&w);
	return 0;
}

/* ---- ladder ------------------------------------------------------------------------------------------ */

/* where: the beginning of the name of the section that the step leads to. */
static void step_cells(FILE *out, const struct html_rung *rung, const char *where, size_t number)
{
	const struct compare_headline *d = rung->step ? &rung->step->headline : NULL;
	int decimals = d ? digits_of_interval(d->half_ns) : 0;

	if (!d) {
		markup(out, "<td></td><td class=\"pm\"></td></tr>\n");
		return;
	}
	markup(out, "<td class=\"r\" data-v=\"%.10g\"><a href=\"#%s-%zu\">%+.*f</a></td>", d->delta_ns, where, number,
	       decimals, d->delta_ns);
	if (isnan(d->half_ns))
		markup(out, "<td class=\"pm\"></td></tr>\n");
	else
		markup(out, "<td class=\"pm\">%.*f</td></tr>\n", decimals, d->half_ns);
}

static void rung_row(FILE *out, const struct html_rung *rung, size_t number, double top_ns, double step_ns)
{
	const struct analysis_variant *v = rung->v;
	const struct waterfall_step s = {.kind = WATERFALL_NEW, .to_ns = v->base_ns, .delta_ns = v->base_ns};
	bool aside = run_rung_is_aside(v->variant);
	int decimals = digits_of_interval(v->half_ns);

	markup(out, "<tr class=\"%s\"><th scope=\"row\">%s", aside ? "same" : "total",
	       run_variant_is_rung(v->variant) ? v->variant->target : v->variant->id);
	markup(out, aside ? " <span class=\"tag same wide\">aside</span></th>" : "</th>");
	if (!v->nused) {
		markup(out, "<td class=\"bar\"></td><td class=\"r\">-</td><td class=\"pm wide\"></td>");
	} else {
		step_bar(out, &s, v->half_ns, top_ns, step_ns);
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.*f</td>", v->base_ns, decimals, v->base_ns);
		if (isnan(v->half_ns))
			markup(out, "<td class=\"pm wide\"></td>");
		else
			markup(out, "<td class=\"pm wide\">%.*f</td>", decimals, v->half_ns);
	}
	step_cells(out, rung, "step", number);
}

/* What its second stage costs, below the rung: it runs on another CPU, and is no part of the rung's bar. */
static void stage_row(FILE *out, const struct html_rung *rung, size_t number, double top_ns, double step_ns)
{
	const struct analysis_stage *s = &rung->v->stage;
	const struct waterfall_step step = {.kind = WATERFALL_NEW, .to_ns = s->ns, .delta_ns = s->ns};
	const struct html_rung stage = {.step = rung->step ? rung->step->stage : NULL};
	int decimals = digits_of_interval(s->half_ns);

	if (isnan(s->ns) || !rung->v->nused)
		return;
	markup(out, "<tr class=\"same stage\"><th scope=\"row\">%s</th>",
	       rung->v->variant->stage == RUN_STAGE_READER ? "its reader" : "second stage");
	step_bar(out, &step, s->half_ns, top_ns, step_ns);
	markup(out, "<td class=\"r\" data-v=\"%.10g\">%.*f</td>", s->ns, decimals, s->ns);
	if (isnan(s->half_ns))
		markup(out, "<td class=\"pm wide\"></td>");
	else
		markup(out, "<td class=\"pm wide\">%.*f</td>", decimals, s->half_ns);
	step_cells(out, &stage, "stage", number);
}

void html_rungs(FILE *out, const struct html_rung *rungs, size_t n)
{
	double top_ns = 0, step_ns;

	for (size_t i = 0; i < n; i++) { /* fmax() ignores a NaN */
		const struct analysis_variant *v = rungs[i].v;

		top_ns = fmax(top_ns, fmax(v->base_ns, v->ci95_ns[1]));
		top_ns = fmax(top_ns, fmax(v->stage.ns, v->stage.ci95_ns[1]));
	}
	top_ns *= 1.06;
	step_ns = html_tick_step(top_ns, 3);
	markup(out,
	       "<div class=\"scroll\"><table class=\"steps waterfall sides\"><thead><tr><th scope=\"col\">rung</th>"
	       "<th class=\"bar\"><span class=\"vh\">chart</span>");
	step_axis(out, top_ns, step_ns);
	markup(out, "</th><th class=\"r\" scope=\"col\">ns/packet</th><th class=\"wide\" scope=\"col\">± 95 %%</th>"
		    "<th class=\"r\" scope=\"col\">step</th><th scope=\"col\">± 95 %%</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++) {
		rung_row(out, &rungs[i], i, top_ns, step_ns);
		stage_row(out, &rungs[i], i, top_ns, step_ns);
	}
	markup(out, "</tbody></table></div>\n");
}

/* ---- stacked bars ------------------------------------------------------------------------------------ */

/* Draws one bar, divided into facilities in the order of the comparison. A name is written where it fits. */
static void one_bar(FILE *out, const struct compare *c, bool new, int y_px, double top_ns)
{
	double at_ns = 0;

	for (size_t i = 0; i < c->nfacilities; i++) {
		const struct compare_row *row = &c->facilities[i];
		double ns = new ? row->new_ns : row->base_ns, width = 100 * ns / top_ns;

		if (!(width > 0.02))
			continue;
		markup(out,
		       "<svg class=\"seg %s\" x=\"%.3f%%\" y=\"%d\" width=\"%.3f%%\" height=\"%d\">"
		       "<title>%s: %.1f ns/packet</title><rect width=\"100%%\" height=\"100%%\"/>",
		       palette_of_facility(row->name)->class, 100 * at_ns / top_ns, y_px, width, BAR_PX, row->name, ns);
		if (width > 4.5)
			markup(out, "<text x=\"6\" y=\"14\">%s</text><text x=\"6\" y=\"28\">%.1f</text>", row->name,
			       ns);
		markup(out, "</svg>\n");
		at_ns += ns;
	}
}

static void bar_interval(FILE *out, const struct analysis_variant *v, int y_px, double top_ns)
{
	if (isnan(v->half_ns))
		return;
	markup(out, "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>\n",
	       100 * v->ci95_ns[0] / top_ns, 100 * v->ci95_ns[1] / top_ns, y_px + BAR_PX + 4, y_px + BAR_PX + 4);
}

void html_bars(FILE *out, const struct compare *c)
{
	double top_ns = 1.01 * fmax(isnan(c->base->ci95_ns[1]) ? c->base->base_ns : c->base->ci95_ns[1],
				    isnan(c->new->ci95_ns[1]) ? c->new->base_ns : c->new->ci95_ns[1]);
	const char *base, *new;

	sentence_sides(c, &base, &new);
	markup(out,
	       "<svg class=\"chart bars\" height=\"%d\" role=\"img\" aria-label=\"%s %.1f ns and %s %.1f ns per "
	       "packet, "
	       "by facility; the table above has the numbers\">\n",
	       2 * (BAR_PX + 30), base, c->base->base_ns, new, c->new->base_ns);
	markup(out, "<text class=\"name\" y=\"16\">%s: %.1f ns</text>\n", base, c->base->base_ns);
	one_bar(out, c, false, 22, top_ns);
	bar_interval(out, c->base, 22, top_ns);
	markup(out, "<text class=\"name\" y=\"%d\">%s: %.1f ns</text>\n", BAR_PX + 46, new, c->new->base_ns);
	one_bar(out, c, true, BAR_PX + 52, top_ns);
	bar_interval(out, c->new, BAR_PX + 52, top_ns);
	markup(out, "</svg>\n<ul class=\"legend\">");
	for (size_t i = 0; i < c->nfacilities; i++)
		if (c->facilities[i].base_ns + c->facilities[i].new_ns > 0)
			markup(out, "<li><span class=\"sw %s\"></span>%s</li>",
			       palette_of_facility(c->facilities[i].name)->class, c->facilities[i].name);
	markup(out, "</ul>\n");
}

/* ---- the run as it went ------------------------------------------------------------------------------ */

static double top_pps(const struct timeline *t, const struct analysis_variant *base, const struct analysis_variant *new)
{
	double top = 0;

	for (size_t i = 0; i < t->nblocks; i++) {
		const struct timeline_block *b = &t->blocks[i];

		for (size_t k = 0; k < b->nwindows && (b->variant == base || b->variant == new); k++)
			top = fmax(top, t->windows[b->first + k].pps);
	}
	return top;
}

static void strip_block(FILE *out, const struct timeline *t, const struct timeline_block *b, enum html_side side,
			double top)
{
	bool aside = b->block->fate != FATE_USED;
	double height = STRIP_PX - 34;
	char ns[48] = ""; /* nothing, if all turns of the block were set aside */

	if (!isnan(b->block->base_ns))
		snprintf(ns, sizeof(ns), ", %.1f ns/packet", b->block->base_ns);
	markup(out,
	       "<g><title>block %d, round %d: %s%s%s%s%s%s</title>"
	       "<rect class=\"block%s\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"14\" height=\"%.0f\"/>",
	       b->block->block->index, b->block->block->round, b->variant->variant->id, *b->place ? ", " : "", b->place,
	       ns, aside ? ", set aside" : "", b->block->outlier ? ", outlier" : "", aside ? " aside" : "",
	       100 * b->from_s / t->length_s, 100 * (b->to_s - b->from_s) / t->length_s, height);
	for (size_t i = b->first; i < b->first + b->nwindows; i++) {
		const struct timeline_window *w = &t->windows[i];
		double y = 14 + height * (1 - w->pps / top);

		markup(out, "<line class=\"w %s%s%s\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
		       html_side_class(side), w->profiled ? " profiled" : "", aside ? " aside" : "",
		       100 * w->from_s / t->length_s, 100 * w->to_s / t->length_s, y, y);
	}
	markup(out, "</g>\n");
}

static void strip_axes(FILE *out, const struct timeline *t, double top)
{
	double height = STRIP_PX - 34, step = html_tick_step(top, 3), seconds = html_tick_step(t->length_s, 8);

	for (double pps = 0; pps <= top; pps += step) {
		double y = 14 + height * (1 - pps / top);

		markup(out,
		       "<line class=\"%s\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/><text "
		       "y=\"%.1f\">%.4g%s</text>\n",
		       pps > 0 ? "grid" : "axis", y, y, y - 3, pps / 1e6, pps + step > top ? " Mpps" : "");
	}
	for (double s = seconds; s < t->length_s * 0.98; s += seconds)
		markup(out, "<text x=\"%.2f%%\" y=\"%d\">%.4g s</text>", 100 * s / t->length_s, STRIP_PX - 4, s);
}

/* A band below the blocks where the machine had another speed. */
static void strip_band(FILE *out, const struct timeline *t)
{
	for (size_t i = 0; i < t->nspans; i++)
		markup(out,
		       "<rect class=\"speed\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"%d\" height=\"5\"><title>the machine "
		       "was %.2f times %s from %.1f to %.1f s</title></rect>\n",
		       100 * t->spans[i].from_s / t->length_s,
		       100 * (t->spans[i].to_s - t->spans[i].from_s) / t->length_s, STRIP_PX - 20,
		       t->factor < 1 ? 1 / t->factor : t->factor, t->factor < 1 ? "faster" : "slower",
		       t->spans[i].from_s, t->spans[i].to_s);
}

static void strip_rate(FILE *out, const char *before, const struct analysis_variant *v)
{
	if (isnan(v->pps))
		markup(out, "%s%s at a rate that is " NOT_KNOWN, before, v->variant->id);
	else
		markup(out, "%s%s at %.2f Mpps", before, v->variant->id, v->pps / 1e6);
}

void html_strip(FILE *out, const struct timeline *t, const struct analysis_variant *base,
		const struct analysis_variant *new)
{
	const struct analysis_variant *first = base ? base : new, *second = base ? new : NULL;
	double top = 1.08 * top_pps(t, base, new);

	if (!first || !(top > 0) || !(t->length_s > 0))
		return;
	markup(out,
	       "<svg class=\"chart strip\" height=\"%d\" role=\"img\" aria-label=\"packets per second over %.0f "
	       "seconds",
	       STRIP_PX, t->length_s);
	strip_rate(out, ": ", first);
	if (second)
		strip_rate(out, " and ", second);
	markup(out, " on average\">\n");
	for (size_t i = 0; i < t->nblocks; i++) {
		if (t->blocks[i].variant == base)
			strip_block(out, t, &t->blocks[i], HTML_BASE, top);
		else if (t->blocks[i].variant == new)
			strip_block(out, t, &t->blocks[i], HTML_NEW, top);
	}
	strip_band(out, t);
	strip_axes(out, t, top);
	markup(out, "</svg>\n");
}

/* ---- packets per poll -------------------------------------------------------------------------------- */

#define POLLS_DECADES 4 /* from 100 % down to 0.01 % */

static void poll_bins(FILE *out, const struct analysis_variant *v, enum html_side side)
{
	for (int i = 0; i < RUN_POLL_HIST; i++) {
		double height = POLLS_PX * (1 + log10(v->poll_pct[i] / 100) / POLLS_DECADES);

		if (!(v->poll_pct[i] > 0))
			continue;
		height = fmax(1, height);
		markup(out,
		       "<rect class=\"bin %s\" x=\"%.2f%%\" width=\"1.3%%\" y=\"%.1f\" height=\"%.1f\"><title>%s%d "
		       "packets: "
		       "%.3g %% of polls</title></rect>\n",
		       html_side_class(side), 100.0 * i / RUN_POLL_HIST, 12 + POLLS_PX - height, height,
		       i == RUN_POLL_HIST - 1 ? "more than " : "", i == RUN_POLL_HIST - 1 ? i - 1 : i, v->poll_pct[i]);
	}
}

void html_polls(FILE *out, const struct analysis_variant *v, enum html_side side)
{
	if (!(v->polls > 0))
		return;
	markup(out,
	       "<figure><figcaption><span class=\"key-%s\">%s</span><br>%.1f packets per poll; %.1f %% of polls full, "
	       "%.1f %% empty</figcaption>\n",
	       html_side_class(side), v->variant->id, v->packets_per_poll, v->poll_pct[64], v->poll_pct[0]);
	markup(out,
	       "<svg class=\"chart\" height=\"%d\" role=\"img\" aria-label=\"histogram of packets per poll of %s, "
	       "logarithmic\">\n",
	       POLLS_PX + 30, v->variant->id);
	for (int i = 0; i < POLLS_DECADES; i++) {
		double y = 12 + POLLS_PX * (double)i / POLLS_DECADES;

		markup(out,
		       "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"2%%\" "
		       "y=\"%.1f\">%g %%</text>\n",
		       y, y, y - 3, pow(10, 2 - i));
	}
	poll_bins(out, v, side);
	markup(out, "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>", 12 + POLLS_PX, 12 + POLLS_PX);
	for (int i = 0; i < 64; i += 16)
		markup(out, "<text x=\"%.2f%%\" y=\"%d\">%d</text>", 100.0 * i / RUN_POLL_HIST, POLLS_PX + 26, i);
	markup(out, "<text x=\"96%%\" y=\"%d\">64</text></svg></figure>\n", POLLS_PX + 26);
}
