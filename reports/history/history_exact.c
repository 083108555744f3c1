// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/history/history_exact.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "reports/history/history_parts.h"

/* ---- writing ----------------------------------------------------------------------------------------- */

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
	sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

/* No two runs share all of these. */
static void bind_identity(sqlite3_stmt *s, int at, const struct exact *e)
{
	char text[400];
	uint64_t all = 0;

	for (size_t i = 0; i < e->nvariants; i++)
		all += e->variants[i].between + e->variants[i].outside[EXACT_OTHERS];
	snprintf(text, sizeof(text), "%s %s %s %llu", e->time, e->kernel, e->nic, (unsigned long long)all);
	bind_text(s, at, text);
}

static int refuse_twins(struct history *h, const struct exact *e, const char *name, struct diag *d)
{
	sqlite3_stmt *s =
		history_prepare(h, "SELECT id, identity = ?1 FROM exact_run WHERE identity = ?1 OR name = ?2", d);
	int err = 0;

	if (!s)
		return -EIO;
	bind_identity(s, 1, e);
	bind_text(s, 2, name);
	switch (sqlite3_step(s)) {
	case SQLITE_ROW:
		err = sqlite3_column_int(s, 1) ? diag_set(d, -EEXIST, "%s has this run already, as exact run %lld",
							  h->path, (long long)sqlite3_column_int64(s, 0))
					       : diag_set(d, -EEXIST, "%s: exact run %lld is called \"%.64s\" already",
							  h->path, (long long)sqlite3_column_int64(s, 0), name);
		break;
	case SQLITE_DONE:
		break;
	default:
		err = history_error(h, d);
	}
	sqlite3_finalize(s);
	return err;
}

static int write_run(struct history *h, const struct exact *e, const char *name, int64_t *id, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "INSERT INTO exact_run (identity, name, time, kernel, nic, emulator, made_by,"
					  " compiler) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
					  d);
	int err;

	if (!s)
		return -EIO;
	bind_identity(s, 1, e);
	bind_text(s, 2, name);
	bind_text(s, 3, e->time);
	bind_text(s, 4, e->kernel);
	bind_text(s, 5, e->nic);
	bind_text(s, 6, e->emulator);
	bind_text(s, 7, e->made_by);
	bind_text(s, 8, e->compiler[0] ? e->compiler : NULL);
	err = history_step(h, s, d);
	*id = sqlite3_last_insert_rowid(h->db);
	sqlite3_finalize(s);
	return err;
}

/* kind: "total", "facility", "symbol". */
static int write_cost(struct history *h, sqlite3_stmt *s, const char *kind, const struct exact_row *row, struct diag *d)
{
	const struct exact_cost *c = &row->cost;

	bind_text(s, 3, kind);
	bind_text(s, 4, row->name);
	bind_text(s, 5, row->module);
	bind_text(s, 6, row->facility);
	for (int t = 0; t < EXACT_TERMS; t++)
		history_bind_number(s, 7 + t, c->instructions[t]);
	history_bind_number(s, 11, c->calls);
	for (int i = 0; i <= EXACT_LINES_TRANSFERRED; i++)
		history_bind_number(s, 12 + i, c->memory[i]);
	history_bind_number(s, 16, c->residual);
	sqlite3_bind_int(s, 17, c->exact);
	return history_step(h, s, d);
}

static int write_variant(struct history *h, int64_t run, const struct exact_variant *v, struct diag *d)
{
	const struct exact_row total = {.name = "", .module = "", .facility = "", .cost = v->total};
	const struct made_program none = {.instructions = -1, .bytes = -1};
	sqlite3_stmt *s = history_prepare(h,
					  "INSERT INTO exact_cost (run, variant, kind, name, module, facility,"
					  " instructions, per_poll, per_wakeup, per_window, calls, loads, stores,"
					  " lines_touched, lines_transferred, residual, exact, program_tag,"
					  " program_instructions, program_bytes)"
					  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
					  d);
	int err;

	if (!s)
		return -EIO;
	sqlite3_bind_int64(s, 1, run);
	bind_text(s, 2, v->id);
	history_bind_program(s, 18, &v->made);
	err = write_cost(h, s, "total", &total, d);
	history_bind_program(s, 18, &none);
	for (size_t i = 0; i < v->nfacilities && !err; i++)
		err = write_cost(h, s, "facility", &v->facilities[i], d);
	for (size_t i = 0; i < v->nrows && !err; i++)
		err = write_cost(h, s, "symbol", &v->rows[i], d);
	sqlite3_finalize(s);
	return err;
}

int history_exact_add(struct history *h, const struct exact *e, const char *name, int64_t *run, struct diag *d)
{
	int err = name ? history_check_name(name, d) : 0;

	if (err)
		return err;
	err = history_begin(h, d);
	if (!err)
		err = refuse_twins(h, e, name, d);
	if (!err)
		err = write_run(h, e, name, run, d);
	for (size_t i = 0; i < e->nvariants && !err; i++)
		err = write_variant(h, *run, &e->variants[i], d);
	return history_end(h, err, d);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

int history_exact_find(struct history *h, const char *ref, int64_t *run, struct diag *d)
{
	return history_find_in(h, "exact_run", ref, run, d);
}

/* Calls row() for each row of a query with ?1 = run. */
static int each_row(struct history *h, const char *sql, int64_t run, struct diag *d,
		    int (*row)(sqlite3_stmt *s, void *to, struct diag *d), void *to)
{
	sqlite3_stmt *s = history_prepare(h, sql, d);
	int step, err = 0;

	if (!s)
		return -EIO;
	sqlite3_bind_int64(s, 1, run);
	while (!err && (step = sqlite3_step(s)) != SQLITE_DONE) {
		err = step == SQLITE_ROW ? history_guard_row(h, s, d) : history_error(h, d);
		if (!err)
			err = row(s, to, d);
	}
	sqlite3_finalize(s);
	return err;
}

static int read_run(sqlite3_stmt *s, void *to, struct diag *d)
{
	struct exact *e = to;

	(void)d;
	snprintf(e->time, sizeof(e->time), "%s", history_text(s, 0));
	snprintf(e->kernel, sizeof(e->kernel), "%s", history_text(s, 1));
	snprintf(e->nic, sizeof(e->nic), "%s", history_text(s, 2));
	snprintf(e->emulator, sizeof(e->emulator), "%s", history_text(s, 3));
	snprintf(e->made_by, sizeof(e->made_by), "%s", history_text(s, 4));
	snprintf(e->compiler, sizeof(e->compiler), "%s", history_text(s, 5));
	return 0;
}

/* The text of a column, kept as long as the variant; NULL: no memory. */
static const char *keep(struct exact_variant *v, sqlite3_stmt *s, int column)
{
	const char *text = history_text(s, column);
	uint32_t symbol;

	if (profile_add_symbol(&v->names, text, strlen(text), "", 0, SPACE_KERNEL, &symbol))
		return NULL;
	return v->names.symbols[symbol].name;
}

static struct exact_cost cost_of(sqlite3_stmt *s)
{
	struct exact_cost c = {.calls = history_number(s, 9), .exact = sqlite3_column_int(s, 15) != 0};

	for (int t = 0; t < EXACT_TERMS; t++)
		c.instructions[t] = history_number(s, 5 + t);
	for (int i = 0; i <= EXACT_LINES_TRANSFERRED; i++)
		c.memory[i] = history_number(s, 10 + i);
	c.memory[EXACT_LINES_DEVICE] = NAN; /* the file keeps none */
	c.residual = history_number(s, 14);
	return c;
}

/* The variant of a row: the last one, or a new one. Rows of a variant stand together, with the total first. */
static struct exact_variant *variant_of(struct exact *e, const char *id, bool total)
{
	struct exact_variant *more;

	if (!total)
		return e->nvariants && !strcmp(e->variants[e->nvariants - 1].id, id) ? &e->variants[e->nvariants - 1]
										     : NULL;
	more = array_add(&e->variants, &e->nvariants, sizeof(*more));
	if (!more)
		return NULL;
	profile_init(&more->names);
	snprintf(more->id, sizeof(more->id), "%s", id);
	return more;
}

static int add_row(struct exact_variant *v, sqlite3_stmt *s, bool facility)
{
	struct exact_row *row = facility ? array_add(&v->facilities, &v->nfacilities, sizeof(*row))
					 : array_add(&v->rows, &v->nrows, sizeof(*row));

	if (!row)
		return -ENOMEM;
	*row = (struct exact_row){keep(v, s, 2), keep(v, s, 3), keep(v, s, 4), cost_of(s)};
	return row->name && row->module && row->facility ? 0 : -ENOMEM;
}

static int read_cost(sqlite3_stmt *s, void *to, struct diag *d)
{
	const char *kind = history_text(s, 1);
	bool total = !strcmp(kind, "total"), facility = !strcmp(kind, "facility");
	struct exact_variant *v = variant_of(to, history_text(s, 0), total);
	struct exact_cost c = cost_of(s);

	for (int t = 0; t < EXACT_TERMS; t++)
		if (!isfinite(c.instructions[t]))
			v = NULL;
	if (!v || !isfinite(c.residual) || !isfinite(c.calls) || (!total && !facility && strcmp(kind, "symbol") != 0))
		return diag_set(d, -EBADMSG, "a cost of an exact run is damaged");
	if (!total)
		return add_row(v, s, facility) ? diag_set(d, -ENOMEM, "no memory") : 0;
	v->total = c;
	history_program(s, 16, &v->made);
	return 0;
}

int history_exact_load(struct history *h, int64_t run, struct exact *e, struct diag *d)
{
	int err;

	*e = (struct exact){};
	err = each_row(h, "SELECT time, kernel, nic, emulator, made_by, compiler FROM exact_run WHERE id = ?1", run, d,
		       read_run, e);
	if (!err)
		err = each_row(h,
			       "SELECT variant, kind, name, module, facility, instructions, per_poll, per_wakeup,"
			       " per_window, calls, loads, stores, lines_touched, lines_transferred, residual, exact,"
			       " program_tag, program_instructions, program_bytes"
			       " FROM exact_cost WHERE run = ?1 ORDER BY rowid",
			       run, d, read_cost, e);
	if (!err && !e->nvariants)
		err = diag_set(d, -EBADMSG, "%s: exact run %lld is damaged: it has no variants", h->path,
			       (long long)run);
	if (err)
		exact_release(e);
	return err;
}

static int add_list_row(sqlite3_stmt *s, void *to, struct diag *d)
{
	struct history_exact_list *l = to;
	struct history_exact_row *row;

	row = array_add(&l->rows, &l->nrows, sizeof(*row));
	if (!row)
		return diag_set(d, -ENOMEM, "no memory");
	row->run = sqlite3_column_int64(s, 0);
	snprintf(row->name, sizeof(row->name), "%s", history_text(s, 1));
	snprintf(row->time, sizeof(row->time), "%s", history_text(s, 2));
	snprintf(row->kernel, sizeof(row->kernel), "%s", history_text(s, 3));
	snprintf(row->nic, sizeof(row->nic), "%s", history_text(s, 4));
	snprintf(row->variant, sizeof(row->variant), "%s", history_text(s, 5));
	row->instructions = history_number(s, 6);
	row->calls = history_number(s, 7);
	return 0;
}

int history_exact_list(struct history *h, struct history_exact_list *l, struct diag *d)
{
	int err;

	*l = (struct history_exact_list){};
	err = each_row(h,
		       "SELECT id, exact_run.name, time, kernel, nic, variant, instructions, calls FROM exact_run"
		       " JOIN exact_cost ON run = id WHERE kind = 'total' ORDER BY id, exact_cost.rowid",
		       0, d, add_list_row, l);
	if (err)
		history_exact_list_release(l);
	return err;
}

void history_exact_list_release(struct history_exact_list *l)
{
	free(l->rows);
	*l = (struct history_exact_list){};
}
