// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * Measured on Linux 6.12: with less memory the kernel kills the command or perf before anybody can say why; with fewer
 * tasks it looks as if perf were missing. tests/vm/cgroup.sh holds the first of these. Variants that take turns need
 * more memory, and then say so.
 */
static const struct need {
	const char *command;
	long long bytes;
	int tasks; /* beside this process */
} needs[] = {{"record", 24 << 20, 4},
	     {"demo", 24 << 20, 4},
	     {"selftest", 24 << 20, 4},
	     {"ladder", 24 << 20, 4},
	     {NULL, 4 << 20, 2}};

static const struct need *need_of(const char *command)
{
	const struct need *n = needs;

	while (n->command && strcmp(n->command, command))
		n++;
	return n;
}

struct group {
	char dir[400];    /* below /, without the first slash: "sys/fs/cgroup/a/b" */
	size_t mount_len; /* of dir, where the groups begin: "sys/fs/cgroup" */
};

/* The mount of version 2, and the group that it shows at its top: proc(5), /proc/PID/mountinfo. */
static int find_mount(char *mount, char *top)
{
	char line[4096];
	FILE *f = facts_file(&facts_here, "proc/self/mountinfo");
	int err = -ENOENT;

	while (f && err && fgets(line, sizeof(line), f))
		if (strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %255s %255s", top, mount) == 2)
			err = 0;
	if (f)
		fclose(f);
	return err;
}

/* "0::/a/b" in /proc/self/cgroup: "/a/b" */
static int find_path(char *path, size_t size)
{
	char line[512];
	FILE *f = facts_file(&facts_here, "proc/self/cgroup");
	int err = -ENOENT;

	while (f && err && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::/", 4))
			continue;
		snprintf(path, size, "%s", line + 3);
		err = 0;
	}
	if (f)
		fclose(f);
	return err;
}

static int find_group(struct group *g)
{
	char mount[256], top[256], path[512];
	size_t above;
	int err = find_mount(mount, top) ?: find_path(path, sizeof(path));

	if (err)
		return err;
	above = strcmp(top, "/") ? strlen(top) : 0;
	if (strncmp(path, top, above) || (path[above] && path[above] != '/'))
		return -ENOENT; /* the mount shows other groups */
	g->mount_len = strlen(mount + 1);
	above += strcmp(path + above, "/") ? 0 : 1;
	return snprintf(g->dir, sizeof(g->dir), "%s%s", mount + 1, path + above) < (int)sizeof(g->dir) ? 0
												       : -ENAMETOOLONG;
}

/* The group that this one is in; false: it is the last one that can be seen. */
static bool climb(struct group *g)
{
	char *slash = strrchr(g->dir, '/');

	if (!slash || (size_t)(slash - g->dir) < g->mount_len)
		return false;
	*slash = '\0';
	return true;
}

static const char *cgroup_name_of(const struct group *g)
{
	return g->dir[g->mount_len] ? g->dir + g->mount_len : "/";
}

static int check_group(const struct group *g, const char *what, struct diag *d)
{
	const struct need *need = need_of(what);
	long long max, now;

	if (!facts_number(&facts_here, &max, "%s/memory.max", g->dir) && max < need->bytes)
		return diag_set(d, -EOPNOTSUPP,
				"%s needs %lld MB of memory, and the control group %s allows %lld MB (memory.max)",
				what, need->bytes >> 20, cgroup_name_of(g), max >> 20);
	if (!facts_number(&facts_here, &max, "%s/pids.max", g->dir) &&
	    !facts_number(&facts_here, &now, "%s/pids.current", g->dir) && max - now < need->tasks)
		return diag_set(
			d, -EOPNOTSUPP,
			"%s needs %d more processes and threads, and the control group %s allows %lld (pids.max)", what,
			need->tasks, cgroup_name_of(g), max > now ? max - now : 0);
	return 0;
}

int cgroup_check(const char *what, struct diag *d)
{
	struct group g;
	int err;

	if (find_group(&g))
		return 0;
	do
		err = check_group(&g, what, d);
	while (!err && climb(&g));
	return err;
}
