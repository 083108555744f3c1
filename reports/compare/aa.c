// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

#include <gsl/gsl_cdf.h>

int aa_count(struct aa *aa, const struct run *r, const char *dir, struct components *f, struct diag *d)
{
	const struct analysis_options plain = {.placement = PLACEMENT_AUTO};
	struct compare_overall h;
	struct analysis a;
	struct run part = *r;
	int last = -1, err = 0;

	*aa = (struct aa){0, 0};
	if (r->nvariants < 2)
		return diag_set(d, -EINVAL, "a comparison needs two variants");
	part.blocks = calloc(r->nblocks + 1, sizeof(*part.blocks));
	if (!part.blocks)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < r->nblocks; i++)
		last = r->blocks[i].round > last ? r->blocks[i].round : last;
	for (int from = 0; from + AA_ROUNDS - 1 <= last && !err; from += AA_ROUNDS) {
		part.nblocks = 0; /* those of the rounds from .. from + AA_ROUNDS - 1 */
		for (size_t i = 0; i < r->nblocks; i++)
			if (r->blocks[i].round >= from && r->blocks[i].round < from + AA_ROUNDS)
				part.blocks[part.nblocks++] = r->blocks[i];
		err = analysis_build(&a, &part, dir, f, &plain, d);
		if (err)
			break;
		err = compare_bases(&h, &a.variants[0], &a.variants[1]);
		if (!err && isfinite(h.half_ns)) {
			aa->comparisons++;
			aa->misses += fabs(h.delta_ns) > h.half_ns;
		}
		analysis_release(&a);
		if (err)
			diag_set(d, err, "out of memory");
	}
	free(part.blocks);
	return err;
}

size_t aa_misses_by_chance(size_t n)
{
	unsigned int k = 0;

	while (k < n && gsl_cdf_binomial_Q(k, 0.05, (unsigned int)n) > 0.01)
		k++;
	return k;
}
