/*
 * source - where the frames of `xdpzoom exact` come from, inside the virtual machine
 *
 * On the lab (veth) the kernel's live frames come from the other end of the pair; in a machine of two CPUs, from the
 * other CPU, as `xdpzoom record lab` sends them. On a NIC frames come from the host,
 * over the wire (wire.h): the guest asks for a batch, and the host sends it. On a tap (tun) they are written to it, one
 * by one.
 *
 * in:    NIC "veth", "tun", which is a tap that is made here, or another one, which is rx0 here; for veth and tun the
 *        frames, or NULL for the generator's own. A rung of a ladder (rung_pair.h) gets the generator's own, in a
 *        machine of one CPU
 * out:   frames that the program under test, or the rung, has counted
 * units: frames
 * law:   a batch is asked for when the one before has been counted, so no ring overflows. Frames are received in
 *        softirq: nothing is lost, and runs repeat to the instruction. In a machine of two CPUs the sender keeps the
 *        ring full, and a NAPI kthread receives: polls and pages then depend on how the CPUs take turns
 * error: -ENODEV this kernel has no driver for the NIC, -EIO frames do not arrive, there or where the program
 *        sends them; one sentence
 */
#ifndef USER_EXACT_SOURCE_H
#define USER_EXACT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "user/exact/rung_pair.h"
#include "user/machine/machine.h"
#include "user/gen/gen.h"
#include "user/programs/programs.h"

#define SOURCE_VETH "veth"
#define SOURCE_TUN  "tun"
/* A tap has no NAPI unless it asks for one: each frame that is written is received within this function. */
#define SOURCE_TUN_POLL "tun_get_user"

struct source {
	bool lab, two_cpus;      /* two_cpus: sender and receiver have one each */
	int64_t (*landed)(void); /* frames that came where the program sends or redirects them; NULL: it does not */
	int port;                /* to the host; -1: none */
	int tap;                 /* whose frames are written here; -1: none */
	unsigned char frame[GEN_BYTES];
	const struct frames *frames;
	struct netdev nd;
	struct rung_pair pair; /* open: a rung is counted, and no program */
};

void source_init(struct source *s);
int source_open(struct source *s, const char *nic, const struct frames *frames, struct diag *d);
/* A variant that is a rung: opens it, and leaves b alone. */
int source_attach(struct source *s, struct bench *b, const struct run_variant *v, struct diag *d);
void source_detach(struct source *s); /* closes a rung; may be called twice */
int source_seen(const struct source *s, const struct bench *b, uint64_t *frames, struct diag *d);
/* Sends so many batches; *sent is what the sender itself counted. */
int source_send(struct source *s, const struct bench *b, unsigned int batch, unsigned int batches, uint64_t *sent,
		struct diag *d);
void source_release(struct source *s); /* may be called twice */

#endif
