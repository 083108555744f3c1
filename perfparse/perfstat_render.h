/*
 * perfstat_render - counts of perf stat per packet, as text, JSON or CSV
 *
 * in:    counts, and the number of packets that passed during the count
 * out:   text into a FILE of the caller, or a json_t that the caller owns
 * units: events per packet; "msec" of a clock are shown as ns per packet
 * law:   an event that was not counted is shown as such, and is null in JSON. An event that shared its counter
 *        with other events is shown with the share of the time in which it was counted
 * error: -EIO, -EINVAL no count of that CPU or event
 */
#ifndef PERFPARSE_PERFSTAT_RENDER_H
#define PERFPARSE_PERFSTAT_RENDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "perfparse/perfstat.h"

#define PERFSTAT_SCHEMA "xdpzoom.perf-stat/1"

struct perfstat_render {
	const struct perfstat *stat;
	double packets;    /* packets in one run */
	double window_s;   /* NaN: not known */
	int cpu;           /* -1: any */
	const char *event; /* NULL: any */
};

/* True if the count is of the wanted CPU and the wanted event. */
bool perfstat_render_shows(const struct perfstat_render *r, const struct perfstat_count *c);
json_t *perfstat_render_json(const struct perfstat_render *r);
int perfstat_render_text(const struct perfstat_render *r, FILE *out);
int perfstat_render_csv(const struct perfstat_render *r, FILE *out);

#endif
