// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/new_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RUNS_DIR "runs"

/* Two runs within a second would get the same name. */
int new_run_choose(struct new_run *n, const char *what, const char **out_dir, struct diag *d)
{
	time_t now = time(NULL);
	char at[32];
	struct tm tm;

	*n = (struct new_run){};
	if (*out_dir)
		return 0;
	n->made_folder = !mkdir(RUNS_DIR, 0755);
	if (!n->made_folder && errno != EEXIST)
		return diag_set(d, -errno, "cannot make the folder " RUNS_DIR " here: %s; name another one with -o DIR",
				strerror(errno));
	localtime_r(&now, &tm);
	strftime(at, sizeof(at), "%Y%m%d-%H%M%S", &tm);
	snprintf(n->dir, sizeof(n->dir), RUNS_DIR "/%s-%.32s", at, what);
	*out_dir = n->dir;
	return 0;
}

void new_run_end(const struct new_run *n, bool kept)
{
	if (n->made_folder && !kept)
		rmdir(RUNS_DIR);
}
