// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include "user/machine/machine.h"

#define FIRST_NICE (-20)

void priority_raise(struct priority *before, int cpu)
{
	before->raised = sched_getaffinity(0, sizeof(before->cpus), &before->cpus) == 0;
	before->nice = getpriority(PRIO_PROCESS, 0);
	cpu_pin(0, cpu);
	setpriority(PRIO_PROCESS, 0, FIRST_NICE);
}

void priority_restore(struct priority *before)
{
	if (!before->raised)
		return;
	sched_setaffinity(0, sizeof(before->cpus), &before->cpus);
	setpriority(PRIO_PROCESS, 0, before->nice);
	before->raised = false;
}

bool priority_realtime_begin(void)
{
	struct sched_param param = {.sched_priority = 1};

	return sched_getscheduler(0) == SCHED_OTHER && sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

void priority_realtime_end(void)
{
	struct sched_param param = {};

	sched_setscheduler(0, SCHED_OTHER, &param);
}

void priority_session_begin(int nice)
{
	int fd = setsid() < 0 ? -1 : open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "%d", nice);
	close(fd);
}
