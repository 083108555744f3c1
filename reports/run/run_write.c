// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "reports/run/run_names.h"

/*
 * json_object_set_new() fails on a NULL value, so one *failed collects all errors and the caller checks it
 * once.
 */
static void put(json_t *o, const char *name, json_t *value, bool *failed)
{
	if (json_object_set_new(o, name, value))
		*failed = true;
}

static void add(json_t *array, json_t *value, bool *failed)
{
	if (json_array_append_new(array, value))
		*failed = true;
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

static json_t *real_or_null(double value)
{
	return value >= 0 && isfinite(value) ? json_real(value) : json_null();
}

static json_t *count_or_null(int64_t value)
{
	return value >= 0 ? json_integer(value) : json_null();
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *copy_or_empty(json_t *value, json_t *(*empty)(void))
{
	return value ? json_incref(value) : empty();
}

static void put_seal(json_t *o, const char *bytes, const char *digest, const struct run_seal *s, bool *failed)
{
	char hex[17];

	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)s->digest);
	put(o, bytes, json_integer(s->bytes), failed);
	put(o, digest, json_string(hex), failed);
}

static json_t *cpu_json(const struct run_cpu *c, bool *failed)
{
	json_t *o = json_object(), *verdicts = json_object();

	put(o, "cpu", json_integer(c->cpu), failed);
	for (int v = 0; v < RUN_VERDICTS; v++)
		if (v != RUN_UNTOLD || c->verdicts[v])
			put(verdicts, run_verdict_names[v], count(c->verdicts[v]), failed);
	put(o, "verdicts", verdicts, failed);
	put(o, "busy_ns", real_or_null(c->busy_ns), failed);
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
	put(o, "polls", count(w->polls), failed);
	put(o, "packets", count(w->poll_packets), failed);
	put(o, "empty", count(w->polls_empty), failed);
	while (n && !w->poll_hist[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		add(hist, count(w->poll_hist[i]), failed);
	put(o, "hist", hist, failed);
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
				put(values, c->name, c->known ? count(c->value) : json_null(), &failed);
		}
		put(o, counter_source_names[source], values, &failed);
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
	put(counters, "from_ns", count(c->from_ns), failed);
	put(counters, "to_ns", count(c->to_ns), failed);
	put(counters, "packets", count(c->packets), failed);
	put(o, "counters", counters, failed);
}

static json_t *calls_json(const struct run_calls *c, bool *failed)
{
	json_t *o;

	if (!c->function[0])
		return json_null();
	o = json_object();
	put(o, "function", json_string(c->function), failed);
	put(o, "calls", count(c->calls), failed);
	put(o, "timed", count(c->timed), failed);
	put(o, "ns", json_real(c->ns), failed);
	put(o, "probe_ns", json_real(c->probe_ns), failed);
	return o;
}

static json_t *events_json(const struct run_window *w, bool *failed)
{
	json_t *events = json_array();

	for (size_t i = 0; i < w->nevents; i++) {
		const struct run_event *e = &w->events[i];
		json_t *o = json_object();

		put(o, "event", json_string(e->name), failed);
		put(o, "unit", json_string(e->unit), failed);
		put(o, "count", real_or_null(e->count), failed);
		put(o, "running_pct", real_or_null(e->running_pct), failed);
		put(o, "enabled_ns", real_or_null(e->enabled_ns), failed);
		add(events, o, failed);
	}
	return events;
}

static json_t *window_json(const struct run_window *w, bool *failed)
{
	json_t *o = json_object(), *cpus = json_array();

	put(o, "kind", json_string(run_window_kind_names[w->kind]), failed);
	put(o, "from_ns", count(w->from_ns), failed);
	put(o, "to_ns", count(w->to_ns), failed);
	put(o, "busy_ns", real_or_null(w->busy_ns), failed);
	put(o, "own_ns", real_or_null(w->own_ns), failed);
	put(o, "waits_ns", real_or_null(w->waits_ns), failed);
	if (!isnan(w->plant_ns))
		put(o, "plant_ns", json_real(w->plant_ns), failed);
	put(o, "steal_ns", real_or_null(w->steal_ns), failed);
	put(o, "freq_khz", real_or_null(w->freq_khz), failed);
	put(o, "softirq_ns", real_or_null(w->softirq_ns), failed);
	put(o, "stage_busy_ns", real_or_null(w->stage_busy_ns), failed);
	put(o, "stage_packets", count_or_null(w->stage_packets), failed);
	for (size_t i = 0; i < w->ncpus; i++)
		add(cpus, cpu_json(&w->cpus[i], failed), failed);
	put(o, "cpus", cpus, failed);
	put(o, "polls", polls_json(w, failed), failed);
	put_counters(o, &w->counters, failed);
	put(o, "calls", calls_json(&w->calls, failed), failed);
	if (w->nevents)
		put(o, "events", events_json(w, failed), failed);
	return o;
}

static json_t *totals_json(const struct run_totals *t, bool *failed)
{
	json_t *o = json_object();

	for (size_t i = 0; i < RUN_TOTALS; i++)
		put(o, run_totals_members[i].name,
		    count_or_null(*(const int64_t *)((const char *)t + run_totals_members[i].offset)), failed);
	return o;
}

static json_t *speed_json(const struct run_block *b, bool *failed)
{
	json_t *speeds = json_array();

	for (size_t i = 0; i < b->nspeeds; i++) {
		json_t *o = json_object();

		put(o, "at_ns", count(b->speeds[i].at_ns), failed);
		put(o, "ns", json_real(b->speeds[i].ns), failed);
		put(o, "loaded", json_boolean(b->speeds[i].loaded), failed);
		add(speeds, o, failed);
	}
	return speeds;
}

static json_t *block_json(const struct run_block *b, bool *failed)
{
	json_t *o = json_object(), *windows = json_array(), *placement = json_array();

	put(o, "index", json_integer(b->index), failed);
	put(o, "round", json_integer(b->round), failed);
	if (b->sample_hz)
		put(o, "sample_hz", json_integer(b->sample_hz), failed);
	put(o, "variant", count(b->variant), failed);
	put(o, "prog_id", count(b->prog_id), failed);
	put(o, "prog_tag", json_string(b->prog_tag), failed);
	put(o, "prog_name", json_string(b->prog_name), failed);
	put(o, "mode_found", json_string(b->mode_found), failed);
	for (int i = 0; i < 2; i++)
		add(placement, real_or_null(b->placement_ns[i]), failed);
	put(o, "placement_ns", placement, failed);
	put(o, "stage_tid", count_or_null(b->stage_tid), failed);
	put(o, "script", text_or_null(b->script), failed);
	if (b->seal.bytes >= 0)
		put_seal(o, "script_bytes", "script_digest", &b->seal, failed);
	for (size_t i = 0; i < b->nwindows; i++)
		add(windows, window_json(&b->windows[i], failed), failed);
	put(o, "windows", windows, failed);
	if (b->nspeeds)
		put(o, "speed", speed_json(b, failed), failed);
	put(o, "totals", totals_json(&b->totals, failed), failed);
	put_counters(o, &b->counters, failed);
	return o;
}

static json_t *stage_json(const struct run_variant *v, bool *failed)
{
	json_t *o;

	if (v->stage == RUN_STAGE_NONE)
		return json_null();
	o = json_object();
	put(o, "target", text_or_null(v->target), failed);
	put(o, "is", text_or_null(v->stage_text), failed);
	put(o, "cpu", count_or_null(v->stage_cpu), failed);
	return o;
}

static json_t *verdicts_json(const struct run_verdicts *v, bool *failed)
{
	json_t *o;

	if (v->frames < 0)
		return json_null();
	o = json_object();
	put(o, "frames", count_or_null(v->frames), failed);
	put(o, "seen", count_or_null(v->seen), failed);
	put(o, "runs", count_or_null(v->runs), failed);
	put(o, "back", count_or_null(v->back), failed);
	for (int i = 0; i < RUN_UNTOLD; i++)
		put(o, run_verdict_names[i], count_or_null(v->ended[i]), failed);
	return o;
}

static json_t *variant_json(const struct run_variant *v, bool *failed)
{
	json_t *o = json_object();

	put(o, "id", json_string(v->id), failed);
	put(o, "action", json_string(v->action), failed);
	put(o, "operation", json_string(v->operation), failed);
	put(o, "mode", json_string(v->mode), failed);
	if (run_variant_is_own(v)) {
		put(o, "program", json_string(v->target), failed);
		put(o, "verdicts", verdicts_json(&v->verdicts, failed), failed);
		if (v->object.bytes >= 0)
			put_seal(o, "object_bytes", "object_digest", &v->object, failed);
	}
	if (run_variant_is_rung(v))
		put(o, "rung", json_string(v->target), failed);
	put(o, "plant", text_or_null(v->plant), failed);
	put(o, "plant_asked_ns", real_or_null(v->plant_asked_ns), failed);
	put(o, "plant_ns", json_real(v->plant_ns), failed);
	put(o, "plant_steps", count(v->plant_steps), failed);
	if (v->observer[0])
		put(o, "observer", json_string(v->observer), failed);
	put(o, "second_stage", stage_json(v, failed), failed);
	return o;
}

static json_t *turns_json(const struct run *r, bool *failed)
{
	json_t *o;

	if (!r->turn_frames && !r->turn_ns)
		return json_null();
	o = json_object();
	if (r->turn_frames) {
		put(o, "frames", json_integer(r->turn_frames), failed);
		put(o, "lead", json_integer(r->turn_lead), failed);
	} else {
		put(o, "ns", json_integer(r->turn_ns), failed);
		put(o, "settle_ns", json_integer(r->turn_settle_ns), failed);
	}
	put(o, "stamp_ns", real_or_null(r->stamp_ns), failed);
	return o;
}

static void put_settings(json_t *o, const struct run *r, bool *failed)
{
	json_t *rx_cpus = json_array(), *tids = json_array();
	char seed[24];

	put(o, "event", json_string(r->event), failed);
	put(o, "sample_hz", real_or_null(r->sample_hz), failed);
	put(o, "sample_cost_ns", real_or_null(r->sample_cost_ns), failed);
	put(o, "overhead_budget_pct", real_or_null(r->overhead_budget_pct), failed);
	put(o, "napi_threaded", json_boolean(r->napi_threaded), failed);
	for (size_t i = 0; i < r->nnapi_tids; i++)
		add(tids, json_integer(r->napi_tids[i]), failed);
	put(o, "napi_tids", tids, failed);
	for (size_t i = 0; i < r->nrx_cpus; i++)
		add(rx_cpus, json_integer(r->rx_cpus[i]), failed);
	put(o, "rx_cpus", rx_cpus, failed);
	put(o, "view", json_string(r->view), failed);
	if (r->view_why[0])
		put(o, "view_why", json_string(r->view_why), failed);
	put(o, "turns", turns_json(r, failed), failed);
	put(o, "waited_s", real_or_null(r->waited_s), failed);
	if (!isnan(r->waited_s))
		put(o, "steady", json_boolean(r->steady), failed);
	if (r->held_skbs >= 0)
		put(o, "held_skbs", json_integer(r->held_skbs), failed);
	put(o, "order", json_string(r->order), failed);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->seed);
	put(o, "seed", json_string(seed), failed); /* text: JSON readers round numbers above 2^53 */
}

static json_t *precision_json(const struct run *r, bool *failed)
{
	json_t *o;

	if (isnan(r->precision_pct))
		return json_null();
	o = json_object();
	put(o, "asked_pct", json_real(r->precision_pct), failed);
	put(o, "reached_pct", real_or_null(r->precision_reached_pct), failed);
	put(o, "stop", text_or_null(r->precision_stop), failed);
	return o;
}

/* All members of run.json before "blocks". */
static json_t *head_json(const struct run *r, bool *failed)
{
	json_t *o = json_object(), *variants = json_array();

	put(o, "schema", json_string(RUN_SCHEMA), failed);
	put(o, "version", json_string(r->version), failed);
	put(o, "started", json_string(r->started), failed);
	put(o, "command", copy_or_empty(r->command, json_array), failed);
	put(o, "environment", copy_or_empty(r->environment, json_object), failed);
	put(o, "device", copy_or_empty(r->device, json_object), failed);
	put(o, "load", copy_or_empty(r->load, json_object), failed);
	put_settings(o, r, failed);
	for (size_t i = 0; i < r->nvariants; i++)
		add(variants, variant_json(&r->variants[i], failed), failed);
	put(o, "variants", variants, failed);
	return o;
}

/* Those behind it. */
static json_t *tail_json(const struct run *r, bool *failed)
{
	json_t *o = json_object();

	put(o, "precision", precision_json(r, failed), failed);
	put(o, "ended", json_string(r->ended), failed);
	return o;
}

static int write_failed(const char *path, int err, struct diag *d)
{
	if (err == ENOSPC || err == EDQUOT)
		return diag_set(d, -err, "no space left on the disk for %s", path);
	return diag_set(d, err ? -err : -EIO, "%s cannot be written: %s", path, strerror(err ? err : EIO));
}

struct piece {
	FILE *f;
	const char *indent; /* of its lines, less that of the first */
	size_t skip;        /* so many bytes at its beginning are left out */
};

static int put_bytes(const char *bytes, size_t n, void *data)
{
	struct piece *p = data;

	for (size_t i = 0; i < n; i++) {
		if (p->skip) {
			p->skip--;
			continue;
		}
		fputc(bytes[i], p->f);
		if (bytes[i] == '\n')
			fputs(p->indent, p->f);
	}
	return 0;
}

/* Owns o. -EINVAL: out of memory, or a text is not UTF-8. */
static int put_piece(json_t *o, bool failed, struct piece p)
{
	failed = failed || json_dump_callback(o, put_bytes, &p, JSON_INDENT(1));
	json_decref(o);
	return failed ? -EINVAL : 0;
}

/*
 * The document with its blocks, one after the other: as trees, those of a long run would take four times the memory of
 * the run. What stands before and behind them are objects of their own, whose braces to the blocks are left out.
 */
static int write_text(const struct run *r, FILE *f)
{
	bool failed = false;
	json_t *o = head_json(r, &failed);
	int err = put_piece(o, failed, (struct piece){f, "", 0});

	fseek(f, -2, SEEK_CUR);
	fputs(",\n \"blocks\": [", f);
	for (size_t i = 0; i < r->nblocks && !err; i++) {
		fputs(i ? ",\n  " : "\n  ", f);
		o = block_json(&r->blocks[i], &failed);
		err = put_piece(o, failed, (struct piece){f, "  ", 0});
	}
	fputs(r->nblocks ? "\n ]," : "],", f);
	if (err)
		return err;
	o = tail_json(r, &failed);
	err = put_piece(o, failed, (struct piece){f, "", 1});
	fputc('\n', f);
	return err;
}

/* Under another name first: a process that is killed here leaves the file that was there. */
static int write_synced(const struct run *r, const char *path, struct diag *d)
{
	char new[4096 + 32];
	FILE *f;
	int err = 0, unfit;

	snprintf(new, sizeof(new), "%s" RUN_NEW, path);
	f = fopen(new, "we");
	if (!f)
		return write_failed(path, errno, d);
	errno = 0;
	unfit = write_text(r, f);
	if (ferror(f) || fflush(f) || (fsync(fileno(f)) && errno != EINVAL))
		err = errno ? errno : EIO;
	if (fclose(f) && !err)
		err = errno;
	if (!err && !unfit && rename(new, path))
		err = errno;
	if (err || unfit)
		unlink(new);
	if (unfit)
		return diag_set(d, unfit, "%s: out of memory, or a text in it is not UTF-8", path);
	return err ? write_failed(path, err, d) : 0;
}

int run_write(const struct run *r, const char *dir, struct diag *d)
{
	char path[4096 + 16];

	if (strlen(dir) > 4096)
		return diag_set(d, -ENAMETOOLONG, "the directory's name is too long");
	snprintf(path, sizeof(path), "%s/run.json", dir);
	return write_synced(r, path, d);
}
