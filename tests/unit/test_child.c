// SPDX-License-Identifier: GPL-2.0-or-later
/* A child ends with its parent, and no signal ends the wait for a child. */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "base/base.h"
#include "tests/unit/unit.h"

/* The pipe ends when nobody holds its other end any more: neither the process that was killed nor its child. */
static void test_ends_with_its_parent(void **state)
{
	int ends[2];
	pid_t parent;
	char byte;

	assert_int_equal(pipe(ends), 0);
	alarm(10); /* ends the test where the child lives on */
	parent = child_fork(SIGKILL);
	assert_true(parent >= 0);
	if (!parent) {
		if (!child_fork(SIGTERM) && write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(child_kill(parent), SIGKILL);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	alarm(0);
	close(ends[0]);
}

static void on_tick(int sig)
{
}

static void test_waits_through_signals(void **state)
{
	struct sigaction tick = {.sa_handler = on_tick}; /* without SA_RESTART: it ends a waitpid() */
	struct itimerval every = {{0, 1000}, {0, 1000}};
	int status;
	pid_t pid;

	pid = child_fork(SIGKILL);
	if (!pid) {
		usleep(50000);
		_exit(7);
	}
	sigaction(SIGALRM, &tick, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	status = child_wait(pid);
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* Neither an exit with status 0 nor anything else that happened. */
static void test_no_child(void **state)
{
	int status = child_wait(getpid());

	assert_false(WIFEXITED(status) || WIFSIGNALED(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_with_its_parent),
		cmocka_unit_test(test_waits_through_signals),
		cmocka_unit_test(test_no_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
