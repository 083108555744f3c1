// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/rows/report_rows.h"

#include <math.h>
#include "reports/rows/report_parts.h"

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
static const struct metric scatter = {"xdpzoom_block_scatter_ratio", "ratio",
				      "Standard deviation of the blocks' cost per packet over its mean.", 0.01};

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
	{"scatter_pct", "scatter", CELL_NUMBER, IN_JSON | IN_FACTS, "% from block to block (standard deviation)",
	 .csv = "scatter_pct", .metric = &scatter},
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

/* ---- variants ---------------------------------------------------------------------------------------- */

static void busy_words(struct rows *r, const struct analysis_variant *v)
{
	if (isnan(v->busy_pct))
		rows_text(r, "busy_words", "how busy it was is not known: base by rate");
	else
		rows_words(r, "busy_words", "%.1f %% busy: %.1f ns by busy time, %.1f ns by rate", v->busy_pct,
			   v->base_by_busy_ns, v->base_by_rate_ns);
}

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
	rows_number(r, "scatter_pct", v->scatter_pct, 2);
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
	variant_stage_rows(r, v);
	variant_block_rows(r, v);
	variant_placement_rows(r, v);
	variant_cpu_rows(r, v);
	variant_call_rows(r, v);
	variant_facility_rows(r, v);
	variant_symbol_rows(r, v);
	variant_counter_rows(r, v);
	variant_slab_rows(r, &v->slab);
	variant_event_rows(r, v);
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
