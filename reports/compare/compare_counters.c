// SPDX-License-Identifier: GPL-2.0-or-later
/* The device's counters, both sides; compare.h has the contract. */
#include "reports/compare/compare.h"

#define ALIKE_SHARE 0.01   /* of the larger side */
#define ALIKE_LEAST 0.0005 /* per packet; three decimals do not show a smaller difference */

static const struct analysis_counter *compare_counters_find(const struct analysis_variant *v,
							    const struct analysis_counter *like)
{
	for (size_t i = 0; i < v->ncounters; i++)
		if (v->counters[i].source == like->source && !strcmp(v->counters[i].name, like->name))
			return &v->counters[i];
	return NULL;
}

/* The value for a counter that v does not list: 0 if both sides have the same driver and v's counters were read. */
static double absent(const struct compare *c, const struct analysis_variant *v)
{
	return v->ncounters && !strcmp(or_empty(c->base->of->run->facts.driver),
				       or_empty(c->new->of->run->facts.driver))
		       ? 0
		       : NAN;
}

static void add_counter(struct compare *c, const struct analysis_counter *base, const struct analysis_counter *new)
{
	const struct analysis_counter *any = base ? base : new;
	struct compare_counter *to = &c->counters[c->ncounters++];

	*to = (struct compare_counter){
		.source = any->source,
		.name = any->name,
		.meaning = any->meaning,
		.base = base ? base->per_packet : absent(c, c->base),
		.new = new ? new->per_packet : absent(c, c->new),
	};
	to->delta = to->new - to->base;
	to->matters =
		*to->meaning || (isfinite(to->base) && isfinite(to->new)
					 ? fabs(to->delta) >= fmax(ALIKE_LEAST, ALIKE_SHARE * fmax(to->base, to->new))
					 : isfinite(to->base) || isfinite(to->new));
}

/* Counters that matter first; among them losses and recycling first, then by name. */
static int by_weight(const void *pa, const void *pb)
{
	const struct compare_counter *a = pa, *b = pb;

	return b->matters - a->matters ?: !*a->meaning - !*b->meaning ?: ORDER(a->source, b->source)
				       ?: strcmp(a->name, b->name);
}

int compare_add_counters(struct compare *c)
{
	c->counters = calloc(c->base->ncounters + c->new->ncounters + 1, sizeof(*c->counters));
	if (!c->counters)
		return -ENOMEM;
	for (size_t i = 0; i < c->base->ncounters; i++)
		add_counter(c, &c->base->counters[i], compare_counters_find(c->new, &c->base->counters[i]));
	for (size_t i = 0; i < c->new->ncounters; i++)
		if (!compare_counters_find(c->base, &c->new->counters[i]))
			add_counter(c, NULL, &c->new->counters[i]);
	qsort(c->counters, c->ncounters, sizeof(*c->counters), by_weight);
	for (c->nmatter = 0; c->nmatter < c->ncounters && c->counters[c->nmatter].matters;)
		c->nmatter++;
	return 0;
}
