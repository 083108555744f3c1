// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

/* Sum of squares of the logarithms around their mean. */
static double squares_of(const double *x, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		mean += log(x[i]) / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (log(x[i]) - mean) * (log(x[i]) - mean);
	return sum;
}

struct compare_runs compare_runs_of(const double *base, size_t nbase, const double *new, size_t nnew, bool paired)
{
	struct compare_runs r = {.nbase = nbase, .nnew = nnew, .paired = paired, .sd_pct = NAN};
	double na = (double)nbase, nb = (double)nnew;
	struct stats_difference d;

	r.base_ns = stats_mean(base, nbase).mean;
	r.new_ns = stats_mean(new, nnew).mean;
	r.delta_ns = r.new_ns - r.base_ns;
	d = (struct stats_difference){.delta = r.delta_ns, .se = NAN, .df = na + nb - 2};
	if (!paired && d.df > 0) {
		double sd = sqrt((squares_of(base, nbase) + squares_of(new, nnew)) / d.df);

		r.sd_pct = 100 * sd;
		d.se = sd * sqrt(r.base_ns * r.base_ns / na + r.new_ns * r.new_ns / nb);
	}
	d = paired ? stats_paired(base, new, nbase) : stats_test(d);
	r.half_ns = d.half;
	r.ci95_ns[0] = r.delta_ns - d.half;
	r.ci95_ns[1] = r.delta_ns + d.half;
	r.p = d.p;
	return r;
}

const char *compare_runs_words(const struct compare_runs *r, char *buf, size_t size)
{
	if (r->paired)
		snprintf(buf, size,
			 "%zu runs with both: %.1f and %.1f ns on average. The interval is that of the differences of "
			 "these runs; the tables are of the first one",
			 r->nbase, r->base_ns, r->new_ns);
	else
		snprintf(buf, size,
			 "%zu and %zu runs: %.1f and %.1f ns on average. A base differs by %.2g %% from run to run "
			 "(standard deviation of these runs), and the interval knows that; the tables are of the first "
			 "run of each side",
			 r->nbase, r->nnew, r->base_ns, r->new_ns, r->sd_pct);
	return buf;
}
