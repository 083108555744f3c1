// SPDX-License-Identifier: GPL-2.0-or-later
/* What a packet pays for BPF programs that somebody else attached to tracepoints and kernel functions. */
#include "reports/analysis/analysis.h"

/* The cost of a function with all that it calls, by the first len characters of its name; 0: no sample hit it */
static double with_callees(const struct analysis_variant *v, const char *name, size_t len)
{
	for (size_t i = 0; i < v->nsymbols; i++)
		if (!strncmp(v->symbols[i].name, name, len))
			return v->symbols[i].children_ns;
	return 0;
}

static double program_ns(const struct analysis_variant *v, const struct run_tracer *t)
{
	char symbol[40];

	snprintf(symbol, sizeof(symbol), "bpf_prog_%s", t->tag);
	return with_callees(v, symbol, strlen(symbol));
}

/* The cost of all that the kernel does for programs at the raw tracepoint; 0: the place is another one. */
static double place_ns(const struct analysis_variant *v, const struct run_tracer *t)
{
	char outer[80], inner[80];

	snprintf(outer, sizeof(outer), "__traceiter_%s", t->hook);
	snprintf(inner, sizeof(inner), "__bpf_trace_%s", t->hook);
	return t->hook[0] ? fmax(with_callees(v, outer, sizeof(outer)), with_callees(v, inner, sizeof(inner))) : 0;
}

void variant_add_tracers(struct analysis_variant *v)
{
	const struct run *r = v->of->run;
	double ci95_ns[2];

	if (!r->tracers_known || !v->samples)
		return;
	v->tracers_ns = v->tracers_half_ns = 0;
	for (const struct run_tracer *t = r->tracers; t < r->tracers + r->ntracers; t++) {
		if (t->own)
			continue;
		/*
		 * What all programs at a raw tracepoint cost, once for all of them. Where one of them is the
		 * recorder's own, and at other places, it is the program alone. It is 0 where the recorder has one
		 * that is alike: both have the same symbol.
		 */
		bool alone = !t->hook[0], named = true, first = true;
		for (const struct run_tracer *o = r->tracers; o < r->tracers + r->ntracers; o++) {
			alone |= o->own && !strcmp(o->hook, t->hook);
			first &= o >= t || strcmp(o->hook, t->hook);
			named &= (o >= t && !o->own) || strcmp(o->tag, t->tag);
		}
		if (alone)
			v->tracers_ns += named ? program_ns(v, t) : 0;
		else
			v->tracers_ns += first ? place_ns(v, t) : 0;
		analysis_interval(v, v->tracers_ns, ci95_ns);
		v->tracers_half_ns = fmax(v->tracers_ns - ci95_ns[0], ci95_ns[1] - v->tracers_ns);
	}
}

void analysis_describe_tracers(const struct analysis_variant *v, char *words, size_t size)
{
	const struct run *r = v->of->run;

	for (int sampled = 1; sampled >= 0 && !*words; sampled--)
		for (const struct run_tracer *t = r->tracers; t < r->tracers + r->ntracers; t++)
			if (!t->own && (place_ns(v, t) > 0 || program_ns(v, t) > 0) == sampled)
				listed_add(words, size, ", ", "%s (%s%s%s)", t->name,
					   t->hook[0] ? t->hook : "no raw tracepoint", t->owner[0] ? ", by " : "",
					   t->owner);
}
