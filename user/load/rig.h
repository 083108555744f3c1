/*
 * rig - the built-in test bed ("lab"): a veth pair between two network namespaces that behaves like a NIC and its wire
 *
 *     xdpzoom-tx: xztx  ---- live frames ---->  xzrx :xdpzoom-rx      threaded NAPI, pinned to the RX CPU
 *                 sink  <---- XDP_TX ---------
 *                 xzend <---- redirect -------  xzout                second pair, made when a variant redirects
 *
 * xztx carries a native XDP program for good: without one XDP_TX frames would be thrown away after the verdict was
 * counted; the program drops and counts them, as one on xzend does with what is redirected to xzout. Their polls run in
 * softirq on the RX CPU, inside the receiver's kthread, and reports take them out by their stacks.
 *
 * in:    CPU numbers; < 0 chooses
 * law:   up is idempotent; down removes whatever up made, also what a crash left; IPv6 is off, nothing talks by itself
 * error: -EPERM, -EBUSY somebody else's device of that name, or the lab is in use; nothing half-made is left
 */
#ifndef USER_RIG_H
#define USER_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/diag.h"
#include "user/load/gen.h"

#define RIG_RX_NETNS "xdpzoom-rx"
#define RIG_TX_NETNS "xdpzoom-tx"
#define RIG_RX_DEV   "xzrx"
#define RIG_TX_DEV   "xztx"
#define RIG_OUT_DEV  "xzout" /* in the receiver's namespace */
#define RIG_END_DEV  "xzend" /* in the sender's */

bool rig_exists(void);
int rig_up(int rx_cpu, struct diag *d); /* rx_cpu < 0: where it is, or the last CPU */
int rig_rx_cpu(void);                   /* where rig_up(-1) puts the receiver */
int rig_down(struct diag *d);
/* The second pair, on a lab that is up; it stays until the lab goes. */
int rig_out_up(struct diag *d);

struct rig_state {
	bool rx_dev, tx_dev, sink;
	bool out_dev;   /* the second pair is there, and counts what arrives */
	pid_t napi_tid; /* < 0: not threaded */
	int rx_cpu;     /* where that kthread may run; -1: anywhere */
	uint64_t sink_frames;
};

int rig_state(struct rig_state *s, struct diag *d);
/* Nothing missing: both devices, the kthread, the sink. */
bool rig_complete(const struct rig_state *s);

/*
 * Held until the descriptor is closed. Whoever makes, changes, removes or measures the lab holds it alone; who looks at
 * it or sends through it shares it. -EBUSY: not now.
 */
int rig_lock(bool alone, struct diag *d);
/* Frames that came back to the sender since the lab was made; -1: no sink there. */
int64_t rig_sink_frames(void);
int64_t rig_end_frames(void); /* redirected ones that arrived at xzend, likewise */
/* Where and how to send so that it arrives at xzrx. */
int rig_gen_options(struct gen_options *o, struct diag *d);
/*
 * Without a rate, keep as many frames under way as the receiver's ring has room for, by what the program under test has
 * counted on rx_cpu: it is always busy and nothing is refused. (Open loop, this side frees the frames that a full ring
 * refuses, and both CPUs meet at the lock of its page pool: 10 to 40 ns a packet, more the slower the program.)
 * What is redirected to a task is watched there too: stage_close_loop().
 */
void rig_close_loop(struct gen_options *o, int counts_fd, int rx_cpu);

#endif
