// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/sheet/json_out.h"
#include "reports/run/run_names.h"
#include "reports/run/run_write.h"

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

	json_out_put(out, o, "id", json_string(v->id));
	json_out_put(out, o, "action", json_string(v->action));
	json_out_put(out, o, "operation", json_string(v->operation));
	json_out_put(out, o, "mode", json_string(v->mode));
	if (run_variant_is_own(v)) {
		json_out_put(out, o, "program", json_string(v->target));
		json_out_put(out, o, "verdicts", verdicts_json(&v->verdicts, out));
		if (v->object.bytes >= 0)
			run_put_seal(o, "object_bytes", "object_digest", &v->object, out);
	}
	if (run_variant_is_rung(v))
		json_out_put(out, o, "rung", json_string(v->target));
	json_out_put(out, o, "plant", json_out_known(v->plant));
	json_out_amount(out, o, "plant_asked_ns", v->plant_asked_ns);
	json_out_put(out, o, "plant_ns", json_real(v->plant_ns));
	json_out_whole(out, o, "plant_steps", v->plant_steps);
	if (v->observer[0])
		json_out_put(out, o, "observer", json_string(v->observer));
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
	int err = run_put_piece(o, &out, f, "", 0);

	fseek(f, -2, SEEK_CUR);
	fputs(",\n \"blocks\": [", f);
	if (!err)
		err = spill_copy(&r->spilled, f);
	for (size_t i = r->nspilled; i < r->nblocks && !err; i++)
		err = run_put_block(r, i, f);
	fputs(r->nblocks ? "\n ]," : "],", f);
	if (err)
		return err;
	o = tail_json(r, &out);
	err = run_put_piece(o, &out, f, "", 1);
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
