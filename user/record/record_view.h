/*
 * record_view - the one measuring loop: a round of variants, in each of the ways to measure them
 *
 *     blocks          one variant at a time on one device; a round here is one block of one variant (record_blocks.c)
 *     work, crossing  all variants in turns, each on an arm of the lab (record_lab.c, turner.h, rig.h)
 *     turns           all variants of one mode in turns on one device, whose program is exchanged (record_device.c)
 *
 * in:    a recorder whose session is open and whose run holds the variants
 * out:   record_round() appends a block for each variant of the round to r->run, and the turns to r->turns. Where
 *        variants take turns, a block's windows hold the sums over the variant's turns, once without and once with
 *        samples
 * units: ns of CLOCK_MONOTONIC; frames
 * law:   a round is complete or absent. The turns of a round are in the order of time
 * error: -errno with one sentence, as in record.h
 */
#ifndef USER_RECORD_VIEW_H
#define USER_RECORD_VIEW_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "reports/run/turns.h"
#include "user/bed/bed.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"
#include "user/record/record_parts.h"

struct bench;
struct turn_samples;

/* Part of a round of turns, with or without samples. Turns are in it that begin and end within. */
struct stretch {
	uint64_t from_ns, to_ns;
	double steal_ns, freq_khz;
	enum run_window_kind kind;
	struct stage_edge stages[RIG_ARMS][2]; /* of each variant, before and after */
};

#define STRETCHES 2

/* The turns of one variant that count in one stretch, added up. */
struct turn_sums {
	uint64_t verdicts[RUN_VERDICTS];
	double wall_ns, own_ns, plant_ns;
};

struct round {
	int number;
	size_t variant, nvariants; /* the first one that is measured, how many there are */
	size_t first_block;
	/* where variants take turns */
	struct stretch stretches[STRETCHES];
	struct run_turn *turns;
	size_t nturns;
	struct turn_sums sums[STRETCHES][RIG_ARMS];
	double stamp_ns;
	/* of a view that measures on the session's device; block.rb is the first block of the round */
	struct block block;
	struct gen_result sent;
	uint64_t seen_before;    /* frames that the programs saw before the counters in block.quiet were read */
	struct patience silence; /* since packets were seen last */
	struct fillers fillers;
};

/* Whose samples count, and which of their frames, of each variant of a round of turns. */
struct receivers {
	pid_t tids[RIG_ARMS], readers[RIG_ARMS], helpers[RIG_ARMS];
	const char *roots[RIG_ARMS];
};

#define SOFTIRQ_ROOT "net_rx_action" /* what softirqs of NET_RX run; what called it is the generator's */

/* What one way of measuring does by itself, in the order in which the recorder calls it. */
struct view {
	bool arms;  /* variants are on devices of the lab's own, and nothing about another device has to be found out */
	bool turns; /* the variants of a round take turns; else a round has one variant */
	/* NULL, or why these variants and options cannot be measured so. NULL: there is no such reason */
	const char *(*cannot)(const struct run *run, const struct record_options *o);
	int (*prepare)(struct recorder *r, struct diag *d); /* before the first round; may set r->of_view */
	int (*attach)(struct recorder *r, struct round *n, struct diag *d);
	const struct bench *(*bench)(const struct recorder *r, const struct round *n, size_t variant);
	int (*begin)(struct recorder *r, struct round *n,
		     struct diag *d); /* the load; returns when packets may count */
	int (*measure)(struct recorder *r, struct round *n, struct diag *d); /* the windows, or round_stretches() */
	/* of a stretch. when: 0 it begins, 1 it ends */
	void (*edge)(struct recorder *r, const struct round *n, struct stretch *s, int when);
	int (*stretch)(struct recorder *r, struct round *n, int stretch, double seconds, struct diag *d);
	int (*end)(struct recorder *r, struct round *n, struct diag *d);    /* of the load; fills turns and sums */
	int (*totals)(struct recorder *r, struct round *n, struct diag *d); /* of the round's blocks, and their modes */
	/* Whose samples are in perf's text; out points into whose. NULL: all of them are the one block's. */
	void (*receivers)(struct recorder *r, const struct round *n, struct receivers *whose, struct turn_samples *out);
	int (*check)(struct recorder *r, struct diag *d);    /* beside record_check(); NULL: nothing */
	void (*detach)(struct recorder *r, struct round *n); /* undoes attach and begin; called after errors too */
	void (*release)(struct recorder *r);                 /* undoes prepare; may be called twice, and without it */
};

extern const struct view view_blocks, view_lab, view_device;

/* n holds the number and the variants. */
int record_round(struct recorder *r, struct round *n, struct diag *d);
const char *turns_cannot(const struct record_options *o); /* what no options may want where variants take turns */
/*
 * For attach(), before it loads the round's i-th program: draws a place for it, the same in all rounds of a
 * rotation, in which each variant is loaded as the i-th one once. attach() releases n->fillers.
 */
void round_draw_place(const struct recorder *r, struct round *n, size_t i);
/* The measure() of turns: windows without and with samples. */
int round_stretches(struct recorder *r, struct round *n, struct diag *d);
/* Notes what a pair of stamps costs in this round; the run has the mean of the rounds. */
void round_stamp(struct recorder *r, struct round *n, double stamp_ns);
/*
 * Keeps a turn, and adds it to the sums of its variant in this stretch, unless it is TURN_SWITCHING. grown: what the
 * program counted in it. -ENOMEM
 */
int round_turn(struct round *n, int stretch, const struct run_turn *turn, const struct bench_count *grown);

#endif
