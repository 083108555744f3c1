// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run directory is complete or absent, whatever happens to who makes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/run/run.h"
#include "tests/unit/unit.h"

static const char *in_dir(char *buf, size_t size, const char *name)
{
	snprintf(buf, size, "%s/%s", folder, name);
	return buf;
}

static void write_text(const char *name, const char *text)
{
	char path[256];
	FILE *f = fopen(in_dir(path, sizeof(path), name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void test_dir_commit(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];
	struct stat st;
	FILE *f;

	(void)state;
	in_dir(path, sizeof(path), "out");
	assert_int_equal(run_dir_begin(&rd, in_dir(file, sizeof(file), "out//"), false, &d), 0);
	assert_false(exists(path));
	snprintf(file, sizeof(file), "%.200s/blocks", rd.tmp);
	assert_true(!stat(file, &st) && S_ISDIR(st.st_mode));
	snprintf(file, sizeof(file), "%.200s/run.json", rd.tmp);
	f = fopen(file, "w");
	fclose(f);
	assert_int_equal(run_dir_commit(&rd, &d), 0);
	run_dir_abort(&rd); /* after a commit there is nothing to abort */
	assert_true(exists(in_dir(file, sizeof(file), "out/run.json")));

	assert_int_equal(run_dir_begin(&rd, path, false, &d), -EEXIST);
	run_dir_abort(&rd);
	assert_non_null(strstr(d.text, "--force"));
	assert_int_equal(run_dir_begin(&rd, path, true, &d), 0);
	assert_true(exists(in_dir(file, sizeof(file), "out/run.json"))); /* until the new one is complete */
	assert_int_equal(run_dir_commit(&rd, &d), 0);
	assert_false(exists(in_dir(file, sizeof(file), "out/run.json")));
	assert_true(exists(in_dir(file, sizeof(file), "out/blocks")));
}

static void test_dir_abort(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];
	FILE *f;
	int input = fcntl(0, F_GETFD);

	(void)state;
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "gone"), false, &d), 0);
	snprintf(file, sizeof(file), "%.200s/blocks/000.script", rd.tmp);
	f = fopen(file, "w");
	fclose(f);
	snprintf(file, sizeof(file), "%.200s", rd.tmp);
	run_dir_abort(&rd);
	run_dir_abort(&rd);
	assert_int_equal(fcntl(0, F_GETFD), input); /* and closes nothing that is not its own */
	assert_false(exists(file));
	assert_false(exists(path));
	assert_int_equal(run_dir_begin(&rd, "/nonexistent/x", false, &d), -ENOENT);
	run_dir_abort(&rd);
}

/* --force with the wrong name must not cost anybody a directory. */
static void test_dir_force_is_careful(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128];

	(void)state;
	in_dir(path, sizeof(path), "home");
	assert_int_equal(mkdir(path, 0777), 0);
	write_text("home/letter", "dear");
	assert_int_equal(run_dir_begin(&rd, path, true, &d), -ENOTEMPTY);
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "home/letter"), true, &d), -ENOTDIR);
	assert_true(exists(path));
}

/* A process that begins a directory and is killed, in a directory "dead" that is named here; its number. */
static pid_t begin_and_die(const char *path, char *tmp, size_t size)
{
	pid_t pid = fork();
	struct run_dir rd;

	if (!pid) {
		run_dir_begin(&rd, path, false, NULL);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	snprintf(tmp, size, "%s.tmp-%d", path, (int)pid);
	return pid;
}

static void test_dir_of_the_dead(void **state)
{
	char path[128], unfinished[160], whole[160], others[160], held[160], file[200];
	struct run_dir rd;
	pid_t gone;
	int lock;

	(void)state;
	in_dir(path, sizeof(path), "dead");
	gone = begin_and_die(path, whole, sizeof(whole));
	snprintf(file, sizeof(file), "dead.tmp-%d/run.json", (int)gone);
	write_text(file, "{}"); /* it was killed just before the rename: that is a run */
	begin_and_die(path, held, sizeof(held));
	lock = open(held, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(lock, LOCK_EX), 0); /* by a process with that number in another container */
	snprintf(others, sizeof(others), "%s.tmp-%d0x", path, (int)gone);
	assert_int_equal(mkdir(others, 0777), 0);
	begin_and_die(path, unfinished, sizeof(unfinished));
	assert_true(exists(unfinished));

	assert_int_equal(run_dir_begin(&rd, path, false, NULL), 0);
	assert_false(exists(unfinished));
	assert_true(exists(whole) && exists(held) && exists(others) && exists(rd.tmp));
	run_dir_abort(&rd);
	close(lock);
	in_dir(file, sizeof(file), "dead.tmp-1"); /* somebody lives */
	assert_int_equal(mkdir(file, 0777), 0);
	in_dir(file, sizeof(file), "dead.tmp-1/blocks");
	assert_int_equal(mkdir(file, 0777), 0);
	assert_int_equal(run_dir_begin(&rd, path, false, NULL), 0);
	assert_false(exists(held));
	assert_true(exists(file));
	run_dir_abort(&rd);
}

static void test_dir_kept(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512], tmp[512];

	(void)state;
	in_dir(path, sizeof(path), "late");
	assert_int_equal(run_dir_begin(&rd, path, false, &d), 0);
	snprintf(tmp, sizeof(tmp), "%.200s", rd.tmp);
	snprintf(file, sizeof(file), "%.200s/run.json", rd.tmp);
	assert_int_equal(close(creat(file, 0600)), 0);
	assert_int_equal(mkdir(path, 0700), 0); /* somebody takes the name meanwhile */
	write_text("late/other", "");
	assert_true(run_dir_commit(&rd, &d) < 0);
	run_dir_abort(&rd);
	assert_true(exists(file));
	assert_non_null(strstr(d.text, tmp));
}

static void test_dir_force_refuses(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];

	(void)state;
	in_dir(path, sizeof(path), "mine");
	assert_int_equal(mkdir(path, 0700), 0);
	write_text("mine/run.json", "{}");
	assert_int_equal(run_dir_begin(&rd, path, true, &d), 0);
	run_dir_abort(&rd);
	assert_int_equal(run_dir_begin(&rd, in_dir(file, sizeof(file), "mine/."), true, &d), -EINVAL);
	d.text[0] = '\0';
	write_text("mine/notes.txt", "");
	assert_int_equal(run_dir_begin(&rd, path, true, &d), -ENOTEMPTY);
	assert_non_null(strstr(d.text, "notes.txt"));
	assert_true(exists(in_dir(file, sizeof(file), "mine/notes.txt")));
	assert_int_equal(run_dir_begin(&rd, "/proc", true, &d), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dir_commit),
		cmocka_unit_test(test_dir_abort),
		cmocka_unit_test(test_dir_kept),
		cmocka_unit_test(test_dir_force_refuses),
		cmocka_unit_test(test_dir_force_is_careful),
		cmocka_unit_test(test_dir_of_the_dead),
	};

	return cmocka_run_group_tests_name("run_dir", tests, make_folder, remove_folder);
}
