// SPDX-License-Identifier: GPL-2.0-or-later
/* The quality rows of one variant. */
#include "reports/analysis/analysis.h"

#define SATURATED_PCT  99 /* below this, the base by rate contains too much idle time */
#define STAGE_BUSY_PCT 90 /* not 100: a kthread that does not keep up still sleeps now and then */

struct gates {
	struct analysis_variant *v;
	const struct analysis *a;
	const char *id;
	struct quality *q;
	const struct quality_limits *limits;
};

#define ADD(g, gate, value, ...)     quality_add((g)->q, (g)->limits, gate, (g)->id, value, __VA_ARGS__)
#define PLAIN(g, gate, value)        ADD(g, gate, value, "%s", "")
#define SPREAD(g, gate, value, half) quality_add_spread((g)->q, (g)->limits, gate, (g)->id, value, half)
#define UNKNOWN(g, gate)             quality_add_unknown((g)->q, (g)->limits, gate, (g)->id)

/*
 * Two counts of the packets, the device's and the program's, in percent of each other; and by how much the kernel's
 * busy time exceeds the clock on the wall, which it cannot. The clock of the samples has a gate of its own
 * (sampled-busy).
 */
static void gate_rate(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	double device = 0, program = 0, off_pct;

	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_counters *c = &v->used[i]->block->windows[k].counters;
			int64_t seen = counters_sum(&c->changed, COUNTER_XDP_SEEN);

			if (!c->to_ns || seen < 0)
				continue;
			device += (double)seen;
			program += (double)c->packets;
		}
	off_pct = program > 0 ? 100 * fabs(device / program - 1) : NAN;
	if (isnan(off_pct))
		ADD(g, QUALITY_RATE, NAN, "%s", "the device does not count what it gives to XDP");
	else if (!v->busy_estimated && v->busy_pct - 100 > off_pct)
		ADD(g, QUALITY_RATE, v->busy_pct - 100, "%s", "the kernel's busy time is longer than the windows");
	else
		PLAIN(g, QUALITY_RATE, off_pct);
}

static void gate_load(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	const struct run_facts *facts = &g->a->run->facts;
	bool shared = facts->load_cpu == v->variant->stage_cpu;
	double busy_ns = 0, ns = 0, stage_pct;

	for (size_t i = 0; i < v->nused; i++) {
		const struct run_block *b = v->used[i]->block;

		for (const struct run_window *w = b->windows; w < b->windows + b->nwindows; w++)
			if (w->kind == RUN_BASE) {
				busy_ns += w->consumer_busy_ns;
				ns += run_window_ns(w);
			}
	}
	stage_pct = ns > 0 ? 100 * busy_ns / ns : NAN;
	/*
	 * The receiver idles if the generator, without a rate limit, waits for the second stage or shares its CPU:
	 * more load would change nothing.
	 */
	if (v->busy_pct < SATURATED_PCT && facts->load_cpu >= 0 && !(facts->load_rate_pps != 0) &&
	    (stage_pct >= STAGE_BUSY_PCT || (shared && stage_pct > 0)))
		ADD(g, QUALITY_STAGE_PACE, v->busy_pct,
		    "the receiver waited for the consumer, which was busy for %.0f %% of the time%s", stage_pct,
		    shared ? " on the generator's CPU" : "");
	else if ((isnan(v->busy_pct) && run_is_imported(g->a->run)) || run_variant_is_watched(v->variant))
		UNKNOWN(g, QUALITY_SATURATION); /* nobody can load that CPU more */
	else if (isnan(v->busy_pct))
		ADD(g, QUALITY_SATURATION, NAN, "it is not known how busy the CPU was, so the base is by rate");
	else
		ADD(g, QUALITY_SATURATION, v->busy_pct, "%s",
		    v->busy_estimated ? "busy time from the samples, as no kernel clock gave it"
		    : v->busy_pct < SATURATED_PCT && isnan(v->waits_ns)
			    ? "the kernel's busy time holds waits after wakeups, and so does the base"
			    : "");
	gate_rate(g);
}

static void gate_placement(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	const struct placement *p = &g->a->placement;
	size_t at[PLACEMENT_PLACES] = {0}, alike = 0, set_aside = 0;
	char shares[200] = "";
	double alike_pct;

	/* The used blocks in the stratum that has most of them. Blocks that moved or were not probed are in none. */
	for (size_t i = 0; i < v->nused; i++)
		at[placement_of(p, v->used[i]->block)]++;
	for (size_t i = 0; i < PLACEMENT_STRATA; i++)
		alike = at[i] > alike ? at[i] : alike;
	alike_pct = 100.0 * (double)alike / (double)v->nused; /* NaN without blocks */

	if (!p->probed) {
		ADD(g, QUALITY_PLACEMENT, NAN, "%s", "not probed");
		return;
	}
	for (size_t i = 0; i < v->nblocks; i++)
		set_aside += v->blocks[i].fate == FATE_ELSEWHERE;
	/* "2 far (118.3 ns), 1 moved (95.2 ns)": the blocks that are set aside or mixed in, with their own base. */
	for (size_t i = 0; i < PLACEMENT_PLACES; i++) {
		const struct placement_share *s = &v->shares[i];

		if (s->blocks && (i != p->reference || v->strata_mixed))
			snprintf(shares + strlen(shares), sizeof(shares) - strlen(shares), "%s%zu %s (%.1f ns)",
				 *shares ? ", " : "", s->blocks, placement_name(p, i), s->base_ns);
	}
	if (alike < v->nused)
		ADD(g, QUALITY_PLACEMENT, alike_pct, "mixed: %s", shares);
	else if (set_aside)
		ADD(g, QUALITY_PLACEMENT, alike_pct, "%s, %zu of %zu blocks discarded: %s",
		    p->strata[p->reference].name, set_aside, v->nblocks, shares);
	else
		PLAIN(g, QUALITY_PLACEMENT, alike_pct);
}

static void gate_pace(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	const struct speed *s = &g->a->speed;
	size_t slow = 0, all = v->nused;
	bool unknown;

	if (run_variant_is_watched(v->variant)) {
		UNKNOWN(g, QUALITY_PACE);
		return;
	}
	for (size_t i = 0; i < v->nblocks; i++)
		slow += v->blocks[i].fate == FATE_SLOW;
	all += slow;
	unknown = v->takes_turns && !s->known && !slow;
	if (s->known && s->by == SPEED_PROBES && s->discarded_s > 0)
		ADD(g, QUALITY_PACE, 100 * s->discarded_s / s->run_s,
		    "%.0f of %.0f s of blocks discarded, in which the machine was %.2f times %s", s->discarded_s,
		    s->run_s, s->factor < 1 ? 1 / s->factor : s->factor, s->factor < 1 ? "faster" : "slower");
	else if (slow)
		ADD(g, QUALITY_PACE, 100.0 * (double)slow / (double)all,
		    "%zu of %zu blocks discarded, in which the machine was %.1f times slower", slow, all,
		    v->slow_factor);
	else if (unknown)
		ADD(g, QUALITY_PACE, 0, "%s",
		    "turns were left out, or one variant alone took turns: the machine's speed is not known");
	else if (s->known && s->kept_s > 0)
		ADD(g, QUALITY_PACE, 100 * (s->discarded_s + s->kept_s + s->stalls_s) / s->run_s,
		    "in %.2g of %.2g s of turns the speed jumped; they are kept, as there are no others", s->kept_s,
		    s->run_s);
	else
		PLAIN(g, QUALITY_PACE,
		      s->known && s->by != SPEED_PROBES ? 100 * (s->discarded_s + s->stalls_s) / s->run_s : 0);
	if (unknown)
		quality_leave_open(g->q);
}

/*
 * A short run, or a CPU that is hardly busy, yields few samples. Chance alone can then put them beyond the limit, so
 * the gate looks at the interval. Variants that take turns share perf's timer: where one alone shows no fault, all of
 * them decide.
 */
static void gate_sampled_busy(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	double off_pct = fabs(v->sampled_busy_pct - 100), half_pct = v->sampled_busy_half_pct;
	double surely_pct = half_pct * stats_t((double)v->nused - 1, ANALYSIS_OFF_ALPHA / (double)g->a->nvariants) /
			    stats_t95((double)v->nused - 1);
	bool fault = off_pct - surely_pct > quality_limit(g->limits, QUALITY_SAMPLED_BUSY);

	/*
	 * Where variants take turns, perf has one buffer for a round, and each of its blocks has what the round lost.
	 * So that is held against the samples of all variants.
	 */
	double losses = 0, known = 0, taken = 0;
	for (size_t i = 0; i < v->nused; i++)
		if (v->used[i]->block->totals.perf_lost >= 0) {
			losses += (double)v->used[i]->block->totals.perf_lost;
			known++;
		}
	for (const struct analysis_variant *o = g->a->variants; o < g->a->variants + g->a->nvariants; o++)
		for (size_t i = 0; i < o->nblocks && (o == v || v->takes_turns); i++)
			taken += o->blocks[i].fate == FATE_USED ? (double)o->blocks[i].samples : 0;
	PLAIN(g, QUALITY_LOST_SAMPLES, known > 0 && v->samples ? 100 * losses / (losses + taken) : NAN);
	/* sampled_busy_pct of all variants of a round, mean over the rounds. */
	double *pct = calloc(v->nused + 1, sizeof(*pct));
	struct stats_mean all = {.half = NAN};
	bool together = v->takes_turns && !fault;

	for (size_t i = 0; i < v->nused && pct && together; i++) {
		size_t at = (size_t)(v->used[i] - v->blocks);
		double samples = 0, due = 0;

		for (const struct analysis_variant *o = g->a->variants; o < g->a->variants + g->a->nvariants; o++) {
			const struct analysis_block *b = at < o->nblocks ? &o->blocks[at] : NULL;

			if (!b || b->block->round != v->used[i]->block->round || !(b->sampled_busy_pct > 0))
				continue;
			samples += (double)b->samples;
			due += (double)b->samples / b->sampled_busy_pct;
		}
		pct[i] = samples / due;
	}
	if (!pct)
		g->q->err = -ENOMEM;
	if (together)
		all = stats_mean(pct, pct ? v->nused : 0);
	free(pct);
	if (isnan(v->sampled_busy_pct))
		PLAIN(g, QUALITY_SAMPLED_BUSY, NAN);
	else if (isnan(all.half))
		SPREAD(g, QUALITY_SAMPLED_BUSY, off_pct, half_pct);
	else
		SPREAD(g, QUALITY_SAMPLED_BUSY, fabs(all.mean - 100), all.half);
}

/* Only a timer's samples wait for interrupts; those of a PMU come all the same. */
static void gate_irqs_off(struct gates *g)
{
	char names[400] = "";
	size_t n = 0;

	const struct analysis_variant *v = g->v;
	double part = (double)v->irqs_off / (double)v->samples;

	if (!v->samples || v->scale != SCALE_TIME)
		PLAIN(g, QUALITY_IRQS_OFF, NAN);
	else
		SPREAD(g, QUALITY_IRQS_OFF, 100 * part, 100 * STATS_Z95 * sqrt(part * (1 - part) / v->n_eff));
	for (size_t i = 0; i < v->nsymbols && n < 3; i++) { /* largest first */
		const struct analysis_row *row = &v->symbols[i];

		if (row->irqs_off < 0.01 * (double)v->samples)
			continue;
		listed_add(names, sizeof(names), ", ", "%s %.0f %%", row->name,
			   100 * (double)row->irqs_off / (double)v->samples);
		n++;
	}
	if (*names && v->scale == SCALE_TIME)
		quality_explain(g->q, names);
}

/* What they cost is in the base and in the samples of the functions that they are attached to. */
static void gate_tracers(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	char names[240] = "", words[320];

	if (!g->a->run->tracers_known)
		return;
	SPREAD(g, QUALITY_TRACERS, 100 * v->tracers_ns / v->base_ns, 100 * v->tracers_half_ns / v->base_ns);
	analysis_describe_tracers(v, names, sizeof(names));
	snprintf(words, sizeof(words), "%.1f ± %.1f ns a packet went into %s", v->tracers_ns, v->tracers_half_ns,
		 names);
	if (*names)
		quality_explain(g->q, isnan(v->tracers_ns) ? names : words);
}

/*
 * Judges the variant or the task of its second stage, whichever is farther off. It is a fault where the intervals of
 * all variants together say so, and holds where the variant's own does. An imported list of functions may be cut short,
 * and what nobody listed is no fault.
 */
static void gate_closure(struct gates *g)
{
	const struct analysis_variant *v = g->v, *task = v->stage.task;
	double off_pct, half_pct;

	if (task && (isnan(v->off_ns) || (fabs(task->off_ns) - task->off_half_ns) / task->base_ns >
						 (fabs(v->off_ns) - v->off_half_ns) / v->base_ns))
		v = task;
	off_pct = 100 * fabs(v->off_ns) / v->base_ns;
	half_pct = 100 * v->unattributed_half_ns / v->base_ns;
	if (off_pct - half_pct > quality_limit(g->limits, QUALITY_CLOSURE))
		half_pct = 100 * v->off_half_ns / v->base_ns;
	if (isnan(v->off_ns) || run_is_imported(g->a->run))
		UNKNOWN(g, QUALITY_CLOSURE);
	else
		SPREAD(g, QUALITY_CLOSURE, off_pct, half_pct);
}

static void gate_blocks(struct gates *g)
{
	const struct analysis_variant *v = g->v;
	size_t outliers = 0, empty = 0, unsampled = 0;
	double part;
	char note[96] = "";

	if (isnan(v->trend.p))
		PLAIN(g, QUALITY_DRIFT, NAN);
	else
		SPREAD(g, QUALITY_DRIFT, fabs(v->drift_pct), v->drift_half_pct);
	for (size_t i = 0; i < v->nused; i++)
		outliers += v->used[i]->outlier;
	part = v->nused >= ANALYSIS_BLOCKS ? (double)outliers / (double)v->nused : NAN;
	if (100 * part > quality_limit(g->limits, QUALITY_OUTLIERS)) /* so many of a few blocks may be chance */
		SPREAD(g, QUALITY_OUTLIERS, 100 * part, 100 * STATS_Z95 * sqrt(part * (1 - part) / (double)v->nused));
	else
		PLAIN(g, QUALITY_OUTLIERS, 100 * part);
	for (size_t i = 0; i < v->nblocks; i++) {
		empty += v->blocks[i].fate == FATE_NO_PACKETS;
		unsampled += v->blocks[i].fate == FATE_NO_SAMPLES;
	}
	if (empty)
		listed_add(note, sizeof(note), ", ", "%zu without%s packets discarded", empty,
			   v->of->run->view == RUN_VIEW_WATCH ? " timed" : "");
	if (unsampled)
		listed_add(note, sizeof(note), ", ", "%zu without samples discarded", unsampled);
	ADD(g, QUALITY_BLOCKS, (double)v->nused, "%s", note);
}

/* The packets of each block that no counter explains; frames that should have left and did not, or left twice. */
static void gate_packets(struct gates *g)
{
	double unexplained = NAN, missing = NAN, strays = 0, strays_of = 0;

	for (size_t i = 0; i < g->v->nused; i++) {
		const struct run_totals *t = &g->v->used[i]->block->totals;
		double left = (double)(t->tx_sent >= 0 ? t->tx_sent : t->link_sent), fewer = NAN;

		/* gen_sent counts the frames that left; frames that the device refused are only in gen_errors */
		if (t->gen_sent >= 0 && t->rx_seen >= 0)
			unexplained = fmax(unexplained, /* fmax() ignores a NaN */
					   fabs((double)t->gen_sent - fmax(0, (double)t->rx_named_drops) +
						fmax(0, (double)t->stray) - (double)t->rx_seen));
		/*
		 * The program's TX verdicts less the frames that left by the device's counters; 0 if more frames left.
		 * A difference of up to one TX ring is no loss in two cases: the counter that all devices have counts
		 * a frame only when the ring has completed it, and a load that is not ours keeps running while we read
		 * the counters.
		 */
		if (t->tx_verdicts >= 0 && left >= 0)
			fewer = fmax(0, (double)t->tx_verdicts - left);
		if ((t->tx_sent < 0 || t->gen_sent < 0) && fewer <= g->a->run->facts.tx_ring_frames)
			fewer = 0;
		if (t->tx_errors >= 0)
			fewer = fmax(fewer, (double)t->tx_errors);
		if (t->tx_verdicts >= 0 && t->sink_frames >= 0)
			fewer = fmax(fewer, fabs((double)t->tx_verdicts - (double)t->sink_frames));
		missing = fmax(missing, fewer);
		if (t->stray >= 0 && t->rx_seen > 0) {
			strays += (double)t->stray;
			strays_of += (double)t->rx_seen;
		}
	}
	PLAIN(g, QUALITY_CONSERVATION, unexplained);
	PLAIN(g, QUALITY_STRAY, strays_of > 0 ? 100 * strays / strays_of : NAN);
	if (g->v->variant->action == RUN_ACTION_TX)
		PLAIN(g, QUALITY_TX_RETURNED, missing);
}

int variant_add_gates(struct analysis_variant *v, const struct analysis *a)
{
	struct gates g = {v, a, v->variant->id, &v->quality, &a->options.limits};

	const char *other = NULL;
	size_t wrong = 0;
	for (size_t i = 0; i < g.v->nblocks; i++)
		if (g.v->blocks[i].block->mode_found != g.v->variant->mode) {
			other = run_mode_words[g.v->blocks[i].block->mode_found];
			wrong++;
		}
	ADD(&g, QUALITY_MODE, (double)wrong, other ? "found %s" : "%s", other ?: "");
	gate_load(&g);
	gate_placement(&g);
	gate_pace(&g);
	double expected = (double)a->run->nrx_cpus, seen = (double)v->ncpus;
	if (run_variant_is_watched(v->variant) && seen < expected)
		expected = seen; /* the others are those of other devices */
	if (!a->run->nrx_cpus)
		UNKNOWN(&g, QUALITY_CPUS); /* imported: where packets arrived is not known */
	else
		ADD(&g, QUALITY_CPUS, fabs(seen - expected),
		    seen == expected ? "%.0f of %.0f" : "packets on %.0f CPUs, %.0f measured", seen, expected);
	/* The base comes from unprofiled windows, so this is about functions alone. */
	SPREAD(&g, QUALITY_OVERHEAD, v->overhead_pct, v->overhead_half_pct);

	gate_sampled_busy(&g);
	gate_closure(&g);
	gate_irqs_off(&g);
	gate_tracers(&g);
	gate_packets(&g);
	if (run_variant_is_own(v->variant)) {
		/* Frames by which the counts of verdicts differ; NaN: not counted, or not all can be told apart. */
		const struct run_verdicts *t = &v->variant->verdicts;
		bool known = t->frames >= 0 && t->runs >= 0;
		int64_t sum = 0;

		for (int i = 0; i < RUN_UNTOLD && known; i++) {
			known = t->ended[i] >= 0;
			sum += t->ended[i];
		}
		PLAIN(&g, QUALITY_TOLD,
		      !known ? NAN
			     : fmax(fmax(fabs((double)(t->frames - t->runs)), fabs((double)(t->seen - t->runs))),
				    fmax(fabs((double)(t->runs - sum)),
					 t->back < 0 ? 0 : fabs((double)(t->ended[RUN_TX] - t->back)))));
	}
	if (v->variant->stage != RUN_STAGE_NONE) {
		PLAIN(&g, QUALITY_CONSUMER, v->stage.missing);
		PLAIN(&g, QUALITY_STAGE_DROPS, v->stage.dropped_pct);
	}
	PLAIN(&g, QUALITY_STEAL, v->steal_pct);
	PLAIN(&g, QUALITY_FREQUENCY, v->freq_spread_pct);
	gate_blocks(&g);
	return v->quality.err;
}
