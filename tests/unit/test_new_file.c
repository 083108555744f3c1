// SPDX-License-Identifier: GPL-2.0-or-later
/* A new file is there whole or not at all, with the mode of the one that it replaces, and no link is followed. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/new_file.h"
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

	(void)state;
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

	(void)state;
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
	struct new_file nf;
	struct diag d = {""};
	struct stat st;
	int dir;

	(void)state;
	write_it("file", "old", 0640);
	assert_int_equal(symlink("file", in_folder("link")), 0);
	write_it("link", "new", 0666);
	holds("file", "new", 0640);
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	dir = open(folder, O_PATH | O_DIRECTORY);
	assert_int_equal(new_file_open_at(&nf, dir, "link", 0600, &d), 0);
	fputs("mine", nf.stream);
	assert_int_equal(new_file_close(&nf, 0, &d), 0);
	holds("file", "new", 0640);
	holds("link", "mine", 0600);
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	close(dir);
	only(2);
	unlink(in_folder("file"));
	unlink(in_folder("link"));
}

static void test_failures(void **state)
{
	char name[300], full[5000];
	struct new_file nf;
	struct diag d = {""};

	(void)state;
	write_it("a", "one", 0600);
	assert_int_equal(new_file_open(&nf, in_folder("a"), 0600, &d), 0);
	fputs("half", nf.stream);
	assert_int_equal(new_file_close(&nf, -EBADMSG, &d), -EBADMSG);
	holds("a", "one", 0600);
	only(1);
	assert_int_equal(new_file_open(&nf, "", 0600, NULL), -EINVAL);
	assert_int_equal(new_file_open_at(&nf, AT_FDCWD, "", 0600, NULL), -ENOENT);
	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	assert_int_equal(new_file_open_at(&nf, AT_FDCWD, name, 0600, NULL), -ENAMETOOLONG);
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

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),    cmocka_unit_test(test_owner),   cmocka_unit_test(test_links),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_devices),
	};

	return cmocka_run_group_tests_name("new_file", tests, make_folder, remove_folder);
}
