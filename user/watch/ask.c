// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NAME     "xdpzoom-watch" /* abstract: it belongs to the network namespace, and has no file */
#define ANSWER_S 300             /* for a dump that is due before this one, and for writing both */

static volatile sig_atomic_t asked;

static void on_signal(int signal)
{
	(void)signal;
	asked = 1;
}

void ask_init(struct ask *a)
{
	a->listen_fd = a->client_fd = -1;
}

void ask_release(struct ask *a)
{
	if (a->listen_fd >= 0)
		close(a->listen_fd);
	if (a->client_fd >= 0)
		close(a->client_fd);
	ask_init(a);
}

static socklen_t address(struct sockaddr_un *un)
{
	*un = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(un->sun_path + 1, NAME, strlen(NAME));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(NAME));
}

static bool is_trusted(int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) && (!cred.uid || cred.uid == geteuid());
}

int ask_listen(struct ask *a, struct diag *d)
{
	struct sigaction act = {.sa_handler = on_signal};
	struct sockaddr_un un;
	socklen_t len = address(&un);

	sigaction(SIGUSR2, &act, NULL);
	a->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->listen_fd >= 0 && !bind(a->listen_fd, (struct sockaddr *)&un, len) && !listen(a->listen_fd, 4))
		return 0;
	if (errno == EADDRINUSE)
		return diag_set(d, -EADDRINUSE,
				"another watch answers xdpzoom watch dump; this one, process %d, hears SIGUSR2 alone",
				(int)getpid());
	return diag_set(d, -errno, "no socket for xdpzoom watch dump: %s", strerror(errno));
}

/* One message is one request: the time and the directory. */
static bool receive(struct ask *a, struct ask_request *r)
{
	char text[sizeof(r->dir) + 32];
	ssize_t n = recv(a->client_fd, text, sizeof(text) - 1, 0);
	int at = 0;

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (sscanf(text, "%lf\n%n", &r->after_s, &at) != 1 || !at || !(r->after_s >= 0 && r->after_s < 1e6))
		return false;
	snprintf(r->dir, sizeof(r->dir), "%s", text + at);
	return true;
}

bool ask_next(struct ask *a, double default_after_s, struct ask_request *r)
{
	struct timeval second = {.tv_sec = 1};

	*r = (struct ask_request){.after_s = default_after_s};
	if (asked) {
		asked = 0;
		return true;
	}
	if (a->listen_fd < 0 || a->client_fd >= 0)
		return false;
	a->client_fd = accept4(a->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (a->client_fd < 0)
		return false;
	setsockopt(a->client_fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	if (is_trusted(a->client_fd) && receive(a, r))
		return true;
	close(a->client_fd);
	a->client_fd = -1;
	return false;
}

void ask_answer(struct ask *a, int err, const char *sentence)
{
	char text[600];

	if (a->client_fd < 0)
		return;
	snprintf(text, sizeof(text), "%d\n%s", err, sentence);
	send(a->client_fd, text, strlen(text), MSG_NOSIGNAL);
	close(a->client_fd);
	a->client_fd = -1;
}

static time_t patience_s(const struct ask_request *r)
{
	return (time_t)r->after_s + ANSWER_S;
}

static int no_answer(const struct ask_request *r, struct diag *d)
{
	return diag_set(d, -ETIMEDOUT, "the watch has not answered for %lld s; is it stopped?",
			(long long)patience_s(r));
}

static int exchange(int fd, const struct ask_request *r, struct diag *d)
{
	char text[sizeof(r->dir) + 32];
	int at = 0, err = 0;
	ssize_t n;

	snprintf(text, sizeof(text), "%.3f\n%s", r->after_s, r->dir);
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return diag_set(d, -errno, "the watch does not listen: %s", strerror(errno));
	n = recv(fd, text, sizeof(text) - 1, 0);
	if (n < 0 && errno == EAGAIN)
		return no_answer(r, d);
	if (n <= 0)
		return diag_set(d, -EPIPE, "the watch ended, or does not answer this user");
	text[n] = '\0';
	if (sscanf(text, "%d\n%n", &err, &at) != 1)
		return diag_set(d, -EINVAL, "the watch gave no answer that this version knows");
	return diag_set(d, err, "%s", text + at);
}

int ask_dump(const struct ask_request *r, struct diag *d)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err;
	struct timeval patience = {.tv_sec = patience_s(r)};
	struct sockaddr_un un;
	socklen_t len = address(&un);

	if (fd < 0)
		return diag_set(d, -errno, "no socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)); /* others may wait before this one */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&un, len))
		err = errno == EAGAIN ? no_answer(r, d) : diag_set(d, -ESRCH, "no watch runs here that could be asked");
	else if (!is_trusted(fd))
		err = diag_set(d, -EPERM, "the process that listens as the watch is another user's; it is not asked");
	else
		err = exchange(fd, r, d);
	close(fd);
	return err;
}
