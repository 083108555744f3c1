// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/own_command.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/stop.h"
#include "user/machine/clock.h"

#define LOOK_NS 5000000

static void child_main(const char *command, const struct own_variable *environment, size_t n)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* Ctrl-C is for us; we end the command */
	for (size_t i = 0; i < n; i++)
		setenv(environment[i].name, environment[i].value, 1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* The first process of a PID namespace takes all others of it with it when it ends. */
static pid_t start(const char *command, const struct own_variable *environment, size_t n)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0)
		child_main(command, environment, n);
	return pid < 0 ? -errno : pid;
}

static int judge(const char *what, const char *command, int status, struct diag *d)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return diag_set(d, -ECHILD, "%s: \"%.200s\" ended with status %d", what, command, WEXITSTATUS(status));
	return diag_set(d, -ECHILD, "%s: \"%.200s\" was ended by signal %d", what, command, WTERMSIG(status));
}

int own_command_run(const struct own_command *c, const struct own_variable *environment, size_t n, struct diag *d)
{
	uint64_t give_up = now_ns() + (uint64_t)(c->patience_s * 1e9);
	pid_t pid = start(c->command, environment, n);
	int status = 0, err = 0;

	if (pid < 0)
		return diag_set(d, pid, "%s: cannot start \"%.200s\": %s", c->what, c->command, strerror(-pid));
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (stop_requested && c->until_stopped)
			err = diag_set(d, -EINTR, "stopped by a signal");
		else if (now_ns() > give_up)
			err = diag_set(d, -ETIMEDOUT,
				       "%s: \"%.200s\" did not end within %g s, and was ended (--setup-time)", c->what,
				       c->command, c->patience_s);
		if (err) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return err;
		}
		sleep_until_ns(now_ns() + LOOK_NS);
	}
	return judge(c->what, c->command, status, d);
}
