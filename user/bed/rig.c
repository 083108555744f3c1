// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/ethtool.h>
#include <linux/veth.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <netlink/msg.h>
#include "user/programs/programs.h"
#include "user/bed/bed.h"

#define WINDOW        224 /* frames under way; a veth's ring has room for 256 */
#define RIG_NAPI_NICE (-19)

/* The MAC addresses of all arms, locally administered: receivers, senders. */
const unsigned char rig_arm_mac[6] = {0x02, 0x78, 0x7a, 0x00, 0x00, 0x01};
static const unsigned char send_mac[6] = {0x02, 0x78, 0x7a, 0x00, 0x00, 0x02};

/* One end's attributes, in the message or in IFLA_INFO_DATA's. */
static int put_end(struct nl_msg *m, const char *name, int netns_fd, const unsigned char mac[6], int mtu)
{
	return nla_put_string(m, IFLA_IFNAME, name)
		       ?: (mtu ? nla_put_u32(m, IFLA_MTU, (uint32_t)mtu) : 0)
		       ?: (netns_fd != RIG_SAME_NETNS ? nla_put_u32(m, IFLA_NET_NS_FD, (uint32_t)netns_fd) : 0)
		       ?: (mac ? nla_put(m, IFLA_ADDRESS, 6, mac) : 0);
}

/* VETH_INFO_PEER and IFLA_NETKIT_PEER_INFO have one number and one shape. Kernel headers before 6.7 have no netkit. */
#define NETKIT_MODE 5
#define NETKIT_L2   0

int rig_make_pair(const char *here, const char *there, int there_fd, enum rig_pair pair, int mtu, struct diag *d)
{
	const char *kind = pair == RIG_NETKIT ? "netkit" : "veth";
	struct nl_msg *m = nlmsg_alloc_simple(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct ifinfomsg head = {.ifi_family = AF_UNSPEC};
	struct nlattr *info, *data, *peer;
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	int err;

	if (!sk || !m) {
		nlmsg_free(m);
		nl_socket_free(sk);
		return diag_set(d, -EIO, "cannot open a netlink socket");
	}
	err = nlmsg_append(m, &head, sizeof(head), NLMSG_ALIGNTO)
		      ?: put_end(m, here, RIG_SAME_NETNS, pair == RIG_ARM ? send_mac : NULL, mtu);
	info = nla_nest_start(m, IFLA_LINKINFO);
	err = err ?: nla_put_string(m, IFLA_INFO_KIND, kind);
	data = nla_nest_start(m, IFLA_INFO_DATA);
	if (pair == RIG_NETKIT)
		err = err ?: nla_put_u32(m, NETKIT_MODE, NETKIT_L2);
	peer = nla_nest_start(m, VETH_INFO_PEER);
	err = err ?: nlmsg_append(m, &head, sizeof(head), NLMSG_ALIGNTO)
			     ?: put_end(m, there, there_fd, pair == RIG_ARM ? rig_arm_mac : NULL, mtu);
	nla_nest_end(m, peer);
	nla_nest_end(m, data);
	nla_nest_end(m, info);
	if (err)
		nlmsg_free(m);
	else
		err = nl_send_sync(sk, m);
	nl_socket_free(sk);
	if (err == -NLE_OPNOTSUPP)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no %s devices", kind);
	return err ? diag_set(d, -EIO, "cannot make the %s pair %s, %s: %s", kind, here, there, nl_geterror(err)) : 0;
}

/* In the sender's namespace; "there" is in the receiver's. */
static int make_pair(const char *here, const char *there, int mtu, struct diag *d)
{
	int rx = netns_open(RIG_RX_NETNS, d), err;

	if (rx < 0)
		return rx;
	err = rig_make_pair(here, there, rx, RIG_VETH, mtu, d);
	close(rx);
	return err;
}

int rig_set_up(const char *name, struct diag *d)
{
	struct ifinfomsg head = {.ifi_index = (int)if_nametoindex(name), .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	int err = netlink_change(RTM_NEWLINK, 0, &head, sizeof(head), (struct netlink_attr[]){{}});

	return err ? diag_set(d, -EIO, "cannot bring %s up: %s", name, nl_geterror(err)) : 0;
}

void rig_delete_link(const char *name)
{
	struct ifinfomsg head = {};

	netlink_change(RTM_DELLINK, 0, &head, sizeof(head),
		       (struct netlink_attr[]){{IFLA_IFNAME, name, strlen(name) + 1}, {}});
}

/* Switches IPv6 off: neighbour discovery and MLD would send packets of their own. A kernel without IPv6 sends none. */
void rig_quiet_ipv6(void)
{
	file_put(AT_FDCWD, "/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
	file_put(AT_FDCWD, "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}

/* In the receiver's namespace: polls the device in a NAPI kthread on this CPU. */
int rig_thread_receiver(const char *dev, int rx_cpu, struct diag *d)
{
	int err = napi_set_threaded(dev, true);
	pid_t tid = -ENOENT;

	if (err)
		return diag_set(d, err, "cannot thread the NAPI of %s (needs Linux 5.12): %s", dev, strerror(-err));
	for (int i = 0; i < 200 && (tid = napi_kthread(dev)) < 0; i++)
		sleep_until_ns(now_ns() + 5000000);
	if (tid < 0)
		return diag_set(d, tid, "the NAPI kthread of %s did not appear", dev);
	err = cpu_pin(tid, rx_cpu);
	if (err)
		return diag_set(d, err, "cannot pin the NAPI kthread of %s to CPU %d: %s", dev, rx_cpu, strerror(-err));
	/* with equal priority, another task on this CPU would take half of it */
	setpriority(PRIO_PROCESS, tid, RIG_NAPI_NICE);
	return 0;
}

/* In the receiver's namespace: NAPI on (gro) and up. */
int rig_open_receiver(const char *dev, struct diag *d)
{
	int err = netdev_ethtool(dev, &(struct ethtool_value){.cmd = ETHTOOL_SGRO, .data = 1});

	if (err)
		return diag_set(d, err, "cannot switch gro on for %s: %s", dev, strerror(-err));
	return rig_set_up(dev, d);
}

int rig_setup_sink(const char *dev, struct diag *d)
{
	struct run_variant drop;
	struct netdev nd = {};
	struct bench sink;
	int err = rig_open_receiver(dev, d);

	bench_init(&sink);
	if (!err)
		err = run_variant_parse(&drop, "drop/no-touch@native", d) ?: netdev_open(&nd, dev, d);
	sink.frags = !err && bench_frags(&nd);
	if (!err)
		err = bench_load(&sink, &drop, NULL, d) ?: bench_attach_for_good(&sink, &nd, d);
	bench_release(&sink);
	return err;
}

int rig_mtu(void)
{
	struct netdev nd;

	return netdev_open(&nd, RIG_TX_DEV, NULL) ? 0 : nd.mtu;
}

int rig_out_up(struct diag *d)
{
	netns_scope int home = -1;
	int err;

	if (rig_frames(RIG_END_DEV) >= 0)
		return 0;
	err = netns_visit(RIG_TX_NETNS, &home, d);
	if (!err) {
		/* What is deleted is of a pair that a crash left half made; its peer goes with it. */
		rig_delete_link(RIG_END_DEV);
		err = make_pair(RIG_END_DEV, RIG_OUT_DEV, rig_mtu(), d);
	}
	netns_back(&home);
	err = err ?: netns_visit(RIG_RX_NETNS, &home, d) ?: rig_set_up(RIG_OUT_DEV, d);
	netns_back(&home);
	return err ?: netns_visit(RIG_TX_NETNS, &home, d) ?: rig_setup_sink(RIG_END_DEV, d);
}

bool rig_exists(void)
{
	return netns_exists(RIG_RX_NETNS) || netns_exists(RIG_TX_NETNS);
}

int rig_rx_cpu(void)
{
	struct rig_state s;

	if (rig_exists() && !rig_state(&s, NULL) && s.rx_cpu >= 0)
		return s.rx_cpu;
	return cpu_pick_rx();
}

int rig_up(int rx_cpu, int mtu, struct diag *d)
{
	netns_scope int home = -1;
	struct rig_state s;
	int err;

	if (rx_cpu < 0)
		rx_cpu = rig_rx_cpu();
	if (rig_exists()) {
		err = rig_state(&s, d);
		if (!err && mtu && s.mtu != mtu)
			return diag_set(d, -EBUSY,
					"the lab is up with another MTU, %d; remove it first: xdpzoom lab down", s.mtu);
		if (!err && s.complete && s.rx_cpu == rx_cpu)
			return 0;
		if (!err && s.complete)
			return cpu_pin(s.napi_tid, rx_cpu);
		err = rig_down(d); /* a crash left it incomplete */
		if (err)
			return err;
	}
	err = netns_add(RIG_RX_NETNS, d) ?: netns_add(RIG_TX_NETNS, d) ?: netns_visit(RIG_RX_NETNS, &home, d);
	if (!err)
		rig_quiet_ipv6();
	netns_back(&home);
	err = err ?: netns_visit(RIG_TX_NETNS, &home, d);
	if (!err) {
		rig_quiet_ipv6();
		err = make_pair(RIG_TX_DEV, RIG_RX_DEV, mtu, d);
		/* A veth gives the frames of packet sockets to its peer's NAPI only where its own TSO is off. */
		if (!err && mtu && netdev_ethtool(RIG_TX_DEV, &(struct ethtool_value){.cmd = ETHTOOL_STSO}))
			err = diag_set(d, -EIO, "cannot switch tso off for %s", RIG_TX_DEV);
	}
	netns_back(&home);
	err = err ?: netns_visit(RIG_RX_NETNS, &home, d) ?: rig_open_receiver(RIG_RX_DEV, d)
			     ?: rig_thread_receiver(RIG_RX_DEV, rx_cpu, d);
	netns_back(&home);
	err = err ?: netns_visit(RIG_TX_NETNS, &home, d) ?: rig_setup_sink(RIG_TX_DEV, d);
	netns_back(&home);
	if (err)
		rig_down(NULL);
	return err;
}

int rig_down(struct diag *d)
{
	static const char *const devs[] = {RIG_RX_DEV, RIG_OUT_DEV, RIG_TX_DEV, RIG_END_DEV}; /* peers go, too */
	static const char *const spaces[] = {RIG_RX_NETNS, RIG_TX_NETNS};

	for (int i = 0; i < 2; i++) {
		netns_scope int home = -1;

		if (!netns_exists(spaces[i]) || netns_visit(spaces[i], &home, NULL))
			continue;
		for (size_t k = 0; k < sizeof(devs) / sizeof(*devs); k++)
			rig_delete_link(devs[k]);
		rig_arms_each(rig_delete_link); /* the kernel deletes their peers too */
	}
	return netns_remove(RIG_RX_NETNS, d) ?: netns_remove(RIG_TX_NETNS, d);
}

int rig_state(struct rig_state *s, struct diag *d)
{
	struct netdev nd;
	cpu_set_t set;
	int64_t frames;
	int saved, err;

	memset(s, 0, sizeof(*s));
	s->napi_tid = -ENOENT;
	s->rx_cpu = -1;
	if (netns_exists(RIG_RX_NETNS)) {
		err = netns_visit(RIG_RX_NETNS, &saved, d);
		if (err)
			return err;
		s->rx_dev = if_nametoindex(RIG_RX_DEV) != 0;
		s->mtu = netdev_open(&nd, RIG_RX_DEV, NULL) ? 0 : nd.mtu;
		s->napi_tid = napi_kthread(RIG_RX_DEV);
		netns_back(&saved);
		if (s->napi_tid > 0 && !sched_getaffinity(s->napi_tid, sizeof(set), &set) && CPU_COUNT(&set) == 1)
			for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
				s->rx_cpu = CPU_ISSET(cpu, &set) ? cpu : s->rx_cpu;
	}
	if (netns_exists(RIG_TX_NETNS)) {
		err = netns_visit(RIG_TX_NETNS, &saved, d);
		if (err)
			return err;
		s->tx_dev = if_nametoindex(RIG_TX_DEV) != 0;
		s->arms = rig_arms_each(NULL);
		netns_back(&saved);
		frames = rig_frames(RIG_TX_DEV);
		s->sink = frames >= 0;
		s->sink_frames = frames < 0 ? 0 : frames;
		s->out_dev = rig_frames(RIG_END_DEV) >= 0;
	}
	s->complete = s->rx_dev && s->tx_dev && s->sink && s->napi_tid > 0;
	return 0;
}

int64_t rig_frames(const char *dev)
{
	netns_scope int saved = -1;
	uint64_t seen;
	struct netdev nd;

	if (netns_visit(RIG_TX_NETNS, &saved, NULL) || netdev_open(&nd, dev, NULL) || bench_count_attached(&nd, &seen))
		return -1;
	return (int64_t)seen;
}

void rig_close_loop(struct gen_options *o, int counts_fd, int rx_cpu)
{
	if (o->rate_pps > 0)
		return;
	o->window = WINDOW;
	o->counts_fd = counts_fd;
	o->counts_cpu = rx_cpu;
}

int rig_gen_options(struct gen_options *o, struct diag *d)
{
	netns_scope int saved = -1;
	struct netdev rx;
	int err = netns_visit(RIG_RX_NETNS, &saved, d) ?: netdev_open(&rx, RIG_RX_DEV, d);

	if (err)
		return err;
	strcpy(o->dev, RIG_TX_DEV);
	strcpy(o->netns, RIG_TX_NETNS);
	memcpy(o->dst_mac, rx.mac, sizeof(o->dst_mac));
	return 0;
}

/* ---- one command at a time in the lab, or several that share it ------------------------------------------------ */

int rig_lock(bool alone, struct diag *d)
{
	int fd = open(RIG_LOCK, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	char words[200] = "another xdpzoom";
	pid_t pid;

	if (fd < 0 && errno == EACCES)
		return diag_set(d, -EPERM, "the lab needs root, because it is made of network namespaces");
	if (fd < 0 && (errno == EROFS || errno == ENOENT))
		return diag_set(d, -EOPNOTSUPP, "the lab needs a /run that can be written: %s", strerror(errno));
	if (fd < 0)
		return diag_set(d, -errno, "cannot open " RIG_LOCK ": %s", strerror(errno));
	if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB)) {
		close(fd);
		pid = lock_holder(RIG_LOCK);
		if (pid)
			lock_words(words, sizeof(words), pid);
		return diag_set(d, -EBUSY, "the lab is in use by %s", words);
	}
	return fd;
}
