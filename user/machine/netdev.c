// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/route/link.h>
#include <sys/ioctl.h>
#include "user/machine/machine.h"

#define SKIP_STATS (1 << 3) /* from include/uapi/linux/rtnetlink.h, Linux 5.9 */

/* ---- devices ---- */

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

struct answers {
	struct nl_msg **v;
	size_t n;
};

static int keep(struct nl_msg *msg, void *arg)
{
	struct answers *a = arg;
	struct nl_msg **to = array_add(&a->v, &a->n, sizeof(*to));

	if (!to)
		return -NLE_NOMEM;
	nlmsg_get(msg);
	*to = msg;
	return NL_OK;
}

/* A list that changed while the kernel wrote it may lack rows or have some twice: it is asked for again. */
int netlink_ask(struct nl_sock *sk, int type, const void *head, size_t size, netlink_take *take, void *arg)
{
	int err = -NLE_DUMP_INTR;

	for (int tries = 0; err == -NLE_DUMP_INTR && tries < 100; tries++) {
		struct answers a = {};
		struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_DUMP);

		err = msg ? nlmsg_append(msg, (void *)head, size, NLMSG_ALIGNTO) : -NLE_NOMEM;
		if (!err && type == RTM_GETLINK)
			err = nla_put_u32(msg, IFLA_EXT_MASK, SKIP_STATS);
		if (!err)
			err = nl_send_auto(sk, msg);
		nlmsg_free(msg);
		nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, keep, &a);
		err = err < 0 ? err : nl_recvmsgs_default(sk);
		for (size_t i = 0, go = !err; i < a.n; i++) {
			go = go && take(a.v[i], arg) == NL_OK;
			nlmsg_free(a.v[i]);
		}
		free(a.v);
	}
	return err;
}

int netlink_dump(int protocol, int type, const void *head, size_t size, netlink_take *take, void *arg)
{
	struct nl_sock *sk = netlink_open(protocol);
	int err = sk ? netlink_ask(sk, type, head, size, take, arg) : -NLE_NOMEM;

	nl_socket_free(sk);
	return err;
}

int netlink_change(int type, int flags, const void *head, size_t size, const struct netlink_attr *attrs)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);
	int err = sk && msg ? nlmsg_append(msg, (void *)head, size, NLMSG_ALIGNTO) : -NLE_NOMEM;

	for (; !err && attrs->type; attrs++)
		err = nla_put(msg, attrs->type, (int)attrs->bytes, attrs->data);
	if (err)
		nlmsg_free(msg);
	else
		err = nl_send_sync(sk, msg); /* frees it */
	nl_socket_free(sk);
	return err;
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
		return diag_set(d, -errno, "%s: cannot find the device: %s", name, strerror(errno));
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

/*
 * The device's line is "NAME: bytes packets errs drop fifo frame compressed multicast bytes packets ...", first
 * received, then sent.
 */
int64_t netdev_packets(const char *name, bool sent)
{
	const char *format = sent ? "%*u %*u %*u %*u %*u %*u %*u %*u %*u %lld" : "%*u %lld";
	char line[512], want[20];
	long long value;

	snprintf(want, sizeof(want), "%s:", name);
	file_scan (line, "proc/thread-self/net/dev") {
		char *at = line + strspn(line, " ");

		if (!strncmp(at, want, strlen(want)) && sscanf(at + strlen(want), format, &value) == 1)
			return value;
	}
	return -1;
}

int netdev_driver_counters(const char *name, struct counters *out)
{
	struct {
		struct ethtool_sset_info info;
		__u32 count;
	} sset = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS}};
	unsigned int n = netdev_ethtool(name, &sset) || !sset.info.sset_mask ? 0 : sset.count;
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

json_t *netdev_describe(struct json_out *w, const struct netdev *nd, int sysfs_fd)
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
	struct ethtool_drvinfo drv = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	struct ethtool_channels ch = {.cmd = ETHTOOL_GCHANNELS};
	int threaded = napi_threaded(nd->name, sysfs_fd);
	json_t *o = json_object(), *on;

	json_out_text(w, o, "name", nd->name);
	json_out_put(w, o, "ifindex", json_integer(nd->ifindex));
	json_out_put(w, o, "mtu", json_integer(nd->mtu));
	json_out_text(w, o, "driver", nd->driver);
	if (!netdev_ethtool(nd->name, &drv)) {
		json_out_text(w, o, "driver_version", drv.version);
		json_out_text(w, o, "firmware", drv.fw_version);
		json_out_text(w, o, "bus", drv.bus_info);
	}
	json_out_put(w, o, "rings",
		     netdev_ethtool(nd->name, &ring)
			     ? json_null()
			     : json_pack("{s:i, s:i, s:i, s:i}", "rx", ring.rx_pending, "tx", ring.tx_pending, "rx_max",
					 ring.rx_max_pending, "tx_max", ring.tx_max_pending));
	json_out_put(w, o, "channels",
		     netdev_ethtool(nd->name, &ch) ? json_null()
						   : json_pack("{s:i, s:i, s:i}", "rx", ch.rx_count, "tx", ch.tx_count,
							       "combined", ch.combined_count));
	on = json_object();
	for (size_t i = 0; i < sizeof(offloads) / sizeof(*offloads); i++) {
		struct ethtool_value v = {.cmd = offloads[i].cmd};

		if (!netdev_ethtool(nd->name, &v))
			json_out_put(w, on, offloads[i].name, json_boolean(v.data));
	}
	if (!netdev_ethtool(nd->name, &flags))
		json_out_put(w, on, "lro", json_boolean(flags.data & ETH_FLAG_LRO));
	json_out_put(w, o, "offloads", on);
	if (threaded >= 0)
		json_out_text(w, o, "napi", threaded ? "threaded" : "softirq");
	return o;
}

/* ---- device_counters ---- */

/* From include/uapi/linux/netdev.h; the kernel headers of many systems are too old to have these. */
enum {
	PAGE_POOL_STATS_GET = 9,  /* NETDEV_CMD_ */
	PAGE_POOL_STATS_INFO = 1, /* NETDEV_A_; contains the pool's ids */
	PAGE_POOL_IFINDEX = 2,
	PAGE_POOL_STATS_FIRST = 8,
	PAGE_POOL_STATS_MAX = 18,
};

static const char *const page_pool_names[] = {
	"alloc_fast",   "alloc_slow",        "alloc_slow_high_order",   "alloc_empty",
	"alloc_refill", "alloc_waive",       "recycle_cached",          "recycle_cache_full",
	"recycle_ring", "recycle_ring_full", "recycle_released_refcnt",
};
_Static_assert(sizeof(page_pool_names) / sizeof(*page_pool_names) == PAGE_POOL_STATS_MAX - PAGE_POOL_STATS_FIRST + 1,
	       "a page pool's counter has no name");

void device_counters_open(struct device_counters *dc, const struct netdev *nd)
{
	device_counters_release(dc);
	memcpy(dc->name, nd->name, sizeof(dc->name));
	dc->ifindex = nd->ifindex;
	dc->route = netlink_open(NETLINK_ROUTE);
	dc->generic = netlink_open(NETLINK_GENERIC);
	if (dc->generic)
		dc->netdev_family = genl_ctrl_resolve(dc->generic, "netdev");
	if (dc->netdev_family < 0) {
		nl_socket_free(dc->generic);
		dc->generic = NULL;
	}
}

void device_counters_release(struct device_counters *dc)
{
	nl_socket_free(dc->route);
	nl_socket_free(dc->generic);
	*dc = (struct device_counters){};
}

struct pools {
	int ifindex;
	bool any;
	uint64_t sums[PAGE_POOL_STATS_MAX + 1];
};

/* Reads a netlink "uint": the kernel sends four bytes when the value fits in them, otherwise eight. */
static uint64_t read_uint(const struct nlattr *a)
{
	return nla_len(a) >= 8 ? nla_get_u64(a) : nla_len(a) >= 4 ? nla_get_u32(a) : 0;
}

static int add_pool(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[PAGE_POOL_STATS_MAX + 1], *info[PAGE_POOL_IFINDEX + 1];
	struct pools *p = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, PAGE_POOL_STATS_MAX, NULL) || !tb[PAGE_POOL_STATS_INFO] ||
	    nla_parse_nested(info, PAGE_POOL_IFINDEX, tb[PAGE_POOL_STATS_INFO], NULL) || !info[PAGE_POOL_IFINDEX] ||
	    (int)read_uint(info[PAGE_POOL_IFINDEX]) != p->ifindex)
		return NL_OK;
	p->any = true;
	for (int i = PAGE_POOL_STATS_FIRST; i <= PAGE_POOL_STATS_MAX; i++)
		p->sums[i] += tb[i] ? read_uint(tb[i]) : 0;
	return NL_OK;
}

int device_counters_read(const struct device_counters *dc, struct counters *out)
{
	struct pools p = {.ifindex = dc->ifindex};
	struct rtnl_link *link;
	const char *name;
	char stat[64];
	int err;

	memset(out, 0, sizeof(*out));
	err = netdev_driver_counters(dc->name, out);
	if (err != -ENOMEM)
		err = 0;
	if (!err && dc->route && !rtnl_link_get_kernel(dc->route, dc->ifindex, NULL, &link)) {
		/* Statistics with higher numbers belong to protocols, not to the device. */
		for (int id = RTNL_LINK_RX_PACKETS; id <= RTNL_LINK_MULTICAST && !err; id++) {
			name = rtnl_link_stat2str(id, stat, sizeof(stat));
			err = counters_append(out, COUNTER_LINK, name, strlen(name), rtnl_link_get_stat(link, id),
					      true);
		}
		rtnl_link_put(link);
	}
	/*
	 * A kernel before 6.8, or one without CONFIG_PAGE_POOL_STATS, refuses the request, which is no error. Drivers
	 * may still report rx_pp_* by ethtool.
	 */
	if (!err && dc->generic &&
	    genl_send_simple(dc->generic, dc->netdev_family, PAGE_POOL_STATS_GET, 1, NLM_F_DUMP) >= 0) {
		nl_socket_modify_cb(dc->generic, NL_CB_VALID, NL_CB_CUSTOM, add_pool, &p);
		p.any &= nl_recvmsgs_default(dc->generic) >= 0;
	}
	for (int i = PAGE_POOL_STATS_FIRST; i <= PAGE_POOL_STATS_MAX && p.any && !err; i++) {
		name = page_pool_names[i - PAGE_POOL_STATS_FIRST];
		err = counters_append(out, COUNTER_PAGE_POOL, name, strlen(name), p.sums[i], true);
	}
	if (err)
		counters_release(out);
	return err;
}

/* ---- netdev_genl ---- */

/* From include/uapi/linux/netdev.h; the kernel headers of many systems are too old to have these. */
enum { DEV_GET = 1, QUEUE_GET = 10, NAPI_GET = 11 };
enum { DEV_IFINDEX = 1, DEV_XDP_FEATURES = 3 };
enum { QUEUE_ID = 1, QUEUE_IFINDEX, QUEUE_TYPE, QUEUE_NAPI_ID };
enum { NAPI_IFINDEX = 1, NAPI_ID, NAPI_IRQ, NAPI_PID };
enum { QUEUE_TYPE_RX = 0 };

#define ATTR_MAX 16

/* A request, and what gets each answer. */
struct asked {
	int command;
	netdev_take_napi *napi;
	netdev_take_queue *queue;
	void *arg;
	uint64_t features;
};

static int number_of(const struct nlattr *attr)
{
	return attr ? (int)nla_get_u32(attr) : -1;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct nlattr *at[ATTR_MAX + 1];
	struct asked *a = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, at, ATTR_MAX, NULL))
		return NL_OK;
	if (a->command == DEV_GET && at[DEV_XDP_FEATURES])
		a->features = nla_get_u64(at[DEV_XDP_FEATURES]);
	if (a->command == NAPI_GET && at[NAPI_ID])
		a->napi(&(struct netdev_napi){.id = nla_get_u32(at[NAPI_ID]),
					      .irq = number_of(at[NAPI_IRQ]),
					      .pid = number_of(at[NAPI_PID]),
					      .rx_queue = -1},
			number_of(at[NAPI_IFINDEX]), a->arg);
	if (a->command == QUEUE_GET && at[QUEUE_ID] && at[QUEUE_TYPE] && at[QUEUE_NAPI_ID])
		a->queue(&(struct netdev_queue){.ifindex = number_of(at[QUEUE_IFINDEX]),
						.id = nla_get_u32(at[QUEUE_ID]),
						.napi = nla_get_u32(at[QUEUE_NAPI_ID]),
						.rx = nla_get_u32(at[QUEUE_TYPE]) == QUEUE_TYPE_RX},
			 a->arg);
	return NL_OK;
}

static int ask(struct asked *a, int command, int ifindex)
{
	struct nl_sock *sk = netlink_open(NETLINK_GENERIC);
	struct nl_msg *msg = nlmsg_alloc();
	int family = sk ? genl_ctrl_resolve(sk, "netdev") : -NLE_OPNOTSUPP, err = family < 0 ? family : -NLE_NOMEM;
	int flags = command == DEV_GET ? 0 : NLM_F_DUMP;

	a->command = command;
	/*
	 * ifindex 0: all devices of the namespace. The interface index is attribute 1 for devices and NAPIs, but
	 * attribute 2 for queues.
	 */
	if (family >= 0 && msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, command, 1) &&
	    (!ifindex || nla_put_u32(msg, command == QUEUE_GET ? QUEUE_IFINDEX : DEV_IFINDEX, ifindex) == 0))
		err = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	if (err >= 0) {
		nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, on_answer, a);
		err = nl_recvmsgs_default(sk);
		/* After the answer to a request that is no dump, the kernel sends an acknowledgement. */
		if (!err && !(flags & NLM_F_DUMP))
			err = nl_wait_for_ack(sk);
	}
	nl_socket_free(sk);
	return !err ? 0 : err == -NLE_NODEV ? -ENODEV : err == -NLE_NOMEM ? -ENOMEM : -EOPNOTSUPP;
}

int netdev_genl_xdp(int ifindex, uint64_t *features)
{
	struct asked a = {};
	int err = ask(&a, DEV_GET, ifindex);

	*features = a.features;
	return err;
}

int netdev_genl_each(int ifindex, netdev_take_napi *napi, netdev_take_queue *queue, void *arg)
{
	struct asked a = {.napi = napi, .queue = queue, .arg = arg};
	int err = ask(&a, NAPI_GET, ifindex);

	if (!err)
		ask(&a, QUEUE_GET, ifindex); /* may fail: then the NAPIs have no queues */
	return err;
}

struct napi_list {
	struct netdev_napi *napis;
	size_t n, max;
};

static void list_napi(const struct netdev_napi *n, int ifindex, void *arg)
{
	struct napi_list *l = arg;

	(void)ifindex;
	if (l->n < l->max)
		l->napis[l->n++] = *n;
}

static void list_queue(const struct netdev_queue *q, void *arg)
{
	struct napi_list *l = arg;

	for (size_t i = 0; i < l->n && q->rx; i++)
		if (l->napis[i].id == q->napi && (l->napis[i].rx_queue < 0 || (int)q->id < l->napis[i].rx_queue))
			l->napis[i].rx_queue = (int)q->id;
}

int netdev_genl_napis(int ifindex, struct netdev_napi *napis, size_t max)
{
	struct napi_list l = {.napis = napis, .max = max};
	int err = netdev_genl_each(ifindex, list_napi, list_queue, &l);

	return err ?: (int)l.n;
}

/* ---- uplink ---- */

#define NEST_MAX      8 /* devices upon devices: a VLAN of a bridge of a bond ... */
#define ANCESTORS_MAX 64
#define ADDRESS       80

/* Is dev the device named above, or one that this device sends through? sysfs lists these as lower_NAME. */
static bool is_below(const char *dev, const char *above, const struct facts *f, int depth)
{
	struct dirent *e;

	if (!strcmp(dev, above))
		return true;
	if (!depth || strlen(above) >= IF_NAMESIZE)
		return false;
	dir_scan (e, f, "sys/class/net/%s", above)
		if (!strncmp(e->d_name, "lower_", 6) && is_below(dev, e->d_name + 6, f, depth - 1))
			return true;
	return false;
}

bool uplink_has_address(const char *dev, const char *address)
{
	char plain[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN];
	struct ifaddrs *all, *a;
	bool found = false;

	if (!strncmp(address, "::ffff:", 7))
		address += 7;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(address, " %"), address);
	if (!plain[0] || getifaddrs(&all))
		return false;
	for (a = all; a && !found; a = a->ifa_next) {
		int family = a->ifa_addr ? a->ifa_addr->sa_family : AF_UNSPEC;
		const void *raw;

		if ((family != AF_INET && family != AF_INET6) || strcmp(a->ifa_name, dev))
			continue;
		raw = family == AF_INET ? (void *)&((struct sockaddr_in *)a->ifa_addr)->sin_addr
					: (void *)&((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr;
		found = inet_ntop(family, raw, text, sizeof(text)) && !strcmp(text, plain);
	}
	freeifaddrs(all);
	return found;
}

int uplink_check(const char *dev, struct diag *d)
{
	static const char want[] = "SSH_CONNECTION=";
	char address[ADDRESS] = "", line[512], of[IF_NAMESIZE], to6[33];
	struct if_nameindex *all = if_nameindex();
	unsigned int to, mask, flags;
	const char *what = NULL;
	struct process_stat s;
	bool ssh = false;
	struct facts f;
	int pid = getpid();

	/* This machine's end of the ssh session, from the environment that a process was started with. */
	for (int i = 0; i < ANCESTORS_MAX && pid > 0 && !ssh; i++) {
		FILE *in = facts_file(&facts_here, "proc/%d/environ", pid);
		char *word = NULL;
		size_t size = 0;

		while (in && !ssh && getdelim(&word, &size, 0, in) > 0)
			ssh = !strncmp(word, want, strlen(want)) &&
			      sscanf(word + strlen(want), "%*s %*s %79s", address) == 1;
		free(word);
		if (in)
			fclose(in);
		pid = facts_process_stat(&facts_here, pid, &s) ? 0 : s.parent;
	}
	facts_open(&f, NULL, NULL);
	file_scan (line, "proc/thread-self/net/route")
		if (sscanf(line, "%15s %x %*x %x %*d %*d %*d %x", of, &to, &flags, &mask) == 4 && !to && !mask &&
		    (flags & 1) && is_below(dev, of, &f, NEST_MAX))
			what = "this machine's default route goes over it";
	file_scan (line, "proc/thread-self/net/ipv6_route")
		if (sscanf(line, "%32s %x %*s %*s %*s %*s %*s %*s %x %15s", to6, &mask, &flags, of) == 4 &&
		    strspn(to6, "0") == 32 && !mask && (flags & 1) && strcmp(of, "lo") &&
		    is_below(dev, of, &f, NEST_MAX))
			what = "this machine's default route goes over it";
	for (struct if_nameindex *i = all; i && i->if_index && ssh; i++)
		if (uplink_has_address(i->if_name, address) && is_below(dev, i->if_name, &f, NEST_MAX))
			what = "this ssh session goes over it";
	if (all)
		if_freenameindex(all);
	facts_release(&f);
	return what ? diag_set(d, -EBUSY, "%s: %s; --allow-management-interface takes it all the same", dev, what) : 0;
}
