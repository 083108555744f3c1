// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <linux/capability.h>
#include <sys/un.h>

#define NAME     "@xdpzoom-watch"     /* abstract: it belongs to the network namespace, and has no file */
#define BESIDE   LOCK_DIR "/watch-%u" /* where a user has taken that name: in a folder of root's, for the namespace */
#define ANSWER_S 300                  /* for a dump that is due before this one, and for writing both */

static volatile sig_atomic_t asked;

static void on_signal(int signal)
{
	(void)signal;
	asked = 1;
}

/* "@" begins the name of an abstract socket. Returns its length; 0: it has no room. */
static socklen_t address(struct sockaddr_un *un, const char *name)
{
	size_t length = strlen(name);

	*un = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length < 2 || length >= sizeof(un->sun_path))
		return 0;
	memcpy(un->sun_path, name, length);
	if (*name == '@')
		un->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static void hang_up(int *fd)
{
	fd_close(*fd);
	*fd = -1;
}

void ask_release(struct ask *a)
{
	hang_up(&a->listen_fd);
	if (a->beside[0])
		unlink(a->beside);
	a->beside[0] = '\0';
	hang_up(&a->client_fd);
}

static bool is_trusted(int fd, struct ucred *who)
{
	socklen_t len = sizeof(*who);

	*who = (struct ucred){.uid = (uid_t)-1};
	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, who, &len) && (!who->uid || who->uid == geteuid());
}

/* The first line of /proc/PID/FILE that has this format; false: there is none. */
static bool proc_line(pid_t pid, const char *file, const char *format, char *text)
{
	char line[128];

	file_scan (line, "proc/%d/%s", (int)pid, file)
		if (sscanf(line, format, text) == 1)
			return true;
	return false;
}

/*
 * A path means to this process what it means to that one: they have the same mounts, or that one may enter these. A
 * user's number says neither: root of a container is 0, too.
 */
static bool shares_files(pid_t pid)
{
	char path[40], mine[128], theirs[128], capabilities[128];
	struct stat here, there;

	if (pid <= 0 || !proc_line(getpid(), "uid_map", "%127[^\n]", mine) ||
	    !proc_line(pid, "uid_map", "%127[^\n]", theirs) || strcmp(mine, theirs))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	if (!stat("/proc/self/ns/mnt", &here) && !stat(path, &there) && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino)
		return true;
	return proc_line(pid, "status", "CapEff: %127s", capabilities) &&
	       strtoull(capabilities, NULL, 16) >> CAP_SYS_ADMIN & 1;
}

/* Under that name; 0 or -errno. */
static int listen_at(struct ask *a, const char *name)
{
	struct sockaddr_un un;
	socklen_t len = address(&un, name);

	a->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->listen_fd >= 0 && !bind(a->listen_fd, (struct sockaddr *)&un, len) && !listen(a->listen_fd, 4))
		return 0;
	return -errno;
}

/* Connects to who listens under that name; false: nobody does, with errno. */
static bool is_heard(int fd, const char *name, struct ucred *who, bool *trusted)
{
	struct sockaddr_un un;
	socklen_t len = address(&un, name);
	bool heard = !connect(fd, (struct sockaddr *)&un, len);

	*trusted = heard && is_trusted(fd, who);
	return heard;
}

/* Nobody but root makes files there. What a watch has left that was killed is removed. */
static bool listen_beside(struct ask *a)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred who;
	bool trusted, heard;

	snprintf(a->beside, sizeof(a->beside), BESIDE, netns_inum());
	heard = fd < 0 || is_heard(fd, a->beside, &who, &trusted);
	hang_up(&fd);
	hang_up(&a->listen_fd);
	if (!heard && (!mkdir(LOCK_DIR, 0755) || errno == EEXIST)) {
		unlink(a->beside);
		if (!listen_at(a, a->beside) && !chmod(a->beside, 0600))
			return true;
	}
	a->beside[0] = '\0';
	hang_up(&a->listen_fd);
	return false;
}

int ask_listen(struct ask *a, struct diag *d)
{
	struct sigaction act = {.sa_handler = on_signal};
	int err;

	sigaction(SIGUSR2, &act, NULL);
	err = listen_at(a, NAME);
	if (!err)
		return 0;
	if (err == -EADDRINUSE) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		struct ucred who = {};
		bool trusted = false, known = fd >= 0 && is_heard(fd, NAME, &who, &trusted);

		hang_up(&fd);
		if (known && !trusted)
			return diag_set(
				d, -EADDRINUSE,
				"process %d of user %u has taken the name by which xdpzoom watch --dump finds a watch; "
				"this one, process %d, hears %s",
				(int)who.pid, who.uid, (int)getpid(),
				listen_beside(a) ? "root at another place" : "SIGUSR2 alone");
		return diag_set(d, -EADDRINUSE,
				"another watch answers xdpzoom watch --dump; this one, process %d, hears SIGUSR2 alone",
				(int)getpid());
	}
	return diag_set(d, err, "no socket for xdpzoom watch --dump: %s", strerror(-err));
}

/* One message: a number in a line, and words behind it. */
static bool receive(int fd, double *number, char *words, size_t size)
{
	char text[sizeof(((struct ask_request *)0)->dir) + 32];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);
	int at = 0;

	text[n > 0 ? n : 0] = '\0';
	if (n > 0 && (sscanf(text, "%lf\n%n", number, &at) != 1 || !at))
		errno = EBADMSG;
	else if (!n)
		errno = EPIPE;
	snprintf(words, size, "%s", text + at);
	return n > 0 && at;
}

bool ask_next(struct ask *a, double default_after_s, struct ask_request *r)
{
	struct timeval second = {.tv_sec = 1};
	struct ucred who;

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
	if (is_trusted(a->client_fd, &who) && shares_files(who.pid) &&
	    receive(a->client_fd, &r->after_s, r->dir, sizeof(r->dir)) && r->after_s >= 0 && r->after_s < 1e6)
		return true;
	hang_up(&a->client_fd);
	return false;
}

void ask_answer(struct ask *a, int err, const char *sentence)
{
	char text[600];

	snprintf(text, sizeof(text), "%d\n%s", err, sentence);
	send(a->client_fd, text, strlen(text), MSG_NOSIGNAL);
	hang_up(&a->client_fd);
}

int ask_dump(const struct ask_request *r, struct diag *d)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err = 0;
	struct timeval patience = {.tv_sec = (time_t)r->after_s + ANSWER_S};
	char text[sizeof(r->dir) + 32], beside[sizeof(((struct ask *)0)->beside)];
	double answer;
	struct ucred who;
	bool there, trusted;

	snprintf(text, sizeof(text), "%.3f\n%s", r->after_s, r->dir);
	snprintf(beside, sizeof(beside), BESIDE, netns_inum());
	if (fd < 0)
		return diag_set(d, -errno, "no socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)); /* others may wait before this one */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	there = is_heard(fd, NAME, &who, &trusted);
	if (there && !trusted && !access(beside, F_OK)) { /* the one that listens is not the watch */
		close(fd);
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		there = is_heard(fd, beside, &who, &trusted);
	}
	if (!there && errno != EAGAIN)
		err = diag_set(d, -ESRCH, "no watch runs here that could be asked");
	else if (there && !trusted)
		err = diag_set(d, -EPERM, "the process that listens as the watch is another user's; it is not asked");
	else if (there && send(fd, text, strlen(text), MSG_NOSIGNAL) >= 0 && receive(fd, &answer, text, sizeof(text)))
		err = diag_set(d, (int)answer, "%s", text);
	else if (errno == EAGAIN)
		err = diag_set(d, -ETIMEDOUT, "the watch has not answered for %lld s; is it stopped?",
			       (long long)patience.tv_sec);
	else
		err = diag_set(d, -errno,
			       errno == EBADMSG ? "the watch gave no answer that this version knows"
						: "the watch ended, or does not answer this user");
	close(fd);
	return err;
}

void ask_notify(const char *words)
{
	struct sockaddr_un to;
	socklen_t len = address(&to, getenv("NOTIFY_SOCKET") ?: "");
	int fd = len ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;

	if (fd >= 0)
		sendto(fd, words, strlen(words), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to, len);
	hang_up(&fd);
}
