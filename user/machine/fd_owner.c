// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <dirent.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/printable.h"

static bool has_line(const char *path, const char *wanted)
{
	FILE *f = fopen(path, "re");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strcmp(line, wanted);
	}
	if (f)
		fclose(f);
	return found;
}

void fd_owner_each(pid_t pid, bool (*take)(int fd, const char *link, void *arg), void *arg)
{
	char path[64], link[128];
	struct dirent *e;
	bool more = true;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	while (fds && more && (e = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), e->d_name, link, sizeof(link) - 1);

		if (n < 0)
			continue;
		link[n] = '\0';
		more = take((int)strtol(e->d_name, NULL, 10), link, arg);
	}
	if (fds)
		closedir(fds);
}

bool fd_owner_tap(int pidfd, int fd, char name[IFNAMSIZ], unsigned int *netns)
{
	int copy = pidfd_getfd(pidfd, fd, 0), space = copy >= 0 ? ioctl(copy, TUNGETDEVNETNS) : -1;
	struct ifreq tap = {};
	struct stat s;
	bool is = space >= 0 && !fstat(space, &s) && !ioctl(copy, TUNGETIFF, &tap);

	if (is) {
		snprintf(name, IFNAMSIZ, "%.15s", tap.ifr_name);
		*netns = (unsigned int)s.st_ino;
	}
	if (space >= 0)
		close(space);
	if (copy >= 0)
		close(copy);
	return is;
}

struct held {
	pid_t pid;
	const char *link, *line;
	bool found;
};

static bool is_held(int fd, const char *link, void *arg)
{
	struct held *h = arg;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", h->pid, fd);
	h->found = !strcmp(link, h->link) && (!h->line || has_line(path, h->line));
	return !h->found;
}

static bool is_own(pid_t pid)
{
	char path[64], line[40];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	snprintf(line, sizeof(line), "PPid:\t%d", getpid());
	return pid == getpid() || has_line(path, line);
}

/* A command is a name that any user may take. */
static void read_comm(struct fd_owner *owner)
{
	if (facts_line(&facts_here, owner->comm, sizeof(owner->comm), "proc/%d/comm", owner->pid))
		strcpy(owner->comm, "?");
	printable_in_place(owner->comm);
}

bool fd_owner_find(const char *link, const char *line, struct fd_owner *owner)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	*owner = (struct fd_owner){};
	while (proc && !owner->pid && (e = readdir(proc))) {
		struct held h = {(pid_t)strtol(e->d_name, NULL, 10), link, line, false};

		if (h.pid > 0)
			fd_owner_each(h.pid, is_held, &h);
		if (h.found)
			owner->pid = h.pid;
	}
	if (proc)
		closedir(proc);
	owner->own = owner->pid && is_own(owner->pid);
	if (owner->pid)
		read_comm(owner);
	return owner->pid > 0;
}
