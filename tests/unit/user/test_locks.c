// SPDX-License-Identifier: GPL-2.0-or-later
/* One command at a time has a device: root keeps others from it, and no ordinary user keeps root from it. */
#include <signal.h>
#include <sys/wait.h>
#include "user/machine/machine.h"
#include "tests/unit/unit.h"

#define NOBODY 65534

static int no_device; /* an index that no device has, and no other run of this test */

/* A process of this user that holds the lock, or has tried to. */
static pid_t hold(uid_t uid)
{
	int ready[2], fd;
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (seteuid(uid) || lock_device(&fd, no_device, "eth0", NULL) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

/* What `asks` is told while `holds` has the lock; 0: he gets it. */
static int ask(uid_t holds, uid_t asks, struct diag *d)
{
	pid_t pid = hold(holds);
	int fd, err;

	assert_int_equal(seteuid(asks), 0);
	err = lock_device(&fd, no_device, "eth0", d);
	assert_int_equal(seteuid(0), 0);
	assert_true(err ? fd == -1 : asks || fd >= 0);
	if (fd >= 0)
		close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return err;
}

static void test_root_keeps_others_out(void **state)
{
	struct diag d = {""};

	if (geteuid())
		skip();
	assert_int_equal(ask(0, 0, &d), -EBUSY);
	assert_non_null(strstr(d.text, "eth0 is in use by process "));
	d.text[0] = '\0';
	assert_int_equal(ask(0, NOBODY, &d), -EBUSY);
	assert_non_null(strstr(d.text, "eth0 is in use by process "));
}

static void test_a_user_keeps_nobody_out(void **state)
{
	if (geteuid())
		skip();
	assert_int_equal(ask(NOBODY, 0, NULL), 0);
	assert_int_equal(ask(NOBODY, NOBODY, NULL), 0);
}

static void test_each_device_has_its_own(void **state)
{
	int first, second;

	if (geteuid())
		skip();
	assert_int_equal(lock_device(&first, no_device, "eth0", NULL), 0);
	assert_int_equal(lock_device(&second, no_device, "eth0", NULL), -EBUSY);
	assert_int_equal(lock_device(&second, no_device + 1, "eth1", NULL), 0);
	close(second);
	close(first);
	assert_int_equal(lock_device(&first, no_device, "eth0", NULL), 0);
	close(first);
}

int main(void)
{
	no_device = 2000000000 + 2 * getpid();
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_root_keeps_others_out),
					   cmocka_unit_test(test_a_user_keeps_nobody_out),
					   cmocka_unit_test(test_each_device_has_its_own)};

	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
