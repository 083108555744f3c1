// SPDX-License-Identifier: GPL-2.0-or-later
/* The second stage of a variant, and of two variants, on a page: by the samples of its task alone. */
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/rows/diff_rows.h"
#include "base/sheet/digits.h"

int html_stage_flame(FILE *out, const struct analysis_variant *v)
{
	struct flame f = {};
	int err = v->stage.task ? flame_build(&f, v->stage.task) : 0;

	if (!err)
		html_flame_figure(out, &f);
	flame_release(&f);
	return err;
}

static int tables(FILE *out, const struct compare *c)
{
	struct flame f = {};
	struct html_names names;
	struct rows r;
	int err;

	html_short_sides(c, &names.base, &names.new);
	err = diff_rows(&r, c, names.base, names.new);
	if (!err)
		err = html_waterfall(out, c);
	if (!err && c->nsymbols) {
		err = html_changes_table(out, &r, &names);
		if (!err)
			err = flame_build_difference(&f, c);
	}
	if (!err)
		html_flame_difference_figure(out, &f);
	flame_release(&f);
	rows_release(&r);
	return err;
}

int html_stage_difference(FILE *out, const struct compare *c)
{
	const struct compare *stage = c->stage;
	char delta[64], base[64], new[64];

	if (!stage)
		return 0;
	markup(out,
	       "<h3>The second stage</h3>\n<p class=\"how\">What happens to a frame behind the program, on another "
	       "CPU: "
	       "%s%s ns per frame, from %s to %s. It is no part of the difference above.</p>\n",
	       stage->headline.delta_ns > 0 ? "+" : "",
	       digits_interval(stage->headline.delta_ns, stage->headline.half_ns, delta, sizeof(delta)),
	       digits_interval(stage->headline.base_ns, stage->base->half_ns, base, sizeof(base)),
	       digits_interval(stage->headline.new_ns, stage->new->half_ns, new, sizeof(new)));
	return tables(out, stage);
}
