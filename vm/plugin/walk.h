/*
 * walk - from block to block: the node in whose call path the vCPU executes now
 *
 * in:    each block of the kernel, before it is executed
 * out:   vcpu.node; calls counted in it; frames pushed and popped
 * law:   The branch that ended the block before tells what happened: a call pushes the return address, a return pops to
 *        it, a jump into another function replaces the node. An interrupt begins a path of its own, and its iretq goes
 *        back to where it came from. The first polls of a window go below vcpu.warmup: pools of pages and slabs fill
 *        meanwhile. A NAPI instance receives when the program under test has run in a poll of it. The polls of others
 *        go below vcpu.beside: of the device that gets the frames which the program sends or redirects
 */
#ifndef VM_PLUGIN_WALK_H
#define VM_PLUGIN_WALK_H

#include "vm/plugin/blocks.h"
#include "vm/plugin/stacks.h"

void walk(struct vcpu *c, struct task *t, const struct block *b);

#endif
