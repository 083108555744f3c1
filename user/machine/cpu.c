// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "user/machine/machine.h"

int cpu_possible(void)
{
	int n = libbpf_num_possible_cpus();

	return n > 0 ? n : 1;
}

static int allowed(cpu_set_t *set)
{
	if (sched_getaffinity(getpid(), sizeof(*set), set))
		return -errno;
	return 0;
}

int cpu_check(int cpu)
{
	long long online;

	if (cpu < 0 || cpu >= cpu_possible() || cpu >= CPU_SETSIZE)
		return -EINVAL;
	/* CPU 0 often has no such file, because it cannot go offline */
	if (facts_number(&facts_here, &online, "sys/devices/system/cpu/cpu%d/online", cpu))
		return 0;
	return online ? 0 : -EINVAL;
}

int cpu_pick_rx(void)
{
	cpu_set_t set;

	if (allowed(&set))
		return 0;
	for (int cpu = CPU_SETSIZE - 1; cpu > 0; cpu--)
		if (CPU_ISSET(cpu, &set))
			return cpu;
	return 0;
}

static int core_id(int cpu)
{
	long long id;

	return facts_number(&facts_here, &id, "sys/devices/system/cpu/cpu%d/topology/core_id", cpu) ? cpu : (int)id;
}

int cpu_pick_load(int rx_cpu)
{
	cpu_set_t set;
	int sibling = rx_cpu;

	if (allowed(&set))
		return rx_cpu;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set) || cpu == rx_cpu)
			continue;
		if (core_id(cpu) != core_id(rx_cpu))
			return cpu;
		sibling = cpu;
	}
	return sibling;
}

int cpu_pick_keeper(int rx_cpu, int load_cpu)
{
	cpu_set_t set;

	if (allowed(&set))
		return load_cpu;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && cpu != rx_cpu && cpu != load_cpu && core_id(cpu) != core_id(rx_cpu))
			return cpu;
	return load_cpu;
}

int cpu_pin(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

bool cpu_may_run(int cpu)
{
	cpu_set_t before;
	bool may;

	if (sched_getaffinity(0, sizeof(before), &before))
		return true;
	may = !cpu_pin(0, cpu);
	sched_setaffinity(0, sizeof(before), &before);
	return may;
}

double cpu_steal_ns(int cpu)
{
	struct cpu_times t;

	return facts_cpu_times(&facts_here, cpu, &t) ? NAN : t.steal_ns;
}

double cpu_freq_khz(int cpu)
{
	long long khz;

	return facts_number(&facts_here, &khz, "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)
		       ? NAN
		       : (double)khz;
}
