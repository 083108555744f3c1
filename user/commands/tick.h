/*
 * tick - prints what stat counted in one interval
 *
 * in:    counts that grew in the interval; the variant; a format, "text" or "json"
 * out:   lines on stdout; json: one object a line, schema "xdpzoom.stat/1"
 * units: packets, and packets per second of the interval
 * error: -errno of writing; -EPIPE: the reader closed the pipe
 */
#ifndef USER_CLI_TICK_H
#define USER_CLI_TICK_H

#include <stdbool.h>
#include <stdint.h>
#include "reports/run/run.h"
#include "user/programs/bench.h"
#include "user/programs/calls.h"

struct tick {
	const struct run_variant *v;
	const struct bench_count *growth; /* per CPU */
	int ncpus;
	/* since the start; -1: there is no second stage, or no counter for it */
	int64_t stage_frames, stage_dropped;
	double seconds, since_start_s;
	uint64_t packets;
	const struct counters *device; /* the counters that changed; NULL: not asked for */
	const struct calls *calls;
	const struct call_count *called; /* of each function */
	bool extended;                   /* the text also has rows per CPU and verdict, and of the second stage */
};

void tick_print_heading(void); /* for the format "text" */
int tick_print(const struct tick *t, const char *format);

#endif
