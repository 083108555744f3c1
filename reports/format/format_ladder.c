// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The variants of a run as a ladder: what each costs, and the step up from the one before it, with the components that
 * the step consists of. The main steps add up to the difference between the last variant and the first.
 */
#include "reports/format/format.h"

int format_ladder(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct text t = {.out = out, .colour = o->colour, .columns = TEXT_COLUMNS};
	const struct analysis_variant *first = NULL, *last = NULL;
	char line[2 * RUN_ID_BYTES + 100], number[48];
	struct matches steps;
	struct compare c;
	struct rows r;
	int err = matches_build(&steps, d, MATCHES_LAYERS);

	if (!err) {
		err = ladder_rows(&r, d, &steps);
		text_rows(&t, &r, 0, NULL);
		rows_release(&r);
	}
	for (size_t i = 1; i < d->nsections; i++)
		if (!run_layer_is_aside(d->sections[i].measured->variant)) {
			first = d->sections[1].measured;
			last = d->sections[i].measured;
		}
	if (!err && first != last && first->nused && last->nused) {
		err = compare_build(&c, first, last, NULL, NULL);
		if (!err) {
			snprintf(line, sizeof(line), "%s costs %s ns more than %s.", last->variant->id,
				 digits_interval(c.overall.delta_ns, c.overall.half_ns, number, sizeof(number)),
				 first->variant->id);
			fputc('\n', out);
			text_wrap(&t, 0, 0, line);
			compare_release(&c);
		}
	}
	matches_release(&steps);
	return err ? err : render_finish(t.out);
}
