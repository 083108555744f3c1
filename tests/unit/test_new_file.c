// SPDX-License-Identifier: GPL-2.0-or-later
/* A new file is there whole or not at all, with the mode of the one that it replaces, and no link is followed. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "base/base.h"
#include "tests/unit/unit.h"

static char path[512];

static const char *in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_it(const char *name, const char *text, mode_t mode)
{
	struct new_file nf;
	struct diag d = {""};

	if (new_file_open(&nf, in_folder(name), mode, &d))
		fail_msg("%s", d.text);
	fputs(text, nf.stream);
	assert_int_equal(new_file_close(&nf, 0, &d), 0);
	assert_int_equal(new_file_close(&nf, -EIO, &d), -EIO); /* it is closed already */
}

static void holds(const char *name, const char *text, mode_t mode)
{
	char got[64] = "";
	struct stat st;
	FILE *f = fopen(in_folder(name), "r");

	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, f), strlen(text));
	assert_string_equal(got, text);
	assert_int_equal(fstat(fileno(f), &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
	fclose(f);
}

/* Nothing but the files that are named is in the folder. */
static void only(int n)
{
	char command[200];
	FILE *f;
	int files;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", folder);
	f = popen(command, "r");
	assert_int_equal(fscanf(f, "%d", &files), 1);
	pclose(f);
	assert_int_equal(files, n);
}

static void test_modes(void **state)
{
	mode_t mask = umask(022);

	write_it("a", "one", 0666);
	holds("a", "one", 0644);
	write_it("b", "two", 0600);
	holds("b", "two", 0600);
	assert_int_equal(chmod(in_folder("b"), 06751), 0);
	write_it("b", "three", 0666);
	holds("b", "three", 0751); /* of the old one, but nobody's by setuid */
	only(2);
	unlink(in_folder("a"));
	unlink(in_folder("b"));
	umask(mask);
}

static void test_owner(void **state)
{
	struct stat st;

	if (geteuid())
		skip();
	write_it("a", "one", 0600);
	assert_int_equal(chown(in_folder("a"), 65534, 65533), 0);
	write_it("a", "two", 0600);
	assert_int_equal(stat(in_folder("a"), &st), 0);
	assert_true(st.st_uid == 65534 && st.st_gid == 65533);
	unlink(path);
}

/* A link to a file leads to it, and a link that somebody put in the place of a name is replaced. */
static void test_links(void **state)
{
	struct stat st;

	write_it("file", "old", 0640);
	assert_int_equal(symlink("file", in_folder("link")), 0);
	write_it("link", "new", 0666);
	holds("file", "new", 0640);
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	only(2);
	unlink(in_folder("file"));
	unlink(in_folder("link"));
}

static void test_failures(void **state)
{
	char name[300], full[5000];
	struct new_file nf;
	struct diag d = {""};

	write_it("a", "one", 0600);
	assert_int_equal(new_file_open(&nf, in_folder("a"), 0600, &d), 0);
	fputs("half", nf.stream);
	assert_int_equal(new_file_close(&nf, -EBADMSG, &d), -EBADMSG);
	holds("a", "one", 0600);
	only(1);
	assert_int_equal(new_file_open(&nf, "", 0600, NULL), -EINVAL);
	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	assert_int_equal(new_file_open(&nf, in_folder(name), 0600, NULL), -ENAMETOOLONG);
	memset(full, 'n', sizeof(full));
	full[4096] = '\0';
	assert_int_equal(new_file_open(&nf, full, 0600, NULL), -ENAMETOOLONG);
	assert_int_equal(new_file_open(&nf, in_folder("none/a"), 0600, &d), -ENOENT);
	assert_int_equal(new_file_open(&nf, in_folder(""), 0600, NULL), -EISDIR);
	only(1);
	unlink(in_folder("a"));
}

/* A device is written to, and stays. */
static void test_devices(void **state)
{
	struct new_file nf;
	struct diag d = {""};
	struct stat st;

	assert_int_equal(new_file_open(&nf, "/dev/null", 0600, &d), 0);
	fputs("text", nf.stream);
	assert_int_equal(new_file_close(&nf, 0, &d), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(new_file_open(&nf, "/dev/full", 0600, &d), 0);
	fputs("text", nf.stream);
	assert_int_equal(new_file_close(&nf, 0, &d), -ENOSPC);
	assert_non_null(strstr(d.text, "/dev/full"));
}

#define NOBODY 65534

static void put(int dir, const char *name, const char *text, uid_t owner, mode_t mode)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchown(fd, owner, owner), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void put_link(int dir, const char *name, const char *to, uid_t owner)
{
	assert_int_equal(symlinkat(to, dir, name), 0);
	assert_int_equal(fchownat(dir, name, owner, owner, AT_SYMLINK_NOFOLLOW), 0);
}

/* The file of the name is a regular one of this user with this text. */
static void is_my_file(const char *name, const char *text)
{
	struct stat st;

	assert_int_equal(lstat(in_folder(name), &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_uid == geteuid());
	holds(name, text, 0644);
}

/* A directory that everybody writes to, with and without a sticky bit, and one that is a stranger's. */
static void test_strangers(void **state)
{
	static const struct {
		mode_t mode;
		uid_t owner;
	} shared[] = {{01777, 0}, {0777, 0}, {0755, NOBODY}};
	const char *const names[] = {"shared/link", "shared/file", "shared/fifo"};
	mode_t mask = umask(022);
	int dir;

	if (geteuid())
		skip();
	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++) {
		assert_int_equal(mkdir(in_folder("shared"), 0700), 0);
		dir = open(in_folder("shared"), O_RDONLY | O_DIRECTORY);
		write_it("precious", "kept", 0600);
		put_link(dir, "link", "../precious", NOBODY);
		put_link(dir, "mine", "link2", 0);
		put_link(dir, "link2", "../precious", NOBODY);
		put(dir, "file", "old", NOBODY - 1, 0666);
		assert_int_equal(mkfifoat(dir, "fifo", 0666), 0);
		assert_int_equal(fchownat(dir, "fifo", NOBODY, NOBODY, 0), 0);
		assert_true(!fchown(dir, shared[i].owner, 0) && !fchmod(dir, shared[i].mode));
		for (size_t k = 0; k < 3; k++) {
			write_it(names[k], "new", 0666);
			is_my_file(names[k], "new");
		}
		write_it("shared/mine", "new", 0666);
		is_my_file("shared/link2", "new"); /* our own link was followed, and the stranger's was not */
		holds("precious", "kept", 0600);
		close(dir);
		remove_folder(state);
		assert_int_equal(mkdir(folder, 0700), 0);
	}
	umask(mask);
}

/* Where nobody else can write, what is there may belong to anybody. */
static void test_own_directory(void **state)
{
	struct stat st;
	int dir;

	if (geteuid())
		skip();
	dir = open(folder, O_RDONLY | O_DIRECTORY);
	put(dir, "file", "old", NOBODY, 0640);
	put_link(dir, "link", "file", NOBODY);
	write_it("link", "new", 0666);
	holds("file", "new", 0640);
	assert_int_equal(lstat(in_folder("file"), &st), 0);
	assert_int_equal(st.st_uid, NOBODY);
	close(dir);
	unlink(in_folder("link"));
	unlink(in_folder("file"));
}

static int swap_for_ever(void)
{
	char a[512], b[512];

	strcpy(a, in_folder("shared/out"));
	strcpy(b, in_folder("shared/other"));
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
	return 0;
}

/* A FIFO and a link that change places all the time: the link must not be followed in any moment. */
static void test_swapped(void **state)
{
	struct new_file nf;
	struct diag d = {""};
	pid_t pid;
	int dir;

	if (geteuid())
		skip();
	write_it("precious", "kept", 0600);
	assert_int_equal(mkdir(in_folder("shared"), 0700), 0);
	dir = open(in_folder("shared"), O_RDONLY | O_DIRECTORY);
	put_link(dir, "out", "../precious", NOBODY);
	assert_int_equal(mkfifoat(dir, "other", 0666), 0);
	assert_int_equal(fchownat(dir, "other", NOBODY, NOBODY, 0), 0);
	assert_int_equal(fchown(dir, NOBODY, NOBODY), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(swap_for_ever());
	for (int i = 0; i < 2000; i++) {
		assert_int_equal(new_file_open(&nf, in_folder("shared/out"), 0600, &d), 0);
		fputs("new", nf.stream);
		new_file_close(&nf, -EIO, &d); /* so that the two stay what they are */
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	holds("precious", "kept", 0600);
	close(dir);
	remove_folder(state);
	assert_int_equal(mkdir(folder, 0700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),         cmocka_unit_test(test_owner),   cmocka_unit_test(test_links),
		cmocka_unit_test(test_failures),      cmocka_unit_test(test_devices), cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_own_directory), cmocka_unit_test(test_swapped),
	};

	return cmocka_run_group_tests_name("new_file", tests, make_folder, remove_folder);
}
