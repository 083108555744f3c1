// SPDX-License-Identifier: GPL-2.0-or-later
/* A perf that does not answer and one that does not end: a signal ends the wait. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/base.h"
#include "tests/unit/unit.h"
#include "user/record/record.h"

static char data[100], words[100];

/* A perf in PATH that sleeps. Without a signal, it would end with success before anybody gives up. */
static int begin(void **state)
{
	char path[100], all[4096];
	const char *old = getenv("PATH");
	FILE *f;

	if (make_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/perf", folder);
	snprintf(data, sizeof(data), "%s/data", folder);
	snprintf(words, sizeof(words), "%s/words", folder);
	snprintf(all, sizeof(all), "%s:%s", folder, old ? old : "/bin:/usr/bin");
	f = fopen(path, "w");
	if (!f)
		return -1;
	fputs("#!/bin/sh\nexec sleep 300\n", f);
	fclose(f);
	stop_on_signals();
	return chmod(path, 0755) || setenv("PATH", all, 1);
}

/* A process that sends a signal to this one in a moment. */
static pid_t send_soon(void)
{
	pid_t to = getpid(), pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		usleep(300000);
		kill(to, SIGTERM);
		_exit(0);
	}
	return pid;
}

static void test_answer(void **state)
{
	const int cpu = 0;
	const struct perf_options o = {.event = "cpu-clock",
				       .cpus = &cpu,
				       .ncpus = 1,
				       .hz = 97,
				       .keeper_cpu = -1,
				       .data_path = data,
				       .stderr_path = words};
	struct diag d = {""};
	struct perf p;
	pid_t sender;

	stop_requested = 0;
	perf_init(&p);
	assert_int_equal(perf_launch(&p, &o, &d), 0);
	sender = send_soon();
	assert_int_equal(perf_await(&p, &d), -EINTR);
	assert_int_equal(stop_requested, SIGTERM);
	perf_release(&p);
	assert_int_equal(waitpid(sender, NULL, 0), sender);
}

static void test_end(void **state)
{
	const struct perf_options o = {.keeper_cpu = -1, .stderr_path = words};
	const char *const argv[] = {"perf", "script", NULL};
	pid_t sender;

	stop_requested = 0;
	sender = send_soon();
	assert_int_not_equal(perf_run(&o, argv, -1, -1), 0);
	assert_int_equal(stop_requested, SIGTERM);
	assert_int_equal(waitpid(sender, NULL, 0), sender);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_answer), cmocka_unit_test(test_end)};

	return cmocka_run_group_tests_name("perf_stop", tests, begin, remove_folder);
}
