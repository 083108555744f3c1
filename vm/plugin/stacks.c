// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/stacks.h"

#include <string.h>
#include "vm/plugin/nodes.h"
#include "vm/plugin/symbols.h"
#include "vm/plugin/table.h"

#define TASKS (1u << 10)

static struct task *tasks[TASKS];
static struct vcpu vcpus[VCPUS];
static uint32_t polls_begun;

struct vcpu *vcpu_get(unsigned int cpu)
{
	return &vcpus[cpu];
}

static struct task *task_of(uint64_t id)
{
	struct task **t = &tasks[slot(id, TASKS)];

	while (*t && (*t)->id != id)
		t = &(*t)->chain;
	if (!*t) {
		*t = must(calloc(1, sizeof(**t)));
		(*t)->id = id;
		(*t)->node = NODE_NONE;
	}
	return *t;
}

/* Before the first switch a vCPU runs a task that has no id yet: the number of the vCPU serves. */
struct task *vcpu_task(unsigned int cpu)
{
	if (!vcpus[cpu].task)
		vcpus[cpu].task = task_of(cpu + 1);
	return vcpus[cpu].task;
}

void task_switch(unsigned int cpu, uint64_t id, bool counted)
{
	struct vcpu *c = &vcpus[cpu];
	struct task *next = task_of(id), *old = vcpu_task(cpu);

	c->task = next;
	if (!counted)
		return;
	old->node = c->node;
	old->total_out = c->total;
	old->aliens_out = c->aliens;
	if (next->depth)
		tallies_add_since(&c->aliens, &c->total, &next->total_out, &c->aliens, &next->aliens_out);
	c->node = next->node != NODE_NONE ? next->node : c->root;
}

void vcpus_clear(void)
{
	for (size_t i = 0; i < TASKS; i++)
		for (struct task *t = tasks[i]; t; t = t->chain)
			t->depth = 0, t->node = NODE_NONE;
	for (unsigned int i = 0; i < VCPUS; i++) {
		struct task *task = vcpus[i].task;

		vcpus[i] = (struct vcpu){.task = task, .root = node_new(SYMBOL_NONE, NODE_NONE)};
		vcpus[i].node = vcpus[i].root;
		vcpus[i].warmup = node_new(SYMBOL_NONE, NODE_NONE);
		vcpus[i].beside = node_new(SYMBOL_NONE, NODE_NONE);
	}
}

struct frame *frame_push(struct vcpu *c, struct task *t, uint64_t back, bool poll)
{
	struct frame *f;

	if (t->depth == STACK_DEPTH) { /* the frame at the bottom is lost: its return comes last */
		memmove(t->frames, t->frames + 1, (STACK_DEPTH - 1) * sizeof(*t->frames));
		t->depth--;
	}
	f = &t->frames[t->depth++];
	*f = (struct frame){.back = back, .node = c->node, .total = c->total, .aliens = c->aliens, .poll = poll};
	if (poll)
		c->poll = ++polls_begun;
	return f;
}

const struct frame *frame_pop(struct vcpu *c, struct task *t)
{
	const struct frame *f = &t->frames[--t->depth];

	if (f->poll) {
		c->polls++;
		tallies_add_since(&c->in_polls, &c->total, &f->total, &c->aliens, &f->aliens);
	}
	return f;
}
