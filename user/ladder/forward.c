// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/ladder/ladder.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <netlink/netlink.h>
#include "bpf/forward.skel.h"
#include "user/bed/bed.h"

#define BRIDGE     "xzbridge"
#define IP_FORWARD "/proc/sys/net/ipv4/ip_forward"

static const unsigned char port_mac[6] = {0x02, 0x78, 0x7a, 0x00, 0x00, 0x03};

void forward_init(struct forward *f)
{
	*f = (struct forward){.link_fd = -1, .end_netns = -1};
	tc_hook_init(&f->hook);
}

static int link_change(int ifindex, int type, const void *data, size_t bytes)
{
	struct ifinfomsg head = {.ifi_index = ifindex};

	return netlink_change(RTM_NEWLINK, 0, &head, sizeof(head), (struct netlink_attr[]){{type, data, bytes}, {}});
}

static struct bpf_program *tc_program(const struct forward *f)
{
	return f->end_netns >= 0 && f->layer != RUN_LAYER_NETKIT ? f->skel->progs.tc_to_peer
								 : f->skel->progs.tc_to_device;
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

/* A known way to a neighbour: in a bridge a port (ip NULL), in IPv4 an address beside the MAC address. */
static int add_neighbour(int ifindex, const struct in_addr *ip, const unsigned char peer[6])
{
	struct ndmsg head = {.ndm_family = ip ? AF_INET : AF_BRIDGE,
			     .ndm_ifindex = ifindex,
			     .ndm_state = ip ? NUD_PERMANENT : NUD_NOARP,
			     .ndm_flags = ip ? 0 : NTF_MASTER};
	const struct netlink_attr attrs[] = {{NDA_LLADDR, peer, 6}, {ip ? NDA_DST : 0, ip, sizeof(*ip)}, {}};

	return netlink_change(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &head, sizeof(head), attrs);
}

/* The receiving device gets another MAC address, because a bridge keeps frames that are sent to its ports. */
static int forward_bridge(const struct netdev *in, const struct netdev *out, struct diag *d)
{
	struct {
		struct nlattr head;
		char word[8];
	} kind = {{NLA_HDRLEN + sizeof("bridge"), IFLA_INFO_KIND}, "bridge"};
	struct ifinfomsg head = {};
	const struct netlink_attr attrs[] = {
		{IFLA_IFNAME, BRIDGE, sizeof(BRIDGE)}, {IFLA_LINKINFO, &kind, sizeof(kind)}, {}};
	int err = netlink_change(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof(head), attrs);
	int master, sysfs;

	if (err == -NLE_OPNOTSUPP)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no bridge");
	master = (int)if_nametoindex(BRIDGE);
	if (!err)
		err = link_change(in->ifindex, IFLA_ADDRESS, port_mac, sizeof(port_mac))
			      ?: link_change(in->ifindex, IFLA_MASTER, &master, sizeof(master))
			      ?: link_change(out->ifindex, IFLA_MASTER, &master, sizeof(master))
			      ?: add_neighbour(out->ifindex, NULL, rig_arm_mac);
	if (err)
		return diag_set(d, -EIO, "cannot make a bridge of %s and %s: %s", in->name, out->name,
				nl_geterror(err));
	sysfs = netns_sysfs(d);
	if (sysfs < 0)
		return sysfs;
	/*
	 * A bridge that looks for multicast groups sends packets of its own when it comes up. That this fails is not
	 * fatal: the check for stray packets reports them.
	 */
	file_put(sysfs, "class/net/" BRIDGE "/bridge/multicast_snooping", "0");
	close(sysfs);
	/* Otherwise each bridged frame goes through the IP hooks of netfilter too. */
	file_put(AT_FDCWD, "/proc/sys/net/bridge/bridge-nf-call-iptables", "0");
	return rig_set_up(BRIDGE, d);
}

/* Adds or removes a route to this address, straight out of this device, and the MAC address that has it; NULL: none. */
static int change_route(const char *address, int ifindex, const unsigned char *mac, bool add)
{
	struct rtmsg head = {.rtm_family = AF_INET,
			     .rtm_dst_len = 32,
			     .rtm_table = RT_TABLE_MAIN,
			     .rtm_protocol = RTPROT_STATIC,
			     .rtm_scope = RT_SCOPE_LINK,
			     .rtm_type = RTN_UNICAST};
	struct in_addr to;
	int err;

	inet_pton(AF_INET, address, &to);
	err = netlink_change(
		add ? RTM_NEWROUTE : RTM_DELROUTE, add ? NLM_F_CREATE | NLM_F_REPLACE : 0, &head, sizeof(head),
		(struct netlink_attr[]){{RTA_DST, &to, sizeof(to)}, {RTA_OIF, &ifindex, sizeof(ifindex)}, {}});
	return err || !mac ? err : add_neighbour(ifindex, &to, mac);
}

int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d)
{
	int err = change_route(GEN_SRC_IP, out->ifindex, mac, true);

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
	case RUN_LAYER_NETKIT:
		err = forward_load(f, d);
		if (err)
			return err;
		err = tc_hook_open(&f->hook, &f->in, bpf_program__fd(tc_program(f)));
		return err ? diag_set(d, err, "%s takes no tc program: %s%s", f->in.name, strerror(-err),
				      kernel_words())
			   : 0;
	case RUN_LAYER_BRIDGE:
		return forward_bridge(&f->in, &f->out, d);
	default: /* ROUTE, FLOWTABLE */
		/*
		 * The receiving device loses the address that the frames are sent to, so that they are forwarded. The
		 * way back belongs to a connection that a flowtable takes over. No frame goes there.
		 */
		err = rig_change_address(&f->in, GEN_DST_IP, 32, false, d);
		if (err)
			return err;
		err = change_route(GEN_DST_IP, f->out.ifindex, rig_arm_mac, true)
			      ?: change_route(GEN_SRC_IP, f->in.ifindex, NULL, true);
		if (err)
			return diag_set(d, -EIO, "cannot route from %s to %s: %s", f->in.name, f->out.name,
					nl_geterror(err));
		file_put(AT_FDCWD, IP_FORWARD, "1");
		return 0;
	}
}

int forward_open(struct forward *f, enum run_layer layer, const struct netdev *in, struct diag *d)
{
	bool to_peer = layer >= RUN_LAYER_PEER_VETH && layer <= RUN_LAYER_NETKIT;
	enum rig_pair pair = !to_peer || layer == RUN_LAYER_PEER_VETH ? RIG_VETH : RIG_NETKIT;
	netns_scope int saved = -1;
	int err;

	f->layer = layer;
	f->in = *in;
	/* bpf_redirect_peer() takes no peer in its own namespace */
	err = to_peer ? netns_make(&f->end_netns, d) : 0;
	if (!err && f->outwards) /* the primary device is made first */
		err = netns_visit_fd(f->end_netns, &saved, d)
			      ?: rig_make_pair(FORWARD_END_DEV, FORWARD_OUT_DEV, saved, pair, in->mtu, d);
	else if (!err && to_peer)
		err = rig_make_pair(FORWARD_OUT_DEV, FORWARD_END_DEV, f->end_netns, pair, in->mtu, d);
	else if (!err)
		err = rig_make_pair(FORWARD_END_DEV, FORWARD_OUT_DEV, RIG_SAME_NETNS, pair, in->mtu, d)
			      ?: rig_setup_sink(FORWARD_END_DEV, d);
	netns_back(&saved);
	/* It comes up last: veth takes redirected frames only if its peer has gro on by then (Linux 6.3). */
	if (!err)
		err = rig_set_up(FORWARD_OUT_DEV, d) ?: netdev_open(&f->out, FORWARD_OUT_DEV, d);
	if (!err && !to_peer)
		err = netdev_open(&f->end, FORWARD_END_DEV, d);
	if (!err)
		device_counters_open(&f->out_counters, &f->out);
	if (!err && to_peer)
		err = netns_visit_fd(f->end_netns, &saved, d);
	if (!err && to_peer) {
		rig_quiet_ipv6();
		err = rig_set_up(FORWARD_END_DEV, d) ?: netdev_open(&f->end, FORWARD_END_DEV, d);
		if (!err) /* the frames are for it */
			link_change(f->end.ifindex, IFLA_ADDRESS, in->mac, sizeof(in->mac));
		netns_back(&saved);
	}
	if (!err)
		err = open_way(f, d);
	if (err)
		forward_close(f);
	return err;
}

int forward_attach(struct forward *f, struct bench *b, const struct netdev *nd, enum run_mode mode, struct diag *d)
{
	int err;

	f->outwards = mode == RUN_MODE_NETKIT_PEER;
	err = mode >= RUN_MODE_NETKIT ? forward_open(f, RUN_LAYER_NETKIT, nd, d) : 0;
	b->netkit = f->out.ifindex;
	b->primary = f->end.ifindex;
	b->primary_netns = f->end_netns;
	return err ?: bench_attach(b, nd, mode, d);
}

void forward_close(struct forward *f)
{
	attached_end(&f->link_fd);
	tc_hook_close(&f->hook);
	forward_bpf__destroy(f->skel);
	if (f->layer == RUN_LAYER_BRIDGE) {
		rig_delete_link(BRIDGE);
		link_change(f->in.ifindex, IFLA_ADDRESS, f->in.mac, sizeof(f->in.mac));
	}
	if (f->layer == RUN_LAYER_ROUTE || f->layer == RUN_LAYER_FLOWTABLE) {
		file_put(AT_FDCWD, IP_FORWARD, "0");
		change_route(GEN_SRC_IP, f->in.ifindex, NULL, false);
		rig_change_address(&f->in, GEN_DST_IP, 32, true, NULL);
	}
	device_counters_release(&f->out_counters);
	if (f->layer != RUN_LAYER_NONE)
		rig_delete_link(f->end_netns >= 0 ? FORWARD_OUT_DEV
						  : FORWARD_END_DEV); /* the kernel deletes its peer too */
	fd_close(f->end_netns);
	forward_init(f);
}
