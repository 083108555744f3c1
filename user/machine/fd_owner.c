// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/fd_owner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/printable.h"
#include "user/machine/facts.h"

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

static bool fd_owner_holds(pid_t pid, const char *link, const char *line)
{
	char path[64], text[128];
	struct dirent *e;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	while (fds && !found && (e = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), e->d_name, text, sizeof(text) - 1);

		if (n < 0)
			continue;
		text[n] = '\0';
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, e->d_name);
		found = !strcmp(text, link) && (!line || has_line(path, line));
	}
	if (fds)
		closedir(fds);
	return found;
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
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > 0 && fd_owner_holds(pid, link, line))
			owner->pid = pid;
	}
	if (proc)
		closedir(proc);
	owner->own = owner->pid && is_own(owner->pid);
	if (owner->pid)
		read_comm(owner);
	return owner->pid > 0;
}
