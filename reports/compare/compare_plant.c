// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost that was planted in one of two variants, as the clock around the plant read it in the blocks compared, and
 * how far the difference is from it: the difference of what is left of both without what the clocks read. The rests are
 * alike, whatever was planted, so disturbances and places that are dear are trimmed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "reports/compare/compare_parts.h"

/* Without the speed of the pairs: what moves the rest, as memory does, may not move a plant. */
static int plant_difference(const struct compare_pairs *p, const struct analysis_variant *base,
			    const struct analysis_variant *new, struct stats_difference *out)
{
	double *ns = calloc(p->n + 1, sizeof(*ns));
	struct stats_mean m;
	bool heavy;
	int err;

	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		ns[i] = new->block_plant_ns[p->new_at[i]] - base->block_plant_ns[p->base_at[i]];
	m = stats_mean(ns, p->n);
	*out = (struct stats_difference){.delta = m.mean, .half = m.half};
	err = stats_heavy(ns, p->n, &heavy);
	if (!err && heavy)
		err = stats_trimmed(ns, p->n, out);
	free(ns);
	return err;
}

int compare_add_planted(struct compare *c)
{
	const struct analysis_variant *b = c->base, *n = c->new;
	struct stats_difference planted;
	struct compare_headline off;
	struct compare_pairs rest;
	int err;

	c->planted_ns = c->planted_half_ns = c->planted_off_ns = c->planted_off_half_ns = NAN;
	if (!b->block_plant_ns || !n->block_plant_ns)
		return 0;
	err = pairs_build(&rest, b, n, true);
	if (!err && rest.n)
		err = plant_difference(&rest, b, n, &planted);
	else if (!err)
		err = pairs_test(&rest, b->block_plant_ns, b->nused, n->block_plant_ns, n->nused, &planted);
	if (!err)
		err = compare_headline_of(&off, &rest, b, n);
	pairs_release(&rest);
	if (err)
		return err;
	c->planted_ns = planted.delta;
	c->planted_half_ns = planted.half;
	c->planted_off_ns = off.delta_ns;
	c->planted_off_half_ns = off.half_ns;
	return 0;
}
