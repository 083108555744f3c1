// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The definition of all tables, and the update of files that lack some tables or columns: all tables are created in an
 * empty database in memory, the file is compared with it, and what the file lacks is added.
 */
#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include "reports/history/history_parts.h"

/* run.id is the number of a run that users see. %s: the columns of history_numbers[]. */
static const char schema[] =
	"CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL UNIQUE,"
	" name TEXT UNIQUE, added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, started TEXT, ended TEXT,"
	" version TEXT, event TEXT, kernel TEXT, device TEXT, driver TEXT, cpu_model TEXT,"
	" environment_json TEXT, device_json TEXT, load_json TEXT, command_json TEXT, sample_hz REAL,"
	" held_skbs INTEGER);"
	"CREATE TABLE block (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL,"
	" block INTEGER, round INTEGER, fate INTEGER, placement_before_ns REAL,"
	" placement_after_ns REAL, base_ns REAL, pps REAL, samples INTEGER, outlier INTEGER,"
	" value_ns REAL);"
	"CREATE TABLE cost (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL,"
	" kind TEXT NOT NULL, name TEXT NOT NULL, dso TEXT, facility TEXT, samples INTEGER,"
	" self_pct REAL, self_ns REAL, low_ns REAL, high_ns REAL, half_ns REAL, children_ns REAL,"
	" error_ns REAL, block_ns_json TEXT);"
	"CREATE TABLE gate (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL,"
	" gate TEXT NOT NULL, unit TEXT, value REAL, bar REAL, at_least INTEGER, ok INTEGER,"
	" tell INTEGER, note TEXT, half REAL, open INTEGER);"
	"CREATE TABLE event (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL,"
	" name TEXT NOT NULL, unit TEXT, per_packet REAL, half REAL, per_cycle REAL,"
	" running_pct REAL, block_values_json TEXT);"
	"CREATE TABLE variant (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL, action TEXT,"
	" operation TEXT, mode TEXT, plant_ns REAL, samples INTEGER, cpus INTEGER, busy_estimated INTEGER,"
	" blocks_used INTEGER, gates_failed INTEGER, stage_text TEXT, stage_cpu INTEGER,"
	" stage_by_task INTEGER, program_tag TEXT, program_instructions INTEGER, program_bytes INTEGER%s,"
	" PRIMARY KEY (run, variant));"
	"CREATE TABLE exact_run (id INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL UNIQUE,"
	" name TEXT UNIQUE, added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, time TEXT, kernel TEXT,"
	" nic TEXT, emulator TEXT, made_by TEXT, compiler TEXT);"
	"CREATE TABLE exact_cost (run INTEGER NOT NULL REFERENCES exact_run, variant TEXT NOT NULL,"
	" kind TEXT NOT NULL, name TEXT NOT NULL, module TEXT, facility TEXT, instructions REAL,"
	" per_poll REAL, per_wakeup REAL, per_window REAL, calls REAL, loads REAL, stores REAL,"
	" lines_touched REAL, lines_transferred REAL, residual REAL, exact INTEGER, program_tag TEXT,"
	" program_instructions INTEGER, program_bytes INTEGER);"
	"CREATE INDEX exact_cost_of_run ON exact_cost (run, variant);"
	"CREATE INDEX event_of_run ON event (run, variant);"
	"CREATE INDEX block_of_run ON block (run, variant);"
	"CREATE INDEX cost_of_run ON cost (run, variant);"
	"CREATE INDEX cost_by_name ON cost (name);"
	"CREATE INDEX gate_of_run ON gate (run, variant);";

const char *history_columns(const char *behind, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < HISTORY_NUMBERS && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, ", %s%s", history_numbers[i].name, behind);
	return buf;
}

/* An empty history in memory, with which files are compared; NULL with a sentence. */
static sqlite3 *open_template(struct diag *d)
{
	char columns[HISTORY_COLUMNS_BYTES], sql[sizeof(schema) + HISTORY_COLUMNS_BYTES];
	sqlite3 *db = NULL;

	snprintf(sql, sizeof(sql), schema, history_columns(" REAL", columns, sizeof(columns)));
	if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL)) {
		diag_set(d, -EIO, "no history in memory: %s", db ? sqlite3_errmsg(db) : "out of memory");
		sqlite3_close(db);
		return NULL;
	}
	return db;
}

/*
 * Runs a query with ?1 = table and ?2 = name. 1: it finds a row; 0: it finds none; -errno with a sentence. A row that
 * says another type (NULL: any) is refused: SQLite keeps text in such a column, which would read as 0.
 */
static int has(struct history *h, const char *sql, const char *table, const char *name, const char *type,
	       struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h, sql, d);
	int step;

	if (!s)
		return -EIO;
	sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW && type && strcasecmp(history_text(s, 0), type) != 0)
		step = diag_set(d, -EBADMSG, "%s is no history: its column %s.%s is not %s", h->path, table, name,
				type);
	else if (step != SQLITE_ROW && step != SQLITE_DONE)
		step = history_error(h, d);
	sqlite3_finalize(s);
	return step < 0 ? step : step == SQLITE_ROW;
}

static int has_thing(struct history *h, const char *type, const char *name, struct diag *d)
{
	return has(h, "SELECT 1 FROM main.sqlite_master WHERE type = ?1 AND name = ?2", type, name, NULL, d);
}

static int has_column(struct history *h, const char *table, const char *column, const char *type, struct diag *d)
{
	return has(h, "SELECT type FROM pragma_table_xinfo(?1, 'main') WHERE lower(name) = ?2", table, column, type, d);
}

/* A statement on the template; NULL with a sentence. */
static sqlite3_stmt *ask_template(sqlite3 *template, const char *sql, struct diag *d)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(template, sql, -1, &s, NULL))
		diag_set(d, -EIO, "no history in memory: %s", sqlite3_errmsg(template));
	return s;
}

/* Creates the tables and indexes that the file lacks. */
static int make_things(struct history *h, sqlite3 *template, struct diag *d)
{
	sqlite3_stmt *s = ask_template(template,
				       "SELECT type, name, sql FROM sqlite_master"
				       " WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
				       d);
	int err = s ? 0 : -EIO, there;

	while (!err && sqlite3_step(s) == SQLITE_ROW) {
		there = has_thing(h, history_text(s, 0), history_text(s, 1), d);
		err = there < 0 ? there : there ? 0 : history_sql(h, history_text(s, 2), d);
	}
	sqlite3_finalize(s);
	return err;
}

static int make_columns(struct history *h, sqlite3 *template, struct diag *d)
{
	sqlite3_stmt *s = ask_template(template,
				       "SELECT t.name, c.name, c.type FROM sqlite_master t, pragma_table_info(t.name) c"
				       " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.rowid, c.cid",
				       d);
	int err = s ? 0 : -EIO, there;
	char sql[256];

	while (!err && sqlite3_step(s) == SQLITE_ROW) {
		there = has_column(h, history_text(s, 0), history_text(s, 1), history_text(s, 2), d);
		snprintf(sql, sizeof(sql), "ALTER TABLE %s ADD COLUMN %s %s", history_text(s, 0), history_text(s, 1),
			 history_text(s, 2));
		err = there < 0 ? there : there ? 0 : history_sql(h, sql, d);
	}
	sqlite3_finalize(s);
	return err;
}

int history_schema_make(struct history *h, struct diag *d)
{
	sqlite3 *template = open_template(d);
	int err = template ? make_things(h, template, d) : -EIO;

	if (!err)
		err = make_columns(h, template, d);
	sqlite3_close(template);
	return err;
}

/*
 * Creates a temporary view with the table's name, which SQLite finds before the table. The view has the table's
 * columns, and NULL for each column that the table lacks.
 */
static int stand_in_for(struct history *h, sqlite3 *template, const char *table, struct diag *d)
{
	char lacks[HISTORY_COLUMNS_BYTES] = "", sql[sizeof(lacks) + 256];
	sqlite3_stmt *s = ask_template(template, "SELECT name, type FROM pragma_table_info(?1)", d);
	int err = s ? 0 : -EIO, there;
	size_t n = 0;

	if (s)
		sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	while (!err && sqlite3_step(s) == SQLITE_ROW) {
		there = has_column(h, table, history_text(s, 0), history_text(s, 1), d);
		err = there < 0 ? there : 0;
		if (!there)
			n += (size_t)snprintf(lacks + n, sizeof(lacks) - n, ", NULL AS %s", history_text(s, 0));
	}
	sqlite3_finalize(s);
	there = err || !n ? 0 : has_thing(h, "table", table, d);
	if (err || !n || there < 0)
		return err ? err : there;
	snprintf(sql, sizeof(sql),
		 there ? "CREATE TEMP VIEW %s AS SELECT rowid AS rowid, *%s FROM main.%s"
		       : "CREATE TEMP VIEW %s AS SELECT NULL AS rowid%s WHERE 0",
		 table, lacks, table);
	return history_sql(h, sql, d);
}

int history_schema_stand_in(struct history *h, struct diag *d)
{
	sqlite3 *template = open_template(d);
	sqlite3_stmt *s = NULL;
	int err = template ? history_sql(h, "PRAGMA temp_store = MEMORY", d) : -EIO;

	if (!err) {
		s = ask_template(template,
				 "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", d);
		err = s ? 0 : -EIO;
	}
	while (!err && sqlite3_step(s) == SQLITE_ROW)
		err = stand_in_for(h, template, history_text(s, 0), d);
	sqlite3_finalize(s);
	sqlite3_close(template);
	return err;
}
