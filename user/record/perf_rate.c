// SPDX-License-Identifier: GPL-2.0-or-later
/* Which event this machine can sample, what a sample costs, and the rate that fits the budget; perf.h has the contract. */
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
#include "reports/analysis/stats.h"
#include "user/machine/cpu.h"
#include "user/record/perf.h"

#define SPIN_NS     25000000ULL
#define SPIN_PAIRS  8
#define RING_PAGES  64

static int open_event(const char *event, int cpu, int hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = hz,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
	};

	if (!strcmp(event, "cycles")) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The signal that ended a command of popen(), itself or what its shell ran; 0: none did. */
static int ended_by(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

static int read_version(char *version, size_t size, struct diag *d)
{
	FILE *f = popen("LC_ALL=C perf --version 2>/dev/null", "r");
	bool ok = false;
	int status;

	if (!f)
		return diag_set(d, -errno, "cannot run perf: %s", strerror(errno));
	if (fgets(version, size, f)) {
		version[strcspn(version, "\n")] = 0;
		ok = !strncmp(version, "perf version", 12);
	}
	status = pclose(f);
	if (status > 0 && ended_by(status))
		return diag_set(d, -ECHILD, "perf --version died of signal %d", ended_by(status));
	if (status || !ok)
		return diag_set(d, -EOPNOTSUPP, "no working perf in PATH; install it (Debian: linux-perf) or run: make deps");
	return 0;
}

int perf_tool_find(struct perf_tool *t, struct diag *d)
{
	static const char *const events[] = {"cycles", "cpu-clock"};
	int err;

	memset(t, 0, sizeof(*t));
	err = read_version(t->version, sizeof(t->version), d);
	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		int fd = open_event(events[i], 0, 99);

		if (fd >= 0) {
			close(fd);
			strcpy(t->event, events[i]);
			return 0;
		}
		err = -errno;
	}
	return diag_set(d, -EOPNOTSUPP, "perf has no usable event here, neither cycles nor cpu-clock: %s%s", strerror(-err),
			err == -EACCES || err == -EPERM ? " (see /proc/sys/kernel/perf_event_paranoid)" : "");
}

static size_t ring_bytes(void)
{
	return (RING_PAGES + 1) * sysconf(_SC_PAGESIZE);
}

int perf_sampler_open(struct perf_sampler *s, const char *event, int cpu)
{
	s->ring = NULL;
	s->fd = open_event(event, cpu, PERF_SAMPLER_HZ);
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
	s->ring->data_tail = s->ring->data_head; /* never full: a lost sample is a cheap one */
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

/* Turns of a loop per ns: less when something takes time away. */
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

static int is_prime(int n)
{
	for (int i = 2; i * i <= n; i++)
		if (n % i == 0)
			return 0;
	return n > 1;
}

int perf_choose_hz(double sample_cost_ns, double budget_pct)
{
	const int lowest = 97, highest = 3989;
	double hz = sample_cost_ns > 0 ? budget_pct / 100 * 1e9 / sample_cost_ns : highest;
	int n = hz > highest ? highest : hz < lowest ? lowest : (int)hz;

	while (!is_prime(n))
		n--;
	return n;
}
