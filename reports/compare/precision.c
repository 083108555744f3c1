// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

static void widen(struct precision *p, double half_ns, double base_ns, const char *base, const char *new)
{
	double pct = 100 * half_ns / base_ns;

	if (!isfinite(pct))
		pct = INFINITY;
	if (pct > p->widest_pct)
		*p = (struct precision){pct, base, new};
}

int precision_widest(struct precision *p, const struct analysis *a)
{
	const struct analysis_variant *first = a->variants;
	struct compare_overall h;

	*p = (struct precision){.widest_pct = 0};
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];

		widen(p, v->nused < PRECISION_BLOCKS ? INFINITY : v->half_ns, v->base_ns, NULL, v->variant->id);
		if (i == 0)
			continue;
		if (compare_bases(&h, first, v))
			return -ENOMEM;
		widen(p, h.half_ns, fmax(first->base_ns, v->base_ns), first->variant->id, v->variant->id);
	}
	return 0;
}
