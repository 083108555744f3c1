// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the file into memory and makes it again, finds and lists its runs. */
#include "reports/history/history.h"
#include "reports/run/fields.h"

#define APPLICATION_ID 0x787a6f6f /* "xzoo", at byte 68 of the file */
#define VERSION        4          /* of the tables */
#define LENGTH_MAX     (64 << 20) /* of one text of the file */
#define STEPS_FIRST    10000000LL /* of SQLite's machine, for a file of any size */
#define STEPS_EACH     1000000
#define FORMATS_AT     18 /* two bytes of the file, 2 where it was written ahead: sqlite.org/fileformat.html, 1.3 */

/* Turns SQLite's last error into a sentence and a -errno. */
static int history_error(struct history *h, struct diag *d)
{
	switch (sqlite3_errcode(h->db) & 0xff) {
	case SQLITE_NOMEM:
		return diag_set(d, -ENOMEM, "out of memory");
	case SQLITE_FULL:
		return diag_set(d, -EFBIG, "%s would become larger than any history is", h->path);
	case SQLITE_NOTADB:
		return diag_set(d, -EBADMSG, "%s is not a history", h->path);
	case SQLITE_INTERRUPT: /* count_steps() */
		return diag_set(d, -EBADMSG, "%s is damaged: reading it takes more work than its size allows", h->path);
	default:
		return diag_set(d, -EIO, "%s: %s", h->path, sqlite3_errmsg(h->db));
	}
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
		else if (number = va_arg(args, double), fabs(number) <= FIELD_REAL_MOST) /* else it stays NULL */
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

int history_next(struct history *h, sqlite3_stmt *s, const char *types, struct diag *d)
{
	int step = sqlite3_step(s);

	if (step != SQLITE_ROW)
		return step == SQLITE_DONE ? 0 : history_error(h, d);
	for (int i = 0; types[i]; i++) {
		int type = sqlite3_column_type(s, i);
		bool fits = types[i] == 't'   ? type == SQLITE_TEXT || type == SQLITE_NULL
			    : types[i] == 'b' ? type == SQLITE_BLOB || type == SQLITE_NULL
			    : types[i] == 'i' ? type == SQLITE_INTEGER
					      : type == SQLITE_NULL || type == SQLITE_INTEGER ||
							(type == SQLITE_FLOAT &&
							 fabs(sqlite3_column_double(s, i)) <= FIELD_REAL_MOST);

		if (!fits)
			return diag_set(d, -EBADMSG, "%s is damaged: %.64s of a row is no %s of a run", h->path,
					sqlite3_column_name(s, i), strchr("in", types[i]) ? "number" : "part");
	}
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

/* Checks that the file is ours, or empty: then one that adds makes the tables. */
static int history_look(struct history *h, enum history_mode mode, struct diag *d)
{
	sqlite3_stmt *s = history_ask(h, d,
				      "SELECT (SELECT application_id FROM pragma_application_id),"
				      " (SELECT user_version FROM pragma_user_version), (SELECT count(*) "
				      "FROM sqlite_master)",
				      "");
	int err = !s ? -EIO : sqlite3_step(s) != SQLITE_ROW ? history_error(h, d) : 0;
	int64_t id = sqlite3_column_int64(s, 0), version = sqlite3_column_int64(s, 1), n = sqlite3_column_int64(s, 2);
	char sql[128];

	sqlite3_finalize(s);
	if (err)
		return err;
	if (!id && !n) {
		if (mode != HISTORY_ADD)
			return diag_set(d, -ENOENT, "%s is empty; history add puts runs into it", h->path);
		snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
			 VERSION);
		return sqlite3_exec(h->db, tables, NULL, NULL, NULL) || sqlite3_exec(h->db, sql, NULL, NULL, NULL)
			       ? history_error(h, d)
			       : 0;
	}
	if (id != APPLICATION_ID)
		return diag_set(d, -EBADMSG, "%s is a database of another program; it is left alone", h->path);
	if (version != VERSION)
		return diag_set(d, -EBADMSG,
				"%s was written by %s xdpzoom (version %lld of its tables; this one has %d)", h->path,
				version > VERSION ? "a newer" : "an older", (long long)version, VERSION);
	/* A name of our tables may be a view or a virtual table: these give what rows they like. */
	s = history_ask(h, d,
			"SELECT 1 FROM main.sqlite_master WHERE lower(name) IN ('entry', 'file', 'numbers')"
			" AND (type <> 'table' OR sql NOT LIKE 'CREATE TABLE%')",
			"");
	int step = s ? sqlite3_step(s) : SQLITE_OK;
	err = !s                    ? -EIO
	      : step == SQLITE_DONE ? 0
	      : step == SQLITE_ROW  ? diag_set(d, -EBADMSG, "%s is no history: its tables are no tables", h->path)
				    : history_error(h, d);
	sqlite3_finalize(s);
	return err;
}

/* SQLite calls this every STEPS_EACH steps; 1 ends the statement. */
static int count_steps(void *arg)
{
	struct history *h = arg;

	h->steps_left -= STEPS_EACH;
	return h->steps_left < 0;
}

/* *bytes: 0, and nothing is loaded, where a history is to be made. */
static int load(struct history *h, enum history_mode mode, size_t *bytes, struct diag *d)
{
	unsigned char *data;
	struct diag why = {};
	struct stat st;
	/* What SQLite has beside a file that a program has open, or had when it was killed: h.db-wal, h.db-journal. */
	static const char *const beside[][2] = {{"wal", "has runs that are not in it yet"},
						{"journal", "undoes a write that did not end"}};
	char path[sizeof(h->path) + 16];
	FILE *in;
	int err;

	*bytes = 0;
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		snprintf(path, sizeof(path), "%s-%s", h->path, beside[i][0]);
		if (!stat(path, &st) && st.st_size > 0)
			return diag_set(d, -EBUSY,
					"%s %s: if it is yours, sqlite3 %s 'PRAGMA journal_mode = DELETE' settles it",
					path, beside[i][1], h->path);
	}
	err = foreign_file_open(&in, AT_FDCWD, h->path, false, FOREIGN_MAX_BYTES, &why);
	if (err)
		return err == -ENOENT && mode == HISTORY_ADD ? 0 : diag_set(d, err, "%s", why.text);
	fstat(fileno(in), &st);
	data = sqlite3_malloc64((uint64_t)st.st_size + FORMATS_AT + 2);
	if (data)
		*bytes = fread(data, 1, (size_t)st.st_size, in);
	fclose(in);
	if (!data)
		return diag_set(d, -ENOMEM, "out of memory");
	if (!*bytes) {
		sqlite3_free(data);
		return 0;
	}
	data[FORMATS_AT] = data[FORMATS_AT + 1] = 1; /* a database in memory is not written ahead */
	return sqlite3_deserialize(h->db, "main", data, (int64_t)*bytes, (int64_t)*bytes,
				   SQLITE_DESERIALIZE_FREEONCLOSE | (mode == HISTORY_ADD ? SQLITE_DESERIALIZE_RESIZEABLE
											 : SQLITE_DESERIALIZE_READONLY))
		       ? history_error(h, d)
		       : 0;
}

int history_open(struct history **out, const char *path, enum history_mode mode, struct diag *d)
{
	struct history *h = calloc(1, sizeof(*h));
	size_t bytes;
	int err;

	*out = NULL;
	if (!h)
		return diag_set(d, -ENOMEM, "out of memory");
	snprintf(h->path, sizeof(h->path), "%s", path);
	err = sqlite3_open(":memory:", &h->db) ? history_error(h, d) : load(h, mode, &bytes, d);
	if (!err) {
		/*
		 * Bounds the work of a reader by the size of the file, as a damaged one can have more rows than bytes,
		 * and lets SQLite run nothing that the file brings along.
		 */
		h->steps_left = STEPS_FIRST + 16LL * (long long)bytes;
		h->bytes_left = (1 << 20) + 16LL * (long long)bytes;
		if (mode == HISTORY_READ)
			sqlite3_progress_handler(h->db, STEPS_EACH, count_steps, h);
		sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(h->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_db_config(h->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
		sqlite3_db_config(h->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_limit(h->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
		sqlite3_limit(h->db, SQLITE_LIMIT_ATTACHED, 0);
		sqlite3_exec(h->db, "PRAGMA cell_size_check = 1; PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
		err = history_look(h, mode, d);
	}
	if (err)
		history_close(h);
	else
		*out = h;
	return err;
}

int history_write(struct history *h, FILE *out, struct diag *d)
{
	sqlite3_int64 bytes = 0;
	unsigned char *data = sqlite3_serialize(h->db, "main", &bytes, 0);

	if (!data)
		return diag_set(d, -ENOMEM, "out of memory");
	fwrite(data, 1, (size_t)bytes, out); /* whoever closes the file sees whether it failed */
	sqlite3_free(data);
	return 0;
}

void history_close(struct history *h)
{
	if (h)
		sqlite3_close(h->db);
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

int history_kind_of(struct history *h, const char **ref, const char **against, enum history_kind *kind, struct diag *d)
{
	const char **const refs[] = {ref, against};
	bool exact = false;
	int64_t run;

	for (int i = 0; i < 2; i++) /* "exact/RUN" -> "RUN" */
		if (*refs[i] && !strncmp(*refs[i], HISTORY_EXACT_BELOW, strlen(HISTORY_EXACT_BELOW))) {
			*refs[i] += strlen(HISTORY_EXACT_BELOW);
			exact = true;
		}
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
	while (!err && (err = history_next(h, s, "tnn", d)) > 0) {
		size_t n = b->n;
		double *base_ns = array_add(&b->base_ns, &n, sizeof(*base_ns));
		char **variant = base_ns ? array_add(&b->variant, &b->n, sizeof(*variant)) : NULL;

		if (variant) {
			*base_ns = sqlite3_column_double(s, 1) / sqlite3_column_double(s, 2);
			*variant = strdup(history_text(s, 0));
		}
		err = variant && *variant ? 0 : diag_set(d, -ENOMEM, "out of memory");
	}
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
