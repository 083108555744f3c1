// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of what people leave running beside an XDP program. doctor.h has the contract. */
#include <linux/if_ether.h>
#include <netlink/route/qdisc.h>
#include <bpf/bpf.h>
#include "user/doctor/doctor.h"

#define STATS "proc/sys/kernel/bpf_stats_enabled"

/*
 * Mends with "kill 4711", once for each process, and appends " tcpdump" to names; other: what to do where no process is
 * found.
 */
static void fix_owner(struct doctor_row *row, const char *link, const char *line, const char *other, char names[80])
{
	struct fd_owner owner;
	char kill_it[40];
	const char *fix = other;
	size_t n = strlen(names);
	bool found = fd_owner_find(link, line, &owner);

	if (found) {
		snprintf(kill_it, sizeof(kill_it), "kill %d", owner.pid);
		fix = kill_it;
	}
	if (strstr(row->fix, fix))
		return;
	row_remedy(row, "%s", fix);
	if (found)
		snprintf(names + n, 80 - n, " %s", owner.comm);
}

/* Root's setting, or a descriptor of bpf_enable_stats(), which no setting shows. */
void check_bpf_stats(const struct doctor *dr, struct doctor_row *row)
{
	static const char cost[] = "the kernel reads the clock twice for each run of a program";
	char names[80] = "";
	long long set = 0;
	int err = facts_number(&dr->facts, &set, STATS);

	if (!err && set) {
		row_is(row, DOCTOR_WARNING, "on: %s", cost);
		row_fix(row, "file", "", "/" STATS, "0");
		return;
	}
	if (!dr->facts.copy)
		fix_owner(row, "anon_inode:bpf-stats", NULL, "", names);
	if (names[0])
		row_is(row, DOCTOR_WARNING, "on, by%s: %s", names, cost);
	else if (err && err != -ENOENT)
		row_unknown(row, err);
	else
		row_is(row, DOCTOR_OK, "off");
}

/* Programs at the entry or the exit of XDP programs, as xdpdump has them. */
void check_xdp_tracing(const struct doctor *dr, struct doctor_row *row)
{
	char first[20] = "", line[40], names[80] = "";
	__u32 id = 0, n = 0;
	bool known;
	int fd;

	(void)dr;
	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {};
		struct bpf_prog_info traced = {};
		__u32 len = sizeof(info), traced_len = sizeof(traced);

		fd = bpf_link_get_fd_by_id(id);
		if (fd < 0)
			continue;
		known = !bpf_obj_get_info_by_fd(fd, &info, &len);
		close(fd); /* or this process would be found to hold it */
		if (!known || info.type != BPF_LINK_TYPE_TRACING ||
		    (info.tracing.attach_type != BPF_TRACE_FENTRY && info.tracing.attach_type != BPF_TRACE_FEXIT))
			continue;
		fd = bpf_prog_get_fd_by_id(info.tracing.target_obj_id);
		known = fd >= 0 && !bpf_obj_get_info_by_fd(fd, &traced, &traced_len);
		fd_close(fd);
		if (!known || traced.type != BPF_PROG_TYPE_XDP)
			continue;
		if (!n++)
			snprintf(first, sizeof(first), "%.16s", traced.name);
		snprintf(line, sizeof(line), "link_id:\t%u", id);
		fix_owner(row, "anon_inode:bpf_link", line, "bpftool link shows them; remove the pins that hold them",
			  names);
	}
	if (errno == EPERM)
		row_unknown(row, -EPERM);
	else if (n)
		row_is(row, DOCTOR_WARNING, "%u on XDP programs (%s%s)%s%s: they run for every packet", n, first,
		       n > 1 ? ", ..." : "", names[0] ? ", by" : "", names);
	else
		row_is(row, DOCTOR_OK, "none");
}

void check_tc(const struct doctor *dr, struct doctor_row *row)
{
	uint32_t ids[ATTACHED_QUERY_MAX];
	bool programs = attached_query(dr->nd.ifindex, ATTACHED_TCX_INGRESS, ids) > 0 ||
			attached_query(dr->nd.ifindex, ATTACHED_TCX_EGRESS, ids) > 0;
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	struct nl_cache *cache = NULL;
	char kind[16] = "";
	int err = sk ? rtnl_qdisc_alloc_cache(sk, &cache) : -NLE_NOMEM;

	/* The qdisc that runs classifiers on the way in. */
	for (struct nl_object *o = err ? NULL : nl_cache_get_first(cache); o; o = nl_cache_get_next(o)) {
		struct rtnl_tc *tc = TC_CAST((struct rtnl_qdisc *)o);
		const char *is = rtnl_tc_get_kind(tc);

		if (rtnl_tc_get_ifindex(tc) == dr->nd.ifindex && is &&
		    (!strcmp(is, "clsact") || !strcmp(is, "ingress")))
			snprintf(kind, sizeof(kind), "%s", is);
	}
	if (cache)
		nl_cache_free(cache);
	nl_socket_free(sk);
	if (err) {
		row_unknown(row, -EIO);
		return;
	}
	if (!programs && !kind[0]) {
		row_is(row, DOCTOR_OK, "none");
		return;
	}
	row_is(row, DOCTOR_WARNING, "%s%s%s: what passes goes through it", kind, kind[0] && programs ? " and " : "",
	       programs ? "BPF programs (tcx)" : "");
	if (kind[0])
		row_remedy(row, "tc qdisc del dev %s %s", dr->nd.name, kind);
	if (programs)
		row_remedy(row, "bpftool net show dev %s names the programs; bpftool link detach id N ends one",
			   dr->nd.name);
}

/* proc(5), /proc/net/packet: sk RefCnt Type Proto Iface R Rmem User Inode; Iface 0 is all devices. */
void check_packet_sockets(const struct doctor *dr, struct doctor_row *row)
{
	static const char whose[] = "ss -0 -p shows whose they are; stop these programs";
	FILE *f = facts_file(&dr->facts, "proc/net/packet");
	unsigned int type, protocol, n = 0;
	long long ifindex = 0;
	char line[256], link[40], names[80] = "";
	unsigned long inode;
	int device;

	if (!f) {
		row_unknown(row, -errno);
		return;
	}
	facts_number(&dr->facts, &ifindex, "sys/class/net/%s/ifindex", dr->nd.name);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %*s %u %x %d %*s %*s %*s %lu", &type, &protocol, &device, &inode) != 4 ||
		    protocol != ETH_P_ALL || (device && device != ifindex))
			continue;
		n++;
		snprintf(link, sizeof(link), "socket:[%lu]", inode);
		if (!dr->facts.copy)
			fix_owner(row, link, NULL, whose, names);
	}
	fclose(f);
	if (n)
		row_is(row, DOCTOR_WARNING, "%u listen to all frames%s%s: each gets a copy of what the stack takes", n,
		       names[0] ? ", by" : "", names);
	else
		row_is(row, DOCTOR_OK, "none");
	if (n && !row->fix[0])
		row_remedy(row, "%s", whose);
}

#define TRACING "sys/kernel/tracing"

/* What ftrace does in dir: "function", "events (net:netif_receive_skb, ...)", both; "": nothing. -errno: not seen. */
static int tracing_words(const struct doctor *dr, const char *dir, char *words, size_t size)
{
	char tracer[64], event[80];
	int err = facts_line(&dr->facts, tracer, sizeof(tracer), "%s/current_tracer", dir);
	bool traces;

	if (err)
		return err;
	traces = strcmp(tracer, "nop") != 0;
	facts_line(&dr->facts, event, sizeof(event), "%s/set_event", dir); /* no such file: an empty line */
	snprintf(words, size, "%s%s%s%s%s", traces ? tracer : "", traces && event[0] ? " and " : "",
		 event[0] ? "events (" : "", event, event[0] ? ", ...)" : "");
	return 0;
}

void check_tracer(const struct doctor *dr, struct doctor_row *row)
{
	char words[200], of[200], dir[300];
	int err = tracing_words(dr, TRACING, words, sizeof(words));
	struct dirent *e;

	if (err == -ENOENT)
		row_is(row, DOCTOR_OK, "tracefs is not mounted");
	else if (err)
		row_unknown(row, err);
	else
		row_is(row, DOCTOR_OK, "off");
	if (err)
		return;
	/* Buffers of their own beside the main one, as trace-cmd makes them. */
	dir_scan (e, &dr->facts, TRACING "/instances") {
		snprintf(dir, sizeof(dir), TRACING "/instances/%s", e->d_name);
		if (e->d_name[0] == '.' || tracing_words(dr, dir, of, sizeof(of)) || !of[0])
			continue;
		row_is(row, DOCTOR_WARNING, "%s in its instance %s: every packet writes to it", of, e->d_name);
		row_remedy(row, "rmdir /%s", dir);
	}
	if (!words[0])
		return;
	row_is(row, DOCTOR_WARNING, "%s: every packet pays for it", words);
	if (strncmp(words, "events", 6) != 0)
		row_fix(row, "file", "", "/" TRACING "/current_tracer", "nop");
	if (strstr(words, "events ("))
		row_remedy(row, "echo > /" TRACING "/set_event");
}
