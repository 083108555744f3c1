// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <sys/ioctl.h>
#include "user/settings/settings.h"

struct setting_kind {
	const char *word;
	int (*access)(const struct setting *s, const char *to, char *value, size_t size); /* to NULL: reads value */
	/* of the command: %1$s is the device, %2$s the value, %3$s the name; NULL: command() tells */
	const char *format;
	void (*command)(const struct setting *s, char *command, size_t size);
};

/* Files. A device's files are read in the device's own network namespace; "devfile": below /sys/class/net/DEV. */

static void path_of(const struct setting *s, char path[200])
{
	if (!strcmp(s->kind, "devfile"))
		snprintf(path, 200, "/sys/class/net/%s/%.120s", s->dev, s->name);
	else
		snprintf(path, 200, "%s", s->name);
}

static int file_access(const struct setting *s, const char *to, char *value, size_t size)
{
	int flags = (to ? O_WRONLY : O_RDONLY) | O_CLOEXEC, sysfs, fd, err;
	char path[200];
	ssize_t n;

	path_of(s, path);
	/* the path may come from a file: nothing but settings of the kernel is written */
	if ((strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5)) || strstr(path, "/../"))
		return -EINVAL;
	sysfs = strncmp(path, "/sys/class/net/", 15) ? -1 : netns_sysfs(NULL);
	fd = sysfs < 0 ? open(path, flags) : openat(sysfs, path + 5, flags);
	err = fd < 0 ? -errno : 0;
	fd_close(sysfs);
	if (err)
		return err;
	if (to) {
		if (write(fd, to, strlen(to)) != (ssize_t)strlen(to))
			err = errno ? -errno : -EIO;
	} else {
		n = read(fd, value, size - 1);
		if (n < 0)
			err = -errno;
		value[n < 0 ? 0 : n] = 0;
		value[strcspn(value, "\n")] = 0;
	}
	close(fd);
	return err;
}

static void file_command(const struct setting *s, char *command, size_t size)
{
	static const char sysctl[] = "/proc/sys/";
	char path[200], word[700], *name = path + strlen(sysctl);

	path_of(s, path);
	if (strncmp(path, sysctl, strlen(sysctl))) {
		shell_word(word, sizeof(word), path);
		snprintf(command, size, "echo %s > %s", s->value, word);
		return;
	}
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '.' : *c;
	snprintf(command, size, "sysctl -w %s=%s", name, s->value);
}

/* A NIC's feature. Its value is what was requested; whether it is active may depend on other features. */
static int feature_access(const struct setting *s, const char *to, char *value, size_t size)
{
	struct {
		struct ethtool_sfeatures head;
		struct ethtool_set_features_block blocks[FEATURE_BLOCKS];
	} set = {.head = {.cmd = ETHTOOL_SFEATURES}};
	bool on = to && !strcmp(to, "on");
	struct ethtool_feature f;
	int index, err;

	if (!to) {
		err = ethtool_feature_get(s->dev, s->name, &f);
		if (!err)
			snprintf(value, size, "%s", f.requested ? "on" : "off");
		return err;
	}
	index = ethtool_feature_index(s->dev, s->name);
	if (index < 0)
		return index;
	set.head.size = index / 32 + 1;
	/* The kernel accepts only its own number of blocks (-EINVAL for any other), so try all from the smallest on. */
	for (err = -EINVAL; err == -EINVAL && set.head.size <= FEATURE_BLOCKS; set.head.size++) {
		set.blocks[index / 32].valid = 1u << index % 32;
		set.blocks[index / 32].requested = on ? 1u << index % 32 : 0;
		err = netdev_ethtool(s->dev, &set);
	}
	if (!err)
		err = ethtool_feature_get(s->dev, s->name, &f);
	return err ? err : f.requested == on ? 0 : -EOPNOTSUPP;
}

/*
 * What ethtool(2) reads and writes as a struct of 32-bit numbers. A value is those named here, each behind its word:
 * "adaptive-rx off rx-usecs 30".
 */
#define NUMBERS           32
#define MEMBER(of, which) (offsetof(struct of, which) / sizeof(uint32_t))

static const struct nic_struct {
	const char *kind, *name; /* name NULL: any */
	uint32_t get, set;
	struct nic_member {
		const char *word;
		size_t at;
		bool is_switch;
	} members[3];
} nic_structs[] = {
	{"ring", NULL, ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM, {{"", MEMBER(ethtool_ringparam, rx_pending)}}},
	{"queues", "rx", ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, {{"", MEMBER(ethtool_channels, rx_count)}}},
	{"queues", "tx", ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, {{"", MEMBER(ethtool_channels, tx_count)}}},
	{"queues", NULL, ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, {{"", MEMBER(ethtool_channels, combined_count)}}},
	{"coalesce",
	 NULL,
	 ETHTOOL_GCOALESCE,
	 ETHTOOL_SCOALESCE,
	 {{"adaptive-rx ", MEMBER(ethtool_coalesce, use_adaptive_rx_coalesce), true},
	  {" rx-usecs ", MEMBER(ethtool_coalesce, rx_coalesce_usecs)}}},
	{"pause",
	 NULL,
	 ETHTOOL_GPAUSEPARAM,
	 ETHTOOL_SPAUSEPARAM,
	 {{"autoneg ", MEMBER(ethtool_pauseparam, autoneg), true},
	  {" rx ", MEMBER(ethtool_pauseparam, rx_pause), true},
	  {" tx ", MEMBER(ethtool_pauseparam, tx_pause), true}}},
};

static int nic_access(const struct setting *s, const char *to, char *value, size_t size)
{
	const struct nic_struct *n = nic_structs;
	uint32_t numbers[NUMBERS];
	size_t at = 0;
	char *end;
	int err;

	while (strcmp(n->kind, s->kind) || (n->name && strcmp(n->name, s->name)))
		n++;
	memset(numbers, 0, sizeof(numbers));
	numbers[0] = n->get;
	err = netdev_ethtool(s->dev, numbers);
	for (size_t i = 0; !err && i < 3 && n->members[i].word; i++) {
		const struct nic_member *m = &n->members[i];

		if (to) {
			if (strncmp(to, m->word, strlen(m->word)))
				return -EINVAL;
			to += strlen(m->word);
			end = (char *)to + strcspn(to, " ");
			numbers[m->at] = m->is_switch ? !strncmp(to, "on", 2) : (uint32_t)strtoul(to, &end, 10);
			if (end == to)
				return -EINVAL;
			to = end;
		} else if (m->is_switch) {
			at += (size_t)snprintf(value + at, size - at, "%s%s", m->word, numbers[m->at] ? "on" : "off");
		} else {
			at += (size_t)snprintf(value + at, size - at, "%s%u", m->word, numbers[m->at]);
		}
	}
	numbers[0] = n->set;
	return err || !to ? err : netdev_ethtool(s->dev, numbers);
}

static int mtu_access(const struct setting *s, const char *to, char *value, size_t size)
{
	struct ifreq ifr = {.ifr_mtu = to ? atoi(to) : 0};
	int err = netdev_ioctl(s->dev, to ? SIOCSIFMTU : SIOCGIFMTU, &ifr);

	if (!to)
		snprintf(value, size, "%d", ifr.ifr_mtu);
	return err;
}

static int link_access(const struct setting *s, const char *to, char *value, size_t size)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFFLAGS, &ifr);

	if (!to)
		snprintf(value, size, "%s", ifr.ifr_flags & IFF_UP ? "up" : "down");
	if (err || !to)
		return err;
	ifr.ifr_flags = !strcmp(to, "up") ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP;
	return netdev_ioctl(s->dev, SIOCSIFFLAGS, &ifr);
}

/* The RSS table: "default", or, in ethtool's words, "start 2 equal 1": 1 queue, beginning with queue 2. */
static int rss_access(const struct setting *s, const char *to, char *value, size_t size)
{
	struct ethtool_rss rss = {.queues = to ? 1 : 0, .usual = to && !strcmp(to, "default")};
	struct ethtool_rxfh_indir *table;
	int err;

	if (!to) {
		err = ethtool_rss_get(s->dev, &rss);
		if (rss.usual)
			snprintf(value, size, "default");
		else
			snprintf(value, size, "start %u equal %u", rss.first, rss.queues);
		return err;
	}
	if (!rss.usual && (sscanf(to, "start %u equal %u", &rss.first, &rss.queues) != 2 || !rss.queues))
		return -EINVAL;
	err = ethtool_rss_table(s->dev, &table);
	if (err)
		return err;
	table->cmd = ETHTOOL_SRXFHINDIR;
	for (uint32_t i = 0; i < table->size; i++)
		table->ring_index[i] = rss.first + i % rss.queues;
	if (rss.usual)
		table->size = 0; /* means to the kernel: restore the driver's own table */
	err = netdev_ethtool(s->dev, table);
	free(table);
	return err;
}

/* A rule that brings a flow to a queue; name: "udp4 SRC SPORT DST DPORT", value: "queue Q at LOCATION" or "none". */

static const struct {
	const char *word;
	uint8_t family, protocol;
} flow_kinds[] = {
	{"udp4", AF_INET, IPPROTO_UDP},
	{"tcp4", AF_INET, IPPROTO_TCP},
	{"udp6", AF_INET6, IPPROTO_UDP},
	{"tcp6", AF_INET6, IPPROTO_TCP},
};

#define NFLOW_KINDS (sizeof(flow_kinds) / sizeof(*flow_kinds))

void setting_name_flow(char *name, size_t size, const struct flow *f)
{
	char src[INET6_ADDRSTRLEN] = "", dst[INET6_ADDRSTRLEN] = "";
	const char *word = "none";

	for (size_t i = 0; i < NFLOW_KINDS; i++)
		if (flow_kinds[i].family == f->family && flow_kinds[i].protocol == f->protocol)
			word = flow_kinds[i].word;
	inet_ntop(f->family, f->src, src, sizeof(src));
	inet_ntop(f->family, f->dst, dst, sizeof(dst));
	snprintf(name, size, "%s %s %u %s %u", word, src, ntohs(f->src_port), dst, ntohs(f->dst_port));
}

static int rule_access(const struct setting *s, const char *to, char *value, size_t size)
{
	char word[8], src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	unsigned int src_port, dst_port, queue;
	uint32_t queue_now, location_now;
	long long location = -1;
	struct flow f = {};
	size_t i = 0;
	int err;

	if (!to)
		snprintf(value, size, "none");
	if (sscanf(s->name, "%7s %45s %u %45s %u", word, src, &src_port, dst, &dst_port) != 5)
		return -EINVAL;
	while (i < NFLOW_KINDS && strcmp(word, flow_kinds[i].word))
		i++;
	if (i == NFLOW_KINDS)
		return -EINVAL;
	f = (struct flow){.family = flow_kinds[i].family,
			  .protocol = flow_kinds[i].protocol,
			  .src_port = htons(src_port),
			  .dst_port = htons(dst_port)};
	if (inet_pton(f.family, src, f.src) != 1 || inet_pton(f.family, dst, f.dst) != 1)
		return -EINVAL;
	if (!to) {
		err = ethtool_rule_get(s->dev, &f, &queue_now, &location_now);
		if (!err)
			snprintf(value, size, "queue %u at %u", queue_now, location_now);
		return err == -ENOENT ? 0 : err;
	}
	if (!strcmp(to, "none"))
		return ethtool_rule_set(s->dev, &f, -1, -1);
	if (sscanf(to, "queue %u at %lld", &queue, &location) < 1)
		return -EINVAL;
	return ethtool_rule_set(s->dev, &f, queue, location);
}

static void rule_command(const struct setting *s, char *command, size_t size)
{
	unsigned int src_port, dst_port, queue = 0;
	char word[8] = "", src[48] = "", dst[48] = "";
	int n;

	sscanf(s->value, "queue %u", &queue);
	if (sscanf(s->name, "%7s %47s %u %47s %u", word, src, &src_port, dst, &dst_port) != 5)
		src_port = dst_port = 0;
	n = snprintf(command, size, "ethtool -N %s flow-type %s src-ip %s dst-ip %s", SHELL_NAME(s->dev), word, src,
		     dst);
	if (src_port && n < (int)size)
		n += snprintf(command + n, size - n, " src-port %u", src_port);
	if (dst_port && n < (int)size)
		n += snprintf(command + n, size - n, " dst-port %u", dst_port);
	if (n < (int)size)
		snprintf(command + n, size - n, " action %u", queue);
}

/* Processes and threads; name: "PID START COMMAND". The start time distinguishes a later task with the same number. */

void setting_name_task(char *name, size_t size, int tid)
{
	struct process_stat stat;
	char comm[32] = "";

	name[0] = 0;
	if (facts_process_stat(&facts_here, tid, &stat))
		return;
	facts_line(&facts_here, comm, sizeof(comm), "proc/%d/comm", tid);
	snprintf(name, size, "%d %llu %s", tid, stat.start, comm);
}

/* Returns the task's number and fills its state; -ENOENT: the task has ended. */
static int find_task(const struct setting *s, char *state)
{
	struct process_stat now;
	unsigned long long start;
	int tid;

	if (sscanf(s->name, "%d %llu", &tid, &start) != 2)
		return -EINVAL;
	if (facts_process_stat(&facts_here, tid, &now) || now.start != start)
		return -ENOENT;
	*state = now.state;
	return tid;
}

static int process_access(const struct setting *s, const char *to, char *value, size_t size)
{
	bool stop = to && !strcmp(to, "stopped");
	struct timespec pause = {0, 1000000};
	char state;
	int pid = find_task(s, &state);

	if (pid < 0)
		return pid;
	if (!to) {
		snprintf(value, size, "%s", state == 'T' ? "stopped" : "running");
		return 0;
	}
	if (kill(pid, stop ? SIGSTOP : SIGCONT))
		return -errno;
	/* A process handles a signal some time after kill() returned, so wait for the new state. */
	for (int i = 0; i < 1000 && find_task(s, &state) > 0 && (state == 'T') != stop; i++)
		nanosleep(&pause, NULL);
	return 0;
}

static int cpus_access(const struct setting *s, const char *to, char *value, size_t size)
{
	char state;
	int tid = find_task(s, &state), n = 0;
	cpu_set_t set;

	if (tid < 0)
		return tid;
	if (to) {
		CPU_ZERO(&set);
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (cpulist_has(to, cpu))
				CPU_SET(cpu, &set);
		return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
	}
	if (sched_getaffinity(tid, sizeof(set), &set))
		return -errno;
	value[0] = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int last = cpu;

		if (!CPU_ISSET(cpu, &set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
			last++;
		if (n < (int)size)
			n += snprintf(value + n, size - n, last > cpu ? "%s%d-%d" : "%s%d", n ? "," : "", cpu, last);
		cpu = last;
	}
	return n < (int)size ? 0 : -ERANGE;
}

static void task_command(const struct setting *s, char *command, size_t size)
{
	if (!strcmp(s->kind, "cpus"))
		snprintf(command, size, "taskset -pc %s %d", s->value, atoi(s->name));
	else
		snprintf(command, size, "kill -%s %d", strcmp(s->value, "stopped") ? "CONT" : "STOP", atoi(s->name));
}

static const struct setting_kind kinds[] = {
	{"file", file_access, NULL, file_command},
	{"devfile", file_access, NULL, file_command},
	{"feature", feature_access, "ethtool -K %1$s %3$s %2$s"},
	{"ring", nic_access, "ethtool -G %1$s rx %2$s"},
	{"queues", nic_access, "ethtool -L %1$s %3$s %2$s"},
	{"coalesce", nic_access, "ethtool -C %1$s %2$s"},
	{"pause", nic_access, "ethtool -A %1$s %2$s"},
	{"mtu", mtu_access, "ip link set %1$s mtu %2$s"},
	{"link", link_access, "ip link set %1$s %2$s"},
	{"rss", rss_access, "ethtool -X %1$s %2$s"},
	{"rule", rule_access, NULL, rule_command},
	{"process", process_access, NULL, task_command},
	{"cpus", cpus_access, NULL, task_command},
};

static const struct setting_kind *setting_kind_of(const struct setting *s)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].word, s->kind))
			return &kinds[i];
	return NULL;
}

void setting_fill(struct setting *s, const char *kind, const char *dev, const char *name, const char *fmt, ...)
{
	va_list args;

	memset(s, 0, sizeof(*s));
	snprintf(s->kind, sizeof(s->kind), "%s", kind);
	snprintf(s->dev, sizeof(s->dev), "%s", dev);
	snprintf(s->name, sizeof(s->name), "%s", name);
	va_start(args, fmt);
	vsnprintf(s->value, sizeof(s->value), fmt, args);
	va_end(args);
}

int setting_get(const struct setting *s, char *value, size_t size)
{
	const struct setting_kind *k = setting_kind_of(s);

	value[0] = 0;
	return k ? k->access(s, NULL, value, size) : -EINVAL;
}

int setting_set(const struct setting *s, const char *value)
{
	const struct setting_kind *k = setting_kind_of(s);

	return k ? k->access(s, value, NULL, 0) : -EINVAL;
}

void setting_command(const struct setting *s, char *command, size_t size)
{
	const struct setting_kind *k = setting_kind_of(s);

	command[0] = 0;
	if (k && k->format)
		snprintf(command, size, k->format, SHELL_NAME(s->dev), s->value, s->name);
	else if (k)
		k->command(s, command, size);
}

void setting_words(const struct setting *s, char *words, size_t size)
{
	bool plain = !strcmp(s->kind, "file") || !strcmp(s->kind, "devfile") || !strcmp(s->kind, "feature");

	snprintf(words, size, "%s%s%s%s%s", plain ? "" : s->kind, plain || !s->name[0] ? "" : " ", s->name,
		 s->dev[0] ? " of " : "", s->dev);
}
