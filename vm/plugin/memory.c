// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/memory.h"

#include <string.h>
#include "vm/plugin/nodes.h"
#include "vm/plugin/places.h"
#include "vm/plugin/table.h"

#define LINE_BITS  6
#define PAGE_BITS  12
#define PAGE_LINES (1u << (PAGE_BITS - LINE_BITS))
#define PAGES      (1u << 16)
#define CELLS      (1u << 18)

struct line {
	uint64_t sharers; /* vCPUs that have accessed the line since it was written, as a mask; 0: nobody wrote it */
	uint32_t poll;    /* the last one that touched it */
	uint32_t writer;
};

struct page {
	uint64_t number;
	struct page *chain;
	bool stack;
	struct line lines[PAGE_LINES];
};

/* What a node did to a page in this window. */
struct cell {
	uint32_t node, chain, of_node; /* chain, of_node: the next one with this hash, and of this node */
	const struct page *page;
	struct tallies tallies;
};

static struct page *pages[PAGES];
static struct cell *cells; /* number 0 is none */
static uint32_t ncells, cells_room, buckets[CELLS];
static uint32_t *first_of; /* by node */
static size_t nodes_room;
static bool transfers; /* there are several vCPUs */

static struct page *page_at(uint64_t address)
{
	uint64_t number = address >> PAGE_BITS;
	struct page **p = &pages[slot(number, PAGES)];

	while (*p && (*p)->number != number)
		p = &(*p)->chain;
	if (!*p) {
		*p = must(calloc(1, sizeof(**p)));
		(*p)->number = number;
	}
	return *p;
}

void memory_clear(bool several)
{
	transfers = several;
	ncells = 1;
	memset(buckets, 0, sizeof(buckets));
	memset(first_of, 0, nodes_room * sizeof(*first_of));
}

static struct tallies *cell_at(uint32_t node, const struct page *page)
{
	uint32_t *bucket = &buckets[slot(page->number ^ ((uint64_t)node << 40), CELLS)], c = *bucket;

	while (c && (cells[c].node != node || cells[c].page != page))
		c = cells[c].chain;
	if (c)
		return &cells[c].tallies;
	if (ncells >= cells_room) {
		cells_room = cells_room ? 2 * cells_room : 1 << 14;
		cells = must(realloc(cells, cells_room * sizeof(*cells)));
	}
	if (node >= nodes_room) {
		size_t room = 2 * (size_t)node + 1;

		first_of = must(realloc(first_of, room * sizeof(*first_of)));
		memset(first_of + nodes_room, 0, (room - nodes_room) * sizeof(*first_of));
		nodes_room = room;
	}
	cells[ncells] = (struct cell){.node = node, .chain = *bucket, .of_node = first_of[node], .page = page};
	*bucket = first_of[node] = ncells;
	return &cells[ncells++].tallies;
}

size_t memory_spots(uint32_t node, const struct spot **spots)
{
	static struct spot *all;
	static size_t *number; /* of a place among the spots, + 1 */
	size_t n = 0;

	all = must(realloc(all, places_count() * sizeof(*all)));
	number = must(realloc(number, places_count() * sizeof(*number)));
	memset(number, 0, places_count() * sizeof(*number));
	for (uint32_t c = node < nodes_room ? first_of[node] : 0; c; c = cells[c].of_node) {
		const struct page *page = cells[c].page;
		unsigned int place = page->stack ? PLACE_STACK : place_at(page->number << PAGE_BITS);

		if (!number[place]) {
			all[n] = (struct spot){.place = place_name(place)};
			number[place] = ++n;
		}
		for (int i = 0; i < TALLIES; i++)
			all[number[place] - 1].tallies.n[i] += cells[c].tallies.n[i];
	}
	*spots = all;
	return n;
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

/* cell NULL: not in a poll that is counted. */
static void memory_count(struct vcpu *c, struct node *n, struct tallies *cell, enum tally what, unsigned int how_many)
{
	c->total.n[what] += how_many;
	if (!cell)
		return;
	n->tallies.n[what] += how_many;
	cell->n[what] += how_many;
}

/*
 * A CPU that takes an interrupt loads the gate from the interrupt descriptor table, and stores the old state on the
 * stack. Now and then QEMU 7.2 shows these accesses as if the last instruction had made them. The table has a fixed
 * address, which the kernel itself never loads from: from that load to the next block the CPU enters an interrupt.
 */
#define IDT_PAGE (0xfffffe0000000000ULL >> PAGE_BITS)

bool memory_enters(uint64_t address)
{
	return address >> PAGE_BITS == IDT_PAGE;
}

void memory_access(struct vcpu *c, unsigned int cpu, const struct access *a)
{
	struct node *n = node_get(c->node);
	struct tallies *cell;
	struct page *page;
	struct line *l;
	bool moved;

	c->entering |= memory_enters(a->address);
	if (!transfers && !n->counted && !a->pushed && !a->device) { /* most accesses */
		c->total.n[a->store ? TALLY_STORES : TALLY_LOADS] += !c->entering;
		return;
	}
	page = page_at(a->address);
	page->stack |= a->pushed;
	l = &page->lines[(a->address >> LINE_BITS) % PAGE_LINES];
	moved = transfer(l, cpu, a->store);
	if (c->entering)
		return;
	cell = n->counted ? cell_at(c->node, page) : NULL;
	memory_count(c, n, cell, a->store ? TALLY_STORES : TALLY_LOADS, 1);
	memory_count(c, n, cell, TALLY_TRANSFERS, moved);
	if (!page->stack)
		memory_count(c, n, cell, TALLY_DEVICE, a->device);
	if (!cell || l->poll == c->poll)
		return;
	l->poll = c->poll;
	memory_count(c, n, cell, TALLY_LINES, 1);
}
