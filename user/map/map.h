/*
 * map - the packet paths of this machine: network namespaces, devices, what carries packets between them, and
 * programs on the way
 *
 * in:    this machine, by netlink, bpf(2), sock_diag and nftables; or a map that was written before
 * out:   JSON of schema xdpzoom.map/1, which the caller owns: docs/formats.rst has its members. A device is
 *        NAMESPACE/NAME, a program prog:ID, a CPU cpu:N, an AF_XDP socket xsk:DEVICE:QUEUE
 * law:   nothing is attached, changed or sent. What cannot be seen stands under "unknown", a sentence each. The
 *        same machine gives the same bytes; arrays are sorted
 * error: -errno with one sentence: no memory, or not even this namespace can be read
 */
#ifndef USER_MAP_H
#define USER_MAP_H

#include <jansson.h>
#include <stdio.h>
#include "base/diag.h"
#include "base/sheet/text.h"

#define MAP_SCHEMA      "xdpzoom.map/1"
#define MAP_DIFF_SCHEMA "xdpzoom.map-diff/1"

int map_read(json_t **map, struct diag *d);
/* A file that json_dumpf() wrote of such a map; -EINVAL: it is none. */
int map_load(json_t **map, const char *path, struct diag *d);

/* A tree by namespace; devices stand below what they are a part of. */
void map_text(const struct text *t, const json_t *map);
/* In the language of Graphviz. */
void map_dot(FILE *out, const json_t *map);

/*
 * {"gone": [...], "new": [...], "changed": [...]}: sentences about devices, programs, edges, sockets and hooks.
 * Programs are the same if their name and tag are, whatever their number.
 */
json_t *map_diff(const json_t *before, const json_t *after);

#endif
