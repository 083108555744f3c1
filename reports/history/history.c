// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens and creates the file, finds and lists its runs. */
#include "reports/history/history.h"
#include "reports/run/fields.h"

#include <sys/resource.h>

#define APPLICATION_ID 0x787a6f6f /* "xzoo", at byte 68 of the file */
#define VERSION        4          /* of the tables */
#define WAIT_MS        60000      /* longest wait for other writers */

/* Was there no space for the -shm file? SQLite calls that an error of input and output. */
static bool has_no_room_beside(const struct history *h)
{
	int system = sqlite3_system_errno(h->db);

	return (sqlite3_errcode(h->db) & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT);
}

/* Turns SQLite's last error into a sentence and a -errno. */
static int history_error(struct history *h, struct diag *d)
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

static bool is_number(double value)
{
	return fabs(value) <= FIELD_REAL_MOST;
}

sqlite3_stmt *history_ask(struct history *h, struct diag *d, const char *sql, const char *types, ...)
{
	sqlite3_stmt *s = NULL;
	double number;
	va_list args;

	if (sqlite3_prepare_v2(h->db, sql, -1, &s, NULL)) {
		history_error(h, d);
		return NULL;
	}
	va_start(args, types);
	for (int at = 1; types[at - 1]; at++)
		if (types[at - 1] == 't')
			sqlite3_bind_text(s, at, va_arg(args, const char *), -1, SQLITE_STATIC);
		else if (types[at - 1] == 'i')
			sqlite3_bind_int64(s, at, va_arg(args, int64_t));
		else if (number = va_arg(args, double), is_number(number)) /* else it stays NULL */
			sqlite3_bind_double(s, at, number);
	va_end(args);
	return s;
}

int history_do(struct history *h, sqlite3_stmt *s, struct diag *d)
{
	int err = !s ? -EIO : sqlite3_step(s) == SQLITE_DONE ? 0 : history_error(h, d);

	sqlite3_finalize(s);
	return err;
}

static bool fits(sqlite3_stmt *s, int column, char wanted)
{
	int type = sqlite3_column_type(s, column);

	switch (wanted) {
	case 't':
		return type == SQLITE_TEXT || type == SQLITE_NULL;
	case 'b':
		return type == SQLITE_BLOB || type == SQLITE_NULL;
	case 'i':
		return type == SQLITE_INTEGER;
	default:
		return type == SQLITE_NULL || type == SQLITE_INTEGER ||
		       (type == SQLITE_FLOAT && is_number(sqlite3_column_double(s, column)));
	}
}

int history_next(struct history *h, sqlite3_stmt *s, const char *types, struct diag *d)
{
	int step = sqlite3_step(s);

	if (step != SQLITE_ROW)
		return step == SQLITE_DONE ? 0 : history_error(h, d);
	for (int i = 0; types[i]; i++)
		if (!fits(s, i, types[i]))
			return diag_set(d, -EBADMSG, "%s is damaged: %.64s of a row is no %s of a run", h->path,
					sqlite3_column_name(s, i), strchr("in", types[i]) ? "number" : "part");
	h->bytes_left -= 64;
	for (int i = 0; i < sqlite3_column_count(s); i++)
		h->bytes_left -= sqlite3_column_type(s, i) >= SQLITE_TEXT ? sqlite3_column_bytes(s, i) : 8;
	return h->bytes_left >= 0 ? 1 : diag_set(d, -EBADMSG, "%s is damaged: it has more rows than bytes", h->path);
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
	sqlite3_stmt *s = history_ask(h, d,
				      "SELECT (SELECT application_id FROM pragma_application_id),"
				      " (SELECT user_version FROM pragma_user_version), (SELECT count(*) "
				      "FROM sqlite_master)",
				      "");
	int err = s ? 0 : -EIO;

	if (s && sqlite3_step(s) != SQLITE_ROW)
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
	const char *sql = "SELECT 1 FROM main.sqlite_master WHERE lower(name) IN ('entry', 'file', 'numbers')"
			  " AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE%')";
	sqlite3_stmt *s = history_ask(h, d, sql, "");
	int step = s ? sqlite3_step(s) : SQLITE_OK;
	int found = !s ? -EIO : step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : history_error(h, d);

	sqlite3_finalize(s);

	return found > 0 ? diag_set(d, -EBADMSG, "%s is no history: its tables are no tables", h->path) : found;
}

/* Checks that the file is ours or empty. *made: the file has our tables; false: it is empty. */
static int history_look(struct history *h, bool *made, struct diag *d)
{
	int64_t id, version, tables;
	int err = ask_whose(h, &id, &version, &tables, d);

	if (err)
		return err;
	*made = id == APPLICATION_ID;
	if (!*made && (id != 0 || tables > 0))
		return diag_set(d, -EBADMSG, "%s is a database of another program; it is left alone", h->path);
	if (*made && version != VERSION)
		return diag_set(d, -EBADMSG,
				"%s was written by %s xdpzoom (version %lld of its tables; this one has %d)", h->path,
				version > VERSION ? "a newer" : "an older", (long long)version, VERSION);
	return look_for_views(h, d);
}

/* A reader of one number of all runs reads this alone. */
#define NUMBERS_OF "CREATE INDEX numbers_of ON numbers (kind, what, run, variant, value, half);"

static const char tables[] =
	"CREATE TABLE entry (kind TEXT NOT NULL, run INTEGER NOT NULL, identity TEXT NOT NULL, name TEXT,"
	" added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, started TEXT, kernel TEXT, device TEXT, version TEXT,"
	" like_ns REAL, files INTEGER, kernel_version TEXT, machine TEXT,"
	" PRIMARY KEY (kind, run), UNIQUE (kind, identity), UNIQUE (kind, name));"
	"CREATE TABLE file (kind TEXT NOT NULL, run INTEGER NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL,"
	" data BLOB NOT NULL, PRIMARY KEY (kind, run, name));"
	"CREATE TABLE numbers (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, run INTEGER NOT NULL, variant TEXT NOT NULL,"
	" what TEXT NOT NULL, value REAL, half REAL);" NUMBERS_OF;

/* Creates the tables, in the transaction that has begun, if no other process was faster. */
static int make_tables(struct history *h, struct diag *d)
{
	int64_t id, version, count;
	char sql[128];
	int err = ask_whose(h, &id, &version, &count, d);

	if (err || id == APPLICATION_ID)
		return err;
	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, VERSION);
	return history_sql(h, tables, d) ?: history_sql(h, sql, d);
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
	history_guard_work(h, mode);
	err = history_look(h, &made, d);
	if (!err) /* again, now that SQLite has opened all of them */
		err = history_guard_beside(h->path, d);
	if (err)
		return err;
	if (mode != HISTORY_ADD && !made)
		return diag_set(d, -ENOENT, "%s is empty; history add puts runs into it", h->path);
	if (mode != HISTORY_ADD)
		return history_sql(h, "PRAGMA query_only = 1", d);
	h->is_new = !made;
	err = history_sql(h, "PRAGMA synchronous = FULL", d);
	return err || h->is_new ? err : use_wal(h, d);
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
	struct diag sql = {};
	int err = history_sql(h, "BEGIN IMMEDIATE", &sql);

	if (h->is_new && has_moved(h)) /* SQLite fails or not, as there is another file now or none */
		return diag_set(d, -ENOENT, "%s was removed by the process that could not make it", h->path);
	if (err)
		return diag_set(d, err, "%s", sql.text);
	return h->is_new ? make_tables(h, d) : 0;
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

/* The path as a URI, with options behind it. */
static void put_uri(char *out, size_t size, const char *path, const char *options)
{
	size_t n = (size_t)snprintf(out, size, "file:");

	for (; *path && n + 32 < size; path++)
		n += (size_t)snprintf(out + n, size - n, strchr("?#%", *path) ? "%%%02x" : "%c", (unsigned char)*path);
	snprintf(out + n, size - n, "%s", options);
}

/*
 * Opens the file for a reader that cannot create the files of a WAL: by those that a writer has made, else as one that
 * nobody writes to. A WAL without a byte is what a full disk leaves.
 */
static int open_as_it_is(struct history *h, struct diag *d)
{
	static const char *const behind[] = {"-wal", "-journal"};
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err;
	char uri[3 * sizeof(h->path) + 64];
	struct diag why = {""};
	struct stat st;
	bool written = false;

	sqlite3_close(h->db);
	h->db = NULL;
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
		snprintf(uri, sizeof(uri), "%s%s", h->path, behind[i]);
		written |= !stat(uri, &st) && st.st_size > 0;
	}
	put_uri(uri, sizeof(uri), h->path, written ? "" : "?immutable=1");
	if (sqlite3_open_v2(uri, &h->db, flags, history_guard_vfs(HISTORY_READ)))
		return cannot_open(h, d);
	err = prepare_file(h, HISTORY_READ, &why);
	if (err && written && err != -ENOENT)
		return diag_set(d, -EACCES,
				"%s is being written to; to read it now, you need write permission in its directory",
				h->path);
	return err ? diag_set(d, err, "%s", why.text) : 0;
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
	h->made_file = -1;
	err = set_path(h, path, d);
	if (!err && (mode == HISTORY_READ_ALONE || (mode == HISTORY_READ && history_keep_read_alone(path))))
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
	if (h->made_file >= 0)
		history_keep_unmake(h->path, h->made_file);
	free(h);
}

const char *const history_kinds[] = {[HISTORY_MEASURED] = "measured", [HISTORY_EXACT] = "exact"};

/* The number in the one row that a statement has; 0: it has none. */
static int64_t one_run(struct history *h, sqlite3_stmt *s, struct diag *d)
{
	int64_t run = s ? history_next(h, s, "i", d) : -EIO;

	if (run > 0)
		run = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return run;
}

int64_t history_count(struct history *h, struct diag *d, const char *sql, enum history_kind kind, int64_t run)
{
	return one_run(h, history_ask(h, d, sql, "ti", history_kinds[kind], run), d);
}

/* A run that has nothing before it: 0. */
static int64_t run_before(struct history *h, enum history_kind kind, int64_t run, struct diag *d)
{
	return history_count(h, d,
			     "SELECT e.run FROM entry l JOIN entry e ON e.kind = l.kind AND e.run < l.run"
			     " AND e.machine IS l.machine AND e.device IS l.device"
			     " WHERE l.kind = ?1 AND l.run = ?2 ORDER BY e.run DESC LIMIT 1",
			     kind, run);
}

/* The number of a run; 0: there is none. */
static int64_t find_run(struct history *h, enum history_kind kind, const char *ref, struct diag *d)
{
	bool prev = !strcmp(ref, "prev");
	sqlite3_stmt *s = prev || !strcmp(ref, "last")
				  ? history_ask(h, d, "SELECT run FROM entry WHERE kind = ? ORDER BY run DESC LIMIT 1",
						"t", history_kinds[kind])
				  : history_ask(h, d,
						"SELECT run FROM entry WHERE kind = ?1"
						" AND (name = ?2 OR CAST(run AS TEXT) = ?2)",
						"tt", history_kinds[kind], ref);
	int64_t run = one_run(h, s, d);

	return prev && run > 0 ? run_before(h, kind, run, d) : run;
}

int history_find_before(struct history *h, enum history_kind kind, int64_t of, int64_t *run, struct diag *d)
{
	*run = run_before(h, kind, of, d);
	if (*run)
		return *run < 0 ? (int)*run : 0;
	return diag_set(d, -ENOENT, "%s has no run before %srun %lld on its %s", h->path,
			kind == HISTORY_EXACT ? "exact " : "", (long long)of,
			kind == HISTORY_EXACT ? "NIC" : "machine and device");
}

int history_find(struct history *h, enum history_kind kind, const char *ref, int64_t *run, struct diag *d)
{
	const char *what = kind == HISTORY_EXACT ? "exact run" : "run";

	*run = find_run(h, kind, ref, d);
	if (*run)
		return *run < 0 ? (int)*run : 0;
	if (find_run(h, kind == HISTORY_EXACT ? HISTORY_MEASURED : HISTORY_EXACT, ref, NULL) <= 0)
		return diag_set(d, -ENOENT, "%s has no %s \"%.64s\"; history list shows them", h->path, what, ref);
	return diag_set(d, -ENOENT, "%s has no %s \"%.64s\", but %s run of this name; %s", h->path, what, ref,
			kind == HISTORY_EXACT ? "a measured" : "an exact", "two runs of one kind can be compared");
}

/* "exact/RUN" -> "RUN" */
static bool cut_kind(const char **ref)
{
	bool exact = !strncmp(*ref, HISTORY_EXACT_BELOW, strlen(HISTORY_EXACT_BELOW));

	*ref += exact ? strlen(HISTORY_EXACT_BELOW) : 0;
	return exact;
}

int history_kind_of(struct history *h, const char **ref, const char **against, enum history_kind *kind, struct diag *d)
{
	bool exact = *ref && cut_kind(ref);
	int64_t run;

	exact |= cut_kind(against);
	*kind = exact ? HISTORY_EXACT : HISTORY_MEASURED;
	if (exact || (*ref && strcmp(*ref, "last") != 0 && strcmp(*ref, "prev") != 0)) {
		run = exact ? 1 : find_run(h, HISTORY_MEASURED, *ref, d);
		if (!run && find_run(h, HISTORY_EXACT, *ref, d) > 0)
			*kind = HISTORY_EXACT;
		return run < 0 ? (int)run : 0;
	}
	*ref = *ref ?: "last";
	run = one_run(h,
		      history_ask(h, d, "SELECT kind = 'exact' FROM entry ORDER BY added DESC, rowid DESC LIMIT 1", ""),
		      d);
	*kind = run > 0 ? HISTORY_EXACT : HISTORY_MEASURED;
	return run < 0 ? (int)run : 0;
}

int history_last_placement(struct history *h, const char *machine, double *placement_ns, struct diag *d)
{
	sqlite3_stmt *s = history_ask(h, d,
				      "SELECT value FROM numbers WHERE kind = 'measured' AND what = 'placement_ns'"
				      " AND value NOT NULL AND run = (SELECT run FROM entry WHERE kind = 'measured'"
				      " AND machine IS ? ORDER BY run DESC LIMIT 1)",
				      "t", machine);
	int err = s ? 0 : -EIO;
	double sum = 0, n = 0;

	while (!err && (err = history_next(h, s, "n", d)) > 0) {
		sum += history_number(s, 0);
		n++;
		err = 0;
	}
	*placement_ns = n ? sum / n : 0;
	sqlite3_finalize(s);
	return err;
}

int history_options(struct history *h, int64_t run, struct analysis_options *o, char machine[HISTORY_MACHINE_BYTES],
		    struct diag *d)
{
	sqlite3_stmt *s =
		history_ask(h, d, "SELECT like_ns, machine FROM entry WHERE kind = 'measured' AND run = ?", "i", run);
	int err = s ? history_next(h, s, "nt", d) : -EIO;

	machine[0] = '\0';
	if (err > 0) {
		snprintf(machine, HISTORY_MACHINE_BYTES, "%s", history_text(s, 1));
		o->placement_like_ns = sqlite3_column_double(s, 0);
		err = 0;
	}
	sqlite3_finalize(s);
	return err;
}

static int add_base(struct history_bases *b, sqlite3_stmt *s)
{
	size_t n = b->n;
	double *base_ns = array_add(&b->base_ns, &n, sizeof(*base_ns));
	char **variant = base_ns ? array_add(&b->variant, &b->n, sizeof(*variant)) : NULL;

	if (!variant)
		return -ENOMEM;
	*base_ns = sqlite3_column_double(s, 1) / sqlite3_column_double(s, 2);
	*variant = strdup(history_text(s, 0));
	return *variant ? 0 : -ENOMEM;
}

int history_bases(struct history *h, int64_t like, int64_t without, struct history_bases *b, struct diag *d)
{
	/* Costs of runs with a reference are taken over what it takes: their scatter is that of costs at one speed. */
	sqlite3_stmt *s = history_ask(
		h, d,
		"SELECT b.variant, b.value, ifnull(u.value, 1) FROM numbers b"
		" JOIN entry e ON e.kind = 'measured' AND e.run = b.run"
		" JOIN entry l ON l.kind = 'measured' AND l.run = ?1"
		" LEFT JOIN numbers u ON u.kind = 'measured' AND u.what = 'reference_ns'"
		" AND u.run = b.run AND u.variant = b.variant"
		" WHERE b.kind = 'measured' AND b.what = 'base_ns' AND b.value > 0"
		" AND e.machine IS l.machine AND e.device IS l.device AND e.kernel IS l.kernel"
		" AND e.kernel_version IS l.kernel_version AND e.run != ?2"
		" AND (u.value > 0) IS"
		" (SELECT max(value) > 0 FROM numbers WHERE kind = 'measured' AND what = 'reference_ns' AND run = ?1)"
		" ORDER BY b.variant, e.run LIMIT 100000",
		"ii", like, without);
	int err = s ? 0 : -EIO;

	*b = (struct history_bases){0};
	while (!err && (err = history_next(h, s, "tnn", d)) > 0)
		err = add_base(b, s) ? diag_set(d, -ENOMEM, "out of memory") : 0;
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
