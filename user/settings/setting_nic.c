// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "user/machine/machine.h"
#include "user/settings/settings.h"

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

/* A NIC's feature. Its value is what was requested; whether it is active may depend on other features. */

static int feature_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_feature f;
	int err = ethtool_feature_get(s->dev, s->name, &f);

	if (!err)
		snprintf(value, size, "%s", on_off(f.requested));
	return err;
}

static int feature_set(const struct setting *s, const char *value)
{
	return ethtool_feature_set(s->dev, s->name, !strcmp(value, "on"));
}

static int ring_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_amount rx;
	int err = ethtool_ring_get(s->dev, &rx);

	snprintf(value, size, "%u", rx.now);
	return err;
}

static int ring_set(const struct setting *s, const char *value)
{
	return ethtool_ring_set(s->dev, strtoul(value, NULL, 10));
}

static int queues_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_queues q;
	int err = ethtool_queues_get(s->dev, &q);

	snprintf(value, size, "%u",
		 !strcmp(s->name, "rx")   ? q.rx.now
		 : !strcmp(s->name, "tx") ? q.tx.now
					  : q.combined.now);
	return err;
}

static int queues_set(const struct setting *s, const char *value)
{
	return ethtool_queues_set(s->dev, s->name, strtoul(value, NULL, 10));
}

/* "adaptive-rx off rx-usecs 30" */
static int coalesce_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_coalescing c;
	int err = ethtool_coalescing_get(s->dev, &c);

	snprintf(value, size, "adaptive-rx %s rx-usecs %u", on_off(c.adaptive_rx), c.rx_usecs);
	return err;
}

static int coalesce_set(const struct setting *s, const char *value)
{
	struct ethtool_coalescing c;
	char adaptive[4];

	if (sscanf(value, "adaptive-rx %3s rx-usecs %u", adaptive, &c.rx_usecs) != 2)
		return -EINVAL;
	c.adaptive_rx = !strcmp(adaptive, "on");
	return ethtool_coalescing_set(s->dev, &c);
}

/* "autoneg on rx off tx off" */
static int pause_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_pause p;
	int err = ethtool_pause_get(s->dev, &p);

	snprintf(value, size, "autoneg %s rx %s tx %s", on_off(p.autoneg), on_off(p.rx), on_off(p.tx));
	return err;
}

static int pause_set(const struct setting *s, const char *value)
{
	struct ethtool_pause p;
	char autoneg[4], rx[4], tx[4];

	if (sscanf(value, "autoneg %3s rx %3s tx %3s", autoneg, rx, tx) != 3)
		return -EINVAL;
	p = (struct ethtool_pause){!strcmp(autoneg, "on"), !strcmp(rx, "on"), !strcmp(tx, "on")};
	return ethtool_pause_set(s->dev, &p);
}

static int mtu_get(const struct setting *s, char *value, size_t size)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFMTU, &ifr);

	snprintf(value, size, "%d", ifr.ifr_mtu);
	return err;
}

static int mtu_set(const struct setting *s, const char *value)
{
	struct ifreq ifr = {.ifr_mtu = atoi(value)};

	return netdev_ioctl(s->dev, SIOCSIFMTU, &ifr);
}

static int link_get(const struct setting *s, char *value, size_t size)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFFLAGS, &ifr);

	snprintf(value, size, "%s", ifr.ifr_flags & IFF_UP ? "up" : "down");
	return err;
}

static int link_set(const struct setting *s, const char *value)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFFLAGS, &ifr);

	if (err)
		return err;
	ifr.ifr_flags = !strcmp(value, "up") ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP;
	return netdev_ioctl(s->dev, SIOCSIFFLAGS, &ifr);
}

/* The RSS table: "default", or, in ethtool's words, "start 2 equal 1": 1 queue, beginning with queue 2. */

static int rss_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_rss rss = {};
	int err = ethtool_rss_get(s->dev, &rss);

	if (rss.usual)
		snprintf(value, size, "default");
	else
		snprintf(value, size, "start %u equal %u", rss.first, rss.queues);
	return err;
}

static int rss_set(const struct setting *s, const char *value)
{
	struct ethtool_rss rss = {.queues = 1, .usual = !strcmp(value, "default")};

	if (!rss.usual && (sscanf(value, "start %u equal %u", &rss.first, &rss.queues) != 2 || !rss.queues))
		return -EINVAL;
	return ethtool_rss_set(s->dev, &rss);
}

const struct setting_kind setting_nic_kinds[] = {
	{"feature", feature_get, feature_set, "ethtool -K %1$s %3$s %2$s"},
	{"ring", ring_get, ring_set, "ethtool -G %1$s rx %2$s"},
	{"queues", queues_get, queues_set, "ethtool -L %1$s %3$s %2$s"},
	{"coalesce", coalesce_get, coalesce_set, "ethtool -C %1$s %2$s"},
	{"pause", pause_get, pause_set, "ethtool -A %1$s %2$s"},
	{"mtu", mtu_get, mtu_set, "ip link set %1$s mtu %2$s"},
	{"link", link_get, link_set, "ip link set %1$s %2$s"},
	{"rss", rss_get, rss_set, "ethtool -X %1$s %2$s"},
	{},
};
