// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sample costs: in the receiver's thread under load, else in a loop that spins. record.h has the contract. */
#include "user/record/record.h"

#define SPIN_PART     0.75 /* of what a sample costs in a softirq, whose stack is deeper */
#define GLANCE_S      0.05
#define GLANCES       10 /* at most; each takes four looks: off, on, on, off */
#define GLANCES_LEAST 2
#define GLANCES_SHARE 0.05 /* of the time that the recording itself will take */

/* Measures the busy time per packet, in ns, over GLANCE_S. */
static int glance(struct recorder *r, struct block *b, double *ns, struct diag *d)
{
	int err = edge_read(r, RUN_BASE, &b->from, d) ?: record_sleep(r, GLANCE_S, d);

	if (!err)
		err = edge_read(r, RUN_BASE, &b->to, d);
	*ns = edges_busy_ns(r, &b->from, &b->to) /
	      (bench_counts_sum(b->to.counts, r->session.ncpus) - bench_counts_sum(b->from.counts, r->session.ncpus));
	return err;
}

/*
 * Measures what a sample costs while the receiver's NAPI kthread processes this variant under load, in turn with and
 * without sampling: off, on, on, off, an order in which a steady drift cancels out. Takes a twentieth of the
 * recording's time, up to two seconds. *cost_ns: NaN where it cannot be measured; noise can make it negative.
 */
static int variant_cost(struct recorder *r, struct run_variant *v, double *cost_ns, struct diag *d)
{
	double cost[GLANCES], off[2], on[2];
	struct sampler s = {.fd = -1};
	struct block b;
	int err, n = (int)fmax(GLANCES_LEAST, fmin(GLANCES, GLANCES_SHARE * record_planned_s(r) / (4 * GLANCE_S)));

	*cost_ns = NAN;
	if (sampler_open(&s, r->run.event, r->session.rx_cpu))
		return 0;
	block_init(&b);
	err = block_attach(r, &b, v, d) ?: block_load(r, v, d);
	if (!err)
		err = record_sleep(r, r->o->warmup_s, d);
	for (int i = 0; i < n && !err; i++) {
		err = glance(r, &b, &off[0], d);
		sampler_switch(&s, true);
		if (!err)
			err = glance(r, &b, &on[0], d) ?: glance(r, &b, &on[1], d);
		sampler_switch(&s, false);
		if (!err)
			err = glance(r, &b, &off[1], d);
		cost[i] = (1 - (off[0] + off[1]) / (on[0] + on[1])) * 1e9 / SAMPLER_HZ;
	}
	if (!err)
		*cost_ns = stats_median(cost, (size_t)n);
	block_release(r, &b);
	sampler_close(&s);
	return err;
}

/*
 * A sample costs more when it walks a deeper stack, so each mode is tried, and the mean counts. (The largest of several
 * noisy values is too large.) A spinning CPU serves where there is no receiver's thread, or where noise hides the cost.
 */
int record_sample_cost(struct recorder *r, struct diag *d)
{
	double sum_ns = 0, cost_ns;
	size_t n = 0;

	for (size_t i = 0; i < r->run.nvariants && r->nnapis && !r->o->no_profile; i++) {
		size_t first = 0;
		int err;

		while (r->run.variants[first].mode != r->run.variants[i].mode)
			first++;
		if (first < i)
			continue;
		err = variant_cost(r, &r->run.variants[i], &cost_ns, d);
		if (err)
			return err;
		if (isnan(cost_ns))
			continue;
		sum_ns += cost_ns;
		n++;
	}
	r->run.sample_cost_ns =
		sum_ns > 0 ? sum_ns / (double)n : sample_cost_spin_ns(r->run.event, r->session.rx_cpu) / SPIN_PART;
	return 0;
}
