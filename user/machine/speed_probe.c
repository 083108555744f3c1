// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <gsl/gsl_sort.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#define CHAINS      8
#define TABLE_BITS  14   /* of 4 bytes: 64 kB. A larger table scatters more than the speed of the CPU does */
#define STEPS       4096 /* of a piece: some 40 us, much longer than reading the clock */
#define PIECES      20   /* 0.8 ms in all at 10 ns a step */
#define WARM_PIECES 2    /* bring the table into the caches; not counted */

struct speed_probe {
	int cpu;
	double ns;       /* per step; < 0: failed */
	uint32_t result; /* so that the compiler leaves the work in */
	uint32_t table[1 << TABLE_BITS];
};

static uint32_t work(const uint32_t *table, uint32_t seed)
{
	uint32_t x[CHAINS], all = 0;

	for (uint32_t c = 0; c < CHAINS; c++)
		x[c] = seed + c * 2654435769u;
	for (int i = 0; i < STEPS; i++)
		for (int c = 0; c < CHAINS; c++)
			x[c] = x[c] * 1664525u + table[x[c] >> (32 - TABLE_BITS)];
	for (int c = 0; c < CHAINS; c++)
		all ^= x[c];
	return all;
}

static void *probe_main(void *arg)
{
	const struct sched_param first = {.sched_priority = 1};
	double ns[PIECES];
	struct speed_probe *p = arg;
	uint64_t start = now_ns(), from;
	size_t n = 0;

	if (cpu_pin(0, p->cpu))
		return NULL;
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first); /* refused: the pieces are longer, and fewer */
	for (int i = 0; i < WARM_PIECES; i++)
		p->result += work(p->table, p->result);
	while (n < PIECES && (n < 4 || now_ns() - start < SPEED_PROBE_MAX_NS)) {
		from = now_ns();
		p->result += work(p->table, p->result);
		ns[n++] = (double)(now_ns() - from) / STEPS;
	}
	gsl_sort(ns, 1, n);
	p->ns = ns[n / 4];
	return NULL;
}

double speed_probe_ns(int cpu)
{
	struct speed_probe p = {.cpu = cpu, .ns = -1};
	pthread_t thread;

	for (uint32_t i = 0; i < 1 << TABLE_BITS; i++)
		p.table[i] = i * 2246822519u + 1;
	if (pthread_create(&thread, NULL, probe_main, &p))
		return -1;
	pthread_join(thread, NULL);
	return p.ns;
}
