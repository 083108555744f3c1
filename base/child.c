// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <sys/prctl.h>
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
