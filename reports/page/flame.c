// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"

#define MAX_COMPONENTS 256

/* A call path of one of the two sides. */
struct path {
	const struct stacks_diff_row *row;
	size_t leaf;            /* index of its frame, set once the frame exists */
	unsigned int component; /* index into components[] */
};

struct builder {
	struct flame *f;
	const struct stacks_diff *stacks;
	struct path *paths; /* of each row of stacks */
	uint32_t *open_symbols;
	size_t *open; /* frames from the root to the last path's leaf */
	double at[2]; /* what a side's costs are multiplied by, as the rows of a comparison are */
	const char *components[MAX_COMPONENTS];
	size_t ncomponents;
};

static void open_frame(struct builder *b, unsigned int depth)
{
	struct flame_frame *frame = &b->f->frames[b->f->nframes];

	frame->depth = depth;
	frame->parent = depth ? b->open[depth - 1] : 0;
	b->open[depth] = b->f->nframes++;
}

/* Adds a side's cost of a path to the frames open[0 .. depth]. */
static void flame_add_side(struct builder *b, const struct path *p, size_t side)
{
	const struct stacks_diff_row *row = p->row;
	double cost = b->at[side] * (side ? row->new_cost : row->base_cost);
	uint64_t samples = side ? row->new_samples : row->base_samples;
	const char *root = b->f->sides[0] && b->f->sides[0]->is_task ? "consumer" : "all";

	if (!samples)
		return;
	b->f->frames[p->leaf].self[side] += cost;
	for (unsigned int i = 0; i <= row->depth; i++) {
		struct flame_frame *frame = &b->f->frames[b->open[i]];

		frame->cost[side] += cost;
		frame->samples[side] += samples;
		frame->names[side] = i ? b->stacks->names[row->frames[i - 1]][side] : root;
	}
}

/* Frames come after their callers, so one pass from the back sums up and one from the front lays out. */
static int lay_out(struct builder *b)
{
	struct flame *f = b->f;
	size_t n = b->ncomponents;
	double *next = calloc(f->nframes, sizeof(*next)), *sums = calloc(f->nframes * (n + 1) + 1, sizeof(*sums));
	int err = next && sums ? 0 : -ENOMEM;

	for (size_t i = err ? 0 : f->nframes; i--;) {
		f->frames[i].width += fmax(0, fmax(f->frames[i].self[0], f->frames[i].self[1]));
		if (i)
			f->frames[f->frames[i].parent].width += f->frames[i].width;
	}
	for (size_t i = 1; i < f->nframes && !err; i++) {
		size_t parent = f->frames[i].parent;

		f->frames[i].x = f->frames[parent].x + next[parent];
		next[parent] += f->frames[i].width;
	}
	/* A frame belongs to the component that at least half of its paths' cost is in. */
	for (size_t i = 0; i < b->stacks->nrows && !err; i++) {
		const struct path *p = &b->paths[i];

		if (p->component < n)
			sums[p->leaf * n + p->component] += b->at[0] * p->row->base_cost + b->at[1] * p->row->new_cost;
	}
	for (size_t i = err ? 0 : f->nframes; i--;) {
		struct flame_frame *frame = &f->frames[i];
		size_t best = 0;

		for (size_t k = 0; k < n; k++) {
			if (i)
				sums[frame->parent * n + k] += sums[i * n + k];
			if (sums[i * n + k] > sums[i * n + best])
				best = k;
		}
		frame->component = 2 * sums[i * n + best] >= frame->cost[0] + frame->cost[1] ? b->components[best] : "";
	}
	free(next);
	free(sums);
	return err;
}

/* A flame graph has hundreds of frames, so a frame alone is no test. */
#define FLAME_ALPHA 0.001

/* p for a frame of which only this side has samples. */
static double none_by_chance(const struct flame *f, const struct flame_frame *frame, int side)
{
	const struct analysis_variant *v = f->sides[side], *other = f->sides[!side];

	return stats_none_by_chance((double)frame->samples[side] / v->design_effect, v->n_eff / v->base_ns,
				    other->n_eff / other->base_ns);
}

/* The frames of a flame whose costs are known: shares, intervals, and what differs between its sides. */
static void finish_frames(struct flame *f)
{
	bool counts = f->unit == FLAME_INSTRUCTIONS;

	for (size_t i = 0; i < f->nframes; i++) {
		struct flame_frame *frame = &f->frames[i];

		for (int side = 0; side < 2; side++) {
			const struct analysis_variant *v = f->sides[side];
			double all = f->frames[0].cost[side] - f->rest_ns[side], ns = frame->cost[side], ci[2];

			frame->share_pct[side] = all > 0 ? 100 * ns / all : 0;
			if (v && i && i != f->rest) {
				analysis_interval(v, ns, ci);
				frame->half[side] = fmax(ns - ci[0], ci[1] - ns);
			} else if (v) {
				frame->half[side] = i ? v->unattributed_half_ns : v->half_ns;
			}
		}
		frame->name = frame->names[frame->cost[1] > frame->cost[0] || !frame->names[0]];
		frame->delta = frame->cost[1] - frame->cost[0];
		frame->delta_half = hypot(frame->half[0], frame->half[1]);
		if (!f->names[1])
			continue;
		frame->class = fabs(frame->delta) > frame->delta_half ? COMPARE_CHANGED : COMPARE_SAME;
		if (!frame->samples[1] && (counts || none_by_chance(f, frame, 0) < FLAME_ALPHA))
			frame->class = COMPARE_GONE;
		else if (!frame->samples[0] && (counts || none_by_chance(f, frame, 1) < FLAME_ALPHA))
			frame->class = COMPARE_NEW;
	}
}

static int build_frames(struct flame *f, const struct stacks_diff *stacks, const double at[2])
{
	struct builder b = {.f = f, .stacks = stacks, .at = {at[0], at[1]}};
	size_t n = stacks->nrows, room = 2;
	int err = 0;

	/*
	 * Each row is a path, and has room for its frames: one for each frame of each row, the root, and what is
	 * unattributed, at most.
	 */
	b.paths = calloc(n + 1, sizeof(*b.paths));
	for (size_t i = 0; i < n && b.paths; i++) {
		const struct stacks_diff_row *row = &stacks->rows[i];

		size_t component = 0;
		while (component < b.ncomponents && strcmp(b.components[component], row->component))
			component++;
		if (component == b.ncomponents && component < MAX_COMPONENTS - 1)
			b.components[b.ncomponents++] = row->component;
		b.paths[i] = (struct path){.row = row, .component = (unsigned int)component};
		room += row->depth;
		if (f->depth < row->depth + 1)
			f->depth = row->depth + 1;
	}
	if (n) {
		f->frames = calloc(room, sizeof(*f->frames));
		b.open = calloc(f->depth + 1, sizeof(*b.open));
		b.open_symbols = calloc(f->depth + 1, sizeof(*b.open_symbols));
		err = b.paths && f->frames && b.open && b.open_symbols ? 0 : -ENOMEM;
	}

	if (!err && stacks->nrows) {
		/* Rows are sorted by their paths, so paths that share many frames are neighbours. */
		unsigned int open = 0;

		open_frame(&b, 0);
		for (size_t i = 0; i < b.stacks->nrows; i++) {
			struct path *p = &b.paths[i];
			unsigned int shared = 0;

			while (shared < open && shared < p->row->depth &&
			       b.open_symbols[shared] == p->row->frames[shared])
				shared++;
			for (open = shared; open < p->row->depth; open++) {
				open_frame(&b, open + 1);
				b.open_symbols[open] = p->row->frames[open];
			}
			p->leaf = b.open[p->row->depth];
			flame_add_side(&b, p, 0);
			flame_add_side(&b, p, 1);
		}
		/*
		 * The root is all of a packet: with what no frame has, which is a frame of its own where it is not
		 * below 0.
		 */
		struct flame_frame *root = &b.f->frames[0], *rest = &b.f->frames[b.f->nframes];
		for (int side = 0; side < 2; side++) {
			double ns = b.f->rest_ns[side];

			root->cost[side] += ns;
			if (!(ns > 0))
				continue;
			rest->self[side] = rest->cost[side] = ns;
			rest->names[side] = "[unattributed]";
		}
		if (rest->names[0] || rest->names[1]) {
			b.f->rest = b.f->nframes;
			open_frame(&b, 1);
		}
		err = lay_out(&b);
	}
	if (!err)
		finish_frames(f);
	free(b.open_symbols);
	free(b.open);
	free(b.paths);
	if (err)
		flame_release(f);
	return err;
}

static const double as_they_are[2] = {1, 1};

/* A flame of one side. */
static int build_from_stacks(struct flame *f, const struct stacks *base)
{
	static const struct stacks none;
	struct stacks_diff paths;
	int err = stacks_diff_build(&paths, base, &none, NULL);

	if (!err)
		err = build_frames(f, &paths, as_they_are);
	else
		*f = (struct flame){};
	stacks_diff_release(&paths);
	return err;
}

int flame_build(struct flame *f, const struct analysis_variant *v)
{
	*f = (struct flame){.names = {v->variant->id}, .sides = {v}, .rest_ns = {v->unattributed_ns}};
	return build_from_stacks(f, &v->stacks);
}

int flame_build_difference(struct flame *f, const struct compare *c, const char *const *names)
{
	int err;

	*f = (struct flame){.names = {names[0], names[1]},
			    .sides = {c->base, c->new},
			    .rest_ns = {c->base_unattributed_ns, c->new_unattributed_ns}};
	err = build_frames(f, &c->stacks, c->pairs.reference.at);
	if (f->nframes)
		f->frames[0].delta_half = c->overall.half_ns;
	return err;
}

int flame_build_exact(struct flame *f, const struct exact_variant *v)
{
	struct stacks paths;
	int err = exact_stacks_build(&paths, v);

	*f = (struct flame){.unit = FLAME_INSTRUCTIONS, .names = {v->id}};
	if (!err)
		err = build_from_stacks(f, &paths);
	stacks_release(&paths);
	return err;
}

int flame_build_exact_difference(struct flame *f, const struct exact_diff *d, const char *const *names)
{
	struct stacks_diff paths;
	int err = exact_stacks_diff_build(&paths, d);

	*f = (struct flame){.unit = FLAME_INSTRUCTIONS, .names = {names[0], names[1]}};
	if (!err)
		err = build_frames(f, &paths, as_they_are);
	stacks_diff_release(&paths);
	return err;
}

void flame_release(struct flame *f)
{
	free(f->frames);
	memset(f, 0, sizeof(*f));
}
