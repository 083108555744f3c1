// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/state_tasks.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/json_text.h"
#include "user/machine/facts.h"

#define TASK_SOCKETS 64

struct task_sockets {
	uint64_t inodes[TASK_SOCKETS];
	size_t n;
};

/* ---- whom it belongs to ------------------------------------------------------------------------- */

static void sockets_of(int pid, const uint64_t *wanted, size_t nwanted, struct task_sockets *found)
{
	char path[64], link[64];
	struct dirent *e;
	DIR *fds;

	found->n = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	while (fds && found->n < TASK_SOCKETS && (e = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), e->d_name, link, sizeof(link) - 1);
		uint64_t inode;

		if (n <= 0)
			continue;
		link[n] = '\0';
		if (sscanf(link, "socket:[%" SCNu64 "]", &inode) != 1)
			continue;
		for (size_t i = 0; i < nwanted; i++)
			if (wanted[i] == inode) {
				found->inodes[found->n++] = inode;
				break;
			}
	}
	if (fds)
		closedir(fds);
}

/* ---- what it did -------------------------------------------------------------------------------- */

/* The sums over its threads of what /proc/PID/schedstat tells. */
static void times_of(int pid, double *on_cpu_ns, double *waited_ns)
{
	char path[64], line[128];
	struct dirent *e;
	DIR *threads;

	*on_cpu_ns = *waited_ns = NAN;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	while (threads && (e = readdir(threads))) {
		unsigned long long on, waited;

		if (e->d_name[0] == '.' ||
		    facts_line(&facts_here, line, sizeof(line), "proc/%d/task/%.16s/schedstat", pid, e->d_name) ||
		    sscanf(line, "%llu %llu", &on, &waited) != 2)
			continue;
		*on_cpu_ns = (isnan(*on_cpu_ns) ? 0 : *on_cpu_ns) + (double)on;
		*waited_ns = (isnan(*waited_ns) ? 0 : *waited_ns) + (double)waited;
	}
	if (threads)
		closedir(threads);
}

static void affinity_of(int pid, char *list, size_t size)
{
	FILE *f;
	char path[64], line[512];

	*list = '\0';
	snprintf(path, sizeof(path), "proc/%d/status", pid);
	f = facts_file(&facts_here, path);
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Cpus_allowed_list:\t", 19))
			snprintf(list, size, "%.*s", (int)strcspn(line + 19, "\n"), line + 19);
	if (f)
		fclose(f);
}

/* ---- its control group -------------------------------------------------------------------------- */

/* The path of the group that has the controller of CPU time; version 1 has a hierarchy of its own for it. */
static bool group_of(int pid, char *path, size_t size)
{
	char file[64], line[1024];
	bool found = false, first = false;
	FILE *f;

	snprintf(file, sizeof(file), "proc/%d/cgroup", pid);
	f = facts_file(&facts_here, file);
	while (f && fgets(line, sizeof(line), f)) {
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
	if (f)
		fclose(f);
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
	FILE *f = group_path(path, sizeof(path), group, "cpu.stat") ? NULL : facts_file(&facts_here, path);

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "throttled_usec %lf", &value) == 1)
			ns = value * 1000;
		else if (sscanf(line, "throttled_time %lf", &value) == 1)
			ns = value;
	}
	if (f)
		fclose(f);
	return ns;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void put_task(struct json_out *w, json_t *tasks, int pid, const char *comm, const char *role,
		     const struct task_sockets *sockets)
{
	json_t *o = json_object(), *inodes = json_array();
	char name[96], state[2] = "", group[1040] = "", affinity[160];
	double on_cpu_ns, waited_ns;
	struct process_stat s;

	if (facts_process_stat(&facts_here, pid, &s)) {
		json_decref(o);
		json_decref(inodes);
		return; /* it has ended */
	}
	state[0] = s.state;
	times_of(pid, &on_cpu_ns, &waited_ns);
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
	for (size_t i = 0; sockets && i < sockets->n; i++)
		json_out_add(w, inodes, json_integer((json_int_t)sockets->inodes[i]));
	json_out_put(w, o, "sockets", inodes);
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

void state_read_tasks(struct json_out *w, json_t *tasks, const struct devices *ds, const uint64_t *sockets,
		      size_t nsockets)
{
	DIR *proc = facts_dir(&facts_here, "proc");
	struct task_sockets found;
	char comm[80];
	int pid;

	while (proc && (pid = facts_next_process(&facts_here, proc, comm, sizeof(comm)))) {
		if (is_napi_of(ds, pid))
			put_task(w, tasks, pid, comm, "napi", NULL);
		else if (!strncmp(comm, "ksoftirqd/", 10) && facts_is_kthread(&facts_here, pid))
			put_task(w, tasks, pid, comm, "ksoftirqd", NULL);
		else if (!strncmp(comm, "cpumap/", 7) && facts_is_kthread(&facts_here, pid))
			put_task(w, tasks, pid, comm, "cpumap", NULL);
		else if (nsockets && pid != (int)getppid()) {
			sockets_of(pid, sockets, nsockets, &found);
			if (found.n)
				put_task(w, tasks, pid, comm, "process", &found);
		}
	}
	if (proc)
		closedir(proc);
}
