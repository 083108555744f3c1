/*
 * record_arms - the arms of a recording whose variants take turns: programs attached, counters read
 *
 * in:    a recorder whose arms are up (record_turns_open())
 * units: frames; ns
 * law:   variant v of round n is on arm (v + n) mod the number of variants
 * error: -errno with one sentence; -ENODEV an arm has vanished, -EIO a program is no longer on its arm, -ENXIO the RX
 *        CPU went offline, -EINTR
 */
#ifndef USER_RECORD_ARMS_H
#define USER_RECORD_ARMS_H

#include "user/record/record.h"

struct arm *arms_at(struct recorder *r, size_t variant, int round);
/* Attaches the variant that is on this arm in this round; fills the arm's reading before the round. */
int arm_attach(struct recorder *r, size_t number, int round, struct diag *d);
int arm_read(struct arm *a, struct arm_reading *now, struct diag *d); /* the caller releases now->rx */
int arms_check(struct recorder *r, struct diag *d);
void arms_detach(struct recorder *r); /* may be called twice */

#endif
