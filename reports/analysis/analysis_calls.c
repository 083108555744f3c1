// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions whose calls were counted and timed one by one: their cost per packet, beside their cost by samples. */
#include "reports/analysis/analysis.h"

/* Sums over the windows of one function. */
struct sums {
	double packets, calls, timed, ns, probe_ns;
};

static int add_function(struct analysis_variant *v, const char *function)
{
	struct sums s = {0};
	double sampled_ns = NAN;

	for (size_t i = v->nsymbols; i; i--) /* the first of that name */
		if (!strcmp(v->symbols[i - 1].name, function))
			sampled_ns = v->symbols[i - 1].children_ns;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_window *w = &v->used[i]->block->windows[k];

			if (strcmp(w->calls.function, function))
				continue;
			for (size_t c = 0; c < w->ncpus; c++)
				for (int x = 0; x < RUN_VERDICTS; x++)
					s.packets += (double)w->cpus[c].verdicts[x];
			s.calls += (double)w->calls.calls;
			s.timed += (double)w->calls.timed;
			s.ns += w->calls.ns;
			s.probe_ns += w->calls.probe_ns * (double)w->calls.timed;
		}
	struct analysis_calls *new = array_add(&v->calls, &v->ncalls, sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = (struct analysis_calls){
		.function = function,
		.per_packet = s.packets > 0 ? s.calls / s.packets : NAN,
		.ns_per_call = s.timed > 0 ? (s.ns - s.probe_ns) / s.timed : NAN,
		.ns = s.packets > 0 ? (s.ns - s.probe_ns) / s.packets : NAN,
		.sampled_ns = sampled_ns,
		.timed_pct = s.calls > 0 ? 100 * s.timed / s.calls : NAN,
	};
	return 0;
}

int variant_add_calls(struct analysis_variant *v)
{
	int err = 0;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows && !err; k++) {
			const char *function = v->used[i]->block->windows[k].calls.function;
			size_t c = 0;

			while (c < v->ncalls && strcmp(v->calls[c].function, function))
				c++;
			if (*function && c == v->ncalls)
				err = add_function(v, function);
		}
	return err;
}
