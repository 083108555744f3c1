// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/checks.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *unit;
	double limit;
	bool at_least;
} rules[CHECKS] = {
	[CHECK_AA_MISSES] = {"a/a misses", "%", 9, false},
	[CHECK_AA_WIDE] = {"a/a misses, at least", "%", 2, true},
	[CHECK_PLANTED] = {"planted cost, off by", "ns", 1.5, false},
	[CHECK_PLANTED_FACILITY] = {"of it in BPF program", "%", 90, true},
	[CHECK_CLOSURE] = {"closure residual", "% of base", 0.5, false},
	[CHECK_SAMPLED_BUSY] = {"samples - busy time", "%", 2, false},
	[CHECK_TEST_RUN] = {"profile - test run", "ns", 1.5, false},
	[CHECK_BPF_STATS] = {"BPF stats - test run", "ns", 1.5, false},
	[CHECK_OVERHEAD] = {"profiling overhead", "%", 2, false},
	[CHECK_PROBES] = {"probes' overhead", "%", 2, false},
	[CHECK_COUNTERS] = {"counting costs", "ns", 1, false},
};

static enum check_verdict judge(const struct check_row *row)
{
	double spread = isnan(row->spread) ? 0 : row->spread;

	if (isnan(row->value))
		return CHECK_MISSED;
	if (row->at_least ? row->value >= row->limit : row->value <= row->limit)
		return spread <= row->limit ? CHECK_HELD : CHECK_UNSURE;
	if (row->at_least ? row->value + spread < row->limit : row->value - spread > row->limit)
		return CHECK_MISSED;
	return CHECK_UNSURE;
}

int checks_add(struct checks *c, enum check check, const char *of, double value, double spread, double limit,
	       const char *note, ...)
{
	struct check_row *bigger = reallocarray(c->rows, c->nrows + 1, sizeof(*bigger)), *row;
	va_list ap;

	if (!bigger)
		return -ENOMEM;
	c->rows = bigger;
	row = &c->rows[c->nrows++];
	*row = (struct check_row){.check = rules[check].name,
				  .unit = rules[check].unit,
				  .value = value,
				  .spread = spread,
				  .limit = isnan(limit) ? rules[check].limit : limit,
				  .at_least = rules[check].at_least};
	row->verdict = judge(row);
	snprintf(row->of, sizeof(row->of), "%s", of);
	va_start(ap, note);
	vsnprintf(row->note, sizeof(row->note), note, ap);
	va_end(ap);
	return 0;
}

size_t checks_count(const struct checks *c, enum check_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows; i++)
		n += c->rows[i].verdict == verdict;
	return n;
}

void checks_release(struct checks *c)
{
	free(c->rows);
	memset(c, 0, sizeof(*c));
}

double checks_planted_limit_ns(double plant_ns)
{
	return fmax(0.05 * plant_ns, rules[CHECK_PLANTED].limit);
}
