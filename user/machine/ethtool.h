/*
 * ethtool - settings of a NIC as ethtool(8) shows and sets them: features, rings, channels, coalescing, pause frames,
 * flow rules, and the table that maps a packet's hash to a queue (RSS)
 *
 * in:    a device's name in this process's network namespace; features by the kernel's names ("rx-lro")
 * out:   values in structs of the caller
 * units: rings are frames, channels are queues
 * law:   a setter returns 0 only when the driver has accepted exactly the given value
 * error: -EOPNOTSUPP the driver has no such setting or cannot change it, -EPERM, -ENOSPC no room for another rule
 * src:   include/uapi/linux/ethtool.h
 */
#ifndef USER_ETHTOOL_H
#define USER_ETHTOOL_H

#include <stdbool.h>
#include <stdint.h>

struct ethtool_feature {
	bool requested, active, fixed;
};

int ethtool_feature_get(const char *dev, const char *name, struct ethtool_feature *f);
int ethtool_feature_set(const char *dev, const char *name, bool on);

struct ethtool_amount {
	uint32_t now, max;
};

int ethtool_ring_get(const char *dev, struct ethtool_amount *rx);
int ethtool_ring_set(const char *dev, uint32_t rx);

/* A "combined" queue receives and sends, so the receiving queues are rx and combined together. */
struct ethtool_queues {
	struct ethtool_amount rx, tx, combined;
};

int ethtool_queues_get(const char *dev, struct ethtool_queues *q);
int ethtool_queues_set(const char *dev, const char *kind, uint32_t n); /* kind: combined, rx, tx */

/* How long the device waits after a frame before its interrupt; adaptive: it chooses that time itself. */
struct ethtool_coalescing {
	bool adaptive_rx;
	uint32_t rx_usecs;
};

int ethtool_coalescing_get(const char *dev, struct ethtool_coalescing *c);
int ethtool_coalescing_set(const char *dev, const struct ethtool_coalescing *c);

struct ethtool_pause {
	bool autoneg, rx, tx;
};

int ethtool_pause_get(const char *dev, struct ethtool_pause *p);
int ethtool_pause_set(const char *dev, const struct ethtool_pause *p);

/*
 * A regular RSS table: entry i holds queue first + i % queues. usual: the table is the driver's default. -EOPNOTSUPP:
 * the driver has no table; -EDOM: somebody set a table that is not regular, which this struct cannot hold.
 */
struct ethtool_rss {
	uint32_t first, queues;
	bool usual;
};

int ethtool_rss_get(const char *dev, struct ethtool_rss *rss);
/* usual: restores the driver's default and ignores the other members */
int ethtool_rss_set(const char *dev, const struct ethtool_rss *rss);

/* A flow of UDP or TCP packets over IPv4 or IPv6, in network byte order; port 0: any port. */
struct flow {
	uint8_t family, protocol; /* AF_INET, AF_INET6; IPPROTO_UDP, IPPROTO_TCP */
	uint8_t src[16], dst[16];
	uint16_t src_port, dst_port;
};

/* The queue and the location of the rule for exactly this flow; -ENOENT: there is no such rule. */
int ethtool_rule_get(const char *dev, const struct flow *f, uint32_t *queue, uint32_t *location);
/* location < 0: the location of an existing rule for this flow, or a free one */
int ethtool_rule_set(const char *dev, const struct flow *f, uint32_t queue, int64_t location);
int ethtool_rule_delete(const char *dev, const struct flow *f); /* returns 0 also when there is no such rule */

#endif
