/*
 * forward - one rung of the forwarding ladder: what sends each frame on to another device
 *
 *     generator -> xzarmN -- way --> xzout -- veth --> xzend: a sink (rig.h) counts and drops the frame
 *
 * in:    a device of the calling process's network namespace, which belongs to this rung alone
 * out:   the pair xzout, xzend in that namespace; programs, a bridge or routes that send each frame to xzout; how many
 *        frames arrived at xzend, and how many xzout did not take
 * units: frames since forward_open()
 * law:   forward_close() removes what forward_open() made. If the process is killed, all of it goes with the namespace
 * error: -errno with one sentence; -EOPNOTSUPP this kernel lacks the way
 */
#ifndef USER_FORWARD_H
#define USER_FORWARD_H

#include <stdint.h>
#include "base/diag.h"
#include "user/programs/tc_hook.h"
#include "user/machine/device_counters.h"
#include "user/machine/netdev.h"

#define FORWARD_OUT_DEV "xzout"
#define FORWARD_END_DEV "xzend"

enum forward_way {
	FORWARD_NONE,
	FORWARD_XDP,    /* native XDP redirects through a devmap */
	FORWARD_DEVMAP, /* the same, and the map's entry has a program of its own */
	FORWARD_SKB,    /* generic XDP redirects through a devmap */
	FORWARD_TC,     /* a program in tc's ingress redirects */
	FORWARD_BRIDGE, /* both devices are ports of a bridge that knows the frames' destination */
	FORWARD_ROUTE,  /* IPv4 routes, with the neighbour's address known */
};

struct forward_bpf;

struct forward {
	enum forward_way way; /* FORWARD_NONE: not open */
	struct netdev in, out, end;
	struct device_counters out_counters;
	struct forward_bpf *skel;
	struct tc_hook hook;
	int link_fd; /* of the XDP program; -1: none */
};

void forward_init(struct forward *f);
int forward_open(struct forward *f, enum forward_way way, const struct netdev *in, struct diag *d);
/* In the namespace of forward_open(). */
int forward_frames(const struct forward *f, uint64_t *frames, struct diag *d);
int forward_lost(const struct forward *f, uint64_t *frames, struct diag *d);
void forward_close(struct forward *f); /* in the namespace of forward_open(); may be called twice */

/*
 * For the sending ladder: what is sent to GEN_SRC_IP leaves through this device, to this MAC address. Undone with the
 * namespace alone.
 */
int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d);

#endif
