// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/analysis.h"

static const struct {
	const char *name, *unit;
	double limit;
	bool at_least;
} rules[CHECKS] = {
	[CHECK_AA_MISSES] = {"a/a misses", "%", 9, false},
	[CHECK_AA_WIDE] = {"a/a misses, at least", "%", 2, true},
	[CHECK_INJECTED] = {"injected cost, off by", "ns", 0.5, false},
	[CHECK_INJECTED_COMPONENT] = {"of it in BPF program", "%", 90, true},
	[CHECK_CLOSURE] = {"unattributed", "% of base", 5, false},
	[CHECK_SAMPLED_BUSY] = {"samples - busy time", "%", 2, false},
	[CHECK_INJECTED_PROFILE] = {"profile - injected", "ns", 1.5, false},
	[CHECK_OVERHEAD] = {"profiling overhead", "%", 2, false},
};

int checks_add(struct checks *c, enum check check, const char *of, double value, double spread, double limit,
	       const char *note, ...)
{
	struct check_row *row = c->rows, *bigger;
	double weight, reach;
	va_list ap;

	while (row < c->rows + c->nrows && (strcmp(row->check, rules[check].name) || strcmp(row->of, of)))
		row++;
	if (row == c->rows + c->nrows) {
		bigger = reallocarray(c->rows, c->nrows + 1, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		c->rows = bigger;
		row = &c->rows[c->nrows++];
		*row = (struct check_row){.value = NAN};
	}
	if (isnan(value) && !isnan(row->value))
		return 0;
	weight = 1 / (1 + pow(spread / row->spread, 2)); /* of what is new */
	if (!isnan(weight * value * row->value)) {
		value = weight * value + (1 - weight) * row->value;
		spread *= sqrt(weight);
	}
	row->check = rules[check].name;
	row->unit = rules[check].unit;
	row->value = value;
	row->spread = spread;
	row->limit = isnan(limit) ? rules[check].limit : limit;
	row->at_least = rules[check].at_least;
	value = row->at_least ? value : fabs(value);
	reach = isnan(spread) ? 0 : spread;
	if (row->at_least ? value - reach >= row->limit : value + reach <= row->limit)
		row->verdict = CHECK_HELD;
	else
		row->verdict = (row->at_least ? value + reach < row->limit : value - reach > row->limit) ? CHECK_MISSED
													 : CHECK_OPEN;
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

double checks_injected_limit_ns(enum check check, double injected_ns)
{
	return fmax((check == CHECK_INJECTED ? 0.02 : 0.05) * injected_ns, rules[check].limit);
}
