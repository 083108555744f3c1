/*
 * flows - looks at the load that arrives at a device: its largest flow, and that flow's RX queue and CPU
 *
 * in:    a device that is up and carries no program; a mode (native, skb); packets that arrive
 * out:   struct flows_seen of the caller
 * units: packets since the program was attached, or since flows_forget()
 * law:   the program passes all packets to the stack; it is detached by flows_release() or when this process ends
 * error: those of bench_attach() (bench.h); -ETIMEDOUT no packets arrive
 */
#ifndef USER_FLOWS_H
#define USER_FLOWS_H

#include <stdint.h>
#include "user/programs/bench.h"
#include "user/machine/ethtool.h"

struct flows_bpf;

struct flows {
	struct flows_bpf *skel;
	struct bench bench; /* attaches the program in the same way as a program under test */
	bool skb;           /* in skb mode */
};

struct flows_seen {
	/* the flow with most packets; family 0: neither UDP nor TCP; src_port 0: the packets have many source ports */
	struct flow flow;
	uint64_t packets, of_flow; /* all packets; packets of that flow */
	uint64_t on_queue;         /* all packets that arrived on queue */
	int queue, cpu;            /* where most packets of the flow arrived */
	int nqueues;               /* queues where any packet arrived */
};

void flows_init(struct flows *f);
int flows_attach(struct flows *f, const struct netdev *nd, enum run_mode mode, struct diag *d);
/* Waits up to patience_s for the first packet, counts for 0.3 s more, and fills *seen. */
int flows_look(struct flows *f, const struct netdev *nd, double patience_s, struct flows_seen *seen, struct diag *d);
void flows_forget(struct flows *f);  /* sets the counts to 0, for another flows_look() */
void flows_release(struct flows *f); /* may be called twice */

#endif
