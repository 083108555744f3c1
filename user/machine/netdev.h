/*
 * netdev - a network device: whether it exists, its driver, settings and counters
 *
 * in:    interface names in this process's network namespace
 * out:   counters and settings; json_t objects are owned by the caller
 * units: frames
 * error: -ENODEV no such device; facts that the driver does not report are left out
 */
#ifndef USER_NETDEV_H
#define USER_NETDEV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "base/sheet/json_out.h"
#include "reports/run/counters.h"

struct ifreq;

struct netdev {
	char name[16];
	int ifindex;
	unsigned char mac[6];
	int mtu;
	bool up;
	char driver[32];
};

int netdev_open(struct netdev *nd, const char *name, struct diag *d); /* nothing to close */
bool netdev_gone(const struct netdev *nd); /* no device has this name and this index any more */

/* Frames received and sent, from /proc/net/dev, which has every device; -1: no such device in this namespace. */
int64_t netdev_rx_packets(const char *name);
int64_t netdev_tx_packets(const char *name);

unsigned int netdev_rx_queues(const char *name); /* 1 when the driver does not report a number */

/* A request of netdevice(7); and a command of linux/ethtool.h, where data begins with the command's number. */
int netdev_ioctl(const char *name, unsigned long request, struct ifreq *ifr);
int netdev_ethtool(const char *name, void *data);

/* "rx:on tx:off"; "": the driver has no Ethernet pause frames. */
void netdev_pause(const char *name, char *text, size_t size);

int netdev_set_gro(const char *name, bool on);
int netdev_set_tso(const char *name, bool on);

/* Appends the driver's counters (ethtool -S); -EOPNOTSUPP: the driver has none. */
int netdev_driver_counters(const char *name, struct counters *out);

/* For the reader of a run's numbers: driver, bus, rings, channels, offloads. */
json_t *netdev_describe(struct json_out *w, const struct netdev *nd, int sysfs_fd);

#endif
