// SPDX-License-Identifier: GPL-2.0-or-later
/* Which blocks of two variants are compared with each other, and the tests of what they say. */
#include "reports/compare/compare.h"

/* How many blocks of the same variant and round come before this one. */
static size_t turn_in_round(const struct analysis_variant *v, const struct analysis_block *b)
{
	size_t turn = 0;

	for (const struct analysis_block *before = v->blocks; before < b; before++)
		turn += before->block->round == b->block->round;
	return turn;
}

/*
 * Takes out of one value for each pair what places in memory differ by. Only of variants that cost about the same: of
 * others nothing cancels, and there are more rounds than rotations. What is left beside injections keeps its rounds: a
 * place that is dear is rare, and is trimmed. Returns the lost degrees of freedom.
 */
static double rotate(const struct compare_pairs *p, double *x)
{
	return p->like && !p->rest ? stats_rotate(x, p->rotation, p->n) : 0;
}

#define GROUPS_ENOUGH 10 /* of turns in a round, for a trimmed ratio */
#define RATIO_STEPS   5  /* from the ratio of the sums; the last ones change nothing that counts */

/* NaN: not known, where the clock was read of whole windows alone. */
static double group_value(const struct compare_pairs *p, const struct analysis_block *b, size_t i)
{
	if (!p->rest)
		return b->group_ns[i];
	return b->group_injected_ns[i] > 0 ? b->group_ns[i] - b->group_injected_ns[i] : NAN;
}

/* Adjusts variants that cost about the same: compare.h explains why and how. */
static int like_bases(struct compare_pairs *p, const struct analysis_variant *base, const struct analysis_variant *new)
{
	int err = 0;

	for (size_t i = 0; i < p->n && p->like && !err; i++) {
		double *x = &p->base_ns[p->base_at[i]], *y = &p->new_ns[p->new_at[i]], sum = *x + *y, ratio = NAN;

		/*
		 * The trimmed ratio over the groups of turns that both blocks have at the reference speed; NaN: too
		 * few groups.
		 */
		const struct analysis_block *was = base->used[p->base_at[i]], *is = new->used[p->new_at[i]];
		size_t most = was->ngroups < is->ngroups ? was->ngroups : is->ngroups, n = 0;
		double *a = calloc(3 * most + 1, sizeof(*a)), *b = a + most, *off = b + most;
		bool *keep = calloc(most + 1, sizeof(*keep));
		err = a && keep ? 0 : -ENOMEM;
		for (size_t k = 0; k < most && !err; k++) {
			a[n] = group_value(p, was, k);
			b[n] = group_value(p, is, k);
			keep[k] = true;
			n += !isnan(a[n]) && !isnan(b[n]);
		}
		for (int step = 0; step < RATIO_STEPS && n >= GROUPS_ENOUGH && !err; step++) {
			double sum_a = 0, sum_b = 0;

			for (size_t k = 0; k < n; k++) {
				sum_a += keep[k] ? a[k] : 0;
				sum_b += keep[k] ? b[k] : 0;
			}
			ratio = sum_b / sum_a;
			for (size_t k = 0; k < n; k++)
				off[k] = b[k] - ratio * a[k];
			err = stats_trim(off, n, keep);
		}
		free(a);
		free(keep);

		if (err || isnan(ratio))
			continue;
		*x = sum / (1 + ratio);
		*y = sum - *x;
	}
	return err;
}

static void pairs_means(const struct compare_pairs *p, double mean_ns[2])
{
	mean_ns[0] = mean_ns[1] = 0;
	for (size_t i = 0; i < p->n; i++) {
		mean_ns[0] += p->base_ns[p->base_at[i]] / (double)p->n;
		mean_ns[1] += p->new_ns[p->new_at[i]] / (double)p->n;
	}
}

/* The part of the machine in the pairs' differences: compare.h has the formulas. */
static int share_speed(struct compare_pairs *p, const struct analysis_variant *base, const struct analysis_variant *new)
{
	double mean_ns[2], squares = 0, more = 0;
	int err;

	p->shared = p->n && base->takes_turns && new->takes_turns;
	pairs_means(p, mean_ns);
	p->like = p->shared && fabs(log(mean_ns[1] / mean_ns[0])) <= log(COMPARE_LIKE);
	for (size_t i = 0; i < p->n; i++) {
		double left = p->base_ns[p->base_at[i]] / mean_ns[0], right = p->new_ns[p->new_at[i]] / mean_ns[1];

		p->speed[i] = p->shared ? (left + right) / 2 : 1;
		p->delta_ns[i] = right - left;
		squares += (right - left) * (right - left);
		more += (right - 1) * (right - 1) - (left - 1) * (left - 1);
	}
	p->unlike = squares > 0 ? fmax(-1, fmin(1, more / squares)) : 0;
	squares = 0;
	rotate(p, p->delta_ns);
	for (size_t i = 0; i < p->n; i++)
		squares += p->delta_ns[i] * p->delta_ns[i];
	p->noise = squares / (double)(p->n - 1) / 4;
	p->error = base->of->speed.known ? base->of->speed.error : 0;
	err = like_bases(p, base, new);
	pairs_means(p, mean_ns);
	for (size_t i = 0; i < p->n; i++)
		p->delta_ns[i] = p->new_ns[p->new_at[i]] - p->base_ns[p->base_at[i]] -
				 (mean_ns[1] - mean_ns[0]) * (p->speed[i] - 1);
	p->lost = rotate(p, p->delta_ns);
	return err;
}

/* The cost of each block, or what is left of it without the time that the clock around the injected cost read. */
static double *block_values(const struct analysis_variant *v, double at, bool rest)
{
	double *ns = calloc(v->nused + 1, sizeof(*ns));

	for (size_t i = 0; ns && i < v->nused; i++)
		ns[i] = (v->block_base_ns[i] - (rest ? v->block_injected_ns[i] : 0)) * at;
	return ns;
}

int pairs_build(struct compare_pairs *p, const struct analysis_variant *base, const struct analysis_variant *new,
		bool rest)
{
	size_t fewer = base->nused < new->nused ? base->nused : new->nused, partner;
	int err;

	*p = (struct compare_pairs){
		.rest = rest,
		.reference = between_find_reference(base, new),
		.base_at = calloc(base->nused + 1, sizeof(size_t)),
		.new_at = calloc(base->nused + 1, sizeof(size_t)),
		.rotation = calloc(base->nused + 1, sizeof(size_t)),
		.kept = calloc(base->nused + 1, sizeof(bool)),
		.delta_ns = calloc(base->nused + 1, sizeof(double)),
		.speed = calloc(base->nused + 1, sizeof(double)),
	};
	p->base_ns = block_values(base, p->reference.at[0], rest);
	p->new_ns = block_values(new, p->reference.at[1], rest);
	if (!p->base_at || !p->new_at || !p->rotation || !p->kept || !p->base_ns || !p->new_ns || !p->delta_ns ||
	    !p->speed) {
		pairs_release(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < base->nused && base->of->run == new->of->run; i++) {
		/* The block that was recorded together with this one, in the same placement. */
		const struct analysis_block *b = base->used[i];
		size_t place = placement_of(&base->of->placement, b->block);
		size_t turn = turn_in_round(base, b);

		for (partner = 0; partner < new->nused; partner++)
			if (new->used[partner]->block->round == b->block->round &&
			    placement_of(&base->of->placement, new->used[partner]->block) ==
				    place &&turn_in_round(new, new->used[partner]) == turn)
				break;
		if (partner == new->nused)
			continue;
		p->base_at[p->n] = i;
		p->rotation[p->n] = (size_t)b->block->round / base->of->run->nvariants;
		p->new_at[p->n++] = partner;
	}
	if (p->n < 2 || 4 * p->n < 3 * fewer) /* too many blocks would be lost */
		p->n = 0;
	err = share_speed(p, base, new);
	/* Heavy tails lose the fifth of the pairs at each end; else all are kept. */
	if (err)
		return err;
	bool heavy;
	err = stats_heavy(p->delta_ns, p->n, &heavy);
	for (size_t i = 0; i < p->n; i++)
		p->kept[i] = true;
	if (!err && heavy)
		err = stats_trim(p->delta_ns, p->n, p->kept);
	p->nkept = 0;
	for (size_t i = 0; i < p->n; i++)
		p->nkept += p->kept[i];
	return err;
}

void pairs_release(struct compare_pairs *p)
{
	free(p->base_at);
	free(p->new_at);
	free(p->rotation);
	free(p->kept);
	free(p->base_ns);
	free(p->new_ns);
	free(p->delta_ns);
	free(p->speed);
	memset(p, 0, sizeof(*p));
}

/* out[]: the kept values, each as it would be at the mean speed. Returns how many. */
static size_t at_one_speed(const size_t *at, const struct compare_pairs *p, const double *values, double *out)
{
	double mean = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		mean += values[at[i]] / (double)p->n;
	for (size_t i = 0; i < p->n; i++)
		if (p->kept[i])
			out[n++] = values[at[i]] - mean * (p->speed[i] - 1);
	return n;
}

double pairs_mean(const size_t *at, const struct compare_pairs *p, const double *values, size_t n)
{
	double mean = 0, sum = 0;

	if (!p->n)
		return stats_mean(values, n).mean;
	for (size_t i = 0; i < p->n; i++)
		mean += values[at[i]] / (double)p->n;
	for (size_t i = 0; i < p->n; i++)
		sum += p->kept[i] ? values[at[i]] - mean * (p->speed[i] - 1) : 0;
	return sum / (double)p->nkept;
}

/* Adds the error of the mean speed, which is in all numbers of the pairs; both: what it has in common with theirs. */
static struct stats_difference add_level(struct stats_difference d, const struct compare_pairs *p, double both)
{
	if (!p->shared)
		return d;
	d.se = sqrt(d.se * d.se + p->noise / (double)p->nkept * (d.delta * d.delta + both) +
		    p->error * p->error * d.delta * d.delta);
	return stats_test(d);
}

/*
 * b[] is a row's difference in each of n kept pairs, h[] the overall's, which has the error overall_se. Pairs were
 * chosen by h, so the scatter of h among them is too small. The part of b that follows h has the overall's own error.
 */
static struct stats_difference test_kept(const double *b, const double *h, size_t n, double overall_se)
{
	struct stats_mean mb = stats_mean(b, n), mh = stats_mean(h, n);
	struct stats_difference d = {.delta = mb.mean, .se = NAN, .df = (double)n - 1};
	double hh = 0, hb = 0, rest = 0, slope;

	for (size_t i = 0; i < n; i++) {
		hh += (h[i] - mh.mean) * (h[i] - mh.mean);
		hb += (h[i] - mh.mean) * (b[i] - mb.mean);
	}
	slope = hh > 0 ? hb / hh : 0;
	for (size_t i = 0; i < n; i++) {
		double off = b[i] - mb.mean - slope * (h[i] - mh.mean);

		rest += off * off;
	}
	if (n > 2)
		d.se = hypot(slope * overall_se, sqrt(rest / (double)(n - 2) / (double)n));
	return stats_test(d);
}

/* Without the error of the mean speed. */
static int test_at_one_speed(const struct compare_pairs *p, const double *base, size_t nbase, const double *new,
			     size_t nnew, struct stats_difference *out)
{
	double *a = calloc(3 * p->n + 1, sizeof(*a)), *b, *h;
	struct stats_difference overall = {.se = NAN};
	size_t n = 0;
	int err = 0;

	if (!a)
		return -ENOMEM;
	b = a + p->n;
	h = b + p->n;
	at_one_speed(p->base_at, p, base, a);
	at_one_speed(p->new_at, p, new, b);
	for (size_t i = 0; i < p->n; i++)
		if (p->kept[i])
			h[n++] = p->delta_ns[i];
	if (!p->n) {
		double level_ns = (stats_mean(base, nbase).mean + stats_mean(new, nnew).mean) / 2;

		*out = stats_welch(base, nbase, new, nnew);
		if (p->reference.known) {
			out->se = hypot(out->se, p->reference.error * level_ns);
			*out = stats_test(*out);
		}
		free(a);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		b[i] -= a[i];
		a[i] = 0;
	}
	if (p->nkept < p->n) {
		err = stats_trimmed(p->delta_ns, p->n, &overall);
		*out = test_kept(b, h, n, overall.se);
	} else {
		*out = stats_paired(a, b, n);
	}
	free(a);
	return err;
}

int pairs_test(const struct compare_pairs *p, const double *base, size_t nbase, const double *new, size_t nnew,
	       struct stats_difference *out)
{
	int err = test_at_one_speed(p, base, nbase, new, nnew, out);

	*out = add_level(*out, p, 0);
	return err;
}

/* d: from the pairs at one speed, without the error of that speed. */
static int at_shared_speed(struct compare_overall *h, const struct compare_pairs *p, struct stats_difference *d,
			   const struct analysis_variant *base, const struct analysis_variant *new)
{
	double middle_ns = (h->base_ns + h->new_ns) / 2, both = 4 * middle_ns * d->delta * p->unlike;

	h->speed_shared = p->shared;
	h->ratio = h->ratio_half = h->all_ns = h->all_half_ns = NAN;
	if (!p->shared)
		return 0;
	h->ratio = h->new_ns / h->base_ns;
	h->ratio_half = h->ratio * d->half / middle_ns;
	if (p->like || h->trimmed) /* d's error is then not of the values that the speed's error is of */
		both = fmax(0, both);
	*d = add_level(*d, p, both);
	/* Over all rounds that both sides were in, with the turns and blocks that are set aside. */
	double *all_ns = calloc(base->nblocks + 1, sizeof(*all_ns));
	struct stats_mean m;
	size_t n = 0;

	if (!all_ns)
		return -ENOMEM;
	for (size_t i = 0; i < base->nblocks; i++)
		for (size_t k = 0; k < new->nblocks; k++)
			if (new->blocks[k].block->round == base->blocks[i].block->round) {
				all_ns[n] = new->blocks[k].all_ns - base->blocks[i].all_ns;
				n += !isnan(all_ns[n]);
				break;
			}
	m = stats_mean(all_ns, n);
	h->all_ns = m.mean;
	h->all_half_ns = m.half;
	free(all_ns);

	return 0;
}

int compare_overall_of(struct compare_overall *h, const struct compare_pairs *p, const struct analysis_variant *base,
		       const struct analysis_variant *new)
{
	struct stats_difference d;
	struct stats_mean all = stats_mean(p->delta_ns, p->n);
	int err = 0;

	*h = (struct compare_overall){.paired = p->n, .npairs = p->n, .nkept = p->nkept, .trimmed = p->nkept < p->n};
	h->reference = p->reference;
	h->base_ns = pairs_mean(p->base_at, p, p->base_ns, base->nused);
	h->new_ns = pairs_mean(p->new_at, p, p->new_ns, new->nused);
	if (h->trimmed) {
		err = stats_trimmed(p->delta_ns, p->n, &d);
		d.delta = h->new_ns - h->base_ns;
	} else if (p->n) {
		d = (struct stats_difference){
			.delta = all.mean, .se = all.sd / sqrt((double)p->n), .df = (double)p->n - 1};
	} else {
		err = test_at_one_speed(p, p->base_ns, base->nused, p->new_ns, new->nused, &d);
	}
	if (p->n) { /* rotations count instead of pairs, of which the same part was kept */
		d.df = (d.df + 1) * (1 - p->lost / (double)p->n) - 1;
		d = stats_test(d);
	}
	if (!err)
		err = at_shared_speed(h, p, &d, base, new);
	if (err)
		return err;
	h->delta_ns = d.delta;
	h->half_ns = d.half;
	h->se_ns = d.se;
	h->df = d.df;
	h->ci95_ns[0] = d.delta - d.half;
	h->ci95_ns[1] = d.delta + d.half;
	h->p = d.p;
	h->mean_ns = h->trimmed ? all.mean : NAN;
	h->mean_half_ns = h->trimmed ? all.half : NAN;
	return 0;
}

/* ---- closure ----------------------------------------------------------------------------------------- */

int compare_close(struct compare *c)
{
	size_t nbase = c->base->nused, nnew = c->new->nused;
	double *base_sum = calloc(nbase + nnew + 1, sizeof(*base_sum)), *new_sum, base_ns = 0, new_ns = 0;
	struct stats_difference rest = {.df = NAN};
	int err;

	if (!base_sum)
		return -ENOMEM;
	new_sum = base_sum + nbase;
	/* The sum of a variant's symbols in each used block. */
	for (int k = 0; k < 2; k++) {
		const struct analysis_variant *v = k ? c->new : c->base;

		for (size_t i = 0; i < v->nsymbols; i++)
			for (size_t b = 0; b < v->nused; b++)
				(k ? new_sum : base_sum)[b] += v->symbols[i].block_ns[b] * c->pairs.reference.at[k];
	}
	for (size_t i = 0; i < c->nsymbols; i++) {
		base_ns += c->symbols[i].base_ns;
		new_ns += c->symbols[i].new_ns;
	}
	c->base_unattributed_ns = c->overall.base_ns - base_ns;
	c->new_unattributed_ns = c->overall.new_ns - new_ns;
	c->unattributed_delta_ns = c->new_unattributed_ns - c->base_unattributed_ns;
	c->sum_delta_ns = new_ns - base_ns + c->unattributed_delta_ns;
	for (size_t b = 0; b < nbase; b++)
		base_sum[b] = c->pairs.base_ns[b] - base_sum[b];
	for (size_t b = 0; b < nnew; b++)
		new_sum[b] = c->pairs.new_ns[b] - new_sum[b];
	err = pairs_test(&c->pairs, base_sum, nbase, new_sum, nnew, &rest);
	c->unattributed_half_ns = err ? NAN : rest.half;
	c->off_half_ns = err ? NAN : stats_t(rest.df, ANALYSIS_OFF_ALPHA) * rest.se;
	c->off_ns = c->base->nsymbols && c->new->nsymbols && !isnan(c->off_half_ns) ? rest.delta : NAN;
	free(base_sum);
	return err;
}
