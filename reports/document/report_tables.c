// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables in a variant's cells: components, tags, symbols, blocks, CPUs, counters, calls, events, lines, gates. */
#include "reports/document/document.h"

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

static const struct column quality_columns[] = {
	{"check", NULL, CELL_NAME, IN_JSON, FROM(quality_row, gate)},
	{"variant", NULL, CELL_NAME, IN_JSON},
	{"value", NULL, CELL_NUMBER, IN_JSON, FROM(quality_row, value)},
	{"limit", NULL, CELL_NUMBER, IN_JSON, FROM(quality_row, limit)},
	{"unit", NULL, CELL_WORDS, IN_JSON, FROM(quality_row, unit)},
	{"sense", NULL, CELL_WORDS, IN_JSON},
	{"half", NULL, CELL_NUMBER, IN_JSON, FROM(quality_row, half)},
	{"ok", NULL, CELL_FLAG, IN_JSON},
	{"verdict", NULL, CELL_WORDS, IN_JSON},
	{"note", NULL, CELL_WORDS, IN_JSON, FROM(quality_row, note)},
};

static const struct column component_columns[] = {
	{"name", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(analysis_row, name), .csv = "name"},
	{"component", NULL, CELL_WORDS, 0, FROM(analysis_row, component), .csv = "component"},
	{"samples", NULL, CELL_COUNT, IN_JSON, FROM(analysis_row, samples), .csv = "samples"},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE, .csv = "self_pct"},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_BAR,
	 FROM_INTERVAL(analysis_row, self_ns, half_ns), .csv = "self_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_row, ci95_ns), .csv = "self_ns"},
};

static const struct column rest_columns[] = {{"self_ns", NULL, CELL_NUMBER, 0, .csv = "self_ns"}};

static const struct column tag_columns[] = {
	{"name", "tag", CELL_NAME, IN_JSON | IN_TABLE, FROM(analysis_row, name)},
	{"samples", NULL, CELL_COUNT, IN_JSON, FROM(analysis_row, samples)},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE, FROM_INTERVAL(analysis_row, self_ns, half_ns)},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_row, ci95_ns)},
};

static const struct column symbol_columns[] = {
	{"name", "symbol", CELL_NAME, IN_JSON | IN_TABLE, FROM(analysis_row, name), .csv = "name"},
	{"dso", NULL, CELL_WORDS, IN_JSON, FROM(analysis_row, dso), .csv = "dso"},
	{"component", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(analysis_row, component),
	 .csv = "component"},
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE, FROM(analysis_row, samples), .csv = "samples"},
	{"irqs_off", NULL, CELL_COUNT, IN_JSON, FROM(analysis_row, irqs_off)},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_WIDE, .csv = "self_pct"},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM,
	 FROM_INTERVAL(analysis_row, self_ns, half_ns), .csv = "self_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_row, ci95_ns), .csv = "self_ns"},
	{"children_ns", "children", CELL_NUMBER, IN_JSON | IN_TABLE, .csv = "children_ns"},
	{"irqs", "note", CELL_WORDS, IN_TABLE},
};

static const struct column block_columns[] = {
	{"index", NULL, CELL_COUNT, IN_JSON},
	{"fate", NULL, CELL_WORDS, IN_JSON},
	{"placement", NULL, CELL_WORDS, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_block, base_ns), .decimals = 1},
	{"busy_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_block, busy_pct), .decimals = 1},
	{"placement_ns", NULL, CELL_RANGE, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON, FROM(analysis_block, samples)},
	{"outlier", NULL, CELL_FLAG, IN_JSON, FROM(analysis_block, outlier)},
	{"probe_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_block, probe_ns)},
	{"speed", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_block, speed)},
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
	{"cpu", "CPU", CELL_COUNT, IN_JSON | IN_TABLE, FROM(analysis_cpu, cpu)},
	{"packets", NULL, CELL_COUNT, IN_JSON, FROM(analysis_cpu, packets)},
	{"pps", "packets/s", CELL_RATE, IN_JSON | IN_TABLE, FROM(analysis_cpu, pps)},
	{"busy_pct", "busy %", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(analysis_cpu, busy_pct), .decimals = 1},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(analysis_cpu, base_ns), .decimals = 1},
};

static const struct column counter_columns[] = {
	{"source", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"name", "device's counter", CELL_NAME, IN_JSON | IN_TABLE | WITH_REST, FROM(analysis_counter, name)},
	{"per_second", "per second", CELL_RATE, IN_JSON | IN_TABLE, FROM(analysis_counter, per_second)},
	{"per_packet", "per packet", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(analysis_counter, per_packet),
	 .decimals = 3},
	{"meaning", "meaning", CELL_WORDS, IN_JSON | IN_TABLE, FROM(analysis_counter, meaning)},
};

static const struct column event_columns[] = {
	{"event", "perf stat", CELL_NAME, IN_JSON | IN_TABLE, FROM(analysis_event, name)},
	{"unit", "unit", CELL_WORDS, IN_JSON | IN_TABLE, FROM(analysis_event, unit)},
	{"per_packet", "per packet", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"half", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_event, half)},
	{"per_cycle", "per cycle", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(analysis_event, per_cycle), .decimals = 2},
	{"running_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_event, running_pct)},
	{"counted_pct", "counted %", CELL_NUMBER, IN_TABLE},
};

static const struct column slab_columns[] = {
	{"fast_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_slab, fast_ns)},
	{"slow_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_slab, slow_ns)},
	{"slow_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_slab, slow_pct)},
	{"slowest", NULL, CELL_WORDS, IN_JSON, FROM(analysis_slab, slowest)},
};

static const struct column stage_columns[] = {
	{"is", NULL, CELL_WORDS, IN_JSON, .csv = "name"},
	{"cpu", NULL, CELL_COUNT, IN_JSON},
	{"clock", NULL, CELL_WORDS, IN_JSON},
	{"ns", NULL, CELL_NUMBER, IN_JSON, FROM_INTERVAL(analysis_stage, ns, half_ns), .csv = "self_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_stage, ci95_ns), .csv = "self_ns"},
	{"redirected", NULL, CELL_COUNT, IN_JSON, FROM(analysis_stage, redirected)},
	{"frames", NULL, CELL_COUNT, IN_JSON, FROM(analysis_stage, frames)},
	{"dropped", NULL, CELL_COUNT, IN_JSON, FROM(analysis_stage, dropped)},
	{"dropped_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_stage, dropped_pct)},
	{"sum_ns", NULL, CELL_NUMBER, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON, .csv = "samples"},
	{"sampled_pct", NULL, CELL_NUMBER, IN_JSON},
	{"sampled_half_pct", NULL, CELL_NUMBER, IN_JSON},
	{"overhead_pct", NULL, CELL_NUMBER, IN_JSON},
	{"overhead_half_pct", NULL, CELL_NUMBER, IN_JSON},
	{"components", NULL, CELL_TABLE, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON},
	{"rest", NULL, CELL_OBJECT, 0},
};

static const struct column sending_columns[] = {
	{"system_calls", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_sending, system_calls)},
	{"system_calls_per_kib", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_sending, system_calls_per_kib)},
	{"completions", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_sending, completions)},
	{"completions_missing", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_sending, completions_missing)},
	{"copied_pct", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_sending, copied_pct)},
	{"ns_per_kib", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_sending, ns_per_kib)},
};

/* ---- rows -------------------------------------------------------------------------------------------- */

void quality_rows(struct rows *parent, const char *key, const struct quality *q)
{
	struct rows *r = rows_table(parent, key, quality_columns, COUNT(quality_columns));

	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];
		enum quality_verdict verdict = quality_verdict(row);

		rows_add_of(r, row);
		rows_text(r, "variant", *row->variant ? row->variant : NULL);
		rows_text(r, "sense", row->at_least ? "at least" : "at most");
		rows_value(r, "ok", verdict == QUALITY_FAILS ? 0 : verdict == QUALITY_HOLDS ? 1 : NAN);
		rows_text(r, "verdict", quality_verdict_names[verdict]);
	}
}

void variant_rest_row(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "rest", rest_columns, COUNT(rest_columns));

	rows_add(r);
	rows_value(r, "self_ns", v->unattributed_ns);
}

/* Below the components that have samples. */
static void unattributed_row(struct rows *r, const struct analysis_variant *v)
{
	if (!v->samples)
		return;
	rows_add(r);
	rows_last(r)->aside = true;
	rows_text(r, "name", "unattributed");
	rows_interval(r, "self_ns", v->unattributed_ns, HALF_OF_REST(v->unattributed_half_ns));
}

static void put_share(struct rows *r, const struct analysis_variant *v, const struct analysis_row *row)
{
	rows_beside(r, "self_pct", row->self_pct, 100 * row->half_ns / v->base_ns);
}

void variant_component_rows(struct rows *parent, const char *key, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, key, component_columns, COUNT(component_columns));
	size_t rest = 0;

	for (size_t i = 0; i < v->ncomponents; i++) {
		const struct analysis_row *row = &v->components[i];

		if (!row->samples && !rest++)
			unattributed_row(r, v);
		rows_add_of(r, row);
		if (!row->samples)
			rows_last(r)->hidden = true;
		put_share(r, v, row);
	}
	if (!rest)
		unattributed_row(r, v);
}

void variant_tag_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "tags", tag_columns, COUNT(tag_columns));

	for (size_t i = 0; i < v->ntags; i++) {
		rows_add_of(r, &v->tags[i]);
		put_share(r, v, &v->tags[i]);
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

		rows_add_of(r, row);
		if (!row->samples)
			rows_last(r)->hidden = true;
		rows_text(r, "irqs", row->samples && 2 * row->irqs_off >= row->samples ? "irqs off" : "");
		put_share(r, v, row);
		rows_beside(r, "children_ns", row->children_ns, row->half_ns);
	}
}

void variant_block_rows(struct rows *parent, const struct analysis_variant *v)
{
	static const char *const fates[] = {
		[FATE_USED] = "used",
		[FATE_ELSEWHERE] = "other placement",
		[FATE_NO_PACKETS] = "no packets",
		[FATE_NO_SAMPLES] = "no samples",
		[FATE_SLOW] = "other speed",
	};
	struct rows *r = rows_table(parent, "blocks", block_columns, COUNT(block_columns)), *strata;
	const struct placement *p = &v->of->placement;

	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i];

		rows_add_of(r, b);
		rows_value(r, "index", b->block->index);
		rows_text(r, "fate", fates[b->fate]);
		rows_text(r, "placement", p->probed ? placement_name(p, placement_of(p, b->block)) : NULL);
		rows_range(r, "placement_ns", b->block->placement_ns);
	}
	r = rows_table(parent, "placement", placement_columns, COUNT(placement_columns));
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
		rows_add_of(r, &v->cpus[i]);
		if (v->ncpus < 2)
			rows_last(r)->hidden = true;
	}
}

void variant_counter_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "counters", counter_columns, COUNT(counter_columns));
	const struct analysis_slab *s = &v->slab;

	for (size_t i = 0; i < v->ncounters; i++) {
		rows_add_of(r, &v->counters[i]);
		rows_text(r, "source", counter_source_names[v->counters[i].source]);
	}
	r = rows_table(parent, "slab", slab_columns, COUNT(slab_columns));
	if (s->samples)
		rows_add_of(r, s);
	if (s->samples && s->slowest)
		rows_words(parent, "slab_words",
			   "fast path %.1f ns, slow path %.1f ns (%.0f %% of both), most of it in %s", s->fast_ns,
			   s->slow_ns, s->slow_pct, s->slowest);
	else if (s->samples)
		rows_words(parent, "slab_words", "fast path %.1f ns; no symbol of the slow path was seen", s->fast_ns);
	r = rows_table(parent, "events", event_columns, COUNT(event_columns));
	for (size_t i = 0; i < v->nevents; i++) {
		const struct analysis_event *e = &v->events[i];

		rows_add_of(r, e);
		rows_event(r, "per_packet", e->per_packet, e->half);
		rows_number(r, "counted_pct", isnan(e->per_packet) ? NAN : e->running_pct, 1);
	}
}

void variant_stage_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "consumer", stage_columns, COUNT(stage_columns));
	const struct analysis_stage *s = &v->stage;
	const struct analysis_variant *task = s->task;
	char words[400];

	if (v->variant->stage == RUN_STAGE_NONE)
		return;
	rows_add_of(r, s);
	rows_text(r, "is", v->variant->stage_text);
	rows_value(r, "cpu", v->variant->stage_cpu < 0 ? NAN : v->variant->stage_cpu);
	rows_text(r, "clock", isnan(s->ns) ? NULL : s->by_task ? "task" : "softirqs");
	/* JSON has these tables within the second stage; other layouts show tables of a variant alone. */
	if (task) {
		rows_value(r, "sum_ns", task->sum_ns);
		rows_value(r, "samples", (double)task->samples);
		rows_value(r, "sampled_pct", task->sampled_busy_pct);
		rows_value(r, "sampled_half_pct", task->sampled_busy_half_pct);
		rows_value(r, "overhead_pct", task->overhead_pct);
		rows_value(r, "overhead_half_pct", task->overhead_half_pct);
		variant_component_rows(r, "components", task);
		variant_symbol_rows(r, "symbols", task);
		variant_rest_row(r, task);
		variant_component_rows(parent, "consumer_components", task);
		variant_symbol_rows(parent, "consumer_symbols", task);
	}
	stage_words(v, words, sizeof(words));
	rows_words(parent, "consumer_words", "%s%s", isnan(s->ns) ? "" : "beside the base, ", words);
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
	rows_add_of(r, s);
	sending_words(s, words, sizeof(words));
	rows_text(parent, "sending_words", words);
}

/* ---- source lines of the program, by samples ------------------------------------------------------------- */

static const struct column line_columns[] = {
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE, FROM(analysis_row, samples)},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_BAR,
	 FROM_INTERVAL(analysis_row, self_ns, half_ns)},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(analysis_row, ci95_ns)},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"file", NULL, CELL_WORDS, IN_JSON},
	{"line", NULL, CELL_COUNT, IN_JSON},
	{"name", "function", CELL_NAME, IN_JSON | IN_WIDE},
};

void variant_line_rows(struct rows *parent, const struct analysis_variant *v)
{
	bool hidden = true;
	uint64_t samples = 0, of_functions = 0;
	struct rows *r;

	if (!v->nlines)
		return;
	/* Where no line's cost is larger than its uncertainty, the order of lines is chance. */
	for (size_t i = 0; i < v->nlines; i++)
		hidden &= !(v->lines[i].half_ns < v->lines[i].self_ns);
	r = rows_table(parent, "source_lines", line_columns, COUNT(line_columns));
	for (size_t i = 0; i < v->nlines; i++) {
		const char *file = strchr(v->lines[i].name, ' ') + 1, *tab = strchr(file, '\t'), *last = file;

		for (const char *c = file; c + 1 < tab; c++)
			last = *c == '/' ? c + 1 : last;
		rows_add_of(r, &v->lines[i]);
		put_share(r, v, &v->lines[i]);
		rows_words(r, "where", "%.*s:%lu", (int)(tab - last), last, strtoul(v->lines[i].name, NULL, 10));
		rows_text(r, "text", tab + 1);
		rows_words(r, "file", "%.*s", (int)(tab - file), file);
		rows_value(r, "line", (double)strtoul(v->lines[i].name, NULL, 10));
		rows_text(r, "name", v->lines[i].dso);
		if (hidden)
			rows_last(r)->hidden = true;
		samples += v->lines[i].samples;
	}
	for (size_t i = 0; i < v->nsymbols; i++) {
		size_t k = 0;

		while (k < v->nlines && strcmp(v->lines[k].dso, v->symbols[i].name))
			k++;
		of_functions += k < v->nlines ? v->symbols[i].samples : 0;
	}
	if (hidden)
		rows_words(parent, "source_words", "too few samples to distinguish them: %llu in %zu lines",
			   (unsigned long long)samples, v->nlines);
	else
		rows_words(parent, "source_words", "%llu samples in %zu lines, of %llu in their functions",
			   (unsigned long long)samples, v->nlines, (unsigned long long)of_functions);
}
