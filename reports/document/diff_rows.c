// SPDX-License-Identifier: GPL-2.0-or-later
/* Two measured variants, side by side. */
#include "reports/document/document.h"

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

#define CHANCE   "~ chance explains the change (q >= 0.05)"
#define UNLISTED "; unlisted: one side's list was cut short before it, so it may cost as much there"
#define UNTESTED "; ? not tested: no measure of chance"

/* Components and symbols differ in what JSON and people see of the component. */
#define CHANGE_COLUMNS                                                                                                 \
	{"base_ns", "base ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM, .csv = "base_ns"},                          \
		{"new_ns", "new ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM, .csv = "new_ns"},                     \
		{"delta_ns", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_SIGN | WITH_BAR,              \
		 .csv = "delta_ns"},                                                                                   \
		{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(compare_row, ci95_ns), .csv = "delta_ns"},                 \
		{"absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON},                                                     \
		{"p", NULL, CELL_NUMBER, IN_JSON, FROM(compare_row, p), .csv = "p"},                                   \
		{"q", "q", CELL_CHANCE, IN_JSON | IN_WIDE, FROM(compare_row, q), .decimals = 4, .csv = "q"},           \
		{"class", NULL, CELL_WORDS, IN_JSON, .csv = "class"}

static const struct column component_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(compare_row, name), .csv = "name"},
	{"component", NULL, CELL_WORDS, 0, FROM(compare_row, component), .csv = "component"},
	CHANGE_COLUMNS,
};

/* From one base to the other: the mark stands last. */
static const struct column step_columns[] = {
	{"name", "component", CELL_COMPONENT, IN_TABLE, FROM(compare_row, name)},
	{"component", NULL, CELL_WORDS, 0, FROM(compare_row, component)},
	{"base_ns", "base", CELL_NUMBER, IN_WIDE},
	{"new_ns", "new", CELL_NUMBER, IN_WIDE},
	{"delta_ns", "ns/packet", CELL_NUMBER, IN_TABLE | WITH_SIGN},
	{"ci95_ns", NULL, CELL_RANGE, 0, FROM(compare_row, ci95_ns)},
	{"absent_at_most_ns", NULL, CELL_NUMBER, 0},
	{"p", NULL, CELL_NUMBER, 0, FROM(compare_row, p)},
	{"q", NULL, CELL_CHANCE, 0, FROM(compare_row, q), .decimals = 4},
	{"class", NULL, CELL_WORDS, 0},
	{"mark", "", CELL_MARK, IN_TABLE},
};

/* Tags are named "tag" in JSON, so that no reader adds them to the components. */
static const struct column tag_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "tag", CELL_NAME, IN_JSON | IN_TABLE, FROM(compare_row, name)},
	{"component", NULL, CELL_WORDS, 0, FROM(compare_row, component)},
	CHANGE_COLUMNS,
};

static const struct column symbol_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "symbol", CELL_NAME, IN_JSON | IN_TABLE, FROM(compare_row, name), .csv = "name"},
	{"component", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(compare_row, component),
	 .csv = "component"},
	CHANGE_COLUMNS,
};

static const struct column counter_columns[] = {
	{"source", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"name", "device's counter", CELL_NAME, IN_JSON | IN_TABLE | WITH_REST, FROM(compare_counter, name)},
	{"base_per_packet", "base/packet", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(compare_counter, base), .decimals = 3},
	{"new_per_packet", "new", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(compare_counter, new), .decimals = 3},
	{"delta_per_packet", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN, FROM(compare_counter, delta),
	 .decimals = 3},
	{"matters", NULL, CELL_FLAG, IN_JSON, FROM(compare_counter, matters)},
	{"meaning", "meaning", CELL_WORDS, IN_JSON | IN_TABLE, FROM(compare_counter, meaning)},
};

static const struct column event_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"event", "perf stat", CELL_NAME, IN_JSON | IN_TABLE, FROM(compare_event, name)},
	{"unit", "unit", CELL_WORDS, IN_JSON | IN_TABLE, FROM(compare_event, unit)},
	{"base_per_packet", "base/packet", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"new_per_packet", "new", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"delta_per_packet", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN},
	{"half", NULL, CELL_NUMBER, IN_JSON, FROM(compare_event, half)},
	{"p", NULL, CELL_NUMBER, IN_JSON, FROM(compare_event, p)},
	{"running_pct", NULL, CELL_NUMBER, IN_JSON, FROM(compare_event, running_pct)},
	{"counted_pct", "counted %", CELL_NUMBER, IN_TABLE},
};

static const struct column closure_columns[] = {
	{"sum_delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, sum_delta_ns), .decimals = 1},
	{"unattributed_delta_ns", NULL, CELL_NUMBER, IN_JSON,
	 FROM_INTERVAL(compare, unattributed_delta_ns, unattributed_half_ns)},
	{"unattributed_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, unattributed_half_ns)},
	{"base_unattributed_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, base_unattributed_ns)},
	{"new_unattributed_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, new_unattributed_ns)},
};

/* What no function accounts for, as CSV has it. */
static const struct column rest_columns[] = {
	{"base_ns", NULL, CELL_NUMBER, 0, FROM(compare, base_unattributed_ns), .csv = "base_ns"},
	{"new_ns", NULL, CELL_NUMBER, 0, FROM(compare, new_unattributed_ns), .csv = "new_ns"},
	{"delta_ns", NULL, CELL_NUMBER, 0, FROM(compare, unattributed_delta_ns), .csv = "delta_ns"},
};

static const struct column runs_columns[] = {
	{"base_runs", NULL, CELL_COUNT, IN_JSON, FROM(compare_runs, nbase)},
	{"new_runs", NULL, CELL_COUNT, IN_JSON, FROM(compare_runs, nnew)},
	{"paired", NULL, CELL_FLAG, IN_JSON, FROM(compare_runs, paired)},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare_runs, base_ns)},
	{"new_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare_runs, new_ns)},
	{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare_runs, delta_ns)},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(compare_runs, ci95_ns)},
	{"p", NULL, CELL_NUMBER, IN_JSON, FROM(compare_runs, p)},
	{"sd_pct", NULL, CELL_NUMBER, IN_JSON, FROM(compare_runs, sd_pct)},
};

static const struct column stage_columns[] = {
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},
	{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},
	{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM_INTERVAL(compare, overall.delta_ns, overall.half_ns),
	 .csv = "delta_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(compare, overall.ci95_ns), .csv = "delta_ns"},
	{"p", NULL, CELL_NUMBER, IN_JSON, FROM(compare, overall.p), .csv = "p"},
	{"paired", NULL, CELL_FLAG, IN_JSON, FROM(compare, overall.paired)},
	{"components", NULL, CELL_TABLE, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON},
	{"closure", NULL, CELL_OBJECT, IN_JSON},
	{"rest", NULL, CELL_OBJECT, 0},
};

static const struct column diff_columns[] = {
	{"base", NULL, CELL_NAME, IN_JSON},
	{"new", NULL, CELL_NAME, IN_JSON},
	{"same_run", NULL, CELL_FLAG, IN_JSON, FROM(compare, same_run)},
	{"base_pps", NULL, CELL_RATE, IN_JSON},
	{"new_pps", NULL, CELL_RATE, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},
	{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},
	{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM_INTERVAL(compare, overall.delta_ns, overall.half_ns),
	 .csv = "delta_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(compare, overall.ci95_ns), .csv = "delta_ns"},
	{"p", NULL, CELL_NUMBER, IN_JSON, FROM(compare, overall.p), .csv = "p"},
	{"paired", NULL, CELL_FLAG, IN_JSON, FROM(compare, overall.paired)},
	{"trimmed", NULL, CELL_FLAG, IN_JSON, FROM(compare, overall.trimmed)},
	{"pairs", NULL, CELL_COUNT, IN_JSON, FROM(compare, overall.npairs)},
	{"pairs_kept", NULL, CELL_COUNT, IN_JSON, FROM(compare, overall.nkept)},
	{"mean_delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, overall.mean_ns)},
	{"mean_delta_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, overall.mean_half_ns)},
	{"injected_ns", NULL, CELL_NUMBER, IN_JSON, FROM_INTERVAL(compare, injected_ns, injected_half_ns)},
	{"injected_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, injected_half_ns)},
	{"injected_off_ns", NULL, CELL_NUMBER, IN_JSON, FROM_INTERVAL(compare, injected_off_ns, injected_off_half_ns)},
	{"injected_off_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(compare, injected_off_half_ns)},
	{"injected_words", "injected", CELL_WORDS, IN_FACTS},
	{"pairs_words", "pairs", CELL_WORDS, IN_FACTS},
	{"place_words", "places", CELL_WORDS, IN_FACTS},
	{"speed_shared", NULL, CELL_FLAG, IN_JSON},
	{"reference_ratio", NULL, CELL_NUMBER, IN_JSON},
	{"ratio", NULL, CELL_NUMBER, IN_JSON},
	{"ratio_half", NULL, CELL_NUMBER, IN_JSON},
	{"all_delta_ns", NULL, CELL_NUMBER, IN_JSON},
	{"all_delta_half_ns", NULL, CELL_NUMBER, IN_JSON},
	{"speed_words", "speed", CELL_WORDS, IN_FACTS},
	{"run_sd_pct", NULL, CELL_NUMBER, IN_JSON},
	{"run_sd_words", "runs", CELL_WORDS, IN_FACTS},
	{"runs", NULL, CELL_OBJECT, IN_JSON},
	{"runs_words", "all runs", CELL_WORDS, IN_FACTS},
	{"sides", "Both sides", CELL_TABLE, IN_TABLE},
	{"base_run", "base", CELL_WORDS, IN_FACTS},
	{"new_run", "new", CELL_WORDS, IN_FACTS},
	{"config_words", "kernel", CELL_WORDS, IN_FACTS},
	{"made_words", "made with", CELL_WORDS, IN_FACTS},
	{"base_consumer", "consumer of base", CELL_WORDS, IN_FACTS},
	{"new_consumer", "consumer of new", CELL_WORDS, IN_FACTS},
	{"consumer", NULL, CELL_OBJECT, IN_JSON},
	{"consumer_words", "both", CELL_WORDS, IN_FACTS},
	{"cause_words", "inconclusive", CELL_WORDS, IN_FACTS},
	{"components", "Components", CELL_TABLE, IN_JSON | IN_TABLE},
	{"tags", "Tags", CELL_TABLE, IN_JSON | IN_TABLE,
	 "Across components: a function may have several tags or none."},
	{"symbols", "Symbols", CELL_TABLE, IN_JSON | IN_TABLE, CHANCE},
	{"consumer_components", "Consumer: components", CELL_TABLE, IN_TABLE | WITH_CAPTION,
	 "Of the consumer, per frame."},
	{"consumer_symbols", "Consumer: symbols", CELL_TABLE, IN_TABLE | WITH_CAPTION, "Of the consumer, per frame."},
	{"counters", "The device's counters", CELL_TABLE, IN_JSON | IN_TABLE},
	{"events", "perf stat", CELL_TABLE, IN_JSON | IN_TABLE, "Counted on the whole CPU, in windows of their own."},
	{"closure", NULL, CELL_OBJECT, IN_JSON},
	{"rest", NULL, CELL_OBJECT, 0},
	{"closure_words", "closure", CELL_WORDS, IN_PLAIN},
	{"quality", NULL, CELL_TABLE, IN_JSON},
};

/* ---- tables ------------------------------------------------------------------------------------------ */

/* What a row costs on one side. Where that side's list was cut short and does not have the row, a limit is known. */
static void diff_rows_put_side(struct rows *r, const char *key, const struct compare_row *row, double ns,
			       uint64_t samples)
{
	if (!samples && row->absent_ns > 0)
		rows_at_most(r, key, row->absent_ns, row->half_ns);
	else
		rows_beside(r, key, ns, row->half_ns);
}

/* Nobody knows what functions cost in a variant that was never profiled. */
static void change_row(struct rows *r, const struct compare *c, const struct compare_row *row)
{
	static const char *const classes[] = {"same", "changed", "gone", "new", "unlisted", "untested"};
	bool base = c->base->samples, new = c->new->samples;

	rows_add_of(r, row);
	rows_last(r)->class = classes[row->class];
	/* "~": chance may explain it; "?": nothing tells. */
	rows_text(r, "mark",
		  !base || !new || row->class == COMPARE_CHANGED ? ""
		  : row->class == COMPARE_SAME                   ? "~"
		  : row->class == COMPARE_UNTESTED               ? "?"
								 : classes[row->class]);
	diff_rows_put_side(r, "base_ns", row, base ? row->base_ns : NAN, row->base_samples);
	diff_rows_put_side(r, "new_ns", row, new ? row->new_ns : NAN, row->new_samples);
	rows_interval(r, "delta_ns", base && new ? row->delta_ns : NAN, row->half_ns);
	rows_value(r, "absent_at_most_ns", row->absent_ns > 0 ? row->absent_ns : NAN);
	rows_text(r, "class", classes[row->class]);
}

static void diff_rows_change_rows(struct rows *r, const struct compare *c, const struct compare_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		change_row(r, c, &rows[i]);
	if (r && c->base->samples && c->new->samples) {
		/* What the marks mean that are in the table. */
		static const char *const notes[2][2] = {{NULL, CHANCE UNTESTED},
							{CHANCE UNLISTED, CHANCE UNLISTED UNTESTED}};
		bool unlisted = false, untested = false;

		for (size_t i = 0; i < n; i++) {
			unlisted |= rows[i].class == COMPARE_UNLISTED;
			untested |= rows[i].class == COMPARE_UNTESTED;
		}
		r->note = notes[unlisted][untested];
	}
}

/* Losses, recycling and what differs; people are not shown the others. What perf stat counted. */
static void counter_rows(struct rows *parent, const struct compare *c)
{
	struct rows *r = rows_table(parent, "counters", counter_columns, COUNT(counter_columns));

	for (size_t i = 0; i < c->ncounters; i++) {
		const struct compare_counter *one = &c->counters[i];

		rows_add_of(r, one);
		if (!one->matters)
			rows_last(r)->hidden = true;
		rows_text(r, "source", counter_source_names[one->source]);
	}
	r = rows_table(parent, "events", event_columns, COUNT(event_columns));
	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];

		rows_add_of(r, e);
		rows_text(r, "mark", fabs(e->delta) <= e->half ? "~" : "");
		rows_event(r, "base_per_packet", e->base, NAN);
		rows_event(r, "new_per_packet", e->new, NAN);
		rows_event(r, "delta_per_packet", e->delta, e->half);
		rows_number(r, "counted_pct", isnan(e->delta) ? NAN : e->running_pct, 1);
	}
}

/* Variants that took turns: at which speed of the machine they differ by so much, and by which factor. */
static void put_speed(struct rows *r, const struct compare *c)
{
	const struct compare_overall *h = &c->overall;
	const struct speed *s = &c->base->of->speed;
	char ratio[64], all[64];

	rows_value(r, "speed_shared", h->speed_shared);
	rows_value(r, "reference_ratio", exp(h->reference.slower));
	if (h->reference.known)
		rows_words(r, "speed_words",
			   "the generator took %.3f times as long in the new run; the differences are those at the "
			   "speed in the middle, where the two cost %.1f and %.1f ns",
			   exp(h->reference.slower), h->base_ns, h->new_ns);
	if (!h->speed_shared)
		return;
	rows_value(r, "ratio", h->ratio);
	rows_value(r, "ratio_half", h->ratio_half);
	rows_value(r, "all_delta_ns", h->all_ns);
	rows_value(r, "all_delta_half_ns", h->all_half_ns);
	digits_interval(h->ratio, h->ratio_half, ratio, sizeof(ratio));
	digits_interval(h->all_ns, h->all_half_ns, all, sizeof(all));
	rows_words(r, "speed_words",
		   "drift-corrected to the %s speed of the run; ratio %s; the mean of all rounds, with all speeds, is "
		   "%s ns",
		   s->known ? "median" : "mean", ratio, all);
}

static void closure_row(struct rows *parent, const struct compare *c)
{
	struct rows *r = rows_table(parent, "closure", closure_columns, COUNT(closure_columns));

	rows_add_of(r, c);
	r = rows_table(parent, "rest", rest_columns, COUNT(rest_columns));
	rows_add_of(r, c);
}

/* What may differ beside the variant, and what redirects cost behind the program. */
static void put_words(struct rows *r, const struct compare *c)
{
	const struct analysis_variant *sides[] = {c->base, c->new};
	struct made made[] = {analysis_made(c->base), analysis_made(c->new)};
	bool known = !compare_is_watched(c) || !c->ncomponents;
	char line[800];

	if (!c->same_run && config_words(c->base->of->run, c->new->of->run, line, sizeof(line)))
		rows_words(r, "config_words", "configured in another way (base and new): %s", line);
	made_rows_change(r, &made[0], c->base->variant->id, &made[1], c->new->variant->id);
	for (int i = 0; i < 2; i++) {
		if (!c->same_run) {
			run_words(sides[i]->of->run, line, sizeof(line));
			rows_words(r, i ? "new_run" : "base_run", "run of %s", line);
		}
		if (sides[i]->variant->stage == RUN_STAGE_NONE)
			continue;
		stage_words(sides[i], line, sizeof(line));
		rows_words(r, i ? "new_consumer" : "base_consumer", "%s%s",
			   isnan(sides[i]->stage.ns) ? "" : "beside the base, ", line);
	}
	/* The change of a component is known, in one of the two sides of a dump. */
	for (size_t i = 0; i < c->ncomponents; i++)
		known |= c->components[i].significant;
	if (!known)
		rows_words(r, "cause_words",
			   "which component changed: chance explains each of them, so few are the samples; xdpzoom why "
			   "also reads queues, drops and settings");
}

static void unattributed_row(struct rows *r, const struct compare *c)
{
	double half_ns = HALF_OF_REST(c->unattributed_half_ns);

	rows_add(r);
	rows_last(r)->aside = true;
	rows_text(r, "mark", fabs(c->unattributed_delta_ns) <= c->unattributed_half_ns ? "~" : "");
	rows_text(r, "name", "unattributed");
	rows_beside(r, "base_ns", c->base_unattributed_ns, half_ns);
	rows_beside(r, "new_ns", c->new_unattributed_ns, half_ns);
	rows_interval(r, "delta_ns", c->unattributed_delta_ns, half_ns);
}

static void diff_rows_component_rows(struct rows *parent, const char *key, const struct compare *c)
{
	struct rows *r = rows_table(parent, key, component_columns, COUNT(component_columns));

	diff_rows_change_rows(r, c, c->components, c->ncomponents);
	if (c->nsymbols)
		unattributed_row(r, c);
}

static void symbol_rows(struct rows *parent, const char *key, const struct compare *c)
{
	diff_rows_change_rows(rows_table(parent, key, symbol_columns, COUNT(symbol_columns)), c, c->symbols,
			      c->nsymbols);
}

/* JSON has these tables within the second stage. */
static void put_stage(struct rows *parent, const struct compare *c)
{
	struct rows *r = rows_table(parent, "consumer", stage_columns, COUNT(stage_columns));
	char delta[64], base[64], new[64];

	if (!c)
		return;
	rows_add_of(r, c);
	rows_interval(r, "base_ns", c->overall.base_ns, c->base->half_ns);
	rows_interval(r, "new_ns", c->overall.new_ns, c->new->half_ns);
	diff_rows_component_rows(r, "components", c);
	symbol_rows(r, "symbols", c);
	closure_row(r, c);
	diff_rows_component_rows(parent, "consumer_components", c);
	symbol_rows(parent, "consumer_symbols", c);
	rows_words(parent, "consumer_words", "%s%s ns per frame, from %s to %s", c->overall.delta_ns > 0 ? "+" : "",
		   digits_interval(c->overall.delta_ns, c->overall.half_ns, delta, sizeof(delta)),
		   digits_interval(c->overall.base_ns, c->base->half_ns, base, sizeof(base)),
		   digits_interval(c->overall.new_ns, c->new->half_ns, new, sizeof(new)));
}

int diff_rows(struct rows *r, const struct compare *c, const char *base, const char *new)
{
	struct rows *runs, *sides;
	char words[320], rest[64];

	rows_init(r, diff_columns, COUNT(diff_columns));
	rows_add_of(r, c);
	char between[120], injected[64];
	rows_text(r, "base", c->base->variant->id);
	rows_text(r, "new", c->new->variant->id);
	rows_value(r, "base_pps", c->base->pps);
	rows_value(r, "new_pps", c->new->pps);
	rows_interval(r, "base_ns", c->overall.base_ns, c->base->half_ns);
	rows_interval(r, "new_ns", c->overall.new_ns, c->new->half_ns);
	if (isfinite(c->injected_ns))
		rows_words(r, "injected_words", "%s ns, by a clock around the injected cost in the same blocks",
			   digits_interval(c->injected_ns, c->injected_half_ns, injected, sizeof(injected)));
	/* Which pairs of blocks the numbers rest on, where these are not simply all blocks. */
	const struct compare_overall *h = &c->overall;
	char mean[64];
	if (h->trimmed)
		rows_words(r, "pairs_words",
			   "a few blocks are far from the others, so the numbers are of the middle %zu of %zu pairs; "
			   "the mean of all is %s ns%s",
			   h->nkept, h->npairs, digits_interval(h->mean_ns, h->mean_half_ns, mean, sizeof(mean)),
			   fabs(h->mean_ns - h->delta_ns) > h->half_ns
				   ? ", which is outside the interval of the middle ones: the machine changed"
				   : "");
	else if (h->paired && (h->npairs < c->base->nused || h->npairs < c->new->nused))
		rows_words(r, "pairs_words", "%zu pairs of blocks; %zu and %zu blocks without a partner are left out",
			   h->npairs, c->base->nused - h->npairs, c->new->nused - h->npairs);
	if (run_variant_is_own(c->base->variant) || run_variant_is_own(c->new->variant))
		rows_words(r, "place_words",
			   "a program of your own is loaded once, so what its load address changes is not in the "
			   "interval: up to a tenth of a native packet");
	put_speed(r, c);
	rows_value(r, "run_sd_pct", c->knows_between ? c->between.sd_pct : NAN);
	if (c->knows_between)
		rows_words(r, "run_sd_words", "in the interval of the difference, not in those of its parts: %s",
			   between_words(&c->between, between, sizeof(between)));
	runs = rows_table(r, "runs", COLUMNS_OF(runs_columns));
	if (c->runs.nbase) {
		rows_add_of(runs, &c->runs);
		rows_words(r, "runs_words", "%s", compare_runs_words(&c->runs, words, sizeof(words)));
	}
	sides = report_rows_table(r, "sides");
	report_rows_side(sides, c->base, base);
	rows_last(sides)->class = "base";
	report_rows_side(sides, c->new, new);
	rows_last(sides)->class = "new";
	put_words(r, c);
	put_stage(r, c->stage);

	diff_rows_component_rows(r, "components", c);
	diff_rows_change_rows(rows_table(r, "tags", tag_columns, COUNT(tag_columns)), c, c->tags, c->ntags);
	symbol_rows(r, "symbols", c);
	counter_rows(r, c);

	closure_row(r, c);
	digits_interval(c->unattributed_delta_ns, c->unattributed_half_ns, rest, sizeof(rest));
	rows_words(r, "closure_words", "symbols %+.1f + unattributed %s = difference measured %+.1f ns",
		   c->overall.delta_ns - c->unattributed_delta_ns, rest, c->overall.delta_ns);
	quality_rows(r, "quality", &c->quality);
	return rows_error(r);
}

static void whole_row(struct rows *r, const char *class, const char *name, double ns, double half_ns)
{
	rows_add(r);
	rows_last(r)->class = class;
	rows_text(r, "name", name);
	rows_interval(r, "delta_ns", ns, half_ns);
}

int diff_step_rows(struct rows *r, const struct compare *c, const char *base, const char *new)
{
	rows_init(r, step_columns, COUNT(step_columns));
	whole_row(r, "total whole base", base, c->overall.base_ns, c->base->half_ns);
	for (int more = 0; more < 2; more++)
		for (size_t i = 0; i < c->ncomponents; i++)
			if ((c->components[i].delta_ns < 0) == !more)
				change_row(r, c, &c->components[i]);
	unattributed_row(r, c);
	rows_last(r)->class = "same";
	whole_row(r, "total whole new", new, c->overall.new_ns, c->new->half_ns);
	return rows_error(r);
}
