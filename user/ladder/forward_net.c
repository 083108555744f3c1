// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/ladder/forward_net.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/neighbour.h>
#include <net/if.h>
#include <unistd.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/bridge.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include "user/gen/gen.h"
#include "user/bed/rig.h"
#include "user/bed/rig_parts.h"
#include "user/machine/netns.h"

#define BRIDGE "xzbridge"

static const unsigned char port_mac[6] = {0x02, 0x78, 0x7a, 0x00, 0x00, 0x03};

static struct nl_sock *route_socket(void)
{
	struct nl_sock *sk = nl_socket_alloc();

	if (sk && nl_connect(sk, NETLINK_ROUTE)) {
		nl_socket_free(sk);
		sk = NULL;
	}
	return sk;
}

/* A known way to a neighbour: in a bridge (family AF_BRIDGE) a port, in IPv4 an address beside the MAC address. */
static int add_neighbour(struct nl_sock *sk, int family, int ifindex, struct nl_addr *ip, const unsigned char peer[6])
{
	struct nl_addr *mac = nl_addr_build(AF_LLC, peer, 6);
	struct rtnl_neigh *n = rtnl_neigh_alloc();
	int err = -NLE_NOMEM;

	if (mac && n) {
		rtnl_neigh_set_family(n, family);
		rtnl_neigh_set_ifindex(n, ifindex);
		rtnl_neigh_set_lladdr(n, mac);
		if (ip)
			rtnl_neigh_set_dst(n, ip);
		else
			rtnl_neigh_set_flags(n, NTF_MASTER);
		rtnl_neigh_set_state(n, ip ? NUD_PERMANENT : NUD_NOARP);
		err = rtnl_neigh_add(sk, n, NLM_F_CREATE | NLM_F_REPLACE);
	}
	if (n)
		rtnl_neigh_put(n);
	if (mac)
		nl_addr_put(mac);
	return err;
}

/* ---- bridge -------------------------------------------------------------------------------------------------- */

static int set_mac(struct nl_sock *sk, const struct netdev *nd, const unsigned char mac[6])
{
	struct nl_addr *addr = nl_addr_build(AF_LLC, mac, 6);
	struct rtnl_link *change = rtnl_link_alloc();
	int err = -NLE_NOMEM;

	if (addr && change) {
		rtnl_link_set_ifindex(change, nd->ifindex);
		rtnl_link_set_addr(change, addr);
		err = rtnl_link_change(sk, change, change, 0);
	}
	if (change)
		rtnl_link_put(change);
	if (addr)
		nl_addr_put(addr);
	return err;
}

static int make_bridge(struct nl_sock *sk)
{
	struct rtnl_link *bridge = rtnl_link_bridge_alloc();
	int err;

	if (!bridge)
		return -NLE_NOMEM;
	rtnl_link_set_name(bridge, BRIDGE);
	err = rtnl_link_add(sk, bridge, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_link_put(bridge);
	return err;
}

/* A bridge that looks for multicast groups sends packets of its own when it comes up. */
static int forbid_snooping(struct diag *d)
{
	int sysfs = netns_sysfs(d), fd;

	if (sysfs < 0)
		return sysfs;
	fd = openat(sysfs, "class/net/" BRIDGE "/bridge/multicast_snooping", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "0", 1) != 1) {
		/* not fatal: the gate for stray packets reports such packets */
	}
	if (fd >= 0)
		close(fd);
	close(sysfs);
	return 0;
}

int forward_bridge(const struct netdev *in, const struct netdev *out, struct diag *d)
{
	struct nl_sock *sk = route_socket();
	int err = sk ? make_bridge(sk) : -NLE_NOMEM, master;

	if (err == -NLE_OPNOTSUPP) {
		nl_socket_free(sk);
		return diag_set(d, -EOPNOTSUPP, "this kernel has no bridge");
	}
	master = (int)if_nametoindex(BRIDGE);
	if (!err)
		err = set_mac(sk, in, port_mac);
	if (!err)
		err = rtnl_link_enslave_ifindex(sk, master, in->ifindex);
	if (!err)
		err = rtnl_link_enslave_ifindex(sk, master, out->ifindex);
	if (!err)
		err = add_neighbour(sk, AF_BRIDGE, out->ifindex, NULL, rig_arm_mac);
	nl_socket_free(sk);
	if (err)
		return diag_set(d, -EIO, "cannot make a bridge of %s and %s: %s", in->name, out->name,
				nl_geterror(err));
	err = forbid_snooping(d);
	if (err)
		return err;
	/* Otherwise each bridged frame goes through the IP hooks of netfilter too. */
	rig_set_sysctl("/proc/sys/net/bridge/bridge-nf-call-iptables", "0");
	return rig_set_up(BRIDGE, d);
}

void forward_bridge_close(const struct netdev *in)
{
	struct nl_sock *sk = route_socket();

	rig_delete_link(BRIDGE);
	if (sk)
		set_mac(sk, in, in->mac);
	nl_socket_free(sk);
}

/* ---- routes -------------------------------------------------------------------------------------------------- */

/* To this address, straight out of this device. */
static int change_route(struct nl_sock *sk, struct nl_addr *to, int ifindex, bool add)
{
	struct rtnl_route *route = rtnl_route_alloc();
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
	int err = -NLE_NOMEM;

	if (route && hop) {
		rtnl_route_set_family(route, AF_INET);
		rtnl_route_set_scope(route, RT_SCOPE_LINK);
		rtnl_route_set_dst(route, to);
		rtnl_route_nh_set_ifindex(hop, ifindex);
		rtnl_route_add_nexthop(route, hop);
		hop = NULL; /* the route's by now */
		err = add ? rtnl_route_add(sk, route, NLM_F_CREATE | NLM_F_REPLACE) : rtnl_route_delete(sk, route, 0);
	}
	if (hop)
		rtnl_route_nh_free(hop);
	if (route)
		rtnl_route_put(route);
	return err;
}

static void set_forwarding(bool on)
{
	rig_set_sysctl("/proc/sys/net/ipv4/ip_forward", on ? "1" : "0");
}

/* The way back belongs to a connection that a flowtable takes over. No frame goes there. */
int forward_route(const struct netdev *in, const struct netdev *out, struct diag *d)
{
	struct nl_addr *to = NULL, *from = NULL;
	struct nl_sock *sk;
	int err = rig_arm_address(in, false, d);

	if (err)
		return err;
	sk = route_socket();
	err = sk ? nl_addr_parse(GEN_DST_IP "/32", AF_INET, &to) : -NLE_NOMEM;
	if (!err)
		err = nl_addr_parse(GEN_SRC_IP "/32", AF_INET, &from);
	if (!err)
		err = change_route(sk, to, out->ifindex, true);
	if (!err)
		err = change_route(sk, from, in->ifindex, true);
	if (!err)
		err = add_neighbour(sk, AF_INET, out->ifindex, to, rig_arm_mac);
	nl_addr_put(to);
	nl_addr_put(from);
	nl_socket_free(sk);
	if (err)
		return diag_set(d, -EIO, "cannot route from %s to %s: %s", in->name, out->name, nl_geterror(err));
	set_forwarding(true);
	return 0;
}

void forward_route_close(const struct netdev *in)
{
	struct nl_sock *sk = route_socket();
	struct nl_addr *from = NULL;

	set_forwarding(false);
	if (sk && !nl_addr_parse(GEN_SRC_IP "/32", AF_INET, &from))
		change_route(sk, from, in->ifindex, false);
	nl_addr_put(from);
	nl_socket_free(sk);
	rig_arm_address(in, true, NULL);
}

int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d)
{
	struct nl_sock *sk = route_socket();
	struct nl_addr *to = NULL;
	int err = sk ? nl_addr_parse(GEN_SRC_IP "/32", AF_INET, &to) : -NLE_NOMEM;

	if (!err)
		err = change_route(sk, to, out->ifindex, true);
	if (!err)
		err = add_neighbour(sk, AF_INET, out->ifindex, to, mac);
	nl_addr_put(to);
	nl_socket_free(sk);
	return err ? diag_set(d, -EIO, "cannot route to the peer of %s: %s", out->name, nl_geterror(err)) : 0;
}
