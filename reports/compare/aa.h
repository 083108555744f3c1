/*
 * aa - a variant against itself: how often do intervals of "no difference" miss zero?
 *
 * in:    a run of one program under two names (the first two variants), in many rounds; facilities; borrowed
 * out:   comparisons made and those whose interval misses zero
 * units: counts
 * law:   rounds are cut into groups of AA_ROUNDS that follow each other; each is analysed and compared as if it
 *        were a run of its own. No block is in two comparisons, so they are independent, and one in twenty 95 %
 *        intervals should miss. A group that leaves no interval, with less than two blocks on a side, is not counted.
 * error: -ENOMEM, -EINVAL less than two variants
 */
#ifndef REPORTS_AA_H
#define REPORTS_AA_H

#include "base/diag.h"
#include "perfparse/facilities.h"
#include "reports/run/run.h"

#define AA_ROUNDS 4

struct aa {
	size_t comparisons, misses;
};

int aa_count(struct aa *aa, const struct run *r, const char *dir, struct facilities *f, struct diag *d);

/* The most misses that chance makes of n true 95 % intervals, 99 times in 100. */
size_t aa_misses_by_chance(size_t n);

#endif
