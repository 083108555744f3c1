/*
 * counters - what a device counts about itself, and how much each counter grew between two readings
 *
 * in:    counters by source and name, as read (user/machine/device_counters.h); names differ by driver
 * out:   struct counters, owned by the caller. A growth is a struct counters too; it holds the counters that changed
 * units: as the driver counts: frames, bytes, events; time in ns
 * law:   counters with the same source and name are one counter, and their values are added (vmxnet3 gives every queue
 *        the same names). A counter that decreased, appeared or vanished between two readings has changed by an unknown
 *        amount. A counter that passed 2^32 or 2^64 from the upper half of its range has wrapped; its growth is known
 * error: -ENOMEM
 * src:   names: the kernel's Documentation/networking/statistics.rst, page_pool.rst,
 *        device_drivers/ethernet/mellanox/mlx5/counters.rst; drivers/net/veth.c, virtio_net.c,
 *        vmxnet3/vmxnet3_ethtool.c
 */
#ifndef REPORTS_COUNTERS_H
#define REPORTS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counter_source {
	COUNTER_ETHTOOL,   /* the driver's own (ethtool -S) */
	COUNTER_LINK,      /* counters that every device has (ip -s link) */
	COUNTER_PAGE_POOL, /* counters of the device's page pools, by netlink */
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

/* Appends a counter. Blanks around the name and bytes that are not printable are removed. */
int counters_append(struct counters *c, enum counter_source source, const char *name, size_t len, uint64_t value,
		    bool known);
void counters_release(struct counters *c); /* may be called twice */

/* Fills *growth in the order of `after`; counters that vanished come last. all: counters that did not change too.
 * On error *growth is released. */
int counters_growth(struct counters *growth, const struct counters *before, const struct counters *after, bool all);

/* ---- counter_names.c: what the names mean; the only file that depends on drivers ------------------------- */

enum counter_role {
	COUNTER_XDP_SEEN,       /* frames that the driver gave to XDP */
	COUNTER_XDP_TX,         /* frames that XDP_TX sent; with some drivers, frames that it tried to send */
	COUNTER_XDP_TX_LOST,    /* frames that XDP_TX could not send */
	COUNTER_XDP_REDIRECTED, /* frames that XDP_REDIRECT sent on; a redirect that failed counts as lost */
	COUNTER_XMIT_TAKEN,     /* XDP frames from other devices that the driver took (ndo_xdp_xmit) */
	COUNTER_XMIT_REFUSED,   /* XDP frames from other devices that the driver refused */
	/* frames lost between the wire and the program; virtio_net includes the frames that XDP dropped */
	COUNTER_RX_DROPS,
	COUNTER_XDP_DROPS,    /* frames that XDP dropped */
	COUNTER_LINK_TX,      /* frames sent, as every device counts them */
	COUNTER_LINK_TX_LOST, /* frames that the stack wanted to send and the device did not take */
	COUNTER_ROLES
};

/* Sum of the counters with this role; -1: there are none, the value of one is not known, or the sum has no room. */
int64_t counters_sum(const struct counters *c, enum counter_role role);
/* Frames lost between the wire and the program; -1: the device does not count them. */
int64_t counters_rx_lost(const struct counters *c);
/* Does it count frames or packets that got lost, but for those that an XDP program dropped? By its name alone. */
bool counter_is_loss(const struct counter *c);
/* A few words that explain the counter; "": there is no explanation. */
const char *counter_meaning(const struct counter *c);

#endif
