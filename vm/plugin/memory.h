/*
 * memory - the lines of 64 bytes that the guest's kernel loads and stores, and which vCPU wrote each of them last
 *
 * in:    each load and each store of the kernel, by virtual address; whether a call or a push made it
 * out:   loads, stores, lines, transfers and lines that a device wrote, of the call path where the vCPU is, inside of
 *        polls that are counted; the same by data structure (places.h), for each call path
 * law:   A line counts as touched once in a poll, in the function that touches it first; so the lines of functions add
 *        up to the different lines of the poll. A line counts as transferred when another vCPU wrote it last, and this
 *        one has not accessed it since: on a real machine it comes from the cache of the other core. Caches have no end
 *        here: a line is never evicted. A line that a device wrote counts in the function that accesses it first
 *        afterwards; a device writes to no stack. Addresses are virtual: two mappings of one line are two lines. A page
 *        belongs to a stack once a call or a push stored there
 */
#ifndef VM_PLUGIN_MEMORY_H
#define VM_PLUGIN_MEMORY_H

#include "vm/plugin/stacks.h"

/* One access of the kernel. */
struct access {
	uint64_t address;
	bool store, pushed;
	unsigned int device; /* lines that a device wrote since the last access (device.h) */
};

bool memory_enters(uint64_t address); /* a CPU that takes an interrupt loads from there, and the kernel never does */
void memory_access(struct vcpu *c, unsigned int cpu, const struct access *a);
void memory_clear(bool several); /* a window begins: no count by data structure; several: vCPUs */

/* What a call path did to a data structure. */
struct spot {
	const char *place;
	struct tallies tallies;
};

/* The counts of a node by data structure; their number. They hold until the next call. */
size_t memory_spots(uint32_t node, const struct spot **spots);

#endif
