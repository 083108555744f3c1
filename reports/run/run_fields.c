// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands in run.json, in its order. A stranger may have written it. */
#include "reports/run/fields.h"
#include "reports/run/run.h"

const char *const run_verdict_names[RUN_VERDICTS] = {"aborted", "drop", "pass", "tx", "redirect", "unknown"};
const char *const run_window_kind_names[RUN_WINDOW_KINDS] = {"base", "profile", "probe", "calls", "count"};

/* ---- windows ----------------------------------------------------------------------------------------- */

/* Older versions lack some verdicts: 0. */
#define VERDICT(name, i) {name, OPTIONAL, WHOLE(run_cpu, verdicts[i])}
static const struct field cpu_verdicts[] = {
	VERDICT("aborted", RUN_ABORTED),
	VERDICT("drop", RUN_DROP),
	VERDICT("pass", RUN_PASS),
	VERDICT("tx", RUN_TX),
	VERDICT("redirect", RUN_REDIRECT),
	{"unknown", OPTIONAL | LEFT_OUT, WHOLE(run_cpu, verdicts[RUN_UNTOLD]), .least = 1},
};
static const struct fields cpu_verdict_fields = {FIELDS(cpu_verdicts)};
static const struct field cpu_list[] = {
	{"cpu", 0, WHOLE(run_cpu, cpu)},
	{"verdicts", 0, MEMBERS(&cpu_verdict_fields)},
	{"busy_ns", OPTIONAL, REAL(run_cpu, busy_ns)},
};
static const struct fields cpu_fields = {FIELDS(cpu_list)};

TELLS(has_polls, run_window, s->has_polls)
static const struct field poll_list[] = {
	{"polls", 0, WHOLE(run_window, polls)},
	{"packets", 0, WHOLE(run_window, poll_packets)},
	{"empty", 0, WHOLE(run_window, polls_empty)},
	{"hist", 0, WHOLES(run_window, poll_hist)},
};
static const struct fields poll_fields = {FIELDS(poll_list), .known = has_polls,
					  .was_read = offsetof(struct run_window, has_polls)};

static void read_changed(struct json_in *rd, const json_t *o, void *s)
{
	struct counters *changed = &((struct run_counters *)s)->changed;
	const char *name;
	json_t *value;

	for (int source = 0; source < COUNTER_SOURCES; source++) {
		json_t *values = json_object_get(o, counter_source_names[source]);

		if (values && !json_is_object(values))
			fields_refuse(rd, counter_source_names[source], "is not an object");
		json_object_foreach (values, name, value) {
			bool known = !json_is_null(value);

			if (known && !json_is_integer(value))
				fields_refuse(rd, name, "is not a whole number");
			else if (known && json_integer_value(value) < 0)
				fields_refuse(rd, name, "is out of range");
			else if (counters_append(changed, source, name, strlen(name),
						 (uint64_t)json_integer_value(value), known) &&
				 !rd->err)
				rd->err = diag_set(rd->d, -ENOMEM, "%s: out of memory", rd->path);
		}
	}
}

static void write_changed(struct json_out *out, json_t *o, const void *s)
{
	out->failed |= json_object_update_new(o, run_counters_json(&((const struct run_counters *)s)->changed)) != 0;
}

TELLS(has_counters, run_counters, s->to_ns)
static const struct field counter_list[] = {
	{"changed", 0, OWN(read_changed, write_changed)},
	{"from_ns", 0, WHOLE(run_counters, from_ns), .most = INT64_MAX},
	{"to_ns", 0, ABOVE(run_counters, to_ns, from_ns), .most = INT64_MAX, .why = "is not after from_ns"},
	{"packets", 0, WHOLE(run_counters, packets)},
};
static const struct fields counter_fields = {FIELDS(counter_list), .known = has_counters};

static const struct field event_list[] = {
	{"event", 0, TEXT(run_event, name)},
	{"unit", 0, TEXT(run_event, unit)},
	{"count", 0, REAL(run_event, count)},
	{"running_pct", 0, REAL(run_event, running_pct)},
	{"enabled_ns", 0, REAL(run_event, enabled_ns)},
};
static const struct fields event_fields = {FIELDS(event_list)};

/* In the view "watch", one time is measured in several ways at once. */
static void check_window(struct json_in *rd, void *s, size_t index)
{
	const struct run_window *w = s, *before = w - 1;

	if (index && w->from_ns < before->to_ns &&
	    !(before->kind < w->kind && before->from_ns == w->from_ns && before->to_ns == w->to_ns))
		fields_refuse(rd, "from_ns", "lies before the end of the window before it");
}

static const struct field window_list[] = {
	{"kind", 0, WORD(run_window, kind, run_window_kind_names, RUN_WINDOW_KINDS),
	 .why = "is not \"base\", \"profile\", \"probe\", \"calls\" or \"count\""},
	{"from_ns", 0, WHOLE(run_window, from_ns), .most = INT64_MAX},
	{"to_ns", 0, ABOVE(run_window, to_ns, from_ns), .most = INT64_MAX, .why = "is not after from_ns"},
	{"busy_ns", 0, REAL(run_window, busy_ns)},
	{"own_ns", OPTIONAL, REAL(run_window, own_ns)},
	{"waits_ns", OPTIONAL, REAL(run_window, waits_ns)},
	{"injected_ns", OPTIONAL | LEFT_OUT, REAL(run_window, injected_ns)},
	{"steal_ns", 0, REAL(run_window, steal_ns)},
	{"freq_khz", 0, REAL(run_window, freq_khz)},
	{"softirq_ns", 0, REAL(run_window, softirq_ns)},
	{"consumer_busy_ns", OPTIONAL, REAL(run_window, consumer_busy_ns)},
	{"consumer_packets", OPTIONAL | NULLABLE, WHOLE(run_window, consumer_packets)},
	{"cpus", 0, LIST(run_window, cpus, ncpus, &cpu_fields), .most = 1 << 13},
	{"polls", NULLABLE, MEMBERS(&poll_fields)},
	{"counters", OPTIONAL | NULLABLE | LEFT_OUT, OBJECT(run_window, counters, &counter_fields)},
	{"events", OPTIONAL | LEFT_OUT, LIST(run_window, events, nevents, &event_fields), .most = 1 << 10},
};
static const struct fields window_fields = {FIELDS(window_list), .check = check_window};

struct run_cpu *run_add_cpu(struct run_window *w, int cpu)
{
	struct run_cpu *c = fields_append(w, &window_fields, "cpus");

	if (c)
		c->cpu = cpu;
	return c;
}

struct run_event *run_add_event(struct run_window *w)
{
	return fields_append(w, &window_fields, "events");
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static void check_speed(struct json_in *rd, void *s, size_t index)
{
	const struct run_speed *speed = s;

	if (!(speed->ns > 0))
		fields_refuse(rd, "ns", "is not a time above 0");
	if (index && speed->at_ns < speed[-1].at_ns)
		fields_refuse(rd, "at_ns", "lies before the probe before it");
}

static const struct field speed_list[] = {
	{"at_ns", 0, WHOLE(run_speed, at_ns), .most = INT64_MAX},
	{"ns", 0, REAL(run_speed, ns)},
	{"loaded", 0, BOOL(run_speed, loaded)},
};
static const struct fields speed_fields = {FIELDS(speed_list), .check = check_speed};

#define TOTAL(name)          {#name, NULLABLE, WHOLE(run_totals, name)}
#define OPTIONAL_TOTAL(name) {#name, OPTIONAL | NULLABLE, WHOLE(run_totals, name)}
static const struct field total_list[] = {
	TOTAL(gen_sent),
	TOTAL(gen_errors),
	TOTAL(rx_seen),
	TOTAL(rx_named_drops),
	TOTAL(tx_verdicts),
	TOTAL(tx_errors),
	TOTAL(sink_frames),
	TOTAL(stray),
	TOTAL(perf_lost),
	OPTIONAL_TOTAL(tx_sent),
	OPTIONAL_TOTAL(link_sent),
	OPTIONAL_TOTAL(gen_pps),
	OPTIONAL_TOTAL(redirected),
	OPTIONAL_TOTAL(consumer_frames),
	OPTIONAL_TOTAL(consumer_dropped),
	OPTIONAL_TOTAL(send_calls),
	OPTIONAL_TOTAL(send_owed),
	OPTIONAL_TOTAL(send_completed),
	OPTIONAL_TOTAL(send_copied),
};
static const struct fields total_fields = {FIELDS(total_list)};
_Static_assert(sizeof(total_list) / sizeof(*total_list) * sizeof(int64_t) == sizeof(struct run_totals),
	       "a counter of struct run_totals has no name in run.json");

/* A run directory may come from a stranger, so a path in run.json must not lead out of the directory. */
static void check_block(struct json_in *rd, void *s, size_t index)
{
	const struct run_block *b = s;

	if ((size_t)b->index != index)
		fields_refuse(rd, "index", "is not its place among the blocks");
	if (b->script[0] == '/' || strstr(b->script, ".."))
		fields_refuse(rd, "script", "lies outside of the run directory");
}

TELLS(has_seal, run_block, s->seal.bytes >= 0)
static const struct field block_list[] = {
	{"index", 0, WHOLE(run_block, index)},
	{"round", 0, WHOLE(run_block, round)},
	{"sample_hz", OPTIONAL | LEFT_OUT, WHOLE(run_block, sample_hz), .least = 1},
	{"variant", 0, WHOLE(run_block, variant)},
	{"prog_id", 0, WHOLE(run_block, prog_id)},
	{"prog_tag", 0, TEXT(run_block, prog_tag)},
	{"prog_instructions", OPTIONAL | NULLABLE, WHOLE(run_block, prog_instructions), .most = MADE_MOST},
	{"prog_bytes", OPTIONAL | NULLABLE, WHOLE(run_block, prog_bytes), .most = MADE_MOST},
	{"prog_name", 0, TEXT(run_block, prog_name)},
	{"mode_found", 0, WORD(run_block, mode_found, run_mode_words, RUN_MODES), .why = "is not a mode"},
	{"placement_ns", 0, REALS(run_block, placement_ns)},
	{"consumer_tid", OPTIONAL | NULLABLE, WHOLE(run_block, consumer_tid)},
	{"script", NULLABLE, TEXT(run_block, script)},
	{"script_bytes", OPTIONAL | LEFT_OUT, WHOLE(run_block, seal.bytes), .most = INT64_MAX},
	{"script_digest", 0, HEX(run_block, seal.digest), .is = has_seal},
	{"windows", 0, LIST(run_block, windows, nwindows, &window_fields), .most = 1 << 16},
	{"speed", OPTIONAL | LEFT_OUT, LIST(run_block, speeds, nspeeds, &speed_fields), .most = 1 << 16},
	{"totals", 0, OBJECT(run_block, totals, &total_fields)},
	{"counters", OPTIONAL | NULLABLE | LEFT_OUT, OBJECT(run_block, counters, &counter_fields)},
};
static const struct fields block_fields = {FIELDS(block_list), .check = check_block};

struct run_window *run_add_window(struct run_block *b)
{
	return fields_append(b, &block_fields, "windows");
}

/* ---- variants ---------------------------------------------------------------------------------------- */

/* The id is what the words say, so that nothing else can stand in what is printed for it. */
static void read_id(struct json_in *rd, const json_t *o, void *s)
{
	const char *id = json_string_value(json_object_get(o, "id"));
	struct run_variant *v = s;

	if (!id)
		fields_refuse(rd, "id", json_object_get(o, "id") ? "is not text" : "is missing");
	else if (run_variant_parse(v, id, NULL) || strcmp(v->id, id))
		fields_refuse(rd, "id", "is no variant that this program knows");
	v->stage_cpu = -1;
}

static void check_words(struct json_in *rd, void *s, size_t index)
{
	struct run_variant *v = s;

	if (run_variant_is_layer(v))
		v->stage = *v->stage_text ? RUN_STAGE_READER : RUN_STAGE_NONE;
	for (size_t i = 1; i <= index; i++)
		if (!strcmp(v[-i].id, v->id))
			fields_refuse(rd, "id", "is that of another variant too");
}

TELLS(has_frames, run_verdicts, s->frames >= 0)
static const struct field verdict_list[] = {
	{"frames", NULLABLE, WHOLE(run_verdicts, frames)},
	{"seen", NULLABLE, WHOLE(run_verdicts, seen)},
	{"runs", NULLABLE, WHOLE(run_verdicts, runs)},
	{"back", NULLABLE, WHOLE(run_verdicts, back)},
	{"aborted", NULLABLE, WHOLE(run_verdicts, ended[RUN_ABORTED])},
	{"drop", NULLABLE, WHOLE(run_verdicts, ended[RUN_DROP])},
	{"pass", NULLABLE, WHOLE(run_verdicts, ended[RUN_PASS])},
	{"tx", NULLABLE, WHOLE(run_verdicts, ended[RUN_TX])},
	{"redirect", NULLABLE, WHOLE(run_verdicts, ended[RUN_REDIRECT])},
};
static const struct fields verdict_fields = {FIELDS(verdict_list), .known = has_frames};

TELLS(has_stage, run_variant, s->stage != RUN_STAGE_NONE)
static const struct field stage_list[] = {
	{"target", TOLD | NULLABLE, TEXT(run_variant, target)},
	{"is", NULLABLE, TEXT(run_variant, stage_text)},
	{"cpu", NULLABLE, WHOLE(run_variant, stage_cpu)},
};
static const struct fields stage_fields = {FIELDS(stage_list), .known = has_stage};

TELLS(is_own, run_variant, run_variant_is_own(s))
TELLS(is_layer, run_variant, run_variant_is_layer(s))
TELLS(is_watched, run_variant, run_variant_is_watched(s))
TELLS(has_object, run_variant, s->object.bytes >= 0)
static const struct field variant_list[] = {
	{"id", 0, TEXT(run_variant, id), .read = read_id},
	{"action", TOLD, WORD(run_variant, action, run_action_words, 1)},
	{"operation", TOLD, WORD(run_variant, operation, run_operation_words, 1)},
	{"mode", TOLD, WORD(run_variant, mode, run_mode_words, 1)},
	{"program", TOLD, TEXT(run_variant, target), .is = is_own},
	{"verdicts", OPTIONAL | NULLABLE, OBJECT(run_variant, verdicts, &verdict_fields), .is = is_own},
	{"object_bytes", OPTIONAL | LEFT_OUT, WHOLE(run_variant, object.bytes), .most = INT64_MAX, .is = is_own},
	{"object_digest", 0, HEX(run_variant, object.digest), .is = has_object},
	{"layer", TOLD, TEXT(run_variant, target), .is = is_layer},
	{"device", TOLD, TEXT(run_variant, target), .is = is_watched},
	{"inject", TOLD | NULLABLE, WORD(run_variant, inject, run_inject_words, 1)},
	{"inject_asked_ns", OPTIONAL, REAL(run_variant, inject_asked_ns)},
	{"injected_ns", 0, REAL(run_variant, injected_ns)},
	{"inject_steps", OPTIONAL, WHOLE(run_variant, inject_steps)},
	{"observer", TOLD | LEFT_OUT, WORD(run_variant, observer, run_observer_words, 1)},
	{"consumer", OPTIONAL | NULLABLE, MEMBERS(&stage_fields)},
};
static const struct fields variant_fields = {FIELDS(variant_list), .check = check_words};

/* ---- the whole --------------------------------------------------------------------------------------- */

static const struct field tracer_list[] = {
	{"name", 0, TEXT(run_tracer, name)},        {"tag", 0, TEXT(run_tracer, tag)},
	{"hook", NULLABLE, TEXT(run_tracer, hook)}, {"owner", NULLABLE, TEXT(run_tracer, owner)},
	{"own", 0, BOOL(run_tracer, own)},
};
static const struct fields tracer_fields = {FIELDS(tracer_list)};

TELLS(in_frames, run, s->turn_frames)
TELLS(in_ns, run, s->turn_ns)
TELLS(has_turns, run, s->turn_frames || s->turn_ns)

static void check_turns(struct json_in *rd, void *s, size_t index)
{
	(void)index;
	if (!has_turns(s))
		fields_refuse(rd, "frames", "is missing");
}

static const struct field turn_list[] = {
	{"frames", OPTIONAL | LEFT_OUT, WHOLE(run, turn_frames), .least = 1},
	{"lead", 0, WHOLE(run, turn_lead), .is = in_frames},
	{"ns", OPTIONAL | LEFT_OUT, WHOLE(run, turn_ns), .least = 1, .most = INT_MAX},
	{"settle_ns", 0, WHOLE(run, turn_settle_ns), .most = INT_MAX, .is = in_ns},
	{"stamp_ns", 0, REAL(run, stamp_ns)},
};
static const struct fields turn_fields = {FIELDS(turn_list), .known = has_turns, .check = check_turns};

TELLS(has_waited, run, !isnan(s->waited_s))
TELLS(knows_tracers, run, s->tracers_known)
static const struct field head_list[] = {
	{"version", 0, TEXT(run, version)},
	{"started", 0, TEXT(run, started)},
	{"command", 0, JSON(run, command), .most = 1 << 16},
	{"environment", 0, JSON(run, environment)},
	{"device", 0, JSON(run, device)},
	{"load", 0, JSON(run, load)},
	{"event", 0, TEXT(run, event)},
	{"sample_hz", 0, REAL(run, sample_hz)},
	{"sample_cost_ns", 0, REAL(run, sample_cost_ns)},
	{"overhead_budget_pct", 0, REAL(run, overhead_budget_pct)},
	{"napi_threaded", 0, BOOL(run, napi_threaded)},
	{"napi_tids", 0, WHOLES_N(run, napi_tids, nnapi_tids)},
	{"rx_cpus", 0, WHOLES_N(run, rx_cpus, nrx_cpus)},
	{"view", OPTIONAL, WORD(run, view, run_view_words, RUN_VIEWS),
	 .why = "is not \"blocks\", \"work\", \"crossing\", \"turns\" or \"watch\""},
	{"view_why", OPTIONAL | LEFT_OUT, TEXT(run, view_why)},
	{"turns", OPTIONAL | NULLABLE, MEMBERS(&turn_fields)},
	{"waited_s", OPTIONAL, REAL(run, waited_s)},
	{"steady", 0, BOOL(run, steady), .is = has_waited},
	{"held_skbs", OPTIONAL | LEFT_OUT, WHOLE(run, held_skbs)},
	{"order", 0, TEXT(run, order)},
	{"seed", 0, SEED(run, seed)},
	{"tracers", OPTIONAL, LIST(run, tracers, ntracers, &tracer_fields), .most = RUN_MAX_TRACERS,
	 .is = knows_tracers},
	{"variants", 0, LIST(run, variants, nvariants, &variant_fields), .most = 1 << 12},
};
const struct fields run_head_fields = {FIELDS(head_list)};

static const struct field tail_list[] = {
	{"ended", 0, TEXT(run, ended)},
};
const struct fields run_tail_fields = {FIELDS(tail_list)};

static const struct field blocks = {"blocks", 0, LIST(run, blocks, nblocks, &block_fields), .most = 1 << 20};
const struct fields run_blocks_field = {&blocks, 1};

struct run_variant *run_add_variant(struct run *r)
{
	return fields_append(r, &run_head_fields, "variants");
}

struct run_block *run_add_block(struct run *r)
{
	struct run_block *b = fields_add(NULL, r, &blocks);

	if (b)
		b->index = (int)r->nblocks - 1;
	return b;
}
