// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/walk.h"

#include "vm/plugin/nodes.h"
#include "vm/plugin/symbols.h"

#define WARMUP    24 /* polls at the beginning of a window that are not counted */
#define RECEIVERS 64
#define NO_NAPI   1 /* in vcpu.napi: a poll of a driver without NAPI; no address of the kernel */

static uint64_t receivers[RECEIVERS]; /* as vcpu.napi */
static unsigned int nreceivers;
static uint32_t receivers_epoch; /* of the symbols: each program has receivers of its own */

static bool walk_receives(uint64_t napi)
{
	for (unsigned int i = 0; i < nreceivers; i++)
		if (receivers[i] == napi)
			return true;
	return false;
}

static void learn_receiver(uint64_t napi)
{
	if (receivers_epoch != symbols_epoch())
		nreceivers = 0;
	receivers_epoch = symbols_epoch();
	if (napi && nreceivers < (symbols_program_is_common() ? 1 : RECEIVERS) && !walk_receives(napi))
		receivers[nreceivers++] = napi;
}

/* Does the block begin where its function begins? */
static bool walk_is_first(const struct block *b)
{
	const struct symbol *s = symbol_get(b->symbol);

	return s && s->address == b->address;
}

static void enter(struct vcpu *c, uint32_t parent, const struct block *b)
{
	c->node = node_below(parent, b->symbol);
	if (!walk_is_first(b))
		return;
	node_get(c->node)->calls++;
	if (symbol_get(b->symbol)->napi_poll)
		c->napi = 0;
	if (symbol_get(b->symbol)->program)
		learn_receiver(c->napi);
}

static void jumped(struct vcpu *c, const struct block *b)
{
	uint32_t parent = node_get(c->node)->parent;

	if (node_get(c->node)->symbol != b->symbol && !node_get(c->node)->beside) /* its probes are no polls either */
		enter(c, parent == NODE_NONE ? c->root : parent, b);
}

static void called(struct vcpu *c, struct task *t, const struct block *b)
{
	const struct symbol *s = symbol_get(b->symbol);
	bool poll = node_get(node_below(c->node, b->symbol))->poll, known = receivers_epoch == symbols_epoch();
	bool beside, skip;

	if (s && s->poll)
		c->napi = NO_NAPI;
	beside = poll && known && !walk_receives(c->napi);
	skip = poll && !beside && (c->skipped < WARMUP || (!known && symbols_have_program()));
	frame_push(c, t, c->before->next, poll && !skip && !beside);
	c->skipped += skip;
	enter(c, beside ? c->beside : skip ? c->warmup : c->node, b);
}

static void returned(struct vcpu *c, struct task *t, const struct block *b)
{
	unsigned int d = t->depth;

	while (d > 0 && t->frames[d - 1].back && t->frames[d - 1].back != b->address)
		d--;
	if (d == 0 || !t->frames[d - 1].back) { /* from a function that was entered before the window */
		if (node_get(c->node)->symbol != b->symbol)
			enter(c, c->root, b);
		return;
	}
	while (t->depth >= d)
		c->node = frame_pop(c, t)->node;
	if (node_get(c->node)->symbol != b->symbol) /* the caller's frame came from before a jump */
		jumped(c, b);
}

/* From an interrupt back to the block that it came after; false: nothing is known about that. */
static bool resumed(struct vcpu *c, struct task *t)
{
	while (t->depth > 0) {
		const struct frame *f = frame_pop(c, t);

		if (f->back)
			continue;
		tallies_add_since(&c->aliens, &c->total, &f->total, &c->aliens, &f->aliens);
		c->node = f->node;
		c->before = f->was;
		return true;
	}
	return false;
}

static void begin_root(struct vcpu *c, struct task *t, const struct block *b)
{
	t->depth = 0;
	enter(c, c->root, b);
}

static void interrupted(struct vcpu *c, struct task *t, const struct block *b)
{
	if (!c->before || c->before->address < KERNEL_HALF) {
		begin_root(c, t, b);
		return;
	}
	frame_push(c, t, 0, false)->was = c->before;
	enter(c, c->root, b);
}

static enum entry entry_at(const struct block *b)
{
	const struct symbol *s = symbol_get(b->symbol);

	return s ? s->entry : ENTRY_NONE;
}

void walk(struct vcpu *c, struct task *t, const struct block *b)
{
	const struct block *before = c->before;
	enum entry entry = entry_at(b);
	bool stub = before && before->epoch == symbols_epoch() && entry_at(before) == ENTRY_IRQ_STUB;

	if (entry == ENTRY_IRQ_STUB || (entry == ENTRY_IRQ && walk_is_first(b) && !stub)) {
		interrupted(c, t, b);
		return;
	}
	if ((entry == ENTRY_SYSCALL || entry == ENTRY_FORK) && walk_is_first(b)) {
		begin_root(c, t, b);
		return;
	}
	/*
	 * More than once: an interrupt can follow the iretq of another one before any block between them runs. An iretq
	 * to the instruction behind it ends no interrupt: so sync_core() makes the CPU forget old code.
	 */
	while (before && before->end == END_IRET && b->address != before->next) {
		if (!resumed(c, t)) {
			enter(c, c->root, b);
			return;
		}
		before = c->before;
	}
	if (!before || before->address < KERNEL_HALF)
		begin_root(c, t, b);
	else if (before->end == END_CALL)
		called(c, t, b);
	else if (before->end == END_RETURN)
		returned(c, t, b);
	else
		jumped(c, b);
}
