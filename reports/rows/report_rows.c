// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/rows/report_rows.h"

#include <math.h>
#include "reports/rows/report_words.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

static const struct metric cost = {"xdpzoom_packet_cost_seconds", "seconds", "Busy time of the RX CPU per packet.",
				   1e-9};
static const struct metric cost_interval = {"xdpzoom_packet_cost_interval_seconds", "seconds",
					    "Half of the 95 % interval of xdpzoom_packet_cost_seconds.", 1e-9};
static const struct metric rate = {"xdpzoom_packets_per_second", NULL, "Packets that the program saw.", 1};
static const struct metric busy = {"xdpzoom_cpu_busy_ratio", "ratio", "Part of the time that the RX CPU was busy.",
				   0.01};
static const struct metric per_poll = {"xdpzoom_packets_per_poll", NULL, "Packets per NAPI poll that had any.", 1};
static const struct metric taken_out = {"xdpzoom_taken_out_seconds", "seconds",
					"Busy time per packet that is not the variant's.", 1e-9};
static const struct metric second_stage = {"xdpzoom_second_stage_cost_seconds", "seconds",
					   "Cost of a redirect's second stage per frame, not in the packet's.", 1e-9};
static const struct metric overhead = {"xdpzoom_profiling_overhead_ratio", "ratio",
				       "How much slower packets were while profiled.", 0.01};
static const struct metric waits = {"xdpzoom_waits_seconds", "seconds",
				    "Time that the receiver waited for the CPU per packet, not in its cost.", 1e-9};
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
	{"ok", NULL, CELL_FLAG, IN_JSON, .metric = &gate_ok},
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

static const struct column symbol_columns[] = {
	{"name", "symbol", CELL_NAME, IN_JSON | IN_TABLE, .csv = "name"},
	{"dso", NULL, CELL_WORDS, IN_JSON, .csv = "dso"},
	{"facility", "facility", CELL_FACILITY, IN_JSON | IN_TABLE, .csv = "facility"},
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE, .csv = "samples"},
	{"self_pct", "share %", CELL_NUMBER, IN_JSON | IN_WIDE, .csv = "self_pct"},
	{"self_ns", "self ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM, .csv = "self_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "self_ns"},
	{"children_ns", "children", CELL_NUMBER, IN_JSON | IN_TABLE, .csv = "children_ns"},
};

static const struct column block_columns[] = {
	{"index", NULL, CELL_COUNT, IN_JSON},     {"fate", NULL, CELL_WORDS, IN_JSON},
	{"placement", NULL, CELL_WORDS, IN_JSON}, {"base_ns", NULL, CELL_NUMBER, IN_JSON},
	{"busy_pct", NULL, CELL_NUMBER, IN_JSON}, {"placement_ns", NULL, CELL_RANGE, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON},   {"outlier", NULL, CELL_FLAG, IN_JSON},
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
	{"is", NULL, CELL_WORDS, IN_JSON},           {"cpu", NULL, CELL_COUNT, IN_JSON},
	{"clock", NULL, CELL_WORDS, IN_JSON},        {"ns", NULL, CELL_NUMBER, IN_JSON},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON},      {"redirected", NULL, CELL_COUNT, IN_JSON},
	{"frames", NULL, CELL_COUNT, IN_JSON},       {"dropped", NULL, CELL_COUNT, IN_JSON},
	{"dropped_pct", NULL, CELL_NUMBER, IN_JSON},
};

static const struct column variant_columns[] = {
	{"side", "", CELL_WORDS, IN_TABLE},
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"action", NULL, CELL_WORDS, IN_JSON},
	{"operation", NULL, CELL_WORDS, IN_JSON},
	{"mode", NULL, CELL_WORDS, IN_JSON},
	{"plant_ns", NULL, CELL_NUMBER, IN_JSON},
	{"pps", "packets/s", CELL_RATE, IN_JSON | IN_TABLE | IN_FACTS, .metric = &rate},
	{"packets", NULL, CELL_COUNT, IN_JSON},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE | IN_FACTS, "(95 %)", .csv = "self_ns",
	 .metric = &cost},
	{"half_ns", NULL, CELL_NUMBER, 0, .metric = &cost_interval},
	{"base_ns_by_rate", NULL, CELL_NUMBER, IN_JSON},
	{"base_ns_by_busy", NULL, CELL_NUMBER, IN_JSON},
	{"busy_pct", "busy %", CELL_NUMBER, IN_JSON | IN_TABLE, .metric = &busy},
	{"busy_words", "CPU", CELL_WORDS, IN_FACTS},
	{"busy_from", NULL, CELL_WORDS, IN_JSON},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "self_ns"},
	{"packets_per_poll", "packets/poll", CELL_NUMBER, IN_JSON | IN_TABLE | IN_FACTS, .metric = &per_poll},
	{"taken_out_ns", "taken out", CELL_NUMBER, IN_JSON | IN_FACTS, "ns, as not this variant's",
	 .metric = &taken_out},
	{"second_stage", NULL, CELL_OBJECT, IN_JSON},
	{"stage_ns", NULL, CELL_NUMBER, 0, .metric = &second_stage},
	{"stage_words", "second stage", CELL_WORDS, IN_FACTS},
	{"unattributed_ns", NULL, CELL_NUMBER, IN_JSON},
	{"closure_ns", NULL, CELL_NUMBER, IN_JSON},
	{"closure_words", "closure", CELL_WORDS, IN_FACTS},
	{"samples", "samples", CELL_COUNT, IN_JSON | IN_WIDE | IN_FACTS, .csv = "samples"},
	{"all_pct", NULL, CELL_NUMBER, 0, .csv = "self_pct"},
	{"design_effect", "design effect", CELL_NUMBER, IN_JSON | IN_FACTS},
	{"n_eff", NULL, CELL_NUMBER, IN_JSON},
	{"unseen_max_ns", "not seen", CELL_NUMBER, IN_JSON | IN_FACTS, "ns at most for a symbol without samples"},
	{"overhead_pct", "profiling", CELL_NUMBER, IN_JSON | IN_FACTS, "% slower while profiled", .metric = &overhead},
	{"overhead_half_pct", NULL, CELL_NUMBER, IN_JSON},
	{"waits_ns", "waits", CELL_NUMBER, IN_JSON | IN_FACTS, "ns for the CPU, not in the base", .metric = &waits},
	{"sampled_busy_pct", NULL, CELL_NUMBER, IN_JSON},
	{"drift_pct", "drift", CELL_NUMBER, IN_JSON | IN_FACTS | WITH_SIGN,
	 "% from the beginning of a block to its end"},
	{"lag1", NULL, CELL_NUMBER, IN_JSON},
	{"blocks_used", NULL, CELL_COUNT, IN_JSON},
	{"blocks_set_aside", NULL, CELL_COUNT, IN_JSON},
	{"blocks_words", "blocks used", CELL_WORDS, IN_WIDE | IN_FACTS},
	{"blocks", NULL, CELL_TABLE, IN_JSON},
	{"placement", NULL, CELL_OBJECT, IN_JSON},
	{"cpus", "CPUs", CELL_TABLE, IN_JSON | IN_TABLE},
	{"calls", "Call by call", CELL_TABLE, IN_JSON | IN_TABLE,
	 "Both, timed and sampled, hold what a function calls."},
	{"facilities", "Facilities", CELL_TABLE, IN_JSON | IN_TABLE},
	{"symbols", "Symbols", CELL_TABLE, IN_JSON | IN_TABLE},
	{"counters", "The device's counters", CELL_TABLE, IN_JSON | IN_TABLE},
	{"slab", NULL, CELL_OBJECT, IN_JSON},
	{"slab_words", "slab memory", CELL_WORDS, IN_FACTS},
	{"events", "perf stat", CELL_TABLE, IN_JSON | IN_TABLE, "Counted on the whole CPU, in windows of their own."},
	{"counting_pct", "perf stat", CELL_NUMBER, IN_JSON | IN_FACTS | WITH_SIGN, "% slower while it counts"},
	{"quality", NULL, CELL_TABLE, IN_JSON},
};

static const struct column run_columns[] = {{"quality", NULL, CELL_TABLE, IN_JSON}};

/* ---- sentences --------------------------------------------------------------------------------------- */

static void busy_words(struct rows *r, const struct analysis_variant *v)
{
	if (isnan(v->busy_pct))
		rows_text(r, "busy_words", "how busy it was is not known: base by rate");
	else
		rows_words(r, "busy_words", "%.1f %% busy: %.1f ns by busy time, %.1f ns by rate", v->busy_pct,
			   v->base_by_busy_ns, v->base_by_rate_ns);
}

static void slab_words(struct rows *r, const struct analysis_slab *s)
{
	if (s->slowest)
		rows_words(r, "slab_words", "fast path %.1f ns, slow path %.1f ns (%.0f %% of both), most of it in %s",
			   s->fast_ns, s->slow_ns, s->slow_pct, s->slowest);
	else if (s->samples)
		rows_words(r, "slab_words", "fast path %.1f ns; no symbol of the slow path was seen", s->fast_ns);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

void quality_rows(struct rows *parent, const char *key, const struct quality *q)
{
	struct rows *r = rows_table(parent, key, quality_columns, COUNT(quality_columns));

	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];

		rows_add(r);
		rows_text(r, "gate", row->gate);
		rows_text(r, "variant", *row->variant ? row->variant : NULL);
		rows_number(r, "value", row->value, 2);
		rows_number(r, "limit", row->limit, 2);
		rows_text(r, "unit", row->unit);
		rows_text(r, "sense", row->at_least ? "at least" : "at most");
		rows_count(r, "ok", row->ok);
		rows_text(r, "note", row->note);
	}
}

static void facility_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "facilities", facility_columns, COUNT(facility_columns));

	for (size_t i = 0; i < v->nfacilities; i++) {
		const struct analysis_row *row = &v->facilities[i];

		rows_add(r);
		if (!row->samples)
			rows_hide(r);
		rows_text(r, "name", row->name);
		rows_text(r, "facility", row->facility);
		rows_count(r, "samples", (double)row->samples);
		rows_beside(r, "self_pct", row->self_pct, 100 * row->half_ns / v->base_ns);
		rows_interval(r, "self_ns", row->self_ns, row->half_ns);
		rows_range(r, "ci95_ns", row->ci95_ns);
	}
}

static void symbol_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "symbols", symbol_columns, COUNT(symbol_columns));

	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];

		rows_add(r);
		if (!row->samples)
			rows_hide(r);
		rows_text(r, "name", row->name);
		rows_text(r, "dso", row->dso);
		rows_text(r, "facility", row->facility);
		rows_count(r, "samples", (double)row->samples);
		rows_beside(r, "self_pct", row->self_pct, 100 * row->half_ns / v->base_ns);
		rows_interval(r, "self_ns", row->self_ns, row->half_ns);
		rows_range(r, "ci95_ns", row->ci95_ns);
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
	};

	return words[fate];
}

static double known(double value)
{
	return value < 0 ? NAN : value;
}

static void block_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "blocks", block_columns, COUNT(block_columns));
	const struct placement *p = &v->of->placement;

	for (size_t i = 0; i < v->nblocks; i++) {
		const struct analysis_block *b = &v->blocks[i];
		const double *ns = b->block->placement_ns;

		rows_add(r);
		rows_count(r, "index", b->block->index);
		rows_text(r, "fate", fate_in_words(b->fate));
		rows_text(r, "placement", p->probed ? placement_name(p, placement_of(p, b->block)) : NULL);
		rows_number(r, "base_ns", b->base_ns, 1);
		rows_number(r, "busy_pct", b->busy_pct, 1);
		rows_range(r, "placement_ns", (double[]){known(ns[0]), known(ns[1])});
		rows_count(r, "samples", (double)b->samples);
		rows_count(r, "outlier", b->outlier);
	}
}

static void placement_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "placement", placement_columns, COUNT(placement_columns)), *strata;
	const struct placement *p = &v->of->placement;

	rows_add(r);
	rows_text(r, "stratum", p->probed ? p->strata[p->reference].name : NULL);
	rows_number(r, "ns", v->placement_ns, 1);
	rows_count(r, "mixed", v->strata_mixed);
	strata = rows_table(r, "strata", stratum_columns, COUNT(stratum_columns));
	for (size_t i = 0; p->probed && i < PLACEMENT_PLACES; i++) {
		if (!v->shares[i].blocks)
			continue;
		rows_add(strata);
		rows_text(strata, "name", placement_name(p, i));
		rows_count(strata, "blocks", (double)v->shares[i].blocks);
		rows_number(strata, "base_ns", v->shares[i].base_ns, 1);
	}
}

/* People are shown several receivers, one by one; a single one is the variant. */
static void cpu_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "cpus", cpu_columns, COUNT(cpu_columns));

	for (size_t i = 0; i < v->ncpus; i++) {
		rows_add(r);
		if (v->ncpus < 2)
			rows_hide(r);
		rows_count(r, "cpu", v->cpus[i].cpu);
		rows_count(r, "packets", v->cpus[i].packets);
		rows_count(r, "pps", v->cpus[i].pps);
		rows_number(r, "busy_pct", v->cpus[i].busy_pct, 1);
		rows_number(r, "base_ns", v->cpus[i].base_ns, 1);
	}
}

static void counter_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "counters", counter_columns, COUNT(counter_columns));

	for (size_t i = 0; i < v->ncounters; i++) {
		const struct analysis_counter *c = &v->counters[i];

		rows_add(r);
		rows_text(r, "source", counter_source_names[c->source]);
		rows_text(r, "name", c->name);
		rows_count(r, "per_second", c->per_second);
		rows_number(r, "per_packet", c->per_packet, 3);
		rows_text(r, "meaning", c->meaning);
	}
}

static void call_rows(struct rows *parent, const struct analysis_variant *v)
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

static void event_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "events", event_columns, COUNT(event_columns));

	for (size_t i = 0; i < v->nevents; i++) {
		const struct analysis_event *e = &v->events[i];

		rows_add(r);
		rows_text(r, "event", e->name);
		rows_text(r, "unit", e->unit);
		rows_event(r, "per_packet", e->per_packet, e->half);
		rows_number(r, "half", e->half, 4);
		rows_number(r, "per_cycle", e->per_cycle, 2);
		rows_number(r, "running_pct", e->running_pct, 1);
		rows_number(r, "counted_pct", isnan(e->per_packet) ? NAN : e->running_pct, 1);
	}
}

static void slab_rows(struct rows *parent, const struct analysis_slab *s)
{
	struct rows *r = rows_table(parent, "slab", slab_columns, COUNT(slab_columns));

	if (!s->samples)
		return;
	rows_add(r);
	rows_number(r, "fast_ns", s->fast_ns, 1);
	rows_number(r, "slow_ns", s->slow_ns, 1);
	rows_number(r, "slow_pct", s->slow_pct, 0);
	rows_text(r, "slowest", s->slowest);
	slab_words(parent, s);
}

static void stage_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "second_stage", stage_columns, COUNT(stage_columns));
	const struct analysis_stage *s = &v->stage;
	char words[400];

	if (v->variant->stage == RUN_STAGE_NONE)
		return;
	rows_add(r);
	rows_text(r, "is", v->variant->stage_text);
	rows_count(r, "cpu", known(v->variant->stage_cpu));
	rows_text(r, "clock", isnan(s->ns) ? NULL : s->by_task ? "task" : "softirqs");
	rows_interval(r, "ns", s->ns, s->half_ns);
	rows_range(r, "ci95_ns", s->ci95_ns);
	rows_count(r, "redirected", s->redirected);
	rows_count(r, "frames", s->frames);
	rows_count(r, "dropped", s->dropped);
	rows_number(r, "dropped_pct", s->dropped_pct, 2);
	rows_number(parent, "stage_ns", s->ns, 1);
	stage_words(v, words, sizeof(words));
	rows_words(parent, "stage_words", "%s%s", isnan(s->ns) ? "" : "beside the base, ", words);
}

/* ---- variants ---------------------------------------------------------------------------------------- */

static void put_base(struct rows *r, const struct analysis_variant *v)
{
	rows_count(r, "pps", v->pps);
	rows_count(r, "packets", v->packets);
	rows_interval(r, "base_ns", v->base_ns, v->half_ns);
	rows_number(r, "half_ns", v->half_ns, 1);
	rows_number(r, "base_ns_by_rate", v->base_by_rate_ns, 1);
	rows_number(r, "base_ns_by_busy", v->base_by_busy_ns, 1);
	rows_number(r, "busy_pct", v->busy_pct, 1);
	rows_text(r, "busy_from", v->busy_estimated ? "samples" : "kernel clock");
	busy_words(r, v);
	rows_range(r, "ci95_ns", v->ci95_ns);
	rows_number(r, "packets_per_poll", v->packets_per_poll, 1);
	rows_number(r, "taken_out_ns", v->taken_out_ns, 1);
	rows_number(r, "unattributed_ns", v->unattributed_ns, 1);
	rows_number(r, "closure_ns", v->closure_ns, 3);
	rows_words(r, "closure_words", "symbols %.1f + unattributed %.1f = base %.1f ns, residual %.3f ns",
		   analysis_sum_rows(v->symbols, v->nsymbols), v->unattributed_ns, v->base_ns, fabs(v->closure_ns));
}

static void put_accuracy(struct rows *r, const struct analysis_variant *v)
{
	rows_count(r, "samples", (double)v->samples);
	rows_number(r, "all_pct", 100, 0);
	rows_number(r, "design_effect", v->design_effect, 2);
	rows_number(r, "n_eff", v->n_eff, 0);
	rows_number(r, "unseen_max_ns", v->samples ? v->unseen_max_ns : NAN, 2);
	rows_interval(r, "overhead_pct", v->overhead_pct, v->overhead_half_pct);
	rows_number(r, "overhead_half_pct", v->overhead_half_pct, 1);
	rows_number(r, "waits_ns", v->waits_ns, 1);
	rows_number(r, "sampled_busy_pct", v->sampled_busy_pct, 1);
	rows_number(r, "drift_pct", v->drift_pct, 2);
	rows_number(r, "lag1", v->trend.lag1, 2);
	rows_count(r, "blocks_used", (double)v->nused);
	rows_count(r, "blocks_set_aside", (double)(v->nblocks - v->nused));
	rows_words(r, "blocks_words", "%zu of %zu", v->nused, v->nblocks);
	rows_interval(r, "counting_pct", v->counting_pct, v->counting_half_pct);
}

void report_rows_side(struct rows *r, const struct analysis_variant *v, const char *side)
{
	rows_add(r);
	rows_class(r, side);
	rows_text(r, "side", side);
	rows_text(r, "id", v->variant->id);
	rows_text(r, "action", v->variant->action);
	rows_text(r, "operation", v->variant->operation);
	rows_text(r, "mode", v->variant->mode);
	rows_number(r, "plant_ns", v->variant->plant_ns, 1);
	put_base(r, v);
	put_accuracy(r, v);
}

static void add_variant(struct rows *r, const struct analysis_variant *v)
{
	report_rows_side(r, v, NULL);
	stage_rows(r, v);
	block_rows(r, v);
	placement_rows(r, v);
	cpu_rows(r, v);
	call_rows(r, v);
	facility_rows(r, v);
	symbol_rows(r, v);
	counter_rows(r, v);
	slab_rows(r, &v->slab);
	event_rows(r, v);
	quality_rows(r, "quality", &v->quality);
}

struct rows *report_rows_table(struct rows *parent, const char *key)
{
	return rows_table(parent, key, variant_columns, COUNT(variant_columns));
}

int report_rows(struct rows *r, const struct analysis *a, const struct analysis_variant *only)
{
	rows_init(r, variant_columns, COUNT(variant_columns));
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			add_variant(r, &a->variants[i]);
	return rows_error(r);
}

int report_quality_rows(struct rows *r, const struct analysis *a)
{
	rows_init(r, run_columns, COUNT(run_columns));
	rows_add(r);
	quality_rows(r, "quality", &a->quality);
	return rows_error(r);
}
