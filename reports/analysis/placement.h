/*
 * placement - how far the generator's CPU was from the RX CPU, and which blocks had the same distance
 *
 * in:    cache-line ping-pong times before and after each block of a run
 * out:   strata, nearest first; which of them is the reference; the place of each block
 * units: ns, one way
 * law:   neighbouring values of one stratum differ by a factor of at most PLACEMENT_CUT. A block is in one stratum, or
 *        has moved (different strata before and after), or was not probed although others were
 * error: -ENOMEM
 *
 * A host may move a virtual machine's CPUs between near and far cores within seconds, and a packet costs half as
 * much again when they are far. So only blocks of the same distance are compared. The reference is the stratum in which
 * the most variants have PLACEMENT_BLOCKS blocks; among equals, it is the one with the most blocks. A run without
 * probes is one stratum.
 */
#ifndef REPORTS_PLACEMENT_H
#define REPORTS_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/run.h"

#define PLACEMENT_CUT    1.5 /* neighbouring values further apart than this factor are in two strata */
#define PLACEMENT_BLOCKS 3   /* blocks that a variant needs in the reference stratum */
#define PLACEMENT_STRATA 4   /* most strata; all values beyond the last cut are in the last one */

/* Where a block was: in a stratum 0 .. PLACEMENT_STRATA - 1, or in none. */
#define PLACEMENT_MOVED    PLACEMENT_STRATA
#define PLACEMENT_UNPROBED (PLACEMENT_STRATA + 1) /* this block was not probed, but others were */
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

/* The blocks of one variant in one place, and their mean base. */
struct placement_share {
	size_t blocks;
	double base_ns; /* NaN without blocks */
};

/* like_ns: > 0 with PLACEMENT_AUTO makes the stratum that this value belongs to the reference, if there is one. */
int placement_build(struct placement *p, const struct run *r, enum placement_choice choice, double like_ns,
		    struct diag *d);
/* The index of the block's stratum, or PLACEMENT_MOVED, or PLACEMENT_UNPROBED. */
size_t placement_of(const struct placement *p, const struct run_block *b);
const char *placement_name(const struct placement *p, size_t place);
/* Is the block in the reference stratum? With PLACEMENT_ALL the answer is always yes. */
bool placement_takes(const struct placement *p, const struct run_block *b);

/* "near" "far" "all" "auto"; -EINVAL lists them. */
int placement_choice_parse(enum placement_choice *c, const char *text, struct diag *d);

#endif
