// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/stage/stage.h"

#include <stdio.h>
#include <string.h>
#include "user/machine/machine.h"

#define WAIT_NS 1000000000ULL

/* It is named "cpumap/CPU/map:ID"; old kernels cut the name after 15 characters. -1: none. */
static pid_t cpumap_find(int cpu, __u32 map_id)
{
	char want[40], comm[80];
	pid_t tid;

	snprintf(want, sizeof(want), "cpumap/%d/map:%u", cpu, map_id);
	process_scan (&facts_here, tid, comm)
		if ((!strcmp(comm, want) || (strlen(comm) == 15 && !strncmp(comm, want, 15))) &&
		    facts_is_kthread(&facts_here, tid))
			return tid;
	return -1;
}

pid_t cpumap_kthread(int cpu, __u32 map_id)
{
	struct patience patience = patience_of(WAIT_NS);
	pid_t tid;

	while ((tid = cpumap_find(cpu, map_id)) < 0 && !patience_ends(&patience))
		sleep_until_ns(now_ns() + 1000000);
	return tid;
}
