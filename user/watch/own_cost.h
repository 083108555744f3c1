/*
 * own_cost - what a watch costs on this machine and at this load
 *
 * in:    a watcher that runs, and its flight recorder
 * out:   text: for each device the ns that watch's programs take of a packet, and their part of what a packet costs
 *        with them; what samples take of a CPU; what events take that have nothing to do with packets
 * units: ns per packet; percent of one CPU
 * law:   rounds of two intervals or more: in the first ones the costs of the programs are measured (probe.h), in the
 *        last one the polls are counted that they are multiplied by. So the interval holds how both move from round to
 *        round. What the programs take from the caches of others is not in it; blocks with and without them show it
 *        (record -V X,X+observer:watch)
 * error: none
 */
#ifndef USER_WATCH_OWN_COST_H
#define USER_WATCH_OWN_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "user/watch/flight.h"
#include "user/watch/watch.h"

#define OWN_ROUNDS 5

/* How often the programs were called, whatever for. */
struct own_events {
	uint64_t at_ns, softirqs, switches;
};

struct own_rounds {
	bool armed;   /* own costs were known when this interval began */
	bool unknown; /* in this interval, for some device */
	size_t n;
	size_t of_slot[WATCH_SLOTS]; /* rounds in which a device had packets */
	double ns[WATCH_SLOTS][OWN_ROUNDS], pct[WATCH_SLOTS][OWN_ROUNDS];
	double count_ns[OWN_ROUNDS], poll_ns[OWN_ROUNDS], softirq_ns[OWN_ROUNDS];
	struct own_events began, now;
};

void own_line(struct own_rounds *r, const struct watch_line *line);
/* After each interval's lines. Returns whether there are OWN_ROUNDS rounds. */
bool own_round(struct own_rounds *r, struct watcher *w);
void own_print(const struct own_rounds *r, const struct watcher *w, const struct flight *f);

#endif
