// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record_round.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "user/record/record_parts.h"

void round_probe(const struct recorder *r, struct round *n, int when)
{
	n->placement_ns[when] = record_probe_placement(r);
	n->speeds[when] = record_probe_speed(r, false);
}

int round_add_block(struct recorder *r, const struct round *n, size_t variant, const struct bench *bench,
		    struct run_block **added, struct diag *d)
{
	struct run_block *b = run_add_block(&r->run);
	int err = 0;

	if (!b)
		return diag_set(d, -ENOMEM, "no memory");
	b->index = (int)r->run.nblocks - 1;
	b->round = n->number;
	b->sample_hz = record_round_hz(r, n->number);
	b->variant = variant;
	b->prog_id = bench->prog_id;
	strcpy(b->prog_tag, bench->tag);
	b->prog_instructions = bench->instructions;
	b->prog_bytes = bench->bytes;
	strcpy(b->prog_name, bench->name);
	memcpy(b->placement_ns, n->placement_ns, sizeof(b->placement_ns));
	for (int i = 0; i < 2 && !err; i++)
		err = block_add_speed(b, &n->speeds[i], d);
	*added = b;
	return err;
}

void round_undo(struct recorder *r, const struct round *n, size_t turns_before)
{
	char path[sizeof(r->dir.at) + sizeof(r->run.blocks->script)];

	while (r->run.nblocks > n->first_block) {
		const struct run_block *b = &r->run.blocks[r->run.nblocks - 1];

		if (b->script[0]) {
			snprintf(path, sizeof(path), "%s/%s", r->dir.at, b->script);
			remove(path);
		}
		run_drop_last_block(&r->run);
	}
	r->turns.n = turns_before;
}
