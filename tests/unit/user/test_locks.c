// SPDX-License-Identifier: GPL-2.0-or-later
/* Who can keep others from a device: root, and no ordinary user, whatever user namespace he makes. */
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/machine/locks.h"

#define NO_DEVICE 2000000001 /* an index that no device has */
#define NOBODY    65534

enum who { ROOT, USER, USER_IN_NAMESPACE };

static void become(enum who who)
{
	if (who != ROOT &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
	if (who == USER_IN_NAMESPACE && unshare(CLONE_NEWUSER))
		_exit(77);
}

/* A process that listens at the name of the lock, as any process can. */
static pid_t take_name(enum who who)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int ready[2], fd, len = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "xdpzoom/device/%d", NO_DEVICE);
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		become(who);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) ||
		    listen(fd, 1) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -pid;
	close(ready[0]);
	return pid;
}

static void try_lock(enum who who, int want)
{
	struct diag d = {""};
	pid_t pid;
	int lock;

	if (geteuid())
		skip();
	pid = take_name(who);
	lock = pid > 0 ? lock_device(NO_DEVICE, "eth0", &d) : 0;
	if (pid > 0)
		kill(pid, SIGKILL);
	waitpid(pid > 0 ? pid : -pid, NULL, 0);
	if (pid < 0)
		skip(); /* no user namespaces here */
	assert_int_equal(lock, want);
}

static void test_root(void **state)
{
	(void)state;
	try_lock(ROOT, -EBUSY);
}

static void test_user(void **state)
{
	(void)state;
	try_lock(USER, -1);
}

static void test_user_in_namespace(void **state)
{
	(void)state;
	try_lock(USER_IN_NAMESPACE, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_root), cmocka_unit_test(test_user),
					   cmocka_unit_test(test_user_in_namespace)};

	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
