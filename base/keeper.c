// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <sys/prctl.h>
#include <sys/socket.h>

struct question {
	int what, detail;
};

/* A descriptor travels beside the words of a message. */
union passed {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static int keeper_answer(int channel, int result, int fd)
{
	struct iovec words = {&result, sizeof(result)};
	union passed with = {};
	struct msghdr m = {.msg_iov = &words, .msg_iovlen = 1};

	if (fd >= 0) {
		m.msg_control = &with;
		m.msg_controllen = sizeof(with);
		with.head = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&with.head), &fd, sizeof(fd));
	}
	return sendmsg(channel, &m, MSG_NOSIGNAL) == sizeof(result) ? 0 : -errno;
}

/* Ends as the child has ended. */
static void __attribute__((noreturn)) end(pid_t child, keeper_fn *serve, void *arg)
{
	int status = child_wait(child), fd = -1, result;

	result = serve(arg, KEEPER_END, WIFEXITED(status) ? WEXITSTATUS(status) : -1, &fd);
	if (WIFSIGNALED(status)) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* there is nothing to be seen in the memory of this process */
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	_exit(result);
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
		struct question q;
		ssize_t n;
		int fd, result;

		while ((n = read(pair[0], &q, sizeof(q))) == sizeof(q) || (n < 0 && errno == EINTR)) {
			if (n < 0)
				continue;
			fd = -1;
			result = q.what < 0 ? -EINVAL : serve(arg, q.what, q.detail, &fd);
			keeper_answer(pair[0], result, fd);
			if (fd >= 0)
				close(fd);
		}
		end(child, serve, arg);
	}
	*channel = pair[1];
	return 0;
}

int keeper_ask(int channel, int what, int detail, int *fd)
{
	struct question q = {what, detail};
	int result = -EPIPE;
	struct iovec words = {&result, sizeof(result)};
	union passed with = {};
	struct msghdr m = {.msg_iov = &words, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof(with)};
	struct cmsghdr *head;
	ssize_t n;

	if (write(channel, &q, sizeof(q)) != sizeof(q))
		return -EPIPE;
	do
		n = recvmsg(channel, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (fd)
		*fd = -1;
	head = n == sizeof(result) ? CMSG_FIRSTHDR(&m) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && fd)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return n == sizeof(result) ? result : -EPIPE;
}
