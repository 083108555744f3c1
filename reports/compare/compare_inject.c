// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost that was injected in one of two variants, as the clock around the injected cost read it in the blocks
 * compared, and how far the difference is from it: the difference of what is left of both without what the clocks read.
 * The rests are alike, whatever was injected, so disturbances and places that are dear are trimmed.
 */
#include "reports/compare/compare.h"

static bool both_know(const struct analysis_block *base, const struct analysis_block *new, size_t group)
{
	return !isnan(base->group_ns[group]) && !isnan(new->group_ns[group]) && base->group_injected_ns[group] > 0;
}

/*
 * What was injected in the very pairs that are compared. From round to round an injection takes more or less, by the
 * place of its program in memory. That is no error here: the clock read what it took. So the error is that of a round's
 * mean, by how far its halves are apart. Heavy tails are trimmed, as those of the difference are. NaN: blocks, not
 * turns.
 */
static int injected_in(const struct compare_pairs *p, const struct analysis_variant *base,
		       const struct analysis_variant *new, struct stats_difference *out)
{
	double *mean = calloc(p->n + 1, sizeof(*mean)), *apart = calloc(p->n + 1, sizeof(*apart));
	bool *keep = calloc(p->n + 1, sizeof(*keep)), heavy = false;
	double ns[2], n = 0, sum = 0, squares = 0;
	int err = mean && apart && keep ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->n && !err; i++) {
		/*
		 * How much more new's clock read than base's, in the mean over both halves of a pair's turns; NaN: not
		 * known.
		 */
		const struct analysis_block *was = base->used[p->base_at[i]], *is = new->used[p->new_at[i]];
		size_t most = was->ngroups < is->ngroups ? was->ngroups : is->ngroups, groups = 0, at = 0, first;
		for (size_t k = 0; k < most; k++)
			groups += both_know(was, is, k);
		first = groups / 2;
		ns[0] = ns[1] = 0;
		for (size_t k = 0; k < most; k++)
			if (both_know(was, is, k))
				ns[at++ >= first] += is->group_injected_ns[k] - was->group_injected_ns[k];
		ns[0] /= (double)first;
		ns[1] /= (double)(groups - first);
		mean[i] = (ns[0] + ns[1]) / 2;
		apart[i] = (ns[0] - ns[1]) / 2;
		sum += mean[i];
		keep[i] = true;
	}
	if (!err && !isnan(sum))
		err = stats_heavy(mean, p->n, &heavy);
	if (!err && heavy)
		err = stats_trim(mean, p->n, keep);
	sum = 0;
	for (size_t i = 0; i < p->n && !err; i++)
		if (keep[i]) {
			n++;
			sum += mean[i];
			squares += apart[i] * apart[i];
		}
	*out = stats_test((struct stats_difference){.delta = sum / n, .se = sqrt(squares) / n, .df = n});
	free(mean);
	free(apart);
	free(keep);
	return err;
}

int compare_add_injected(struct compare *c)
{
	const struct analysis_variant *b = c->base, *n = c->new;
	struct stats_difference injected;
	struct compare_overall off;
	struct compare_pairs rest;
	int err;

	c->injected_ns = c->injected_half_ns = c->injected_off_ns = c->injected_off_half_ns = NAN;
	if (!b->block_injected_ns || !n->block_injected_ns)
		return 0;
	err = pairs_build(&rest, b, n, true);
	if (!err)
		err = injected_in(&rest, b, n, &injected);
	if (!err && isnan(injected.delta))
		err = pairs_test(&rest, b->block_injected_ns, b->nused, n->block_injected_ns, n->nused, &injected);
	if (!err)
		err = compare_overall_of(&off, &rest, b, n);
	pairs_release(&rest);
	if (err)
		return err;
	c->injected_ns = injected.delta;
	c->injected_half_ns = injected.half;
	c->injected_off_ns = off.delta_ns;
	c->injected_off_half_ns = off.half_ns;
	return 0;
}
