/*
 * placement - how far the generator's CPU was from the RX CPU, and which blocks are alike in that
 *
 * in:    cache-line ping-pong times before and after each block of a run
 * out:   strata, nearest first, and one that is the reference; the place of each block
 * units: ns, one way
 * law:   values in one stratum follow each other within PLACEMENT_CUT; a block is in one stratum, or
 *        has moved (different strata before and after), or was not probed where others were
 * error: -ENOMEM
 *
 * A virtual machine's CPUs are moved between near and far cores within seconds, and a packet costs
 * half as much again when they are far. Blocks are compared like with like: the reference is the
 * stratum that leaves the most variants PLACEMENT_BLOCKS blocks, and of those the one with the most
 * blocks. A run without probes is one stratum.
 */
#ifndef REPORTS_PLACEMENT_H
#define REPORTS_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/run.h"

#define PLACEMENT_CUT    1.5 /* neighbours further apart than this factor are in two strata */
#define PLACEMENT_BLOCKS 3   /* what a variant needs in the reference stratum */
#define PLACEMENT_STRATA 4   /* kept apart; the farthest ones are one */

/* Where a block was: in a stratum 0 .. PLACEMENT_STRATA - 1, or in none. */
#define PLACEMENT_MOVED    PLACEMENT_STRATA
#define PLACEMENT_UNPROBED (PLACEMENT_STRATA + 1) /* where others were probed */
#define PLACEMENT_PLACES   (PLACEMENT_STRATA + 2)

enum placement_choice { PLACEMENT_AUTO, PLACEMENT_NEAR, PLACEMENT_FAR, PLACEMENT_ALL };

struct placement_stratum {
	char name[8]; /* "near", "mid", "mid2", "far"; "only" when there is one */
	double lo_ns, hi_ns;
	size_t blocks;
};

struct placement {
	enum placement_choice choice;
	bool probed;
	struct placement_stratum strata[PLACEMENT_STRATA];
	size_t nstrata;
	size_t reference;
};

/* Blocks of one variant in one stratum, and what they say. */
struct placement_share {
	size_t blocks;
	double base_ns; /* NaN without blocks */
};

/* like_ns > 0 with PLACEMENT_AUTO: the stratum it belongs to is the reference, if there is one. */
int placement_build(struct placement *p, const struct run *r, enum placement_choice choice, double like_ns,
		    struct diag *d);
/* A stratum's index, or one of the two that are none. */
size_t placement_of(const struct placement *p, const struct run_block *b);
const char *placement_name(const struct placement *p, size_t place);
/* Does the block count, as far as placement goes? With PLACEMENT_ALL each one does. */
bool placement_takes(const struct placement *p, const struct run_block *b);

/* "near" "far" "all" "auto"; -EINVAL lists them. */
int placement_choice_parse(enum placement_choice *c, const char *text, struct diag *d);

#endif
