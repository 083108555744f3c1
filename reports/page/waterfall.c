// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/waterfall.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_step(struct waterfall *w, struct waterfall_step step)
{
	w->top_ns = fmax(w->top_ns, fmax(step.from_ns, step.to_ns));
	w->steps[w->nsteps++] = step;
}

/* Returns the end of the step. */
static double add_change(struct waterfall *w, enum waterfall_kind kind, const char *name, double from_ns,
			 double delta_ns, const struct compare_row *row)
{
	add_step(w, (struct waterfall_step){kind, name, from_ns, from_ns + delta_ns, delta_ns, row});
	return from_ns + delta_ns;
}

static double add_facilities(struct waterfall *w, const struct compare *c, double at_ns, bool less)
{
	for (size_t i = 0; i < c->nfacilities; i++) {
		const struct compare_row *row = &c->facilities[i];

		if ((row->delta_ns < 0) == less)
			at_ns = add_change(w, WATERFALL_FACILITY, row->name, at_ns, row->delta_ns, row);
	}
	return at_ns;
}

int waterfall_build(struct waterfall *w, const struct compare *c)
{
	double at_ns = c->headline.base_ns, new_ns = c->headline.new_ns;

	memset(w, 0, sizeof(*w));
	w->steps = calloc(c->nfacilities + 4, sizeof(*w->steps));
	if (!w->steps)
		return -ENOMEM;
	add_step(w, (struct waterfall_step){WATERFALL_BASE, c->base->variant->id, 0, at_ns, at_ns, NULL});
	at_ns = add_facilities(w, c, at_ns, true);
	at_ns = add_facilities(w, c, at_ns, false);
	add_change(w, WATERFALL_UNATTRIBUTED, "unattributed", at_ns, c->unattributed_delta_ns, NULL);
	add_step(w, (struct waterfall_step){WATERFALL_NEW, c->new->variant->id, 0, new_ns, new_ns, NULL});
	return 0;
}

void waterfall_release(struct waterfall *w)
{
	free(w->steps);
	memset(w, 0, sizeof(*w));
}
