/*
 * nodes - call paths: a node is a function in one call path, and holds what was counted there
 *
 * law:   a node that __napi_poll() called is the root of a poll; its tracepoint is none. Pointers to nodes hold until
 *        the next node is made
 */
#ifndef VM_PLUGIN_NODES_H
#define VM_PLUGIN_NODES_H

#include <stdbool.h>
#include <stdint.h>
#include "vm/plugin/tally.h"

#define NODE_NONE UINT32_MAX

struct node {
	struct tallies tallies;
	uint64_t calls;
	uint32_t symbol, parent, child, sibling;
	bool poll;
	bool beside;  /* the tracepoint of polls */
	bool counted; /* a poll, or below one */
};

void nodes_clear(void);
uint32_t node_new(uint32_t symbol, uint32_t parent);
uint32_t node_below(uint32_t parent, uint32_t symbol); /* made if there is none */
struct node *node_get(uint32_t number);
const char *node_name(uint32_t number);   /* "-": no symbol */
uint64_t node_sum_below(uint32_t number); /* instructions of the node and of all below it */

#endif
