/*
 * record_rungs - rungs of the receive ladder on a device that is not the lab's, block by block
 *
 * in:    the variants of a run, at least one of which is a rung
 * out:   the variants that can be had; a sentence on stderr for each other one, which the run then lacks, and one that
 *        names rules of others
 * law:   nothing of a variant stays attached
 * error: -EOPNOTSUPP with one sentence: none of the variants can be had
 */
#ifndef USER_RECORD_RUNGS_H
#define USER_RECORD_RUNGS_H

#include <stdbool.h>
#include "user/record/record.h"

bool record_has_rungs(const struct run *run);
/* Before the load runs: what the kernel, the driver, ports and tables refuse. */
int record_rungs_try(struct recorder *r, struct diag *d);
/* With the load, when the RX CPUs are known: which of the variants its frames do not reach. */
int record_rungs_reach(struct recorder *r, struct diag *d);
/* Why no frame comes to a rung, as -ETIMEDOUT and a sentence. */
int record_rung_unreached(const struct recorder *r, const struct run_variant *v, struct diag *d);

#endif
