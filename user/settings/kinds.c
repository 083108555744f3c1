// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <sys/ioctl.h>
#include "user/settings/settings.h"

struct setting_kind {
	const char *word;
	int (*get)(const struct setting *s, char *value, size_t size);
	int (*set)(const struct setting *s, const char *value);
	const char
		*format; /* of the command: %1$s is the device, %2$s the value, %3$s the name; NULL: command() tells */
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

static int open_file(const struct setting *s, int flags)
{
	char path[200];
	int sysfs, fd, err;

	path_of(s, path);
	/* the path may come from a file: nothing but settings of the kernel is written */
	if ((strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5)) || strstr(path, "/../")) {
		errno = EINVAL;
		return -1;
	}
	sysfs = strncmp(path, "/sys/class/net/", 15) ? -1 : netns_sysfs(NULL);
	fd = sysfs < 0 ? open(path, flags | O_CLOEXEC) : openat(sysfs, path + 5, flags | O_CLOEXEC);
	err = errno;
	fd_close(sysfs);
	errno = err;
	return fd;
}

static int file_get(const struct setting *s, char *value, size_t size)
{
	int fd = open_file(s, O_RDONLY), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, value, size - 1);
	if (n < 0)
		err = -errno;
	value[n < 0 ? 0 : n] = 0;
	value[strcspn(value, "\n")] = 0;
	close(fd);
	return err;
}

static int file_set(const struct setting *s, const char *value)
{
	int fd = open_file(s, O_WRONLY), err = 0;
	size_t n = strlen(value);

	if (fd < 0)
		return -errno;
	if (write(fd, value, n) != (ssize_t)n)
		err = errno ? -errno : -EIO;
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

static int feature_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_feature f;
	int err = ethtool_feature_get(s->dev, s->name, &f);

	if (!err)
		snprintf(value, size, "%s", (f.requested ? "on" : "off"));
	return err;
}

static int feature_set(const struct setting *s, const char *value)
{
	return ethtool_feature_set(s->dev, s->name, !strcmp(value, "on"));
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

static const struct nic_struct *nic_struct_of(const struct setting *s)
{
	const struct nic_struct *n = nic_structs;

	while (strcmp(n->kind, s->kind) || (n->name && strcmp(n->name, s->name)))
		n++;
	return n;
}

static int nic_get(const struct setting *s, char *value, size_t size)
{
	const struct nic_struct *n = nic_struct_of(s);
	uint32_t numbers[NUMBERS] = {n->get};
	int err = netdev_ethtool(s->dev, numbers);
	size_t at = 0;

	for (size_t i = 0; !err && i < 3 && n->members[i].word; i++) {
		const struct nic_member *m = &n->members[i];

		if (m->is_switch)
			at += (size_t)snprintf(value + at, size - at, "%s%s", m->word,
					       ((numbers[m->at]) ? "on" : "off"));
		else
			at += (size_t)snprintf(value + at, size - at, "%s%u", m->word, numbers[m->at]);
	}
	return err;
}

static int nic_set(const struct setting *s, const char *value)
{
	const struct nic_struct *n = nic_struct_of(s);
	uint32_t numbers[NUMBERS] = {n->get};
	int err = netdev_ethtool(s->dev, numbers);
	char *end;

	for (size_t i = 0; !err && i < 3 && n->members[i].word; i++, value = end) {
		const struct nic_member *m = &n->members[i];

		if (strncmp(value, m->word, strlen(m->word)))
			return -EINVAL;
		value += strlen(m->word);
		end = (char *)value + strcspn(value, " ");
		numbers[m->at] = m->is_switch ? !strncmp(value, "on", 2) : (uint32_t)strtoul(value, &end, 10);
		if (end == value)
			return -EINVAL;
	}
	numbers[0] = n->set;
	return err ? err : netdev_ethtool(s->dev, numbers);
}

static int mtu_get(const struct setting *s, char *value, size_t size)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFMTU, &ifr);

	snprintf(value, size, "%d", ifr.ifr_mtu);
	return err;
}

static int mtu_set(const struct setting *s, const char *value)
{
	struct ifreq ifr = {.ifr_mtu = atoi(value)};

	return netdev_ioctl(s->dev, SIOCSIFMTU, &ifr);
}

static int link_get(const struct setting *s, char *value, size_t size)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFFLAGS, &ifr);

	snprintf(value, size, "%s", ifr.ifr_flags & IFF_UP ? "up" : "down");
	return err;
}

static int link_set(const struct setting *s, const char *value)
{
	struct ifreq ifr = {};
	int err = netdev_ioctl(s->dev, SIOCGIFFLAGS, &ifr);

	if (err)
		return err;
	ifr.ifr_flags = !strcmp(value, "up") ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP;
	return netdev_ioctl(s->dev, SIOCSIFFLAGS, &ifr);
}

/* The RSS table: "default", or, in ethtool's words, "start 2 equal 1": 1 queue, beginning with queue 2. */

static int rss_get(const struct setting *s, char *value, size_t size)
{
	struct ethtool_rss rss = {};
	int err = ethtool_rss_get(s->dev, &rss);

	if (rss.usual)
		snprintf(value, size, "default");
	else
		snprintf(value, size, "start %u equal %u", rss.first, rss.queues);
	return err;
}

static int rss_set(const struct setting *s, const char *value)
{
	struct ethtool_rss rss = {.queues = 1, .usual = !strcmp(value, "default")};

	if (!rss.usual && (sscanf(value, "start %u equal %u", &rss.first, &rss.queues) != 2 || !rss.queues))
		return -EINVAL;
	return ethtool_rss_set(s->dev, &rss);
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

static int parse_flow(const char *name, struct flow *f)
{
	char word[8], src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	unsigned int src_port, dst_port;

	memset(f, 0, sizeof(*f));
	if (sscanf(name, "%7s %45s %u %45s %u", word, src, &src_port, dst, &dst_port) != 5)
		return -EINVAL;
	for (size_t i = 0; i < NFLOW_KINDS; i++) {
		if (strcmp(word, flow_kinds[i].word))
			continue;
		f->family = flow_kinds[i].family;
		f->protocol = flow_kinds[i].protocol;
		f->src_port = htons(src_port);
		f->dst_port = htons(dst_port);
		return inet_pton(f->family, src, f->src) == 1 && inet_pton(f->family, dst, f->dst) == 1 ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static int rule_get(const struct setting *s, char *value, size_t size)
{
	uint32_t queue, location;
	struct flow f;
	int err = parse_flow(s->name, &f) ?: ethtool_rule_get(s->dev, &f, &queue, &location);

	if (!err)
		snprintf(value, size, "queue %u at %u", queue, location);
	else
		snprintf(value, size, "none");
	return err == -ENOENT ? 0 : err;
}

static int rule_set(const struct setting *s, const char *value)
{
	long long location = -1;
	unsigned int queue;
	struct flow f;
	int err = parse_flow(s->name, &f);

	if (err)
		return err;
	if (!strcmp(value, "none"))
		return ethtool_rule_delete(s->dev, &f);
	if (sscanf(value, "queue %u at %lld", &queue, &location) < 1)
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

static int process_get(const struct setting *s, char *value, size_t size)
{
	char state;
	int pid = find_task(s, &state);

	if (pid > 0)
		snprintf(value, size, "%s", state == 'T' ? "stopped" : "running");
	return pid > 0 ? 0 : pid;
}

static int process_set(const struct setting *s, const char *value)
{
	bool stop = !strcmp(value, "stopped");
	struct timespec pause = {0, 1000000};
	char state;
	int pid = find_task(s, &state);

	if (pid < 0)
		return pid;
	if (kill(pid, stop ? SIGSTOP : SIGCONT))
		return -errno;
	/* A process handles a signal some time after kill() returned, so wait for the new state. */
	for (int i = 0; i < 1000 && find_task(s, &state) > 0 && (state == 'T') != stop; i++)
		nanosleep(&pause, NULL);
	return 0;
}

static void process_command(const struct setting *s, char *command, size_t size)
{
	snprintf(command, size, "kill -%s %d", strcmp(s->value, "stopped") ? "CONT" : "STOP", atoi(s->name));
}

static int cpus_get(const struct setting *s, char *value, size_t size)
{
	char state;
	int tid = find_task(s, &state), n = 0;
	cpu_set_t set;

	if (tid < 0)
		return tid;
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

static int cpus_set(const struct setting *s, const char *value)
{
	char state;
	int tid = find_task(s, &state);
	cpu_set_t set;

	if (tid < 0)
		return tid;
	CPU_ZERO(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (cpulist_has(value, cpu))
			CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

static void cpus_command(const struct setting *s, char *command, size_t size)
{
	snprintf(command, size, "taskset -pc %s %d", s->value, atoi(s->name));
}

static const struct setting_kind kinds[] = {
	{"file", file_get, file_set, NULL, file_command},
	{"devfile", file_get, file_set, NULL, file_command},
	{"feature", feature_get, feature_set, "ethtool -K %1$s %3$s %2$s"},
	{"ring", nic_get, nic_set, "ethtool -G %1$s rx %2$s"},
	{"queues", nic_get, nic_set, "ethtool -L %1$s %3$s %2$s"},
	{"coalesce", nic_get, nic_set, "ethtool -C %1$s %2$s"},
	{"pause", nic_get, nic_set, "ethtool -A %1$s %2$s"},
	{"mtu", mtu_get, mtu_set, "ip link set %1$s mtu %2$s"},
	{"link", link_get, link_set, "ip link set %1$s %2$s"},
	{"rss", rss_get, rss_set, "ethtool -X %1$s %2$s"},
	{"rule", rule_get, rule_set, NULL, rule_command},
	{"process", process_get, process_set, NULL, process_command},
	{"cpus", cpus_get, cpus_set, NULL, cpus_command},
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
	return k ? k->get(s, value, size) : -EINVAL;
}

int setting_set(const struct setting *s, const char *value)
{
	const struct setting_kind *k = setting_kind_of(s);

	return k ? k->set(s, value) : -EINVAL;
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
