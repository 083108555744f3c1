// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/analysis/analysis.h"

void variant_add_sending(struct analysis_variant *v)
{
	double frames = 0, calls = 0, came = 0, owed = 0, copied = 0;
	bool tcp = run_layer_is_tcp(v->variant);
	double bytes = tcp ? RUN_TCP_BYTES : json_number_value(json_object_get(v->of->run->load, "bytes"));

	for (size_t i = 0; i < v->nused; i++) {
		const struct run_totals *t = &v->used[i]->block->totals;

		if (t->send_calls < 0 || t->gen_sent <= 0)
			return;
		frames += (double)t->gen_sent;
		calls += (double)t->send_calls;
		came += (double)t->send_completed;
		owed += (double)(t->send_owed - t->send_completed);
		copied += (double)t->send_copied;
	}
	if (!(frames > 0))
		return;
	v->sending = (struct analysis_sending){
		.system_calls = calls / frames,
		.system_calls_per_kib = bytes > 0 ? calls / frames / bytes * 1024 : NAN,
		.ns_per_kib = tcp ? v->base_ns / bytes * 1024 : NAN,
		.completions = came / frames,
		.completions_missing = owed / frames,
		.copied_pct = came > 0 ? 100 * copied / came : NAN,
	};
}

void sending_words(const struct analysis_sending *s, char *text, size_t size)
{
	char kib[40] = "", ns[40] = "", completions[80] = "", copied[40] = "", owed[40] = "";

	if (!isnan(s->system_calls_per_kib))
		snprintf(kib, sizeof(kib), ", %.3g per KiB", s->system_calls_per_kib);
	if (!isnan(s->ns_per_kib))
		snprintf(ns, sizeof(ns), "; %.1f ns per KiB", s->ns_per_kib);
	if (s->completions > 0 || s->completions_missing > 0)
		snprintf(completions, sizeof(completions), "; %.3g completions per packet", s->completions);
	if (s->copied_pct > 0)
		snprintf(copied, sizeof(copied), ", %.0f %% of them of a copy", s->copied_pct);
	if (s->completions_missing > 0)
		snprintf(owed, sizeof(owed), ", %.3g did not come", s->completions_missing);
	snprintf(text, size, "%.3g system calls per packet%s%s%s%s%s", s->system_calls, kib, ns, completions, copied,
		 owed);
}
