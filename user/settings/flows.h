/*
 * flows - the load that arrives at a device: its largest flow, and on which RX queue and CPU it comes
 *
 * in:    a device that is up and carries no program; a mode (native, skb); packets that arrive
 * out:   struct flows_seen, the caller's
 * units: packets since the program was attached
 * law:   packets go on to the stack; the program leaves with flows_release() or this process
 * error: those of attaching (bench.h); -ETIMEDOUT nothing arrives
 */
#ifndef USER_FLOWS_H
#define USER_FLOWS_H

#include <stdint.h>
#include "user/programs/bench.h"
#include "user/machine/ethtool.h"

struct flows_bpf;

struct flows {
	struct flows_bpf *skel;
	struct bench bench; /* attached as the programs under test are */
};

struct flows_seen {
	/* of most packets; family 0: it is neither UDP nor TCP. src_port 0: they come from many */
	struct flow flow;
	uint64_t packets, of_flow; /* all; of that flow */
	uint64_t on_queue;         /* all that came on the queue below */
	int queue, cpu;            /* where most of the flow came */
	int nqueues;               /* that got anything */
};

void flows_init(struct flows *f);
int flows_attach(struct flows *f, const struct netdev *nd, const char *mode, struct diag *d);
/* Waits for packets, looks for a while, and tells. */
int flows_look(struct flows *f, const struct netdev *nd, double patience_s, struct flows_seen *seen, struct diag *d);
void flows_forget(struct flows *f);  /* what came so far; then it may look again */
void flows_release(struct flows *f); /* may be called twice */

#endif
