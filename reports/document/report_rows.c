// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured variants: their facts. Their tables are in report_tables.c. */
#include "reports/run/fields.h"
#include "reports/document/document.h"

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

static const struct column variant_columns[] = {
	{"side", "", CELL_WORDS, IN_TABLE},
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"action", NULL, CELL_WORDS, IN_JSON},
	{"operation", NULL, CELL_WORDS, IN_JSON},
	{"mode", NULL, CELL_WORDS, IN_JSON},
	{"injected_ns", NULL, CELL_NUMBER, IN_JSON},
	{"pps", "packets/s", CELL_RATE, IN_JSON | IN_TABLE | IN_FACTS, FROM(analysis_variant, pps)},
	{"packets", NULL, CELL_COUNT, IN_JSON, FROM(analysis_variant, packets)},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE | IN_FACTS | WITH_LEVEL, "(95 %)",
	 FROM_INTERVAL(analysis_variant, base_ns, half_ns), .csv = "self_ns"},
	{"base_ns_by_rate", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, base_by_rate_ns)},
	{"base_ns_by_busy", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, base_by_busy_ns)},
	{"busy_pct", "busy %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"busy_words", "CPU", CELL_WORDS, IN_FACTS},
	{"busy_from", NULL, CELL_WORDS, IN_JSON},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_variant, ci95_ns), .csv = "self_ns"},
	{"packets_per_poll", "packets/poll", CELL_NUMBER, IN_JSON | IN_TABLE | IN_FACTS,
	 FROM(analysis_variant, packets_per_poll), .decimals = 1},
	{"wakeups", NULL, CELL_OBJECT, IN_JSON},
	{"wakeup_words", "waking up", CELL_WORDS, IN_FACTS},
	{"excluded_ns", "excluded", CELL_NUMBER, IN_JSON | IN_FACTS, "ns, as not this variant's",
	 FROM(analysis_variant, excluded_ns), .decimals = 1},
	{"consumer", NULL, CELL_OBJECT, IN_JSON},
	{"consumer_words", "consumer", CELL_WORDS, IN_FACTS},
	{"sending", NULL, CELL_OBJECT, IN_JSON},
	{"sending_words", "sending", CELL_WORDS, IN_FACTS},
	{"sum_ns", NULL, CELL_NUMBER, IN_JSON},
	{"factor", NULL, CELL_NUMBER, IN_JSON},
	{"scale", NULL, CELL_WORDS, IN_JSON},
	{"unattributed_ns", NULL, CELL_NUMBER, IN_JSON,
	 FROM_INTERVAL(analysis_variant, unattributed_ns, unattributed_half_ns)},
	{"unattributed_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, unattributed_half_ns)},
	{"rest", NULL, CELL_OBJECT, 0},
	{"closure_words", "closure", CELL_WORDS, IN_FACTS},
	{"scale_words", "samples' ns", CELL_WORDS, IN_FACTS},
	{"speed", NULL, CELL_OBJECT, IN_JSON},
	{"speed_words", "speed", CELL_WORDS, IN_FACTS},
	{"spread", NULL, CELL_OBJECT, IN_JSON},
	{"turns_words", "spread", CELL_WORDS, IN_FACTS},
	{"histogram_words", "histogram", CELL_WORDS, IN_FACTS},
	{"modes_words", "two modes", CELL_WORDS, IN_FACTS},
	{"stall_words", "longest stalls", CELL_WORDS, IN_FACTS},
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE | IN_FACTS, FROM(analysis_variant, samples),
	 .csv = "samples"},
	{"all_pct", NULL, CELL_NUMBER, 0, .csv = "self_pct"},
	{"design_effect", "design effect", CELL_NUMBER, IN_JSON | IN_FACTS, FROM(analysis_variant, design_effect),
	 .decimals = 2},
	{"n_eff", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, n_eff)},
	{"detection_limit_ns", "detection limit", CELL_NUMBER, IN_JSON | IN_FACTS,
	 "ns at most for a symbol without samples"},
	{"overhead_pct", "profiling", CELL_NUMBER, IN_JSON | IN_FACTS, "% slower while profiled",
	 FROM_INTERVAL(analysis_variant, overhead_pct, overhead_half_pct)},
	{"overhead_half_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, overhead_half_pct)},
	{"verdicts_words", "verdicts", CELL_WORDS, IN_FACTS},
	MADE_COLUMNS,
	{"waits_ns", "waits", CELL_NUMBER, IN_JSON | IN_FACTS, "ns for the CPU, not in the base",
	 FROM(analysis_variant, waits_ns), .decimals = 1},
	{"sampled_busy_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, sampled_busy_pct)},
	{"drift_pct", "drift", CELL_NUMBER, IN_JSON | IN_FACTS | WITH_SIGN,
	 "% from the beginning of a block to its end", FROM(analysis_variant, drift_pct), .decimals = 2},
	{"dispersion_pct", "dispersion", CELL_NUMBER, IN_JSON | IN_FACTS, "% from block to block (standard deviation)",
	 .csv = "dispersion_pct", FROM(analysis_variant, dispersion_pct), .decimals = 2},
	{"system_calls", NULL, CELL_NUMBER, 0, .csv = "system_calls"},
	{"completions", NULL, CELL_NUMBER, 0, .csv = "completions"},
	{"lag1", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_variant, trend.lag1)},
	{"blocks_used", NULL, CELL_COUNT, IN_JSON, FROM(analysis_variant, nused)},
	{"blocks_discarded", NULL, CELL_COUNT, IN_JSON},
	{"blocks_words", "blocks used", CELL_WORDS, IN_WIDE | IN_FACTS},
	{"blocks", NULL, CELL_TABLE, IN_JSON},
	{"placement", NULL, CELL_OBJECT, IN_JSON},
	{"cpus", "CPUs", CELL_TABLE, IN_JSON | IN_TABLE},
	{"components", "Components", CELL_TABLE, IN_JSON | IN_TABLE},
	{"tags", "Tags", CELL_TABLE, IN_JSON | IN_TABLE,
	 "Across components: a function may have several tags or none."},
	{"symbols", "Symbols", CELL_TABLE, IN_JSON | IN_TABLE},
	{"source_lines", "Source lines", CELL_TABLE, IN_JSON | IN_TABLE,
	 "By samples: a line may stand for the one that the CPU waited for."},
	{"source_words", "source lines", CELL_WORDS, IN_FACTS},
	{"consumer_components", "Consumer: components", CELL_TABLE, IN_TABLE | WITH_CAPTION,
	 "Of the consumer, per frame."},
	{"consumer_symbols", "Consumer: symbols", CELL_TABLE, IN_TABLE | WITH_CAPTION, "Of the consumer, per frame."},
	{"counters", "The device's counters", CELL_TABLE, IN_JSON | IN_TABLE},
	{"slab", NULL, CELL_OBJECT, IN_JSON},
	{"slab_words", "slab memory", CELL_WORDS, IN_FACTS},
	{"events", "perf stat", CELL_TABLE, IN_JSON | IN_TABLE, "Counted on the whole CPU, in windows of their own."},
	{"counting_pct", "perf stat", CELL_NUMBER, IN_JSON | IN_FACTS | WITH_SIGN, "% slower while it counts",
	 FROM_INTERVAL(analysis_variant, counting_pct, counting_half_pct)},
	{"quality", NULL, CELL_TABLE, IN_JSON},
};

static const struct column document_columns[] = {
	{"modes", "native and skb", CELL_TABLE, IN_TABLE},
	{"parts", "before and after", CELL_TABLE, IN_TABLE},
	{"alone", "others", CELL_TABLE, IN_TABLE},
	{"variants", NULL, CELL_TABLE, IN_JSON},
	{"quality", NULL, CELL_TABLE, IN_JSON},
};

/* ---- what waking up costs -------------------------------------------------------------------------------- */

/* Known for a point of a sweep over rates; else a sentence where it is in the base. */
static const struct column wakeup_columns[] = {
	{"asleep_pct", NULL, CELL_NUMBER, IN_JSON},
	{"points", NULL, CELL_COUNT, IN_JSON, FROM(analysis_wakeups, points)},
	{"poll_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, poll_ns)},
	{"poll_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, poll_half_ns)},
	{"full_poll_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, full_ns)},
	{"full_poll_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, full_half_ns)},
	{"in_base_ns", NULL, CELL_NUMBER, IN_JSON},
};

/* Rounds to two digits. */
static double round_rate(double pps)
{
	double step = pow(10, floor(log10(fmax(10, pps))) - 1);

	return fmax(1, round(pps / step) * step);
}

static void wakeup_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "wakeups", wakeup_columns, COUNT(wakeup_columns));
	const struct analysis_wakeups *w = &v->wakeups;
	char poll[64], full[64];

	if (!w->points && !analysis_sleeps(v))
		return;
	rows_add_of(r, w);
	rows_value(r, "asleep_pct", isnan(v->busy_pct) ? NAN : fmax(0, 100 - v->busy_pct));
	if (!w->points) {
		const struct run *run = v->of->run;
		const char *load = run->load ? json_string_value(json_object_get(run->load, "kind")) : NULL;

		rows_words(parent, "wakeup_words",
			   "the base includes waking up, as the CPU was idle for %.0f %% of the time; \"xdpzoom "
			   "record\" with --sweep rate=%.0f,%.0f,%.0f%s separates the two",
			   100 - v->busy_pct, round_rate(v->pps / 8), round_rate(v->pps / 4), round_rate(v->pps / 2),
			   load && !strcmp(load, "external") ? " and a generator of its own (--generator)" : "");
		return;
	}
	rows_value(r, "in_base_ns", w->poll_ns / v->packets_per_poll);
	rows_words(parent, "wakeup_words",
		   "a poll costs %s ns beside its packets, waking up for it included: %.1f ns of each packet here; in "
		   "full polls of %d a packet costs %s ns (by %zu points of the sweep)",
		   digits_interval(w->poll_ns, w->poll_half_ns, poll, sizeof(poll)), w->poll_ns / v->packets_per_poll,
		   ANALYSIS_FULL_POLL, digits_interval(w->full_ns, w->full_half_ns, full, sizeof(full)), w->points);
}

/* ---- the speeds of the machine, and the spread over single turns ----------------------------------------- */

static const struct column speed_columns[] = {
	{"run_s", NULL, CELL_NUMBER, IN_JSON, FROM(speed, run_s)},
	{"discarded_s", NULL, CELL_NUMBER, IN_JSON, FROM(speed, discarded_s)},
	{"factor", NULL, CELL_NUMBER, IN_JSON, FROM(speed, factor)},
	{"moved_pct", NULL, CELL_NUMBER, IN_JSON},
	{"range", NULL, CELL_RANGE, IN_JSON, FROM(speed, range)},
	{"reference_ns", NULL, CELL_NUMBER, IN_JSON},
	{"slope", NULL, CELL_NUMBER, IN_JSON},
	{"slope_half", NULL, CELL_NUMBER, IN_JSON},
	{"stalls", NULL, CELL_COUNT, IN_JSON, FROM(speed, nstalls)},
	{"stalls_ms", NULL, CELL_NUMBER, IN_JSON},
	{"by", NULL, CELL_WORDS, IN_JSON},
	{"probe_factor", NULL, CELL_NUMBER, IN_JSON, FROM(speed, probe_factor)},
	{"waited_s", NULL, CELL_NUMBER, IN_JSON},
};

/* A factor below 1 is one of a faster machine. */
static double times(double factor, bool faster)
{
	return faster ? 1 / factor : factor;
}

static void speed_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "speed", speed_columns, COUNT(speed_columns));
	static const char *const by[] = {"generator", "variants", "probes"};
	const struct speed *s = &v->of->speed;
	char more[240];
	size_t len;

	if (!s->known)
		return;
	rows_add_of(r, s);
	rows_value(r, "moved_pct", 100 * s->moved);
	rows_value(r, "reference_ns", v->reference_ns);
	rows_value(r, "slope", v->slope);
	rows_value(r, "slope_half", v->slope_half);
	rows_value(r, "stalls_ms", s->stalls_s * 1e3);
	rows_text(r, "by", by[s->by]);
	rows_value(r, "waited_s", v->of->run->waited_s);
	more[0] = '\0';
	if (!isnan(v->of->run->waited_s))
		snprintf(more, sizeof(more), "; the first block waited %.1f s for a steady CPU%s", v->of->run->waited_s,
			 v->of->run->steady ? "" : " in vain");
	len = strlen(more);
	if (s->nstalls)
		snprintf(more + len, sizeof(more) - len, "; %zu stall%s of the run, %.1f ms in all, %s discarded",
			 s->nstalls, s->nstalls == 1 ? "" : "s", s->stalls_s * 1e3, s->nstalls == 1 ? "is" : "are");
	if (s->by == SPEED_PROBES) {
		if (s->discarded_s > 0)
			rows_words(parent, "speed_words",
				   "the machine was %.2f times %s for %.0f of %.0f s (the probe of the CPU: %.2f "
				   "times); these blocks are discarded%s",
				   times(s->factor, s->factor < 1), s->factor < 1 ? "faster" : "slower", s->discarded_s,
				   s->run_s, times(s->probe_factor, s->factor < 1), more);
		else
			rows_words(parent, "speed_words", "the probes of the CPU saw one speed in %.0f s of blocks%s",
				   s->run_s, more);
	} else {
		char moved[80], at[160], slope[64], jumped[64] = "";

		if (isnan(s->moved))
			snprintf(moved, sizeof(moved), "is known for one time in %.0f s of turns", s->run_s);
		else
			snprintf(moved, sizeof(moved), "moved by ± %.*f %% in %.0f s of turns; that is excluded",
				 s->moved < 0.0095, 100 * s->moved, s->run_s);
		snprintf(at, sizeof(at), "by what all variants cost together");
		if (!isnan(v->slope_half))
			snprintf(at, sizeof(at), "where the generator takes %.1f ns a frame (slope %s)",
				 v->reference_ns, digits_interval(v->slope, v->slope_half, slope, sizeof(slope)));
		else if (!isnan(v->reference_ns))
			snprintf(at, sizeof(at), "where the generator takes %.1f ns a frame", v->reference_ns);
		if (s->discarded_s >= 0.05)
			snprintf(jumped, sizeof(jumped), "; in %.1f s it jumped, and these are discarded",
				 s->discarded_s);
		rows_words(parent, "speed_words", "the machine's speed %s: costs are those at the median speed, %s%s%s",
			   moved, at, jumped, more);
	}
}

static const struct column bin_columns[] = {
	{"from_ns", NULL, CELL_NUMBER, IN_JSON},
	{"count", NULL, CELL_COUNT, IN_JSON},
};

static const struct column stall_columns[] = {
	{"at_s", NULL, CELL_NUMBER, IN_JSON},
	{"longer_ms", NULL, CELL_NUMBER, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON},
	{"ran", NULL, CELL_WORDS, IN_JSON},
};

static const struct column spread_columns[] = {
	{"of", NULL, CELL_WORDS, IN_JSON},
	{"n", NULL, CELL_COUNT, IN_JSON, FROM(analysis_turns, n)},
	{"p1_ns", NULL, CELL_NUMBER, IN_JSON},
	{"p25_ns", NULL, CELL_NUMBER, IN_JSON},
	{"p50_ns", NULL, CELL_NUMBER, IN_JSON},
	{"p75_ns", NULL, CELL_NUMBER, IN_JSON},
	{"p99_ns", NULL, CELL_NUMBER, IN_JSON},
	{"longest_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_turns, longest_ns)},
	{"modes_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_turns, mode_ns)},
	{"slower_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_turns, slower_pct)},
	{"bins", NULL, CELL_TABLE, IN_JSON},
	{"longest_stalls", NULL, CELL_TABLE, IN_JSON},
};

static void spread_object(struct rows *parent, const struct analysis_turns *t)
{
	static const char *const names[ANALYSIS_TURN_QUANTILES] = {"p1_ns", "p25_ns", "p50_ns", "p75_ns", "p99_ns"};
	struct rows *r = rows_table(parent, "spread", spread_columns, COUNT(spread_columns)), *table;
	double width = (t->ns[ANALYSIS_TURN_QUANTILES - 1] - t->ns[0]) / ANALYSIS_TURN_BINS;

	if (!t->n)
		return;
	rows_add_of(r, t);
	rows_text(r, "of", t->windows ? "windows" : "turns");
	for (size_t i = 0; i < ANALYSIS_TURN_QUANTILES; i++)
		rows_value(r, names[i], t->ns[i]);
	table = rows_table(r, "bins", bin_columns, COUNT(bin_columns));
	for (size_t i = 0; i < ANALYSIS_TURN_BINS && width > 0; i++) {
		rows_add(table);
		rows_value(table, "from_ns", t->ns[0] + (double)i * width);
		rows_value(table, "count", (double)t->bins[i]);
	}
	table = rows_table(r, "longest_stalls", stall_columns, COUNT(stall_columns));
	for (size_t i = 0; i < t->nstalls; i++) {
		rows_add(table);
		rows_value(table, "at_s", t->stalls[i].at_s);
		rows_value(table, "longer_ms", t->stalls[i].longer_ns / 1e6);
		rows_value(table, "samples", t->stalls[i].sampled ? (double)t->stalls[i].samples : NAN);
		rows_text(table, "ran", t->stalls[i].ran);
	}
}

/* ---- variants ---------------------------------------------------------------------------------------- */

static void put_closure(struct rows *r, const struct analysis_variant *v)
{
	static const char *const scales[] = {
		[SCALE_TIME] = "time",
		[SCALE_FREQUENCY] = "frequency",
		[SCALE_BUSY] = "busy time",
		[SCALE_SHARES] = "as time",
	};
	/* What is known of a sum depends on what the samples' weight is. */
	static const char *const words[] = {
		[SCALE_TIME] = "",
		[SCALE_FREQUENCY] = "cycles over the CPU's frequency, whose error would be unattributed",
		[SCALE_BUSY] =
			"scaled to the busy time of the profiled windows, so samples that are missing would not show",
		[SCALE_SHARES] = "shares of an event that is no time, taken as shares of the time: --as-time",
	};
	char rest[64];

	rows_value(r, "sum_ns", v->nsymbols ? v->sum_ns : NAN);
	rows_text(r, "scale", v->nsymbols ? scales[v->scale] : NULL);
	digits_interval(v->unattributed_ns, v->unattributed_half_ns, rest, sizeof(rest));
	rows_value(r, "factor", 1); /* of rows, whose sum is not made that of the base; readers of the schema have it */
	rows_words(r, "closure_words", "symbols %.1f + unattributed %s = base %.1f ns",
		   analysis_sum_rows(v->symbols, v->nsymbols), rest, v->base_ns);
	if (v->nsymbols)
		rows_text(r, "scale_words", words[v->scale]);
}

static void put_blocks(struct rows *r, const struct analysis_variant *v)
{
	size_t slow = 0;

	for (size_t i = 0; i < v->nblocks; i++)
		slow += v->blocks[i].fate == FATE_SLOW;
	if (slow && isnan(v->slow_factor)) /* none of them has a base: their turns were set aside */
		rows_words(r, "blocks_words", "%zu of %zu; %zu are at another speed", v->nused, v->nblocks, slow);
	else if (slow)
		rows_words(r, "blocks_words", "%zu of %zu; in %zu the machine was %.1f times %s", v->nused, v->nblocks,
			   slow, v->slow_factor < 1 ? 1 / v->slow_factor : v->slow_factor,
			   v->slow_factor < 1 ? "faster" : "slower");
	else
		rows_words(r, "blocks_words", "%zu of %zu", v->nused, v->nblocks);
}

void report_rows_side(struct rows *r, const struct analysis_variant *v, const char *side)
{
	rows_add_of(r, v);
	rows_last(r)->class = side;
	rows_text(r, "side", side);
	rows_text(r, "id", v->variant->id);
	rows_text(r, "action", run_action_words[v->variant->action]);
	rows_text(r, "operation", run_operation_words[v->variant->operation]);
	rows_text(r, "mode", run_mode_words[v->variant->mode]);
	rows_value(r, "injected_ns", v->variant->injected_ns);
	rows_number(r, "busy_pct", isnan(v->busy_pct) ? NAN : fmin(100, v->busy_pct), 1);
	rows_text(r, "busy_from", v->busy_estimated ? "samples" : "kernel clock");
	if (isnan(v->busy_pct))
		rows_text(r, "busy_words", "how busy it was is not known: base by rate");
	else
		rows_words(r, "busy_words", "%.1f %% busy: %.1f ns by busy time, %.1f ns by rate", v->busy_pct,
			   v->base_by_busy_ns, v->base_by_rate_ns);
	wakeup_rows(r, v);
	put_closure(r, v);
	rows_value(r, "all_pct", 100);
	rows_number(r, "detection_limit_ns", v->samples ? v->detection_limit_ns : NAN, 2);
	rows_value(r, "blocks_discarded", (double)(v->nblocks - v->nused));
	put_blocks(r, v);
	speed_rows(r, v);
	/*
	 * How the cost is spread over single turns or windows: a slow machine, or one with two speeds, shows here
	 * first.
	 */
	const struct analysis_turns *t = &v->turns;
	char count[48];
	spread_object(r, t);
	if (t->n < 8)
		return;
	digits_count((double)t->n, count, sizeof(count));
	if (t->windows)
		rows_words(r, "turns_words",
			   "%s windows; a quarter of them cost less than %.1f ns per packet, half %.1f, three quarters "
			   "%.1f; the slowest %.1f",
			   count, t->ns[1], t->ns[2], t->ns[3], t->longest_ns);
	else
		rows_words(r, "turns_words",
			   "%s turns; 1 %% of them cost less than %.1f ns per packet, a quarter less than %.1f, half "
			   "%.1f, three quarters %.1f, 99 %% %.1f; the slowest %.1f",
			   count, t->ns[0], t->ns[1], t->ns[2], t->ns[3], t->ns[4], t->longest_ns);
	/* One character for each bin, as high as the bin is full. */
	static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	char bars[ANALYSIS_TURN_BINS * 4 + 1] = "";
	size_t most = 0;
	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		most = t->bins[i] > most ? t->bins[i] : most;
	for (size_t i = 0; i < ANALYSIS_TURN_BINS && most; i++)
		strcat(bars, heights[(t->bins[i] * (COUNT(heights) - 1) + most - 1) / most]);
	if (t->n >= SPEED_INTERVALS_ENOUGH && most)
		rows_words(r, "histogram_words", "%.1f ns |%s| %.1f ns", t->ns[0], bars,
			   t->ns[ANALYSIS_TURN_QUANTILES - 1]);
	if (!isnan(t->slower_pct))
		rows_words(r, "modes_words",
			   "the cost has two modes: %.1f ns, and %.1f ns in %.0f %% of the %s; the mean is neither",
			   t->mode_ns[0], t->mode_ns[1], t->slower_pct, t->windows ? "windows" : "turns");
	char words[400] = "";
	for (size_t i = 0; i < t->nstalls; i++) {
		const struct analysis_stall *s = &t->stalls[i];
		char ran[96];

		if (!s->sampled)
			snprintf(ran, sizeof(ran), "what ran is not known");
		else if (!s->samples)
			snprintf(ran, sizeof(ran), "no sample: the CPU was away");
		else
			snprintf(ran, sizeof(ran), "most of %zu samples in %.40s", s->samples, s->ran);
		listed_add(words, sizeof(words), ", ", "%.1f ms at %.2f s (%s)", s->longer_ns / 1e6, s->at_s, ran);
	}
	if (t->nstalls)
		rows_words(r, "stall_words", "%s", words);
}

struct rows *report_rows_table(struct rows *parent, const char *key)
{
	return rows_table(parent, key, variant_columns, COUNT(variant_columns));
}

int report_rows(struct rows *r, const struct analysis *a, const struct analysis_variant *only, const struct overview *v)
{
	struct rows *variants;

	rows_init(r, document_columns, COUNT(document_columns));
	rows_add(r);
	if (!only)
		overview_rows(r, v);
	variants = report_rows_table(r, "variants");
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i]) {
			struct made made = analysis_made(&a->variants[i]);

			report_rows_side(variants, &a->variants[i], NULL);
			variant_rest_row(variants, &a->variants[i]);
			made_rows_put(variants, &made);
			/* "20 % drop, 80 % pass, tx not known"; only verdicts that came. */
			const struct run_verdicts *v = &a->variants[i].variant->verdicts;
			bool told = run_variant_is_own(a->variants[i].variant) && v->frames > 0 && v->runs > 0;
			char words[200] = "";
			for (int k = 0; told && k < RUN_UNTOLD; k++) {
				double pct = 100 * (double)v->ended[k] / (double)v->runs;

				if (v->ended[k] < 0)
					listed_add(words, sizeof(words), ", ", "%s not known", run_verdict_names[k]);
				else if (v->ended[k])
					listed_add(words, sizeof(words), ", ", "%.4g %% %s", pct, run_verdict_names[k]);
			}
			if (told)
				rows_words(variants, "verdicts_words",
					   "%s; counted before the measurement, in %.0f runs", words, (double)v->runs);
			variant_stage_rows(variants, &a->variants[i]);
			variant_sending_rows(variants, &a->variants[i]);
			variant_block_rows(variants, &a->variants[i]);

			variant_cpu_rows(variants, &a->variants[i]);
			variant_component_rows(variants, "components", &a->variants[i]);
			variant_tag_rows(variants, &a->variants[i]);
			variant_symbol_rows(variants, "symbols", &a->variants[i]);
			variant_line_rows(variants, &a->variants[i]);
			variant_counter_rows(variants, &a->variants[i]);

			quality_rows(variants, "quality", &a->variants[i].quality);
		}
	quality_rows(r, "quality", &a->quality);
	return rows_error(r);
}
