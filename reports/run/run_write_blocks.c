// SPDX-License-Identifier: GPL-2.0-or-later
/* The blocks of run.json, as text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/json_text.h"
#include "reports/run/run_json.h"
#include "reports/run/run.h"
#include "reports/run/run_names.h"
#include "reports/run/run_write.h"

void run_put_seal(json_t *o, const char *bytes, const char *digest, const struct run_seal *s, bool *failed)
{
	char hex[17];

	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)s->digest);
	run_json_put(o, bytes, json_integer(s->bytes), failed);
	run_json_put(o, digest, json_string(hex), failed);
}

static json_t *cpu_json(const struct run_cpu *c, bool *failed)
{
	json_t *o = json_object(), *verdicts = json_object();

	run_json_put(o, "cpu", json_integer(c->cpu), failed);
	for (int v = 0; v < RUN_VERDICTS; v++)
		if (v != RUN_UNTOLD || c->verdicts[v])
			run_json_put(verdicts, run_verdict_names[v], run_json_count(c->verdicts[v]), failed);
	run_json_put(o, "verdicts", verdicts, failed);
	run_json_put(o, "busy_ns", run_json_real_or_null(c->busy_ns), failed);
	return o;
}

/* Zeroes at the end of the histogram are left out. */
static json_t *polls_json(const struct run_window *w, bool *failed)
{
	json_t *o, *hist;
	size_t n = RUN_POLL_HIST;

	if (!w->has_polls)
		return json_null();
	o = json_object();
	hist = json_array();
	run_json_put(o, "polls", run_json_count(w->polls), failed);
	run_json_put(o, "packets", run_json_count(w->poll_packets), failed);
	run_json_put(o, "empty", run_json_count(w->polls_empty), failed);
	while (n && !w->poll_hist[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		run_json_add(hist, run_json_count(w->poll_hist[i]), failed);
	run_json_put(o, "hist", hist, failed);
	return o;
}

json_t *run_counters_json(const struct counters *changed)
{
	json_t *o = json_object();
	bool failed = false;

	for (int source = 0; source < COUNTER_SOURCES; source++) {
		json_t *values = json_object();

		for (size_t i = 0; i < changed->n; i++) {
			const struct counter *c = &changed->list[i];

			if (c->source == (enum counter_source)source)
				run_json_put(values, c->name, c->known ? run_json_count(c->value) : json_null(),
					     &failed);
		}
		run_json_put(o, counter_source_names[source], values, &failed);
	}
	if (!failed)
		return o;
	json_decref(o);
	return NULL;
}

static void put_counters(json_t *o, const struct run_counters *c, bool *failed)
{
	json_t *counters;

	if (!c->to_ns)
		return;
	counters = run_counters_json(&c->changed);
	run_json_put(counters, "from_ns", run_json_count(c->from_ns), failed);
	run_json_put(counters, "to_ns", run_json_count(c->to_ns), failed);
	run_json_put(counters, "packets", run_json_count(c->packets), failed);
	run_json_put(o, "counters", counters, failed);
}

static json_t *calls_json(const struct run_calls *c, bool *failed)
{
	json_t *o;

	if (!c->function[0])
		return json_null();
	o = json_object();
	run_json_put(o, "function", json_string(c->function), failed);
	run_json_put(o, "calls", run_json_count(c->calls), failed);
	run_json_put(o, "timed", run_json_count(c->timed), failed);
	run_json_put(o, "ns", run_json_real_or_null(c->ns), failed);
	run_json_put(o, "probe_ns", run_json_real_or_null(c->probe_ns), failed);
	return o;
}

static json_t *events_json(const struct run_window *w, bool *failed)
{
	json_t *events = json_array();

	for (size_t i = 0; i < w->nevents; i++) {
		const struct run_event *e = &w->events[i];
		json_t *o = json_object();

		run_json_put(o, "event", json_string(e->name), failed);
		run_json_put(o, "unit", json_string(e->unit), failed);
		run_json_put(o, "count", run_json_real_or_null(e->count), failed);
		run_json_put(o, "running_pct", run_json_real_or_null(e->running_pct), failed);
		run_json_put(o, "enabled_ns", run_json_real_or_null(e->enabled_ns), failed);
		run_json_add(events, o, failed);
	}
	return events;
}

static json_t *window_json(const struct run_window *w, bool *failed)
{
	json_t *o = json_object(), *cpus = json_array();

	run_json_put(o, "kind", json_string(run_window_kind_names[w->kind]), failed);
	run_json_put(o, "from_ns", run_json_count(w->from_ns), failed);
	run_json_put(o, "to_ns", run_json_count(w->to_ns), failed);
	run_json_put(o, "busy_ns", run_json_real_or_null(w->busy_ns), failed);
	run_json_put(o, "own_ns", run_json_real_or_null(w->own_ns), failed);
	run_json_put(o, "waits_ns", run_json_real_or_null(w->waits_ns), failed);
	if (!isnan(w->plant_ns))
		run_json_put(o, "plant_ns", json_real(w->plant_ns), failed);
	run_json_put(o, "steal_ns", run_json_real_or_null(w->steal_ns), failed);
	run_json_put(o, "freq_khz", run_json_real_or_null(w->freq_khz), failed);
	run_json_put(o, "softirq_ns", run_json_real_or_null(w->softirq_ns), failed);
	run_json_put(o, "stage_busy_ns", run_json_real_or_null(w->stage_busy_ns), failed);
	run_json_put(o, "stage_packets", run_json_count_or_null(w->stage_packets), failed);
	for (size_t i = 0; i < w->ncpus; i++)
		run_json_add(cpus, cpu_json(&w->cpus[i], failed), failed);
	run_json_put(o, "cpus", cpus, failed);
	run_json_put(o, "polls", polls_json(w, failed), failed);
	put_counters(o, &w->counters, failed);
	run_json_put(o, "calls", calls_json(&w->calls, failed), failed);
	if (w->nevents)
		run_json_put(o, "events", events_json(w, failed), failed);
	return o;
}

static json_t *totals_json(const struct run_totals *t, bool *failed)
{
	json_t *o = json_object();

	for (size_t i = 0; i < RUN_TOTALS; i++)
		run_json_put(o, run_totals_members[i].name,
			     run_json_count_or_null(*(const int64_t *)((const char *)t + run_totals_members[i].offset)),
			     failed);
	return o;
}

static json_t *speed_json(const struct run_block *b, bool *failed)
{
	json_t *speeds = json_array();

	for (size_t i = 0; i < b->nspeeds; i++) {
		json_t *o = json_object();

		run_json_put(o, "at_ns", run_json_count(b->speeds[i].at_ns), failed);
		run_json_put(o, "ns", json_real(b->speeds[i].ns), failed);
		run_json_put(o, "loaded", json_boolean(b->speeds[i].loaded), failed);
		run_json_add(speeds, o, failed);
	}
	return speeds;
}

static json_t *block_json(const struct run_block *b, bool *failed)
{
	json_t *o = json_object(), *windows = json_array(), *placement = json_array();

	run_json_put(o, "index", json_integer(b->index), failed);
	run_json_put(o, "round", json_integer(b->round), failed);
	if (b->sample_hz)
		run_json_put(o, "sample_hz", json_integer(b->sample_hz), failed);
	run_json_put(o, "variant", run_json_count(b->variant), failed);
	run_json_put(o, "prog_id", run_json_count(b->prog_id), failed);
	run_json_put(o, "prog_tag", json_string(b->prog_tag), failed);
	run_json_put(o, "prog_instructions", run_json_count_or_null(b->prog_instructions), failed);
	run_json_put(o, "prog_bytes", run_json_count_or_null(b->prog_bytes), failed);
	run_json_put(o, "prog_name", json_string(b->prog_name), failed);
	run_json_put(o, "mode_found", json_string(b->mode_found), failed);
	for (int i = 0; i < 2; i++)
		run_json_add(placement, run_json_real_or_null(b->placement_ns[i]), failed);
	run_json_put(o, "placement_ns", placement, failed);
	run_json_put(o, "stage_tid", run_json_count_or_null(b->stage_tid), failed);
	run_json_put(o, "script", run_json_text_or_null(b->script), failed);
	if (b->seal.bytes >= 0)
		run_put_seal(o, "script_bytes", "script_digest", &b->seal, failed);
	for (size_t i = 0; i < b->nwindows; i++)
		run_json_add(windows, window_json(&b->windows[i], failed), failed);
	run_json_put(o, "windows", windows, failed);
	if (b->nspeeds)
		run_json_put(o, "speed", speed_json(b, failed), failed);
	run_json_put(o, "totals", totals_json(&b->totals, failed), failed);
	put_counters(o, &b->counters, failed);
	return o;
}

struct piece {
	FILE *f;
	const char *indent; /* of its lines, less that of the first */
	size_t skip;        /* so many bytes at its beginning are left out */
};

static int put_bytes(const char *bytes, size_t n, void *data)
{
	struct piece *p = data;
	size_t skip = p->skip < n ? p->skip : n, len;

	p->skip -= skip;
	for (bytes += skip, n -= skip; n; bytes += len, n -= len) {
		const char *end = memchr(bytes, '\n', n);

		len = end ? (size_t)(end - bytes) + 1 : n;
		if (json_text_put(bytes, len, p->f, ""))
			return -1;
		if (end)
			fputs(p->indent, p->f);
	}
	return 0;
}

int run_put_piece(json_t *o, bool failed, FILE *f, const char *indent, size_t skip)
{
	struct piece p = {f, indent, skip};

	failed = failed || json_dump_callback(o, put_bytes, &p, JSON_INDENT(1));
	json_decref(o);
	return failed ? -EINVAL : 0;
}

int run_put_block(const struct run *r, size_t i, FILE *f)
{
	bool failed = false;
	json_t *o = block_json(&r->blocks[i], &failed);

	fputs(i ? ",\n  " : "\n  ", f);
	return run_put_piece(o, failed, f, "  ", 0);
}

int run_spill(struct run *r, const char *dir)
{
	char path[4096 + 32];
	FILE *f = NULL;
	int err = 0;

	snprintf(path, sizeof(path), "%s/" RUN_PART, dir);
	if (!r->spilled.is_open)
		err = spill_open(&r->spilled, path);
	if (!err)
		f = spill_begin(&r->spilled);
	if (!f)
		return err ? err : -ENOMEM;
	for (size_t i = r->nspilled; i < r->nblocks && !err; i++)
		err = run_put_block(r, i, f);
	err = spill_end(&r->spilled, f, err);
	if (!err)
		r->nspilled = r->nblocks;
	return err;
}

void run_forget(struct run *r)
{
	for (; r->nforgotten < r->nspilled; r->nforgotten++)
		run_block_release(&r->blocks[r->nforgotten]);
}

void run_end_spill(struct run *r, const char *dir)
{
	char path[4096 + 32];

	snprintf(path, sizeof(path), "%s/" RUN_PART, dir);
	if (r->spilled.is_open)
		unlink(path);
	spill_release(&r->spilled);
}
