// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CPUs that received packets, and the cost of a packet on each.
 */
#include "reports/analysis/analysis.h"

static int add_cpu_packets(struct analysis_variant *v, const struct run_window *w)
{
	for (size_t i = 0; i < w->ncpus; i++) {
		struct analysis_cpu *c = v->cpus;

		while (c < v->cpus + v->ncpus && c->cpu != w->cpus[i].cpu)
			c++;
		if (c == v->cpus + v->ncpus)
			c = array_add(&v->cpus, &v->ncpus, sizeof(*c));
		if (!c)
			return -ENOMEM;
		c->cpu = w->cpus[i].cpu;
		for (int k = 0; k < RUN_VERDICTS; k++)
			c->packets += (double)w->cpus[i].verdicts[k];
	}
	return 0;
}

static int by_packets(const void *pa, const void *pb)
{
	const struct analysis_cpu *a = pa, *b = pb;

	return ORDER(b->packets, a->packets) ?: ORDER(a->cpu, b->cpu);
}

/* The same share of busy time is taken out on each CPU as on all CPUs together. */
static void weigh_cpu(const struct analysis_variant *v, struct analysis_cpu *c)
{
	const struct run *r = v->of->run;
	double busy_ns = 0, span_ns = 0, out = v->excluded_ns / (v->base_ns + v->excluded_ns);
	size_t i = 0;

	while (i < r->nrx_cpus && r->rx_cpus[i] != c->cpu)
		i++;
	for (size_t k = 0; k < v->nused; k++) {
		busy_ns += i < r->nrx_cpus ? v->used[k]->cpu_busy_ns[i] : NAN;
		span_ns += v->used[k]->span_ns;
	}
	c->pps = v->pps * c->packets / v->packets;
	c->busy_pct = 100 * busy_ns / span_ns;
	c->base_ns = busy_ns * (1 - (isnan(out) ? 0 : out)) / c->packets;
}

/* A CPU that saw less than one packet in a hundred is no receiver; its packets are strays. */
int variant_add_cpus(struct analysis_variant *v)
{
	int err = 0;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows && !err; k++)
			if (v->used[i]->block->windows[k].kind == RUN_BASE)
				err = add_cpu_packets(v, &v->used[i]->block->windows[k]);
	if (err || !v->ncpus)
		return err;
	qsort(v->cpus, v->ncpus, sizeof(*v->cpus), by_packets);
	while (v->ncpus && !(v->cpus[v->ncpus - 1].packets > v->packets / 100))
		v->ncpus--;
	for (size_t i = 0; i < v->ncpus; i++)
		weigh_cpu(v, &v->cpus[i]);
	return 0;
}
