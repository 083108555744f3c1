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

static int visit_receiver(const struct rig_arms *arms, int number, int *saved, struct diag *d)
{
	return arms->apart ? netns_visit_fd(arms->netns_fds[number], saved, d) : netns_visit(RIG_RX_NETNS, saved, d);
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

/* There is no route to the frames' source, so nothing is sent back. */
int rig_arm_address(const struct netdev *nd, bool on, struct diag *d)
{
	return rig_change_address(nd, GEN_DST_IP, 32, on, d);
}

/* In the sender's namespace. */
static int make_arm(const struct rig_arms *arms, int number, struct diag *d)
{
	int there = arms->apart ? arms->netns_fds[number] : netns_open(RIG_RX_NETNS, d), err;
	char rx[NAME_BYTES], tx[NAME_BYTES];

	if (there < 0)
		return there;
	arm_names(number, rx, tx);
	err = rig_make_pair(tx, rx, there, RIG_ARM, rig_mtu(), d);
	if (!arms->apart)
		close(there);
	return err;
}

/* In the receiver's namespace. */
static int open_receiver(bool addressed, int number, struct diag *d)
{
	struct netdev nd;
	char rx[NAME_BYTES], tx[NAME_BYTES], path[80];
	int err;

	arm_names(number, rx, tx);
	err = rig_open_receiver(rx, d) ?: netdev_open(&nd, rx, d);
	if (!err && memcmp(nd.mac, rig_arm_mac, sizeof(rig_arm_mac)))
		err = diag_set(d, -EIO, "the kernel gave %s another MAC address", rx);
	if (err || !addressed)
		return err;
	file_put(AT_FDCWD, "/proc/sys/net/ipv4/conf/all/rp_filter", "0"); /* frames from any source are taken */
	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", rx);
	file_put(AT_FDCWD, path, "0");
	/* The frames' port is below 1024, and this process may have given up the right to bind to those. */
	file_put(AT_FDCWD, "/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
	return rig_arm_address(&nd, true, d);
}

static int arm_build(struct rig_arms *arms, int number, struct diag *d)
{
	char rx[NAME_BYTES], tx[NAME_BYTES];
	netns_scope int saved = -1;
	int err = 0;

	if (arms->apart) {
		err = netns_make(&arms->netns_fds[number], d) ?: netns_visit_fd(arms->netns_fds[number], &saved, d);
		if (!err) {
			rig_quiet_ipv6();
			err = rig_set_up("lo", d);
		}
		netns_back(&saved);
	}
	if (!err)
		err = netns_visit(RIG_TX_NETNS, &saved, d) ?: make_arm(arms, number, d);
	netns_back(&saved);
	if (!err)
		err = visit_receiver(arms, number, &saved, d) ?: open_receiver(arms->addressed, number, d);
	netns_back(&saved);
	/* Last: when veth comes up, it takes redirected frames only if its peer has gro on by then (Linux 6.3). */
	arm_names(number, rx, tx);
	return err ? err : rig_in_netns(RIG_TX_NETNS, rig_setup_sink, tx, d);
}

static bool is_arm(const char *name)
{
	char rx[NAME_BYTES], tx[NAME_BYTES];
	bool is = false;

	for (int i = 0; i < RIG_ARMS && !is; i++) {
		arm_names(i, rx, tx);
		is = !strcmp(name, rx) || !strcmp(name, tx);
	}
	return is;
}

/*
 * Calls the function, if there is one, for each arm's device of this namespace, and returns how many there are. From a
 * list: if_nametoindex() lets the kernel run modprobe for each name that it does not know.
 */
static int for_each_arm(void (*call)(const char *name))
{
	struct if_nameindex *all = if_nameindex();
	int n = 0;

	for (const struct if_nameindex *i = all; i && i->if_index; i++) {
		if (!is_arm(i->if_name))
			continue;
		n++;
		if (call)
			call(i->if_name);
	}
	if (all)
		if_freenameindex(all);
	return n;
}

void rig_arms_delete(void)
{
	for_each_arm(rig_delete_link); /* the kernel deletes their peers too */
}

void rig_arms_down(struct rig_arms *arms)
{
	int home;

	if (netns_exists(RIG_TX_NETNS) && !netns_visit(RIG_TX_NETNS, &home, NULL)) {
		rig_arms_delete();
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

static int thread_sink(int number, int rx_cpu, struct diag *d)
{
	char rx[NAME_BYTES], tx[NAME_BYTES];
	netns_scope int saved = -1;

	arm_names(number, rx, tx);
	return netns_visit(RIG_TX_NETNS, &saved, d) ?: rig_thread_politely(tx, rx_cpu, d);
}

static int unthread(const char *dev, struct diag *d)
{
	int err = napi_set_threaded(dev, false);

	return err ? diag_set(d, err, "cannot poll %s in softirqs: %s", dev, strerror(-err)) : 0;
}

int rig_arm_sink(int number, int rx_cpu, bool threaded, struct diag *d)
{
	char rx[NAME_BYTES], tx[NAME_BYTES];

	arm_names(number, rx, tx);
	return threaded ? thread_sink(number, rx_cpu, d) : rig_in_netns(RIG_TX_NETNS, unthread, tx, d);
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
		err = visit_receiver(arms, i, &saved, d) ?: rig_thread_receiver(rx, rx_cpu, d);
	}
	for (int i = 0; i < n && !err && arms->reversed; i++)
		err = thread_sink(i, rx_cpu, d);
	if (err)
		rig_arms_down(arms);
	return err;
}

int rig_arms_count(void)
{
	return for_each_arm(NULL);
}

/* Calls the function, if there is one, for each arm's device of the sender's namespace, and returns their number. */
static int for_each_sender(void (*call)(const char *name))
{
	netns_scope int home = -1;
	int err = netns_exists(RIG_TX_NETNS) ? netns_visit(RIG_TX_NETNS, &home, NULL) : -ENOENT;

	return !err ? for_each_arm(call) : err == -ENOENT ? 0 : err;
}

int rig_arms_left(void)
{
	int n = rig_in_use() ? 0 : for_each_sender(NULL);

	return rig_in_use() ? 0 : n;
}

void rig_arms_sweep(void)
{
	int n = for_each_sender(rig_delete_link);

	if (n > 0)
		complain("removed %d pair%s of devices that a killed command had left in the lab", n, n > 1 ? "s" : "");
}
