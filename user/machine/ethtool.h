/*
 * ethtool - settings of a NIC as ethtool(8) shows and sets them: features, rings, channels, pause frames, flow rules,
 * and the table that leads from a packet's hash to its queue (RSS)
 *
 * in:    a device's name in this process's network namespace; features by the kernel's names ("rx-lro")
 * out:   values in structs of the caller
 * units: rings are frames, channels are queues
 * law:   a setter returns 0 only when the driver has taken the value as it was given
 * error: -EOPNOTSUPP the driver has no such thing or cannot change it, -EPERM, -ENOSPC no room for another rule
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

/* Queues that receive: those of its own kind ("rx") and those that do both ("combined"). */
struct ethtool_queues {
	struct ethtool_amount rx, tx, combined;
};

int ethtool_queues_get(const char *dev, struct ethtool_queues *q);
int ethtool_queues_set(const char *dev, const char *kind, uint32_t n); /* kind: combined, rx, tx */

struct ethtool_pause {
	bool autoneg, rx, tx;
};

int ethtool_pause_get(const char *dev, struct ethtool_pause *p);
int ethtool_pause_set(const char *dev, const struct ethtool_pause *p);

/*
 * The table of RSS, where it is regular: entry i leads to queue first + i % queues. usual: it is what the driver begins
 * with. -EOPNOTSUPP: the driver has none; -EDOM: one that somebody made, and that these words cannot tell.
 */
struct ethtool_rss {
	uint32_t first, queues;
	bool usual;
};

int ethtool_rss_get(const char *dev, struct ethtool_rss *rss);
/* usual: the driver's own, whatever the rest says */
int ethtool_rss_set(const char *dev, const struct ethtool_rss *rss);

/* A flow of UDP or TCP packets over IPv4 or IPv6, in network order; ports 0: any. */
struct flow {
	uint8_t family, protocol; /* AF_INET, AF_INET6; IPPROTO_UDP, IPPROTO_TCP */
	uint8_t src[16], dst[16];
	uint16_t src_port, dst_port;
};

/* Where the rule for exactly that flow is and what queue it names; -ENOENT: there is none. */
int ethtool_rule_get(const char *dev, const struct flow *f, uint32_t *queue, uint32_t *location);
/* location < 0: where it was, else where there is room */
int ethtool_rule_set(const char *dev, const struct flow *f, uint32_t queue, int64_t location);
int ethtool_rule_delete(const char *dev, const struct flow *f); /* fine when there is none */

#endif
