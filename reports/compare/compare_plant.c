// SPDX-License-Identifier: GPL-2.0-or-later
/* The cost that was planted in one of two variants, as the clock around the plant read it in the blocks compared. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "reports/compare/compare_parts.h"

/* What is left of each block's base, as the pairs have it, without the time that the clock read. */
static void rest_of_base(const double *base_ns, const struct analysis_variant *v, double *ns)
{
	for (size_t i = 0; i < v->nused; i++)
		ns[i] = base_ns[i] - v->block_plant_ns[i];
}

int compare_add_planted(struct compare *c)
{
	const struct analysis_variant *b = c->base, *n = c->new;
	struct stats_difference planted, off;
	double *rest;
	int err;

	c->planted_ns = c->planted_half_ns = c->planted_off_ns = c->planted_off_half_ns = NAN;
	if (!b->block_plant_ns || !n->block_plant_ns)
		return 0;
	rest = calloc(b->nused + n->nused, sizeof(*rest));
	if (!rest)
		return -ENOMEM;
	rest_of_base(c->pairs.base_ns, b, rest);
	rest_of_base(c->pairs.new_ns, n, rest + b->nused);
	err = pairs_test(&c->pairs, b->block_plant_ns, b->nused, n->block_plant_ns, n->nused, &planted);
	if (!err)
		err = pairs_test(&c->pairs, rest, b->nused, rest + b->nused, n->nused, &off);
	free(rest);
	if (err)
		return err;
	c->planted_ns = planted.delta;
	c->planted_half_ns = planted.half;
	c->planted_off_ns = off.delta;
	c->planted_off_half_ns = off.half;
	return 0;
}
