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

/* Counters that matter first; among them losses and recycling first, then by name. */
static int by_weight(const void *pa, const void *pb)
{
	const struct compare_counter *a = pa, *b = pb;

	return b->matters - a->matters ?: !*a->meaning - !*b->meaning ?: ORDER(a->source, b->source)
				       ?: strcmp(a->name, b->name);
}

int compare_add_counters(struct compare *c)
{
	const struct analysis_variant *const sides[] = {c->base, c->new};
	bool one_driver = !strcmp(or_empty(c->base->of->run->facts.driver), or_empty(c->new->of->run->facts.driver));
	double absent[2]; /* for a counter that a side does not list: 0 if it was read, by the same driver */

	for (int k = 0; k < 2; k++)
		absent[k] = sides[k]->ncounters && one_driver ? 0 : NAN;
	c->counters = calloc(c->base->ncounters + c->new->ncounters + 1, sizeof(*c->counters));
	if (!c->counters)
		return -ENOMEM;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->ncounters; i++) {
			const struct analysis_counter *any = &sides[k]->counters[i];
			const struct analysis_counter *other = compare_counters_find(sides[!k], any);
			struct compare_counter *to = &c->counters[c->ncounters];

			if (k && other)
				continue;
			*to = (struct compare_counter){
				.source = any->source,
				.name = any->name,
				.meaning = any->meaning,
				.base = !k ? any->per_packet : absent[0],
				.new = k       ? any->per_packet
				       : other ? other->per_packet
					       : absent[1],
			};
			to->delta = to->new - to->base;
			to->matters =
				*to->meaning ||
				(isfinite(to->base) && isfinite(to->new)
					 ? fabs(to->delta) >= fmax(ALIKE_LEAST, ALIKE_SHARE * fmax(to->base, to->new))
					 : isfinite(to->base) || isfinite(to->new));
			c->ncounters++;
		}
	qsort(c->counters, c->ncounters, sizeof(*c->counters), by_weight);
	for (c->nmatter = 0; c->nmatter < c->ncounters && c->counters[c->nmatter].matters;)
		c->nmatter++;
	return 0;
}
