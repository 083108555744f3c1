// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/analysis.h"

#define OVERHEAD_PART 1.5

#define GATE(gate, ...) [QUALITY_##gate] = {__VA_ARGS__},
const struct quality_rule quality_rules[QUALITY_GATES] = {
#include "reports/analysis/quality_rules.def"
};

static int gate_by_name(const char *name, size_t len)
{
	for (int i = 0; i < QUALITY_GATES; i++)
		if (strlen(quality_rules[i].name) == len && !memcmp(quality_rules[i].name, name, len))
			return i;
	return -1;
}

const struct quality_rule *quality_rule_find(const char *gate)
{
	int i = gate_by_name(gate, strlen(gate));

	return i < 0 ? NULL : &quality_rules[i];
}

int quality_limits_parse(struct quality_limits *l, const char *text, struct diag *d)
{
	const char *equals = strchr(text, '=');
	char *end = NULL;
	double limit;
	int gate;

	gate = equals ? gate_by_name(text, (size_t)(equals - text)) : -1;
	if (gate < 0)
		return diag_set(d, -EINVAL,
				"\"%.64s\" is not a limit; one is written CHECK=NUMBER, for instance overhead=5", text);
	limit = strtod(equals + 1, &end);
	if (end == equals + 1 || *end || !isfinite(limit) || limit < 0)
		return diag_set(d, -EINVAL, "limit \"%.64s\": not a number from 0 up", text);
	l->given[gate] = true;
	l->limit[gate] = limit;
	return 0;
}

double quality_limit(const struct quality_limits *l, enum quality_gate gate)
{
	return l->given[gate] ? l->limit[gate] : quality_rules[gate].limit;
}

static void derive(struct quality_limits *l, enum quality_gate gate, double limit)
{
	if (l->given[gate])
		return;
	l->given[gate] = true;
	l->limit[gate] = limit;
}

/*
 * A recording may spend its budget, and costs scatter around that; what is half as much again as was allowed is too
 * much. Functions add up to the base times (1 + overhead) times the part of the busy time that has samples.
 */
void quality_limits_derive(struct quality_limits *l, double budget_pct)
{
	double closure_pct;

	derive(l, QUALITY_OVERHEAD, fmax(quality_rules[QUALITY_OVERHEAD].limit, OVERHEAD_PART * budget_pct));
	closure_pct = quality_limit(l, QUALITY_OVERHEAD) + quality_limit(l, QUALITY_SAMPLED_BUSY);
	derive(l, QUALITY_CLOSURE, closure_pct);
	derive(l, QUALITY_CLOSURE_ALIKE, closure_pct);
}

static bool within(const struct quality_rule *rule, double value, double limit)
{
	if (isnan(value))
		return rule->is & MAY_BE_UNKNOWN;
	return rule->is & AT_LEAST ? value >= limit : value <= limit;
}

/* The row without a verdict yet; NULL: no memory, now or before. */
static struct quality_row *begin_row(struct quality *q, const struct quality_limits *l, enum quality_gate gate,
				     const char *variant, double value)
{
	const struct quality_rule *rule = &quality_rules[gate];
	struct quality_row *row = q->err ? NULL : array_add(&q->rows, &q->nrows, sizeof(*q->rows));

	if (!row) {
		q->err = -ENOMEM;
		return NULL;
	}
	*row = (struct quality_row){.gate = rule->name, .unit = rule->unit, .value = value, .half = NAN, .side = ""};
	row->at_least = rule->is & AT_LEAST;
	row->limit = quality_limit(l, gate);
	snprintf(row->variant, sizeof(row->variant), "%s", variant);
	return row;
}

static void quality_judge(struct quality_row *row, enum quality_gate gate, bool ok)
{
	size_t len = strlen(row->note);

	row->ok = ok;
	row->tell = quality_rules[gate].is & TELLING && len;
	if (!ok)
		snprintf(row->note + len, sizeof(row->note) - len, "%s%s", len ? "; " : "", quality_rules[gate].advice);
}

int quality_add(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		double value, const char *note, ...)
{
	struct quality_row *row = begin_row(q, l, gate, variant, value);
	va_list ap;

	if (row) {
		va_start(ap, note);
		vsnprintf(row->note, sizeof(row->note), note, ap);
		va_end(ap);
		quality_judge(row, gate, within(&quality_rules[gate], value, row->limit));
	}
	return q->err;
}

int quality_add_unknown(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant)
{
	struct quality_row *row = begin_row(q, l, gate, variant, NAN);

	if (row)
		row->ok = true;
	return q->err;
}

int quality_add_spread(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		       double value, double half)
{
	const struct quality_rule *rule = &quality_rules[gate];
	struct quality_row *row = begin_row(q, l, gate, variant, value);
	double reach = isnan(half) ? 0 : rule->is & AT_LEAST ? half : -half;
	bool ok;

	if (!row)
		return q->err;
	ok = within(rule, value + reach, row->limit);
	row->half = half;
	row->open = ok && !isnan(value) && (isnan(half) || !within(rule, value - reach, row->limit));
	if (row->open && isnan(half))
		snprintf(row->note, sizeof(row->note),
			 "%.1f %s of one block; inconclusive: one block against a limit of %g", value, rule->unit,
			 row->limit);
	else if (row->open)
		snprintf(row->note, sizeof(row->note), "%.1f ± %.1f %s; inconclusive against the limit of %g", value,
			 half, rule->unit, row->limit);
	else if (!isnan(half))
		snprintf(row->note, sizeof(row->note), "± %.1f %s", half, rule->unit);
	quality_judge(row, gate, ok);
	row->tell |= row->open;
	return 0;
}

void quality_leave_open(struct quality *q)
{
	if (!q->err)
		q->rows[q->nrows - 1].open = q->rows[q->nrows - 1].tell = true;
}

void quality_explain(struct quality *q, const char *words)
{
	char *note = q->err ? NULL : q->rows[q->nrows - 1].note, was[sizeof(q->rows->note)];

	if (!note || !*words)
		return;
	memcpy(was, note, sizeof(was));
	if ((size_t)snprintf(note, sizeof(was), "%s%s", words, *was ? "; " : "") < sizeof(was))
		strncat(note, was, sizeof(was) - strlen(note) - 1);
}

const char *const quality_verdict_names[] = {
	[QUALITY_HOLDS] = "passed",
	[QUALITY_NOT_KNOWN] = "not available",
	[QUALITY_CANNOT_TELL] = "inconclusive",
	[QUALITY_FAILS] = "failed",
};

int quality_append(struct quality *q, const struct quality *from, const char *side)
{
	for (size_t i = 0; i < from->nrows && !q->err; i++) {
		struct quality_row *row = array_add(&q->rows, &q->nrows, sizeof(*q->rows));

		if (row)
			*row = from->rows[i], row->side = side;
		else
			q->err = -ENOMEM;
	}
	return q->err;
}

enum quality_verdict quality_verdict(const struct quality_row *row)
{
	if (!row->ok)
		return QUALITY_FAILS;
	if (isnan(row->value))
		return QUALITY_NOT_KNOWN;
	if (row->open || (row->at_least ? row->value < row->limit : row->value > row->limit))
		return QUALITY_CANNOT_TELL;
	return QUALITY_HOLDS;
}

size_t quality_failed(const struct quality *q)
{
	size_t failed = 0;

	for (size_t i = 0; i < q->nrows; i++)
		failed += !q->rows[i].ok;
	return failed;
}

void quality_name_failed(const struct quality *q, char *text, size_t size)
{
	for (size_t i = 0; i < q->nrows; i++)
		if (!q->rows[i].ok)
			snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", *text ? ", " : "",
				 q->rows[i].gate, *q->rows[i].variant ? " of " : "", q->rows[i].variant);
}

bool quality_is_first(const struct quality *q, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(q->rows[i].gate, q->rows[row].gate))
			return false;
	return true;
}

void quality_release(struct quality *q)
{
	free(q->rows);
	*q = (struct quality){0};
}
