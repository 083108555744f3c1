/*
 * put_numbers - every number of analyses and comparisons as text
 *
 * in:    an analysis or a comparison
 * out:   lines for kept.h, of the stream `out`
 * units: as in analysis.h and compare.h, six digits
 * law:   what is 0 but for rounding is 0, and what is not known is "-"
 */
#ifndef TESTS_PUT_NUMBERS_H
#define TESTS_PUT_NUMBERS_H

#include "tests/unit/compared.h"

static FILE *out;

static inline void put(const char *name, double value)
{
	if (isnan(value))
		fprintf(out, " %s -", name);
	else
		fprintf(out, " %s %.6g", name, fabs(value) < 1e-7 ? 0 : value);
}

static inline void put_two(const char *name, const double values[2])
{
	put(name, values[0]);
	put("to", values[1]);
}

#define PUT(s, member) put(#member, (double)(s)->member)

static inline void put_quality(const struct quality *q)
{
	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];

		fprintf(out, "gate %s %s %s%s", row->gate, row->variant, row->ok ? "ok" : "fails",
			row->tell ? " cannot tell" : "");
		PUT(row, value);
		PUT(row, limit);
		fprintf(out, " %s\n", row->note);
	}
}

static inline void put_block(const struct analysis_block *b)
{
	fprintf(out, "block %d fate %d scale %d%s", b->block->index, b->fate, b->scale, b->outlier ? " outlier" : "");
	PUT(b, packets);
	PUT(b, span_ns);
	PUT(b, pps);
	PUT(b, busy_ns);
	PUT(b, busy_pct);
	PUT(b, base_ns);
	PUT(b, base_by_busy_ns);
	PUT(b, base_by_rate_ns);
	PUT(b, taken_out_ns);
	PUT(b, profiled_ns);
	PUT(b, slower_profiled);
	PUT(b, profiled_packets);
	PUT(b, plant_ns);
	PUT(b, ns_per_weight);
	PUT(b, sum_ns);
	PUT(b, pace);
	PUT(b, probe_ns);
	PUT(b, speed);
	PUT(b, all_ns);
	PUT(b, counted_ns);
	PUT(b, cpu_busy_ns[0]);
	PUT(b, sampled_busy_pct);
	PUT(b, samples);
	PUT(b, cost_weight);
	PUT(b, taken_out_weight);
	PUT(b, idle_weight);
	PUT(b, z);
	fputs("\n", out);
}

static inline void put_rows(const char *kind, const struct analysis_row *rows, size_t n, size_t used)
{
	for (size_t i = 0; i < n && i < 12; i++) {
		const struct analysis_row *row = &rows[i];

		fprintf(out, "%s %s of %s in %s", kind, row->name, row->dso, row->facility);
		PUT(row, samples);
		PUT(row, irqs_off);
		PUT(row, self_pct);
		PUT(row, self_ns);
		put_two("ci95", row->ci95_ns);
		PUT(row, half_ns);
		PUT(row, children_ns);
		PUT(row, error_ns);
		if (used)
			PUT(row, block_ns[used - 1]);
		fputs("\n", out);
	}
}

static inline void put_parts(const struct analysis_variant *v)
{
	for (size_t i = 0; i < v->ncpus; i++) {
		PUT(&v->cpus[i], cpu);
		PUT(&v->cpus[i], packets);
		PUT(&v->cpus[i], pps);
		PUT(&v->cpus[i], busy_pct);
		PUT(&v->cpus[i], base_ns);
		fputs("\n", out);
	}
	for (size_t i = 0; i < v->ncounters; i++) {
		fprintf(out, "counter %s %s", v->counters[i].name, v->counters[i].meaning);
		PUT(&v->counters[i], per_second);
		PUT(&v->counters[i], per_packet);
		fputs("\n", out);
	}
	for (size_t i = 0; i < v->nevents; i++) {
		fprintf(out, "event %s %s", v->events[i].name, v->events[i].unit);
		PUT(&v->events[i], per_packet);
		PUT(&v->events[i], half);
		PUT(&v->events[i], per_cycle);
		PUT(&v->events[i], running_pct);
		fputs("\n", out);
	}
	for (size_t i = 0; i < v->ncalls; i++) {
		fprintf(out, "calls %s", v->calls[i].function);
		PUT(&v->calls[i], per_packet);
		PUT(&v->calls[i], ns_per_call);
		PUT(&v->calls[i], ns);
		PUT(&v->calls[i], sampled_ns);
		PUT(&v->calls[i], timed_pct);
		fputs("\n", out);
	}
}

static inline void put_turns(const struct analysis_turns *t)
{
	fprintf(out, "%s", t->windows ? "windows" : "turns");
	PUT(t, n);
	for (size_t i = 0; i < ANALYSIS_TURN_QUANTILES; i++)
		put("ns", t->ns[i]);
	PUT(t, longest_ns);
	put_two("modes", t->mode_ns);
	PUT(t, dearer_pct);
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		fprintf(out, " %zu", t->bins[i]);
	for (size_t i = 0; i < t->nstalls; i++) {
		PUT(&t->stalls[i], at_s);
		PUT(&t->stalls[i], longer_ns);
		PUT(&t->stalls[i], samples);
		fprintf(out, " %s", t->stalls[i].ran);
	}
	fputs("\n", out);
}

static inline void put_costs(const struct analysis_variant *v)
{
	PUT(v, nused);
	PUT(v, strata_mixed);
	PUT(v, takes_turns);
	PUT(v, slow_factor);
	PUT(v, pps);
	PUT(v, packets);
	PUT(v, base_ns);
	PUT(v, half_ns);
	put_two("ci95", v->ci95_ns);
	PUT(v, scatter_pct);
	PUT(v, base_by_rate_ns);
	PUT(v, base_by_busy_ns);
	PUT(v, busy_pct);
	PUT(v, busy_estimated);
	PUT(v, taken_out_ns);
	PUT(v, overhead_pct);
	PUT(v, overhead_half_pct);
	PUT(v, packets_per_poll);
	PUT(v, refused_pct);
	PUT(v, polls);
	PUT(v, poll_pct[0]);
	PUT(v, poll_pct[RUN_POLL_HIST - 2]);
	PUT(v, sampled_busy_pct);
	PUT(v, sampled_busy_half_pct);
	PUT(v, waits_ns);
	PUT(v, freq_khz);
	PUT(v, freq_spread_pct);
	PUT(v, steal_pct);
	PUT(v, counting_pct);
	PUT(v, counting_half_pct);
	PUT(v, trend.slope);
	PUT(v, trend.se);
	PUT(v, trend.df);
	PUT(v, trend.p);
	PUT(v, trend.lag1);
	PUT(v, drift_pct);
	PUT(v, drift_half_pct);
	fputs("\n", out);
}

static inline void put_samples(const struct analysis_variant *v)
{
	PUT(v, samples);
	PUT(v, irqs_off);
	PUT(v, design_effect);
	PUT(v, n_eff);
	PUT(v, unseen_max_ns);
	PUT(v, nsymbols);
	PUT(v, nfacilities);
	PUT(v, sum_ns);
	PUT(v, factor);
	PUT(v, scale);
	PUT(v, unattributed_ns);
	PUT(v, unattributed_half_ns);
	put_two("split", v->split_ns);
	put_two("half", v->split_half_ns);
	PUT(v, closure_ns);
	PUT(v, placement_ns);
	PUT(v, slab.fast_ns);
	PUT(v, slab.slow_ns);
	PUT(v, slab.slow_pct);
	PUT(v, slab.samples);
	PUT(v, stacks.nrows);
	for (size_t i = 0; i < PLACEMENT_PLACES; i++) {
		PUT(v, shares[i].blocks);
		PUT(v, shares[i].base_ns);
	}
	fputs("\nstage", out);
	PUT(v, stage.by_task);
	PUT(v, stage.ns);
	PUT(v, stage.half_ns);
	put_two("ci95", v->stage.ci95_ns);
	PUT(v, stage.redirected);
	PUT(v, stage.frames);
	PUT(v, stage.dropped);
	PUT(v, stage.dropped_pct);
	PUT(v, stage.missing);
	fputs("\n", out);
}

static inline void put_variant(const struct analysis_variant *v)
{
	fprintf(out, "\n%s\n", v->variant->id);
	put_costs(v);
	put_samples(v);
	for (size_t i = 0; i < v->nblocks; i++)
		put_block(&v->blocks[i]);
	put_rows("facility", v->facilities, v->nfacilities, v->nused);
	put_rows("symbol", v->symbols, v->nsymbols, v->nused);
	put_parts(v);
	put_turns(&v->turns);
	put_quality(&v->quality);
	if (v->stage.task) {
		fputs("the second stage's task\n", out);
		put_costs(v->stage.task);
		put_samples(v->stage.task);
		put_rows("symbol", v->stage.task->symbols, v->stage.task->nsymbols, 0);
	}
}

static inline void put_speed(const struct speed *s)
{
	fputs("speed", out);
	PUT(s, known);
	PUT(s, stall_ns);
	PUT(s, run_s);
	PUT(s, aside_s);
	PUT(s, nstalls);
	PUT(s, stalls_s);
	PUT(s, factor);
	PUT(s, by);
	PUT(s, moved);
	PUT(s, probe_factor);
	PUT(s, nspans);
	PUT(s, nbunches);
	fputs("\n", out);
}

static inline void put_headline(const struct compare_headline *h)
{
	PUT(h, base_ns);
	PUT(h, new_ns);
	PUT(h, delta_ns);
	PUT(h, half_ns);
	put_two("ci95", h->ci95_ns);
	PUT(h, p);
	PUT(h, se_ns);
	PUT(h, df);
	PUT(h, paired);
	PUT(h, trimmed);
	PUT(h, npairs);
	PUT(h, nkept);
	PUT(h, mean_ns);
	PUT(h, mean_half_ns);
	PUT(h, speed_shared);
	PUT(h, ratio);
	PUT(h, ratio_half);
	PUT(h, all_ns);
	PUT(h, all_half_ns);
	fputs("\n", out);
}

static inline void put_changes(const char *kind, const struct compare_row *rows, size_t n)
{
	for (size_t i = 0; i < n && i < 12; i++) {
		const struct compare_row *row = &rows[i];

		fprintf(out, "%s %s in %s: %s%s", kind, row->name, row->facility, compare_class_name(row->class),
			row->significant ? " significant" : "");
		PUT(row, base_samples);
		PUT(row, new_samples);
		PUT(row, base_ns);
		PUT(row, new_ns);
		PUT(row, delta_ns);
		PUT(row, half_ns);
		put_two("ci95", row->ci95_ns);
		PUT(row, p);
		PUT(row, q);
		fputs("\n", out);
	}
}

static inline void put_comparison(const struct analysis_variant *base, const struct analysis_variant *new)
{
	struct compare c;

	compare(&c, base, new);
	fprintf(out, "\n%s against %s\n", new->variant->id, base->variant->id);
	put_headline(&c.headline);
	for (size_t i = 0; i < c.pairs.n; i++) {
		PUT(&c.pairs, delta_ns[i]);
		PUT(&c.pairs, speed[i]);
	}
	put("noise", c.pairs.shared ? c.pairs.noise : NAN);
	put("unlike", c.pairs.shared ? c.pairs.unlike : NAN);
	PUT(&c, planted_ns);
	PUT(&c, planted_half_ns);
	PUT(&c, planted_off_ns);
	PUT(&c, planted_off_half_ns);
	PUT(&c, sum_delta_ns);
	PUT(&c, base_unattributed_ns);
	PUT(&c, new_unattributed_ns);
	PUT(&c, unattributed_delta_ns);
	PUT(&c, unattributed_half_ns);
	PUT(&c, residual_ns);
	PUT(&c, residual_half_ns);
	fputs("\n", out);
	put_changes("facility", c.facilities, c.nfacilities);
	put_changes("symbol", c.symbols, c.nsymbols);
	for (size_t i = 0; i < c.nevents; i++) {
		fprintf(out, "event %s", c.events[i].name);
		PUT(&c.events[i], base);
		PUT(&c.events[i], new);
		PUT(&c.events[i], delta);
		PUT(&c.events[i], half);
		PUT(&c.events[i], p);
		PUT(&c.events[i], running_pct);
		fputs("\n", out);
	}
	for (size_t i = 0; i < c.ncounters; i++) {
		fprintf(out, "counter %s%s", c.counters[i].name, c.counters[i].matters ? " matters" : "");
		PUT(&c.counters[i], base);
		PUT(&c.counters[i], new);
		PUT(&c.counters[i], delta);
		fputs("\n", out);
	}
	for (size_t i = 0; i < c.quality.nrows; i++) /* the comparison's own come first */
		if (c.quality.rows[i].variant[0])
			c.quality.nrows = i;
	put_quality(&c.quality);
	compare_release(&c);
}

#endif
