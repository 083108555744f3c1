// SPDX-License-Identifier: GPL-2.0-or-later
/* The quality rows of a comparison: do the two sides differ in anything that is not compared? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "perfparse/events.h"
#include "reports/compare/compare_parts.h"

static double apart_pct(double base, double new)
{
	return 100 * fabs(new / base - 1);
}

static size_t fewer_blocks(const struct compare *c)
{
	return c->base->nused < c->new->nused ? c->base->nused : c->new->nused;
}

static int gate_pairs(struct compare *c, const struct quality_limits *l)
{
	size_t blocks = fewer_blocks(c);

	if (!c->same_run)
		return quality_add(&c->quality, l, QUALITY_PAIRS, "", (double)blocks,
				   "two runs, so blocks are compared as two groups");
	if (c->headline.paired && c->headline.npairs < blocks + (c->base->nused != c->new->nused))
		return quality_add(&c->quality, l, QUALITY_PAIRS, "", (double)c->headline.npairs,
				   "%zu pairs in %zu and %zu blocks", c->headline.npairs, c->base->nused,
				   c->new->nused);
	if (!c->headline.paired)
		return quality_add(&c->quality, l, QUALITY_PAIRS, "", (double)blocks,
				   "most of %zu and %zu blocks have no partner, so blocks are compared as two groups",
				   c->base->nused, c->new->nused);
	return quality_add(&c->quality, l, QUALITY_PAIRS, "", (double)c->headline.npairs, "%s", "");
}

static int gate_symbol_blocks(struct compare *c, const struct quality_limits *l)
{
	bool sampled = c->base->samples && c->new->samples;

	return quality_add(&c->quality, l, QUALITY_SYMBOL_BLOCKS, "", sampled ? (double)fewer_blocks(c) : 0, "%s",
			   sampled ? "" : "no samples");
}

static int gate_polls(struct compare *c, const struct quality_limits *l)
{
	double a = c->base->packets_per_poll, b = c->new->packets_per_poll;

	if (isnan(a) || isnan(b))
		return quality_add(&c->quality, l, QUALITY_POLLS_ALIKE, "", NAN, "%s", "");
	return quality_add(&c->quality, l, QUALITY_POLLS_ALIKE, "", apart_pct(a, b), "%.1f and %.1f packets per poll",
			   a, b);
}

static int gate_busy(struct compare *c, const struct quality_limits *l)
{
	double a = c->base->busy_pct, b = c->new->busy_pct, apart;
	int err;

	if (isnan(a) || isnan(b))
		return quality_add(&c->quality, l, QUALITY_BUSY_ALIKE, "", NAN, "%s", "");
	apart = compare_busy_apart_pct(c->base, c->new);
	if (!compare_busy_alike(c->base, c->new) || !compare_sleeps(c->base, c->new))
		return quality_add(&c->quality, l, QUALITY_BUSY_ALIKE, "", apart, "%.1f and %.1f %% busy", a, b);
	err = quality_add(&c->quality, l, QUALITY_BUSY_ALIKE, "", apart,
			  "%.1f and %.1f %% busy, and waking up may cost one side more than the other; load both more, "
			  "or record both with --sweep rate=...",
			  a, b);
	if (!err)
		quality_leave_open(&c->quality);
	return err;
}

static int gate_refused(struct compare *c, const struct quality_limits *l)
{
	double a = c->base->refused_pct, b = c->new->refused_pct;

	if (isnan(a) || isnan(b))
		return quality_add(&c->quality, l, QUALITY_REFUSED_ALIKE, "", NAN, "%s", "");
	return quality_add(&c->quality, l, QUALITY_REFUSED_ALIKE, "", fabs(a - b), "%.1f and %.1f %% of frames refused",
			   a, b);
}

static int gate_placement(struct compare *c, const struct quality_limits *l)
{
	double a = c->base->placement_ns, b = c->new->placement_ns;

	if (isnan(a) || isnan(b))
		return quality_add(&c->quality, l, QUALITY_PLACEMENT_ALIKE, "", NAN, "%s", "");
	return quality_add(&c->quality, l, QUALITY_PLACEMENT_ALIKE, "", a > b ? a / b : b / a,
			   "%.0f and %.0f ns from CPU to CPU", a, b);
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
 * were probed together, so their probes would be alike whatever the machine did. Where the generator is the ruler of
 * both runs, the speed is taken out, and the gate has what may be left of it.
 */
static int gate_speed(struct compare *c, const struct quality_limits *l)
{
	bool together = c->same_run && c->base->takes_turns && c->new->takes_turns;
	double *a = calloc(c->base->nused + 1, sizeof(*a)), *b = calloc(c->new->nused + 1, sizeof(*b));
	const struct between_ruler *ruler = &c->headline.ruler;
	struct stats_difference d;
	int err = -ENOMEM;

	if (a && b && ruler->known) {
		err = quality_add(&c->quality, l, QUALITY_SPEED_ALIKE, "", 100 * ruler->apart,
				  "the generator took %.2f times as long; this is taken out but for the slopes' errors",
				  exp(ruler->slower));
	} else if (a && b) {
		d = stats_welch(a, together ? 0 : probe_logs(c->base, a), b, together ? 0 : probe_logs(c->new, b));
		err = quality_add_spread(&c->quality, l, QUALITY_SPEED_ALIKE, "", 100 * (exp(fabs(d.delta)) - 1),
					 100 * d.half);
	}
	free(a);
	free(b);
	return err;
}

static int gate_event(struct compare *c, const struct quality_limits *l)
{
	const char *base = c->base->of->run->event, *new = c->new->of->run->event;
	bool alike = !strcmp(base, new);

	if (!*base || !*new) /* imported, and the text does not say */
		return quality_add_unknown(&c->quality, l, QUALITY_EVENT_ALIKE, "");
	if (alike)
		return quality_add(&c->quality, l, QUALITY_EVENT_ALIKE, "", 0, "%s%s", base,
				   event_is_time(base) ? "" : ", which is no time");
	return quality_add(&c->quality, l, QUALITY_EVENT_ALIKE, "", 1, "%s and %s", base, new);
}

/* Packets of this variant become skbs, and the recorder is ours. */
static bool takes_skbs(const struct analysis_variant *v)
{
	return v->variant->mode != RUN_MODE_NATIVE && !run_is_imported(v->of->run);
}

/*
 * Runs of which one was recorded with slabs of its own (held_skbs). An older recorder took the slabs as it found them.
 */
static int gate_slabs(struct compare *c, const struct quality_limits *l)
{
	int base = c->base->of->run->held_skbs, new = c->new->of->run->held_skbs;

	if ((base > 0) == (new > 0) || !takes_skbs(c->base) || !takes_skbs(c->new))
		return 0;
	return quality_add(&c->quality, l, QUALITY_SLABS_ALIKE, "", 1, "%d and %d skbs held", base > 0 ? base : 0,
			   new > 0 ? new : 0);
}

/* No row where nobody traced either side; where one side is not known, it may have been as the other. */
static int gate_tracers(struct compare *c, const struct quality_limits *l)
{
	const struct analysis_variant *a = c->base, *b = c->new;
	double pct = 100 / fmax(a->base_ns, b->base_ns);
	char words[400] = "", names[180] = "";
	int err;

	if (!(a->tracers_half_ns > 0) && !(b->tracers_half_ns > 0))
		return 0;
	err = quality_add_spread(&c->quality, l, QUALITY_TRACERS_ALIKE, "", pct * fabs(a->tracers_ns - b->tracers_ns),
				 pct * hypot(a->tracers_half_ns, b->tracers_half_ns));
	if (err || isnan(a->tracers_ns) || isnan(b->tracers_ns))
		return err;
	analysis_describe_tracers(a->tracers_ns > b->tracers_ns ? a : b, names, sizeof(names));
	snprintf(words, sizeof(words), "%.1f and %.1f ns a packet went into %s", a->tracers_ns, b->tracers_ns, names);
	quality_explain(&c->quality, words);
	return 0;
}

/* Runs of which one is older, or was imported, do not tell; where neither does, nobody expects an answer. */
static int gate_machine(struct compare *c, const struct quality_limits *l)
{
	const char *base = c->base->of->run->facts.machine, *new = c->new->of->run->facts.machine;

	if (c->same_run || (!base && !new))
		return 0;
	if (!base || !new)
		return quality_add_unknown(&c->quality, l, QUALITY_MACHINE_ALIKE, "");
	return quality_add(&c->quality, l, QUALITY_MACHINE_ALIKE, "",
			   between_other_machine(c->base->of->run, c->new->of->run), "%s and %s", base, new);
}

/*
 * Runs whose generators would be the ruler of both, if their loads were alike. Who compares two kernels cannot have
 * that, and has done nothing wrong: the gate cannot tell then.
 */
static int gate_load(struct compare *c, const struct quality_limits *l)
{
	char words[160];
	enum between_load load;
	double ratio[2];
	int err;

	if (c->same_run || !(c->base->ruler_ns > 0) || !(c->new->ruler_ns > 0))
		return 0;
	load = between_loads(c->base->of->run, c->new->of->run, words, sizeof(words));
	if (load == LOADS_ALIKE && !between_rulers_agree(c->base, c->new, ratio))
		return quality_add(&c->quality, l, QUALITY_LOAD_ALIKE, "", 1,
				   "the generator took %.2f to %.2f times as long, with other work in its time",
				   ratio[0], ratio[1]);
	err = quality_add(&c->quality, l, QUALITY_LOAD_ALIKE, "", load == LOADS_UNLIKE ? 1 : 0, "%s%s", words,
			  load == LOADS_OF_OTHER_CODE
				  ? ", so what the generator takes does not show which machine was slower; each run is "
				    "at its own speed, and fixed work alone compares them (speed-alike)"
				  : "");
	if (!err && load == LOADS_OF_OTHER_CODE)
		quality_leave_open(&c->quality);
	return err;
}

static bool off_farther(const struct compare *a, const struct compare *b)
{
	return (fabs(a->off_ns) - a->off_half_ns) / fmax(a->headline.base_ns, a->headline.new_ns) >
	       (fabs(b->off_ns) - b->off_half_ns) / fmax(b->headline.base_ns, b->headline.new_ns);
}

/* Takes the variants, or the tasks of their second stages, that are farther off; gate_closure() has imports. */
static int gate_closure(struct compare *c, const struct quality_limits *l)
{
	const struct compare *of = c->stage && (isnan(c->off_ns) || off_farther(c->stage, c)) ? c->stage : c;
	double pct = 100 / fmax(of->headline.base_ns, of->headline.new_ns);

	if (isnan(of->off_ns) || run_is_imported(c->base->of->run) || run_is_imported(c->new->of->run))
		return quality_add_unknown(&c->quality, l, QUALITY_CLOSURE_ALIKE, "");
	return quality_add_spread(&c->quality, l, QUALITY_CLOSURE_ALIKE, "", pct * fabs(of->off_ns),
				  pct * of->off_half_ns);
}

/* Two runs have one name each for themselves, and may have one for their variants. */
static int gate_run(struct compare *c, const struct analysis_variant *v)
{
	const char *side = c->same_run ? "" : v == c->base ? "base " : "new ";
	bool named_alike = !strcmp(c->base->variant->id, c->new->variant->id);
	int err = quality_append(&c->quality, &v->quality, named_alike ? side : "");

	if (!err && (v == c->base || !c->same_run))
		err = quality_append(&c->quality, &v->of->quality, side);
	return err;
}

int compare_add_gates(struct compare *c)
{
	const struct analysis_variant *base = c->base, *new = c->new;
	const struct quality_limits *l = &base->of->options.limits;
	int err = gate_pairs(c, l);

	if (!err)
		err = gate_symbol_blocks(c, l);
	if (!err)
		err = gate_busy(c, l);
	if (!err)
		err = gate_polls(c, l);
	if (!err)
		err = gate_refused(c, l);
	if (!err)
		err = gate_placement(c, l);
	if (!err)
		err = gate_speed(c, l);
	if (!err)
		err = quality_add(&c->quality, l, QUALITY_CPUS_ALIKE, "",
				  fabs((double)base->ncpus - (double)new->ncpus), "%zu and %zu", base->ncpus,
				  new->ncpus);
	if (!err)
		err = quality_add(&c->quality, l, QUALITY_FREQUENCY_ALIKE, "", apart_pct(base->freq_khz, new->freq_khz),
				  "%s", "");
	if (!err)
		err = gate_event(c, l) ?: gate_machine(c, l) ?: gate_load(c, l) ?: gate_slabs(c, l);
	return err ?: gate_tracers(c, l) ?: gate_closure(c, l) ?: gate_run(c, base) ?: gate_run(c, new);
}
