// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A history of a stranger. A text that begins with "SQLite" is the file itself. Any other text is SQL that changes the
 * rows of a sound history: nearly no change of single bytes makes a file that SQLite still reads.
 * What opens is listed, compared and checked in every way, and its last two runs are loaded and printed.
 *
 * Runs in the tree's top; writes below $TMPDIR, which fuzz.sh removes.
 */
#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/exact/exact_check.h"
#include "reports/history/history_exact.h"
#include "reports/render/formats.h"
#include "reports/render/render_history.h"
#include "tests/fuzz/fuzz.h"

#define COUNTS    "tests/golden/exact/memory"
#define MAX_BYTES (1 << 20)
#define STEPS     200000 /* of SQLite's machine, for the SQL of an input */

static char dir[200], path[240];
static unsigned char *sound; /* the bytes of a history with two runs of each kind */
static size_t sound_bytes;
static FILE *out;

/* A copy of run 1 as run 2, and events and a second stage for both. */
#define DOUBLE(table, key)                                                                                             \
	"CREATE TEMP TABLE t AS SELECT * FROM " table "; UPDATE t SET " key "; INSERT INTO " table                     \
	" SELECT * FROM t; DROP TABLE t;"
static const char second[] =
	"INSERT INTO event VALUES (1, 'drop/no-touch@native', 'cycles:k', '', 200.5, 1.5, NULL, 100, '[200, 201, "
	"200.5]'),"
	" (1, 'drop/no-touch@skb', 'instructions:k', '', 900, 2, 1.5, 50, '[900, null, 900]');"
	"UPDATE variant SET stage_text = 'CPU 0', stage_cpu = 0, stage_by_task = 1, stage_ns = 50 WHERE mode = "
	"'skb';" DOUBLE("run", "id = 2, identity = '2', name = 'second', kernel = '6.1.0'") DOUBLE("block", "run = 2")
		DOUBLE("variant", "run = 2") DOUBLE("cost", "run = 2") DOUBLE("gate", "run = 2")
			DOUBLE("event", "run = 2");

static char *read_whole(const char *name, size_t *size)
{
	char *text = calloc(1, MAX_BYTES + 1);
	FILE *f = fopen(name, "r");

	fuzz_law(text && f, "a file can be read");
	*size = fread(text, 1, MAX_BYTES, f);
	fclose(f);
	return text;
}

static void write_whole(const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	fuzz_law(f && fwrite(data, 1, size, f) == size && !fclose(f), "a file can be written");
}

static void remove_all(void)
{
	static const char *const behind[] = {"", "-journal", "-wal", "-shm"};
	char name[260];

	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
		snprintf(name, sizeof(name), "%s%s", path, behind[i]);
		unlink(name);
	}
}

/* The first history of all, with a second run, and exact runs. */
static void make_sound(void)
{
	struct facilities *f = NULL;
	struct diag d = {""};
	struct history *h;
	struct exact e;
	int64_t run;
	size_t size;
	char *sql = read_whole("tests/golden/history-first.sql", &size);
	sqlite3 *db = NULL;

	fuzz_law(!sqlite3_open(path, &db) && !sqlite3_exec(db, sql, NULL, NULL, NULL) && !sqlite3_close(db),
		 "the first history can be made");
	free(sql);
	fuzz_law(!facilities_read(&f, NULL, &d) && !exact_read(&e, COUNTS, f, &d), "the exact run can be read");
	fuzz_law(!history_open(&h, path, HISTORY_ADD, &d), "the first history can be opened");
	fuzz_law(!history_exact_add(h, &e, "one", &run, &d), "an exact run can be added");
	e.time[0] = '1';
	fuzz_law(!history_exact_add(h, &e, "two", &run, &d), "another exact run can be added");
	history_close(h);
	exact_release(&e);
	facilities_free(f);
	fuzz_law(!sqlite3_open(path, &db) && !sqlite3_exec(db, second, NULL, NULL, NULL) && !sqlite3_close(db),
		 "a second run can be made");
	sound = (unsigned char *)read_whole(path, &sound_bytes);
	sound[18] = sound[19] = 1; /* no WAL, so that it can be opened in memory */
	remove_all();
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%.150s/xdpzoom-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	fuzz_law(mkdtemp(dir) != NULL, "a directory can be made");
	snprintf(path, sizeof(path), "%s/h.db", dir);
	make_sound();
	out = fopen("/dev/null", "w");
	return 0;
}

/* SQL of an input changes rows and tables, and reaches no other file. */
static int allow(void *arg, int action, const char *a, const char *b, const char *c, const char *e)
{
	(void)arg;
	(void)b;
	(void)c;
	(void)e;
	if (action == SQLITE_PRAGMA)
		return a && (!strcmp(a, "application_id") || !strcmp(a, "user_version")) ? SQLITE_OK : SQLITE_DENY;
	return action == SQLITE_ATTACH || action == SQLITE_DETACH ? SQLITE_DENY : SQLITE_OK;
}

static int count_steps(void *left)
{
	return (*(int *)left)-- <= 0;
}

/* Changes the sound history by SQL, as far as the SQL goes, and writes it. */
static void write_changed(const uint8_t *data, size_t size)
{
	char *sql = strndup((const char *)data, size);
	unsigned char *bytes = sqlite3_malloc64(sound_bytes), *changed;
	sqlite3_int64 n = 0;
	int left = STEPS / 1000;
	sqlite3 *db = NULL;

	fuzz_law(sql && bytes && !sqlite3_open(":memory:", &db), "there is memory");
	memcpy(bytes, sound, sound_bytes);
	fuzz_law(!sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)sound_bytes, (sqlite3_int64)sound_bytes,
				      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
		 "the sound history opens in memory");
	sqlite3_set_authorizer(db, allow, NULL);
	sqlite3_progress_handler(db, 1000, count_steps, &left);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_BYTES / 4);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	changed = sqlite3_serialize(db, "main", &n, 0);
	write_whole(changed ? changed : sound, changed ? (size_t)n : sound_bytes);
	sqlite3_free(changed);
	sqlite3_close(db);
	free(sql);
}

static void print_list(struct history *h)
{
	struct history_exact_list exact = {0};
	struct history_list l = {0};
	struct diag d = {""};
	int err = history_list(h, &l, &d);

	if (!err)
		err = history_exact_list(h, &exact, &d);
	fuzz_refusal(err, &d);
	if (!err) {
		render_history_text(out, &l, &exact, true);
		render_history_json(out, &l, &exact);
	}
	history_exact_list_release(&exact);
	history_list_release(&l);
}

static int load(struct history *h, const char *ref, struct history_run *r)
{
	struct diag d = {""};
	int64_t run;
	int err = history_find(h, ref, &run, &d);

	if (!err)
		err = history_load(h, run, r, &d);
	fuzz_refusal(err, &d);
	return err;
}

static void print_diff(const struct analysis *base, const struct analysis *new, const struct between *between)
{
	struct render_options o = {0};
	struct symkeys *keys = NULL;
	struct diag d = {""};
	struct document doc;
	struct compare c;

	if (!base->nvariants || !new->nvariants)
		return;
	fuzz_refusal(compare_read_renames(&keys, NULL, &base->variants[0], &new->variants[0], &d), &d);
	fuzz_law(!compare_build(&c, &base->variants[0], &new->variants[0], keys, &d), "variants can be compared");
	compare_set_between(&c, between);
	for (size_t i = 0; i < nformats; i++)
		if (formats[i].of & OF(DOCUMENT_DIFF) && formats[i].rows_alone)
			fuzz_law(!format_write(&formats[i], out, &doc, document_of_diff(&doc, &c), &o),
				 "a comparison can be printed");
	compare_release(&c);
	symkeys_free(keys);
}

static void check(struct history *h)
{
	struct history_run base = {0}, new = {0};
	struct between between = between_default(-1);
	struct history_bases bases;
	struct diag d = {""};
	struct regression r;
	double placement_ns;
	int err;

	fuzz_refusal(history_last_placement(h, &placement_ns, &d), &d);
	if (!load(h, "last", &new) && !load(h, "prev", &base)) {
		d.text[0] = '\0';
		err = history_bases(h, base.id, new.id, &bases, &d);
		fuzz_refusal(err, &d);
		if (!err) {
			between = between_fit(bases.base_ns, (const char *const *)bases.variant, bases.n, between);
			history_bases_release(&bases);
		}
		fuzz_law(!regression_build(&r, &base.analysis, &new.analysis, 5, &between, NULL),
			 "two runs can be compared");
		render_regression_text(out, &r, true);
		render_regression_json(out, &r);
		regression_release(&r);
		print_diff(&base.analysis, &new.analysis, &between);
	}
	history_run_release(&new);
	history_run_release(&base);
}

static int load_exact(struct history *h, const char *ref, struct exact *e)
{
	struct diag d = {""};
	int64_t run;
	int err = history_exact_find(h, ref, &run, &d);

	if (!err)
		err = history_exact_load(h, run, e, &d);
	fuzz_refusal(err, &d);
	return err;
}

static void check_exact(struct history *h)
{
	struct exact base = {0}, new = {0};
	struct exact_check c;
	struct diag d = {""};
	int err;

	if (!load_exact(h, "last", &new) && !load_exact(h, "prev", &base)) {
		err = exact_check_build(&c, &base, &new, NULL, &d);
		fuzz_refusal(err, &d);
		if (!err) {
			render_exact_check_text(out, &c, true);
			render_exact_check_json(out, &c);
			exact_check_release(&c);
		}
	}
	exact_release(&new);
	exact_release(&base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {""};
	struct history *h;
	int err;

	if (size >= 6 && !memcmp(data, "SQLite", 6))
		write_whole(data, size);
	else
		write_changed(data, size);
	err = history_open(&h, path, HISTORY_READ, &d);
	fuzz_refusal(err, &d);
	if (!err) {
		print_list(h);
		check(h);
		check_exact(h);
	}
	history_close(h);
	remove_all();
	return 0;
}
