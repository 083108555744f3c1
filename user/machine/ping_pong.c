// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/stats.h"
#include "user/machine/machine.h"

/* Two threads write the flag in turns. The flag has its own cache line. */
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
#define PING_LOOK    10000      /* turns of the wait loop between two readings of the clock */
#define PING_MOST_NS 500000000u /* the most time for all batches; some ms are usual */
/* The most time for the first batch: with virtual CPUs that never run together, each turn takes a time slice. */
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
	pp->ns_one_way = stats_median(ns, n);
	return NULL;
}

double cpu_ping_pong_ns(int cpu_a, int cpu_b)
{
	struct ping_pong pp = {.cpu = {cpu_a, cpu_b}, .ns_one_way = NAN, .give_up = now_ns() + PING_FIRST_NS};
	pthread_t ask, answer;

	if (cpu_a == cpu_b || pthread_create(&answer, NULL, ping_answer, &pp))
		return NAN;
	if (pthread_create(&ask, NULL, ping_ask, &pp)) {
		pthread_cancel(answer);
		pthread_join(answer, NULL);
		return NAN;
	}
	pthread_join(ask, NULL);
	pthread_join(answer, NULL);
	return pp.pinned[0] || pp.pinned[1] ? NAN : pp.ns_one_way;
}
