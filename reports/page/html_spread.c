// SPDX-License-Identifier: GPL-2.0-or-later
/* A histogram of what a packet cost in the single turns or windows of a variant. */
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"

#define SPREAD_PX 90

void html_spread(FILE *out, const struct analysis_variant *v, enum html_side side)
{
	const struct analysis_turns *t = &v->turns;
	double from = t->ns[0], to = t->ns[ANALYSIS_TURN_QUANTILES - 1], width = 100.0 / ANALYSIS_TURN_BINS;
	const char *what = t->windows ? "windows" : "turns";
	size_t most = 0;

	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		most = t->bins[i] > most ? t->bins[i] : most;
	if (!most)
		return;
	markup(out,
	       "<figure><figcaption><span class=\"key-%s\">%s</span><br>ns per packet in %zu single %s: half of them "
	       "from %.1f to %.1f, the dearest %.1f</figcaption>\n"
	       "<svg class=\"chart\" height=\"%d\" role=\"img\" aria-label=\"histogram of the cost of a packet in "
	       "single %s of %s, from %.1f to %.1f ns\">\n",
	       html_side_class(side), v->variant->id, t->n, what, t->ns[1], t->ns[3], t->longest_ns, SPREAD_PX + 20,
	       what, v->variant->id, from, to);
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++) {
		double height = SPREAD_PX * (double)t->bins[i] / (double)most;

		if (t->bins[i])
			markup(out,
			       "<rect class=\"bin %s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.1f\" height=\"%.1f\">"
			       "<title>from %.1f ns: %zu %s</title></rect>\n",
			       html_side_class(side), width * (double)i, 0.9 * width, SPREAD_PX - height, height,
			       from + (to - from) * (double)i / ANALYSIS_TURN_BINS, t->bins[i], what);
	}
	markup(out,
	       "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/><text y=\"%d\">%.1f ns</text>"
	       "<text x=\"94%%\" y=\"%d\">%.1f ns</text></svg></figure>\n",
	       SPREAD_PX, SPREAD_PX, SPREAD_PX + 14, from, SPREAD_PX + 14, to);
}
