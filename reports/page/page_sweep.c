// SPDX-License-Identifier: GPL-2.0-or-later
/* The charts of a sweep's page: small multiples, which the script draws from the data, in the colours of the legend. */
#include "reports/page/page.h"

void html_sweep(FILE *out, const struct sweep *s)
{
	size_t axis = sweep_axis(s);

	markup(out,
	       "<p class=\"how\">Bars are over %s; the charts of a measure have one scale. Lines on bars are 95 %% "
	       "intervals. Each point is a run directory of its own.</p>\n",
	       s->rows[0].point.names[axis]);
	for (size_t i = 0; i < s->nrows; i++) {
		const struct sweep_point *p = &s->rows[i].point;
		const char *names[SWEEP_COMPONENTS], *variant = s->rows[i].variant;

		if (!sweep_is_first(s, i))
			continue;
		markup(out,
		       "<section class=\"pair\" id=\"variant-%zu\"><h2>%s</h2>\n<div data-chart=\"sweep\" "
		       "data-variant=\"%s\" data-axis=\"%s\"",
		       i, variant, variant, p->names[axis]);
		/* a rate or a number of queues asks how busy the CPUs are; other parameters leave them saturated */
		bool busy = sweep_parameter(p, SWEEP_RATE) < p->n || sweep_parameter(p, "queues") < p->n;
		fputs(busy ? " data-busy=\"\">" : ">", out);
		fputs("<ul class=\"legend\">", out);
		for (size_t k = 0, n = sweep_components(s, variant, names); k < n; k++)
			markup(out, "<li><span class=\"sw %s\"></span>%s</li>", palette_of_component(names[k])->class,
			       names[k]);
		markup(out, "</ul></div>\n</section>\n");
	}
}
