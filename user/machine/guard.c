// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "base/child.h"

void guard_init(struct guard *g)
{
	*g = (struct guard){.fd = -1};
}

/* A copy of the parent's end would keep the pipe open, and copies of other files what waits for their end. */
static void close_all_but(unsigned int a, unsigned int b)
{
	unsigned int low = a < b ? a : b, high = a < b ? b : a;

	if (low)
		close_range(0, low - 1, 0);
	if (low + 1 < high)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

static void wait_for_end(int fd)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
}

int guard_start(struct guard *g, void (*undo)(const void *arg, int keep_fd), const void *arg, int keep_fd)
{
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	g->pid = fork();
	err = g->pid < 0 ? -errno : 0;
	if (g->pid == 0) {
		close_all_but((unsigned int)(keep_fd < 0 ? ends[0] : keep_fd), (unsigned int)ends[0]);
		wait_for_end(ends[0]);
		undo(arg, keep_fd);
		_exit(0);
	}
	close(ends[0]);
	if (err) {
		close(ends[1]);
		guard_init(g);
		return err;
	}
	g->fd = ends[1];
	return 0;
}

void guard_close(struct guard *g)
{
	if (g->fd >= 0)
		close(g->fd);
	if (g->pid > 0)
		child_wait(g->pid);
	guard_init(g);
}
