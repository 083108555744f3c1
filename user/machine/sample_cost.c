// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/stats.h"

#define SPIN_NS    25000000ULL
#define SPIN_PAIRS 8
#define RING_PAGES 64

static size_t ring_bytes(void)
{
	return (RING_PAGES + 1) * sysconf(_SC_PAGESIZE);
}

void sampler_close(struct sampler *s)
{
	if (s->ring)
		munmap(s->ring, ring_bytes());
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->ring = NULL;
}

int sampler_open(struct sampler *s, const char *event, int cpu)
{
	s->ring = NULL;
	s->fd = perf_tool_open(event, cpu, SAMPLER_HZ);
	if (s->fd < 0)
		return -errno;
	s->ring = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->ring == MAP_FAILED) {
		int err = -errno;

		s->ring = NULL;
		sampler_close(s);
		return err;
	}
	return 0;
}

void sampler_switch(struct sampler *s, bool on)
{
	s->ring->data_tail = s->ring->data_head; /* empty: in a full ring, a sample is lost and costs less */
	ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

struct spin {
	int cpu;
	struct sampler sampler;
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
	priority_realtime_begin(); /* other tasks on the CPU would take more from the loop than samples do */
	for (int i = 0; i < SPIN_PAIRS; i++) {
		double off = spin_speed(), on;

		sampler_switch(&s->sampler, true);
		on = spin_speed();
		sampler_switch(&s->sampler, false);
		cost[i] = (1 - on / off) * 1e9 / SAMPLER_HZ;
	}
	s->cost_ns = stats_median(cost, SPIN_PAIRS);
	return NULL;
}

double sample_cost_spin_ns(const char *event, int cpu)
{
	struct spin s = {.cpu = cpu};
	pthread_t thread;

	if (sampler_open(&s.sampler, event, cpu))
		return 0;
	if (!pthread_create(&thread, NULL, spin_main, &s))
		pthread_join(thread, NULL);
	sampler_close(&s.sampler);
	return s.cost_ns > 0 ? s.cost_ns : 0;
}
