/*
 * record_turns - measures a round of variants that take turns, each on an arm of the lab (turner.h, rig.h)
 *
 * in:    a recorder whose session is open on the lab and whose run holds the variants
 * out:   record_turns_round() appends a block for each variant to r->run: its windows hold the sums over the variant's
 *        turns, once without and once with samples. r->turns keeps each turn. From round to round the variants move on
 *        by one arm
 * units: ns, frames
 * law:   a round is complete or absent. What is sent in a round is seen in that round: totals say so for each block.
 *        record_turns_close() undoes everything, and may be called twice
 * error: -errno with one sentence, as in record.h; -EOPNOTSUPP and r->turns_refused: the kernel refuses turns
 */
#ifndef USER_RECORD_TURNS_H
#define USER_RECORD_TURNS_H

#include "user/record/record.h"

/* record_arms.c: NULL, or why these variants and options cannot take turns. */
const char *record_turns_cannot(const struct run *run, const struct record_options *o);
int record_turns_open(struct recorder *r, struct diag *d);
int record_turns_round(struct recorder *r, int round, struct diag *d);
void record_turns_close(struct recorder *r);

#endif
