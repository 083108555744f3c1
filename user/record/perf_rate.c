// SPDX-License-Identifier: GPL-2.0-or-later
/* Measures what a sample costs; perf.h has the contract. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/stats.h"
#include "user/machine/clock.h"
#include "user/machine/cpu.h"
#include "user/record/perf.h"

#define SPIN_NS    25000000ULL
#define SPIN_PAIRS 8
#define RING_PAGES 64

static size_t ring_bytes(void)
{
	return (RING_PAGES + 1) * sysconf(_SC_PAGESIZE);
}

int perf_sampler_open(struct perf_sampler *s, const char *event, int cpu)
{
	s->ring = NULL;
	s->fd = perf_tool_open(event, cpu, PERF_SAMPLER_HZ);
	if (s->fd < 0)
		return -errno;
	s->ring = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->ring == MAP_FAILED) {
		int err = -errno;

		s->ring = NULL;
		perf_sampler_close(s);
		return err;
	}
	return 0;
}

void perf_sampler_switch(struct perf_sampler *s, bool on)
{
	s->ring->data_tail = s->ring->data_head; /* empty: in a full ring, a sample is lost and costs less */
	ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void perf_sampler_close(struct perf_sampler *s)
{
	if (s->ring)
		munmap(s->ring, ring_bytes());
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->ring = NULL;
}

struct spin {
	int cpu;
	struct perf_sampler sampler;
	double cost_ns;
};

/* Returns turns of a loop per ns: fewer when something takes time away. */
static double spin_speed(void)
{
	uint64_t start = now_ns(), now, turns = 0;

	do {
		for (volatile int i = 0; i < 200; i++)
			;
		turns++;
		now = now_ns();
	} while (now - start < SPIN_NS);
	return (double)turns / (now - start);
}

static void *spin_main(void *arg)
{
	struct spin *s = arg;
	double cost[SPIN_PAIRS];

	cpu_pin(0, s->cpu);
	for (int i = 0; i < SPIN_PAIRS; i++) {
		double off = spin_speed(), on;

		perf_sampler_switch(&s->sampler, true);
		on = spin_speed();
		perf_sampler_switch(&s->sampler, false);
		cost[i] = (1 - on / off) * 1e9 / PERF_SAMPLER_HZ;
	}
	s->cost_ns = stats_median(cost, SPIN_PAIRS);
	return NULL;
}

double perf_sample_cost_ns(const char *event, int cpu)
{
	struct spin s = {.cpu = cpu};
	pthread_t thread;

	if (perf_sampler_open(&s.sampler, event, cpu))
		return 0;
	if (!pthread_create(&thread, NULL, spin_main, &s))
		pthread_join(thread, NULL);
	perf_sampler_close(&s.sampler);
	return s.cost_ns > 0 ? s.cost_ns : 0;
}
