// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/nodes.h"

#include "vm/plugin/symbols.h"
#include "vm/plugin/table.h"

static struct node *nodes;
static uint32_t nnodes, room;

void nodes_clear(void)
{
	nnodes = 0;
}

uint32_t node_new(uint32_t symbol, uint32_t parent)
{
	if (nnodes == room) {
		room = room ? 2 * room : 1 << 12;
		nodes = must(realloc(nodes, room * sizeof(*nodes)));
	}
	nodes[nnodes] = (struct node){.symbol = symbol, .parent = parent, .child = NODE_NONE, .sibling = NODE_NONE};
	if (parent != NODE_NONE) {
		nodes[nnodes].sibling = nodes[parent].child;
		nodes[parent].child = nnodes;
	}
	return nnodes++;
}

uint32_t node_below(uint32_t parent, uint32_t symbol)
{
	const struct symbol *up = symbol_get(nodes[parent].symbol), *this = symbol_get(symbol);
	uint32_t n = nodes[parent].child;

	while (n != NODE_NONE && nodes[n].symbol != symbol)
		n = nodes[n].sibling;
	if (n != NODE_NONE)
		return n;
	n = node_new(symbol, parent);
	nodes[n].beside = up && up->napi_poll && this && this->tracepoint;
	nodes[n].poll = (up && up->napi_poll && !nodes[n].beside) || (this && this->poll);
	nodes[n].counted = nodes[n].poll || nodes[parent].counted;
	return n;
}

struct node *node_get(uint32_t number)
{
	return &nodes[number];
}

const char *node_name(uint32_t number)
{
	const struct symbol *s = symbol_get(nodes[number].symbol);

	return s ? s->name : "-";
}

uint64_t node_sum_below(uint32_t number)
{
	uint64_t sum = nodes[number].tallies.n[TALLY_INSTRUCTIONS];

	for (uint32_t n = nodes[number].child; n != NODE_NONE; n = nodes[n].sibling)
		sum += node_sum_below(n);
	return sum;
}
