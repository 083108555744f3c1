// SPDX-License-Identifier: GPL-2.0-or-later
/* The charts of a sweep's page: small multiples, which the script draws from the data, in the colours of the legend. */
#include "reports/page/page.h"

static void variant_section(FILE *out, const struct sweep *s, size_t row, size_t axis)
{
	const char *names[SWEEP_COMPONENTS];
	const struct sweep_point *p = &s->rows[row].point;
	size_t n = sweep_components(s, s->rows[row].variant, names);
	/* a rate or a number of queues asks how busy the CPUs are; other parameters leave them saturated */
	bool busy = sweep_parameter(p, SWEEP_RATE) < p->n || sweep_parameter(p, "queues") < p->n;

	markup(out,
	       "<section class=\"pair\" id=\"variant-%zu\"><h2>%s</h2>\n<div data-chart=\"sweep\" "
	       "data-variant=\"%s\" data-axis=\"%s\"",
	       row, s->rows[row].variant, s->rows[row].variant, p->names[axis]);
	fputs(busy ? " data-busy=\"\">" : ">", out);
	fputs("<ul class=\"legend\">", out);
	for (size_t i = 0; i < n; i++)
		markup(out, "<li><span class=\"sw %s\"></span>%s</li>", palette_of_component(names[i])->class,
		       names[i]);
	markup(out, "</ul></div>\n</section>\n");
}

void html_sweep(FILE *out, const struct sweep *s)
{
	size_t axis = sweep_axis(s);

	markup(out,
	       "<p class=\"how\">Bars are over %s; the charts of a measure have one scale. Lines on bars are 95 %% "
	       "intervals. Each point is a run directory of its own.</p>\n",
	       s->rows[0].point.names[axis]);
	for (size_t i = 0; i < s->nrows; i++)
		if (sweep_is_first(s, i))
			variant_section(out, s, i, axis);
}
