// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/sending.h"

#include <math.h>
#include <stdio.h>
#include <jansson.h>
#include "reports/run/run.h"

bool sending_of(struct sending *s, const struct analysis_variant *v)
{
	double frames = 0, calls = 0, came = 0, owed = 0, copied = 0;
	bool tcp = run_rung_is_tcp(v->variant);
	double bytes = tcp ? RUN_TCP_BYTES : json_number_value(json_object_get(v->of->run->load, "bytes"));

	for (size_t i = 0; i < v->nused; i++) {
		const struct run_totals *t = &v->used[i]->block->totals;

		if (t->send_calls < 0 || t->gen_sent <= 0)
			return false;
		frames += (double)t->gen_sent;
		calls += (double)t->send_calls;
		came += (double)t->send_completed;
		owed += (double)(t->send_owed - t->send_completed);
		copied += (double)t->send_copied;
	}
	if (!(frames > 0))
		return false;
	*s = (struct sending){
		.calls = calls / frames,
		.calls_kib = bytes > 0 ? calls / frames / bytes * 1024 : NAN,
		.ns_kib = tcp ? v->base_ns / bytes * 1024 : NAN,
		.completions = came / frames,
		.owed = owed / frames,
		.copied = came > 0 ? copied / came : NAN,
	};
	return true;
}

void sending_words(const struct sending *s, char *text, size_t size)
{
	char kib[40] = "", ns[40] = "", completions[80] = "", copied[40] = "", owed[40] = "";

	if (!isnan(s->calls_kib))
		snprintf(kib, sizeof(kib), ", %.3g per KiB", s->calls_kib);
	if (!isnan(s->ns_kib))
		snprintf(ns, sizeof(ns), "; %.1f ns per KiB", s->ns_kib);
	if (s->completions > 0 || s->owed > 0)
		snprintf(completions, sizeof(completions), "; %.3g completions per packet", s->completions);
	if (s->copied > 0)
		snprintf(copied, sizeof(copied), ", %.0f %% of them of a copy", 100 * s->copied);
	if (s->owed > 0)
		snprintf(owed, sizeof(owed), ", %.3g did not come", s->owed);
	snprintf(text, size, "%.3g system calls per packet%s%s%s%s%s", s->calls, kib, ns, completions, copied, owed);
}
