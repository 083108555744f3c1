// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers of the windows that are not part of the cost: polls, steal, frequency, waits and the trend.
 */
#include "reports/analysis/analysis.h"

/* Fills trend and drift_pct: does the cost change while a block runs? */
static int fit_trend(struct analysis_variant *v)
{
	size_t room = variant_windows(v) + 1, n = 0, *group = calloc(room, sizeof(*group));
	double *x = calloc(room, sizeof(*x)), *y = calloc(room, sizeof(*y)), spans = 0;
	int err = -ENOMEM;

	if (!group || !x || !y)
		goto out;
	for (size_t i = 0; i < v->nused; i++) {
		const struct run_block *b = v->used[i]->block;
		size_t first = n;

		for (size_t k = 0; k < b->nwindows; k++) {
			if (b->windows[k].kind != RUN_BASE)
				continue;
			group[n] = i;
			x[n] = ((double)(b->windows[k].from_ns - b->windows[0].from_ns) +
				(double)(b->windows[k].to_ns - b->windows[0].from_ns)) /
			       2e9;
			/* How much the cost in the window differs from that in its block, in percent of the latter. */
			const struct run_window *w = &b->windows[k];
			double packets = run_window_packets(w), cost;
			if (!isnan(w->busy_ns))
				cost = w->busy_ns / packets / (v->used[i]->busy_ns / v->used[i]->packets);
			else
				cost = run_window_ns(w) / packets / (v->used[i]->span_ns / v->used[i]->packets);
			y[n] = 100 * (cost - 1);
			if (isfinite(y[n]))
				n++;
		}
		spans += n > first ? x[n - 1] - x[first] : 0;
	}
	err = stats_trend(x, y, group, n, &v->trend);
	v->drift_pct = v->nused ? v->trend.slope * spans / (double)v->nused : NAN;
	v->drift_half_pct = stats_t95(v->trend.df) * v->trend.se * spans / (double)v->nused;
out:
	free(y);
	free(x);
	free(group);
	return err;
}

int variant_add_windows(struct analysis_variant *v)
{
	/* Fills waits, polls, steal and frequency. */
	double packets = 0, polls = 0, found[RUN_POLL_HIST] = {0}, steal_ns = 0, steal_span_ns = 0;
	double freq_sum = 0, freq_n = 0, freq_lo = INFINITY, freq_hi = 0, waits_ns = 0, base_packets = 0;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_window *w = &v->used[i]->block->windows[k];

			if (w->kind == RUN_BASE) {
				waits_ns += w->waits_ns;
				base_packets += run_window_packets(w);
			}
			if (w->has_polls) {
				packets += (double)w->poll_packets;
				polls += (double)(w->polls - w->polls_empty);
				for (int h = 0; h < RUN_POLL_HIST; h++)
					found[h] += (double)w->poll_hist[h];
			}
			if (!isnan(w->steal_ns)) {
				steal_ns += w->steal_ns;
				steal_span_ns += (double)(w->to_ns - w->from_ns);
			}
			if (w->freq_khz > 0) {
				freq_sum += w->freq_khz;
				freq_n++;
				freq_lo = fmin(freq_lo, w->freq_khz);
				freq_hi = fmax(freq_hi, w->freq_khz);
			}
		}
	v->waits_ns = base_packets > 0 ? waits_ns / base_packets : NAN;
	v->packets_per_poll = polls > 0 ? packets / polls : NAN;
	v->polls = 0;
	for (int h = 0; h < RUN_POLL_HIST; h++)
		v->polls += found[h];
	for (int h = 0; h < RUN_POLL_HIST && v->polls > 0; h++)
		v->poll_pct[h] = found[h] * (100 / v->polls);
	v->steal_pct = steal_span_ns > 0 ? 100 * steal_ns / steal_span_ns : NAN;
	v->freq_khz = freq_n > 0 ? freq_sum / freq_n : NAN;
	v->freq_spread_pct = freq_n > 0 ? 100 * (freq_hi - freq_lo) / v->freq_khz : NAN;
	return fit_trend(v);
}
