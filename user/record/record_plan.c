// SPDX-License-Identifier: GPL-2.0-or-later
/* Which variants a round measures, and in which order. */
#include "user/record/record.h"

/*
 * Extra rounds make up for blocks at another placement. There are at most as many extra rounds as rounds asked
 * for.
 */
#define MAX_ROUNDS(r) (2 * (r)->o->rounds)

#define SHORTEST 0.5 /* of windows that were asked for; several rotations share what is left over */
#define LONGEST  3.0
#define RESERVE  1.1 /* of what comes around windows, which a busy machine makes longer */

_Static_assert(RECORD_MAX_VARIANTS <= TURNS_MAX_VARIANTS, "readers refuse turns of more variants");

/*
 * A round asked for measures all variants. A later round measures the variants with too few blocks at the most frequent
 * placement, because a report does not compare blocks across placements; without such variants the recording is
 * complete. Where variants take turns, all rounds of a rotation have all of them.
 */
size_t record_plan(struct recorder *r, int round, size_t *order)
{
	const struct run *run = &r->run;
	bool whole = r->o->view != RUN_VIEW_BLOCKS && (size_t)round % run->nvariants, extra = round >= r->o->rounds;
	bool over = !whole && round >= MAX_ROUNDS(r);
	struct placement p;
	size_t n = 0;

	if (!whole && !over && extra)
		over = placement_build(&p, run, PLACEMENT_AUTO, 0, NULL);
	for (size_t v = 0; v < run->nvariants && !over; v++) {
		int alike = 0;

		for (size_t b = 0; !whole && extra && b < run->nblocks; b++)
			alike += run->blocks[b].variant == v && placement_takes(&p, &run->blocks[b]);
		if (whole || alike < r->o->rounds)
			order[n++] = v;
	}
	/* Puts order[0..n) into the order of one round: shuffled, or else reversed in every second round. */
	for (size_t i = 0; !r->o->shuffle && round % 2 && i < n / 2; i++) {
		size_t swap = order[i];
		order[i] = order[n - 1 - i];
		order[n - 1 - i] = swap;
	}
	if (r->o->shuffle)
		random_shuffle(&r->random, order, n);
	if (extra)
		r->progress.total += n;
	return n;
}

double record_plan_longer(double left_s, double around_s, double windows_s, double rotations)
{
	double fit = floor(left_s / (RESERVE * around_s + windows_s)), longer;

	if (fit >= rotations || left_s <= 0)
		return left_s > 0;
	longer = (left_s / fmax(1, fit) - RESERVE * around_s) / windows_s;
	return longer < SHORTEST ? 0 : fmin(longer, LONGEST);
}
