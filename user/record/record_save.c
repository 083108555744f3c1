// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what has been measured into the run directory. record_parts.h has the contract. */
#include <stdio.h>
#include "reports/run/turns.h"
#include "user/machine/clock.h"
#include "user/record/record_parts.h"

#define SAVE_SHARE  20 /* of the time, for saving: one part of so many */
#define SAVE_GROWTH 4  /* run.json is written again when it has grown by one part of so many */

static bool has_turns(const struct recorder *r)
{
	return r->turns.n || r->turns.nwritten;
}

int record_save(struct recorder *r, const char *ended, struct diag *d)
{
	int err;

	record_note_rate(r);
	snprintf(r->run.ended, sizeof(r->run.ended), "%s", ended);
	/* before the blocks: none has turns that are missing */
	err = has_turns(r) ? turns_write(&r->turns, r->dir.at, d) : 0;
	if (!err)
		err = turns_sync(&r->turns, r->dir.at, d);
	if (!err)
		err = run_write(&r->run, r->dir.at, d);
	if (!err)
		r->saved_blocks = r->run.nblocks;
	return err;
}

/* Where something fails, the end of the recording finds the same cause and reports it. */
void record_save_now_and_then(struct recorder *r)
{
	uint64_t before = now_ns(), after;

	if ((has_turns(r) && turns_write(&r->turns, r->dir.at, NULL)) || run_spill(&r->run, r->dir.at))
		return;
	if (!record_looks_again(r))
		run_forget(&r->run);
	if (before < r->save_at_ns)
		return;
	if (r->run.nblocks > r->saved_blocks + r->saved_blocks / SAVE_GROWTH)
		record_save(r, "killed", NULL);
	else if (!turns_sync(&r->turns, r->dir.at, NULL))
		spill_sync(&r->run.spilled);
	after = now_ns();
	r->save_at_ns = after + (SAVE_SHARE - 1) * (after - before);
}
