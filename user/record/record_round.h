/*
 * record_round - a round of turns as the recorder keeps it; shared by record_turns.c, record_exchange.c and
 *                record_round_samples.c
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

/* Ends perf and gives each variant's block its samples of this round. Without a profile: does nothing, returns 0. */
int round_samples_take(struct recorder *r, const struct round *n, struct diag *d);
/* Removes what an incomplete round left behind; turns_before: r->turns.n before it. */
void round_undo(struct recorder *r, const struct round *n, size_t turns_before);

#endif
