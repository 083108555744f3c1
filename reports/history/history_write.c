// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes one analysed run into the tables, in one transaction. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/sheet/json_out.h"
#include "reports/history/history_parts.h"

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
	sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_json(sqlite3_stmt *s, int at, const json_t *o)
{
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;

	bind_text(s, at, text ? text : "null");
	free(text);
}

static void bind_identity(sqlite3_stmt *s, int at, const struct run *r)
{
	char text[RUN_IDENTITY_BYTES];

	run_identity(r, text);
	bind_text(s, at, text);
}

static int write_run(struct history *h, const struct run *r, const char *name, int64_t *id, struct diag *d)
{
	sqlite3_stmt *s =
		history_prepare(h,
				"INSERT INTO run (identity, name, started, ended, version, event, kernel, device,"
				" driver, cpu_model, environment_json, device_json, load_json, command_json, sample_hz,"
				" held_skbs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				d);
	int err;

	if (!s)
		return -EIO;
	bind_identity(s, 1, r);
	bind_text(s, 2, name);
	bind_text(s, 3, r->started);
	bind_text(s, 4, r->ended);
	bind_text(s, 5, r->version);
	bind_text(s, 6, r->event);
	bind_text(s, 7, r->facts.kernel);
	bind_text(s, 8, r->facts.device);
	bind_text(s, 9, r->facts.driver);
	bind_text(s, 10, r->facts.cpu_model);
	bind_json(s, 11, r->environment);
	bind_json(s, 12, r->device);
	bind_json(s, 13, r->load);
	bind_json(s, 14, r->command);
	history_bind_number(s, 15, r->sample_hz);
	history_bind_number(s, 16, r->held_skbs < 0 ? NAN : r->held_skbs);
	err = history_step(h, s, d);
	*id = sqlite3_last_insert_rowid(h->db);
	sqlite3_finalize(s);
	return err;
}

static int write_numbers(struct history *h, int64_t id, const struct analysis_variant *v, struct diag *d)
{
	char columns[HISTORY_COLUMNS_BYTES], marks[3 * HISTORY_NUMBERS + 1] = "";
	char sql[HISTORY_COLUMNS_BYTES + 1024];
	sqlite3_stmt *s;
	double value;
	int err;

	for (size_t i = 0; i < HISTORY_NUMBERS; i++)
		strcat(marks, ", ?");
	snprintf(sql, sizeof(sql),
		 "INSERT INTO variant (run, variant, action, operation, mode, plant_ns, samples, "
		 "cpus,"
		 " busy_estimated, blocks_used, gates_failed, stage_text, stage_cpu, "
		 "stage_by_task, program_tag, program_instructions, program_bytes%s)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?%s)",
		 history_columns("", columns, sizeof(columns)), marks);
	s = history_prepare(h, sql, d);
	if (!s)
		return -EIO;
	sqlite3_bind_int64(s, 1, id);
	bind_text(s, 2, v->variant->id);
	bind_text(s, 3, v->variant->action);
	bind_text(s, 4, v->variant->operation);
	bind_text(s, 5, v->variant->mode);
	history_bind_number(s, 6, v->variant->plant_ns);
	sqlite3_bind_int64(s, 7, (sqlite3_int64)v->samples);
	sqlite3_bind_int64(s, 8, (sqlite3_int64)v->ncpus);
	sqlite3_bind_int(s, 9, v->busy_estimated);
	sqlite3_bind_int64(s, 10, (sqlite3_int64)v->nused);
	sqlite3_bind_int64(s, 11, (sqlite3_int64)quality_failed(&v->quality));
	bind_text(s, 12, v->variant->stage_text);
	sqlite3_bind_int(s, 13, v->variant->stage_cpu);
	sqlite3_bind_int(s, 14, v->stage.by_task);
	history_bind_program(s, 15, &v->program);
	for (size_t i = 0; i < HISTORY_NUMBERS; i++) {
		memcpy(&value, (const char *)v + history_numbers[i].offset, sizeof(value));
		history_bind_number(s, 18 + (int)i, value);
	}
	err = history_step(h, s, d);
	sqlite3_finalize(s);
	return err;
}

static int write_blocks(struct history *h, int64_t id, const struct analysis_variant *v, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "INSERT INTO block (run, variant, block, round, fate, placement_before_ns, "
					  "placement_after_ns, base_ns, pps,"
					  " samples, outlier, value_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
					  d);
	int err = s ? 0 : -EIO;

	for (size_t i = 0; i < v->nblocks && !err; i++) {
		const struct analysis_block *b = &v->blocks[i];

		sqlite3_bind_int64(s, 1, id);
		bind_text(s, 2, v->variant->id);
		sqlite3_bind_int(s, 3, b->block->index);
		sqlite3_bind_int(s, 4, b->block->round);
		sqlite3_bind_int(s, 5, (int)b->fate);
		history_bind_number(s, 6, b->block->placement_ns[0]);
		history_bind_number(s, 7, b->block->placement_ns[1]);
		history_bind_number(s, 8, b->base_ns);
		history_bind_number(s, 9, b->pps);
		sqlite3_bind_int64(s, 10, (sqlite3_int64)b->samples);
		sqlite3_bind_int(s, 11, b->outlier);
		history_bind_number(s, 12, b->fate == FATE_USED ? v->block_base_ns[b->used_index] : NAN);
		err = history_step(h, s, d);
	}
	sqlite3_finalize(s);
	return err;
}

static void bind_blocks(sqlite3_stmt *s, int at, const double *block_ns, size_t n)
{
	struct json_out w = {};
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_out_add(&w, array, json_out_value(block_ns[i]));
	bind_json(s, at, w.failed ? NULL : array);
	json_decref(array);
}

static int write_costs(struct history *h, int64_t id, const struct analysis_variant *v, const char *kind,
		       const struct analysis_row *rows, size_t n, struct diag *d)
{
	sqlite3_stmt *s =
		history_prepare(h, "INSERT INTO cost VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", d);
	int err = s ? 0 : -EIO;

	for (size_t i = 0; i < n && !err; i++) {
		const struct analysis_row *row = &rows[i];

		sqlite3_bind_int64(s, 1, id);
		bind_text(s, 2, v->variant->id);
		bind_text(s, 3, kind);
		bind_text(s, 4, row->name);
		bind_text(s, 5, row->dso);
		bind_text(s, 6, row->facility);
		sqlite3_bind_int64(s, 7, (sqlite3_int64)row->samples);
		history_bind_number(s, 8, row->self_pct);
		history_bind_number(s, 9, row->self_ns);
		history_bind_number(s, 10, row->ci95_ns[0]);
		history_bind_number(s, 11, row->ci95_ns[1]);
		history_bind_number(s, 12, row->half_ns);
		history_bind_number(s, 13, row->children_ns);
		history_bind_number(s, 14, row->error_ns);
		bind_blocks(s, 15, row->block_ns, v->nused);
		err = history_step(h, s, d);
	}
	sqlite3_finalize(s);
	return err;
}

/* variant: "" for the gates of the run. */
static int write_gates(struct history *h, int64_t id, const char *variant, const struct quality *q, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(
		h,
		"INSERT INTO gate (run, variant, gate, unit, value, bar, at_least, ok, tell, note, half, open)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		d);
	int err = s ? 0 : -EIO;

	for (size_t i = 0; i < q->nrows && !err; i++) {
		const struct quality_row *row = &q->rows[i];

		sqlite3_bind_int64(s, 1, id);
		bind_text(s, 2, variant);
		bind_text(s, 3, row->gate);
		bind_text(s, 4, row->unit);
		history_bind_number(s, 5, row->value);
		history_bind_number(s, 6, row->limit);
		sqlite3_bind_int(s, 7, row->at_least);
		sqlite3_bind_int(s, 8, row->ok);
		sqlite3_bind_int(s, 9, row->tell);
		bind_text(s, 10, row->note);
		history_bind_number(s, 11, row->half);
		sqlite3_bind_int(s, 12, row->open);
		err = history_step(h, s, d);
	}
	sqlite3_finalize(s);
	return err;
}

static int write_events(struct history *h, int64_t id, const struct analysis_variant *v, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", d);
	int err = s ? 0 : -EIO;

	for (size_t i = 0; i < v->nevents && !err; i++) {
		const struct analysis_event *e = &v->events[i];

		sqlite3_bind_int64(s, 1, id);
		bind_text(s, 2, v->variant->id);
		bind_text(s, 3, e->name);
		bind_text(s, 4, e->unit);
		history_bind_number(s, 5, e->per_packet);
		history_bind_number(s, 6, e->half);
		history_bind_number(s, 7, e->per_cycle);
		history_bind_number(s, 8, e->running_pct);
		bind_blocks(s, 9, e->block_values, v->nused);
		err = history_step(h, s, d);
	}
	sqlite3_finalize(s);
	return err;
}

static int write_variant(struct history *h, int64_t id, const struct analysis_variant *v, struct diag *d)
{
	int err = write_numbers(h, id, v, d);

	if (!err)
		err = write_blocks(h, id, v, d);
	if (!err)
		err = write_costs(h, id, v, "facility", v->facilities, v->nfacilities, d);
	if (!err)
		err = write_costs(h, id, v, "tag", v->tags, v->ntags, d);
	if (!err)
		err = write_costs(h, id, v, "symbol", v->symbols, v->nsymbols, d);
	if (!err)
		err = write_events(h, id, v, d);
	return err ? err : write_gates(h, id, v->variant->id, &v->quality, d);
}

/* Refuses a run that is in the file already, and a name that another run has. The sentence names that run. */
static int refuse_twins(struct history *h, const struct run *r, const char *name, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h, "SELECT id, identity = ?1 FROM run WHERE identity = ?1 OR name = ?2", d);
	int step, err = 0;

	if (!s)
		return -EIO;
	bind_identity(s, 1, r);
	bind_text(s, 2, name);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW && sqlite3_column_int(s, 1))
		err = diag_set(d, -EEXIST, "%s has this run already, as number %lld", h->path,
			       (long long)sqlite3_column_int64(s, 0));
	else if (step == SQLITE_ROW)
		err = diag_set(d, -EEXIST, "%s: run %lld is called \"%.64s\" already", h->path,
			       (long long)sqlite3_column_int64(s, 0), name);
	else if (step != SQLITE_DONE)
		err = history_error(h, d);
	sqlite3_finalize(s);
	return err;
}

static int write_all(struct history *h, const struct analysis *a, const char *name, int64_t *run, struct diag *d)
{
	int err = refuse_twins(h, a->run, name, d);

	if (!err)
		err = write_run(h, a->run, name, run, d);
	for (size_t i = 0; i < a->nvariants && !err; i++)
		err = write_variant(h, *run, &a->variants[i], d);
	return err ? err : write_gates(h, *run, "", &a->quality, d);
}

int history_check_name(const char *name, struct diag *d)
{
	json_t *text = json_string(name);
	bool is_text = text;

	json_decref(text);
	if (!is_text)
		return diag_set(d, -EINVAL, "a run's name is UTF-8 text");
	if (!*name || strlen(name) >= sizeof(((struct history_run *)0)->name))
		return diag_set(d, -EINVAL, "a run's name has 1 to 63 bytes");
	if (!strcmp(name, "last") || !strcmp(name, "prev") || strchr(name, ':') ||
	    strspn(name, "0123456789") == strlen(name))
		return diag_set(d, -EINVAL,
				"a run cannot be called \"%s\": numbers, last, prev and colons have "
				"another meaning",
				name);
	return 0;
}

int history_add(struct history *h, const struct analysis *a, const char *name, int64_t *run, struct diag *d)
{
	int err = name ? history_check_name(name, d) : 0;

	if (err)
		return err;
	err = history_begin(h, d);
	if (!err)
		err = write_all(h, a, name, run, d);
	return history_end(h, err, d);
}
