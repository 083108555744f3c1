/*
 * cost_render - a cost table as text, JSON, CSV or folded stacks
 *
 * in:    a cost table with the profile and the facilities it was built from, all borrowed
 * out:   text into a FILE of the caller, or a json_t that the caller owns
 * units: ns per packet, percent; folded counts are whole picoseconds per packet
 * law:   every number comes from the table; every format shows the same rows
 * error: -EIO, -ENOMEM
 * src:   text rows begin like the awk lines of "Eval Generic netstack XDP patch": " 34.33% => 42.0 ns"
 */
#ifndef PERFPARSE_COST_RENDER_H
#define PERFPARSE_COST_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "perfparse/cost.h"

#define PROFILE_SCHEMA "xdpzoom.profile/1"

struct cost_render {
	const struct cost_table *table;
	const struct profile *profile;
	struct facilities *facilities;
	double pps;    /* the rate from which base_ns was computed; 0: base_ns was given in ns */
	bool children; /* text: the cost of a symbol includes all that it calls; largest such cost first */
	bool symbols;  /* text: false prints facilities only */
};

json_t *cost_render_json(const struct cost_render *r);
int cost_render_text(const struct cost_render *r, FILE *out);
int cost_render_csv(const struct cost_render *r, FILE *out);
int cost_render_folded(const struct cost_render *r, FILE *out);

const char *profile_space_name(enum profile_space space); /* "kernel", "user", ... */
char profile_space_mark(enum profile_space space);        /* perf's mark: k . g u H; ? for SPACE_UNKNOWN */

#endif
