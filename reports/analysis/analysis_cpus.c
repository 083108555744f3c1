// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CPUs that received packets, and the cost of a packet on each.
 */
#include "reports/analysis/analysis.h"

static int by_packets(const void *pa, const void *pb)
{
	const struct analysis_cpu *a = pa, *b = pb;

	return ORDER(b->packets, a->packets) ?: ORDER(a->cpu, b->cpu);
}

/* A CPU that saw less than one packet in a hundred is no receiver; its packets are strays. */
int variant_add_cpus(struct analysis_variant *v)
{
	const struct run *r = v->of->run;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_window *w = &v->used[i]->block->windows[k];

			for (size_t j = 0; j < w->ncpus && w->kind == RUN_BASE; j++) {
				struct analysis_cpu *c = v->cpus;

				while (c < v->cpus + v->ncpus && c->cpu != w->cpus[j].cpu)
					c++;
				if (c == v->cpus + v->ncpus)
					c = array_add(&v->cpus, &v->ncpus, sizeof(*c));
				if (!c)
					return -ENOMEM;
				c->cpu = w->cpus[j].cpu;
				for (int l = 0; l < RUN_VERDICTS; l++)
					c->packets += (double)w->cpus[j].verdicts[l];
			}
		}
	if (!v->ncpus)
		return 0;
	qsort(v->cpus, v->ncpus, sizeof(*v->cpus), by_packets);
	while (v->ncpus && !(v->cpus[v->ncpus - 1].packets > v->packets / 100))
		v->ncpus--;
	/* The same share of busy time is taken out on each CPU as on all CPUs together. */
	for (size_t i = 0; i < v->ncpus; i++) {
		struct analysis_cpu *c = &v->cpus[i];
		double busy_ns = 0, span_ns = 0, out = v->excluded_ns / (v->base_ns + v->excluded_ns);
		size_t at = 0;

		while (at < r->nrx_cpus && r->rx_cpus[at] != c->cpu)
			at++;
		for (size_t k = 0; k < v->nused; k++) {
			busy_ns += at < r->nrx_cpus ? v->used[k]->cpu_busy_ns[at] : NAN;
			span_ns += v->used[k]->span_ns;
		}
		c->pps = v->pps * c->packets / v->packets;
		c->busy_pct = 100 * busy_ns / span_ns;
		c->base_ns = busy_ns * (1 - (isnan(out) ? 0 : out)) / c->packets;
	}
	return 0;
}
