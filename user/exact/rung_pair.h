/*
 * rung_pair - a rung of a ladder in the virtual machine: with a pair of veth devices of its own, as in `xdpzoom ladder`
 *
 * in:    a variant rung:WORD; the lab is up (rig.h)
 * out:   the rung is open in a new namespace; the options of a generator whose frames end there
 * units: frames since rung_pair_open()
 * law:   softirqs receive. A thread that reads is a real-time task on the same CPU: after each batch it runs until
 *        nothing is left to read, so each batch finds it asleep. Frames for the rung udp-gro have a UDP checksum,
 *        without which GRO merges none (gen.h); those for other rungs have none, as for XDP programs
 * error: -EOPNOTSUPP this kernel lacks the rung; else -errno; one sentence
 */
#ifndef USER_EXACT_RUNG_PAIR_H
#define USER_EXACT_RUNG_PAIR_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/gen/gen.h"
#include "user/bed/bed.h"
#include "user/ladder/ladder.h"
#include "user/machine/machine.h"

/* Veth calls it once for each frame that the generator sends. */
#define RUNG_PAIR_FUNCTION "veth_xdp_rcv_one"

struct rung_pair {
	struct rig_arms arms;
	struct netdev rx, tx;
	struct rung rung;
	struct frames frames; /* one: the generator writes it anew each time, because rungs change headers */
};

void rung_pair_init(struct rung_pair *p);
int rung_pair_open(struct rung_pair *p, const struct run_variant *v, struct diag *d);
bool rung_pair_is_open(const struct rung_pair *p);
int rung_pair_seen(const struct rung_pair *p, uint64_t *frames, struct diag *d);
void rung_pair_load(const struct rung_pair *p, struct gen_options *o);
void rung_pair_close(struct rung_pair *p); /* may be called twice */

#endif
