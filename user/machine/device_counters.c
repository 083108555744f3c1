// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <netlink/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/route/link.h>
#include "user/machine/machine.h"

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

static int device_counters_add(struct counters *out, enum counter_source source, const char *name, uint64_t value)
{
	return counters_append(out, source, name, strlen(name), value, true);
}

static int add_link(const struct device_counters *dc, struct counters *out)
{
	struct rtnl_link *link;
	char name[64];
	int err = 0;

	if (!dc->route || rtnl_link_get_kernel(dc->route, dc->ifindex, NULL, &link))
		return 0;
	/* Statistics with higher numbers belong to protocols, not to the device. */
	for (int id = RTNL_LINK_RX_PACKETS; id <= RTNL_LINK_MULTICAST && !err; id++)
		err = device_counters_add(out, COUNTER_LINK, rtnl_link_stat2str(id, name, sizeof(name)),
					  rtnl_link_get_stat(link, id));
	rtnl_link_put(link);
	return err;
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

/*
 * A kernel before 6.8, or one without CONFIG_PAGE_POOL_STATS, refuses the request, which is no error. Drivers may still
 * report rx_pp_* by ethtool.
 */
static int add_page_pools(const struct device_counters *dc, struct counters *out)
{
	struct pools p = {.ifindex = dc->ifindex};
	int err = 0;

	if (!dc->generic || genl_send_simple(dc->generic, dc->netdev_family, PAGE_POOL_STATS_GET, 1, NLM_F_DUMP) < 0)
		return 0;
	nl_socket_modify_cb(dc->generic, NL_CB_VALID, NL_CB_CUSTOM, add_pool, &p);
	if (nl_recvmsgs_default(dc->generic) < 0 || !p.any)
		return 0;
	for (int i = PAGE_POOL_STATS_FIRST; i <= PAGE_POOL_STATS_MAX && !err; i++)
		err = device_counters_add(out, COUNTER_PAGE_POOL, page_pool_names[i - PAGE_POOL_STATS_FIRST],
					  p.sums[i]);
	return err;
}

int device_counters_read(const struct device_counters *dc, struct counters *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = netdev_driver_counters(dc->name, out);
	if (err != -ENOMEM)
		err = add_link(dc, out);
	if (!err)
		err = add_page_pools(dc, out);
	if (err)
		counters_release(out);
	return err;
}
