// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/between.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/stats.h"
#include "reports/compare/compare.h"

struct between between_default(double given_pct)
{
	if (given_pct >= 0)
		return (struct between){BETWEEN_GIVEN, given_pct, 0};
	return (struct between){BETWEEN_ASSUMED, BETWEEN_ASSUMED_PCT, 0};
}

struct between between_fit(const double *base_ns, const char *const *variant, size_t n, struct between otherwise)
{
	double squares = 0, freedom = 0;
	size_t most = 0;

	for (size_t from = 0, to; from < n; from = to) {
		double sum = 0;

		for (to = from; to < n && !strcmp(variant[to], variant[from]); to++)
			sum += log(base_ns[to]);
		sum /= (double)(to - from);
		for (size_t i = from; i < to; i++)
			squares += (log(base_ns[i]) - sum) * (log(base_ns[i]) - sum);
		freedom += (double)(to - from - 1);
		most = to - from > most ? to - from : most;
	}
	if (most < BETWEEN_RUNS)
		return otherwise;
	return (struct between){BETWEEN_MEASURED, 100 * sqrt(squares / freedom), most};
}

void between_widen(struct compare_headline *h, const struct between *b)
{
	double level_ns = (h->base_ns + h->new_ns) / 2, se = sqrt(2) * b->sd_pct / 100 * level_ns;
	struct stats_difference d = {.delta = h->delta_ns, .se = h->se_ns, .df = h->df};
	double all = hypot(se, h->se_ns);

	if (isnan(h->half_ns) || !(se > 0))
		return;
	if (b->source >= BETWEEN_MEASURED && se <= h->se_ns)
		return;
	if (b->source >= BETWEEN_MEASURED) {
		d.se = se;
		d.df = (double)b->runs - 1;
	} else { /* Satterthwaite: nothing was estimated of the second part */
		d.se = all;
		d.df = h->se_ns > 0 ? h->df * pow(all / h->se_ns, 4) : 1e6;
	}
	d = stats_test(d);
	h->half_ns = d.half;
	h->ci95_ns[0] = d.delta - d.half;
	h->ci95_ns[1] = d.delta + d.half;
	h->p = d.p;
}

double between_half(const struct compare_headline *h, const struct between *b)
{
	return hypot(h->half_ns, STATS_Z95 * b->sd_pct / 100 * hypot(h->base_ns, h->new_ns));
}

const char *between_words(const struct between *b, char *buf, size_t size)
{
	char source[64] = "assumed";

	if (b->source == BETWEEN_MEASURED)
		snprintf(source, sizeof(source), "by %zu runs of the history", b->runs);
	else if (b->source == BETWEEN_SIDES)
		snprintf(source, sizeof(source), "by the runs of both sides");
	else if (b->source == BETWEEN_GIVEN)
		snprintf(source, sizeof(source), "as given");
	snprintf(buf, size, "%.2g %% of the base from run to run (standard deviation), %s", b->sd_pct, source);
	return buf;
}
