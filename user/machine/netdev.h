/*
 * netdev - a network device: is it there, what drives it, its settings and counters
 *
 * in:    interface names in this process's network namespace
 * out:   counters and settings; json_t objects are owned by the caller
 * units: frames
 * error: -ENODEV "no such device", -ENETDOWN "is down"; optional facts are left out when the driver does not say
 */
#ifndef USER_NETDEV_H
#define USER_NETDEV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
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
bool netdev_gone(const struct netdev *nd);                            /* the name or the index changed */

/* Frames received and sent, as every driver counts them (/proc/net/dev); -1: no such device here. */
int64_t netdev_rx_packets(const char *name);
int64_t netdev_tx_packets(const char *name);

unsigned int netdev_rx_queues(const char *name); /* 1 where the driver does not say */

/* A request of netdevice(7) or, with data that begins with its command number, of the kernel's linux/ethtool.h. */
int netdev_ioctl(const char *name, unsigned long request, struct ifreq *ifr);
int netdev_ethtool(const char *name, void *data);

/* "rx:on tx:off"; "" when the driver knows no Ethernet pause frames. */
void netdev_pause(const char *name, char *text, size_t size);

int netdev_set_gro(const char *name, bool on);

/* Appends the driver's counters (ethtool -S); -EOPNOTSUPP: it has none. */
int netdev_driver_counters(const char *name, struct counters *out);

/* Driver, bus, rings, channels, offloads: everything a reader of the numbers may ask. */
json_t *netdev_describe(const struct netdev *nd, int sysfs_fd);

#endif
