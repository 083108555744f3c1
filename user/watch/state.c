// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <glob.h>
#include <linux/ethtool.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/pkt_sched.h>
#include <netlink/msg.h>
#include <sys/pidfd.h>
#include "user/map/map.h"

static json_t *object_of(struct json_out *w, json_t *objects, const char *of)
{
	char name[512];
	json_t *o;

	snprintf(name, sizeof(name), "%s", of);
	json_text_in_place(name);
	o = json_object_get(objects, name);
	if (o)
		return o;
	o = json_object();
	json_out_put(w, objects, name, o);
	return o;
}

/* ---- the map: programs, devices, hooks ---------------------------------------------------------- */

struct state_map {
	struct json_out *w;
	json_t *map, *objects;
	const char *here; /* label of this namespace */
};

/* "eth0" of this namespace, "NETNS/eth0" of others. */
static const char *short_name(const struct state_map *m, const char *device)
{
	size_t n = strlen(m->here);

	return !strncmp(device, m->here, n) && device[n] == '/' ? device + n + 1 : device;
}

/* Several programs at one hook stand in one value, in their order. */
static void append(struct json_out *w, json_t *o, const char *name, const char *words)
{
	const char *before = json_string_value(json_object_get(o, name));
	char all[1024];

	snprintf(all, sizeof(all), "%s%s%s", before ?: "", before ? ", " : "", words);
	json_out_text(w, o, name, all);
}

/* Is it in this namespace, or does an edge lead from here to it? */
static bool matters(const struct state_map *m, const char *device)
{
	json_t *edge;
	size_t i;

	if (short_name(m, device) != device)
		return true;
	json_array_foreach (json_object_get(m->map, "edges"), i, edge) {
		const char *from = json_text_of(edge, "from"), *to = json_text_of(edge, "to");

		if ((!strcmp(from, device) && short_name(m, to) != to) ||
		    (!strcmp(to, device) && short_name(m, from) != from))
			return true;
	}
	return false;
}

/* What is written of the device that a row of the map names. */
static json_t *object_of_row(const struct state_map *m, const json_t *row)
{
	return object_of(m->w, m->objects, short_name(m, json_text_of(row, "device")));
}

static void read_map(struct json_out *w, json_t *objects, json_t *unknown)
{
	static const char *const values[] = {"kind", "up", "carrier", "mtu", "rx_queues", "tx_queues", "qdisc"};
	struct state_map m = {w, NULL, objects, ""};
	struct diag d = {};
	json_t *o, *program;
	char words[256];
	size_t i, k;

	if (map_read(&m.map, &d)) {
		json_out_add(w, unknown, json_text_string(d.text));
		return;
	}
	json_array_foreach (json_object_get(m.map, "namespaces"), i, o)
		if (json_is_true(json_object_get(o, "here")))
			m.here = json_text_of(o, "namespace");
	json_array_foreach (json_object_get(m.map, "devices"), i, o)
		for (k = 0; k < sizeof(values) / sizeof(*values) && matters(&m, json_text_of(o, "device")); k++)
			json_out_put(w, object_of_row(&m, o), values[k],
				     json_incref(json_object_get(o, values[k]) ?: json_null()));
	json_array_foreach (json_object_get(m.map, "attachments"), i, o) {
		if (!matters(&m, json_text_of(o, "device")))
			continue;
		snprintf(words, sizeof(words), "?");
		json_array_foreach (json_object_get(m.map, "programs"), k, program)
			if (!strcmp(json_text_of(program, "program"), json_text_of(o, "program"))) {
				snprintf(words, sizeof(words), "%s %s", json_text_of(program, "name"),
					 json_text_of(program, "tag"));
				break;
			}
		append(w, object_of_row(&m, o), json_text_of(o, "hook"), words);
	}
	json_array_foreach (json_object_get(m.map, "hooks"), i, o) {
		const char *device = json_text_of(o, "device");

		if (*device && matters(&m, device))
			append(w, object_of_row(&m, o), json_text_of(o, "kind"), json_text_of(o, "name"));
		if (*device || strcmp(json_text_of(o, "namespace"), m.here))
			continue;
		snprintf(words, sizeof(words), "chain %.30s %.60s %.60s", json_text_of(o, "family"),
			 json_text_of(o, "table"), json_text_of(o, "name"));
		json_text_in_place(words);
		append(w, object_of(w, objects, "nft"), words, json_text_of(o, "hook"));
	}
	json_array_extend(unknown, json_object_get(m.map, "unknown"));
	json_decref(m.map);
}

/* ---- devices ------------------------------------------------------------------------------------ */

static void put_line(struct json_out *w, json_t *o, const char *name, const struct facts *f, const char *path)
{
	char line[160];

	if (!facts_line(f, line, sizeof(line), "%s", path))
		json_out_text(w, o, name, line);
}

static void read_device(struct json_out *w, json_t *o, const struct facts *f, const struct watched *dev)
{
	static const char *const files[] = {"gro_flush_timeout", "napi_defer_hard_irqs", "tx_queue_len", "speed",
					    "duplex"};
	static const char *const features[] = {"rx-gro",
					       "rx-gro-hw",
					       "rx-gro-list",
					       "rx-udp-gro-forwarding",
					       "rx-lro",
					       "rx-checksum",
					       "rx-hashing",
					       "rx-ntuple-filter",
					       "rx-vlan-hw-parse",
					       "tx-generic-segmentation",
					       "tx-tcp-segmentation",
					       "tx-udp-segmentation",
					       "tx-scatter-gather",
					       "tx-checksum-ip-generic"};
	/* of each queue: who works for it */
	static const char *const of_queues[][2] = {{"rps_cpus", "rps cpus"}, {"rps_flow_cnt", "rfs flows"}};
	const char *name = dev->nd.name;
	int threaded = napi_threaded(name, f->sys_fd);
	char path[160], of[32];
	struct ethtool_feature feature;
	struct ethtool_coalesce c = {.cmd = ETHTOOL_GCOALESCE};
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	struct ethtool_channels q = {.cmd = ETHTOOL_GCHANNELS};
	struct ethtool_rss rss;
	struct irq irqs[64];
	size_t nirqs;

	json_out_text(w, o, "driver", dev->nd.driver);
	if (threaded >= 0)
		json_out_text(w, o, "napi", threaded ? "threaded" : "softirq");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "sys/class/net/%s/%s", name, files[i]);
		put_line(w, o, files[i], f, path);
	}
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (!ethtool_feature_get(name, features[i], &feature))
			json_out_put(w, o, features[i], json_boolean(feature.active));
	if (!netdev_ethtool(name, &ring))
		json_out_put(w, o, "rx ring", json_integer(ring.rx_pending));
	if (!netdev_ethtool(name, &q)) {
		json_out_put(w, o, "channels rx", json_integer(q.rx_count));
		json_out_put(w, o, "channels tx", json_integer(q.tx_count));
		json_out_put(w, o, "channels combined", json_integer(q.combined_count));
	}
	if (!netdev_ethtool(name, &c)) {
		json_out_put(w, o, "coalescing adaptive", json_boolean(c.use_adaptive_rx_coalesce));
		if (!c.use_adaptive_rx_coalesce)
			json_out_put(w, o, "coalescing us", json_integer(c.rx_coalesce_usecs));
	}
	if (!ethtool_rss_get(name, &rss)) {
		json_out_put(w, o, "rss first", json_integer(rss.first));
		json_out_put(w, o, "rss queues", json_integer(rss.queues));
	}
	for (int i = 0; i < 128; i++) {
		const char *const *file = of_queues[i % 2];

		snprintf(path, sizeof(path), "sys/class/net/%s/queues/rx-%d/%s", name, i / 2, file[0]);
		snprintf(of, sizeof(of), "%s of rx-%d", file[1], i / 2);
		put_line(w, o, of, f, path);
	}
	nirqs = facts_irqs(f, name, irqs, 64);
	for (size_t i = 0; i < nirqs; i++) {
		snprintf(path, sizeof(path), "cpus of irq %d", irqs[i].number);
		json_out_text(w, o, path, irqs[i].cpus);
	}
}

/* ---- qdiscs: what they were told ---------------------------------------------------------------- */

struct state_reader {
	struct json_out *w;
	json_t *objects;
	const struct devices *ds;
};

/* The options in the kernel's form, of which a digest is enough: FNV-1a, 32 bits. */
static int take_options(struct nl_msg *msg, void *arg)
{
	const struct state_reader *q = arg;
	const struct tcmsg *head = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[TCA_MAX + 1];
	const struct watched *device;
	uint32_t digest = 2166136261U;
	char words[64];

	if (head->tcm_parent != TC_H_ROOT || nlmsg_parse(nlmsg_hdr(msg), sizeof(*head), attrs, TCA_MAX, NULL) ||
	    !attrs[TCA_OPTIONS] || !attrs[TCA_KIND])
		return NL_OK;
	for (int i = 0; i < nla_len(attrs[TCA_OPTIONS]); i++)
		digest = (digest ^ ((const uint8_t *)nla_data(attrs[TCA_OPTIONS]))[i]) * 16777619U;
	snprintf(words, sizeof(words), "%.20s %08x", nla_get_string(attrs[TCA_KIND]), digest);
	device = devices_find(q->ds, head->tcm_ifindex);
	if (device)
		json_out_text(q->w, object_of(q->w, q->objects, device->nd.name), "qdisc options", words);
	return NL_OK;
}

/* ---- nftables: how many rules a chain has, and how many of them look at connections ------------- */

static void count(struct json_out *w, json_t *o, const char *name)
{
	json_out_put(w, o, name, json_integer(json_integer_value(json_object_get(o, name)) + 1));
}

static int take_rule(struct nl_msg *msg, void *arg)
{
	const struct state_reader *r = arg;
	struct nlattr *attrs[NFTA_RULE_MAX + 1], *expr[NFTA_EXPR_MAX + 1], *one;
	bool connections = false;
	char name[160];
	int left;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct nfgenmsg), attrs, NFTA_RULE_MAX, NULL) ||
	    !attrs[NFTA_RULE_TABLE] || !attrs[NFTA_RULE_CHAIN])
		return NL_OK;
	snprintf(name, sizeof(name), "rules of %.64s %.64s", nla_get_string(attrs[NFTA_RULE_TABLE]),
		 nla_get_string(attrs[NFTA_RULE_CHAIN]));
	count(r->w, object_of(r->w, r->objects, "nft"), name);
	if (attrs[NFTA_RULE_EXPRESSIONS])
		nla_for_each_nested(one, attrs[NFTA_RULE_EXPRESSIONS], left) connections |=
			!nla_parse_nested(expr, NFTA_EXPR_MAX, one, NULL) && expr[NFTA_EXPR_NAME] &&
			!strcmp(nla_get_string(expr[NFTA_EXPR_NAME]), "ct");
	if (connections)
		count(r->w, object_of(r->w, r->objects, "nft"), "rules that match connections");
	return NL_OK;
}

/* ---- sockets that get a copy of each packet ----------------------------------------------------- */

/* proc_pid_net(5), packet: the fifth column is the device's number, 0: all devices. */
static void read_packet_sockets(struct json_out *w, json_t *objects, const struct devices *ds)
{
	json_t *o = object_of(w, objects, "packet sockets");
	char line[256];

	file_scan (line, "proc/net/packet") {
		const struct watched *device;
		char name[IFNAMSIZ] = "all devices";
		int ifindex;

		if (sscanf(line, "%*s %*d %*d %*x %d", &ifindex) != 1)
			continue;
		device = devices_find(ds, ifindex);
		if (ifindex)
			snprintf(name, sizeof(name), "%.15s", device ? device->nd.name : "other devices");
		json_text_in_place(name);
		count(w, o, name);
	}
}

#define TASK_QUEUES 64

/* What it reads from. */
struct task_queues {
	uint64_t sockets[TASK_QUEUES];
	char taps[TASK_QUEUES][IFNAMSIZ];
	size_t nsockets, ntaps;
};

/* ---- tasks: whom one belongs to ------------------------------------------------------------------------- */

struct search {
	int pidfd; /* -1: for no taps */
	const struct state_wanted *wanted;
	struct task_queues *found;
};

static bool take_descriptor(int fd, const char *link, void *arg)
{
	const struct search *s = arg;
	struct task_queues *found = s->found;
	unsigned int netns;
	uint64_t inode;

	if (sscanf(link, "socket:[%" SCNu64 "]", &inode) == 1) {
		for (size_t i = 0; i < s->wanted->nsockets; i++)
			if (s->wanted->sockets[i] == inode) {
				found->sockets[found->nsockets++] = inode;
				break;
			}
	} else if (s->pidfd >= 0 && !strcmp(link, FD_TAP))
		found->ntaps += fd_owner_tap(s->pidfd, fd, found->taps[found->ntaps], &netns) && netns == netns_inum();
	return found->nsockets < TASK_QUEUES && found->ntaps < TASK_QUEUES;
}

/* ---- its control group -------------------------------------------------------------------------- */

/* ip-netns(8) mounts a /sys without control groups; that of the first process has them. */
static int group_path(char *path, size_t size, const char *group, const char *file)
{
	char line[16];

	snprintf(path, size, "%s/%s", group, file);
	if (!facts_line(&facts_here, line, sizeof(line), "%s", path))
		return 0;
	snprintf(path, size, "proc/1/root/%s/%s", group, file);
	return facts_line(&facts_here, line, sizeof(line), "%s", path);
}

static int group_line(char *line, size_t size, const char *group, const char *file)
{
	char path[1200];
	int err = group_path(path, sizeof(path), group, file);

	return err ? err : facts_line(&facts_here, line, size, "%s", path);
}

/* The CPUs that the group may use, and how long it was kept from them; NaN: not known, or no limit. */
static void group_limits(const char *group, double *cpus, double *throttled_ns)
{
	double quota = NAN, period = NAN, value;
	char path[1200], line[128];

	*cpus = *throttled_ns = NAN;
	if (!*group)
		return;
	if (!group_line(line, sizeof(line), group, "cpu.max")) {
		if (sscanf(line, "%lf %lf", &quota, &period) == 2)
			*cpus = quota / period;
	} else {
		if (!group_line(line, sizeof(line), group, "cpu.cfs_quota_us"))
			quota = strtod(line, NULL);
		if (!group_line(line, sizeof(line), group, "cpu.cfs_period_us"))
			period = strtod(line, NULL);
		if (quota > 0)
			*cpus = quota / period;
	}
	if (group_path(path, sizeof(path), group, "cpu.stat"))
		return;
	file_scan (line, "%s", path)
		if (sscanf(line, "throttled_usec %lf", &value) == 1)
			*throttled_ns = value * 1000;
		else if (sscanf(line, "throttled_time %lf", &value) == 1)
			*throttled_ns = value;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void put_task(struct json_out *w, json_t *tasks, int pid, const char *comm, const char *role,
		     const struct task_queues *q)
{
	json_t *inodes, *taps;
	char name[96], state[2] = "", group[1040] = "", affinity[160] = "", line[1024];
	double on_cpu_ns = NAN, waited_ns = NAN; /* the sums over its threads of what /proc/PID/schedstat has */
	double quota, throttled_ns;
	bool first = false;
	struct process_stat s;
	struct dirent *e;

	if (facts_process_stat(&facts_here, pid, &s))
		return; /* it has ended */
	state[0] = s.state;
	dir_scan (e, &facts_here, "proc/%d/task", pid) {
		unsigned long long on, waited;

		if (e->d_name[0] == '.' ||
		    facts_line(&facts_here, line, sizeof(line), "proc/%d/task/%.16s/schedstat", pid, e->d_name) ||
		    sscanf(line, "%llu %llu", &on, &waited) != 2)
			continue;
		on_cpu_ns = (isnan(on_cpu_ns) ? 0 : on_cpu_ns) + (double)on;
		waited_ns = (isnan(waited_ns) ? 0 : waited_ns) + (double)waited;
	}
	file_scan (line, "proc/%d/status", pid)
		if (!strncmp(line, "Cpus_allowed_list:\t", 19))
			snprintf(affinity, sizeof(affinity), "%.*s", (int)strcspn(line + 19, "\n"), line + 19);
	/* The path of the group that has the controller of CPU time; version 1 has a hierarchy of its own for it. */
	file_scan (line, "proc/%d/cgroup", pid) {
		char *colon = strchr(line, ':'), *end = colon ? strchr(colon + 1, ':') : NULL;

		if (!end || first)
			continue;
		*end = '\0';
		first = strstr(colon + 1, "cpu") && !strstr(colon + 1, "cpuset") && strcmp(colon + 1, "cpuacct");
		if (first || !colon[1])
			snprintf(group, sizeof(group), "sys/fs/cgroup%s%.*s", first ? "/cpu" : "",
				 (int)strcspn(end + 1, "\n"), end + 1);
	}
	group_limits(group, &quota, &throttled_ns);
	inodes = json_array();
	taps = json_array();
	for (size_t i = 0; q && i < q->nsockets; i++)
		json_out_add(w, inodes, json_integer((json_int_t)q->sockets[i]));
	for (size_t i = 0; q && i < q->ntaps; i++)
		json_out_add(w, taps, json_out_known(q->taps[i]));
	snprintf(name, sizeof(name), "%.64s (%d)", comm, pid);
	/* clang-format off */
	json_out_put(w, tasks, name, json_pack(
		"{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}",
		"pid", pid, "role", role, "state", json_text_string(state), "cpu", json_out_whole_value(s.cpu),
		"on_cpu_ns", json_out_amount_value(on_cpu_ns), "waited_ns", json_out_amount_value(waited_ns),
		"affinity", json_out_known(affinity), "policy", sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK,
		"group", json_out_known(group), "quota", json_out_amount_value(quota),
		"throttled_ns", json_out_amount_value(throttled_ns),
		"sockets", inodes, "taps", taps));
	/* clang-format on */
}

/* ---- the machine -------------------------------------------------------------------------------- */

static void read_files(struct json_out *w, json_t *o)
{
	static const char *const globs[] = {
		"/proc/sys/net/core/*",
		"/proc/sys/net/ipv4/ip_forward",
		"/proc/sys/net/ipv4/ip_early_demux",
		"/proc/sys/net/ipv4/udp_early_demux",
		"/proc/sys/net/ipv4/udp_*mem*",
		"/proc/sys/net/ipv4/tcp_*mem",
		"/proc/sys/net/ipv4/conf/*/rp_filter",
		"/proc/sys/net/bridge/*",
		"/proc/sys/net/netfilter/nf_conntrack_max",
		"/proc/sys/kernel/bpf_stats_enabled",
		"/proc/sys/kernel/ftrace_enabled",
		"/proc/sys/kernel/nmi_watchdog",
		"/proc/sys/kernel/numa_balancing",
		"/proc/sys/kernel/sched_rt_runtime_us",
		"/proc/sys/kernel/timer_migration",
		"/sys/devices/system/cpu/online",
		"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
		"/sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq",
		"/sys/devices/system/cpu/smt/active",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"/sys/kernel/mm/transparent_hugepage/enabled",
	};
	char line[160];

	for (size_t i = 0; i < sizeof(globs) / sizeof(*globs); i++) {
		glob_t found;

		if (glob(globs[i], 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++)
			if (!json_object_get(o, found.gl_pathv[k]) &&
			    !facts_line(&facts_here, line, sizeof(line), "%s", found.gl_pathv[k] + 1))
				json_out_text(w, o, found.gl_pathv[k], line);
		globfree(&found);
	}
}

json_t *state_read(const struct devices *ds, const struct state_wanted *wanted)
{
	json_t *objects = json_object(), *tasks = json_object(), *unknown = json_array(),
	       *o = json_pack("{s:o, s:o, s:o}", "objects", objects, "tasks", tasks, "unknown", unknown);
	struct nfgenmsg rules = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0};
	struct tcmsg qdiscs = {.tcm_family = AF_UNSPEC};
	struct json_out w = {};
	struct state_reader r = {&w, objects, ds};
	int first, here;
	struct facts f;

	if (!o || facts_open(&f, NULL, NULL)) {
		json_decref(o);
		return NULL;
	}
	read_map(&w, objects, unknown);
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++)
		if (watched_is(&ds->list[slot]))
			read_device(&w, object_of(&w, objects, ds->list[slot].nd.name), &f, &ds->list[slot]);
	netlink_dump(NETLINK_ROUTE, RTM_GETQDISC, &qdiscs, sizeof(qdiscs), take_options, &r);
	object_of(&w, objects, "nft");
	if (!facts_module_is_out(&facts_here, "nf_tables") &&
	    netlink_dump(NETLINK_NETFILTER, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETRULE, &rules, sizeof(rules),
			 take_rule, &r) < 0)
		json_out_add(&w, unknown, json_text_string("rules of nftables: this kernel does not list them"));
	read_packet_sockets(&w, objects, ds);
	read_files(&w, object_of(&w, objects, ""));
	/* Files that only the first namespace has are those of all. */
	first = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
	if (first >= 0 && !netns_visit_fd(first, &here, NULL)) {
		read_files(&w, object_of(&w, objects, ""));
		netns_back(&here);
	}
	fd_close(first);
	struct task_queues found;
	char comm[80];
	int pid;
	process_scan (&facts_here, pid, comm) {
		if (devices_slot_of(ds, pid) != WATCH_OTHER)
			put_task(&w, tasks, pid, comm, "napi", NULL);
		else if (!strncmp(comm, "ksoftirqd/", 10) && facts_is_kthread(&facts_here, pid))
			put_task(&w, tasks, pid, comm, "ksoftirqd", NULL);
		else if (!strncmp(comm, "cpumap/", 7) && facts_is_kthread(&facts_here, pid))
			put_task(&w, tasks, pid, comm, "cpumap", NULL);
		else if ((wanted->nsockets || wanted->taps) && pid != (int)getppid()) {
			struct search s = {wanted->taps ? pidfd_open(pid, 0) : -1, wanted, &found};

			found.nsockets = found.ntaps = 0;
			fd_owner_each(pid, take_descriptor, &s);
			fd_close(s.pidfd);
			if (found.nsockets || found.ntaps)
				put_task(&w, tasks, pid, comm, "process", &found);
		}
	}
	facts_release(&f);
	return json_out_end(&w, o);
}
