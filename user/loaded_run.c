// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "user/loaded_run.h"

int loaded_run_open(struct loaded_run *l, const char *dir, const char *facilities,
		    const struct analysis_options *o, struct diag *d)
{
	int err;

	memset(l, 0, sizeof(*l));
	run_init(&l->run);
	snprintf(l->dir, sizeof(l->dir), "%s", dir);
	err = facilities_read(&l->facilities, facilities, d);
	if (!err)
		err = run_read(&l->run, dir, d);
	if (!err)
		err = analysis_build(&l->analysis, &l->run, l->dir, l->facilities, o, d);
	if (err)
		loaded_run_release(l);
	return err;
}

void loaded_run_release(struct loaded_run *l)
{
	analysis_release(&l->analysis);
	run_release(&l->run);
	facilities_free(l->facilities);
	l->facilities = NULL;
}

const char *loaded_run_split(const char *arg, char *dir, size_t size)
{
	const char *colon = strrchr(arg, ':');
	struct stat st;

	if (!colon || stat(arg, &st) == 0) {
		snprintf(dir, size, "%s", arg);
		return NULL;
	}
	snprintf(dir, size, "%.*s", (int)(colon - arg), arg);
	return colon + 1;
}
