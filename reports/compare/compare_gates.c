// SPDX-License-Identifier: GPL-2.0-or-later
/* The quality rows of a comparison: do the two sides differ in anything that is not compared? */
#include "reports/compare/compare.h"

struct gates {
	struct compare *c;
	struct quality *q;
	const struct quality_limits *limits;
	const struct analysis_variant *base, *new;
	const struct run *base_run, *new_run;
};

#define ADD(g, gate, value, ...)     quality_add((g)->q, (g)->limits, gate, "", value, __VA_ARGS__)
#define PLAIN(g, gate, value)        ADD(g, gate, value, "%s", "")
#define SPREAD(g, gate, value, half) quality_add_spread((g)->q, (g)->limits, gate, "", value, half)
#define UNKNOWN(g, gate)             quality_add_unknown((g)->q, (g)->limits, gate, "")

/* A number that both sides have, in the words of its format; value: how far apart they are. */
static void gate_alike(struct gates *g, enum quality_gate gate, double a, double b, double value, const char *words)
{
	char note[100] = "";

	if (!isnan(a) && !isnan(b))
		snprintf(note, sizeof(note), words, a, b);
	ADD(g, gate, isnan(a) || isnan(b) ? NAN : value, "%s", note);
}

static void gate_numbers(struct gates *g)
{
	const struct analysis_variant *a = g->base, *b = g->new;
	double apart = fabs(fmin(a->busy_pct, 100) - fmin(b->busy_pct, 100));

	if (isnan(a->busy_pct) || isnan(b->busy_pct)) {
		PLAIN(g, QUALITY_BUSY_ALIKE, NAN);
	} else if (!compare_busy_alike(a, b) || !(analysis_sleeps(a) || analysis_sleeps(b))) {
		ADD(g, QUALITY_BUSY_ALIKE, apart, "%.1f and %.1f %% busy", a->busy_pct, b->busy_pct);
	} else {
		ADD(g, QUALITY_BUSY_ALIKE, apart,
		    "%.1f and %.1f %% busy, and waking up may cost one side more than the other; load both more, or "
		    "record both with --sweep rate=...",
		    a->busy_pct, b->busy_pct);
		quality_leave_open(g->q);
	}
	gate_alike(g, QUALITY_POLLS_ALIKE, a->packets_per_poll, b->packets_per_poll,
		   (100 * fabs(b->packets_per_poll / a->packets_per_poll - 1)), "%.1f and %.1f packets per poll");
	gate_alike(g, QUALITY_REFUSED_ALIKE, a->refused_pct, b->refused_pct, fabs(a->refused_pct - b->refused_pct),
		   "%.1f and %.1f %% of frames dropped (ring full)");
	gate_alike(g, QUALITY_PLACEMENT_ALIKE, a->placement_ns, b->placement_ns,
		   fmax(a->placement_ns / b->placement_ns, b->placement_ns / a->placement_ns),
		   "%.0f and %.0f ns from CPU to CPU");
}

/* log[]: of the quiet probes of the used blocks. Returns how many blocks have some. */
static size_t probe_logs(const struct analysis_variant *v, double *log_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nused; i++)
		if (!isnan(v->used[i]->probe_ns))
			log_ns[n++] = log(v->used[i]->probe_ns);
	return n;
}

/*
 * By the quiet probes alone: what the load does to a probe differs from variant to variant. Variants that took turns
 * were probed together, so their probes would be alike whatever the machine did. Where the generator is the reference
 * of both runs, the speed is taken out, and the gate has what may be left of it.
 */
static void gate_speed(struct gates *g)
{
	bool together = g->c->same_run && g->base->takes_turns && g->new->takes_turns;
	double *a = calloc(g->base->nused + g->new->nused + 1, sizeof(*a)), *b = a ? a + g->base->nused : NULL;
	const struct between_reference *reference = &g->c->overall.reference;
	struct stats_difference d;

	if (!a) {
		g->q->err = -ENOMEM;
	} else if (reference->known) {
		ADD(g, QUALITY_SPEED_ALIKE, 100 * reference->apart,
		    "the generator took %.2f times as long; this is excluded but for the slopes' errors",
		    exp(reference->slower));
	} else {
		d = stats_welch(a, together ? 0 : probe_logs(g->base, a), b, together ? 0 : probe_logs(g->new, b));
		SPREAD(g, QUALITY_SPEED_ALIKE, 100 * (exp(fabs(d.delta)) - 1), 100 * d.half);
	}
	free(a);
}

/* No row where nobody traced either side; where one side is not known, it may have been as the other. */
static void gate_tracers(struct gates *g)
{
	const struct analysis_variant *a = g->base, *b = g->new;
	double pct = 100 / fmax(a->base_ns, b->base_ns);
	char words[400] = "", names[180] = "";

	if (!(a->tracers_half_ns > 0) && !(b->tracers_half_ns > 0))
		return;
	SPREAD(g, QUALITY_TRACERS_ALIKE, pct * fabs(a->tracers_ns - b->tracers_ns),
	       pct * hypot(a->tracers_half_ns, b->tracers_half_ns));
	if (isnan(a->tracers_ns) || isnan(b->tracers_ns))
		return;
	analysis_describe_tracers(a->tracers_ns > b->tracers_ns ? a : b, names, sizeof(names));
	snprintf(words, sizeof(words), "%.1f and %.1f ns a packet went into %s", a->tracers_ns, b->tracers_ns, names);
	quality_explain(g->q, words);
}

/* What the texts of both runs say of event, machine and mitigations; an import need not say it. */
static void gate_texts(struct gates *g)
{
	const char *was = g->base_run->event, *is = g->new_run->event;
	const char *machine = g->base_run->facts.machine, *new_machine = g->new_run->facts.machine;
	char *base = made_mitigations(json_object_get(g->base_run->environment, "mitigations"));
	char *new = made_mitigations(json_object_get(g->new_run->environment, "mitigations"));
	char words[MADE_CONFIG_BYTES];
	size_t n = made_config_differs(base, new, words, sizeof(words));

	if (!*was || !*is)
		UNKNOWN(g, QUALITY_EVENT_ALIKE);
	else if (!strcmp(was, is))
		ADD(g, QUALITY_EVENT_ALIKE, 0, "%s%s", was, event_is_time(was) ? "" : ", which is no time");
	else
		ADD(g, QUALITY_EVENT_ALIKE, 1, "%s and %s", was, is);
	/* Where neither tells, nobody expects an answer. */
	if (!g->c->same_run && machine && new_machine)
		ADD(g, QUALITY_MACHINE_ALIKE, between_other_machine(g->base_run, g->new_run), "%s and %s", machine,
		    new_machine);
	else if (!g->c->same_run && (machine || new_machine))
		UNKNOWN(g, QUALITY_MACHINE_ALIKE);
	if (base && new && !g->c->same_run)
		ADD(g, QUALITY_MITIGATIONS_ALIKE, (double)n, "%s", words);
	free(base);
	free(new);
}

/*
 * Runs whose generators would be the reference of both, if their loads were alike. Who compares two kernels cannot have
 * that, and has done nothing wrong: the gate cannot tell then.
 */
static void gate_load(struct gates *g)
{
	char words[160];
	enum between_load load;
	double ratio[2];

	if (g->c->same_run || !(g->base->reference_ns > 0) || !(g->new->reference_ns > 0))
		return;
	load = between_loads(g->base_run, g->new_run, words, sizeof(words));
	if (load == LOADS_ALIKE && !between_references_agree(g->base, g->new, ratio)) {
		ADD(g, QUALITY_LOAD_ALIKE, 1,
		    "the generator took %.2f to %.2f times as long, with other work in its time", ratio[0], ratio[1]);
		return;
	}
	ADD(g, QUALITY_LOAD_ALIKE, load == LOADS_UNLIKE ? 1 : 0, "%s%s", words,
	    load == LOADS_OF_OTHER_CODE
		    ? ", so what the generator takes does not show which machine was slower; each run "
		      "is at its own speed, and fixed work alone compares them (speed-alike)"
		    : "");
	if (load == LOADS_OF_OTHER_CODE)
		quality_leave_open(g->q);
}

/* Takes the variants, or the tasks of their second stages, that are farther off; gate_closure() has imports. */
static void gate_closure(struct gates *g)
{
	const struct compare *of = g->c, *stage = g->c->stage;
	double level_ns = fmax(of->overall.base_ns, of->overall.new_ns);

	if (stage) {
		double stage_ns = fmax(stage->overall.base_ns, stage->overall.new_ns);

		if (isnan(of->off_ns) || (fabs(stage->off_ns) - stage->off_half_ns) / stage_ns >
						 (fabs(of->off_ns) - of->off_half_ns) / level_ns) {
			of = stage;
			level_ns = stage_ns;
		}
	}

	if (isnan(of->off_ns) || run_is_imported(g->base_run) || run_is_imported(g->new_run))
		UNKNOWN(g, QUALITY_CLOSURE_ALIKE);
	else
		SPREAD(g, QUALITY_CLOSURE_ALIKE, 100 / level_ns * fabs(of->off_ns), 100 / level_ns * of->off_half_ns);
}

/* Packets of this variant become skbs, and the recorder is ours. */
static bool takes_skbs(const struct analysis_variant *v)
{
	return v->variant->mode != RUN_MODE_NATIVE && !run_is_imported(v->of->run);
}

int compare_add_gates(struct compare *c)
{
	const struct analysis_variant *a = c->base, *b = c->new;
	struct gates g = {c, &c->quality, &a->of->options.limits, a, b, a->of->run, b->of->run};
	int held = g.base_run->held_skbs, new_held = g.new_run->held_skbs;

	const struct compare_overall *h = &g.c->overall;
	size_t base = a->nused, new = b->nused, blocks = base < new ? base : new;
	if (!g.c->same_run)
		ADD(&g, QUALITY_PAIRS, (double)blocks, "two runs, so blocks are compared as two groups");
	else if (h->paired && h->npairs < blocks + (base != new))
		ADD(&g, QUALITY_PAIRS, (double)h->npairs, "%zu pairs in %zu and %zu blocks", h->npairs, base, new);
	else if (!h->paired)
		ADD(&g, QUALITY_PAIRS, (double)blocks,
		    "most of %zu and %zu blocks have no partner, so blocks are compared as two groups", base, new);
	else
		PLAIN(&g, QUALITY_PAIRS, (double)h->npairs);
	if (a->samples && b->samples)
		PLAIN(&g, QUALITY_SYMBOL_BLOCKS, (double)blocks);
	else
		ADD(&g, QUALITY_SYMBOL_BLOCKS, 0, "no samples");

	gate_numbers(&g);
	gate_speed(&g);
	ADD(&g, QUALITY_CPUS_ALIKE, fabs((double)a->ncpus - (double)b->ncpus), "%zu and %zu", a->ncpus, b->ncpus);
	PLAIN(&g, QUALITY_FREQUENCY_ALIKE, 100 * fabs(b->freq_khz / a->freq_khz - 1));
	gate_texts(&g);
	gate_load(&g);
	/* One was recorded with slabs of its own (held_skbs), the other was not. */
	if ((held > 0) != (new_held > 0) && takes_skbs(a) && takes_skbs(b))
		ADD(&g, QUALITY_SLABS_ALIKE, 1, "%d and %d skbs held", held > 0 ? held : 0,
		    new_held > 0 ? new_held : 0);
	gate_tracers(&g);
	gate_closure(&g);
	/* Two runs have one name each for themselves, and may have one for their variants. */
	for (int k = 0; k < 2; k++) {
		const struct analysis_variant *v = k ? b : a;
		const char *side = g.c->same_run ? "" : v == g.base ? "base " : "new ";
		bool named_alike = !strcmp(g.base->variant->id, g.new->variant->id);

		quality_append(g.q, &v->quality, named_alike ? side : "");
		if (v == g.base || !g.c->same_run)
			quality_append(g.q, &v->of->quality, side);
	}
	return c->quality.err;
}
