/*
 * record_exchange - measures a round of variants of one mode that take turns on one device
 *
 * The programs are exchanged by bpf_link_update() on one link, every few ten ms, in an order in which steady drifts
 * cancel (turn_order.h). After each exchange nothing is counted for a while. The recorder then reads, at both edges of
 * the turn, the packets of the program on the RX CPU and the clock of the receiver's work (work_clock.h).
 *
 * in:    a recorder whose session is open on a device other than the lab, whose run holds the variants, and whose RX
 *        CPU is known
 * out:   record_exchange_round() appends a block for each variant to r->run: its windows hold the sums over the
 *        variant's turns, once without and once with samples. r->turns keeps each turn
 * units: ns, packets
 * law:   a round is complete or absent. Each variant has the same number of turns in each of its two stretches. Totals
 *        are those of the round: what was sent was seen by one of the programs. record_exchange_close() undoes
 *        everything, and may be called twice
 * error: -errno with one sentence, as in record.h; -EOPNOTSUPP and r->turns_refused: the kernel or the device refuses
 */
#ifndef USER_RECORD_EXCHANGE_H
#define USER_RECORD_EXCHANGE_H

#include "user/record/record.h"

#define EXCHANGE_TURN_NS   20000000ULL
#define EXCHANGE_SETTLE_NS 2000000ULL

void exchange_init(struct exchange *x);
/* NULL, or why these variants and options cannot take turns on one device. */
const char *record_exchange_cannot(const struct run *run, const struct record_options *o);
/* Exchanges each program once, so that what the device refuses is known before anything is measured. */
int record_exchange_open(struct recorder *r, struct diag *d);
int record_exchange_round(struct recorder *r, int round, struct diag *d);
void record_exchange_close(struct recorder *r);

/*
 * record_exchange_programs.c, for record_exchange.c
 * attach:  loads all programs, beginning with another one in each round, and attaches the first of them
 * to:      attaches the variant's program in the place of the one that is attached
 * seen:    frames that all programs of the round saw; sent: those that they sent back
 * release: takes all of them off; may be called twice
 */
struct block;
int exchange_attach(struct recorder *r, struct block *b, int round, struct diag *d);
int exchange_to(struct recorder *r, size_t variant, struct diag *d);
struct bench *exchange_bench(struct recorder *r, size_t variant);
uint64_t exchange_seen(struct recorder *r);
int64_t exchange_sent(struct recorder *r);
void exchange_release(struct recorder *r, struct block *b);

#endif
