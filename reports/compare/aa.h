/*
 * aa - a program compared with itself: how often does the interval of the difference miss zero?
 *
 * in:    a run of one program under two names (the first two variants), in many rounds; facilities; borrowed
 * out:   comparisons made and those whose interval misses zero
 * units: counts
 * law:   rounds are cut into groups of AA_ROUNDS that follow each other. Each group is analysed and compared as if it
 *        were a run of its own. No block is in two comparisons, so comparisons are independent, and one in twenty 95 %
 *        intervals should miss zero. A group with less than two blocks on a side has no interval and is not counted.
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

/* The number of misses that n correct 95 % intervals do not exceed by chance, with a probability of 99 %. */
size_t aa_misses_by_chance(size_t n);

#endif
