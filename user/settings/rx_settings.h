/*
 * rx_settings - ring, coalescing, queues and softirq budget of a NIC that receives, for as long as a session is open
 *
 * in:    rx_settings; the device, in this process's network namespace
 * out:   the device and the kernel have these values, or nothing is changed
 * units: frames of the RX ring; microseconds between a frame and its interrupt; receiving queues; packets of a softirq
 * law:   rx_settings_end() puts every change back; when this process was killed, the next xdpzoom does (changes.h).
 *        A value that the driver rounds is refused, so that no number stands for another one
 * error: one sentence: -EOPNOTSUPP the lab, or a device that has no such setting; -EINVAL a value that it does not take
 * src:   kernel Documentation/admin-guide/sysctl/net.rst (netdev_budget), ethtool(8)
 */
#ifndef USER_RX_SETTINGS_H
#define USER_RX_SETTINGS_H

#include <stdbool.h>
#include "user/machine/netdev.h"

/* -1: left as it is */
struct rx_settings {
	int ring, coalesce_us, queues, budget;
};

/* Parts of --tune. */
/* clang-format off */
#define RX_OPTIONS(o)                                                                                                  \
	{"ring", 0, OPT_INT, &(o)->ring, "N", "frames in the device's RX ring", 1, 65536, .otherwise = "as it is"},    \
	{"coalesce", 0, OPT_INT, &(o)->coalesce_us, "USECS", "the device waits so long before its interrupt", 0,       \
	 100000, .otherwise = "as it is"},                                                                             \
	{"queues", 0, OPT_INT, &(o)->queues, "N", "queues that receive", 1, 4096, .otherwise = "as it is"},            \
	{"budget", 0, OPT_INT, &(o)->budget, "N", "packets in a softirq before it yields (net.core.netdev_budget)", 1, \
	 1000000, .otherwise = "as it is"}
/* clang-format on */

void rx_settings_init(struct rx_settings *o);
bool rx_settings_wanted(const struct rx_settings *o);
/* -EOPNOTSUPP for the lab. */
int rx_settings_check(const struct rx_settings *o, const char *dev, struct diag *d);
/* Changes the settings, and waits until the device has its link again. */
int rx_settings_begin(const struct rx_settings *o, const struct netdev *nd, struct diag *d);
int rx_settings_end(const struct rx_settings *o, struct diag *d); /* may be called twice */

#endif
