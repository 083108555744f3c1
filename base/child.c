// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

pid_t child_fork(int orphaned)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, orphaned);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
	}
	return pid;
}

int child_wait(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	return child_wait(pid);
}

int keeper_begin(int *channel, keeper_fn *serve, void *arg, struct diag *d)
{
	pid_t child;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return diag_set(d, -errno, "cannot start a process: %s", strerror(errno));
	child = child_fork(SIGKILL);
	if (child < 0) {
		close(pair[0]);
		close(pair[1]);
		return diag_set(d, -errno, "cannot start a process: %s", strerror(errno));
	}
	close(pair[child ? 1 : 0]);
	if (child) {
		int what, result, status;
		ssize_t n;

		while ((n = read(pair[0], &what, sizeof(what))) == sizeof(what) || (n < 0 && errno == EINTR)) {
			if (n < 0)
				continue;
			result = what < 0 ? -EINVAL : serve(arg, what, 0);
			send(pair[0], &result, sizeof(result), MSG_NOSIGNAL);
		}
		/* Ends as the child has ended. */
		status = child_wait(child);
		result = serve(arg, KEEPER_END, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
		if (WIFSIGNALED(status)) {
			prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* nothing is to be seen in this process's memory */
			signal(WTERMSIG(status), SIG_DFL);
			raise(WTERMSIG(status));
		}
		_exit(result);
	}
	*channel = pair[1];
	return 0;
}

int keeper_ask(int channel, int what)
{
	int result;
	ssize_t n;

	if (write(channel, &what, sizeof(what)) != sizeof(what))
		return -EPIPE;
	do
		n = read(channel, &result, sizeof(result));
	while (n < 0 && errno == EINTR);
	return n == sizeof(result) ? result : -EPIPE;
}
