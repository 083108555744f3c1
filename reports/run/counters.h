/*
 * counters - what a device counts about itself, and how much each counter grew between two looks
 *
 * in:    counters by source and name, as read (user/machine/device_counters.h); names differ by driver
 * out:   struct counters, owned by the caller; a growth is again a struct counters, of those that changed
 * units: as the driver counts: frames, bytes, events; time in ns
 * law:   counters of one source and name are one (vmxnet3 gives every queue the same names): their values add up.
 *        A counter that went back, came or vanished between two looks has changed, but by how much is not known;
 *        one that passed 2^32 or 2^64 from its upper half has wrapped, and its growth is known
 * error: -ENOMEM
 * src:   names: the kernel's Documentation/networking/statistics.rst, page_pool.rst,
 *        device_drivers/ethernet/mellanox/mlx5/counters.rst; drivers/net/veth.c, virtio_net.c,
 * vmxnet3/vmxnet3_ethtool.c
 */
#ifndef REPORTS_COUNTERS_H
#define REPORTS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counter_source {
	COUNTER_ETHTOOL,   /* the driver's own (ethtool -S) */
	COUNTER_LINK,      /* those that every device has (ip -s link) */
	COUNTER_PAGE_POOL, /* of the device's page pools, by netlink */
	COUNTER_SOURCES
};
extern const char *const counter_source_names[COUNTER_SOURCES]; /* "ethtool" "link" "page-pool" */

struct counter {
	enum counter_source source;
	char name[64]; /* printable ASCII */
	uint64_t value;
	bool known;
};

struct counters {
	struct counter *list;
	size_t n;
};

/* Appends a counter; blanks around the name and bytes that are not printable do not stay. */
int counters_append(struct counters *c, enum counter_source source, const char *name, size_t len, uint64_t value,
		    bool known);
void counters_release(struct counters *c); /* may be called twice */
const struct counter *counters_find(const struct counters *c, enum counter_source source, const char *name);

/* Fills *growth in the order of after, what vanished last; all: those that stood still too. Released on error. */
int counters_growth(struct counters *growth, const struct counters *before, const struct counters *after, bool all);

/* ---- counter_names.c: what names mean, the one place that knows drivers ---------------------------------- */

enum counter_role {
	COUNTER_XDP_SEEN,       /* frames that the driver gave to XDP */
	COUNTER_XDP_TX,         /* frames that XDP_TX sent, or tried to where the driver does not tell */
	COUNTER_XDP_TX_LOST,    /* frames that XDP_TX could not send */
	COUNTER_XDP_REDIRECTED, /* frames that XDP_REDIRECT sent on, where one that failed counts as lost */
	COUNTER_XMIT_TAKEN,     /* XDP frames from elsewhere that the driver took (ndo_xdp_xmit) */
	COUNTER_XMIT_REFUSED,   /* and those it did not */
	/* frames lost between the wire and the program; virtio_net adds what XDP dropped */
	COUNTER_RX_DROPS,
	COUNTER_XDP_DROPS,    /* frames that XDP dropped */
	COUNTER_LINK_TX,      /* frames sent, as every device counts them */
	COUNTER_LINK_TX_LOST, /* frames that the stack was to send and the device did not take */
	COUNTER_ROLES
};

/* Sum of the counters that play the role; -1: this device has none, or one is not known. */
int64_t counters_sum(const struct counters *c, enum counter_role role);
/* Frames lost between the wire and the program; -1: this device does not say. */
int64_t counters_rx_lost(const struct counters *c);
/* A few words, or "" for what its name says well enough. */
const char *counter_meaning(const struct counter *c);

#endif
