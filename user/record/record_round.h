/*
 * record_round - measures a round of turns: on arms of the lab (record_turns.c) or on one device (record_exchange.c)
 *
 * in:    what the kind of turns does by itself
 * out:   record_round() appends a block for each variant to r->run, and its turns to r->turns
 * units: ns of CLOCK_MONOTONIC
 * law:   a round is complete or absent. The turns of a round are in the order of time
 * error: -errno with one sentence, as in record.h
 */
#ifndef USER_RECORD_ROUND_H
#define USER_RECORD_ROUND_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "reports/run/turns.h"
#include "user/bed/rig.h"

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

/* The turns of one variant that count in one stretch, added up. */
struct turn_sums {
	uint64_t verdicts[RUN_VERDICTS];
	double wall_ns, own_ns, plant_ns;
};

struct round {
	int number;
	size_t first_block;
	struct stretch stretches[STRETCHES];
	struct run_turn *turns;
	size_t nturns;
	struct turn_sums sums[STRETCHES][RIG_ARMS];
	double stamp_ns;
	void *of; /* what the kind of turns keeps of the round */
	/* Before and after the load of the round, which all its blocks have in common. */
	struct run_speed speeds[2];
	double placement_ns[2];
};

/* What one kind of turns does by itself, in the order in which record_round() calls it. */
struct round_kind {
	int (*open)(struct recorder *r, struct round *n, struct diag *d);  /* attaches the programs */
	int (*begin)(struct recorder *r, struct round *n, struct diag *d); /* the load; returns when turns may count */
	void (*edge)(struct recorder *r, const struct round *n, struct stretch *s,
		     int when); /* 0: it begins, 1: ends */
	int (*stretch)(struct recorder *r, struct round *n, int stretch, double seconds, struct diag *d);
	int (*end)(struct recorder *r, struct round *n, struct diag *d); /* of the load */
	int (*read)(struct recorder *r, struct round *n); /* fills turns and sums; NULL: they are filled. -ENOMEM */
	const struct bench *(*bench)(struct recorder *r, const struct round *n, size_t variant);
	int (*totals)(struct recorder *r, struct round *n, struct diag *d); /* of the round's blocks, and their modes */
	void (*close)(struct recorder *r, struct round *n); /* undoes all of it; called after errors too */
};

int record_round(struct recorder *r, const struct round_kind *kind, struct round *n, struct diag *d);
/* Notes what a pair of stamps costs in this round; the run has the mean of the rounds. */
void round_stamp(struct recorder *r, struct round *n, double stamp_ns);
/* Ends perf and gives each variant's block its samples of this round. Without a profile: does nothing, returns 0. */
int round_samples_take(struct recorder *r, const struct round *n, struct diag *d);

#endif
