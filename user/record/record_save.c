// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what has been measured into the run directory. record_parts.h has the contract. */
#include <stdio.h>
#include "reports/run/turns.h"
#include "user/machine/clock.h"
#include "user/record/record_parts.h"

#define SAVE_SHARE 20 /* of the time, for saving: one part of so many */

int record_save(struct recorder *r, const char *ended, struct diag *d)
{
	int err;

	record_note_rate(r);
	snprintf(r->run.ended, sizeof(r->run.ended), "%s", ended);
	err = r->turns.n || r->turns.nspilled ? turns_write(&r->turns, r->dir.at, d)
					      : 0; /* before the blocks: none has turns that are missing */
	return err ? err : run_write(&r->run, r->dir.at, d);
}

/* Where something fails, the end of the recording finds the same cause and reports it. */
void record_save_now_and_then(struct recorder *r)
{
	uint64_t before = now_ns(), after;

	turns_spill(&r->turns, r->dir.at); /* who looks at the run reads them from its directory */
	if (!record_looks_again(r))
		run_spill(&r->run, r->dir.at);
	if (before < r->save_at_ns || record_save(r, "killed", NULL))
		return;
	after = now_ns();
	r->save_at_ns = after + (SAVE_SHARE - 1) * (after - before);
}
