// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "user/machine/cpu.h"

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void sleep_until_ns(uint64_t t_ns)
{
	struct timespec ts = {t_ns / 1000000000ULL, t_ns % 1000000000ULL};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

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
	char path[64];
	FILE *f;
	int online = 1;

	if (cpu < 0 || cpu >= cpu_possible() || cpu >= CPU_SETSIZE)
		return -EINVAL;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	f = fopen(path, "r"); /* CPU 0 often has none: it cannot go offline */
	if (f) {
		if (fscanf(f, "%d", &online) != 1)
			online = 1;
		fclose(f);
	}
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
	char path[96];
	int id = cpu;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
	f = fopen(path, "r");
	if (!f)
		return cpu;
	if (fscanf(f, "%d", &id) != 1)
		id = cpu;
	fclose(f);
	return id;
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

bool cpu_first(void)
{
	struct sched_param param = {.sched_priority = 1};

	return sched_getscheduler(0) == SCHED_OTHER && sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

void cpu_among_others(void)
{
	struct sched_param param = {};

	sched_setscheduler(0, SCHED_OTHER, &param);
}

/* The flag has its own cache line; two threads hand it to and fro. */
struct ping_pong {
	_Alignas(128) atomic_uint flag;
	_Alignas(128) int cpu[2];
	int pinned[2];
	_Atomic uint64_t give_up;
	double ns_one_way;
};

#define PING_BATCH   64
#define PING_BATCHES 200
#define PING_ROUNDS  (PING_BATCH * PING_BATCHES)
#define PING_LOOK    10000      /* turns of the wait loop between two looks at the clock */
#define PING_MOST_NS 500000000u /* for all of them; some ms are usual */
/* for the first batch: CPUs that never run together take a time slice for each turn */
#define PING_FIRST_NS 100000000u

static int ping_wait(struct ping_pong *pp, unsigned int want)
{
	for (unsigned int turns = 1;; turns++) {
		if (atomic_load_explicit(&pp->flag, memory_order_acquire) == want)
			return 0;
		if (turns % PING_LOOK == 0 && now_ns() > pp->give_up)
			return -ETIMEDOUT;
	}
}

static void *ping_answer(void *arg)
{
	struct ping_pong *pp = arg;

	pp->pinned[1] = cpu_pin(0, pp->cpu[1]);
	for (unsigned int i = 0; i < PING_ROUNDS; i++) {
		if (ping_wait(pp, 2 * i + 1))
			break;
		atomic_store_explicit(&pp->flag, 2 * i + 2, memory_order_release);
	}
	return NULL;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void *ping_ask(void *arg)
{
	struct ping_pong *pp = arg;
	double ns[PING_BATCHES];
	unsigned int n = 0;

	pp->pinned[0] = cpu_pin(0, pp->cpu[0]);
	for (unsigned int b = 0; b < PING_BATCHES; b++) {
		uint64_t start = now_ns();

		for (unsigned int i = b * PING_BATCH; i < (b + 1) * PING_BATCH; i++) {
			atomic_store_explicit(&pp->flag, 2 * i + 1, memory_order_release);
			if (ping_wait(pp, 2 * i + 2))
				return NULL;
		}
		ns[n++] = (double)(now_ns() - start) / (2 * PING_BATCH);
		if (!b)
			atomic_store(&pp->give_up, start + PING_MOST_NS);
	}
	qsort(ns, n, sizeof(*ns), compare_double);
	pp->ns_one_way = ns[n / 2];
	return NULL;
}

double cpu_ping_pong_ns(int cpu_a, int cpu_b)
{
	struct ping_pong pp = {.cpu = {cpu_a, cpu_b}, .ns_one_way = -1, .give_up = now_ns() + PING_FIRST_NS};
	pthread_t ask, answer;

	if (cpu_a == cpu_b || pthread_create(&answer, NULL, ping_answer, &pp))
		return -1;
	if (pthread_create(&ask, NULL, ping_ask, &pp)) {
		pthread_cancel(answer);
		pthread_join(answer, NULL);
		return -1;
	}
	pthread_join(ask, NULL);
	pthread_join(answer, NULL);
	return pp.pinned[0] || pp.pinned[1] ? -1 : pp.ns_one_way;
}

double cpu_steal_ns(int cpu)
{
	unsigned long long v[8];
	char line[512], want[16];
	double ns = -1;
	FILE *f = fopen("/proc/stat", "r");

	if (!f)
		return -1;
	snprintf(want, sizeof(want), "cpu%d ", cpu);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, want, strlen(want)))
			continue;
		if (sscanf(line + strlen(want), "%llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
			   &v[4], &v[5], &v[6], &v[7]) == 8)
			ns = v[7] * (1e9 / sysconf(_SC_CLK_TCK));
		break;
	}
	fclose(f);
	return ns;
}

double cpu_freq_khz(int cpu)
{
	char path[96];
	double khz = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%lf", &khz) != 1)
		khz = -1;
	fclose(f);
	return khz;
}
