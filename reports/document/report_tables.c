// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables in a variant's cells: facilities, tags, symbols, blocks, CPUs, counters, calls, events, lines, gates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "reports/analysis/sending.h"
#include "reports/document/document_parts.h"

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

static const struct metric facility_cost = {"xdpzoom_facility_cost_seconds", "seconds",
					    "Cost of a part of the receive path per packet.", 1e-9};
static const struct metric calls_made = {"xdpzoom_calls_per_packet", NULL, "Calls of a function per packet.", 1};
static const struct metric call_cost = {"xdpzoom_call_seconds", "seconds", "What one call of a function took.", 1e-9};
static const struct metric counted = {"xdpzoom_device_counter_per_packet", NULL, "A counter of the device, per packet.",
				      1};
static const struct metric event_count = {"xdpzoom_event_per_packet", NULL, "An event of perf stat, per packet.", 1};
static const struct metric gate_ok = {"xdpzoom_quality_gate_ok", NULL,
				      "1: the number can be relied on as far as this gate knows.", 1};

static const struct column quality_columns[] = {
	{"gate", NULL, CELL_NAME, IN_JSON, .label = "gate"},
	{"variant", NULL, CELL_NAME, IN_JSON},
	{"value", NULL, CELL_NUMBER, IN_JSON},
	{"limit", NULL, CELL_NUMBER, IN_JSON},
	{"unit", NULL, CELL_WORDS, IN_JSON},
	{"sense", NULL, CELL_WORDS, IN_JSON},
	{"half", NULL, CELL_NUMBER, IN_JSON},
	{"ok", NULL, CELL_FLAG, IN_JSON, .metric = &gate_ok},
	{"verdict", NULL, CELL_WORDS, IN_JSON},
	{"note", NULL, CELL_WORDS, IN_JSON},
};

static const struct column facility_columns[] = {
	{"name", "facility", CELL_FACILITY, IN_JSON | IN_TABLE, .csv = "name", .label = "facility"},
	{"facility", NULL, CELL_WORDS, 0, .csv = "facility"},
	{"samples", NULL, CELL_COUNT, IN_JSON, .csv = "samples"},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE, .csv = "self_pct"},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_BAR, .csv = "self_ns", .metric = &facility_cost},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "self_ns"},
};

static const struct column rest_columns[] = {{"self_ns", NULL, CELL_NUMBER, 0, .csv = "self_ns"}};

static const struct column tag_columns[] = {
	{"name", "tag", CELL_NAME, IN_JSON | IN_TABLE},
	{"samples", NULL, CELL_COUNT, IN_JSON},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON},
};

static const struct column symbol_columns[] = {
	{"name", "symbol", CELL_NAME, IN_JSON | IN_TABLE, .csv = "name"},
	{"dso", NULL, CELL_WORDS, IN_JSON, .csv = "dso"},
	{"facility", "facility", CELL_FACILITY, IN_JSON | IN_TABLE, .csv = "facility"},
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE, .csv = "samples"},
	{"irqs_off", NULL, CELL_COUNT, IN_JSON},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_WIDE, .csv = "self_pct"},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM, .csv = "self_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "self_ns"},
	{"children_ns", "children", CELL_NUMBER, IN_JSON | IN_TABLE, .csv = "children_ns"},
	{"irqs", "note", CELL_WORDS, IN_TABLE},
};

static const struct column block_columns[] = {
	{"index", NULL, CELL_COUNT, IN_JSON},     {"fate", NULL, CELL_WORDS, IN_JSON},
	{"placement", NULL, CELL_WORDS, IN_JSON}, {"base_ns", NULL, CELL_NUMBER, IN_JSON},
	{"busy_pct", NULL, CELL_NUMBER, IN_JSON}, {"placement_ns", NULL, CELL_RANGE, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON},   {"outlier", NULL, CELL_FLAG, IN_JSON},
	{"probe_ns", NULL, CELL_NUMBER, IN_JSON}, {"speed", NULL, CELL_NUMBER, IN_JSON},
};

static const struct column stratum_columns[] = {
	{"name", NULL, CELL_WORDS, IN_JSON},
	{"blocks", NULL, CELL_COUNT, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON},
};

static const struct column placement_columns[] = {
	{"stratum", NULL, CELL_WORDS, IN_JSON},
	{"ns", NULL, CELL_NUMBER, IN_JSON},
	{"mixed", NULL, CELL_FLAG, IN_JSON},
	{"strata", NULL, CELL_TABLE, IN_JSON},
};

static const struct column cpu_columns[] = {
	{"cpu", "CPU", CELL_COUNT, IN_JSON | IN_TABLE},
	{"packets", NULL, CELL_COUNT, IN_JSON},
	{"pps", "packets/s", CELL_RATE, IN_JSON | IN_TABLE},
	{"busy_pct", "busy %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE},
};

static const struct column counter_columns[] = {
	{"source", "source", CELL_WORDS, IN_JSON | IN_TABLE, .label = "source"},
	{"name", "device's counter", CELL_NAME, IN_JSON | IN_TABLE | WITH_REST, .label = "counter"},
	{"per_second", "per second", CELL_RATE, IN_JSON | IN_TABLE},
	{"per_packet", "per packet", CELL_NUMBER, IN_JSON | IN_TABLE, .metric = &counted},
	{"meaning", "meaning", CELL_WORDS, IN_JSON | IN_TABLE},
};

static const struct column call_columns[] = {
	{"function", "function", CELL_NAME, IN_JSON | IN_TABLE, .label = "function"},
	{"per_packet", "calls/packet", CELL_NUMBER, IN_JSON | IN_TABLE, .metric = &calls_made},
	{"ns_per_call", "ns/call", CELL_NUMBER, IN_JSON | IN_TABLE, .metric = &call_cost},
	{"ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"sampled_ns", "sampled", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"timed_pct", "timed %", CELL_NUMBER, IN_JSON | IN_TABLE},
};

static const struct column event_columns[] = {
	{"event", "perf stat", CELL_NAME, IN_JSON | IN_TABLE, .label = "event"},
	{"unit", "unit", CELL_WORDS, IN_JSON | IN_TABLE},
	{"per_packet", "per packet", CELL_NUMBER, IN_JSON | IN_TABLE, .metric = &event_count},
	{"half", NULL, CELL_NUMBER, IN_JSON},
	{"per_cycle", "per cycle", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"running_pct", NULL, CELL_NUMBER, IN_JSON},
	{"counted_pct", "counted %", CELL_NUMBER, IN_TABLE},
};

static const struct column slab_columns[] = {
	{"fast_ns", NULL, CELL_NUMBER, IN_JSON},
	{"slow_ns", NULL, CELL_NUMBER, IN_JSON},
	{"slow_pct", NULL, CELL_NUMBER, IN_JSON},
	{"slowest", NULL, CELL_WORDS, IN_JSON},
};

static const struct column stage_columns[] = {
	{"is", NULL, CELL_WORDS, IN_JSON, .csv = "name"},
	{"cpu", NULL, CELL_COUNT, IN_JSON},
	{"clock", NULL, CELL_WORDS, IN_JSON},
	{"ns", NULL, CELL_NUMBER, IN_JSON, .csv = "self_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "self_ns"},
	{"redirected", NULL, CELL_COUNT, IN_JSON},
	{"frames", NULL, CELL_COUNT, IN_JSON},
	{"dropped", NULL, CELL_COUNT, IN_JSON},
	{"dropped_pct", NULL, CELL_NUMBER, IN_JSON},
	{"sum_ns", NULL, CELL_NUMBER, IN_JSON},
	{"closure_ns", NULL, CELL_NUMBER, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON, .csv = "samples"},
	{"sampled_pct", NULL, CELL_NUMBER, IN_JSON},
	{"sampled_half_pct", NULL, CELL_NUMBER, IN_JSON},
	{"overhead_pct", NULL, CELL_NUMBER, IN_JSON},
	{"overhead_half_pct", NULL, CELL_NUMBER, IN_JSON},
	{"facilities", NULL, CELL_TABLE, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON},
	{"rest", NULL, CELL_OBJECT, 0},
};

static const struct column sending_columns[] = {
	{"system_calls", NULL, CELL_NUMBER, IN_JSON}, {"system_calls_per_kib", NULL, CELL_NUMBER, IN_JSON},
	{"completions", NULL, CELL_NUMBER, IN_JSON},  {"completions_missing", NULL, CELL_NUMBER, IN_JSON},
	{"copied_pct", NULL, CELL_NUMBER, IN_JSON},   {"ns_per_kib", NULL, CELL_NUMBER, IN_JSON},
};

/* ---- rows -------------------------------------------------------------------------------------------- */

void quality_rows(struct rows *parent, const char *key, const struct quality *q)
{
	struct rows *r = rows_table(parent, key, quality_columns, COUNT(quality_columns));

	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];
		enum quality_verdict verdict = quality_verdict(row);

		rows_add(r);
		rows_text(r, "gate", row->gate);
		rows_text(r, "variant", *row->variant ? row->variant : NULL);
		rows_value(r, "value", row->value);
		rows_value(r, "limit", row->limit);
		rows_text(r, "unit", row->unit);
		rows_text(r, "sense", row->at_least ? "at least" : "at most");
		rows_value(r, "half", row->half);
		rows_value(r, "ok", verdict == QUALITY_FAILS ? 0 : verdict == QUALITY_HOLDS ? 1 : NAN);
		rows_text(r, "verdict", quality_verdict_name(verdict));
		rows_text(r, "note", row->note);
	}
}

void variant_rest_row(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "rest", rest_columns, COUNT(rest_columns));

	rows_add(r);
	rows_value(r, "self_ns", v->unattributed_ns);
}

/* Below the facilities that have samples. */
static void unattributed_row(struct rows *r, const struct analysis_variant *v)
{
	if (!v->samples)
		return;
	rows_add(r);
	rows_aside(r);
	rows_text(r, "name", "unattributed");
	rows_interval(r, "self_ns", v->unattributed_ns, rows_half_of_rest(v->unattributed_half_ns));
}

static void put_cost(struct rows *r, const struct analysis_variant *v, const struct analysis_row *row)
{
	rows_value(r, "samples", (double)row->samples);
	rows_beside(r, "self_pct", row->self_pct, 100 * row->half_ns / v->base_ns);
	rows_interval(r, "self_ns", row->self_ns, row->half_ns);
	rows_range(r, "ci95_ns", row->ci95_ns);
}

void variant_facility_rows(struct rows *parent, const char *key, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, key, facility_columns, COUNT(facility_columns));
	size_t rest = 0;

	for (size_t i = 0; i < v->nfacilities; i++) {
		const struct analysis_row *row = &v->facilities[i];

		if (!row->samples && !rest++)
			unattributed_row(r, v);
		rows_add(r);
		if (!row->samples)
			rows_hide(r);
		rows_text(r, "name", row->name);
		rows_text(r, "facility", row->facility);
		put_cost(r, v, row);
	}
	if (!rest)
		unattributed_row(r, v);
}

void variant_tag_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "tags", tag_columns, COUNT(tag_columns));

	for (size_t i = 0; i < v->ntags; i++) {
		const struct analysis_row *row = &v->tags[i];

		rows_add(r);
		rows_text(r, "name", row->name);
		put_cost(r, v, row);
	}
}

void report_symbol_columns(struct rows *r)
{
	rows_init(r, symbol_columns, COUNT(symbol_columns));
}

void variant_symbol_rows(struct rows *parent, const char *key, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, key, symbol_columns, COUNT(symbol_columns));

	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];

		rows_add(r);
		if (!row->samples)
			rows_hide(r);
		rows_text(r, "name", row->name);
		rows_text(r, "dso", row->dso);
		rows_text(r, "facility", row->facility);
		rows_value(r, "irqs_off", (double)row->irqs_off);
		rows_text(r, "irqs", row->samples && 2 * row->irqs_off >= row->samples ? "irqs off" : "");
		put_cost(r, v, row);
		rows_beside(r, "children_ns", row->children_ns, row->half_ns);
	}
}

static const char *fate_in_words(enum analysis_fate fate)
{
	static const char *const words[] = {
		[FATE_USED] = "used",
		[FATE_ELSEWHERE] = "other placement",
		[FATE_NO_PACKETS] = "no packets",
		[FATE_NO_SAMPLES] = "no samples",
		[FATE_SLOW] = "other speed",
	};

	return words[fate];
}

void variant_block_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "blocks", block_columns, COUNT(block_columns));
	const struct placement *p = &v->of->placement;

	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i];

		rows_add(r);
		rows_value(r, "index", b->block->index);
		rows_text(r, "fate", fate_in_words(b->fate));
		rows_text(r, "placement", p->probed ? placement_name(p, placement_of(p, b->block)) : NULL);
		rows_number(r, "base_ns", b->base_ns, 1);
		rows_number(r, "busy_pct", b->busy_pct, 1);
		rows_range(r, "placement_ns", b->block->placement_ns);
		rows_value(r, "samples", (double)b->samples);
		rows_value(r, "outlier", b->outlier);
		rows_value(r, "probe_ns", b->probe_ns);
		rows_value(r, "speed", b->speed);
	}
}

void variant_placement_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "placement", placement_columns, COUNT(placement_columns)), *strata;
	const struct placement *p = &v->of->placement;

	rows_add(r);
	rows_text(r, "stratum", p->probed ? p->strata[p->reference].name : NULL);
	rows_number(r, "ns", v->placement_ns, 1);
	rows_value(r, "mixed", v->strata_mixed);
	strata = rows_table(r, "strata", stratum_columns, COUNT(stratum_columns));
	for (size_t i = 0; p->probed && i < PLACEMENT_PLACES; i++) {
		if (!v->shares[i].blocks)
			continue;
		rows_add(strata);
		rows_text(strata, "name", placement_name(p, i));
		rows_value(strata, "blocks", (double)v->shares[i].blocks);
		rows_number(strata, "base_ns", v->shares[i].base_ns, 1);
	}
}

/* People are shown several receivers, one by one; a single one is the variant. */
void variant_cpu_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "cpus", cpu_columns, COUNT(cpu_columns));

	for (size_t i = 0; i < v->ncpus; i++) {
		rows_add(r);
		if (v->ncpus < 2)
			rows_hide(r);
		rows_value(r, "cpu", v->cpus[i].cpu);
		rows_value(r, "packets", v->cpus[i].packets);
		rows_value(r, "pps", v->cpus[i].pps);
		rows_number(r, "busy_pct", v->cpus[i].busy_pct, 1);
		rows_number(r, "base_ns", v->cpus[i].base_ns, 1);
	}
}

void variant_counter_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "counters", counter_columns, COUNT(counter_columns));

	for (size_t i = 0; i < v->ncounters; i++) {
		const struct analysis_counter *c = &v->counters[i];

		rows_add(r);
		rows_text(r, "source", counter_source_names[c->source]);
		rows_text(r, "name", c->name);
		rows_value(r, "per_second", c->per_second);
		rows_number(r, "per_packet", c->per_packet, 3);
		rows_text(r, "meaning", c->meaning);
	}
}

void variant_call_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = v->ncalls ? rows_table(parent, "calls", call_columns, COUNT(call_columns)) : NULL;

	for (size_t i = 0; i < v->ncalls; i++) {
		const struct analysis_calls *c = &v->calls[i];

		rows_add(r);
		rows_text(r, "function", c->function);
		rows_number(r, "per_packet", c->per_packet, 3);
		rows_number(r, "ns_per_call", c->ns_per_call, 1);
		rows_number(r, "ns", c->ns, 1);
		rows_number(r, "sampled_ns", c->sampled_ns, 1);
		rows_number(r, "timed_pct", c->timed_pct, 1);
	}
}

void variant_event_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "events", event_columns, COUNT(event_columns));

	for (size_t i = 0; i < v->nevents; i++) {
		const struct analysis_event *e = &v->events[i];

		rows_add(r);
		rows_text(r, "event", e->name);
		rows_text(r, "unit", e->unit);
		rows_event(r, "per_packet", e->per_packet, e->half);
		rows_value(r, "half", e->half);
		rows_number(r, "per_cycle", e->per_cycle, 2);
		rows_value(r, "running_pct", e->running_pct);
		rows_number(r, "counted_pct", isnan(e->per_packet) ? NAN : e->running_pct, 1);
	}
}

static void slab_words(struct rows *r, const struct analysis_slab *s)
{
	if (s->slowest)
		rows_words(r, "slab_words", "fast path %.1f ns, slow path %.1f ns (%.0f %% of both), most of it in %s",
			   s->fast_ns, s->slow_ns, s->slow_pct, s->slowest);
	else if (s->samples)
		rows_words(r, "slab_words", "fast path %.1f ns; no symbol of the slow path was seen", s->fast_ns);
}

void variant_slab_rows(struct rows *parent, const struct analysis_slab *s)
{
	struct rows *r = rows_table(parent, "slab", slab_columns, COUNT(slab_columns));

	if (!s->samples)
		return;
	rows_add(r);
	rows_value(r, "fast_ns", s->fast_ns);
	rows_value(r, "slow_ns", s->slow_ns);
	rows_value(r, "slow_pct", s->slow_pct);
	rows_text(r, "slowest", s->slowest);
	slab_words(parent, s);
}

/* JSON has these tables within the second stage; other layouts show tables of a variant alone. */
static void add_task(struct rows *parent, struct rows *r, const struct analysis_variant *task)
{
	if (!task)
		return;
	rows_value(r, "sum_ns", task->sum_ns);
	rows_value(r, "closure_ns", task->closure_ns);
	rows_value(r, "samples", (double)task->samples);
	rows_value(r, "sampled_pct", task->sampled_busy_pct);
	rows_value(r, "sampled_half_pct", task->sampled_busy_half_pct);
	rows_value(r, "overhead_pct", task->overhead_pct);
	rows_value(r, "overhead_half_pct", task->overhead_half_pct);
	variant_facility_rows(r, "facilities", task);
	variant_symbol_rows(r, "symbols", task);
	variant_rest_row(r, task);
	variant_facility_rows(parent, "stage_facilities", task);
	variant_symbol_rows(parent, "stage_symbols", task);
}

void variant_stage_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "second_stage", stage_columns, COUNT(stage_columns));
	const struct analysis_stage *s = &v->stage;
	char words[400];

	if (v->variant->stage == RUN_STAGE_NONE)
		return;
	rows_add(r);
	rows_text(r, "is", v->variant->stage_text);
	rows_value(r, "cpu", v->variant->stage_cpu < 0 ? NAN : v->variant->stage_cpu);
	rows_text(r, "clock", isnan(s->ns) ? NULL : s->by_task ? "task" : "softirqs");
	rows_interval(r, "ns", s->ns, s->half_ns);
	rows_range(r, "ci95_ns", s->ci95_ns);
	rows_value(r, "redirected", s->redirected);
	rows_value(r, "frames", s->frames);
	rows_value(r, "dropped", s->dropped);
	rows_value(r, "dropped_pct", s->dropped_pct);
	add_task(parent, r, s->task);
	rows_number(parent, "stage_ns", s->ns, 1);
	stage_words(v, words, sizeof(words));
	rows_words(parent, "stage_words", "%s%s", isnan(s->ns) ? "" : "beside the base, ", words);
}

void variant_sending_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "sending", sending_columns, COUNT(sending_columns));
	const struct analysis_sending *s = &v->sending;
	char words[300];

	rows_value(parent, "system_calls", s->system_calls);
	rows_value(parent, "completions", s->completions);
	if (isnan(s->system_calls))
		return;
	rows_add(r);
	rows_value(r, "system_calls", s->system_calls);
	rows_value(r, "system_calls_per_kib", s->system_calls_per_kib);
	rows_value(r, "completions", s->completions);
	rows_value(r, "completions_missing", s->completions_missing);
	rows_value(r, "copied_pct", s->copied_pct);
	rows_value(r, "ns_per_kib", s->ns_per_kib);
	sending_words(s, words, sizeof(words));
	rows_text(parent, "sending_words", words);
}

/* ---- source lines of the program, by samples ------------------------------------------------------------- */

static const struct column line_columns[] = {
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BAR},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"file", NULL, CELL_WORDS, IN_JSON},
	{"line", NULL, CELL_COUNT, IN_JSON},
	{"symbol", "function", CELL_NAME, IN_JSON | IN_WIDE},
};

/* Samples in the functions that have lines. */
static uint64_t samples_of_functions(const struct analysis_variant *v)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v->nsymbols; i++) {
		size_t k = 0;

		while (k < v->nlines && strcmp(v->lines[k].dso, v->symbols[i].name))
			k++;
		n += k < v->nlines ? v->symbols[i].samples : 0;
	}
	return n;
}

static void report_tables_put_line(struct rows *r, const struct analysis_variant *v, const struct analysis_row *row)
{
	const char *file = strchr(row->name, ' ') + 1, *tab = strchr(file, '\t'), *last = file;

	for (const char *c = file; c + 1 < tab; c++)
		last = *c == '/' ? c + 1 : last;
	rows_add(r);
	put_cost(r, v, row);
	rows_words(r, "where", "%.*s:%lu", (int)(tab - last), last, strtoul(row->name, NULL, 10));
	rows_text(r, "text", tab + 1);
	rows_words(r, "file", "%.*s", (int)(tab - file), file);
	rows_value(r, "line", (double)strtoul(row->name, NULL, 10));
	rows_text(r, "symbol", row->dso);
}

/* Where no line's cost is larger than its uncertainty, the order of lines is chance. */
static bool too_few(const struct analysis_variant *v)
{
	for (size_t i = 0; i < v->nlines; i++)
		if (v->lines[i].half_ns < v->lines[i].self_ns)
			return false;
	return true;
}

void variant_line_rows(struct rows *parent, const struct analysis_variant *v)
{
	bool hidden = too_few(v);
	uint64_t samples = 0;
	struct rows *r;

	if (!v->nlines)
		return;
	r = rows_table(parent, "source_lines", line_columns, COUNT(line_columns));
	for (size_t i = 0; i < v->nlines; i++) {
		report_tables_put_line(r, v, &v->lines[i]);
		if (hidden)
			rows_hide(r);
		samples += v->lines[i].samples;
	}
	if (hidden)
		rows_words(parent, "source_words", "too few samples to tell them apart: %llu in %zu lines",
			   (unsigned long long)samples, v->nlines);
	else
		rows_words(parent, "source_words", "%llu samples in %zu lines, of %llu in their functions",
			   (unsigned long long)samples, v->nlines, (unsigned long long)samples_of_functions(v));
}
