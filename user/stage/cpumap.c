// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/stage/stage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include "user/machine/machine.h"

#define WAIT_NS 1000000000ULL

/* It is named "cpumap/CPU/map:ID"; old kernels cut the name after 15 characters. -1: none. */
static pid_t cpumap_find(int cpu, __u32 map_id)
{
	DIR *proc = facts_dir(&facts_here, "proc");
	char want[40], comm[80];
	pid_t tid;

	snprintf(want, sizeof(want), "cpumap/%d/map:%u", cpu, map_id);
	do
		tid = facts_next_process(&facts_here, proc, comm, sizeof(comm));
	while (tid && ((strcmp(comm, want) != 0 && (strlen(comm) != 15 || strncmp(comm, want, 15) != 0)) ||
		       !facts_is_kthread(&facts_here, tid)));
	if (proc)
		closedir(proc);
	return tid ? tid : -1;
}

pid_t cpumap_kthread(int cpu, __u32 map_id)
{
	struct patience patience = patience_of(WAIT_NS);
	pid_t tid;

	while ((tid = cpumap_find(cpu, map_id)) < 0 && !patience_ends(&patience))
		sleep_until_ns(now_ns() + 1000000);
	return tid;
}
