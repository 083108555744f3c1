// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the device. doctor.h has the contract. */
#include <linux/ethtool.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "user/bed/bed.h"
#include "user/doctor/doctor.h"

#define SMALL_RING 512
#define GOOD_RING  1024
#define LARGE_RING 4096
#define COMMON_MTU 3498 /* of drivers whose limit is not known: as native_xdp.c, for most of those that have one */
#define MANY_PPS   50

void check_leftovers(const struct doctor *dr, struct doctor_row *row)
{
	size_t kept = changes_count(CHANGES_KEPT), orphans = changes_count(CHANGES_ORPHANS);
	/* A command made the lab for itself, and has ended since. */
	bool lab = !access(LAB_MARK, F_OK) && rig_exists() && !lock_holder(RIG_LOCK);
	int arms = lab ? 0 : rig_arms_left(false);

	(void)dr;
	if (orphans)
		row_is(row, DOCTOR_WARNING, "a run that was killed left %zu settings changed%s", orphans,
		       lab ? ", and the lab that it made" : "");
	else if (lab)
		row_is(row, DOCTOR_WARNING,
		       "a command that was killed left its lab; the next run with the lab removes it");
	else if (arms > 0)
		row_is(row, DOCTOR_WARNING,
		       "a command that was killed left %d pair%s of devices in the lab; the next one with the lab "
		       "removes them",
		       arms, arms > 1 ? "s" : "");
	else if (arms < 0)
		row_unknown(row, arms);
	else if (kept)
		row_is(row, DOCTOR_OK, "doctor --fix changed %zu settings; doctor --undo puts them back", kept);
	else
		row_is(row, DOCTOR_OK, "none");
	if (orphans)
		row_remedy(row, "xdpzoom doctor --undo");
	if (lab || arms > 0)
		row_remedy(row, "xdpzoom lab %s", lab ? "down" : "up");
}

void check_link(const struct doctor *dr, struct doctor_row *row)
{
	const struct netdev *nd = &dr->nd;
	long long mbits = -1;

	if (!nd->up) {
		row_is(row, DOCTOR_FATAL, "%s is down", nd->name);
		row_fix(row, "link", nd->name, "", "up");
		return;
	}
	facts_number(&dr->facts, &mbits, "sys/class/net/%s/speed", nd->name);
	if (mbits > 0)
		row_is(row, DOCTOR_OK, "%s, driver %s, %lld Mbit/s", nd->name, known(nd->driver), mbits);
	else
		row_is(row, DOCTOR_OK, "%s, driver %s", nd->name, known(nd->driver));
}

void check_xdp_features(const struct doctor *dr, struct doctor_row *row)
{
	static const struct {
		uint64_t bit;
		const char *word;
	} words[] = {{XDP_ACT_BASIC, "native"},
		     {XDP_ACT_REDIRECT, "redirect"},
		     {XDP_ACT_NDO_XMIT, "redirect to it"},
		     {XDP_ACT_XSK_ZEROCOPY, "AF_XDP zero-copy"},
		     {XDP_ACT_HW_OFFLOAD, "hw"},
		     {XDP_ACT_RX_SG, "frames of several pages"}};
	struct native_refusal r;
	char list[200] = "";
	uint64_t features;
	int err = netdev_genl_xdp(dr->nd.ifindex, &features);

	if (err == -EOPNOTSUPP) {
		row_is(row, DOCTOR_UNKNOWN, "this kernel does not report them (Linux 6.3 does); attaching will show");
		return;
	}
	if (err) {
		row_unknown(row, err);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (features & words[i].bit)
			listed_add(list, sizeof(list), ", ", "%s", words[i].word);
	if (features & XDP_ACT_BASIC) {
		row_is(row, DOCTOR_OK, "%s: %s", dr->nd.driver, list);
		return;
	}
	if (native_refused(&dr->nd, "queues", false, &r)) {
		row_is(row, DOCTOR_FATAL, "driver %s refuses native XDP: %s", dr->nd.driver, r.why);
		row_remedy(row, "%s", r.fix);
		return;
	}
	row_is(row, DOCTOR_FATAL, "driver %s has no native XDP%s", known(dr->nd.driver),
	       !strcmp(dr->driver, "veth") && !dr->nd.up ? " before it is up" : "");
	row_remedy(row,
		   "measure skb mode alone (-m skb, -V drop/no-touch@skb), or use a NIC whose driver has native XDP");
}

void check_virtio_offloads(const struct doctor *dr, struct doctor_row *row)
{
	struct native_refusal r;
	char bits[128];
	int err = strcmp(dr->driver, "virtio_net") ? -ENODEV : 0;

	if (err) {
		row_is(row, DOCTOR_OK, "the device has another driver");
		return;
	}
	err = facts_line(&dr->facts, bits, sizeof(bits), "sys/class/net/%s/device/features", dr->nd.name);
	if (err) {
		row_unknown(row, err);
		return;
	}
	if (native_refused_virtio(bits, &r)) {
		row_is(row, DOCTOR_FATAL, "%s: the driver will refuse native XDP", r.why);
		row_remedy(row, "%s", r.fix);
	} else if (*r.why) {
		row_is(row, DOCTOR_OK, "%s: the driver switches them off by itself", r.why);
	} else {
		row_is(row, DOCTOR_OK, "the host offers none of them");
	}
}

/* Generic XDP bypasses GRO. But a veth has NAPI only when GRO is on or when it has a native program. */
void check_gro(const struct doctor *dr, struct doctor_row *row)
{
	struct ethtool_feature f;
	int err = ethtool_feature_get(dr->nd.name, "rx-gro", &f);

	if (err) {
		row_unknown(row, err);
	} else if (!strcmp(dr->driver, "veth") && !f.active) {
		row_is(row, DOCTOR_WARNING, "off: a veth without it takes no XDP frames in skb mode");
		row_fix(row, "feature", dr->nd.name, "rx-gro", "on");
	} else {
		row_is(row, DOCTOR_OK, "%s; with a generic program the kernel does no GRO", f.active ? "on" : "off");
	}
}

void check_ring(const struct doctor *dr, struct doctor_row *row)
{
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	uint32_t good;
	int err = netdev_ethtool(dr->nd.name, &ring);

	if (err == -EOPNOTSUPP || (!err && !ring.rx_pending)) {
		row_is(row, DOCTOR_OK, "the driver has no ring size to set");
		return;
	}
	if (err) {
		row_unknown(row, err);
		return;
	}
	good = ring.rx_max_pending < GOOD_RING ? ring.rx_max_pending : GOOD_RING;
	if (ring.rx_pending < SMALL_RING && ring.rx_pending < good)
		row_is(row, DOCTOR_WARNING, "%u of at most %u: bursts are dropped while the CPU does other work",
		       ring.rx_pending, ring.rx_max_pending);
	else if (ring.rx_pending > LARGE_RING)
		row_is(row, DOCTOR_WARNING,
		       "%u of at most %u: waiting packets do not fit in the cache that the NIC writes to",
		       ring.rx_pending, ring.rx_max_pending);
	else
		row_is(row, DOCTOR_OK, "%u of at most %u", ring.rx_pending, ring.rx_max_pending);
	if (row->level == DOCTOR_WARNING)
		row_fix(row, "ring", dr->nd.name, "rx", "%u", good);
}

/*
 * Native XDP needs a TX queue for each CPU. virtio_net takes these queues from the unused ones. When there are too few,
 * CPUs share a queue under a lock (virtnet_xdp_set()).
 */
void check_queues(const struct doctor *dr, struct doctor_row *row)
{
	struct native_refusal r;
	struct ethtool_channels q = {.cmd = ETHTOOL_GCHANNELS};
	uint32_t cpus = (uint32_t)cpu_possible(), rx, tx;
	int err = netdev_ethtool(dr->nd.name, &q);

	if (err == -EOPNOTSUPP) {
		row_is(row, DOCTOR_OK, "the driver has no number of queues to set");
		return;
	}
	if (err) {
		row_unknown(row, err);
		return;
	}
	if (native_refused(&dr->nd, "queues", false, &r)) {
		row_is(row, DOCTOR_FATAL, "driver %s refuses native XDP: %s", dr->nd.driver, r.why);
		if (*r.kind)
			row_fix(row, r.kind, dr->nd.name, r.name, "%s", r.value);
		else
			row_remedy(row, "%s", r.fix);
		return;
	}
	rx = q.rx_count + q.combined_count;
	tx = !strcmp(dr->driver, "virtio_net") || !strcmp(dr->driver, "ena") || !strcmp(dr->driver, "gve")
		     ? q.max_combined - q.combined_count
		     : q.max_tx + q.max_combined;
	row_is(row, tx < cpus ? DOCTOR_WARNING : DOCTOR_OK, "%u receive; %u are free for XDP_TX from %u CPUs%s", rx, tx,
	       cpus, tx < cpus ? ", which share them under a lock" : "");
	if (tx >= cpus)
		return;
	if (!strcmp(dr->driver, "virtio_net") && q.max_combined > cpus)
		row_fix(row, "queues", dr->nd.name, "combined", "%u", q.max_combined - cpus);
	else
		row_remedy(row, "use a NIC with more queues, or, in a VM, QEMU's mq=on and queues=%u", 2 * cpus);
}

void check_mtu(const struct doctor *dr, struct doctor_row *row)
{
	const struct native_limit *l;
	struct native_refusal r;
	struct veth_peer p;
	long long mtu = dr->nd.mtu;
	const char *driver = dr->driver;
	int err = dr->facts.copy ? facts_number(&dr->facts, &mtu, "sys/class/net/%s/mtu", dr->nd.name) : 0, most;

	if (err) {
		row_unknown(row, err);
		return;
	}
	l = native_limit_of(driver);
	most = l ? l->mtu : COMMON_MTU;
	/* A veth checks the MTU of its peer, where that can be looked at. */
	if (!strcmp(driver, "veth") && !dr->facts.copy && !veth_peer_find(&dr->nd, &p)) {
		if (native_refused(&dr->nd, "mtu", false, &r)) {
			row_is(row, DOCTOR_WARNING, "%s for programs of one buffer: a veth checks its peer", r.why);
			row_remedy(row, "%s", r.fix);
		} else {
			row_is(row, DOCTOR_OK, "%d, and %d of its peer %s, which a veth checks", dr->nd.mtu, p.mtu,
			       p.name);
		}
		return;
	}
	if (mtu <= most) {
		row_is(row, DOCTOR_OK, "%lld", mtu);
		return;
	}
	if (l && !l->frags)
		row_is(row, DOCTOR_WARNING, "%lld: above %d, driver %s refuses native XDP", mtu, most, driver);
	else
		row_is(row, DOCTOR_WARNING,
		       "%lld: above %d, %s take%s only programs for frames of several buffers, as ours are then%s", mtu,
		       most, l ? "the driver" : "drivers", l ? "s" : "", l ? "" : ", or none");
	if (!strcmp(driver, "veth"))
		row_remedy(row, "set the MTU of its peer to 1500, which a veth checks");
	else
		row_fix(row, "mtu", dr->nd.name, "", "1500");
}

void check_pause(const struct doctor *dr, struct doctor_row *row)
{
	struct ethtool_pauseparam p = {.cmd = ETHTOOL_GPAUSEPARAM};
	int err = netdev_ethtool(dr->nd.name, &p);

	if (err == -EOPNOTSUPP)
		row_is(row, DOCTOR_OK, "the driver has none");
	else if (err)
		row_unknown(row, err);
	else if (p.rx_pause || p.tx_pause)
		row_is(row, DOCTOR_WARNING,
		       "%s%s%s: a full NIC stops the sender, so an overload loses no packets and is not visible",
		       p.rx_pause ? "obeyed" : "", p.rx_pause && p.tx_pause ? " and " : "", p.tx_pause ? "sent" : "");
	else
		row_is(row, DOCTOR_OK, "off");
	if (row->level == DOCTOR_WARNING)
		row_fix(row, "pause", dr->nd.name, "", "autoneg off rx off tx off");
}

void check_other_xdp(const struct doctor *dr, struct doctor_row *row)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	struct bpf_prog_info info = {};
	__u32 id, len = sizeof(info);
	int err = bpf_xdp_query(dr->nd.ifindex, 0, &q), fd;

	if (err) {
		row_unknown(row, err);
		return;
	}
	id = q.drv_prog_id ?: q.skb_prog_id ?: q.hw_prog_id;
	if (!id) {
		row_is(row, DOCTOR_OK, "none");
		return;
	}
	fd = bpf_prog_get_fd_by_id(id);
	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &info, &len);
	row_is(row, DOCTOR_FATAL, "program %u%s%s%s in %s mode: xdpzoom will not replace it", id,
	       info.name[0] ? " (" : "", info.name, info.name[0] ? ")" : "",
	       q.drv_prog_id   ? "native"
	       : q.skb_prog_id ? "skb"
			       : "hw");
	row_remedy(row, "stop the program that attached it, or: ip link set dev %s xdp%s off", SHELL_NAME(dr->nd.name),
		   q.drv_prog_id   ? "drv"
		   : q.skb_prog_id ? "generic"
				   : "offload");
	fd_close(fd);
}

void check_traffic(const struct doctor *dr, struct doctor_row *row)
{
	double s = (dr->after.at_ns - dr->before.at_ns) / 1e9;
	double pps = s > 0 ? (dr->after.rx_packets - dr->before.rx_packets) / s : 0;

	if (dr->after.rx_packets < 0) {
		row_is(row, DOCTOR_UNKNOWN, "the device does not count packets");
		return;
	}
	row_is(row, pps > MANY_PPS ? DOCTOR_WARNING : DOCTOR_OK, "%.0f packets a second arrive%s", pps,
	       pps > MANY_PPS ? "; packets that are not the load are measured with it, and drop drops them" : "");
	if (pps > MANY_PPS)
		row_remedy(row, "tcpdump -ni %s -c 20 shows these packets", dr->nd.name);
}

void check_rps(const struct doctor *dr, struct doctor_row *row)
{
	char mask[300], name[64];
	int queues = 0, on = 0;

	while (!facts_line(&dr->facts, mask, sizeof(mask), "sys/class/net/%s/queues/rx-%d/rps_cpus", dr->nd.name,
			   queues)) {
		snprintf(name, sizeof(name), "queues/rx-%d/rps_cpus", queues++);
		if (!mask[strspn(mask, "0,")])
			continue;
		on++;
		row_fix(row, "devfile", dr->nd.name, name, "0");
	}
	if (!queues)
		row_is(row, DOCTOR_UNKNOWN, "the kernel does not report it");
	else if (on)
		row_is(row, DOCTOR_WARNING, "on for %d of %d queues: skb mode runs on other CPUs than native mode", on,
		       queues);
	else
		row_is(row, DOCTOR_OK, "off");
}

void check_numa(const struct doctor *dr, struct doctor_row *row)
{
	char local[512] = "", list[512];
	long long node = -1;
	int cpus_node = -1;

	for (int at = 0; at < 1024 && cpus_node < 0; at++) {
		if (facts_line(&dr->facts, list, sizeof(list), "sys/devices/system/node/node%d/cpulist", at))
			break;
		cpus_node = cpulist_has(list, dr->rx_cpu) ? at : -1;
	}
	if (facts_number(&dr->facts, &node, "sys/class/net/%s/device/numa_node", dr->nd.name))
		facts_number(&dr->facts, &node, "sys/class/net/%s/device/../numa_node", dr->nd.name);
	if (node < 0 || cpus_node < 0) {
		row_is(row, DOCTOR_OK, "the device belongs to no node");
	} else if (node == cpus_node) {
		row_is(row, DOCTOR_OK, "CPU %d and the NIC are on node %lld", dr->rx_cpu, node);
	} else {
		facts_line(&dr->facts, local, sizeof(local), "sys/devices/system/node/node%lld/cpulist", node);
		row_is(row, DOCTOR_WARNING,
		       "CPU %d is on node %d, the NIC on node %lld: packet data comes from another node", dr->rx_cpu,
		       cpus_node, node);
		row_remedy(row, "xdpzoom record %s --pin-irq with one of the CPUs %s", dr->nd.name, local);
	}
}
