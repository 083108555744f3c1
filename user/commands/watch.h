/*
 * watch - prints the packets of the program under test for each interval, until the duration ends or a signal comes
 *
 * in:    a session under load (session.h)
 * out:   a tick for each interval on stdout (tick.h)
 * units: seconds; ns on CLOCK_MONOTONIC
 * law:   a reader that closes the output's pipe (EPIPE) ends the watch without an error
 * error: -ENODEV the device went away, -EIO somebody detached the program, -ECHILD the generator died, -EOPNOTSUPP no
 *        packet reaches the second stage; one sentence
 */
#ifndef USER_CLI_WATCH_H
#define USER_CLI_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include "user/session/session.h"

struct watch_options {
	double interval_s, duration_s; /* duration 0: until a signal */
	bool extended;                 /* adds the device's counters and more of the program's counts */
	const char *format;            /* "text" or "json" */
};

struct watch {
	const struct watch_options *o;
	const struct run_variant *v;
	struct session *session;
	struct bench_count *before, *now, *growth; /* per CPU; one allocation */
	struct call_count called_before[CALLS_MAX], called[CALLS_MAX];
	struct reading reading;
	struct run_counters changed;
	uint64_t start_ns, last_ns;
};

int watch_run(struct watch *w, struct diag *d);
void watch_release(struct watch *w);

#endif
