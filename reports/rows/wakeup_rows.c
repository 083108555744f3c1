// SPDX-License-Identifier: GPL-2.0-or-later
/* What waking up costs: known for a point of a sweep over rates, else a sentence where it is in the base. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/sheet/digits.h"
#include "reports/rows/report_parts.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const struct column wakeup_columns[] = {
	{"asleep_pct", NULL, CELL_NUMBER, IN_JSON},   {"points", NULL, CELL_COUNT, IN_JSON},
	{"poll_ns", NULL, CELL_NUMBER, IN_JSON},      {"poll_half_ns", NULL, CELL_NUMBER, IN_JSON},
	{"full_poll_ns", NULL, CELL_NUMBER, IN_JSON}, {"full_poll_half_ns", NULL, CELL_NUMBER, IN_JSON},
	{"in_base_ns", NULL, CELL_NUMBER, IN_JSON},
};

/* To two digits. */
static double round_rate(double pps)
{
	double step = pow(10, floor(log10(fmax(10, pps))) - 1);

	return fmax(1, round(pps / step) * step);
}

static void unknown_words(struct rows *r, const struct analysis_variant *v)
{
	const struct run *run = v->of->run;
	const char *load = run->load ? json_string_value(json_object_get(run->load, "kind")) : NULL;

	rows_words(r, "wakeup_words",
		   "the base includes waking up, as the CPU was idle for %.0f %% of the time; \"xdpzoom record\" with "
		   "--sweep rate=%.0f,%.0f,%.0f%s tells the two apart",
		   100 - v->busy_pct, round_rate(v->pps / 8), round_rate(v->pps / 4), round_rate(v->pps / 2),
		   load && !strcmp(load, "external") ? " and a generator of its own (--gen-dev, --generator)" : "");
}

void variant_wakeup_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "wakeups", wakeup_columns, COUNT(wakeup_columns));
	const struct analysis_wakeups *w = &v->wakeups;
	char poll[64], full[64];

	if (!w->points && !analysis_sleeps(v))
		return;
	rows_add(r);
	rows_value(r, "asleep_pct", isnan(v->busy_pct) ? NAN : fmax(0, 100 - v->busy_pct));
	rows_value(r, "points", (double)w->points);
	if (!w->points) {
		unknown_words(parent, v);
		return;
	}
	rows_value(r, "poll_ns", w->poll_ns);
	rows_value(r, "poll_half_ns", w->poll_half_ns);
	rows_value(r, "full_poll_ns", w->full_ns);
	rows_value(r, "full_poll_half_ns", w->full_half_ns);
	rows_value(r, "in_base_ns", w->poll_ns / v->packets_per_poll);
	rows_words(parent, "wakeup_words",
		   "a poll costs %s ns beside its packets, waking up for it included: %.1f ns of each packet here; in "
		   "full polls of %d a packet costs %s ns (by %zu points of the sweep)",
		   digits_interval(w->poll_ns, w->poll_half_ns, poll, sizeof(poll)), w->poll_ns / v->packets_per_poll,
		   ANALYSIS_FULL_POLL, digits_interval(w->full_ns, w->full_half_ns, full, sizeof(full)), w->points);
}
