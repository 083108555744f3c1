// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "user/machine/machine.h"

#define TASK_QUEUES 64

/* What it reads from. */
struct task_queues {
	uint64_t sockets[TASK_QUEUES];
	char taps[TASK_QUEUES][IFNAMSIZ];
	size_t nsockets, ntaps;
};

/* ---- whom it belongs to ------------------------------------------------------------------------- */

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

static void queues_of(int pid, const struct state_wanted *wanted, struct task_queues *found)
{
	struct search s = {wanted->taps ? pidfd_open(pid, 0) : -1, wanted, found};

	found->nsockets = found->ntaps = 0;
	fd_owner_each(pid, take_descriptor, &s);
	if (s.pidfd >= 0)
		close(s.pidfd);
}

/* ---- what it did -------------------------------------------------------------------------------- */

static void affinity_of(int pid, char *list, size_t size)
{
	char line[512];

	*list = '\0';
	file_scan (line, "proc/%d/status", pid)
		if (!strncmp(line, "Cpus_allowed_list:\t", 19))
			snprintf(list, size, "%.*s", (int)strcspn(line + 19, "\n"), line + 19);
}

/* ---- its control group -------------------------------------------------------------------------- */

/* The path of the group that has the controller of CPU time; version 1 has a hierarchy of its own for it. */
static bool group_of(int pid, char *path, size_t size)
{
	char line[1024];
	bool found = false, first = false;

	file_scan (line, "proc/%d/cgroup", pid) {
		char *colon = strchr(line, ':'), *end = colon ? strchr(colon + 1, ':') : NULL;

		if (!end || first)
			continue;
		*end = '\0';
		first = strstr(colon + 1, "cpu") && !strstr(colon + 1, "cpuset") && strcmp(colon + 1, "cpuacct");
		if (!first && colon[1])
			continue;
		snprintf(path, size, "sys/fs/cgroup%s%.*s", first ? "/cpu" : "", (int)strcspn(end + 1, "\n"), end + 1);
		found = true;
	}
	return found;
}

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

static double quota_of(const char *group)
{
	double quota = NAN, period = NAN;
	char line[96];

	if (!group_line(line, sizeof(line), group, "cpu.max")) {
		if (sscanf(line, "%lf %lf", &quota, &period) == 2)
			return quota / period;
		return NAN;
	}
	if (!group_line(line, sizeof(line), group, "cpu.cfs_quota_us"))
		quota = strtod(line, NULL);
	if (!group_line(line, sizeof(line), group, "cpu.cfs_period_us"))
		period = strtod(line, NULL);
	return quota > 0 ? quota / period : NAN;
}

static double throttled_of(const char *group)
{
	char path[1200], line[128];
	double value, ns = NAN;

	if (group_path(path, sizeof(path), group, "cpu.stat"))
		return NAN;
	file_scan (line, "%s", path)
		if (sscanf(line, "throttled_usec %lf", &value) == 1)
			ns = value * 1000;
		else if (sscanf(line, "throttled_time %lf", &value) == 1)
			ns = value;
	return ns;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void put_task(struct json_out *w, json_t *tasks, int pid, const char *comm, const char *role,
		     const struct task_queues *q)
{
	json_t *o = json_object(), *inodes = json_array(), *taps = json_array();
	char name[96], state[2] = "", group[1040] = "", affinity[160], line[128];
	double on_cpu_ns, waited_ns;
	struct process_stat s;
	struct dirent *e;

	if (facts_process_stat(&facts_here, pid, &s)) {
		json_decref(o);
		json_decref(inodes);
		json_decref(taps);
		return; /* it has ended */
	}
	state[0] = s.state;
	/* The sums over its threads of what /proc/PID/schedstat tells. */
	on_cpu_ns = waited_ns = NAN;
	dir_scan (e, &facts_here, "proc/%d/task", pid) {
		unsigned long long on, waited;

		if (e->d_name[0] == '.' ||
		    facts_line(&facts_here, line, sizeof(line), "proc/%d/task/%.16s/schedstat", pid, e->d_name) ||
		    sscanf(line, "%llu %llu", &on, &waited) != 2)
			continue;
		on_cpu_ns = (isnan(on_cpu_ns) ? 0 : on_cpu_ns) + (double)on;
		waited_ns = (isnan(waited_ns) ? 0 : waited_ns) + (double)waited;
	}
	affinity_of(pid, affinity, sizeof(affinity));
	json_out_put(w, o, "pid", json_integer(pid));
	json_out_text(w, o, "role", role);
	json_out_text(w, o, "state", state);
	json_out_whole(w, o, "cpu", s.cpu);
	json_out_amount(w, o, "on_cpu_ns", on_cpu_ns);
	json_out_amount(w, o, "waited_ns", waited_ns);
	json_out_put(w, o, "affinity", json_out_known(affinity));
	json_out_put(w, o, "policy", json_integer(sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK));
	group_of(pid, group, sizeof(group));
	json_out_put(w, o, "group", json_out_known(group));
	json_out_amount(w, o, "quota", *group ? quota_of(group) : NAN);
	json_out_amount(w, o, "throttled_ns", *group ? throttled_of(group) : NAN);
	for (size_t i = 0; q && i < q->nsockets; i++)
		json_out_add(w, inodes, json_integer((json_int_t)q->sockets[i]));
	for (size_t i = 0; q && i < q->ntaps; i++)
		json_out_add(w, taps, json_out_known(q->taps[i]));
	json_out_put(w, o, "sockets", inodes);
	json_out_put(w, o, "taps", taps);
	snprintf(name, sizeof(name), "%.64s (%d)", comm, pid);
	json_out_put(w, tasks, name, o);
}

static bool is_napi_of(const struct devices *ds, int pid)
{
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++)
		for (size_t i = 0; watched_is(&ds->list[slot]) && i < ds->list[slot].ntids; i++)
			if (ds->list[slot].tids[i] == pid)
				return true;
	return false;
}

void state_read_tasks(struct json_out *w, json_t *tasks, const struct devices *ds, const struct state_wanted *wanted)
{
	struct task_queues found;
	char comm[80];
	int pid;

	process_scan (&facts_here, pid, comm) {
		if (is_napi_of(ds, pid))
			put_task(w, tasks, pid, comm, "napi", NULL);
		else if (!strncmp(comm, "ksoftirqd/", 10) && facts_is_kthread(&facts_here, pid))
			put_task(w, tasks, pid, comm, "ksoftirqd", NULL);
		else if (!strncmp(comm, "cpumap/", 7) && facts_is_kthread(&facts_here, pid))
			put_task(w, tasks, pid, comm, "cpumap", NULL);
		else if ((wanted->nsockets || wanted->taps) && pid != (int)getppid()) {
			queues_of(pid, wanted, &found);
			if (found.nsockets || found.ntaps)
				put_task(w, tasks, pid, comm, "process", &found);
		}
	}
}
