/*
 * device_counters - reads all counters of a device at once: driver, link, page pools
 *
 * in:    a device in this process's network namespace
 * out:   struct counters (reports/run/counters.h), owned by the caller; a counter that kernel and driver do not have is
 *        left out
 * units: those of kernel and driver
 * law:   the sockets stay open, in the namespace where they were opened, so that reading is quick: some 60 us on veth
 * error: -ENOMEM; a device without counters is no error, and gives none
 * src:   ethtool(8) -S; IFLA_STATS64; page-pool-stats-get of Documentation/netlink/specs/netdev.yaml (Linux 6.8)
 */
#ifndef USER_DEVICE_COUNTERS_H
#define USER_DEVICE_COUNTERS_H

#include "reports/run/counters.h"
#include "user/machine/netdev.h"

struct nl_sock;

struct device_counters {
	char name[16];
	int ifindex;
	struct nl_sock *route, *generic; /* NULL: could not be opened */
	int netdev_family;
};

void device_counters_open(struct device_counters *dc, const struct netdev *nd);
int device_counters_read(const struct device_counters *dc, struct counters *out);
void device_counters_release(struct device_counters *dc); /* may be called twice */

#endif
