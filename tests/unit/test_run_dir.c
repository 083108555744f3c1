// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run directory is complete or absent, whatever happens to who makes it.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "reports/run/run.h"
#include "tests/unit/unit.h"

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

static void test_dir_leave(void **state)
{
	struct diag d = {"no room for the end"};
	char path[128], at[sizeof(((struct run_dir *)0)->tmp)];
	struct diag begun = {""};
	struct run_dir rd;

	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "left"), false, &begun), 0);
	strcpy(at, rd.tmp);
	assert_int_equal(run_dir_leave(&rd, -ENOSPC, &d), -ENOSPC);
	run_dir_abort(&rd); /* nothing of it goes */
	assert_false(exists(path));
	assert_true(exists(at));
	assert_ptr_equal(strstr(d.text, "no room for the end; what was measured is in "), d.text);
	assert_non_null(strstr(d.text, at));
}

static void test_dir_abort(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];
	FILE *f;
	int input = fcntl(0, F_GETFD);

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

	in_dir(path, sizeof(path), "dead");
	gone = begin_and_die(path, whole, sizeof(whole));
	snprintf(file, sizeof(file), "dead.tmp-%d/run.json", (int)gone);
	write_text(file, "{}"); /* it was killed after its first block: that is a run */
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
	assert_string_equal(rd.killed, whole);
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

/* An unfinished directory as a recorder leaves it; its path. */
static void inject(char *path, size_t size, const char *name, pid_t pid, uid_t owner)
{
	char blocks[200];

	snprintf(path, size, "%s/%s.tmp-%d", folder, name, (int)pid);
	snprintf(blocks, sizeof(blocks), "%s/blocks", path);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(mkdir(blocks, 0777), 0);
	assert_int_equal(chown(blocks, owner, -1), 0);
	assert_int_equal(chown(path, owner, -1), 0);
}

/* A command that names its runs by date and time never comes back to the name of the run that was killed. */
static void test_dir_of_the_dead_by_date(void **state)
{
	enum { DEAD, ALIVE, OTHER_KIND, LONGER, NO_DATE, LENT, STRANGER, NINJECTED };
	static const char *const names[NINJECTED] = {
		"20260101-000000-demo", "20260102-000000-demo", "20260101-000000-ladder", "20260101-000000-demox",
		"20260101-00000a-demo", "20260104-000000-demo", "20260105-000000-demo"};
	const bool root = !geteuid();
	char injected[NINJECTED][160], path[128];
	struct run_dir rd;
	pid_t gone = fork();

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	for (int i = 0; i < NINJECTED; i++) {
		uid_t owner = !root ? geteuid() : i == LENT ? 65534 : i == STRANGER ? 4321 : 0;

		inject(injected[i], sizeof(injected[i]), names[i], i == ALIVE ? getppid() : gone, owner);
	}
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "20260103-112233-demo"), false, NULL), 0);
	run_dir_abort(&rd);
	for (int i = 0; i < NINJECTED; i++)
		if (exists(injected[i]) == (i == DEAD || i == LENT || (i == STRANGER && !root)))
			fail_msg("%s is %s", injected[i], exists(injected[i]) ? "still there" : "gone");
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "ladder"), false, NULL), 0);
	run_dir_abort(&rd);
	assert_true(exists(injected[OTHER_KIND]));
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "20260103-112233-ladder"), false, NULL), 0);
	run_dir_abort(&rd);
	assert_false(exists(injected[OTHER_KIND]));
}

static void test_dir_kept(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512], tmp[512];

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

static void write_there(const struct run_dir *rd, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%.400s/%s", rd->at, name);
	write_at(path, text);
}

static void assert_text(const char *name, const char *text)
{
	char path[256], found[64] = "";
	FILE *f = fopen(in_dir(path, sizeof(path), name), "r");

	assert_non_null(f);
	assert_true(fgets(found, sizeof(found), f) || !*text);
	fclose(f);
	assert_string_equal(found, text);
}

/* The owner of the parent renames the directory while it is written, and puts one of his own in its place. */
static void test_dir_replaced(void **state)
{
	char path[128], file[512], moved[160], tmp[512];
	struct diag d = {""};
	struct run_dir rd;

	write_text("victim", "mine");
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "stolen"), false, &d), 0);
	snprintf(tmp, sizeof(tmp), "%.200s", rd.tmp);
	assert_int_equal(rename(tmp, in_dir(moved, sizeof(moved), "moved")), 0);
	assert_int_equal(mkdir(tmp, 0777), 0);
	snprintf(file, sizeof(file), "%.300s/run.json", tmp);
	assert_int_equal(symlink(in_dir(path, sizeof(path), "victim"), file), 0);
	write_there(&rd, "run.json", "{}");
	assert_text("victim", "mine");
	assert_text("moved/run.json", "{}");
	assert_int_equal(run_dir_commit(&rd, &d), -ESTALE);
	assert_non_null(strstr(d.text, "/moved"));
	assert_false(exists(in_dir(path, sizeof(path), "stolen")));
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(tmp), 0);
}

/* The same before an abort: what is removed is what was made, and no link is followed out of it. */
static void test_dir_abort_replaced(void **state)
{
	char path[128], file[512], tmp[512], link[512];
	struct run_dir rd;

	assert_int_equal(mkdir(in_dir(path, sizeof(path), "letters"), 0777), 0);
	write_text("letters/letter", "dear");
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "aborted"), false, NULL), 0);
	snprintf(tmp, sizeof(tmp), "%.200s", rd.tmp);
	snprintf(link, sizeof(link), "%.300s/blocks/link", tmp);
	assert_int_equal(symlink(in_dir(path, sizeof(path), "letters"), link), 0);
	assert_int_equal(rename(tmp, in_dir(path, sizeof(path), "away")), 0);
	assert_int_equal(rename(in_dir(file, sizeof(file), "letters"), tmp), 0);
	run_dir_abort(&rd);
	snprintf(file, sizeof(file), "%.300s/letter", tmp);
	assert_true(exists(file));
	snprintf(file, sizeof(file), "%.100s/blocks", path);
	assert_false(exists(file));
	assert_int_equal(rmdir(path), 0); /* empty by now; its name is the owner's */
}

/* Nobody else may write into the directory before it is complete. Then it has the mode that the umask gives. */
static void test_dir_mode(void **state)
{
	char path[128];
	struct run_dir rd;
	struct stat st;
	mode_t before = umask(0002);

	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "modes"), false, NULL), 0);
	assert_true(!stat(rd.tmp, &st) && (st.st_mode & 0777) == 0700);
	assert_int_equal(run_dir_commit(&rd, NULL), 0);
	assert_true(!stat(path, &st) && (st.st_mode & 0777) == 0775);
	umask(before);
}

/* By sudo, a run in the caller's own directory is the caller's, and one in root's is root's. */
static void test_dir_of_caller(void **state)
{
	char path[128], file[512];
	struct run_dir rd;
	struct stat st;

	if (geteuid())
		skip();
	setenv("SUDO_UID", "65533", 1);
	setenv("SUDO_GID", "65532", 1);
	assert_int_equal(mkdir(in_dir(path, sizeof(path), "callers"), 0777), 0);
	assert_int_equal(chown(path, 65533, 65533), 0);
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "callers/run"), false, NULL), 0);
	write_there(&rd, "blocks/000.script", "x");
	assert_int_equal(run_dir_commit(&rd, NULL), 0);
	assert_true(!stat(path, &st) && st.st_uid == 65533 && st.st_gid == 65532);
	assert_true(!stat(in_dir(file, sizeof(file), "callers/run/blocks/000.script"), &st) && st.st_uid == 65533);
	assert_int_equal(run_dir_begin(&rd, in_dir(path, sizeof(path), "roots"), false, NULL), 0);
	assert_int_equal(run_dir_commit(&rd, NULL), 0);
	assert_true(!stat(path, &st) && st.st_uid == 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

static void test_dir_force_refuses(void **state)
{
	struct diag d = {""};
	struct run_dir rd;
	char path[128], file[512];

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
		cmocka_unit_test(test_dir_replaced),
		cmocka_unit_test(test_dir_abort_replaced),
		cmocka_unit_test(test_dir_mode),
		cmocka_unit_test(test_dir_of_caller),
		cmocka_unit_test(test_dir_force_refuses),
		cmocka_unit_test(test_dir_force_is_careful),
		cmocka_unit_test(test_dir_of_the_dead),
		cmocka_unit_test(test_dir_of_the_dead_by_date),
		cmocka_unit_test(test_dir_leave),
	};

	return cmocka_run_group_tests_name("run_dir", tests, make_folder, remove_folder);
}
