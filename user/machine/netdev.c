// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "user/machine/machine.h"

int netdev_ioctl(const char *name, unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	memset(ifr->ifr_name, 0, sizeof(ifr->ifr_name));
	strncpy(ifr->ifr_name, name, sizeof(ifr->ifr_name) - 1);
	if (ioctl(fd, request, ifr) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* data begins with the ethtool command number. */
int netdev_ethtool(const char *name, void *data)
{
	struct ifreq ifr = {};

	ifr.ifr_data = data;
	return netdev_ioctl(name, SIOCETHTOOL, &ifr);
}

struct nl_sock *netlink_open(int protocol)
{
	struct nl_sock *sk = nl_socket_alloc();

	if (sk && nl_connect(sk, protocol)) {
		nl_socket_free(sk);
		sk = NULL;
	}
	return sk;
}

int netdev_open(struct netdev *nd, const char *name, struct diag *d)
{
	struct ethtool_drvinfo drv = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq ifr = {};

	memset(nd, 0, sizeof(*nd));
	if (strlen(name) >= sizeof(nd->name))
		return diag_set(d, -ENODEV, "%s: no such device (a name has at most 15 characters)", name);
	strcpy(nd->name, name);
	nd->ifindex = if_nametoindex(name);
	if (!nd->ifindex && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		return diag_set(d, -errno, "%s: cannot look for the device: %s", name, strerror(errno));
	if (!nd->ifindex)
		return diag_set(d, -ENODEV, "%s: no such device", name);
	if (!netdev_ioctl(name, SIOCGIFFLAGS, &ifr))
		nd->up = ifr.ifr_flags & IFF_UP;
	if (!netdev_ioctl(name, SIOCGIFMTU, &ifr))
		nd->mtu = ifr.ifr_mtu;
	if (!netdev_ioctl(name, SIOCGIFHWADDR, &ifr))
		memcpy(nd->mac, ifr.ifr_hwaddr.sa_data, sizeof(nd->mac));
	if (!netdev_ethtool(name, &drv))
		snprintf(nd->driver, sizeof(nd->driver), "%.31s", drv.driver);
	return 0;
}

bool netdev_gone(const struct netdev *nd)
{
	return (int)if_nametoindex(nd->name) != nd->ifindex;
}

void netdev_pause(const char *name, char *text, size_t size)
{
	struct ethtool_pauseparam p = {.cmd = ETHTOOL_GPAUSEPARAM};

	text[0] = 0;
	if (!netdev_ethtool(name, &p))
		snprintf(text, size, "rx:%s tx:%s", p.rx_pause ? "on" : "off", p.tx_pause ? "on" : "off");
}

int netdev_set_gro(const char *name, bool on)
{
	struct ethtool_value v = {.cmd = ETHTOOL_SGRO, .data = on};

	return netdev_ethtool(name, &v);
}

int netdev_set_tso(const char *name, bool on)
{
	struct ethtool_value v = {.cmd = ETHTOOL_STSO, .data = on};

	return netdev_ethtool(name, &v);
}

/*
 * One column of the device's line, which format selects. The line is "NAME: bytes packets errs drop fifo frame
 * compressed multicast bytes packets ...", first received, then sent.
 */
static int64_t proc_net_dev(const char *name, const char *format)
{
	char line[512], want[20];
	long long value = -1;
	FILE *f = fopen("/proc/thread-self/net/dev", "r");

	if (!f)
		return -1;
	snprintf(want, sizeof(want), "%s:", name);
	while (value < 0 && fgets(line, sizeof(line), f)) {
		char *at = line + strspn(line, " ");

		if (strncmp(at, want, strlen(want)) || sscanf(at + strlen(want), format, &value) != 1)
			value = -1;
	}
	fclose(f);
	return value;
}

int64_t netdev_rx_packets(const char *name)
{
	return proc_net_dev(name, "%*u %lld");
}

int64_t netdev_tx_packets(const char *name)
{
	return proc_net_dev(name, "%*u %*u %*u %*u %*u %*u %*u %*u %*u %lld");
}

unsigned int netdev_rx_queues(const char *name)
{
	struct ethtool_channels ch = {.cmd = ETHTOOL_GCHANNELS};

	if (netdev_ethtool(name, &ch) || !(ch.rx_count + ch.combined_count))
		return 1;
	return ch.rx_count + ch.combined_count;
}

static unsigned int stats_count(const char *name)
{
	struct {
		struct ethtool_sset_info info;
		__u32 count;
	} sset = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS}};

	return netdev_ethtool(name, &sset) || !sset.info.sset_mask ? 0 : sset.count;
}

int netdev_driver_counters(const char *name, struct counters *out)
{
	unsigned int n = stats_count(name);
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	int err = -ENOMEM;

	if (!n)
		return -EOPNOTSUPP;
	names = calloc(1, sizeof(*names) + (size_t)n * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + n * sizeof(__u64));
	if (!names || !values)
		goto out;
	*names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = n};
	*values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
	err = netdev_ethtool(name, names) ?: netdev_ethtool(name, values);
	/* When the number of queues changed in between, the driver fills fewer entries than it announced. */
	n = names->len < values->n_stats ? names->len : values->n_stats;
	for (unsigned int i = 0; i < n && !err; i++)
		err = counters_append(out, COUNTER_ETHTOOL, (const char *)names->data + (size_t)i * ETH_GSTRING_LEN,
				      ETH_GSTRING_LEN, values->data[i], true);
out:
	free(names);
	free(values);
	return err;
}

static json_t *describe_rings(const char *name)
{
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};

	if (netdev_ethtool(name, &ring))
		return NULL;
	return json_pack("{s:i, s:i, s:i, s:i}", "rx", ring.rx_pending, "tx", ring.tx_pending, "rx_max",
			 ring.rx_max_pending, "tx_max", ring.tx_max_pending);
}

static json_t *describe_channels(const char *name)
{
	struct ethtool_channels ch = {.cmd = ETHTOOL_GCHANNELS};

	if (netdev_ethtool(name, &ch))
		return NULL;
	return json_pack("{s:i, s:i, s:i}", "rx", ch.rx_count, "tx", ch.tx_count, "combined", ch.combined_count);
}

static json_t *describe_offloads(struct json_out *w, const char *name)
{
	static const struct {
		const char *name;
		__u32 cmd;
	} offloads[] = {
		{"rx-checksum", ETHTOOL_GRXCSUM},
		{"tx-checksum", ETHTOOL_GTXCSUM},
		{"sg", ETHTOOL_GSG},
		{"tso", ETHTOOL_GTSO},
		{"gso", ETHTOOL_GGSO},
		{"gro", ETHTOOL_GGRO},
	};
	struct ethtool_value flags = {.cmd = ETHTOOL_GFLAGS};
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(offloads) / sizeof(*offloads); i++) {
		struct ethtool_value v = {.cmd = offloads[i].cmd};

		if (!netdev_ethtool(name, &v))
			json_out_put(w, o, offloads[i].name, json_boolean(v.data));
	}
	if (!netdev_ethtool(name, &flags))
		json_out_put(w, o, "lro", json_boolean(flags.data & ETH_FLAG_LRO));
	return o;
}

json_t *netdev_describe(struct json_out *w, const struct netdev *nd, int sysfs_fd)
{
	struct ethtool_drvinfo drv = {.cmd = ETHTOOL_GDRVINFO};
	int threaded = napi_threaded(nd->name, sysfs_fd);
	json_t *o = json_object();

	json_out_text(w, o, "name", nd->name);
	json_out_put(w, o, "ifindex", json_integer(nd->ifindex));
	json_out_put(w, o, "mtu", json_integer(nd->mtu));
	json_out_text(w, o, "driver", nd->driver);
	if (!netdev_ethtool(nd->name, &drv)) {
		json_out_text(w, o, "driver_version", drv.version);
		json_out_text(w, o, "firmware", drv.fw_version);
		json_out_text(w, o, "bus", drv.bus_info);
	}
	json_out_put(w, o, "rings", describe_rings(nd->name) ?: json_null());
	json_out_put(w, o, "channels", describe_channels(nd->name) ?: json_null());
	json_out_put(w, o, "offloads", describe_offloads(w, nd->name));
	if (threaded >= 0)
		json_out_text(w, o, "napi", threaded ? "threaded" : "softirq");
	return o;
}
