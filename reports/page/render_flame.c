// SPDX-License-Identifier: GPL-2.0-or-later
/* Flame graphs: in a page, and alone as SVG. */
#include <math.h>
#include <string.h>
#include "reports/page/html_assets.h"
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/page/palette.h"
#include "reports/render/render.h"
#include "reports/render/text.h"
#include "reports/rows/digits.h"

#define FRAME_PX    18
#define NARROWEST   0.0002 /* of the whole: a fifth of a pixel on a wide screen, and nobody reads it zoomed */
#define ALONE_PX    1200
#define ALONE_TITLE 44

static void title_of(FILE *out, const struct flame *f, const struct flame_frame *frame)
{
	const char *base, *new;

	if (!f->sides[1]) {
		markup(out,
		       "<title>%s\n%.1f ± %.1f ns/packet, %.1f %% of base; %.1f of it its own; %.0f "
		       "samples\n%s</title>",
		       frame->name, frame->ns[0], frame->half_ns[0], frame->share_pct[0], frame->self_ns[0],
		       (double)frame->samples[0], frame->facility);
		return;
	}
	html_short_sides(&(struct compare){.base = f->sides[0], .new = f->sides[1]}, &base, &new);
	markup(out, "<title>%s\n%+.1f ± %.1f ns/packet%s: %s %.1f ns (%.1f %%), %s %.1f ns (%.1f %%)\n%s</title>",
	       frame->name, frame->delta_ns, frame->delta_half_ns,
	       frame->class == COMPARE_GONE   ? ", gone"
	       : frame->class == COMPARE_NEW  ? ", new"
	       : frame->class == COMPARE_SAME ? ", which chance explains"
					      : "",
	       base, frame->ns[0], frame->share_pct[0], new, frame->ns[1], frame->share_pct[1], frame->facility);
}

static void frame_svg(FILE *out, const struct flame *f, const struct flame_frame *frame, double whole_ns, bool alone)
{
	const struct palette_colour *c = f->sides[1] ? palette_of_change(frame->delta_ns / frame->width_ns)
						     : palette_of_facility(frame->facility);
	double width = 100 * frame->width_ns / whole_ns;

	markup(out, "<svg class=\"frame %s%s%s\" x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"", c->class,
	       f->sides[1] && frame->class == COMPARE_SAME ? " chance" : "", width < 2.2 ? " slim" : "",
	       100 * frame->x_ns / whole_ns, (f->depth - 1 - frame->depth) * FRAME_PX, width, FRAME_PX);
	markup(out, " data-base=\"%.4g\"", frame->ns[0]);
	if (f->sides[1])
		markup(out, " data-new=\"%.4g\"", frame->ns[1]);
	markup(out, ">");
	title_of(out, f, frame);
	if (alone)
		markup(out, "<rect width=\"100%%\" height=\"%d\" fill=\"%s\"/><text x=\"4\" y=\"13\" fill=\"%s\">",
		       FRAME_PX, c->fill, c->text);
	else
		markup(out, "<rect width=\"100%%\" height=\"%d\"/><text x=\"4\" y=\"13\">", FRAME_PX);
	markup(out, "%s</text></svg>\n", frame->name);
}

/* Below the frames: what their widths are in ns. */
static void ns_axis(FILE *out, const struct flame *f, double whole_ns)
{
	double step = html_tick_step(whole_ns, 8);

	for (double ns = 0; ns < whole_ns * 0.96; ns += step)
		markup(out, "<text class=\"tick\" x=\"%.3f%%\" y=\"%u\" fill=\"#5b6570\">%.6g%s</text>",
		       100 * ns / whole_ns, f->depth * FRAME_PX + 13, ns, ns > 0 ? "" : " ns");
	markup(out, "\n");
}

unsigned int html_flame_height_px(const struct flame *f)
{
	return f->nframes ? (f->depth + 1) * FRAME_PX : 0;
}

void html_flame_svg(FILE *out, const struct flame *f, const char *label, bool alone)
{
	double whole_ns = f->nframes ? f->frames[0].width_ns : 0;
	const char *base = f->sides[0]->variant->id, *new = "";

	if (f->sides[1])
		html_short_sides(&(struct compare){.base = f->sides[0], .new = f->sides[1]}, &base, &new);
	markup(out,
	       "<svg class=\"flame\" width=\"100%%\" height=\"%u\" role=\"group\" aria-label=\"%s\" "
	       "data-names=\"%s%s%s\" "
	       "font-family=\"sans-serif\" font-size=\"11.5\">\n",
	       html_flame_height_px(f), label, base, *new ? "|" : "", new);
	for (size_t i = 0; i < f->nframes; i++) /* what a frame calls is never wider */
		if (f->frames[i].width_ns >= NARROWEST * whole_ns)
			frame_svg(out, f, &f->frames[i], whole_ns, alone);
	if (f->nframes)
		ns_axis(out, f, whole_ns);
	markup(out, "</svg>\n");
}

/* ---- in a page --------------------------------------------------------------------------------------- */

int html_flame_figure(FILE *out, const struct analysis_variant *v)
{
	char label[200];
	struct flame f;
	int err = flame_build(&f, v);

	if (err)
		return err;
	if (f.nframes) {
		snprintf(label, sizeof(label), "flame graph of %s; arrow keys walk, Enter zooms", v->variant->id);
		markup(out,
		       "<h3>Call paths</h3>\n<p class=\"how\">Width is ns/packet; all of it is %.1f ns. Colour is the "
		       "facility that at least half of a frame belongs to. The table of symbols has the same "
		       "numbers.</p>\n"
		       "<figure class=\"flames\">",
		       f.frames[0].width_ns);
		html_flame_svg(out, &f, label, false);
		markup(out, "<p class=\"detail\" aria-live=\"polite\"></p></figure>\n");
	}
	flame_release(&f);
	return 0;
}

int html_flame_difference_figure(FILE *out, const struct compare *c)
{
	const char *base, *new;
	struct flame f;
	int err = flame_build_difference(&f, c);

	if (err)
		return err;
	html_short_sides(c, &base, &new);
	if (f.nframes) {
		markup(out,
		       "<h3>Call paths of both, laid over each other</h3>\n<p class=\"how\">Width is the larger of the "
		       "two "
		       "sides' own ns/packet with that of the frames called, so that what %s does not have any more is "
		       "still "
		       "to be seen. <span class=\"sw d0\"></span>gone <span class=\"sw d2\"></span>less <span "
		       "class=\"sw "
		       "d4\"></span>as before <span class=\"sw d6\"></span>more <span class=\"sw d8\"></span>new; pale "
		       "where "
		       "chance explains the change. The table of symbols has the same numbers.</p>\n"
		       "<figure class=\"flames\">",
		       new);
		html_flame_svg(out, &f, "differential flame graph; arrow keys walk, Enter zooms", false);
		markup(out, "<p class=\"detail\" aria-live=\"polite\"></p></figure>\n");
	}
	flame_release(&f);
	return 0;
}

/* ---- alone ------------------------------------------------------------------------------------------- */

static void begin_alone(FILE *out, unsigned int height_px, const char *title)
{
	markup(out,
	       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\">\n"
	       "<title>%s</title>\n<style>",
	       ALONE_PX, height_px, ALONE_PX, height_px, title);
	fprintf(out,
		"%s%s.paper{fill:var(--paper)}.alone text{fill:var(--ink);font:12px var(--sans)}.alone "
		".act{fill:var(--base);cursor:pointer}",
		html_colours_css.text, html_flame_css.text);
	markup(out,
	       "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\" class=\"paper\"/>\n<g class=\"alone\" "
	       "font-family=\"sans-serif\" font-size=\"12\">"
	       "<text class=\"line\" x=\"10\" y=\"18\">Point at a frame to read it, click to zoom.</text><text "
	       "class=\"hits\" x=\"10\" y=\"%u\"> </text>"
	       "<text class=\"act search\" x=\"1190\" y=\"18\" text-anchor=\"end\">search</text>"
	       "<text class=\"act reset\" x=\"1130\" y=\"18\" text-anchor=\"end\">whole graph</text></g>\n",
	       height_px - 8);
}

static void end_alone(FILE *out)
{
	fprintf(out, "<script><![CDATA[\n%s\n%s]]></script>\n</svg>\n", html_flame_js.text, html_alone_js.text);
}

/* widest_ns: of all flames in the picture, so that a ns is as wide in each of them. */
static void titled_flame(FILE *out, const struct flame *f, const char *title, unsigned int y_px, double widest_ns)
{

	markup(out,
	       "<g class=\"alone\"><text x=\"10\" y=\"%u\" font-family=\"sans-serif\" font-size=\"12\">%s</text></g>\n",
	       y_px + ALONE_TITLE - 12, title);
	markup(out, "<svg x=\"10\" y=\"%u\" width=\"%.1f\" height=\"%u\">", y_px + ALONE_TITLE,
	       f->nframes ? (ALONE_PX - 20) * f->frames[0].width_ns / widest_ns : 1, html_flame_height_px(f));
	html_flame_svg(out, f, title, true);
	markup(out, "</svg>\n");
}

static void title_alone(const struct analysis_variant *v, char *title, size_t size)
{
	char interval[48];

	if (!v->nused)
		snprintf(title, size, "%s: no block with packets", v->variant->id);
	else
		snprintf(title, size, "%s: %s ns/packet", v->variant->id,
			 digits_interval(v->base_ns, v->half_ns, interval, sizeof(interval)));
}

/* What one picture of several flames is like. */
struct alone {
	unsigned int height_px;
	double widest_ns;
};

/* out NULL: looks only, into size; else draws, and size says how. */
static int flames_of(FILE *out, const struct analysis *a, const struct analysis_variant *only, struct alone *size)
{
	unsigned int at_px = 20;

	for (size_t i = 0; i < a->nvariants; i++) {
		char title[160];
		struct flame f;
		int err;

		if (only && only != &a->variants[i])
			continue;
		err = flame_build(&f, &a->variants[i]);
		if (err)
			return err;
		title_alone(&a->variants[i], title, sizeof(title));
		if (out)
			titled_flame(out, &f, title, at_px, size->widest_ns);
		else if (f.nframes)
			size->widest_ns = fmax(size->widest_ns, f.frames[0].width_ns);
		at_px += ALONE_TITLE + html_flame_height_px(&f);
		flame_release(&f);
	}
	size->height_px = at_px + 30;
	return 0;
}

int render_report_svg(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		      const struct render_options *o)
{
	struct alone size = {0, 0};
	int err = flames_of(NULL, a, only, &size);

	(void)o;
	if (err)
		return err;
	begin_alone(out, size.height_px, "ns/packet by call path");
	err = flames_of(out, a, only, &size);
	end_alone(out);
	return err ? err : text_finish(&(struct text){.out = out});
}

int render_diff_svg(FILE *out, const struct compare *c, const struct render_options *o)
{
	char base[160], new[160], title[360];
	struct flame f;
	int err = flame_build_difference(&f, c);

	(void)o;
	if (err)
		return err;
	title_alone(c->base, base, sizeof(base));
	title_alone(c->new, new, sizeof(new));
	snprintf(title, sizeof(title), "%s -> %s; blue: less, orange: more", base, new);
	begin_alone(out, 20 + ALONE_TITLE + html_flame_height_px(&f) + 30, title);
	titled_flame(out, &f, title, 20, f.nframes ? f.frames[0].width_ns : 1);
	end_alone(out);
	flame_release(&f);
	return text_finish(&(struct text){.out = out});
}
