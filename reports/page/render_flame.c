// SPDX-License-Identifier: GPL-2.0-or-later
/* Flame graphs: in a page, and alone as SVG. */
#include "reports/page/page.h"

#define FRAME_PX    18
#define NARROWEST   0.0002 /* of the whole: a fifth of a pixel on a wide screen, and nobody reads it zoomed */
#define TICKS       4      /* at most, of what widths are: so that labels have room on a phone */
#define ALONE_PX    1200
#define ALONE_TITLE 44

static void put_title(FILE *out, const struct flame *f, const struct flame_frame *frame)
{
	const char *change = frame->class == COMPARE_GONE ? ", gone" : frame->class == COMPARE_NEW ? ", new" : "";
	bool counted = f->unit != FLAME_NS, root = frame == f->frames, one = !f->names[1];

	if (counted && one)
		markup(out, "<title>%s\n%.3f instructions/packet, %.1f %% of all; %.3f of it its own\n%s</title>",
		       frame->name, frame->cost[0], frame->share_pct[0], frame->self[0], frame->component);
	else if (counted)
		markup(out, "<title>%s\n%+.3f instructions/packet%s: %s %.3f (%.1f %%), %s %.3f (%.1f %%)\n%s</title>",
		       frame->name, frame->delta, change, f->names[0], frame->cost[0], frame->share_pct[0], f->names[1],
		       frame->cost[1], frame->share_pct[1], frame->component);
	else if (root && one)
		markup(out, "<title>%s\n%.1f ± %.1f ns/packet: functions %.1f, unattributed %+.1f</title>", frame->name,
		       frame->cost[0], frame->half[0], frame->cost[0] - f->rest_ns[0], f->rest_ns[0]);
	else if (root)
		markup(out,
		       "<title>%s\n%+.1f ± %.1f ns/packet: %s %.1f ns, functions %.1f, unattributed %+.1f; %s %.1f "
		       "ns, functions %.1f, unattributed %+.1f</title>",
		       frame->name, frame->delta, frame->delta_half, f->names[0], frame->cost[0],
		       frame->cost[0] - f->rest_ns[0], f->rest_ns[0], f->names[1], frame->cost[1],
		       frame->cost[1] - f->rest_ns[1], f->rest_ns[1]);
	else if (one)
		markup(out,
		       "<title>%s\n%.1f ± %.1f ns/packet, %.1f %% of samples; %.1f of it its own; %.0f "
		       "samples\n%s</title>",
		       frame->name, frame->cost[0], frame->half[0], frame->share_pct[0], frame->self[0],
		       (double)frame->samples[0], frame->component);
	else
		markup(out,
		       "<title>%s\n%+.1f ± %.1f ns/packet%s: %s %.1f ns (%.1f %%), %s %.1f ns (%.1f %%)\n%s</title>",
		       frame->name, frame->delta, frame->delta_half,
		       frame->class == COMPARE_SAME ? ", which chance explains" : change, f->names[0], frame->cost[0],
		       frame->share_pct[0], f->names[1], frame->cost[1], frame->share_pct[1], frame->component);
}

static const char *unit_of(const struct flame *f)
{
	return f->unit == FLAME_NS ? "ns" : "instructions";
}

static unsigned int height_px_of(const struct flame *f)
{
	return f->nframes ? (f->depth + 1) * FRAME_PX : 0;
}

/* One <svg>. alone: with its colours, for viewers that know no style sheets. */
static void put_svg(FILE *out, const struct flame *f, const char *label, bool alone)
{
	double whole = f->nframes ? f->frames[0].width : 0;

	markup(out,
	       "<svg class=\"flame\" width=\"100%%\" height=\"%u\" role=\"group\" aria-label=\"%s\" "
	       "data-names=\"%s%s%s\" data-unit=\"%s\" font-family=\"sans-serif\" font-size=\"12\">\n",
	       height_px_of(f), label, f->names[0], f->names[1] ? "|" : "", f->names[1] ? f->names[1] : "", unit_of(f));
	for (size_t i = 0; i < f->nframes; i++) /* a frame is never wider than its caller */
		if (f->frames[i].width > 0 && f->frames[i].width >= NARROWEST * whole) {
			const struct flame_frame *frame = &f->frames[i];
			const struct palette_colour *c = f->names[1] ? palette_of_change(frame->delta / frame->width)
								     : palette_of_component(frame->component);
			double width = 100 * frame->width / whole;

			markup(out, "<svg class=\"frame %s%s%s\" x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"",
			       c->class, f->names[1] && frame->class == COMPARE_SAME ? " chance" : "",
			       width < 2.2 ? " slim" : "", 100 * frame->x / whole,
			       (f->depth - 1 - frame->depth) * FRAME_PX, width, FRAME_PX);
			markup(out, " data-base=\"%.4g\"", frame->cost[0]);
			if (f->names[1])
				markup(out, " data-new=\"%.4g\"", frame->cost[1]);
			markup(out, ">");
			put_title(out, f, frame);
			if (alone)
				markup(out,
				       "<rect width=\"100%%\" height=\"%d\" fill=\"%s\"/><text x=\"4\" y=\"13\" "
				       "fill=\"%s\">",
				       FRAME_PX, c->fill, c->text);
			else
				markup(out, "<rect width=\"100%%\" height=\"%d\"/><text x=\"4\" y=\"13\">", FRAME_PX);
			markup(out, "%s</text></svg>\n", frame->name);
		}
	/*
	 * 1, 2 or 5 times a power of ten, so that at most TICKS of them fit into the whole. NaN, which ends the loop:
	 * the whole is infinite, or so small that nothing is between it and 0.
	 */
	double rough = whole / TICKS, power = pow(10, floor(log10(rough))), m = rough / power;
	double step = !(rough > 0) ? 1 : power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
	if (!isnormal(step))
		step = NAN;
	for (double at = 0; at < whole * 0.96; at += step)
		markup(out, "<text class=\"tick\" x=\"%.3f%%\" y=\"%u\" fill=\"#5b6570\">%.6g%s%s</text>",
		       100 * at / whole, f->depth * FRAME_PX + 13, at, at > 0 ? "" : " ", at > 0 ? "" : unit_of(f));
	markup(out, f->nframes ? "\n</svg>\n" : "</svg>\n");
}

/* ---- in a page --------------------------------------------------------------------------------------- */

void html_flame_figure(FILE *out, const struct flame *f)
{
	const char *per = f->unit == FLAME_NS ? "ns/packet" : "instructions/packet";
	char label[200 + RUN_ID_BYTES] = "differential flame graph; arrow keys walk, Enter zooms";

	if (!f->nframes)
		return;
	if (f->names[1]) {
		markup(out,
		       "<h3>Call paths of both, laid over each other</h3>\n<p class=\"how\">Width is the larger of the "
		       "two sides' own %s with that of the frames called, so that what %s does not have any more is "
		       "still to be seen. <span class=\"sw d0\"></span>gone <span class=\"sw d2\"></span>less <span "
		       "class=\"sw d4\"></span>as before <span class=\"sw d6\"></span>more <span class=\"sw "
		       "d8\"></span>new; pale where %s. The table of symbols has the same numbers.</p>\n",
		       per, f->names[1], f->unit == FLAME_NS ? "chance explains the change" : "nothing changed");
	} else {
		snprintf(label, sizeof(label), "flame graph of %s; arrow keys walk, Enter zooms", f->names[0]);
		markup(out,
		       "<h3>Call paths</h3>\n<p class=\"how\">Width is %s; all of it is %.1f %s. Colour is the "
		       "component that at least half of a frame belongs to. The table of symbols has the same "
		       "numbers.</p>\n",
		       per, f->frames[0].width, unit_of(f));
	}
	markup(out, "<figure class=\"flames\">");
	put_svg(out, f, label, false);
	markup(out, "<p class=\"detail\" aria-live=\"polite\"></p></figure>\n");
}

/* ---- alone ------------------------------------------------------------------------------------------- */

static void title_alone(const struct analysis_variant *v, char *title, size_t size)
{
	char interval[48];

	if (!v->nused)
		snprintf(title, size, "%s: no block with a base", v->variant->id);
	else
		snprintf(title, size, v->is_task ? "consumer of %s: %s ns/frame" : "%s: %s ns/packet", v->variant->id,
			 digits_interval(v->base_ns, v->half_ns, interval, sizeof(interval)));
}

/* One flame of a picture. */
struct piece {
	struct flame flame;
	char title[360 + 2 * RUN_ID_BYTES];
};

/* A picture of n flames, which it releases. err: what building them came to. */
static int render_flame_draw(FILE *out, struct piece *pieces, size_t n, const char *title, int err)
{
	unsigned int at_px = 20;
	double widest = 0;

	for (size_t i = 0; i < n; i++) {
		if (pieces[i].flame.nframes)
			widest = fmax(widest, pieces[i].flame.frames[0].width);
		at_px += ALONE_TITLE + height_px_of(&pieces[i].flame);
	}
	if (!err) {
		unsigned int height_px = at_px + 30;

		markup(out,
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\">\n"
		       "<title>%s</title>\n<style>",
		       ALONE_PX, height_px, ALONE_PX, height_px, title);
		fputs(html_page_css.text, out);
		markup(out,
		       "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\" class=\"paper\"/>\n"
		       "<g class=\"alone\" font-family=\"sans-serif\" font-size=\"12\">"
		       "<text class=\"line\" x=\"10\" y=\"18\">Point at a frame to read it, click to zoom.</text><text "
		       "class=\"hits\" x=\"10\" y=\"%u\"> </text>"
		       "<text class=\"act search\" x=\"1190\" y=\"18\" text-anchor=\"end\">search</text>"
		       "<text class=\"act reset\" x=\"1130\" y=\"18\" text-anchor=\"end\">whole graph</text></g>\n",
		       height_px - 8);
		at_px = 20;
		for (size_t i = 0; i < n; i++) {
			const struct flame *flame = &pieces[i].flame;
			unsigned int piece_px = height_px_of(flame);

			/* A ns, or an instruction, is as wide in each of the flames. */
			markup(out,
			       "<g class=\"alone\"><text x=\"10\" y=\"%u\" font-family=\"sans-serif\" "
			       "font-size=\"12\">%s</text></g>\n",
			       at_px + ALONE_TITLE - 12, pieces[i].title);
			markup(out, "<svg x=\"10\" y=\"%u\" width=\"%.1f\" height=\"%u\">", at_px + ALONE_TITLE,
			       flame->nframes ? (ALONE_PX - 20) * flame->frames[0].width / widest : 1, piece_px);
			put_svg(out, flame, pieces[i].title, true);
			markup(out, "</svg>\n");
			at_px += ALONE_TITLE + piece_px;
		}
		fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", html_page_js.text);
	}
	for (size_t i = 0; i < n; i++)
		flame_release(&pieces[i].flame);
	free(pieces);
	return err ? err : render_finish(out);
}

int format_svg(FILE *out, const struct document *d, const struct render_options *o)
{
	struct piece *pieces = calloc(2 * d->nsections, sizeof(*pieces)), *p = pieces;
	char title[sizeof(pieces->title)] = "ns/packet by call path";
	const struct exact_diff *e = d->exact_diff;
	size_t n = 0;
	int err = 0;

	(void)o;
	if (!pieces)
		return -ENOMEM;
	for (size_t i = 1; i < d->nsections && !err; i++) {
		const struct exact_variant *counted = d->sections[i].counted;

		for (const struct analysis_variant *v = d->sections[i].measured; v && !err; v = v->stage.task) {
			p = &pieces[n++];
			title_alone(v, p->title, sizeof(p->title));
			err = flame_build(&p->flame, v);
		}
		if (!counted)
			continue;
		p = &pieces[n++];
		snprintf(p->title, sizeof(p->title), "%s: %.3f instructions/packet", counted->id,
			 counted->total.instructions[EXACT_PACKET]);
		err = flame_build_exact(&p->flame, counted);
	}
	for (const struct compare *c = d->compare; c && !err; c = c->stage) {
		char base[160 + RUN_ID_BYTES], new[160 + RUN_ID_BYTES];

		p = &pieces[n++];
		title_alone(c->base, base, sizeof(base));
		title_alone(c->new, new, sizeof(new));
		snprintf(p->title, sizeof(p->title), "%s -> %s; blue: less, orange: more", base, new);
		err = flame_build_difference(&p->flame, c, d->sides);
	}
	if (e) {
		n = 1;
		snprintf(p->title, sizeof(p->title),
			 "%s: %.3f -> %s: %.3f instructions/packet; blue: less, orange: more", e->base->id,
			 e->base->total.instructions[EXACT_PACKET], e->new->id,
			 e->new->total.instructions[EXACT_PACKET]);
		err = flame_build_exact_difference(&p->flame, e, d->sides);
	}
	if (d->exact)
		snprintf(title, sizeof(title), "instructions/packet by call path");
	else if (!d->analysis)
		memcpy(title, pieces[0].title, sizeof(title));
	return render_flame_draw(out, pieces, n, title, err);
}
