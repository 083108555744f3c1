// SPDX-License-Identifier: GPL-2.0-or-later
/* History files that are damaged, or cannot be written. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sqlite3.h>
#include "reports/compare/compare.h"
#include "reports/history/history.h"
#include "tests/unit/recorded.h"

/* A copy of the history, hurt by a statement. */
static void hurt(char path[96], const char *statement)
{
	char command[512];
	sqlite3 *file;

	snprintf(path, 96, "%s.hurt", db);
	snprintf(command, sizeof(command), "cp '%s' '%s'", db, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
	assert_int_equal(sqlite3_exec(file, statement, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(file);
}

static int lay_out(struct history *h, struct diag *d)
{
	char dir[200], path[220];
	FILE *f;
	int err = history_lay_out(h, HISTORY_MEASURED, 1, dir, sizeof(dir), d);

	snprintf(path, sizeof(path), "%s/run.json", dir);
	if (!err)
		err = foreign_file_open(&f, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, d);
	if (!err)
		fclose(f);
	history_forget();
	return err;
}

#define OF_RUN_JSON " WHERE run = 1 AND name = 'run.json'"

static void test_damage(void **state)
{
	static const struct {
		const char *sql, *sentence;
		bool in_list; /* list finds it */
	} damages[] = {
		{"UPDATE file SET bytes = 'many'" OF_RUN_JSON, "bytes of a row is no number"},
		{"UPDATE file SET data = 'text'" OF_RUN_JSON, "data of a row is no part"},
		{"UPDATE file SET data = x'00'" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET data = x''" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET data = substr(data, 1, 500)" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET data = substr(data, 1, length(data) - 1)" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET bytes = bytes + 1" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET bytes = bytes - 1" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET bytes = 0" OF_RUN_JSON, "cannot be unpacked"},
		{"UPDATE file SET bytes = -1" OF_RUN_JSON, "would have -1 bytes"},
		{"UPDATE file SET bytes = 1 << 30" OF_RUN_JSON, "would have 1073741824 bytes"},
		{"DELETE FROM file" OF_RUN_JSON, "files instead of"},
		{"INSERT INTO file VALUES ('measured', 1, '../x', 0, x'00')", "files instead of"},
		{"UPDATE entry SET files = 'x'", "files of a row is no number"},
		{"UPDATE numbers SET value = 'x' WHERE what = 'base_ns'", "value of a row is no number", true},
		{"UPDATE numbers SET half = 9e999 WHERE what = 'base_ns'", "half of a row is no number", true},
		{"UPDATE numbers SET variant = x'00' WHERE what = 'base_ns'", "variant of a row is no part", true},
		{"DROP INDEX numbers_of; ALTER TABLE numbers DROP COLUMN half; ALTER TABLE numbers ADD COLUMN half "
		 "TEXT AS (variant); CREATE INDEX numbers_of ON numbers (kind, what, run, variant)",
		 "half of a row is no number", true},
	};
	struct history_list l;
	char path[96];

	add(&first, NULL, 1);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct diag d = {""};
		struct history *h;

		hurt(path, damages[i].sql);
		assert_int_equal(history_open(&h, path, HISTORY_READ, &d), 0);
		assert_int_equal(damages[i].in_list ? history_list(h, &l, &d) : lay_out(h, &d), -EBADMSG);
		if (!strstr(d.text, damages[i].sentence))
			fail_msg("%s: %s", damages[i].sql, d.text);
		history_close(h);
	}
}

static void test_placement_that_is_none(void **state)
{
	struct diag d = {""};
	struct history *h;
	double placement_ns;
	char path[96];

	hurt(path, "UPDATE numbers SET value = 'near' WHERE what = 'placement_ns'");
	assert_int_equal(history_open(&h, path, HISTORY_READ, &d), 0);
	assert_int_equal(history_last_placement(h, NULL, &placement_ns, &d), -EBADMSG);
	assert_non_null(strstr(d.text, "damaged: value"));
	history_close(h);
}

/* Variants stand in the order in which their run was added with them, and not in that of their names. */
static void test_order_of_variants(void **state)
{
	struct diag d = {""};
	struct history *h;
	char path[96];

	for (int turned = 0; turned < 2; turned++) {
		struct history_list l;

		hurt(path, turned ? "UPDATE numbers SET id = -id" : "");
		assert_int_equal(history_open(&h, path, HISTORY_READ, &d), 0);
		assert_int_equal(history_list(h, &l, &d), 0);
		assert_string_equal(l.rows[turned ? first.a.nvariants - 1 : 0].variant,
				    first.a.variants[0].variant->id);
		history_list_release(&l);
		history_close(h);
	}
}

/* A run goes in whole or not at all, whichever of its parts cannot be written. */
static void test_whole_or_not_at_all(void **state)
{
	static const char *const tables[] = {"entry", "file", "numbers"};
	char sql[128], path[96];
	struct diag d = {""};
	struct history_list l;
	struct history *h, *reader;
	sqlite3 *file;
	int64_t run;

	snprintf(path, sizeof(path), "%s.torn", db);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		unlink(path);
		assert_int_equal(history_open(&h, path, HISTORY_ADD, &d), 0);
		assert_int_equal(add_to(h, &first, NULL, &run, &d), 0);
		history_close(h);
		assert_int_equal(history_open(&h, path, HISTORY_ADD, &d), 0);
		assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
		snprintf(sql, sizeof(sql), "ALTER TABLE %s RENAME TO hidden", tables[i]);
		assert_int_equal(sqlite3_exec(file, sql, NULL, NULL, NULL), SQLITE_OK);
		d.text[0] = '\0';
		assert_int_equal(add_to(h, &second, NULL, &run, &d), -EIO);
		assert_non_null(strstr(d.text, tables[i]));
		snprintf(sql, sizeof(sql), "ALTER TABLE hidden RENAME TO %s", tables[i]);
		assert_int_equal(sqlite3_exec(file, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(file);
		assert_int_equal(history_open(&reader, path, HISTORY_READ, &d), 0);
		assert_int_equal(history_list(reader, &l, &d), 0);
		history_close(reader);
		assert_int_equal(l.nrows, first.a.nvariants);
		assert_int_equal(history_find(h, HISTORY_MEASURED, "last", &run, &d), 0);
		assert_int_equal(run, 1);
		assert_int_equal(add_to(h, &second, NULL, &run, &d), 0);
		history_list_release(&l);
		history_close(h);
	}
}

static void assert_owner(const char *path, const char *behind, uid_t uid, gid_t gid)
{
	char file[200];
	struct stat st;

	snprintf(file, sizeof(file), "%s%s", path, behind);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

/* What root makes by sudo belongs to the caller, in the caller's directory; elsewhere it stays root's. */
static void test_caller_owns(void **state)
{
	char dir[100], path[120], link[130];
	struct diag d = {""};
	struct history *h;
	int64_t run;

	if (geteuid())
		skip();
	setenv("SUDO_UID", "65533", 1);
	setenv("SUDO_GID", "65532", 1);
	snprintf(dir, sizeof(dir), "%s.dir", db);
	snprintf(path, sizeof(path), "%s/h.db", dir);
	for (uid_t owner = 65533;; owner = 0) {
		gid_t group = owner ? 65532 : 0;

		assert_int_equal(mkdir(dir, 0755), 0);
		assert_int_equal(chown(dir, owner, owner), 0);
		assert_int_equal(history_open(&h, path, HISTORY_ADD, &d), 0);
		assert_int_equal(add_to(h, &second, NULL, &run, &d), 0);
		assert_int_equal(history_find(h, HISTORY_MEASURED, "last", &run, &d), 0); /* by the files of the WAL */
		assert_owner(path, "", owner, group);
		assert_owner(path, "-wal", owner, group);
		assert_owner(path, "-shm", owner, group);
		history_close(h);
		assert_owner(path, "", owner, group);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(rmdir(dir), 0);
		if (!owner)
			break;
	}
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	snprintf(link, sizeof(link), "%s.link", db);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(history_open(&h, link, HISTORY_ADD, &d), -ELOOP);
	assert_non_null(strstr(d.text, "is a link that leads to no file"));
	assert_int_equal(unlink(link), 0);
}

/*
 * Another process made the file, could not add its run, and removed it, and perhaps a third one made another:
 * nothing is added to what has no name.
 */
static void test_removed_when_new(void **state)
{
	char path[96];

	snprintf(path, sizeof(path), "%s.removed", db);
	for (int again = 0; again < 2; again++) {
		struct diag d = {""};
		struct history *h;
		int64_t run;

		assert_int_equal(history_open(&h, path, HISTORY_ADD, &d), 0);
		assert_int_equal(unlink(path), 0);
		if (again)
			fclose(fopen(path, "w"));
		assert_int_equal(add_to(h, &first, NULL, &run, &d), -ENOENT);
		assert_non_null(strstr(d.text, "was removed by the process that could not make it"));
		history_close(h);
		assert_int_equal(access(path, F_OK), again ? 0 : -1); /* the third one's is not ours to remove */
	}
}

/* Root may write everywhere, so SQLite can make its files beside each file that is there. */
static void test_not_read_alone(void **state)
{
	char path[96];

	assert_false(history_keep_read_alone(db));
	snprintf(path, sizeof(path), "%s.nowhere", db);
	assert_false(history_keep_read_alone(path));
}

/* A keeper makes a history once, removes that one alone, and makes no file beside one that is not there. */
static void test_keeper(void **state)
{
	char path[96], journal[112];
	struct diag d = {""};
	int fd = -1;

	snprintf(path, sizeof(path), "%s.kept", db);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	assert_int_equal(history_keep_files(path, &d), 0);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_OPENS + 1, O_RDWR | O_CREAT, &fd), -ENOENT);
	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_UNMAKES, 0, &fd), -EACCES);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_MAKES, 0, &fd), 1);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_MAKES, 0, &fd), 0);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_OPENS + 1, O_RDWR | O_CREAT, &fd), 0);
	close(fd);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_REMOVES + 1, 0, &fd), 0);
	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_UNMAKES, 0, &fd), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(history_keep_serve(HISTORY_KEEP_UNMAKES, 0, &fd), -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_placement_that_is_none),
		cmocka_unit_test(test_order_of_variants),
		cmocka_unit_test(test_caller_owns),
		cmocka_unit_test(test_whole_or_not_at_all),
		cmocka_unit_test(test_removed_when_new),
		cmocka_unit_test(test_not_read_alone),
		cmocka_unit_test(test_keeper),
	};

	return cmocka_run_group_tests_name("history_files", tests, set_up, tear_down);
}
