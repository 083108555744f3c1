// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens and creates the file, finds and lists its runs. */
#include "base/array.h"
#include "reports/history/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/history/history_parts.h"

#define APPLICATION_ID 0x787a6f6f /* "xzoo", at byte 68 of the file */
#define VERSION        1          /* new tables and columns need no new version: older programs can ignore them */
#define WAIT_MS        60000      /* longest wait for other writers */

/* Was there no space for the -shm file? SQLite calls that an error of input and output. */
static bool has_no_room_beside(const struct history *h)
{
	int system = sqlite3_system_errno(h->db);

	return (sqlite3_errcode(h->db) & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT);
}

int history_error(struct history *h, struct diag *d)
{
	struct rlimit most;

	if (has_no_room_beside(h))
		return diag_set(d, -ENOSPC, "%s: no space left", h->path);
	switch (sqlite3_errcode(h->db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return diag_set(d, -EBUSY, "%s: another program has been writing to it for %d s", h->path,
				WAIT_MS / 1000);
	case SQLITE_FULL:
		return diag_set(d, -ENOSPC, "%s: no space left", h->path);
	case SQLITE_NOMEM:
		return diag_set(d, -ENOMEM, "out of memory");
	case SQLITE_NOTADB:
		return diag_set(d, -EBADMSG, "%s is not a history", h->path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return diag_set(d, -EACCES, "%s cannot be written", h->path);
	case SQLITE_INTERRUPT: /* history_guard_work() */
		return diag_set(d, -EBADMSG, "%s is damaged: reading it takes more work than its size allows", h->path);
	case SQLITE_CANTOPEN:
		return diag_set(d, -EBADMSG, "%s cannot be read: %s-journal belongs to no history", h->path, h->path);
	case SQLITE_IOERR: /* the system's error is gone where SQLite has taken a transaction back */
		if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY)
			return diag_set(d, -EFBIG, "%s: %s, where no file may have more than %llu bytes (ulimit -f)",
					h->path, sqlite3_errmsg(h->db), (unsigned long long)most.rlim_cur);
		/* fall through */
	default:
		return diag_set(d, -EIO, "%s: %s", h->path, sqlite3_errmsg(h->db));
	}
}

int history_sql(struct history *h, const char *sql, struct diag *d)
{
	return sqlite3_exec(h->db, sql, NULL, NULL, NULL) ? history_error(h, d) : 0;
}

sqlite3_stmt *history_prepare(struct history *h, const char *sql, struct diag *d)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(h->db, sql, -1, &s, NULL))
		history_error(h, d);
	return s;
}

int history_step(struct history *h, sqlite3_stmt *s, struct diag *d)
{
	int err = sqlite3_step(s) == SQLITE_DONE ? 0 : history_error(h, d);

	sqlite3_reset(s);
	return err;
}

void history_bind_number(sqlite3_stmt *s, int at, double value)
{
	if (!(fabs(value) <= JSON_IN_REAL_MOST))
		sqlite3_bind_null(s, at);
	else
		sqlite3_bind_double(s, at, value);
}

double history_number(sqlite3_stmt *s, int column)
{
	return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

const char *history_text(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return text ? text : "";
}

/*
 * Reads application id, version and number of tables. One statement reads all of them, because another process may be
 * creating the tables at the same time.
 */
static int ask_whose(struct history *h, int64_t *id, int64_t *version, int64_t *tables, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "SELECT (SELECT application_id FROM pragma_application_id),"
					  " (SELECT user_version FROM pragma_user_version), (SELECT count(*) "
					  "FROM sqlite_master)",
					  d);
	int err = 0;

	if (!s)
		return -EIO;
	if (sqlite3_step(s) != SQLITE_ROW)
		err = history_error(h, d);
	*id = sqlite3_column_int64(s, 0);
	*version = sqlite3_column_int64(s, 1);
	*tables = sqlite3_column_int64(s, 2);
	sqlite3_finalize(s);
	return err;
}

/* Refuses a file in which a name of our tables is a view or a virtual table: these give what rows they like. */
static int look_for_views(struct history *h, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "SELECT 1 FROM main.sqlite_master WHERE lower(name) IN"
					  " ('run', 'block', 'cost', 'gate', 'event', 'variant',"
					  "  'exact_run', 'exact_cost')"
					  " AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE%')",
					  d);
	int step, err = 0;

	if (!s)
		return -EIO;
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		err = diag_set(d, -EBADMSG, "%s is no history: its tables are no tables", h->path);
	else if (step != SQLITE_DONE)
		err = history_error(h, d);
	sqlite3_finalize(s);
	return err;
}

/* Checks that the file is ours or empty. *made: the file has our tables; false: it is empty. */
static int look(struct history *h, bool *made, struct diag *d)
{
	int64_t id, version, tables;
	int err = ask_whose(h, &id, &version, &tables, d);

	if (err)
		return err;
	*made = id == APPLICATION_ID;
	if (!*made && (id != 0 || tables > 0))
		return diag_set(d, -EBADMSG, "%s is a database of another program; it is left alone", h->path);
	if (*made && version > VERSION)
		return diag_set(d, -EBADMSG, "%s was written by a newer xdpzoom (version %lld)", h->path,
				(long long)version);
	return look_for_views(h, d);
}

/* Creates the tables and columns that the file lacks, in the transaction that has begun. */
static int make_tables(struct history *h, struct diag *d)
{
	char sql[128];
	int err = history_schema_make(h, d);

	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, VERSION);
	return err ? err : history_sql(h, sql, d);
}

/* In a file that has runs already. */
static int make_what_lacks(struct history *h, struct diag *d)
{
	int err = history_sql(h, "BEGIN IMMEDIATE", d);

	return err ? err : history_end(h, make_tables(h, d), d);
}

/* Switches to WAL. This needs exclusive access, for which SQLite does not wait, so this function waits. */
static int use_wal(struct history *h, struct diag *d)
{
	int busy;

	for (int waited = 0; waited < WAIT_MS; waited += 20) {
		busy = sqlite3_exec(h->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (busy != SQLITE_BUSY)
			return busy ? history_error(h, d) : 0;
		sqlite3_sleep(20);
	}
	return history_error(h, d);
}

static int prepare_file(struct history *h, enum history_mode mode, struct diag *d)
{
	bool made;
	int err;

	sqlite3_busy_timeout(h->db, WAIT_MS);
	sqlite3_extended_result_codes(h->db, 0);
	history_guard_database(h);
	if (mode == HISTORY_READ)
		history_guard_work(h);
	err = look(h, &made, d);
	if (!err) /* again, now that SQLite has opened all of them */
		err = history_guard_beside(h->path, d);
	if (err)
		return err;
	if (mode == HISTORY_READ && !made)
		return diag_set(d, -ENOENT, "%s is empty; history add puts runs into it", h->path);
	if (mode == HISTORY_READ) {
		err = history_schema_stand_in(h, d);
		return err ? err : history_sql(h, "PRAGMA query_only = 1", d);
	}
	h->is_new = !made;
	err = history_sql(h, "PRAGMA synchronous = FULL", d);
	if (!err && !h->is_new)
		err = use_wal(h, d);
	return err || h->is_new ? err : make_what_lacks(h, d);
}

/* Has the file another name than this process opened it by, or none? */
static bool has_moved(const struct history *h)
{
	int moved = 0;

	sqlite3_file_control(h->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved;
}

/*
 * The first run and the tables of a new history are one transaction with a journal, which leaves an empty file where
 * it fails. The first process that gets the lock creates the tables; the others find them when they get the lock.
 */
int history_begin(struct history *h, struct diag *d)
{
	int err = history_sql(h, "BEGIN IMMEDIATE", d);

	if (!err && h->is_new && has_moved(h))
		err = diag_set(d, -ENOENT, "%s was removed by the process that could not make it", h->path);
	return err || !h->is_new ? err : make_tables(h, d);
}

int history_end(struct history *h, int err, struct diag *d)
{
	struct diag later = {};

	if (!err)
		err = history_sql(h, "COMMIT", d);
	if (err)
		sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
	else if (h->is_new)
		use_wal(h, &later); /* if not now, then when the next run is added */
	return err;
}

/* Reports why the file cannot be opened. The system's error is more precise than SQLite's sentence. */
static int cannot_open(const struct history *h, struct diag *d)
{
	int error = h->db ? sqlite3_system_errno(h->db) : ENOMEM;

	return diag_set(d, error ? -error : -EIO, "%s: %s", h->path, error ? strerror(error) : sqlite3_errmsg(h->db));
}

/* Readers open the file for writing too, so that the last process that closes it can remove the files of the WAL. */
static int open_and_look(struct history *h, enum history_mode mode, struct diag *d)
{
	int err = 0;

	if (mode == HISTORY_READ && access(h->path, R_OK))
		return diag_set(d, -errno, "%s: %s", h->path, strerror(errno));
	if (mode == HISTORY_ADD && access(h->path, F_OK))
		err = history_keep_make(h->path, &h->made_file, d);
	if (err)
		return err;
	if (sqlite3_open_v2(h->path, &h->db, SQLITE_OPEN_READWRITE, history_guard_vfs(mode)))
		return cannot_open(h, d);
	return prepare_file(h, mode, d);
}

/* The path as a URI. */
static void put_uri(char *out, size_t size, const char *path)
{
	size_t n = (size_t)snprintf(out, size, "file:");

	for (; *path && n + 32 < size; path++)
		n += (size_t)snprintf(out + n, size - n, strchr("?#%", *path) ? "%%%02x" : "%c", (unsigned char)*path);
	snprintf(out + n, size - n, "?immutable=1");
}

/*
 * Opens the file for a reader that cannot create the files of a WAL. Works only while nobody writes to the history. A
 * WAL without a byte is what a full disk leaves.
 */
static int open_as_it_is(struct history *h, struct diag *d)
{
	char uri[3 * sizeof(h->path) + 64];
	struct stat st;

	sqlite3_close(h->db);
	h->db = NULL;
	snprintf(uri, sizeof(uri), "%s-wal", h->path);
	if (!stat(uri, &st) && st.st_size > 0)
		return diag_set(d, -EACCES,
				"%s is being written to; to read it now, you need write permission in its "
				"directory",
				h->path);
	put_uri(uri, sizeof(uri), h->path);
	if (sqlite3_open_v2(uri, &h->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, history_guard_vfs(HISTORY_READ)))
		return cannot_open(h, d);
	return prepare_file(h, HISTORY_READ, d);
}

/*
 * The path as SQLite gets it. SQLite has own meanings for "", ":memory:" and "file:...": databases that are gone when
 * they are closed, and options.
 */
static int set_path(struct history *h, const char *path, struct diag *d)
{
	if (!*path)
		return diag_set(d, -EINVAL, "the history's name is empty");
	if (!strcmp(path, ":memory:") || !strncmp(path, "file:", 5))
		return diag_set(d, -EINVAL, "a history cannot be called %s; ./%s names a file", path, path);
	if (strlen(path) >= sizeof(h->path))
		return diag_set(d, -ENAMETOOLONG, "the history's name is too long");
	snprintf(h->path, sizeof(h->path), "%s", path);
	return history_guard_beside(h->path, d);
}

int history_open(struct history **out, const char *path, enum history_mode mode, struct diag *d)
{
	struct history *h = calloc(1, sizeof(*h));
	int err;

	*out = NULL;
	if (!h)
		return diag_set(d, -ENOMEM, "out of memory");
	err = set_path(h, path, d);
	if (!err && mode == HISTORY_READ && history_keep_read_alone(path))
		err = open_as_it_is(h, d);
	else if (!err)
		err = open_and_look(h, mode, d);
	if (err && mode == HISTORY_READ && has_no_room_beside(h))
		err = open_as_it_is(h, d);
	if (err)
		history_close(h);
	else
		*out = h;
	return err;
}

void history_close(struct history *h)
{
	if (!h)
		return;
	sqlite3_close(h->db);
	if (h->made_file)
		history_keep_unmake(h->path);
	free(h);
}

int history_find(struct history *h, const char *ref, int64_t *run, struct diag *d)
{
	return history_find_in(h, "run", ref, run, d);
}

/* Measured and exact runs have numbers and names of their own. */
static int no_such_run(struct history *h, bool exact, const char *ref, struct diag *d)
{
	const char *kind = exact ? "exact run" : "run", *other = exact ? "a measured run" : "an exact run";
	int64_t run;

	if (history_find_in(h, exact ? "run" : "exact_run", ref, &run, NULL))
		return diag_set(d, -ENOENT, "%s has no %s \"%.64s\"; history list shows them", h->path, kind, ref);
	return diag_set(d, -ENOENT, "%s has no %s \"%.64s\", but %s; %s", h->path, kind, ref, other,
			exact ? "without --exact, check compares those" : "check --exact compares those");
}

int history_find_in(struct history *h, const char *table, const char *ref, int64_t *run, struct diag *d)
{
	bool last = !strcmp(ref, "last"), prev = !strcmp(ref, "prev");
	sqlite3_stmt *s;
	int step, err = 0;
	char sql[120];

	snprintf(sql, sizeof(sql),
		 last || prev ? "SELECT id FROM %s ORDER BY id DESC LIMIT 1 OFFSET ?"
			      : "SELECT id FROM %s WHERE name = ?1 OR CAST(id AS TEXT) = ?1",
		 table);
	s = history_prepare(h, sql, d);
	if (!s)
		return -EIO;
	if (last || prev)
		sqlite3_bind_int(s, 1, prev);
	else
		sqlite3_bind_text(s, 1, ref, -1, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		*run = sqlite3_column_int64(s, 0);
	else if (step == SQLITE_DONE)
		err = d ? no_such_run(h, !strcmp(table, "exact_run"), ref, d) : -ENOENT;
	else
		err = history_error(h, d);
	sqlite3_finalize(s);
	return err;
}

int history_last_placement(struct history *h, double *placement_ns, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "SELECT placement_ns FROM variant WHERE placement_ns NOT NULL"
					  " AND run = (SELECT max(id) FROM run)",
					  d);
	int step = SQLITE_DONE, err = s ? 0 : -EIO;
	double sum = 0, n = 0;

	while (!err && (step = sqlite3_step(s)) == SQLITE_ROW) {
		err = history_guard_row(h, s, d);
		sum += history_number(s, 0);
		n++;
	}
	if (!err && step != SQLITE_DONE)
		err = history_error(h, d);
	*placement_ns = n ? sum / n : 0;
	sqlite3_finalize(s);
	return err;
}

static int add_base(struct history_bases *b, sqlite3_stmt *s)
{
	double *bases = reallocarray(b->base_ns, b->n + 1, sizeof(*bases));
	char **variants;

	if (bases)
		b->base_ns = bases;
	variants = bases ? reallocarray(b->variant, b->n + 1, sizeof(*variants)) : NULL;
	if (!variants)
		return -ENOMEM;
	b->variant = variants;
	b->base_ns[b->n] = sqlite3_column_double(s, 1);
	b->variant[b->n] = strdup(history_text(s, 0));
	if (!b->variant[b->n])
		return -ENOMEM;
	b->n++;
	return 0;
}

int history_bases(struct history *h, int64_t like, int64_t without, struct history_bases *b, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "SELECT v.variant, v.base_ns FROM variant v JOIN run r ON r.id = v.run"
					  " JOIN run l ON l.id = ?1 WHERE r.device IS l.device AND r.kernel IS l.kernel"
					  " AND r.id != ?2 AND v.base_ns > 0 ORDER BY v.variant, r.id LIMIT 100000",
					  d);
	int step = SQLITE_DONE, err = s ? 0 : -EIO;

	*b = (struct history_bases){0};
	if (s) {
		sqlite3_bind_int64(s, 1, like);
		sqlite3_bind_int64(s, 2, without);
	}
	while (!err && (step = sqlite3_step(s)) == SQLITE_ROW) {
		err = history_guard_row(h, s, d);
		if (!err && add_base(b, s))
			err = diag_set(d, -ENOMEM, "out of memory");
	}
	if (!err && step != SQLITE_DONE)
		err = history_error(h, d);
	sqlite3_finalize(s);
	if (err)
		history_bases_release(b);
	return err;
}

void history_bases_release(struct history_bases *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->variant[i]);
	free(b->variant);
	free(b->base_ns);
	*b = (struct history_bases){0};
}

static void take_text(char *out, size_t size, sqlite3_stmt *s, int column)
{
	snprintf(out, size, "%s", history_text(s, column));
}

static int add_list_row(struct history_list *l, sqlite3_stmt *s)
{
	struct history_row *row = array_add(&l->rows, &l->nrows, sizeof(*row));

	if (!row)
		return -ENOMEM;
	row->run = sqlite3_column_int64(s, 0);
	take_text(row->name, sizeof(row->name), s, 1);
	take_text(row->started, sizeof(row->started), s, 2);
	take_text(row->kernel, sizeof(row->kernel), s, 3);
	take_text(row->device, sizeof(row->device), s, 4);
	take_text(row->variant, sizeof(row->variant), s, 5);
	row->base_ns = history_number(s, 6);
	row->half_ns = history_number(s, 7);
	row->pps = history_number(s, 8);
	row->blocks = sqlite3_column_int64(s, 9);
	row->gates_failed = sqlite3_column_int64(s, 10);
	return 0;
}

int history_list(struct history *h, struct history_list *l, struct diag *d)
{
	sqlite3_stmt *s = history_prepare(h,
					  "SELECT id, name, started, kernel, device, variant, base_ns, half_ns, pps,"
					  " blocks_used, gates_failed FROM run JOIN variant ON run = id"
					  " ORDER BY id, variant.rowid",
					  d);
	int step, err = 0;

	memset(l, 0, sizeof(*l));
	if (!s)
		return -EIO;
	while (!err && (step = sqlite3_step(s)) != SQLITE_DONE) {
		err = step == SQLITE_ROW ? history_guard_row(h, s, d) : history_error(h, d);
		if (!err)
			err = add_list_row(l, s);
	}
	sqlite3_finalize(s);
	if (err)
		history_list_release(l);
	return err;
}

void history_list_release(struct history_list *l)
{
	free(l->rows);
	memset(l, 0, sizeof(*l));
}
