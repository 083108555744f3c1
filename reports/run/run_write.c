// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "reports/run/run_json.h"
#include "reports/run/run_names.h"
#include "reports/run/run_write.h"

static json_t *copy_or_empty(json_t *value, json_t *(*empty)(void))
{
	return value ? json_incref(value) : empty();
}

static json_t *stage_json(const struct run_variant *v, bool *failed)
{
	json_t *o;

	if (v->stage == RUN_STAGE_NONE)
		return json_null();
	o = json_object();
	run_json_put(o, "target", run_json_text_or_null(v->target), failed);
	run_json_put(o, "is", run_json_text_or_null(v->stage_text), failed);
	run_json_put(o, "cpu", run_json_count_or_null(v->stage_cpu), failed);
	return o;
}

static json_t *verdicts_json(const struct run_verdicts *v, bool *failed)
{
	json_t *o;

	if (v->frames < 0)
		return json_null();
	o = json_object();
	run_json_put(o, "frames", run_json_count_or_null(v->frames), failed);
	run_json_put(o, "seen", run_json_count_or_null(v->seen), failed);
	run_json_put(o, "runs", run_json_count_or_null(v->runs), failed);
	run_json_put(o, "back", run_json_count_or_null(v->back), failed);
	for (int i = 0; i < RUN_UNTOLD; i++)
		run_json_put(o, run_verdict_names[i], run_json_count_or_null(v->ended[i]), failed);
	return o;
}

static json_t *variant_json(const struct run_variant *v, bool *failed)
{
	json_t *o = json_object();

	run_json_put(o, "id", json_string(v->id), failed);
	run_json_put(o, "action", json_string(v->action), failed);
	run_json_put(o, "operation", json_string(v->operation), failed);
	run_json_put(o, "mode", json_string(v->mode), failed);
	if (run_variant_is_own(v)) {
		run_json_put(o, "program", json_string(v->target), failed);
		run_json_put(o, "verdicts", verdicts_json(&v->verdicts, failed), failed);
		if (v->object.bytes >= 0)
			run_put_seal(o, "object_bytes", "object_digest", &v->object, failed);
	}
	if (run_variant_is_rung(v))
		run_json_put(o, "rung", json_string(v->target), failed);
	run_json_put(o, "plant", run_json_text_or_null(v->plant), failed);
	run_json_put(o, "plant_asked_ns", run_json_real_or_null(v->plant_asked_ns), failed);
	run_json_put(o, "plant_ns", json_real(v->plant_ns), failed);
	run_json_put(o, "plant_steps", run_json_count(v->plant_steps), failed);
	if (v->observer[0])
		run_json_put(o, "observer", json_string(v->observer), failed);
	run_json_put(o, "second_stage", stage_json(v, failed), failed);
	return o;
}

static json_t *turns_json(const struct run *r, bool *failed)
{
	json_t *o;

	if (!r->turn_frames && !r->turn_ns)
		return json_null();
	o = json_object();
	if (r->turn_frames) {
		run_json_put(o, "frames", json_integer(r->turn_frames), failed);
		run_json_put(o, "lead", json_integer(r->turn_lead), failed);
	} else {
		run_json_put(o, "ns", json_integer(r->turn_ns), failed);
		run_json_put(o, "settle_ns", json_integer(r->turn_settle_ns), failed);
	}
	run_json_put(o, "stamp_ns", run_json_real_or_null(r->stamp_ns), failed);
	return o;
}

static void put_settings(json_t *o, const struct run *r, bool *failed)
{
	json_t *rx_cpus = json_array(), *tids = json_array();
	char seed[24];

	run_json_put(o, "event", json_string(r->event), failed);
	run_json_put(o, "sample_hz", run_json_real_or_null(r->sample_hz), failed);
	run_json_put(o, "sample_cost_ns", run_json_real_or_null(r->sample_cost_ns), failed);
	run_json_put(o, "overhead_budget_pct", run_json_real_or_null(r->overhead_budget_pct), failed);
	run_json_put(o, "napi_threaded", json_boolean(r->napi_threaded), failed);
	for (size_t i = 0; i < r->nnapi_tids; i++)
		run_json_add(tids, json_integer(r->napi_tids[i]), failed);
	run_json_put(o, "napi_tids", tids, failed);
	for (size_t i = 0; i < r->nrx_cpus; i++)
		run_json_add(rx_cpus, json_integer(r->rx_cpus[i]), failed);
	run_json_put(o, "rx_cpus", rx_cpus, failed);
	run_json_put(o, "view", json_string(r->view), failed);
	if (r->view_why[0])
		run_json_put(o, "view_why", json_string(r->view_why), failed);
	run_json_put(o, "turns", turns_json(r, failed), failed);
	run_json_put(o, "waited_s", run_json_real_or_null(r->waited_s), failed);
	if (!isnan(r->waited_s))
		run_json_put(o, "steady", json_boolean(r->steady), failed);
	if (r->held_skbs >= 0)
		run_json_put(o, "held_skbs", json_integer(r->held_skbs), failed);
	run_json_put(o, "order", json_string(r->order), failed);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->seed);
	run_json_put(o, "seed", json_string(seed), failed); /* text: JSON readers round numbers above 2^53 */
}

static json_t *precision_json(const struct run *r, bool *failed)
{
	json_t *o;

	if (isnan(r->precision_pct))
		return json_null();
	o = json_object();
	run_json_put(o, "asked_pct", json_real(r->precision_pct), failed);
	run_json_put(o, "reached_pct", run_json_real_or_null(r->precision_reached_pct), failed);
	run_json_put(o, "stop", run_json_text_or_null(r->precision_stop), failed);
	return o;
}

/* All members of run.json before "blocks". */
static json_t *head_json(const struct run *r, bool *failed)
{
	json_t *o = json_object(), *variants = json_array();

	run_json_put(o, "schema", json_string(RUN_SCHEMA), failed);
	run_json_put(o, "version", json_string(r->version), failed);
	run_json_put(o, "started", json_string(r->started), failed);
	run_json_put(o, "command", copy_or_empty(r->command, json_array), failed);
	run_json_put(o, "environment", copy_or_empty(r->environment, json_object), failed);
	run_json_put(o, "device", copy_or_empty(r->device, json_object), failed);
	run_json_put(o, "load", copy_or_empty(r->load, json_object), failed);
	put_settings(o, r, failed);
	for (size_t i = 0; i < r->nvariants; i++)
		run_json_add(variants, variant_json(&r->variants[i], failed), failed);
	run_json_put(o, "variants", variants, failed);
	return o;
}

/* Those behind it. */
static json_t *tail_json(const struct run *r, bool *failed)
{
	json_t *o = json_object();

	run_json_put(o, "precision", precision_json(r, failed), failed);
	run_json_put(o, "ended", json_string(r->ended), failed);
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
	bool failed = false;
	json_t *o = head_json(r, &failed);
	int err = run_put_piece(o, failed, f, "", 0);

	fseek(f, -2, SEEK_CUR);
	fputs(",\n \"blocks\": [", f);
	if (!err)
		err = spill_copy(&r->spilled, f);
	for (size_t i = r->nspilled; i < r->nblocks && !err; i++)
		err = run_put_block(r, i, f);
	fputs(r->nblocks ? "\n ]," : "],", f);
	if (err)
		return err;
	o = tail_json(r, &failed);
	err = run_put_piece(o, failed, f, "", 1);
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
