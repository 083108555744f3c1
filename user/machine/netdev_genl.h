/*
 * netdev_genl - asks the kernel's netlink family "netdev" about a device: XDP features, which NAPI serves which queue
 *
 * in:    an interface index in this process's network namespace
 * out:   values in structs of the caller
 * error: -EOPNOTSUPP the kernel is too old (features need Linux 6.3, queues and NAPIs 6.8), -ENODEV
 * src:   Documentation/netlink/specs/netdev.yaml
 */
#ifndef USER_NETDEV_GENL_H
#define USER_NETDEV_GENL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bits of xdp-act in netdev.yaml. */
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
	int irq, pid; /* pid: the NAPI's thread; -1: there is none */
	int rx_queue; /* the lowest RX queue that the NAPI serves; -1: none */
};

struct netdev_queue {
	int ifindex;
	uint32_t id, napi; /* napi: the number of the NAPI that serves it */
	bool rx;
};

typedef void netdev_take_napi(const struct netdev_napi *napi, int ifindex, void *arg);
typedef void netdev_take_queue(const struct netdev_queue *queue, void *arg);
/* Hands over the NAPIs of a device, then its queues that have one; ifindex 0: those of all devices here. */
int netdev_genl_each(int ifindex, netdev_take_napi *napi, netdev_take_queue *queue, void *arg);
/* Fills napis; returns how many were found, at most max, or -errno. */
int netdev_genl_napis(int ifindex, struct netdev_napi *napis, size_t max);

#endif
