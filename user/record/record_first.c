// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs before the first block: finds the RX CPUs and measures what a sample costs. record.h has the contract. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/stats.h"
#include "user/machine/clock.h"
#include "user/record/record_parts.h"
#include "user/record/record_rungs.h"

#define GLANCE_S         0.05
#define GLANCES          10 /* at most; each takes four looks: off, on, on, off */
#define GLANCES_LEAST    2
#define GLANCES_SHARE    0.05 /* of the time that the recording itself will take */
#define RX_SHARE         0.01 /* a CPU with a smaller share of the packets is noise, not an RX CPU */
#define MOVE_PATIENCE_NS 1000000000ULL
#define LOOK_PATIENCE_NS 5000000000ULL

/*
 * Waits until the pinned CPU receives a packet. A pinned interrupt moves only when it fires the next time, so packets
 * before that moment arrive on the former CPU. The wait is limited: while the NIC is polled without a pause, no
 * interrupt fires.
 */
static int wait_until_moved(struct recorder *r, struct block *b, struct diag *d)
{
	int cpu = r->session.steer.o ? r->session.steer.o->pin_cpu : -1, err = 0;
	uint64_t give_up = now_ns() + MOVE_PATIENCE_NS, before;

	if (cpu < 0)
		return 0;
	session_counts(&r->session, b->from.counts);
	before = bench_counts_sum(&b->from.counts[cpu], 1);
	while (!err && bench_counts_sum(&b->from.counts[cpu], 1) == before && now_ns() < give_up) {
		err = block_sleep(r, 0.005, d);
		session_counts(&r->session, b->from.counts);
	}
	return err;
}

/* Adds to the RX CPUs each CPU that processed at least RX_SHARE of the packets since b->from. */
static void note_rx_cpus(struct recorder *r, const struct block *b)
{
	uint64_t seen = 0;

	for (int cpu = 0; cpu < r->session.ncpus; cpu++)
		seen += bench_counts_sum(&b->to.counts[cpu], 1) - bench_counts_sum(&b->from.counts[cpu], 1);
	for (int cpu = 0; cpu < r->session.ncpus && r->run.nrx_cpus < RUN_MAX_RX_CPUS; cpu++)
		if (bench_counts_sum(&b->to.counts[cpu], 1) - bench_counts_sum(&b->from.counts[cpu], 1) >
		    RX_SHARE * seen)
			r->run.rx_cpus[r->run.nrx_cpus++] = cpu;
}

static int find_rx(struct recorder *r, struct block *b, const struct run_variant *v, struct diag *d)
{
	int err = block_load(r, v, d);
	uint64_t give_up;

	if (!err)
		err = wait_until_moved(r, b, d);
	give_up = now_ns() + LOOK_PATIENCE_NS;
	while (!err && !r->run.nrx_cpus && now_ns() < give_up) {
		err = block_sleep(r, 0.3, d);
		session_counts(&r->session, b->to.counts);
		note_rx_cpus(r, b);
	}
	if (!err && !r->run.nrx_cpus)
		return diag_set(d, -ETIMEDOUT, "packets came to %s, and then no more", r->session.target.nd.name);
	return err;
}

int record_find_rx_cpus(struct recorder *r, size_t variant, struct diag *d)
{
	struct run_variant counting = r->run.variants[variant];
	struct block b;
	int err = 0;

	if (record_has_rungs(&r->run)) /* which do not tell CPUs apart; every device has skb mode */
		err = run_variant_parse(&counting, "drop/no-touch@skb", d);
	if (!strcmp(counting.operation, "bare"))
		strcpy(counting.operation, "no-touch"); /* the bare program does not tell CPUs apart */
	if (counting.stage != RUN_STAGE_NONE) {         /* the second stage does not change the RX CPU */
		counting.stage = RUN_STAGE_NONE;
		strcpy(counting.action, "drop");
	}
	block_init(&b);
	if (!err)
		err = block_attach(r, &b, &counting, d);
	if (!err)
		err = find_rx(r, &b, &counting, d);
	block_release(r, &b);
	return err;
}

static uint64_t edge_packets(const struct recorder *r, const struct edge *e)
{
	return bench_counts_sum(e->counts, r->session.ncpus);
}

/* Measures the busy time per packet, in ns, over GLANCE_S. */
static int glance(struct recorder *r, struct block *b, double *ns, struct diag *d)
{
	int err = edge_read(r, b, RUN_BASE, &b->from, d);

	if (!err)
		err = block_sleep(r, GLANCE_S, d);
	if (!err)
		err = edge_read(r, b, RUN_BASE, &b->to, d);
	*ns = edges_busy_ns(r, &b->from, &b->to) / (edge_packets(r, &b->to) - edge_packets(r, &b->from));
	return err;
}

double record_planned_s(const struct recorder *r)
{
	const struct record_options *o = r->o;

	return (double)o->rounds * (double)r->run.nvariants * o->windows * o->window_s;
}

/* Returns how many glances to take: fewer for a short recording. */
static int glances(const struct recorder *r)
{
	return (int)fmax(GLANCES_LEAST, fmin(GLANCES, GLANCES_SHARE * record_planned_s(r) / (4 * GLANCE_S)));
}

/* Looks with sampling off, on, on, off: a steady drift cancels out in this order. */
static int sample_cost(struct recorder *r, struct block *b, struct perf_sampler *s, const struct run_variant *v,
		       double *cost_ns, struct diag *d)
{
	double cost[GLANCES], off[2], on[2];
	int err = block_load(r, v, d), n = glances(r);

	if (!err)
		err = block_sleep(r, r->o->warmup_s, d);
	for (int i = 0; i < n && !err; i++) {
		err = glance(r, b, &off[0], d);
		perf_sampler_switch(s, true);
		if (!err)
			err = glance(r, b, &on[0], d);
		if (!err)
			err = glance(r, b, &on[1], d);
		perf_sampler_switch(s, false);
		if (!err)
			err = glance(r, b, &off[1], d);
		cost[i] = (1 - (off[0] + off[1]) / (on[0] + on[1])) * 1e9 / PERF_SAMPLER_HZ;
	}
	if (err)
		return err;
	*cost_ns = stats_median(cost, (size_t)n);
	return 0;
}

int record_sample_cost(struct recorder *r, size_t variant, double *cost_ns, struct diag *d)
{
	struct perf_sampler s = {.fd = -1};
	struct block b;
	int err;

	*cost_ns = NAN;
	if (perf_sampler_open(&s, r->run.event, r->session.rx_cpu))
		return 0;
	block_init(&b);
	err = block_attach(r, &b, &r->run.variants[variant], d);
	if (!err)
		err = sample_cost(r, &b, &s, &r->run.variants[variant], cost_ns, d);
	block_release(r, &b);
	perf_sampler_close(&s);
	return err;
}
