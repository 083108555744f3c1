// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/json_text.h"
#include "base/sheet/json_out.h"
#include "reports/run/run_names.h"

/* ---- blocks ------------------------------------------------------------------------------------------ */

static void put_seal(json_t *o, const char *bytes, const char *digest, const struct run_seal *s, struct json_out *out)
{
	char hex[17];

	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)s->digest);
	json_out_put(out, o, bytes, json_integer(s->bytes));
	json_out_put(out, o, digest, json_string(hex));
}

static json_t *cpu_json(const struct run_cpu *c, struct json_out *out)
{
	json_t *o = json_object(), *verdicts = json_object();

	json_out_put(out, o, "cpu", json_integer(c->cpu));
	for (int v = 0; v < RUN_VERDICTS; v++)
		if (v != RUN_UNTOLD || c->verdicts[v])
			json_out_whole(out, verdicts, run_verdict_names[v], c->verdicts[v]);
	json_out_put(out, o, "verdicts", verdicts);
	json_out_amount(out, o, "busy_ns", c->busy_ns);
	return o;
}

/* Zeroes at the end of the histogram are left out. */
static json_t *polls_json(const struct run_window *w, struct json_out *out)
{
	json_t *o, *hist;
	size_t n = RUN_POLL_HIST;

	if (!w->has_polls)
		return json_null();
	o = json_object();
	hist = json_array();
	json_out_whole(out, o, "polls", w->polls);
	json_out_whole(out, o, "packets", w->poll_packets);
	json_out_whole(out, o, "empty", w->polls_empty);
	while (n && !w->poll_hist[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		json_out_add(out, hist, json_out_whole_value(w->poll_hist[i]));
	json_out_put(out, o, "hist", hist);
	return o;
}

json_t *run_counters_json(const struct counters *changed)
{
	struct json_out out = {};
	json_t *o = json_object();

	for (int source = 0; source < COUNTER_SOURCES; source++) {
		json_t *values = json_object();

		for (size_t i = 0; i < changed->n; i++) {
			const struct counter *c = &changed->list[i];

			if (c->source == (enum counter_source)source)
				json_out_put(&out, values, c->name,
					     c->known ? json_out_whole_value(c->value) : json_null());
		}
		json_out_put(&out, o, counter_source_names[source], values);
	}
	return json_out_end(&out, o);
}

static void put_counters(json_t *o, const struct run_counters *c, struct json_out *out)
{
	json_t *counters;

	if (!c->to_ns)
		return;
	counters = run_counters_json(&c->changed);
	json_out_whole(out, counters, "from_ns", c->from_ns);
	json_out_whole(out, counters, "to_ns", c->to_ns);
	json_out_whole(out, counters, "packets", c->packets);
	json_out_put(out, o, "counters", counters);
}

static json_t *calls_json(const struct run_calls *c, struct json_out *out)
{
	json_t *o;

	if (!c->function[0])
		return json_null();
	o = json_object();
	json_out_text(out, o, "function", c->function);
	json_out_whole(out, o, "calls", c->calls);
	json_out_whole(out, o, "timed", c->timed);
	json_out_amount(out, o, "ns", c->ns);
	json_out_amount(out, o, "probe_ns", c->probe_ns);
	return o;
}

static json_t *events_json(const struct run_window *w, struct json_out *out)
{
	json_t *events = json_array();

	for (size_t i = 0; i < w->nevents; i++) {
		const struct run_event *e = &w->events[i];
		json_t *o = json_object();

		json_out_put(out, o, "event", json_string(e->name));
		json_out_put(out, o, "unit", json_string(e->unit));
		json_out_amount(out, o, "count", e->count);
		json_out_amount(out, o, "running_pct", e->running_pct);
		json_out_amount(out, o, "enabled_ns", e->enabled_ns);
		json_out_add(out, events, o);
	}
	return events;
}

static json_t *window_json(const struct run_window *w, struct json_out *out)
{
	json_t *o = json_object(), *cpus = json_array();

	json_out_put(out, o, "kind", json_string(run_window_kind_names[w->kind]));
	json_out_whole(out, o, "from_ns", w->from_ns);
	json_out_whole(out, o, "to_ns", w->to_ns);
	for (size_t i = 0; i < RUN_WINDOW_MEMBERS; i++) {
		const double *number = (const void *)((const char *)w + run_window_members[i].offset);

		if (!run_window_members[i].left_out || !isnan(*number))
			json_out_amount(out, o, run_window_members[i].name, *number);
	}
	json_out_whole(out, o, "stage_packets", w->stage_packets);
	for (size_t i = 0; i < w->ncpus; i++)
		json_out_add(out, cpus, cpu_json(&w->cpus[i], out));
	json_out_put(out, o, "cpus", cpus);
	json_out_put(out, o, "polls", polls_json(w, out));
	put_counters(o, &w->counters, out);
	json_out_put(out, o, "calls", calls_json(&w->calls, out));
	if (w->nevents)
		json_out_put(out, o, "events", events_json(w, out));
	return o;
}

static json_t *totals_json(const struct run_totals *t, struct json_out *out)
{
	json_t *o = json_object();

	for (size_t i = 0; i < RUN_TOTALS; i++)
		json_out_put(out, o, run_totals_members[i].name,
			     json_out_whole_value(*(const int64_t *)((const char *)t + run_totals_members[i].offset)));
	return o;
}

static json_t *speed_json(const struct run_block *b, struct json_out *out)
{
	json_t *speeds = json_array();

	for (size_t i = 0; i < b->nspeeds; i++) {
		json_t *o = json_object();

		json_out_whole(out, o, "at_ns", b->speeds[i].at_ns);
		json_out_put(out, o, "ns", json_real(b->speeds[i].ns));
		json_out_put(out, o, "loaded", json_boolean(b->speeds[i].loaded));
		json_out_add(out, speeds, o);
	}
	return speeds;
}

static json_t *block_json(const struct run_block *b, struct json_out *out)
{
	json_t *o = json_object(), *windows = json_array(), *placement = json_array();

	json_out_put(out, o, "index", json_integer(b->index));
	json_out_put(out, o, "round", json_integer(b->round));
	if (b->sample_hz)
		json_out_put(out, o, "sample_hz", json_integer(b->sample_hz));
	json_out_whole(out, o, "variant", b->variant);
	json_out_whole(out, o, "prog_id", b->prog_id);
	json_out_put(out, o, "prog_tag", json_string(b->prog_tag));
	json_out_whole(out, o, "prog_instructions", b->prog_instructions);
	json_out_whole(out, o, "prog_bytes", b->prog_bytes);
	json_out_text(out, o, "prog_name", b->prog_name);
	json_out_put(out, o, "mode_found", json_string(run_mode_words[b->mode_found]));
	for (int i = 0; i < 2; i++)
		json_out_add(out, placement, json_out_amount_value(b->placement_ns[i]));
	json_out_put(out, o, "placement_ns", placement);
	json_out_whole(out, o, "stage_tid", b->stage_tid);
	json_out_put(out, o, "script", json_out_known(b->script));
	if (b->seal.bytes >= 0)
		put_seal(o, "script_bytes", "script_digest", &b->seal, out);
	for (size_t i = 0; i < b->nwindows; i++)
		json_out_add(out, windows, window_json(&b->windows[i], out));
	json_out_put(out, o, "windows", windows);
	if (b->nspeeds)
		json_out_put(out, o, "speed", speed_json(b, out));
	json_out_put(out, o, "totals", totals_json(&b->totals, out));
	put_counters(o, &b->counters, out);
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

static int put_piece(json_t *o, const struct json_out *out, FILE *f, const char *indent, size_t skip)
{
	struct piece p = {f, indent, skip};
	int err = out->failed || json_dump_callback(o, put_bytes, &p, JSON_INDENT(1)) ? -EINVAL : 0;

	json_decref(o);
	return err;
}

static int put_block(const struct run *r, size_t i, FILE *f)
{
	struct json_out out = {};
	json_t *o = block_json(&r->blocks[i], &out);

	fputs(i ? ",\n  " : "\n  ", f);
	return put_piece(o, &out, f, "  ", 0);
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
		err = put_block(r, i, f);
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

/* ---- what stands before and behind them ---------------------------------------------------------------- */

static json_t *copy_or_empty(json_t *value, json_t *(*empty)(void))
{
	return value ? json_incref(value) : empty();
}

static json_t *stage_json(const struct run_variant *v, struct json_out *out)
{
	json_t *o;

	if (v->stage == RUN_STAGE_NONE)
		return json_null();
	o = json_object();
	json_out_put(out, o, "target", json_out_known(v->target));
	json_out_put(out, o, "is", json_out_known(v->stage_text));
	json_out_whole(out, o, "cpu", v->stage_cpu);
	return o;
}

static json_t *verdicts_json(const struct run_verdicts *v, struct json_out *out)
{
	json_t *o;

	if (v->frames < 0)
		return json_null();
	o = json_object();
	json_out_whole(out, o, "frames", v->frames);
	json_out_whole(out, o, "seen", v->seen);
	json_out_whole(out, o, "runs", v->runs);
	json_out_whole(out, o, "back", v->back);
	for (int i = 0; i < RUN_UNTOLD; i++)
		json_out_whole(out, o, run_verdict_names[i], v->ended[i]);
	return o;
}

static json_t *variant_json(const struct run_variant *v, struct json_out *out)
{
	json_t *o = json_object();

	json_out_text(out, o, "id", v->id);
	json_out_put(out, o, "action", json_string(run_action_words[v->action]));
	json_out_put(out, o, "operation", json_string(run_operation_words[v->operation]));
	json_out_put(out, o, "mode", json_string(run_mode_words[v->mode]));
	if (run_variant_is_own(v)) {
		json_out_text(out, o, "program", v->target);
		json_out_put(out, o, "verdicts", verdicts_json(&v->verdicts, out));
		if (v->object.bytes >= 0)
			put_seal(o, "object_bytes", "object_digest", &v->object, out);
	}
	if (run_variant_is_rung(v))
		json_out_put(out, o, "rung", json_string(v->target));
	if (run_variant_is_watched(v))
		json_out_text(out, o, "device", v->target);
	json_out_put(out, o, "plant", json_out_known(run_plant_words[v->plant]));
	json_out_amount(out, o, "plant_asked_ns", v->plant_asked_ns);
	json_out_put(out, o, "plant_ns", json_real(v->plant_ns));
	json_out_whole(out, o, "plant_steps", v->plant_steps);
	if (v->observer)
		json_out_put(out, o, "observer", json_string(run_observer_words[v->observer]));
	json_out_put(out, o, "second_stage", stage_json(v, out));
	return o;
}

static json_t *turns_json(const struct run *r, struct json_out *out)
{
	json_t *o;

	if (!r->turn_frames && !r->turn_ns)
		return json_null();
	o = json_object();
	if (r->turn_frames) {
		json_out_put(out, o, "frames", json_integer(r->turn_frames));
		json_out_put(out, o, "lead", json_integer(r->turn_lead));
	} else {
		json_out_put(out, o, "ns", json_integer(r->turn_ns));
		json_out_put(out, o, "settle_ns", json_integer(r->turn_settle_ns));
	}
	json_out_amount(out, o, "stamp_ns", r->stamp_ns);
	return o;
}

static void put_settings(json_t *o, const struct run *r, struct json_out *out)
{
	json_t *rx_cpus = json_array(), *tids = json_array();
	char seed[24];

	json_out_put(out, o, "event", json_string(r->event));
	json_out_amount(out, o, "sample_hz", r->sample_hz);
	json_out_amount(out, o, "sample_cost_ns", r->sample_cost_ns);
	json_out_amount(out, o, "overhead_budget_pct", r->overhead_budget_pct);
	json_out_put(out, o, "napi_threaded", json_boolean(r->napi_threaded));
	for (size_t i = 0; i < r->nnapi_tids; i++)
		json_out_add(out, tids, json_integer(r->napi_tids[i]));
	json_out_put(out, o, "napi_tids", tids);
	for (size_t i = 0; i < r->nrx_cpus; i++)
		json_out_add(out, rx_cpus, json_integer(r->rx_cpus[i]));
	json_out_put(out, o, "rx_cpus", rx_cpus);
	json_out_put(out, o, "view", json_string(run_view_words[r->view]));
	if (r->view_why[0])
		json_out_put(out, o, "view_why", json_string(r->view_why));
	json_out_put(out, o, "turns", turns_json(r, out));
	json_out_amount(out, o, "waited_s", r->waited_s);
	if (!isnan(r->waited_s))
		json_out_put(out, o, "steady", json_boolean(r->steady));
	if (r->held_skbs >= 0)
		json_out_put(out, o, "held_skbs", json_integer(r->held_skbs));
	json_out_put(out, o, "order", json_string(r->order));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->seed);
	json_out_put(out, o, "seed", json_string(seed)); /* text: JSON readers round numbers above 2^53 */
}

static json_t *tracers_json(const struct run *r, struct json_out *out)
{
	json_t *tracers = json_array();

	for (const struct run_tracer *t = r->tracers; t < r->tracers + r->ntracers; t++) {
		json_t *o = json_object();

		json_out_put(out, o, "name", json_string(t->name));
		json_out_put(out, o, "tag", json_string(t->tag));
		json_out_put(out, o, "hook", json_out_known(t->hook));
		json_out_put(out, o, "owner", t->owner[0] ? json_text_string(t->owner) : json_null());
		json_out_put(out, o, "own", json_boolean(t->own));
		json_out_add(out, tracers, o);
	}
	return tracers;
}

static json_t *precision_json(const struct run *r, struct json_out *out)
{
	json_t *o;

	if (isnan(r->precision_pct))
		return json_null();
	o = json_object();
	json_out_put(out, o, "asked_pct", json_real(r->precision_pct));
	json_out_amount(out, o, "reached_pct", r->precision_reached_pct);
	json_out_put(out, o, "stop", json_out_known(r->precision_stop));
	return o;
}

/* All members of run.json before "blocks". */
static json_t *head_json(const struct run *r, struct json_out *out)
{
	json_t *o = json_object(), *variants = json_array();

	json_out_put(out, o, "schema", json_string(RUN_SCHEMA));
	json_out_put(out, o, "version", json_string(r->version));
	json_out_put(out, o, "started", json_string(r->started));
	json_out_put(out, o, "command", copy_or_empty(r->command, json_array));
	json_out_put(out, o, "environment", copy_or_empty(r->environment, json_object));
	json_out_put(out, o, "device", copy_or_empty(r->device, json_object));
	json_out_put(out, o, "load", copy_or_empty(r->load, json_object));
	put_settings(o, r, out);
	if (r->tracers_known)
		json_out_put(out, o, "tracers", tracers_json(r, out));
	for (size_t i = 0; i < r->nvariants; i++)
		json_out_add(out, variants, variant_json(&r->variants[i], out));
	json_out_put(out, o, "variants", variants);
	return o;
}

/* Those behind it. */
static json_t *tail_json(const struct run *r, struct json_out *out)
{
	json_t *o = json_object();

	json_out_put(out, o, "precision", precision_json(r, out));
	json_out_put(out, o, "ended", json_string(r->ended));
	return o;
}

static int write_failed(const char *path, int err, struct diag *d)
{
	if (err == ENOSPC || err == EDQUOT)
		return diag_set(d, -err, "no space left on the disk for %s", path);
	return diag_set(d, err ? -err : -EIO, "%s cannot be written: %s", path, strerror(err ? err : EIO));
}

/*
 * The document with its blocks, one after the other: as trees, those of a long run would take four times the memory of
 * the run. What stands before and behind them are objects of their own, whose braces to the blocks are left out.
 */
static int write_text(const struct run *r, FILE *f)
{
	struct json_out out = {};
	json_t *o = head_json(r, &out);
	int err = put_piece(o, &out, f, "", 0);

	fseek(f, -2, SEEK_CUR);
	fputs(",\n \"blocks\": [", f);
	if (!err)
		err = spill_copy(&r->spilled, f);
	for (size_t i = r->nspilled; i < r->nblocks && !err; i++)
		err = put_block(r, i, f);
	fputs(r->nblocks ? "\n ]," : "],", f);
	if (err)
		return err;
	o = tail_json(r, &out);
	err = put_piece(o, &out, f, "", 1);
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
	if (unfit == -EINVAL)
		return diag_set(d, unfit, "%s: out of memory, or a text in it is not UTF-8", path);
	return err || unfit ? write_failed(path, err ? err : -unfit, d) : 0;
}

int run_write(const struct run *r, const char *dir, struct diag *d)
{
	char path[4096 + 16];

	if (strlen(dir) > 4096)
		return diag_set(d, -ENAMETOOLONG, "the directory's name is too long");
	snprintf(path, sizeof(path), "%s/run.json", dir);
	return write_synced(r, path, d);
}
