// SPDX-License-Identifier: GPL-2.0-or-later
/* Who can keep others from a device: root, and no ordinary user, whatever user namespace he makes. */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include "user/machine/locks.h"
#include "tests/unit/unit.h"

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

/* Who asks for the lock while `holder` has its name: 0 he got it, and a second one does not; else the error. */
static int ask(enum who holder, enum who asks, struct diag *d)
{
	struct device_lock first, second;
	struct diag busy = {""};
	pid_t pid = take_name(holder);
	int err;

	if (pid < 0) {
		waitpid(-pid, NULL, 0);
		return -ENOSYS; /* no user namespaces here */
	}
	if (asks != ROOT && seteuid(NOBODY))
		return -EPERM;
	err = lock_device(&first, NO_DEVICE, "eth0", d);
	if (!err) {
		assert_int_equal(lock_device(&second, NO_DEVICE, "eth0", &busy), -EBUSY);
		assert_string_equal(busy.text, "eth0 is in use by another xdpzoom");
		assert_int_equal(lock_device(&second, NO_DEVICE + 1, "eth1", &busy), 0);
		lock_release(&second);
		lock_release(&first);
		assert_int_equal(lock_device(&first, NO_DEVICE, "eth0", d), 0);
		lock_release(&first);
	}
	assert_int_equal(seteuid(0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return err;
}

static void try_lock(enum who holder, enum who asks, int want, const char *why)
{
	struct diag d = {""};
	int err;

	if (geteuid())
		skip();
	err = ask(holder, asks, &d);
	if (err == -ENOSYS)
		skip();
	assert_int_equal(err, want);
	if (!strstr(d.text, why))
		fail_msg("%s", d.text);
}

static void test_root(void **state)
{
	try_lock(ROOT, ROOT, -EBUSY, "eth0 is in use by process ");
	try_lock(ROOT, USER, -EBUSY, "eth0 is in use by process ");
}

static void test_user(void **state)
{
	try_lock(USER, ROOT, 0, "");
}

static void test_user_in_namespace(void **state)
{
	try_lock(USER_IN_NAMESPACE, ROOT, 0, "");
}

/* Who has no file of root's, such as a user with capabilities, is told instead. */
static void test_asked_by_user(void **state)
{
	try_lock(USER, USER, -EBUSY, "eth0 cannot be locked: process ");
	try_lock(USER_IN_NAMESPACE, USER, -EBUSY, "may not change devices");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_root), cmocka_unit_test(test_user),
					   cmocka_unit_test(test_user_in_namespace),
					   cmocka_unit_test(test_asked_by_user)};

	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
