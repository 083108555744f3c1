/*
 * stacks - the shadow stacks of tasks, and what each vCPU executes now
 *
 * in:    calls, returns and interrupts (walk.h); switches of tasks
 * law:   each task has a shadow stack of its own, since a switch of tasks changes the stack. What ran on the vCPU while
 *        a task was switched out, and what interrupts executed, are aliens in the frames of that task
 */
#ifndef VM_PLUGIN_STACKS_H
#define VM_PLUGIN_STACKS_H

#include <stdbool.h>
#include <stdint.h>
#include "vm/plugin/blocks.h"
#include "vm/plugin/tally.h"

#define STACK_DEPTH 192
#define VCPUS       64

struct frame {
	uint64_t back;                /* return address; 0: an interrupt */
	struct tallies total, aliens; /* counters of the vCPU when the frame was entered */
	const struct block *was;      /* an interrupt: the last block before it */
	uint32_t node;                /* the node that goes on when this frame is left */
	bool poll;
};

struct task {
	uint64_t id;
	struct task *chain;
	struct frame frames[STACK_DEPTH];
	unsigned int depth;
	uint32_t node;
	struct tallies total_out, aliens_out; /* of the vCPU when the task was switched out */
};

struct vcpu {
	const struct block *before; /* the block that was executed last */
	struct task *task;
	uint32_t root, warmup, beside, node; /* warmup, beside: the roots of polls that are not counted (walk.h) */
	uint64_t napi; /* what the last __napi_poll() loaded first: a member of the instance it polls; 0: nothing yet */
	unsigned int skipped;
	bool entering;         /* an interrupt: the accesses are the CPU's own (memory.c) */
	uint32_t poll;         /* the number of the last poll that began; polls of all vCPUs are numbered from 1 on */
	struct tallies total;  /* of the kernel in this window; lines: of polls alone */
	struct tallies aliens; /* of them in interrupts, counted when each ends */
	uint64_t user;
	uint64_t polls;          /* entered and left */
	struct tallies in_polls; /* between entry and exit, without aliens */
};

struct vcpu *vcpu_get(unsigned int cpu);
struct task *vcpu_task(unsigned int cpu); /* the one that runs */
void vcpus_clear(void);                   /* a window begins: no frame, no count */

/* The vCPU goes on with the task of this id; counted: inside of a window. */
void task_switch(unsigned int cpu, uint64_t id, bool counted);

struct frame *frame_push(struct vcpu *c, struct task *t, uint64_t back, bool poll);
const struct frame *frame_pop(struct vcpu *c, struct task *t);

#endif
