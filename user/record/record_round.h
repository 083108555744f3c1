/*
 * record_round - a round of turns as the recorder keeps it; of turns on two pairs of devices (record_turns.c)
 *                or on one device (record_exchange.c)
 *
 * units: ns of CLOCK_MONOTONIC
 * law:   the turns of a round are in the order of time
 */
#ifndef USER_RECORD_ROUND_H
#define USER_RECORD_ROUND_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "reports/run/turns.h"
#include "user/load/rig.h"

struct bench;
struct recorder;

/* Part of a round, with or without samples. Turns are in it that begin and end within. */
struct stretch {
	uint64_t from_ns, to_ns;
	double steal_ns, freq_khz;
	enum run_window_kind kind;
	struct reading_by {
		uint64_t busy_ns, frames;
	} readers[RIG_ARMS][2]; /* of each variant, before and after */
};

#define STRETCHES 2

struct round {
	int number;
	size_t first_block;
	struct stretch stretches[STRETCHES];
	struct run_turn *turns;
	size_t nturns;
	double stamp_ns;
	/* Before and after the load of the round, which all its blocks have in common. */
	struct run_speed speeds[2];
	double placement_ns[2];
};

/* Fills speeds and placement_ns, of the machine without load. when: 0 before the load of the round, 1 after it */
void round_probe(const struct recorder *r, struct round *n, int when);
/* Appends the block of a variant, with all that is not of one kind of turns: no windows, no totals, no mode. */
int round_add_block(struct recorder *r, const struct round *n, size_t variant, const struct bench *bench,
		    struct run_block **added, struct diag *d);
/* Ends perf and gives each variant's block its samples of this round. Without a profile: does nothing, returns 0. */
int round_samples_take(struct recorder *r, const struct round *n, struct diag *d);
/* Removes what an incomplete round left behind; turns_before: r->turns.n before it. */
void round_undo(struct recorder *r, const struct round *n, size_t turns_before);

#endif
