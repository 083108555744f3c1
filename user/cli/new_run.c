// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RUNS_DIR  "runs"
#define IN_SECOND 1000 /* names that one second has */

/* The first name of this second that nobody has; reserve: made as an empty directory, so that nobody else gets it. */
static int find_name(struct new_run *n, const char *what, bool reserve)
{
	time_t now = time(NULL);
	char at[32];
	struct stat st;
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(at, sizeof(at), "%Y%m%d-%H%M%S", &tm);
	for (int i = 1; i <= IN_SECOND; i++) {
		snprintf(n->dir, sizeof(n->dir), RUNS_DIR "/%s-%.32s", at, what);
		if (i > 1)
			snprintf(n->dir, sizeof(n->dir), RUNS_DIR "/%s-%.32s-%d", at, what, i);
		if (reserve ? !mkdir(n->dir, 0755) : lstat(n->dir, &st) && errno == ENOENT)
			return 0;
		if (reserve && errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int new_run_choose(struct new_run *n, const char *what, const char **out_dir, struct diag *d)
{
	int err;

	*n = (struct new_run){.reserves = n->reserves, .reserved = n->reserves && !*out_dir};
	if (*out_dir)
		return 0;
	n->made_folder = !mkdir(RUNS_DIR, 0755);
	err = n->made_folder || errno == EEXIST ? find_name(n, what, n->reserved) : -errno;
	if (err)
		return diag_set(d, err, "cannot make a run in the folder " RUNS_DIR " here: %s; name one with -o DIR",
				strerror(-err));
	*out_dir = n->dir;
	return 0;
}

void new_run_end(const struct new_run *n, bool kept)
{
	if (n->reserved && !kept)
		rmdir(n->dir);
	if (n->made_folder && !kept)
		rmdir(RUNS_DIR);
}
