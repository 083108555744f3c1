// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "user/machine/machine.h"
#include "user/settings/settings.h"

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

const struct setting_kind setting_task_kinds[] = {
	{"process", process_get, process_set, NULL, process_command},
	{"cpus", cpus_get, cpus_set, NULL, cpus_command},
	{},
};
