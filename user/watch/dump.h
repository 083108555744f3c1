/*
 * dump - the last minutes as a run directory of the view "watch", which report, diff and the others read
 *
 * in:    a watcher that runs and its flight recorder; from when on; the moment in between, if there was one
 * out:   DIR, complete or absent. A variant for each device and part: "watch:DEV/before@MODE" and ".../after@MODE", or
 *        ".../all@MODE" where there was no such moment. A block is a few whole seconds, with a script of the samples.
 *        moment.json: what devices, queues and CPUs did on each side of the moment, and the machine's state
 *        (docs/formats.rst)
 * units: CLOCK_MONOTONIC ns
 * law:   busy time comes from the polls' clock and costs of functions from samples, so that they check each other.
 *        Names are those that the functions had when the samples were taken. Counting goes on meanwhile
 * error: -errno and one sentence: -ENODATA nothing was polled in that time; those of run_dir_begin()
 */
#ifndef USER_WATCH_DUMP_H
#define USER_WATCH_DUMP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "user/watch/flight.h"
#include "user/watch/sides.h"
#include "user/watch/states.h"
#include "user/watch/watch.h"

struct dump_options {
	const char *dir;
	bool force;
	uint64_t from_ns, moment_ns; /* moment_ns 0: there was none */
	json_t *command;             /* borrowed */
	const char *why;             /* what asked for it */
	bool trigger;                /* a trigger did */
	json_t *queues;              /* borrowed; what was seen of queues last; NULL: nothing */
	const struct sides *sides;
	const struct states *states;
};

/* On success, *blocks is their number. */
int dump_write(const struct dump_options *o, const struct watcher *w, struct flight *f, size_t *blocks, struct diag *d);

#endif
