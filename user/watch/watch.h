/*
 * watch - what packets cost on devices that work, second by second, without touching their path
 *
 *     watcher_open(), watcher_begin()
 *     again and again: watcher_look() when watcher_next_ns() says
 *         after WATCH_LOOKS looks: watcher_count(), watcher_line() for each slot, watcher_end()
 *         about once a second: watcher_refresh()
 *
 * in:    devices by name, or all of this process's network namespace
 * out:   a line for each device and interval. The programs are probe.h's; functions come from samples (flight.h)
 * units: ns; packets; NaN: not known
 * law:   ten looks make an interval, of memory alone and without a system call. Looks lie end to end: the packets of
 *        all intervals are all packets that were polled. Nothing on the machine is changed
 * error: -errno with one sentence: -ENODEV, -EOPNOTSUPP, -ENOMEM
 */
#ifndef USER_WATCH_WATCH_H
#define USER_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/watch/devices.h"
#include "user/watch/past.h"
#include "user/watch/polled.h"
#include "user/watch/probe.h"

#define WATCH_LOOKS 10 /* of an interval */

/* What a device did in one interval. */
struct watch_line {
	unsigned int slot;
	const struct watched *device; /* NULL: the backlog's polls, which have no device */
	double time_s, seconds;       /* when the interval ended, since the beginning; how long it was */
	uint64_t at_ns;               /* when it ended, of CLOCK_MONOTONIC */
	struct watch_polls polls;     /* on all CPUs */
	struct polled_cost cost;
	struct polled_own own; /* which is not in cost */
	double busy_pct;       /* of one CPU */
	uint64_t squeezed;     /* softirqs that ran out of budget, on the CPUs that polled this device */
	uint64_t backlog_drops;
	bool programs_changed; /* since the last line of this device */
	size_t unwatched;      /* devices that there is no room for */
	double queue_pct;      /* the highest fill of its queues; NaN, which the caller may fill */
	int cpus[RUN_MAX_RX_CPUS];
	size_t ncpus;
};

/* What the kernel counts for one CPU, whatever the device. */
struct softnet {
	uint64_t dropped, squeezed;
};

struct watcher {
	unsigned int every; /* as in probe_open() */
	struct probe probe;
	struct own_costs own; /* as they were at the look before */
	struct devices devices;
	struct past past;
	uint64_t start_ns, look_ns, interval_ns, refreshed_ns; /* when they were last */
	uint64_t step_ns, next_ns;                             /* from look to look; when the next one is due */
	struct watch_polls *memory;                            /* of the next four, ncpus times WATCH_SLOTS each */
	struct watch_polls *before, *now, *growth;
	struct watch_polls *interval;                       /* the growth in the interval up to now */
	struct watch_polls looks[WATCH_SLOTS][WATCH_LOOKS]; /* of the interval, on all CPUs */
	size_t nlooks;
	struct polled_past scatter[WATCH_SLOTS];
	struct softnet *softnet_before, *softnet; /* of each CPU */
	uint64_t since_ns[WATCH_SLOTS];           /* of the device whose past is kept */
	bool told[WATCH_SLOTS];                   /* the programs of this slot's device, as they are now */
};

void watcher_init(struct watcher *w);
/* names: of devices, borrowed; none: all */
int watcher_open(struct watcher *w, const char *const *names, size_t nnames, unsigned int every, struct diag *d);
void watcher_begin(struct watcher *w, double interval_s);
uint64_t watcher_next_ns(struct watcher *w); /* each call is for another look */
int watcher_look(struct watcher *w, struct diag *d);
int watcher_count(struct watcher *w); /* what the devices and the kernel counted in the interval. -ENOMEM */
/* The line of a device that was polled, or that was named. false: there is none */
bool watcher_line(struct watcher *w, unsigned int slot, struct watch_line *line);
/* Packets per second that were taken from this CPU's backlog in this interval. */
double watcher_backlog_pps(void *watcher, unsigned int cpu);
void watcher_end(struct watcher *w);
int watcher_refresh(struct watcher *w, struct diag *d); /* devices, their programs and threads */
void watcher_release(struct watcher *w);                /* may be called twice */

#endif
