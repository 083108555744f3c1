// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/memory.h"

#include "vm/plugin/nodes.h"
#include "vm/plugin/table.h"

#define LINE_BITS  6
#define PAGE_BITS  12
#define PAGE_LINES (1u << (PAGE_BITS - LINE_BITS))
#define PAGES      (1u << 16)

struct line {
	uint64_t sharers; /* vCPUs that have accessed the line since it was written, as a mask; 0: nobody wrote it */
	uint32_t poll;    /* the last one that touched it */
	uint32_t writer;
};

struct page {
	uint64_t number;
	struct page *chain;
	struct line lines[PAGE_LINES];
};

static struct page *pages[PAGES];

static struct line *line_at(uint64_t address)
{
	uint64_t number = address >> PAGE_BITS;
	struct page **p = &pages[slot(number, PAGES)];

	while (*p && (*p)->number != number)
		p = &(*p)->chain;
	if (!*p) {
		*p = must(calloc(1, sizeof(**p)));
		(*p)->number = number;
	}
	return &(*p)->lines[(address >> LINE_BITS) % PAGE_LINES];
}

/* Did the line have to come from another vCPU? */
static bool transfer(struct line *l, unsigned int cpu, bool store)
{
	uint64_t mine = 1ULL << cpu;
	bool moved = l->sharers && l->writer != cpu && !(l->sharers & mine);

	if (store) {
		l->writer = cpu;
		l->sharers = mine;
	} else if (l->sharers) {
		l->sharers |= mine;
	}
	return moved;
}

static void count(struct vcpu *c, struct node *n, enum tally what)
{
	c->total.n[what]++;
	if (n->counted)
		n->tallies.n[what]++;
}

/*
 * A CPU that takes an interrupt loads the gate from the interrupt descriptor table, and stores the old state on the
 * stack. Now and then QEMU 7.2 shows these accesses as if the last instruction had made them. The table has a fixed
 * address, which the kernel itself never loads from: from that load to the next block the CPU enters an interrupt.
 */
#define IDT_PAGE (0xfffffe0000000000ULL >> PAGE_BITS)

void memory_access(struct vcpu *c, unsigned int cpu, uint64_t address, bool store)
{
	struct line *l = line_at(address);
	struct node *n = node_get(c->node);
	bool moved = transfer(l, cpu, store);

	c->entering |= address >> PAGE_BITS == IDT_PAGE;
	if (c->entering)
		return;
	count(c, n, store ? TALLY_STORES : TALLY_LOADS);
	if (moved)
		count(c, n, TALLY_TRANSFERS);
	if (!n->counted || l->poll == c->poll)
		return;
	l->poll = c->poll;
	count(c, n, TALLY_LINES);
}
