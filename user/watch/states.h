/*
 * states - the machine's state (state.h) at many moments, read by another process
 *
 * in:    the devices that are watched, and the queues that are looked at, for the sockets behind them
 * out:   the state at the beginning of a time, what changed since, and the tasks before and after a moment; owned by
 *        the caller
 * units: ns of CLOCK_MONOTONIC; seconds since the moment; ms of a CPU
 * law:   a reading is made by a child, at the priority of this process: at a lower one it would not come to a CPU where
 *        the machine is busiest. It ends with this process. It is made when somebody
 *        asks, and else as often as STATES_PCT of one CPU pays for, and not more often than each STATES_EVERY_S. A
 *        change came between two readings, and its time is that of both
 * error: a reading that fails is no error: what it would have told is not known
 */
#ifndef USER_WATCH_STATES_H
#define USER_WATCH_STATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "user/watch/devices.h"
#include "user/watch/queues.h"

#define STATES_EVERY_S 5
#define STATES_PCT     0.2
#define STATES_KEPT    64

struct states_reading {
	uint64_t at_ns;
	json_t *state;
	json_t *objects; /* shared with an older one that was the same */
};

struct states {
	pid_t pid; /* of the child that reads; 0: none does */
	int fd;    /* where it writes */
	uint64_t began_ns, ended_ns;
	double cost_ms; /* of the last reading */
	struct states_reading kept[STATES_KEPT];
	size_t first, n;
};

/* Begins a reading, unless one is under way. now: whether or not one is due. */
void states_ask(struct states *s, const struct devices *ds, const struct queues *q, bool now);
/* Takes what a reading has brought. wait: until it has ended. Returns whether none is under way. */
bool states_take(struct states *s, bool wait);
/* The readings in [from, to), whose parts meet at the moment; 0: there is none. NULL: none was read, or no memory. */
json_t *states_between(const struct states *s, uint64_t from_ns, uint64_t moment_ns, uint64_t to_ns);
void states_release(struct states *s); /* may be called twice */

#endif
