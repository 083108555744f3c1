// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reports/compare/compare_parts.h"

/* How many blocks of the same variant and round come before this one. */
static size_t turn_in_round(const struct analysis_variant *v, const struct analysis_block *b)
{
	size_t turn = 0;

	for (const struct analysis_block *before = v->blocks; before < b; before++)
		turn += before->block->round == b->block->round;
	return turn;
}

/* The place in other->used[] of the block that was recorded together with b, in the same placement; nused: none. */
static size_t find_partner(const struct analysis_variant *v, const struct analysis_variant *other,
			   const struct analysis_block *b)
{
	const struct placement *p = &v->of->placement;
	size_t turn = turn_in_round(v, b);
	size_t i;

	for (i = 0; i < other->nused; i++)
		if (other->used[i]->block->round == b->block->round && turn_in_round(other, other->used[i]) == turn &&
		    placement_of(p, other->used[i]->block) == placement_of(p, b->block))
			break;
	return i;
}

/* Fills base_ns[] and new_ns[] with the bases of paired blocks; returns the number of pairs. */
static size_t pair_blocks(const struct analysis_variant *base, const struct analysis_variant *new, double *base_ns,
			  double *new_ns)
{
	size_t n = 0, partner;

	for (size_t i = 0; i < base->nused; i++) {
		partner = find_partner(base, new, base->used[i]);
		if (partner == new->nused)
			continue;
		base_ns[n] = base->block_base_ns[i];
		new_ns[n++] = new->block_base_ns[partner];
	}
	return n;
}

int compare_bases(struct compare_headline *h, const struct analysis_variant *base, const struct analysis_variant *new)
{
	double *base_ns = calloc(base->nused + 1, sizeof(double));
	double *new_ns = calloc(base->nused + 1, sizeof(double));
	struct stats_difference diff;

	memset(h, 0, sizeof(*h));
	if (!base_ns || !new_ns) {
		free(base_ns);
		free(new_ns);
		return -ENOMEM;
	}
	if (base->of->run == new->of->run)
		h->npairs = pair_blocks(base, new, base_ns, new_ns);
	/*
	 * Pairs are used only if every block is in a pair. Otherwise the mean of the pairs would differ from the
	 * difference of the two bases that are shown.
	 */
	h->paired = h->npairs >= 2 && h->npairs == base->nused && h->npairs == new->nused;
	if (h->paired)
		diff = stats_paired(base_ns, new_ns, h->npairs);
	else
		diff = stats_welch(base->block_base_ns, base->nused, new->block_base_ns, new->nused);
	h->delta_ns = diff.delta;
	h->half_ns = diff.half;
	h->ci95_ns[0] = diff.delta - diff.half;
	h->ci95_ns[1] = diff.delta + diff.half;
	h->p = diff.p;
	free(base_ns);
	free(new_ns);
	return 0;
}

const char *compare_class_name(enum compare_class class)
{
	static const char *const names[] = {"same", "changed", "gone", "new"};

	return names[class];
}

const char *compare_mark(const struct compare_row *row)
{
	if (!row->significant)
		return "~";
	return row->class == COMPARE_GONE || row->class == COMPARE_NEW ? compare_class_name(row->class) : "";
}

static void close_sums(struct compare *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->nsymbols; i++)
		sum += c->symbols[i].delta_ns;
	c->unattributed_delta_ns = c->new->unattributed_ns - c->base->unattributed_ns;
	c->sum_delta_ns = sum + c->unattributed_delta_ns;
	c->residual_ns = c->headline.delta_ns - c->sum_delta_ns;
	if (fabs(c->residual_ns) < ANALYSIS_ROUNDING_NS)
		c->residual_ns = 0;
}

static const char *kernel_of(const struct analysis_variant *v)
{
	const char *kernel = json_string_value(json_object_get(v->of->run->environment, "kernel"));

	return kernel ? kernel : "";
}

int compare_read_renames(struct symkeys **keys, const char *path, const struct analysis_variant *base,
			 const struct analysis_variant *new, struct diag *d)
{
	*keys = NULL;
	if (!path && !strcmp(kernel_of(base), kernel_of(new)))
		return 0;
	return symkeys_read(keys, path, d);
}

int compare_build(struct compare *c, const struct analysis_variant *base, const struct analysis_variant *new,
		  const struct symkeys *keys, struct diag *d)
{
	int err;

	memset(c, 0, sizeof(*c));
	c->base = base;
	c->new = new;
	c->keys = keys;
	c->same_run = base->of->run == new->of->run;
	err = compare_bases(&c->headline, base, new);
	if (!err)
		err = compare_add_rows(c);
	if (!err)
		err = compare_add_events(c);
	if (!err)
		err = compare_add_counters(c);
	if (!err)
		err = stacks_diff_build(&c->stacks, &base->stacks, &new->stacks, keys);
	if (err)
		goto out;
	close_sums(c);
	err = compare_add_gates(c);
out:
	if (err) {
		diag_set(d, err, "out of memory");
		compare_release(c);
	}
	return err;
}

void compare_release(struct compare *c)
{
	free(c->facilities);
	free(c->symbols);
	free(c->events);
	free(c->counters);
	stacks_diff_release(&c->stacks);
	quality_release(&c->quality);
	memset(c, 0, sizeof(*c));
}
