// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/ladder/ladder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/bridge.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include "bpf/forward.skel.h"
#include "user/bed/bed.h"
#include "user/gen/gen.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"

#define BRIDGE "xzbridge"

static const unsigned char port_mac[6] = {0x02, 0x78, 0x7a, 0x00, 0x00, 0x03};

void forward_init(struct forward *f)
{
	*f = (struct forward){.link_fd = -1, .end_netns = -1};
	tc_hook_init(&f->hook);
}

/* xzout comes up last: veth takes redirected frames only if its peer has gro on by then (Linux 6.3). */
static int open_pair(struct forward *f, struct diag *d)
{
	int err = rig_make_pair(FORWARD_END_DEV, FORWARD_OUT_DEV, RIG_SAME_NETNS, RIG_VETH, f->in.mtu, d);

	if (!err)
		err = rig_setup_sink(FORWARD_END_DEV, d) ?: rig_set_up(FORWARD_OUT_DEV, d);
	if (!err)
		err = netdev_open(&f->out, FORWARD_OUT_DEV, d) ?: netdev_open(&f->end, FORWARD_END_DEV, d);
	if (!err)
		device_counters_open(&f->out_counters, &f->out);
	return err;
}

/* bpf_redirect_peer() takes no peer in its own namespace. */
static int open_peer(struct forward *f, struct diag *d)
{
	int saved, err = netns_make(&f->end_netns, d);

	if (!err)
		err = rig_make_pair(FORWARD_OUT_DEV, FORWARD_END_DEV, f->end_netns,
				    f->layer == RUN_LAYER_PEER_NETKIT ? RIG_NETKIT : RIG_VETH, f->in.mtu, d)
			      ?: rig_set_up(FORWARD_OUT_DEV, d)
			      ?: netdev_open(&f->out, FORWARD_OUT_DEV, d) ?: netns_visit_fd(f->end_netns, &saved, d);
	if (err)
		return err;
	device_counters_open(&f->out_counters, &f->out);
	rig_quiet_ipv6();
	err = rig_set_up(FORWARD_END_DEV, d) ?: netdev_open(&f->end, FORWARD_END_DEV, d);
	netns_back(&saved);
	return err;
}

static struct bpf_program *tc_program(const struct forward *f)
{
	return f->end_netns >= 0 ? f->skel->progs.tc_to_peer : f->skel->progs.tc_to_device;
}

static int forward_load(struct forward *f, struct diag *d)
{
	f->skel = forward_bpf__open();
	if (!f->skel)
		return diag_set(d, -errno, "cannot open its programs: %s", strerror(errno));
	f->skel->rodata->cfg_out = (__u32)f->out.ifindex;
	bench_say_frags(f->skel->progs.xdp_to_device, &f->in);
	bench_say_frags(f->skel->progs.second_program, &f->in);
	return kernel_load(f->skel->skeleton,
			   (struct bpf_program *[]){
				   f->layer == RUN_LAYER_TC_REDIRECT || f->end_netns >= 0
					   ? tc_program(f)
					   : f->skel->progs.xdp_to_device,
				   f->layer == RUN_LAYER_DEVMAP_PROGRAM ? f->skel->progs.second_program : NULL, NULL},
			   "its program", d);
}

/* ---- a bridge and routes ------------------------------------------------------------------------------------- */

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

static int forward_set_mac(struct nl_sock *sk, const struct netdev *nd, const unsigned char mac[6])
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

/* The receiving device gets another MAC address, because a bridge keeps frames that are sent to its ports. */
static int forward_bridge(const struct netdev *in, const struct netdev *out, struct diag *d)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	int err = sk ? make_bridge(sk) : -NLE_NOMEM, master;

	if (err == -NLE_OPNOTSUPP) {
		nl_socket_free(sk);
		return diag_set(d, -EOPNOTSUPP, "this kernel has no bridge");
	}
	master = (int)if_nametoindex(BRIDGE);
	if (!err)
		err = forward_set_mac(sk, in, port_mac) ?: rtnl_link_enslave_ifindex(sk, master, in->ifindex);
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

/* Adds or removes a route to this address, straight out of this device. */
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

/*
 * The receiving device loses the address that the frames are sent to, so that they are forwarded. The way back belongs
 * to a connection that a flowtable takes over. No frame goes there.
 */
static int forward_route(const struct netdev *in, const struct netdev *out, struct diag *d)
{
	struct nl_addr *to = NULL, *from = NULL;
	struct nl_sock *sk;
	int err = rig_arm_address(in, false, d);

	if (err)
		return err;
	sk = netlink_open(NETLINK_ROUTE);
	err = sk ? nl_addr_parse(GEN_DST_IP "/32", AF_INET, &to) : -NLE_NOMEM;
	if (!err)
		err = nl_addr_parse(GEN_SRC_IP "/32", AF_INET, &from) ?: change_route(sk, to, out->ifindex, true);
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

int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	struct nl_addr *to = NULL;
	int err = sk ? nl_addr_parse(GEN_SRC_IP "/32", AF_INET, &to) : -NLE_NOMEM;

	if (!err)
		err = change_route(sk, to, out->ifindex, true) ?: add_neighbour(sk, AF_INET, out->ifindex, to, mac);
	nl_addr_put(to);
	nl_socket_free(sk);
	return err ? diag_set(d, -EIO, "cannot route to the peer of %s: %s", out->name, nl_geterror(err)) : 0;
}

/* ---------------------------------------------------------------------------------------------------------------- */

static int open_way(struct forward *f, struct diag *d)
{
	int err;
	struct bpf_devmap_val to;
	__u32 key;

	switch (f->layer) {
	case RUN_LAYER_XDP_REDIRECT:
	case RUN_LAYER_DEVMAP_PROGRAM:
	case RUN_LAYER_SKB_REDIRECT:
		key = 0;
		to = (struct bpf_devmap_val){.ifindex = (__u32)f->out.ifindex, .bpf_prog.fd = -1};
		err = forward_load(f, d);
		if (err)
			return err;
		if (f->layer == RUN_LAYER_DEVMAP_PROGRAM)
			to.bpf_prog.fd = bpf_program__fd(f->skel->progs.second_program);
		if (bpf_map_update_elem(bpf_map__fd(f->skel->maps.out_device), &key, &to, BPF_ANY))
			return diag_set(d, -errno, "%s cannot be redirected to: %s", f->out.name, strerror(errno));
		return kernel_attach_xdp(&f->link_fd, f->skel->progs.xdp_to_device, &f->in,
					 f->layer == RUN_LAYER_SKB_REDIRECT ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE,
					 d);
	case RUN_LAYER_TC_REDIRECT:
	case RUN_LAYER_PEER_VETH:
	case RUN_LAYER_PEER_NETKIT:
		err = forward_load(f, d);
		if (err)
			return err;
		err = tc_hook_open(&f->hook, &f->in, bpf_program__fd(tc_program(f)));
		return err ? diag_set(d, err, "%s takes no tc program: %s%s%s", f->in.name, strerror(-err),
				      kernel_words_sep(), kernel_words())
			   : 0;
	case RUN_LAYER_BRIDGE:
		return forward_bridge(&f->in, &f->out, d);
	default: /* ROUTE, FLOWTABLE */
		return forward_route(&f->in, &f->out, d);
	}
}

int forward_open(struct forward *f, enum run_layer layer, const struct netdev *in, struct diag *d)
{
	int err;

	f->layer = layer;
	f->in = *in;
	err = (layer == RUN_LAYER_PEER_VETH || layer == RUN_LAYER_PEER_NETKIT ? open_peer(f, d) : open_pair(f, d))
		      ?: open_way(f, d);
	if (err)
		forward_close(f);
	return err;
}

int forward_frames(const struct forward *f, uint64_t *frames, struct diag *d)
{
	int err = bench_count_attached(&f->end, frames);

	return err ? diag_set(d, err, "cannot read the sink's count: %s", strerror(-err)) : 0;
}

/* The device is new, so its counters began at 0. */
int forward_lost(const struct forward *f, uint64_t *frames, struct diag *d)
{
	struct counters now = {};
	int64_t skbs, xdp;

	if (device_counters_read(&f->out_counters, &now))
		return diag_set(d, -ENOMEM, "no memory");
	skbs = counters_sum(&now, COUNTER_LINK_TX_LOST);
	xdp = counters_sum(&now, COUNTER_XMIT_REFUSED);
	counters_release(&now);
	*frames = (uint64_t)((skbs > 0 ? skbs : 0) + (xdp > 0 ? xdp : 0));
	return 0;
}

void forward_close(struct forward *f)
{
	attached_end(&f->link_fd);
	tc_hook_close(&f->hook);
	forward_bpf__destroy(f->skel);
	if (f->layer == RUN_LAYER_BRIDGE) {
		struct nl_sock *sk = netlink_open(NETLINK_ROUTE);

		rig_delete_link(BRIDGE);
		if (sk)
			forward_set_mac(sk, &f->in, f->in.mac);
		nl_socket_free(sk);
	}
	if (f->layer == RUN_LAYER_ROUTE || f->layer == RUN_LAYER_FLOWTABLE) {
		struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
		struct nl_addr *from = NULL;

		set_forwarding(false);
		if (sk && !nl_addr_parse(GEN_SRC_IP "/32", AF_INET, &from))
			change_route(sk, from, f->in.ifindex, false);
		nl_addr_put(from);
		nl_socket_free(sk);
		rig_arm_address(&f->in, true, NULL);
	}
	device_counters_release(&f->out_counters);
	if (f->layer != RUN_LAYER_NONE)
		rig_delete_link(f->end_netns >= 0 ? FORWARD_OUT_DEV
						  : FORWARD_END_DEV); /* the kernel deletes its peer too */
	if (f->end_netns >= 0)
		close(f->end_netns);
	forward_init(f);
}
