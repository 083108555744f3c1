/*
 * map_draw - a picture of a map, which the program dot of Graphviz draws
 *
 * in:    a map, which may hold what anybody has named a device
 * out:   SVG
 * law:   dot runs in a jail of its own, and is started before this process enters one, in which it could not start
 *        programs. SIGPIPE is ignored from then on
 * error: -EOPNOTSUPP: there is no dot here; -EIO: it could not draw the map; -ENOMEM, -errno
 */
#ifndef USER_MAP_DRAW_H
#define USER_MAP_DRAW_H

#include <jansson.h>
#include <stdio.h>
#include "base/diag.h"

struct map_drawer {
	FILE *words; /* to dot */
	int svg;     /* from dot */
};

int map_draw_begin(struct map_drawer *r, struct diag *d);
/* Once. *svg is the caller's to free. */
int map_draw(struct map_drawer *r, const json_t *map, char **svg, struct diag *d);
void map_draw_release(struct map_drawer *r);

#endif
