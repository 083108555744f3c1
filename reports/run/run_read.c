// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/foreign_file.h"
#include "reports/run/json_in.h"
#include "reports/run/made.h"
#include "reports/run/run_names.h"

#define MOST_BLOCKS (1 << 20)

static void *added(struct json_in *rd, void *element)
{
	if (!element && !rd->err)
		rd->err = diag_set(rd->d, -ENOMEM, "%s: out of memory", rd->path);
	return element;
}

/* ---- windows ----------------------------------------------------------------------------------------- */

static void run_read_read_cpu(struct json_in *rd, const json_t *o, struct run_window *w)
{
	int cpu = (int)json_in_whole(rd, o, "cpu", 0, INT_MAX);
	json_t *verdicts = json_in_object(rd, o, "verdicts");
	struct run_cpu *c;

	if (rd->err)
		return;
	c = added(rd, run_add_cpu(w, cpu));
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

/* Which of n words a member is; why: the sentence when it is none of them. */
static int read_word(struct json_in *rd, const json_t *o, const char *name, const char *const words[], int n,
		     const char *why)
{
	char text[16] = "";

	json_in_text(rd, o, name, text, sizeof(text));
	for (int i = 0; i < n; i++)
		if (!strcmp(text, words[i]))
			return i;
	json_in_refuse(rd, name, why);
	return 0;
}

static void read_counter(struct json_in *rd, struct counters *out, enum counter_source source, const char *name,
			 const json_t *value)
{
	bool known = !json_is_null(value);
	uint64_t grown = known ? (uint64_t)json_in_whole_value(rd, value, name, 0, INT64_MAX) : 0;

	if (!rd->err && counters_append(out, source, name, strlen(name), grown, known))
		added(rd, NULL);
}

/* Runs of older versions lack this member: they did not keep the device's counters. */
static void read_counters(struct json_in *rd, const json_t *o, struct run_counters *out)
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

static void run_read_read_event(struct json_in *rd, const json_t *o, struct run_event *e)
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
		e = added(rd, run_add_event(w));
		if (e)
			run_read_read_event(rd, json_array_get(events, i), e);
	}
}

static void read_window(struct json_in *rd, const json_t *o, struct run_window *w)
{
	json_t *cpus;

	w->kind = read_word(rd, o, "kind", run_window_kind_names, RUN_WINDOW_KINDS,
			    "is not \"base\", \"profile\", \"probe\", \"calls\" or \"count\"");
	w->from_ns = json_in_ns(rd, o, "from_ns");
	w->to_ns = json_in_ns(rd, o, "to_ns");
	if (!rd->err && w->to_ns <= w->from_ns)
		json_in_refuse(rd, "to_ns", "is not after from_ns");
	for (size_t i = 0; i < RUN_WINDOW_MEMBERS; i++) {
		double *number = (void *)((char *)w + run_window_members[i].offset);

		if (!run_window_members[i].later || json_object_get(o, run_window_members[i].name))
			*number = json_in_real_or_null(rd, o, run_window_members[i].name);
	}
	if (json_object_get(o, "stage_busy_ns")) /* older versions lack both: they had no second stage */
		w->stage_packets = json_in_whole_or_null(rd, o, "stage_packets", JSON_IN_MOST);
	cpus = json_in_array(rd, o, "cpus", 1 << 13);
	for (size_t i = 0; i < json_array_size(cpus) && !rd->err; i++)
		run_read_read_cpu(rd, json_array_get(cpus, i), w);
	read_polls(rd, o, w);
	read_counters(rd, o, &w->counters);
	read_calls(rd, o, &w->calls);
	read_events(rd, o, w);
}

/* In the view "watch", one time is measured in several ways at once. */
static bool is_same_time(const struct run_window *a, const struct run_window *b)
{
	return a->kind < b->kind && a->from_ns == b->from_ns && a->to_ns == b->to_ns;
}

static void read_windows(struct json_in *rd, const json_t *o, struct run_block *b)
{
	json_t *windows = json_in_array(rd, o, "windows", 1 << 16);
	struct run_window *w;

	for (size_t i = 0; i < json_array_size(windows) && !rd->err; i++) {
		json_in_enter(rd, "blocks[%d].windows[%zu].", b->index, i);
		w = added(rd, run_add_window(b));
		if (w)
			read_window(rd, json_array_get(windows, i), w);
		if (i && !rd->err && w->from_ns < w[-1].to_ns && !is_same_time(&w[-1], w))
			json_in_refuse(rd, "from_ns", "lies before the end of the window before it");
	}
	json_in_enter(rd, "blocks[%d].", b->index);
}

/* ---- blocks and the whole ------------------------------------------------------------------------------ */

/* Runs of older versions lack this member, and so do blocks whose variants take turns: the CPU was not probed. */
static void read_speeds(struct json_in *rd, const json_t *o, struct run_block *b)
{
	json_t *speeds = rd->err || !json_object_get(o, "speed") ? NULL : json_in_array(rd, o, "speed", 1 << 16);

	for (size_t i = 0; i < json_array_size(speeds) && !rd->err; i++) {
		const json_t *value = json_array_get(speeds, i);
		struct run_speed *s;

		json_in_enter(rd, "blocks[%d].speed[%zu].", b->index, i);
		s = added(rd, run_add_speed(b));
		if (!s)
			return;
		s->at_ns = json_in_ns(rd, value, "at_ns");
		s->ns = json_in_real_or_null(rd, value, "ns");
		s->loaded = json_in_bool(rd, value, "loaded");
		if (!rd->err && !(s->ns > 0))
			json_in_refuse(rd, "ns", "is not a time above 0");
		if (!rd->err && i && s->at_ns < s[-1].at_ns)
			json_in_refuse(rd, "at_ns", "lies before the probe before it");
	}
	json_in_enter(rd, "blocks[%d].", b->index);
}

static void read_totals(struct json_in *rd, const json_t *o, struct run_totals *t)
{
	json_t *totals = json_in_object(rd, o, "totals");

	json_in_enter(rd, "%s", "totals.");
	for (size_t i = 0; i < RUN_TOTALS; i++)
		if (!run_totals_members[i].later || json_object_get(totals, run_totals_members[i].name))
			*(int64_t *)((char *)t + run_totals_members[i].offset) =
				json_in_whole_or_null(rd, totals, run_totals_members[i].name, JSON_IN_MOST);
}

/* Older versions lack both. */
static void read_seal(struct json_in *rd, const json_t *o, const char *bytes, const char *digest, struct run_seal *s)
{
	char hex[17] = "";

	if (rd->err || !json_object_get(o, bytes))
		return;
	s->bytes = json_in_whole(rd, o, bytes, 0, INT64_MAX);
	json_in_text(rd, o, digest, hex, sizeof(hex));
	if (strlen(hex) != 16 || hex[strspn(hex, "0123456789abcdef")])
		json_in_refuse(rd, digest, "is not 16 hexadecimal digits");
	s->digest = strtoull(hex, NULL, 16);
}

/* Only an import has one text for all blocks. A text that stood for several blocks would count its samples for each. */
static int by_script(const void *a, const void *b)
{
	return strcmp((*(const struct run_block *const *)a)->script, (*(const struct run_block *const *)b)->script);
}

static void refuse_shared_scripts(struct json_in *rd, const struct run *r)
{
	const struct run_block **sorted;
	size_t n = 0;

	if (rd->err || run_is_imported(r))
		return;
	sorted = added(rd, calloc(r->nblocks + 1, sizeof(*sorted)));
	for (size_t i = 0; sorted && i < r->nblocks; i++)
		if (r->blocks[i].script[0])
			sorted[n++] = &r->blocks[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_script);
	for (size_t i = 1; i < n && !rd->err; i++)
		if (!by_script(&sorted[i - 1], &sorted[i]))
			json_in_refuse(rd, "script", "is that of another block too");
	free(sorted);
}

/* A run directory may come from a stranger, so a path in run.json must not lead out of the directory. */
static void read_script(struct json_in *rd, const json_t *o, struct run_block *b)
{
	json_in_text_or_null(rd, o, "script", b->script, sizeof(b->script));
	if (b->script[0] == '/' || strstr(b->script, ".."))
		json_in_refuse(rd, "script", "lies outside of the run directory");
	read_seal(rd, o, "script_bytes", "script_digest", &b->seal);
}

static void read_placement(struct json_in *rd, const json_t *o, struct run_block *b)
{
	json_t *placement = json_in_array(rd, o, "placement_ns", 2);

	if (placement && json_array_size(placement) != 2)
		json_in_refuse(rd, "placement_ns", "does not have two elements");
	for (size_t i = 0; i < 2 && !rd->err; i++)
		b->placement_ns[i] = json_in_real_value(rd, json_array_get(placement, i), "placement_ns");
}

static void read_block(struct json_in *rd, const json_t *o, struct run_block *b, size_t nvariants)
{
	int index = b->index; /* its place in the array; the member "index" must be the same */

	if (json_in_whole(rd, o, "index", 0, INT_MAX) != index)
		json_in_refuse(rd, "index", "is not its place among the blocks");
	b->round = (int)json_in_whole(rd, o, "round", 0, INT_MAX);
	if (json_object_get(o, "sample_hz")) /* older versions lack it, and blocks without samples */
		b->sample_hz = (int)json_in_whole(rd, o, "sample_hz", 1, INT_MAX);
	b->variant = json_in_count(rd, o, "variant");
	if (b->variant >= nvariants)
		json_in_refuse(rd, "variant", "is not one of the variants");
	b->prog_id = (uint32_t)json_in_whole(rd, o, "prog_id", 0, UINT32_MAX);
	json_in_text(rd, o, "prog_tag", b->prog_tag, sizeof(b->prog_tag));
	if (json_object_get(o, "prog_instructions")) /* older versions lack both */
		b->prog_instructions = (int)json_in_whole_or_null(rd, o, "prog_instructions", MADE_MOST);
	if (json_object_get(o, "prog_bytes"))
		b->prog_bytes = (int)json_in_whole_or_null(rd, o, "prog_bytes", MADE_MOST);
	json_in_text(rd, o, "prog_name", b->prog_name, sizeof(b->prog_name));
	b->mode_found = read_word(rd, o, "mode_found", run_mode_words, RUN_MODES, "is not a mode");
	read_placement(rd, o, b);
	if (json_object_get(o, "stage_tid"))
		b->stage_tid = (int)json_in_whole_or_null(rd, o, "stage_tid", INT_MAX);
	read_script(rd, o, b);
	read_windows(rd, o, b);
	read_speeds(rd, o, b);
	read_counters(rd, o, &b->counters);
	read_totals(rd, o, &b->totals);
}

/* A member that the id of the variant tells already. "": it may be missing, or be null. */
static void check_word(struct json_in *rd, const json_t *o, const char *name, const char *word)
{
	char text[RUN_ID_BYTES] = "";

	if (*word)
		json_in_text(rd, o, name, text, sizeof(text));
	else if (json_object_get(o, name))
		json_in_text_or_null(rd, o, name, text, sizeof(text));
	if (strcmp(text, word))
		json_in_refuse(rd, name, "is not what the id says");
}

/* The second stage's description and CPU. */
static void read_variant_stage(struct json_in *rd, const json_t *o, struct run_variant *v)
{
	json_t *stage = json_object_get(o, "second_stage");

	v->stage_cpu = -1;
	if (!stage || json_is_null(stage))
		return;
	stage = json_in_object(rd, o, "second_stage");
	check_word(rd, stage, "target", v->target);
	json_in_text_or_null(rd, stage, "is", v->stage_text, sizeof(v->stage_text));
	v->stage_cpu = (int)json_in_whole_or_null(rd, stage, "cpu", INT_MAX);
}

/* The id is what the words say, so that nothing else can stand in what is printed for it. */
static void read_id(struct json_in *rd, const json_t *o, struct run_variant *v)
{
	char id[RUN_ID_BYTES] = "";

	json_in_text(rd, o, "id", id, sizeof(id));
	if (rd->err)
		return;
	if (run_variant_parse(v, id, NULL) || strcmp(v->id, id))
		json_in_refuse(rd, "id", "is no variant that this program knows");
	check_word(rd, o, "action", run_action_words[v->action]);
	check_word(rd, o, "operation", run_operation_words[v->operation]);
	check_word(rd, o, "mode", run_mode_words[v->mode]);
	check_word(rd, o, "observer", run_observer_words[v->observer]);
	check_word(rd, o, "program", run_variant_is_own(v) ? v->target : "");
	check_word(rd, o, "device", run_variant_is_watched(v) ? v->target : "");
	check_word(rd, o, "rung", run_rungs[v->rung].word);
}

/* Older versions did not count them. */
static void read_verdicts(struct json_in *rd, const json_t *o, struct run_verdicts *v)
{
	json_t *verdicts = json_object_get(o, "verdicts");

	v->frames = -1;
	if (!verdicts || json_is_null(verdicts))
		return;
	verdicts = json_in_object(rd, o, "verdicts");
	v->frames = json_in_whole_or_null(rd, verdicts, "frames", JSON_IN_MOST);
	v->seen = json_in_whole_or_null(rd, verdicts, "seen", JSON_IN_MOST);
	v->runs = json_in_whole_or_null(rd, verdicts, "runs", JSON_IN_MOST);
	v->back = json_in_whole_or_null(rd, verdicts, "back", JSON_IN_MOST);
	for (int i = 0; i < RUN_UNTOLD; i++)
		v->ended[i] = json_in_whole_or_null(rd, verdicts, run_verdict_names[i], JSON_IN_MOST);
}

static void run_read_read_variant(struct json_in *rd, const json_t *o, struct run_variant *v)
{
	read_id(rd, o, v);
	v->plant_ns = json_in_real_or_null(rd, o, "plant_ns");
	if (isnan(v->plant_ns))
		v->plant_ns = 0;
	read_variant_stage(rd, o, v);
	read_verdicts(rd, o, &v->verdicts);
	v->object.bytes = -1;
	if (run_variant_is_own(v))
		read_seal(rd, o, "object_bytes", "object_digest", &v->object);
	if (run_variant_is_rung(v))
		v->stage = *v->stage_text ? RUN_STAGE_READER : RUN_STAGE_NONE;
	if (!json_object_get(o, "plant")) /* older versions lack these: nothing was planted */
		return;
	check_word(rd, o, "plant", run_plant_words[v->plant]);
	v->plant_asked_ns = json_in_real_or_null(rd, o, "plant_asked_ns");
	v->plant_steps = (uint32_t)json_in_whole(rd, o, "plant_steps", 0, UINT32_MAX);
}

static uint64_t read_seed(struct json_in *rd, const json_t *o)
{
	char text[24] = "", *end = NULL;
	unsigned long long seed;

	json_in_text(rd, o, "seed", text, sizeof(text));
	errno = 0;
	seed = strtoull(text, &end, 10);
	if (errno || text[0] < '0' || text[0] > '9' || *end)
		json_in_refuse(rd, "seed", "is not a whole number in quotes");
	return seed;
}

/* A number that stood there twice would count its samples twice. */
static void run_read_refuse_twins(struct json_in *rd, const json_t *list, const char *name)
{
	for (size_t i = 0; i < json_array_size(list) && !rd->err; i++)
		for (size_t k = 0; k < i && !rd->err; k++)
			if (json_equal(json_array_get(list, i), json_array_get(list, k)))
				json_in_refuse(rd, name, "names one twice");
}

/* Runs of older versions have one number instead of an array: they knew only one kthread. */
static void read_napi_tids(struct json_in *rd, const json_t *o, struct run *r)
{
	json_t *tids = json_object_get(o, "napi_tids");
	long long one;

	if (!tids) {
		one = json_in_whole_or_null(rd, o, "napi_tid", INT_MAX);
		if (one >= 0)
			r->napi_tids[r->nnapi_tids++] = (int)one;
		return;
	}
	tids = json_in_array(rd, o, "napi_tids", RUN_MAX_NAPIS);
	run_read_refuse_twins(rd, tids, "napi_tids");
	for (; r->nnapi_tids < json_array_size(tids); r->nnapi_tids++)
		r->napi_tids[r->nnapi_tids] =
			(int)json_in_whole_value(rd, json_array_get(tids, r->nnapi_tids), "napi_tids", 0, INT_MAX);
}

/* Runs of older versions lack these members: they measured block by block. */
static void read_view(struct json_in *rd, const json_t *o, struct run *r)
{
	json_t *turns = json_object_get(o, "turns");

	if (json_object_get(o, "view"))
		r->view = read_word(rd, o, "view", run_view_words, RUN_VIEWS,
				    "is not \"blocks\", \"work\", \"crossing\", \"turns\" or \"watch\"");
	if (json_object_get(o, "view_why"))
		json_in_text(rd, o, "view_why", r->view_why, sizeof(r->view_why));
	if (!turns || json_is_null(turns))
		return;
	turns = json_in_object(rd, o, "turns");
	if (json_object_get(turns, "ns")) {
		r->turn_ns = (int64_t)json_in_whole(rd, turns, "ns", 1, INT_MAX);
		r->turn_settle_ns = (int64_t)json_in_whole(rd, turns, "settle_ns", 0, INT_MAX);
	} else {
		r->turn_frames = (int)json_in_whole(rd, turns, "frames", 1, INT_MAX);
		r->turn_lead = (int)json_in_whole(rd, turns, "lead", 0, INT_MAX);
	}
	r->stamp_ns = json_in_real_or_null(rd, turns, "stamp_ns");
}

static void read_settings(struct json_in *rd, const json_t *o, struct run *r)
{
	json_t *rx_cpus;

	json_in_text(rd, o, "event", r->event, sizeof(r->event));
	r->sample_hz = json_in_real_or_null(rd, o, "sample_hz");
	r->sample_cost_ns = json_in_real_or_null(rd, o, "sample_cost_ns");
	r->overhead_budget_pct = json_in_real_or_null(rd, o, "overhead_budget_pct");
	r->napi_threaded = json_in_bool(rd, o, "napi_threaded");
	read_napi_tids(rd, o, r);
	rx_cpus = json_in_array(rd, o, "rx_cpus", sizeof(r->rx_cpus) / sizeof(r->rx_cpus[0]));
	run_read_refuse_twins(rd, rx_cpus, "rx_cpus");
	for (; r->nrx_cpus < json_array_size(rx_cpus); r->nrx_cpus++)
		r->rx_cpus[r->nrx_cpus] =
			(int)json_in_whole_value(rd, json_array_get(rx_cpus, r->nrx_cpus), "rx_cpus", 0, INT_MAX);
	read_view(rd, o, r);
	if (json_object_get(o, "waited_s")) /* older versions lack it: they did not wait */
		r->waited_s = json_in_real_or_null(rd, o, "waited_s");
	if (!isnan(r->waited_s))
		r->steady = json_in_bool(rd, o, "steady");
	if (json_object_get(o, "held_skbs")) /* older versions lack it */
		r->held_skbs = (int)json_in_whole(rd, o, "held_skbs", 0, INT_MAX);
	json_in_text(rd, o, "order", r->order, sizeof(r->order));
	r->seed = read_seed(rd, o);
}

/* Runs of older versions lack this member: nobody looked. */
static void read_tracers(struct json_in *rd, const json_t *o, struct run *r)
{
	json_t *tracers = json_object_get(o, "tracers") ? json_in_array(rd, o, "tracers", RUN_MAX_TRACERS) : NULL;
	struct run_tracer *t;

	r->tracers_known = tracers;
	for (size_t i = 0; i < json_array_size(tracers) && !rd->err; i++) {
		const json_t *tracer = json_array_get(tracers, i);

		json_in_enter(rd, "tracers[%zu].", i);
		t = added(rd, run_add_tracer(r));
		if (!t)
			return;
		json_in_text(rd, tracer, "name", t->name, sizeof(t->name));
		json_in_text(rd, tracer, "tag", t->tag, sizeof(t->tag));
		json_in_text_or_null(rd, tracer, "hook", t->hook, sizeof(t->hook));
		json_in_text_or_null(rd, tracer, "owner", t->owner, sizeof(t->owner));
		t->own = json_in_bool(rd, tracer, "own");
	}
	json_in_enter(rd, "%s", "");
}

/* Runs of older versions lack this member: no precision was asked for. */
static void read_precision(struct json_in *rd, const json_t *o, struct run *r)
{
	json_t *precision = json_object_get(o, "precision");

	if (!precision || json_is_null(precision))
		return;
	precision = json_in_object(rd, o, "precision");
	r->precision_pct = json_in_real_or_null(rd, precision, "asked_pct");
	r->precision_reached_pct = json_in_real_or_null(rd, precision, "reached_pct");
	json_in_text_or_null(rd, precision, "stop", r->precision_stop, sizeof(r->precision_stop));
}

static void run_read_add_block(struct json_in *rd, const json_t *o, struct run *r)
{
	struct run_block *b;

	json_in_enter(rd, "blocks[%zu].", r->nblocks);
	b = added(rd, run_add_block(r));
	if (b)
		read_block(rd, o, b, r->nvariants);
}

static void run_read_read_run(struct json_in *rd, const json_t *o, struct run *r)
{
	json_t *variants, *blocks;
	struct run_variant *v;

	json_in_text(rd, o, "version", r->version, sizeof(r->version));
	json_in_text(rd, o, "started", r->started, sizeof(r->started));
	r->command = json_incref(json_in_array(rd, o, "command", 1 << 16));
	r->environment = json_incref(json_in_object(rd, o, "environment"));
	r->device = json_incref(json_in_object(rd, o, "device"));
	r->load = json_incref(json_in_object(rd, o, "load"));
	run_take_facts(r);
	read_settings(rd, o, r);
	read_tracers(rd, o, r);
	json_in_text(rd, o, "ended", r->ended, sizeof(r->ended));
	read_precision(rd, o, r);
	variants = json_in_array(rd, o, "variants", 1 << 12);
	for (size_t i = 0; i < json_array_size(variants) && !rd->err; i++) {
		json_in_enter(rd, "variants[%zu].", i);
		v = added(rd, run_add_variant(r));
		if (v)
			run_read_read_variant(rd, json_array_get(variants, i), v);
		for (size_t k = 0; k < i && v && !rd->err; k++)
			if (!strcmp(r->variants[k].id, v->id))
				json_in_refuse(rd, "id", "is that of another variant too");
	}
	json_in_enter(rd, "%s", "");
	blocks = json_in_array(rd, o, "blocks", MOST_BLOCKS);
	for (size_t i = 0; i < json_array_size(blocks) && !rd->err; i++)
		run_read_add_block(rd, json_array_get(blocks, i), r);
}

/* The next of several values, with commas and blanks between them; NULL: no whole one comes. */
static json_t *next_value(FILE *f)
{
	int c = fgetc(f);

	while (c == ',' || isspace(c))
		c = fgetc(f);
	if (c == EOF)
		return NULL;
	ungetc(c, f);
	return json_loadf(f, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, NULL);
}

/*
 * The blocks that a killed recorder did not come to put into run.json. Those before them are there too; what it was
 * writing when it died is no whole block.
 */
static void read_part(struct json_in *rd, struct run *r, const char *dir)
{
	const char *was = rd->path;
	char path[4096 + 32];
	struct diag d = {""};
	json_t *o;
	FILE *f;

	if (rd->err || strcmp(r->ended, "killed"))
		return;
	snprintf(path, sizeof(path), "%s/" RUN_PART, dir);
	rd->err = foreign_file_open(&f, AT_FDCWD, path, true, RUN_MAX_BYTES, &d);
	if (rd->err) {
		rd->err = rd->err == -ENOENT ? 0 : diag_set(rd->d, rd->err, "%s", d.text);
		return;
	}
	rd->path = path;
	for (size_t i = 0; !rd->err && r->nblocks < MOST_BLOCKS && (o = next_value(f)); i++) {
		if (i >= r->nblocks)
			run_read_add_block(rd, o, r);
		json_decref(o);
	}
	fclose(f);
	rd->path = was;
}

static int check_schema(const json_t *o, const char *path, struct diag *d)
{
	const char *schema = json_string_value(json_object_get(o, "schema"));

	if (!schema)
		return diag_set(d, -EINVAL, "%s: schema is missing, so this is not a recorded run", path);
	if (!strncmp(schema, "xdpzoom.exact/", strlen("xdpzoom.exact/")))
		return diag_set(d, -EINVAL, "%s holds exact counts (xdpzoom exact), and no measured run", path);
	if (strcmp(schema, RUN_SCHEMA))
		return diag_set(d, -EINVAL, "%s: schema is %.64s, this program reads %s", path, schema, RUN_SCHEMA);
	return 0;
}

int run_read(struct run *r, const char *dir, struct diag *d)
{
	char path[4096 + 16];
	struct json_in rd = {.path = path, .d = d};
	json_error_t error;
	json_t *o = NULL;
	FILE *f;

	run_init(r);
	if (strlen(dir) > 4096)
		return diag_set(d, -ENAMETOOLONG, "the directory's name is too long");
	snprintf(path, sizeof(path), "%s/run.json", dir);
	rd.err = foreign_file_open(&f, AT_FDCWD, path, true, RUN_MAX_BYTES, d);
	if (rd.err)
		return rd.err;
	o = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (!o)
		return diag_set(d, -EINVAL, "%s: line %d: %s", path, error.line, error.text);
	rd.err = check_schema(o, path, d);
	run_read_read_run(&rd, o, r);
	json_decref(o);
	read_part(&rd, r, dir);
	json_in_enter(&rd, "%s", "blocks[].");
	refuse_shared_scripts(&rd, r);
	if (rd.err)
		run_release(r);
	return rd.err;
}
