/*
 * forward_net - a bridge and routes for the rungs of the forwarding ladder; forward.c and the sending ladder use them
 *
 * in:    the device that receives the generator's frames, the device that they shall leave through; both in the calling
 *        process's network namespace
 * law:   the closing function undoes the opening one; it may be called when that failed half-way
 * error: -errno with one sentence; -EOPNOTSUPP this kernel has no bridge
 */
#ifndef USER_FORWARD_NET_H
#define USER_FORWARD_NET_H

#include "base/diag.h"
#include "user/machine/netdev.h"

/* The receiving device gets another MAC address, because a bridge keeps frames that are sent to its ports. */
int forward_bridge(const struct netdev *in, const struct netdev *out, struct diag *d);
void forward_bridge_close(const struct netdev *in);
/* The receiving device loses the address that the frames are sent to, so that they are forwarded. */
int forward_route(const struct netdev *in, const struct netdev *out, struct diag *d);
void forward_route_close(const struct netdev *in);
/* What is sent to GEN_SRC_IP leaves through this device, to this MAC address. Undone with the namespace alone. */
int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d);

#endif
