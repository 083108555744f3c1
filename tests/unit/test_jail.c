// SPDX-License-Identifier: GPL-2.0-or-later
/* What a jailed process can and cannot do; each test jails a child of its own. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/jail.h"

static char dir[] = "/tmp/xdpzoom-jail-XXXXXX";
static char path[64], other[64];

/* The exit status of a child that does this in the jail, with a file that was open for writing before. */
static int in_jail(int (*what)(int fd))
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status;
	pid_t pid;

	assert_true(fd >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		jail_enter(true, 0);
		_exit(what(fd));
	}
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static int reads_and_writes_what_is_open(int fd)
{
	char text[8] = "";

	if (write(fd, "word", 4) != 4 || lseek(fd, 0, SEEK_SET) || read(fd, text, 4) != 4 || strcmp(text, "word"))
		return 1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, text, 4) != 4;
}

static int is_refused(int result, int err)
{
	return result < 0 && errno == err;
}

static int cannot_write(int fd)
{
	(void)fd;
	return !is_refused(open(path, O_WRONLY | O_CLOEXEC), EACCES) + 2 * !is_refused(unlink(path), EACCES) +
	       4 * !is_refused(rename(path, other), EACCES) + 8 * !is_refused(mkdir(other, 0700), EACCES) +
	       16 * !is_refused(open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EACCES) +
	       32 * !is_refused(symlink(path, other), EACCES);
}

static int has_no_sockets(int fd)
{
	(void)fd;
	return !is_refused(socket(AF_UNIX, SOCK_STREAM, 0), EPERM) +
	       2 * !is_refused(socket(AF_INET, SOCK_DGRAM, 0), EPERM) +
	       4 * !is_refused((int)syscall(SYS_bpf, 0, NULL, 0), EPERM) +
	       8 * !is_refused((int)syscall(SYS_io_uring_setup, 1, NULL), EPERM);
}

static void test_reads(void **state)
{
	(void)state;
	assert_int_equal(in_jail(reads_and_writes_what_is_open), 0);
}

static void test_writes(void **state)
{
	(void)state;
	if (!landlock())
		skip();
	assert_int_equal(in_jail(cannot_write), 0);
	assert_int_equal(access(path, F_OK), 0);
}

static void test_calls(void **state)
{
	(void)state;
	assert_int_equal(in_jail(has_no_sockets), 0);
}

static uint64_t effective_after_exec(void)
{
	FILE *f = popen("sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status", "r");
	unsigned long long caps = ~0ULL;

	if (!f || fscanf(f, "%llx", &caps) != 1)
		caps = ~0ULL;
	if (f)
		pclose(f);
	return caps;
}

/* root, and root that has started another program. */
static void test_capabilities(void **state)
{
	const uint64_t keep = 1ULL << CAP_DAC_READ_SEARCH;
	pid_t pid;
	int status;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		jail_drop_capabilities(keep);
		_exit((effective_after_exec() & ~keep) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int begin(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	unlink(other);
	return rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_capabilities),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
