// SPDX-License-Identifier: GPL-2.0-or-later
/* The windows of a block in run.json. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "reports/run/run_names.h"
#include "reports/run/run_read.h"

static void read_cpu(struct json_in *rd, const json_t *o, struct run_window *w)
{
	int cpu = (int)json_in_whole(rd, o, "cpu", 0, INT_MAX);
	json_t *verdicts = json_in_object(rd, o, "verdicts");
	struct run_cpu *c;

	if (rd->err)
		return;
	c = run_read_added(rd, run_add_cpu(w, cpu));
	for (int v = 0; c && v < RUN_VERDICTS; v++)
		if (json_object_get(verdicts, run_verdict_names[v])) /* older versions lack some verdicts: 0 */
			c->verdicts[v] = json_in_count(rd, verdicts, run_verdict_names[v]);
	if (c && json_object_get(o, "busy_ns")) /* older versions lack this member */
		c->busy_ns = json_in_real_or_null(rd, o, "busy_ns");
}

static void read_polls(struct json_in *rd, const json_t *o, struct run_window *w)
{
	json_t *value = json_in_member(rd, o, "polls"), *hist;

	if (json_is_null(value))
		return;
	value = json_in_object(rd, o, "polls");
	w->has_polls = true;
	w->polls = json_in_count(rd, value, "polls");
	w->poll_packets = json_in_count(rd, value, "packets");
	w->polls_empty = json_in_count(rd, value, "empty");
	hist = json_in_array(rd, value, "hist", RUN_POLL_HIST);
	for (size_t i = 0; i < json_array_size(hist); i++)
		w->poll_hist[i] =
			(uint64_t)json_in_whole_value(rd, json_array_get(hist, i), "polls.hist", 0, JSON_IN_MOST);
}

/* Runs of older versions lack this member: their windows have no calls. */
static void read_calls(struct json_in *rd, const json_t *o, struct run_calls *c)
{
	json_t *value = json_object_get(o, "calls");

	if (!value || json_is_null(value))
		return;
	value = json_in_object(rd, o, "calls");
	json_in_text(rd, value, "function", c->function, sizeof(c->function));
	c->calls = json_in_count(rd, value, "calls");
	c->timed = json_in_count(rd, value, "timed");
	c->ns = json_in_real_or_null(rd, value, "ns");
	c->probe_ns = json_in_real_or_null(rd, value, "probe_ns");
}

static enum run_window_kind read_kind(struct json_in *rd, const json_t *o)
{
	char kind[8] = "";

	json_in_text(rd, o, "kind", kind, sizeof(kind));
	for (int i = 0; i < RUN_WINDOW_KINDS; i++)
		if (!strcmp(kind, run_window_kind_names[i]))
			return i;
	json_in_refuse(rd, "kind", "is not \"base\", \"profile\", \"probe\", \"calls\" or \"count\"");
	return RUN_BASE;
}

static void read_counter(struct json_in *rd, struct counters *out, enum counter_source source, const char *name,
			 const json_t *value)
{
	bool known = !json_is_null(value);
	uint64_t grown = known ? (uint64_t)json_in_whole_value(rd, value, name, 0, INT64_MAX) : 0;

	if (!rd->err && counters_append(out, source, name, strlen(name), grown, known))
		run_read_added(rd, NULL);
}

/* Runs of older versions lack this member: they did not keep the device's counters. */
void run_read_counters(struct json_in *rd, const json_t *o, struct run_counters *out)
{
	json_t *counters = json_object_get(o, "counters"), *values;

	if (rd->err || !counters || json_is_null(counters))
		return;
	counters = json_in_object(rd, o, "counters");
	out->from_ns = json_in_ns(rd, counters, "from_ns");
	out->to_ns = json_in_ns(rd, counters, "to_ns");
	out->packets = json_in_count(rd, counters, "packets");
	if (!rd->err && out->to_ns <= out->from_ns)
		json_in_refuse(rd, "counters.to_ns", "is not after from_ns");
	for (int source = 0; source < COUNTER_SOURCES && !rd->err; source++) {
		if (!json_object_get(counters, counter_source_names[source]))
			continue;
		values = json_in_object(rd, counters, counter_source_names[source]);
		for (void *i = json_object_iter(values); i; i = json_object_iter_next(values, i))
			read_counter(rd, &out->changed, source, json_object_iter_key(i), json_object_iter_value(i));
	}
}

/* Runs of older versions lack these members: they had no second stage. */
static void read_window_stage(struct json_in *rd, const json_t *o, struct run_window *w)
{
	if (!json_object_get(o, "stage_busy_ns"))
		return;
	w->stage_busy_ns = json_in_real_or_null(rd, o, "stage_busy_ns");
	w->stage_packets = json_in_whole_or_null(rd, o, "stage_packets", JSON_IN_MOST);
}

static void read_event(struct json_in *rd, const json_t *o, struct run_event *e)
{
	json_in_text(rd, o, "event", e->name, sizeof(e->name));
	json_in_text(rd, o, "unit", e->unit, sizeof(e->unit));
	e->count = json_in_real_or_null(rd, o, "count");
	e->running_pct = json_in_real_or_null(rd, o, "running_pct");
	e->enabled_ns = json_in_real_or_null(rd, o, "enabled_ns");
}

/* Runs of older versions lack this member: they had no count windows. */
static void read_events(struct json_in *rd, const json_t *o, struct run_window *w)
{
	json_t *events = rd->err || !json_object_get(o, "events") ? NULL : json_in_array(rd, o, "events", 1 << 10);
	struct run_event *e;

	for (size_t i = 0; i < json_array_size(events) && !rd->err; i++) {
		e = run_read_added(rd, run_add_event(w));
		if (e)
			read_event(rd, json_array_get(events, i), e);
	}
}

static void read_window(struct json_in *rd, const json_t *o, struct run_window *w)
{
	json_t *cpus;

	w->kind = read_kind(rd, o);
	w->from_ns = json_in_ns(rd, o, "from_ns");
	w->to_ns = json_in_ns(rd, o, "to_ns");
	if (!rd->err && w->to_ns <= w->from_ns)
		json_in_refuse(rd, "to_ns", "is not after from_ns");
	w->busy_ns = json_in_real_or_null(rd, o, "busy_ns");
	if (json_object_get(o, "own_ns")) /* older versions lack it: the whole window */
		w->own_ns = json_in_real_or_null(rd, o, "own_ns");
	if (json_object_get(o, "waits_ns")) /* older versions lack it: not known */
		w->waits_ns = json_in_real_or_null(rd, o, "waits_ns");
	if (json_object_get(o, "plant_ns")) /* only of variants with a planted cost */
		w->plant_ns = json_in_real_or_null(rd, o, "plant_ns");
	w->steal_ns = json_in_real_or_null(rd, o, "steal_ns");
	w->freq_khz = json_in_real_or_null(rd, o, "freq_khz");
	w->softirq_ns = json_in_real_or_null(rd, o, "softirq_ns");
	read_window_stage(rd, o, w);
	cpus = json_in_array(rd, o, "cpus", 1 << 13);
	for (size_t i = 0; i < json_array_size(cpus) && !rd->err; i++)
		read_cpu(rd, json_array_get(cpus, i), w);
	read_polls(rd, o, w);
	run_read_counters(rd, o, &w->counters);
	read_calls(rd, o, &w->calls);
	read_events(rd, o, w);
}

void run_read_windows(struct json_in *rd, const json_t *o, struct run_block *b)
{
	json_t *windows = json_in_array(rd, o, "windows", 1 << 16);
	struct run_window *w;

	for (size_t i = 0; i < json_array_size(windows) && !rd->err; i++) {
		json_in_enter(rd, "blocks[%d].windows[%zu].", b->index, i);
		w = run_read_added(rd, run_add_window(b));
		if (w)
			read_window(rd, json_array_get(windows, i), w);
		if (i && !rd->err && w->from_ns < w[-1].to_ns)
			json_in_refuse(rd, "from_ns", "lies before the end of the window before it");
	}
	json_in_enter(rd, "blocks[%d].", b->index);
}
