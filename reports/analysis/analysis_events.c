// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of perf stat -> events per packet.
 *
 * perf is switched on a little before the window begins and off a little after its end, so perf counts somewhat longer
 * than the window. Events per packet are therefore the rate of events, by perf's clock, over the rate of packets.
 */
#include "reports/analysis/analysis.h"

/* Events per packet; NaN: not counted. Clocks are converted from ms to ns. */
static double per_packet(const struct run_event *e, const struct run_window *w, double cpus)
{
	double window_ns = (double)(w->to_ns - w->from_ns) * cpus;
	double count = strcmp(e->unit, "msec") ? e->count : e->count * 1e6;

	return count * (e->enabled_ns > 0 ? window_ns / e->enabled_ns : 1) / run_window_packets(w);
}

static struct analysis_event *find_event(struct analysis_variant *v, const struct run_event *e)
{
	struct analysis_event *new;

	for (size_t i = 0; i < v->nevents; i++)
		if (!strcmp(v->events[i].name, e->name))
			return &v->events[i];
	new = array_add(&v->events, &v->nevents, sizeof(*new));
	if (!new)
		return NULL;
	*new = (struct analysis_event){.name = e->name,
				       .unit = strcmp(e->unit, "msec") ? e->unit : "ns",
				       .per_cycle = NAN,
				       .running_pct = 100,
				       .block_values = calloc(v->nused + 1, sizeof(double))};
	if (!new->block_values)
		return NULL;
	for (size_t i = 0; i < v->nused; i++)
		new->block_values[i] = NAN;
	return new;
}

/* Mean of the blocks' finite values; values[] is scratch space for n numbers. */
static struct stats_mean mean_of_known(const double *blocks, size_t n, double *values)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(blocks[i]))
			values[known++] = blocks[i];
	return stats_mean(values, known);
}

int variant_add_events(struct analysis_variant *v)
{
	static const char word[] = "instructions";
	double *values = calloc(v->nused + 1, sizeof(*values)), cpus = fmax(1, (double)v->of->run->nrx_cpus);
	struct stats_mean m;
	int err = values ? 0 : -ENOMEM;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_window *w = &v->used[i]->block->windows[k];

			for (const struct run_event *of = w->events; of < w->events + w->nevents && !err; of++) {
				struct analysis_event *e = find_event(v, of);

				err = e ? 0 : -ENOMEM;
				if (e)
					e->block_values[i] = per_packet(of, w, cpus);
				if (e && !isnan(of->count) && !isnan(of->running_pct))
					e->running_pct = fmin(e->running_pct, of->running_pct);
			}
		}
	for (size_t i = 0; i < v->nevents && !err; i++) {
		m = mean_of_known(v->events[i].block_values, v->nused, values);
		v->events[i].per_packet = m.n ? m.mean : NAN;
		v->events[i].half = m.half;
	}
	for (size_t i = 0; i < v->nevents; i++) {
		/* "instructions:k" -> "cycles:k", "cpu_core/instructions/" -> "cpu_core/cycles/" */
		struct analysis_event *e = &v->events[i];
		const char *at = strstr(e->name, word);
		char cycles[128];

		if (!at)
			continue;
		snprintf(cycles, sizeof(cycles), "%.*scycles%s", (int)(at - e->name), e->name, at + sizeof(word) - 1);
		for (size_t k = 0; k < v->nevents; k++)
			if (!strcmp(v->events[k].name, cycles))
				e->per_cycle = e->per_packet / v->events[k].per_packet;
	}
	for (size_t i = 0; i < v->nused && !err; i++)
		values[i] = log(v->used[i]->counted_ns / v->used[i]->base_ns); /* as in analysis_base.c */
	m = err ? stats_mean(NULL, 0) : mean_of_known(values, v->nused, values);
	v->counting_pct = m.n ? 100 * expm1(m.mean) : NAN;
	v->counting_half_pct = 100 * exp(m.mean) * m.half;
	free(values);
	return err;
}
