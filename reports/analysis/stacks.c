// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds the blocks' profiles up to one profile. Each is weighted with the cost of a packet in its block. */
#include "reports/analysis/analysis.h"

void stacks_release(struct stacks *s)
{
	profile_release(&s->names);
	free(s->rows);
	free(s->frames);
	memset(s, 0, sizeof(*s));
}

/* Adds the stacks of one block's profile p to `all`, with p's symbols translated into those of `all`. */
static int add_profile(struct profile *all, const struct profile *p, double ns_per_weight)
{
	uint32_t *symbols = calloc(p->nsymbols + 1, sizeof(*symbols));
	uint32_t *frames = calloc(p->nframes + 1, sizeof(*frames));
	int err = symbols && frames ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->nsymbols && !err; i++) {
		const struct profile_symbol *y = &p->symbols[i];

		err = profile_add_symbol(all, span_of(y->name), span_of(y->dso), y->space, &symbols[i]);
	}
	for (size_t i = 0; i < p->nframes && !err; i++)
		frames[i] = symbols[p->frames[i]];
	for (size_t i = 0; i < p->nstacks && !err; i++) {
		const struct profile_stack *k = &p->stacks[i];

		err = profile_add_stack(all, frames + k->first, k->depth, k->samples, k->weight * ns_per_weight);
	}
	free(frames);
	free(symbols);
	return err;
}

static int stacks_compare_names(const void *pa, const void *pb, void *symbols)
{
	const struct profile_symbol *a = (struct profile_symbol *)symbols + *(const uint32_t *)pa;
	const struct profile_symbol *b = (struct profile_symbol *)symbols + *(const uint32_t *)pb;

	return strcmp(a->name, b->name) ?: strcmp(a->dso, b->dso) ?: (int)a->space - (int)b->space;
}

static int by_path(const void *pa, const void *pb, void *ranks)
{
	const struct stacks_row *a = pa, *b = pb;
	const uint32_t *rank = ranks;

	for (unsigned int i = 0; i < a->depth && i < b->depth; i++)
		if (a->frames[i] != b->frames[i])
			return ORDER(rank[a->frames[i]], rank[b->frames[i]]);
	return ORDER(a->depth, b->depth);
}

static int sort_rows(struct stacks *s)
{
	/* For each symbol, its rank when all symbols are sorted by name; NULL without memory. */
	uint32_t *order = calloc(s->names.nsymbols + 1, sizeof(*order));
	uint32_t *rank = calloc(s->names.nsymbols + 1, sizeof(*rank));

	for (size_t i = 0; order && i < s->names.nsymbols; i++)
		order[i] = (uint32_t)i;
	if (order && s->names.nsymbols)
		qsort_r(order, s->names.nsymbols, sizeof(*order), stacks_compare_names, s->names.symbols);
	for (size_t i = 0; order && rank && i < s->names.nsymbols; i++)
		rank[order[i]] = (uint32_t)i;
	free(order);

	if (!rank)
		return -ENOMEM;
	qsort_r(s->rows, s->nrows, sizeof(*s->rows), by_path, rank);
	free(rank);
	return 0;
}

/* Makes a row of each stack whose component is a cost. */
static int stacks_make_rows(struct stacks *s, const struct components *f)
{
	const struct profile *p = &s->names;
	uint32_t *next;

	s->rows = calloc(p->nstacks + 1, sizeof(*s->rows));
	next = s->frames = calloc(p->nframes + 1, sizeof(*s->frames));
	if (!s->rows || !next)
		return -ENOMEM;
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct profile_stack *k = &p->stacks[i];
		unsigned int component = components_of_stack(f, p, k);

		if (f->list[component].kind != COMPONENT_COST)
			continue;
		s->rows[s->nrows++] =
			(struct stacks_row){next, k->depth, f->list[component].name, k->samples, k->weight};
		for (unsigned int at = k->depth; at--;)
			*next++ = p->frames[k->first + at];
	}
	return sort_rows(s);
}

/* Makes a row of each function that has a cost of its own. */
static int make_flat_rows(struct analysis_variant *v)
{
	struct stacks *s = &v->stacks;
	int err = 0;

	s->rows = calloc(v->nsymbols + 1, sizeof(*s->rows));
	s->frames = calloc(v->nsymbols + 1, sizeof(*s->frames));
	if (!s->rows || !s->frames)
		return -ENOMEM;
	for (size_t i = 0; i < v->nsymbols && !err; i++) {
		const struct analysis_row *y = &v->symbols[i];
		uint32_t *frame = &s->frames[s->nrows];

		if (!(y->self_ns > 0))
			continue;
		err = profile_add_symbol(&s->names, span_of(y->name), span_of(y->dso), SPACE_UNKNOWN, frame);
		s->rows[s->nrows++] = (struct stacks_row){frame, 1, y->component, y->samples, y->self_ns};
	}
	return err ? err : sort_rows(s);
}

int variant_add_stacks(struct analysis_variant *v, const struct shares *shares, const struct components *f)
{
	bool flat = false; /* a block's text is a table of functions, in which no call path is known */
	double packets = 0;
	int err = 0;

	for (size_t i = 0; i < shares->nprofiles; i++)
		flat |= v->blocks[shares->profiles[i].block].fate == FATE_USED && shares->profiles[i].profile.nrows;

	for (size_t i = 0; i < v->nused; i++)
		packets += fmax(0, v->used[i]->profiled_packets);

	for (size_t i = 0; i < shares->nprofiles && !flat && !err; i++) {
		const struct analysis_block *b = &v->blocks[shares->profiles[i].block];

		if (b->fate == FATE_USED && b->cost_weight > 0)
			err = add_profile(&v->stacks.names, &shares->profiles[i].profile, b->ns_per_weight / packets);
	}
	if (!err)
		err = flat ? make_flat_rows(v) : stacks_make_rows(&v->stacks, f);
	if (err) {
		stacks_release(&v->stacks);
		return err;
	}
	v->stacks.symbols = v->stacks.names.symbols;
	v->stacks.nsymbols = v->stacks.names.nsymbols;
	return 0;
}
