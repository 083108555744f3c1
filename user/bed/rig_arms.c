// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab's arms: pairs like its first one, for variants that take turns. */
#include <arpa/inet.h>
#include <netlink/netlink.h>
#include "user/bed/bed.h"

#define NAME_BYTES 24 /* for any number; those of arms fit into a name of a device */

static void arm_names(int number, char rx[NAME_BYTES], char tx[NAME_BYTES])
{
	snprintf(rx, NAME_BYTES, RIG_ARM_DEV, number);
	snprintf(tx, NAME_BYTES, RIG_SEND_DEV, number);
}

int rig_change_address(const struct netdev *nd, const char *address, unsigned char prefix, bool on, struct diag *d)
{
	struct ifaddrmsg head = {
		.ifa_family = AF_INET, .ifa_prefixlen = prefix, .ifa_index = (unsigned int)nd->ifindex};
	struct in_addr local;
	int err;

	inet_pton(AF_INET, address, &local);
	err = netlink_change(
		on ? RTM_NEWADDR : RTM_DELADDR, 0, &head, sizeof(head),
		(struct netlink_attr[]){{IFA_LOCAL, &local, sizeof(local)}, {IFA_ADDRESS, &local, sizeof(local)}, {}});
	return err ? diag_set(d, -EIO, "cannot change the address of %s: %s", nd->name, nl_geterror(err)) : 0;
}

static int arm_build(struct rig_arms *arms, int number, struct diag *d)
{
	char rx[NAME_BYTES], tx[NAME_BYTES], path[80];
	netns_scope int saved = -1;
	int there, err = 0;
	struct netdev nd;

	arm_names(number, rx, tx);
	if (arms->apart) {
		err = netns_make(&arms->netns_fds[number], d) ?: netns_visit_fd(arms->netns_fds[number], &saved, d);
		if (!err) {
			rig_quiet_ipv6();
			err = rig_set_up("lo", d);
		}
		netns_back(&saved);
	}
	err = err ?: netns_visit(RIG_TX_NETNS, &saved, d);
	if (!err) {
		there = arms->apart ? arms->netns_fds[number] : netns_open(RIG_RX_NETNS, d);
		err = there < 0 ? there : rig_make_pair(tx, rx, there, RIG_ARM, rig_mtu(), d);
		if (!arms->apart)
			fd_close(there);
	}
	netns_back(&saved);
	if (!err)
		err = arms->apart ? netns_visit_fd(there, &saved, d) : netns_visit(RIG_RX_NETNS, &saved, d);
	err = err ?: rig_open_receiver(rx, d) ?: netdev_open(&nd, rx, d);
	if (!err && memcmp(nd.mac, rig_arm_mac, sizeof(rig_arm_mac)))
		err = diag_set(d, -EIO, "the kernel gave %s another MAC address", rx);
	if (!err && arms->addressed) {
		/* frames from any source are taken */
		file_put(AT_FDCWD, "/proc/sys/net/ipv4/conf/all/rp_filter", "0");
		snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", rx);
		file_put(AT_FDCWD, path, "0");
		/* The frames' port is below 1024, and this process may have given up the right to bind to those. */
		file_put(AT_FDCWD, "/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
		err = rig_change_address(&nd, GEN_DST_IP, 32, true, d);
	}
	netns_back(&saved);
	/* Last: when veth comes up, it takes redirected frames only if its peer has gro on by then (Linux 6.3). */
	return err ?: netns_visit(RIG_TX_NETNS, &saved, d) ?: rig_setup_sink(tx, d);
}

/* From a list: if_nametoindex() lets the kernel run modprobe for each name that it does not know. */
int rig_arms_each(void (*call)(const char *name))
{
	struct if_nameindex *all = if_nameindex();
	char rx[NAME_BYTES], tx[NAME_BYTES];
	int n = 0;

	for (const struct if_nameindex *i = all; i && i->if_index; i++) {
		bool is = false;

		for (int k = 0; k < RIG_ARMS && !is; k++) {
			arm_names(k, rx, tx);
			is = !strcmp(i->if_name, rx) || !strcmp(i->if_name, tx);
		}
		n += is;
		if (is && call)
			call(i->if_name);
	}
	if (all)
		if_freenameindex(all);
	return n;
}

void rig_arms_down(struct rig_arms *arms)
{
	int home;

	if (netns_exists(RIG_TX_NETNS) && !netns_visit(RIG_TX_NETNS, &home, NULL)) {
		rig_arms_each(rig_delete_link); /* the kernel deletes their peers too */
		netns_back(&home);
	}
	for (int i = 0; i < arms->n && arms->apart; i++)
		fd_close(arms->netns_fds[i]);
	arms->n = 0;
}

/* A batch task takes the CPU from no other that is running. */
int rig_thread_politely(const char *dev, int cpu, struct diag *d)
{
	const struct sched_param none = {};
	int err = rig_thread_receiver(dev, cpu, d);

	if (!err && sched_setscheduler(napi_kthread(dev), SCHED_BATCH, &none))
		err = diag_set(d, -errno, "cannot make the NAPI kthread of %s a batch task: %s", dev, strerror(errno));
	return err;
}

int rig_arm_sink(int number, int rx_cpu, bool threaded, struct diag *d)
{
	char rx[NAME_BYTES], tx[NAME_BYTES];
	netns_scope int saved = -1;
	int err = netns_visit(RIG_TX_NETNS, &saved, d);

	if (err)
		return err;
	arm_names(number, rx, tx);
	if (threaded)
		return rig_thread_politely(tx, rx_cpu, d);
	err = napi_set_threaded(tx, false);
	return err ? diag_set(d, err, "cannot poll %s in softirqs: %s", tx, strerror(-err)) : 0;
}

int rig_arms_up(struct rig_arms *arms, int rx_cpu, struct diag *d)
{
	int n = arms->n, err = 0;

	if (n > RIG_ARMS)
		return diag_set(d, -E2BIG, "the lab has at most %d device pairs", RIG_ARMS);
	arms->n = 0;
	rig_arms_down(arms);
	arms->n = n;
	for (int i = 0; i < RIG_ARMS; i++)
		arms->netns_fds[i] = -1;
	for (int i = 0; i < n && !err; i++)
		err = arm_build(arms, i, d);
	for (int i = 0; i < n && !err && arms->threaded; i++) {
		char rx[NAME_BYTES], tx[NAME_BYTES];
		netns_scope int saved = -1;

		arm_names(i, rx, tx);
		err = arms->apart ? netns_visit_fd(arms->netns_fds[i], &saved, d)
				  : netns_visit(RIG_RX_NETNS, &saved, d);
		err = err ?: rig_thread_receiver(rx, rx_cpu, d);
	}
	for (int i = 0; i < n && !err && arms->reversed; i++)
		err = rig_arm_sink(i, rx_cpu, true, d);
	if (err)
		rig_arms_down(arms);
	return err;
}

int rig_arms_left(bool sweep)
{
	netns_scope int home = -1;
	int n = 0;

	if (!sweep && lock_holder(RIG_LOCK))
		return 0;
	if (netns_exists(RIG_TX_NETNS))
		n = netns_visit(RIG_TX_NETNS, &home, NULL) ?: rig_arms_each(sweep ? rig_delete_link : NULL);
	if (sweep && n > 0)
		complain("removed %d pair%s of devices that a killed command had left in the lab", n, n > 1 ? "s" : "");
	return !sweep && lock_holder(RIG_LOCK) ? 0 : n == -ENOENT ? 0 : n;
}
