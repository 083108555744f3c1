// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/flame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FACILITIES 256

/* A symbol of one side on its way to its number: equal keys have equal numbers, and numbers sort as keys do. */
struct keyed {
	char key[SYMKEY_BYTES];
	size_t side, symbol;
};

struct path {
	const struct stacks_row *row;
	size_t side, leaf;      /* leaf: its frame, once there is one */
	unsigned int facility;  /* index into facilities[] */
	const uint32_t *number; /* of each symbol of its side */
};

struct builder {
	struct flame *f;
	const struct symkeys *keys;
	struct path *paths;
	size_t npaths, room;
	uint32_t *numbers[2], *open_numbers;
	size_t *open; /* frames from the root to the last path's leaf */
	const char *facilities[MAX_FACILITIES];
	size_t nfacilities;
};

static const struct stacks *stacks_of(const struct flame *f, size_t side)
{
	static const struct stacks none;

	return f->sides[side] ? &f->sides[side]->stacks : &none;
}

static int by_key(const void *pa, const void *pb)
{
	return strcmp(((const struct keyed *)pa)->key, ((const struct keyed *)pb)->key);
}

static int number_symbols(struct builder *b)
{
	size_t n = stacks_of(b->f, 0)->nsymbols + stacks_of(b->f, 1)->nsymbols, at = 0;
	struct keyed *all = calloc(n + 1, sizeof(*all));
	uint32_t number = 0;

	if (!all)
		return -ENOMEM;
	for (size_t side = 0; side < 2; side++) {
		const struct stacks *s = stacks_of(b->f, side);

		b->numbers[side] = calloc(s->nsymbols + 1, sizeof(uint32_t));
		if (!b->numbers[side]) {
			free(all);
			return -ENOMEM;
		}
		for (size_t i = 0; i < s->nsymbols; i++, at++) {
			all[at].side = side;
			all[at].symbol = i;
			symkey(b->keys, s->symbols[i].name, s->symbols[i].dso, all[at].key);
		}
	}
	qsort(all, n, sizeof(*all), by_key);
	for (size_t i = 0; i < n; i++) {
		number += i && strcmp(all[i].key, all[i - 1].key);
		b->numbers[all[i].side][all[i].symbol] = number;
	}
	free(all);
	return 0;
}

static unsigned int number_facility(struct builder *b, const char *name)
{
	size_t i = 0;

	while (i < b->nfacilities && strcmp(b->facilities[i], name))
		i++;
	if (i == b->nfacilities && i < MAX_FACILITIES - 1)
		b->facilities[b->nfacilities++] = name;
	return (unsigned int)i;
}

static int by_path(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;

	for (unsigned int i = 0; i < a->row->depth && i < b->row->depth; i++) {
		uint32_t x = a->number[a->row->frames[i]], y = b->number[b->row->frames[i]];

		if (x != y)
			return x < y ? -1 : 1;
	}
	if (a->row->depth != b->row->depth)
		return a->row->depth < b->row->depth ? -1 : 1;
	return (a->side > b->side) - (a->side < b->side);
}

/* Gathers the paths of both sides, in order; the frames they can have are at most their frames and a root. */
static int gather(struct builder *b)
{
	size_t n = stacks_of(b->f, 0)->nrows + stacks_of(b->f, 1)->nrows;

	b->paths = calloc(n + 1, sizeof(*b->paths));
	b->room = 1;
	if (!b->paths)
		return -ENOMEM;
	for (size_t side = 0; side < 2; side++) {
		const struct stacks *s = stacks_of(b->f, side);

		for (size_t i = 0; i < s->nrows; i++) {
			b->paths[b->npaths++] = (struct path){.row = &s->rows[i],
							      .side = side,
							      .facility = number_facility(b, s->rows[i].facility),
							      .number = b->numbers[side]};
			b->room += s->rows[i].depth;
			if (b->f->depth < s->rows[i].depth + 1)
				b->f->depth = s->rows[i].depth + 1;
		}
	}
	qsort(b->paths, b->npaths, sizeof(*b->paths), by_path);
	return 0;
}

static void open_frame(struct builder *b, unsigned int depth)
{
	struct flame_frame *frame = &b->f->frames[b->f->nframes];

	frame->depth = depth;
	frame->parent = depth ? b->open[depth - 1] : 0;
	b->open[depth] = b->f->nframes++;
}

/* Adds a path below the frames that it shares with the one before it, open[0 .. shared]. */
static void add_path(struct builder *b, struct path *p, unsigned int shared)
{
	const struct stacks *s = stacks_of(b->f, p->side);

	for (unsigned int i = shared; i < p->row->depth; i++) {
		open_frame(b, i + 1);
		b->open_numbers[i] = p->number[p->row->frames[i]];
	}
	p->leaf = b->open[p->row->depth];
	b->f->frames[p->leaf].self_ns[p->side] += p->row->ns;
	for (unsigned int i = 0; i <= p->row->depth; i++) {
		struct flame_frame *frame = &b->f->frames[b->open[i]];

		frame->ns[p->side] += p->row->ns;
		frame->samples[p->side] += p->row->samples;
		frame->names[p->side] = i ? s->symbols[p->row->frames[i - 1]].name : "all";
	}
}

static void grow_tree(struct builder *b)
{
	unsigned int open = 0;

	open_frame(b, 0);
	for (size_t i = 0; i < b->npaths; i++) {
		struct path *p = &b->paths[i];
		unsigned int shared = 0;

		while (shared < open && shared < p->row->depth &&
		       b->open_numbers[shared] == p->number[p->row->frames[shared]])
			shared++;
		add_path(b, p, shared);
		open = p->row->depth;
	}
}

/* Frames come after their callers, so one pass from the back sums up and one from the front lays out. */
static int lay_out(struct flame *f)
{
	double *next = calloc(f->nframes, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (size_t i = f->nframes; i--;) {
		f->frames[i].width_ns += fmax(f->frames[i].self_ns[0], f->frames[i].self_ns[1]);
		if (i)
			f->frames[f->frames[i].parent].width_ns += f->frames[i].width_ns;
	}
	for (size_t i = 1; i < f->nframes; i++) {
		size_t parent = f->frames[i].parent;

		f->frames[i].x_ns = f->frames[parent].x_ns + next[parent];
		next[parent] += f->frames[i].width_ns;
	}
	free(next);
	return 0;
}

/* A frame belongs to the facility that at least half of its paths' cost is in. */
static int name_facilities(struct builder *b)
{
	size_t n = b->nfacilities;
	double *sums = calloc(b->f->nframes * (n + 1) + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < b->npaths; i++)
		if (b->paths[i].facility < n)
			sums[b->paths[i].leaf * n + b->paths[i].facility] += b->paths[i].row->ns;
	for (size_t i = b->f->nframes; i--;) {
		struct flame_frame *frame = &b->f->frames[i];
		size_t best = 0;

		for (size_t k = 0; k < n; k++) {
			if (i)
				sums[frame->parent * n + k] += sums[i * n + k];
			if (sums[i * n + k] > sums[i * n + best])
				best = k;
		}
		frame->facility = 2 * sums[i * n + best] >= frame->ns[0] + frame->ns[1] ? b->facilities[best] : "";
	}
	free(sums);
	return 0;
}

static enum compare_class classify(const struct flame *f, const struct flame_frame *frame)
{
	if (!frame->samples[1] && frame->ns[0] > f->sides[1]->unseen_max_ns)
		return COMPARE_GONE;
	if (!frame->samples[0] && frame->ns[1] > f->sides[0]->unseen_max_ns)
		return COMPARE_NEW;
	return fabs(frame->delta_ns) > frame->delta_half_ns ? COMPARE_CHANGED : COMPARE_SAME;
}

static void judge(struct flame *f)
{
	for (size_t i = 0; i < f->nframes; i++) {
		struct flame_frame *frame = &f->frames[i];

		for (int side = 0; side < 2 && f->sides[side]; side++) {
			double ci[2];

			frame->share_pct[side] = 100 * frame->ns[side] / f->sides[side]->base_ns;
			analysis_interval(f->sides[side], frame->ns[side], ci);
			frame->half_ns[side] = fmax(frame->ns[side] - ci[0], ci[1] - frame->ns[side]);
		}
		frame->name = frame->names[frame->ns[1] > frame->ns[0]];
		frame->delta_ns = frame->ns[1] - frame->ns[0];
		frame->delta_half_ns = hypot(frame->half_ns[0], frame->half_ns[1]);
		if (f->sides[1])
			frame->class = classify(f, frame);
	}
}

static int build(struct builder *b)
{
	int err = number_symbols(b);

	if (!err)
		err = gather(b);
	if (err || !b->npaths)
		return err;
	b->f->frames = calloc(b->room, sizeof(*b->f->frames));
	b->open = calloc(b->f->depth, sizeof(*b->open));
	b->open_numbers = calloc(b->f->depth, sizeof(*b->open_numbers));
	if (!b->f->frames || !b->open || !b->open_numbers)
		return -ENOMEM;
	grow_tree(b);
	err = lay_out(b->f);
	if (!err)
		err = name_facilities(b);
	if (!err)
		judge(b->f);
	return err;
}

static int build_sides(struct flame *f, const struct analysis_variant *base, const struct analysis_variant *new,
		       const struct symkeys *keys)
{
	struct builder b = {.f = f, .keys = keys};
	int err;

	*f = (struct flame){.sides = {base, new}};
	err = build(&b);
	free(b.open_numbers);
	free(b.open);
	free(b.numbers[0]);
	free(b.numbers[1]);
	free(b.paths);
	if (err)
		flame_release(f);
	return err;
}

int flame_build(struct flame *f, const struct analysis_variant *v)
{
	return build_sides(f, v, NULL, NULL);
}

int flame_build_difference(struct flame *f, const struct compare *c)
{
	return build_sides(f, c->base, c->new, c->keys);
}

void flame_release(struct flame *f)
{
	free(f->frames);
	memset(f, 0, sizeof(*f));
}
