/*
 * netdev_genl - what the kernel's netdev family says of a device: XDP features, which NAPI serves which queue
 *
 * in:    an interface index in this process's network namespace
 * out:   values in structs of the caller
 * error: -EOPNOTSUPP the kernel does not say (features: Linux 6.3, queues and NAPIs: 6.8), -ENODEV
 * src:   Documentation/netlink/specs/netdev.yaml
 */
#ifndef USER_NETDEV_GENL_H
#define USER_NETDEV_GENL_H

#include <stddef.h>
#include <stdint.h>

/* The bits of xdp-act there. */
enum {
	XDP_ACT_BASIC = 1, /* native ABORTED, DROP, PASS, TX */
	XDP_ACT_REDIRECT = 2,
	XDP_ACT_NDO_XMIT = 4,
	XDP_ACT_XSK_ZEROCOPY = 8,
	XDP_ACT_HW_OFFLOAD = 16,
	XDP_ACT_RX_SG = 32, /* frames of several pages */
	XDP_ACT_NDO_XMIT_SG = 64,
};

int netdev_genl_xdp(int ifindex, uint64_t *features);

struct netdev_napi {
	uint32_t id;
	int irq, pid; /* -1: has none; pid: of its thread */
	int rx_queue; /* the lowest it serves; -1: none */
};

/* Of at most max the number found, or -errno. */
int netdev_genl_napis(int ifindex, struct netdev_napi *napis, size_t max);

#endif
