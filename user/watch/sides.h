/*
 * sides - what devices, queues, CPUs and the stack did in each of the last intervals, to be summed up on each side of a
 * moment
 *
 * in:    a watcher at the end of an interval, and what was seen of queues in it
 * out:   an object of "amounts", by device, "cpu N", and "" for the stack: polls, and the growth of all counters; and
 *        of "queues", as those of show.h. Both are owned by the caller
 * units: packets, polls, ns; a counter as whoever counts it
 * law:   everything is read at the end of an interval, so that what goes in and what comes out is of the same time.
 *        An interval that lies on both sides of a moment is in neither. A growth that is not known makes the sum not
 *        known. Numbers of queues are means over intervals, weighted by looks; most is the highest
 * error: -ENOMEM
 */
#ifndef USER_WATCH_SIDES_H
#define USER_WATCH_SIDES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "user/machine/machine.h"
#include "user/watch/past.h"
#include "user/watch/queues.h"
#include "user/watch/watch.h"

#define SIDES_QUEUES 128 /* of an interval, those that held something first */

struct sides_key {
	char of[24], name[80];
	uint64_t used; /* the number of the last interval in which it was */
};

/* The growth of one key. */
struct sides_amount {
	uint32_t key;
	double value;
};

struct sides_interval {
	uint64_t from_ns, to_ns;
	struct sides_amount *amounts;
	struct queue_seen *queues;
	size_t n, cap, nqueues, queues_cap;
};

struct nl_sock;

struct sides {
	struct sides_interval intervals[PAST_S];
	size_t first, n; /* the oldest one, how many there are */
	struct sides_key *keys;
	size_t nkeys, hint;
	uint64_t number; /* of the interval */
	/* at the last interval's end: totals by key; NaN: not seen yet */
	double *totals;
	size_t totals_cap;
	struct cpu_times *cpus;
	struct nl_sock *route; /* in the devices' namespace */
};

int sides_add(struct sides *s, const struct watcher *w, const struct queue_seen *seen, size_t n);
/*
 * The intervals that lie in [from, to), each with from_ns, to_ns and "values" by name: what devices polled, what CPUs
 * did, mean fills of queues. NULL: no memory.
 */
json_t *sides_intervals(const struct sides *s, uint64_t from_ns, uint64_t to_ns);
/* Sums over the intervals that lie in [from, to); NULL: no memory. */
json_t *sides_between(const struct sides *s, uint64_t from_ns, uint64_t to_ns);
void sides_release(struct sides *s); /* may be called twice */

#endif
