// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/rows/report_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/known.h"
#include "reports/rows/digits.h"

void run_words(const struct run *r, char *line, size_t size)
{
	char rate[32] = "";

	if (!isnan(r->sample_hz))
		snprintf(rate, sizeof(rate), " at %.0f Hz", r->sample_hz);
	snprintf(line, size, "%s (%s), Linux %s, %s, %s%s, %zu blocks%s%s, %s", known(r->facts.device),
		 known(r->facts.driver), known(r->facts.kernel), known(r->facts.cpu_model), r->event, rate, r->nblocks,
		 r->view_why[0] ? " and no turns: " : "", r->view_why, r->started);
}

void stage_words(const struct analysis_variant *v, char *line, size_t size)
{
	const struct analysis_stage *s = &v->stage;
	char ns[64];

	if (isnan(s->ns))
		snprintf(line, size, "%s; what it costs is not known, and in the base as far as it ran on the RX CPU",
			 v->variant->stage_text);
	else
		snprintf(line, size, "%s ns per frame%s: %s", digits_interval(s->ns, s->half_ns, ns, sizeof(ns)),
			 s->by_task ? "" : ", taken out of the RX CPU's time", v->variant->stage_text);
	if (s->task && s->task->nsymbols && !isnan(s->ns))
		snprintf(line + strlen(line), size - strlen(line), "; its samples account for %.1f %% of it",
			 100 * s->task->sum_ns / s->ns);
	if (!isnan(s->dropped_pct))
		snprintf(line + strlen(line), size - strlen(line), "; %.2g %% of the frames dropped before it",
			 s->dropped_pct);
}
