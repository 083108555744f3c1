// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/quality.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct quality_rule quality_rules[QUALITY_GATES] = {
	[QUALITY_MODE] = {"mode", "blocks", 0, false, false, false,
			  "the kernel ran another mode than the one asked for; these blocks do not "
			  "measure the variant",
			  "blocks (#) ran in another mode than the one asked for",
			  "the cost is not that of the mode it is named after", true},
	[QUALITY_SATURATION] = {"saturation", "% busy", 97, true, false, true,
				"give the generator more load; until then the cost rests on busy time "
				"and on smaller polls",
				"the CPU was only # % busy",
				"a CPU that pauses polls for fewer packets, and each may cost more"},
	[QUALITY_RATE] = {"rate", "%", 2, false, true, false,
			  "the rate of a busy CPU and its busy time contradict each other; use longer "
			  "windows",
			  "busy time and packet rate differ by # %", "the cost is not known better than that"},
	[QUALITY_PLACEMENT] = {"placement", "% of blocks alike", 100, true, true, true,
			       "near and far blocks are mixed in these numbers; record more blocks, or "
			       "pick one placement",
			       "only # % of the blocks ran at one distance between the CPUs",
			       "the cost is a mix of near and far CPUs"},
	[QUALITY_CPUS] = {"cpus", "CPUs", 0, false, false, false,
			  "packets were processed on other CPUs than those measured; check the "
			  "queues' affinity",
			  "packets were processed on other CPUs than those measured",
			  "their work is missing from the cost"},
	[QUALITY_OVERHEAD] = {"overhead", "%", 2, false, true, false,
			      "profiling slows the path down; lower the sampling rate",
			      "profiling slowed the path down by # %",
			      "the cost was measured without it, but its facilities may be off by as much"},
	[QUALITY_LOST_SAMPLES] = {"lost-samples", "%", 1, false, true, false,
				  "perf lost samples; lower the sampling rate or give perf more memory",
				  "perf lost # % of its samples", "the facilities may be off by as much"},
	[QUALITY_SAMPLED_BUSY] = {"sampled-busy", "%", 2, false, true, false,
				  "the samples do not account for the CPU's busy time, so shares may be "
				  "wrong; use longer profiled windows, and more blocks where the load "
				  "comes at regular intervals: samples then keep step with it",
				  "the samples are # % off the CPU's busy time",
				  "the facilities may be off by as much"},
	[QUALITY_CONSERVATION] = {"conservation", "packets", 0, false, true, false,
				  "packets got lost or came from elsewhere without a counter that says "
				  "so; check the device's statistics",
				  "packets (#) that no counter explains got lost or came from elsewhere",
				  "do not trust the packet rate", true},
	[QUALITY_STRAY] = {"stray", "% of packets", 0.1, false, true, false,
			   "packets that nobody generated are in the numbers; quiet the link",
			   "# % of the packets did not come from the generator", "the cost is also theirs"},
	[QUALITY_TX_RETURNED] = {"tx-returned", "frames missing", 0, false, true, false,
				 "the frames did not leave, so this is not the cost of sending them; the "
				 "peer may lack what takes them, an XDP program on veth",
				 "frames (#) did not leave", "this is not the cost of sending them", true},
	[QUALITY_SECOND_STAGE] = {"second-stage", "frames missing", 0, false, true, false,
				  "redirected frames neither arrived nor were counted as dropped, so this may not "
				  "be the cost of redirecting them",
				  "redirected frames (#) neither arrived nor were dropped",
				  "this may not be the cost of redirecting them", true},
	[QUALITY_STAGE_DROPS] = {"second-stage-drops", "% of frames", 1, false, true, false,
				 "the second stage does not keep up, and a frame that is dropped costs other "
				 "than one that goes on; send less (--rate) or give it a CPU of its own",
				 "the second stage dropped # % of the frames",
				 "a dropped frame costs something else than one that goes on"},
	[QUALITY_STAGE_PACE] = {"second-stage-pace", "% busy", 97, true, false, true,
				"the cost rests on busy time, and without pause it may be another; give the second "
				"stage a CPU of its own (--stage-cpu)",
				"the CPU was only # % busy, as it waited for the second stage",
				"without these waits the cost may be another"},
	[QUALITY_STEAL] = {"steal", "%", 1, false, true, false,
			   "other guests took time of this CPU; measure when the host is quiet",
			   "other guests took # % of the CPU's time", "the cost scatters more, and may be too high"},
	[QUALITY_FREQUENCY] = {"frequency", "%", 2, false, true, false,
			       "the CPU changed its clock; use the performance governor and fix the "
			       "frequency",
			       "the CPU changed its clock by # %", "the cost changed with it"},
	[QUALITY_DRIFT] = {"drift", "%", 2, false, true, false, "the cost moves within a block; use a longer warm-up",
			   "the cost moved by # % within a block", "after a longer warm-up it may be another"},
	[QUALITY_OUTLIERS] = {"outliers", "% of blocks", 15, false, true, false,
			      "something disturbs single blocks; they are kept, look at them",
			      "# % of the blocks are far from the others",
			      "they are in the cost, and widen its interval"},
	[QUALITY_BLOCKS] = {"blocks", "blocks", 6, true, false, true,
			    "the interval rests on too few blocks; record more", "there are too few blocks (#)",
			    "the interval of the cost is rough", true},
	[QUALITY_ENDED] = {"ended", "", 0, false, false, false, "the run is not whole; record it again",
			   "the recording stopped before its end",
			   "there are fewer blocks, so the intervals are wider"},
	[QUALITY_APART] = {"apart", "CPUs shared", 0, false, true, false,
			   "the generator runs on the CPU that is measured; give it one of its "
			   "own (--gen-cpu)",
			   "the generator ran on the CPU that was measured",
			   "its work may be in the cost, and it slows down what is measured"},
	[QUALITY_PAIRS] = {"pairs", "pairs", 6, true, false, true,
			   "the difference rests on too few blocks; record more",
			   "there are too few blocks to compare (#)", "the interval of the difference is rough", true},
	[QUALITY_SYMBOL_BLOCKS] = {"symbol-blocks", "blocks", 12, true, false, false,
				   "tests of single symbols rest on too few blocks; read them as hints",
				   "there are too few blocks (#)", "read the differences of single facilities as hints",
				   true},
	[QUALITY_POLLS_ALIKE] = {"polls-alike", "%", 10, false, true, false,
				 "the two handle different numbers of packets per poll, which alone "
				 "changes the cost; load both alike",
				 "one side found # % more packets in each poll",
				 "a part of the difference is due to that alone"},
	[QUALITY_REFUSED_ALIKE] = {"refused-alike", "% of frames", 5, false, true, false,
				   "the receiver's ring refused frames of one more than of the other, and a full ring "
				   "costs both sides; send at a rate that both can take (--rate)",
				   "the receiver's full ring refused # % more frames of one side",
				   "a part of the difference is due to that alone"},
	[QUALITY_PLACEMENT_ALIKE] = {"placement-alike", "times as far", 1.5, false, true, false,
				     "the CPUs were not equally far apart; pick one placement for both",
				     "the CPUs were # times as far apart on one side",
				     "a part of the difference is due to that alone"},
	[QUALITY_CPUS_ALIKE] = {"cpus-alike", "CPUs", 0, false, false, false,
				"the two ran on different numbers of CPUs",
				"the two sides ran on different numbers of CPUs", "do not compare them"},
	[QUALITY_FREQUENCY_ALIKE] = {"frequency-alike", "%", 2, false, true, false,
				     "the CPU's clock was not the same for both; fix the frequency",
				     "the CPU's clock differed by # %",
				     "a part of the difference is due to that alone"},
	[QUALITY_EVENT_ALIKE] = {"event-alike", "", 0, false, false, false,
				 "the two rest on different perf events; record both with the same",
				 "the two sides were profiled with different events",
				 "do not compare their facilities"},
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
				"\"%.64s\" is not a limit; one is written GATE=NUMBER, for "
				"instance overhead=5",
				text);
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

static struct quality_row *add_row(struct quality *q)
{
	struct quality_row *bigger;

	if ((q->nrows & (q->nrows - 1)) == 0) { /* room is the power of two above nrows */
		bigger = reallocarray(q->rows, q->nrows ? 2 * q->nrows : 1, sizeof(*bigger));
		if (!bigger)
			return NULL;
		q->rows = bigger;
	}
	return &q->rows[q->nrows++];
}

static bool within(const struct quality_rule *rule, double value, double limit)
{
	if (isnan(value))
		return rule->may_be_unknown;
	return rule->at_least ? value >= limit : value <= limit;
}

/* The row without a verdict yet. NULL: no memory. */
static struct quality_row *begin_row(struct quality *q, const struct quality_limits *l, enum quality_gate gate,
				     const char *variant, double value)
{
	const struct quality_rule *rule = &quality_rules[gate];
	struct quality_row *row = add_row(q);

	if (!row)
		return NULL;
	*row = (struct quality_row){.gate = rule->name, .unit = rule->unit, .value = value, .at_least = rule->at_least};
	row->limit = quality_limit(l, gate);
	snprintf(row->variant, sizeof(row->variant), "%s", variant);
	return row;
}

static void judge(struct quality_row *row, enum quality_gate gate, bool ok)
{
	size_t len = strlen(row->note);

	row->ok = ok;
	row->tell = quality_rules[gate].telling && len;
	if (!ok)
		snprintf(row->note + len, sizeof(row->note) - len, "%s%s", len ? "; " : "", quality_rules[gate].advice);
}

int quality_add(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		double value, const char *note, ...)
{
	struct quality_row *row = begin_row(q, l, gate, variant, value);
	va_list ap;

	if (!row)
		return -ENOMEM;
	va_start(ap, note);
	vsnprintf(row->note, sizeof(row->note), note, ap);
	va_end(ap);
	judge(row, gate, within(&quality_rules[gate], value, row->limit));
	return 0;
}

int quality_add_spread(struct quality *q, const struct quality_limits *l, enum quality_gate gate, const char *variant,
		       double value, double half)
{
	const struct quality_rule *rule = &quality_rules[gate];
	struct quality_row *row = begin_row(q, l, gate, variant, value);
	double best = isnan(half) ? value : rule->at_least ? value + half : value - half;
	bool unsure;

	if (!row)
		return -ENOMEM;
	unsure = !within(rule, value, row->limit) && within(rule, best, row->limit);
	if (unsure)
		snprintf(row->note, sizeof(row->note),
			 "%.1f ± %.1f %s; these blocks cannot tell whether that is beyond %g", value, half, rule->unit,
			 row->limit);
	else if (!isnan(half))
		snprintf(row->note, sizeof(row->note), "± %.1f %s", half, rule->unit);
	judge(row, gate, within(rule, best, row->limit));
	row->tell |= unsure;
	return 0;
}

int quality_append(struct quality *q, const struct quality *from)
{
	struct quality_row *row;

	for (size_t i = 0; i < from->nrows; i++) {
		row = add_row(q);
		if (!row)
			return -ENOMEM;
		*row = from->rows[i];
	}
	return 0;
}

enum quality_verdict quality_verdict(const struct quality_row *row)
{
	if (!row->ok)
		return QUALITY_FAILS;
	if (isnan(row->value))
		return QUALITY_NOT_KNOWN;
	if (row->at_least ? row->value < row->limit : row->value > row->limit)
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

void quality_release(struct quality *q)
{
	free(q->rows);
	q->rows = NULL;
	q->nrows = 0;
}
