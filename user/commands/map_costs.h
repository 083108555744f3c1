/*
 * map_costs - what packets cost, and where they wait, on the devices of a map
 *
 * in:    a map; words of --cost: [NAMESPACE=]PATH. PATH is a run directory, or lines of watch -f jsonl, of which each
 *        device's last one counts. NAMESPACE is that of the devices; without it the one of the map's reader
 * out:   members "costs" and "queues" of the map's devices (docs/formats.rst); what has no device there stands under
 *        the map's "unknown"
 * error: -errno with one sentence: no such file, no such run, a namespace that the map lacks, nothing in it that is a
 *        cost
 */
#ifndef USER_COMMANDS_MAP_COSTS_H
#define USER_COMMANDS_MAP_COSTS_H

#include <jansson.h>
#include "base/diag.h"

int map_costs_add(json_t *map, const char *words, struct diag *d);

#endif
