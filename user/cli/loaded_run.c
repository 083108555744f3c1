// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "user/cli/loaded_run.h"

int loaded_run_open(struct loaded_run *l, const char *dir, const char *facilities, const struct analysis_options *o,
		    struct diag *d)
{
	int err;

	memset(l, 0, sizeof(*l));
	run_init(&l->run);
	if (!*dir)
		return diag_set(d, -EINVAL, "the run directory's name is empty");
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

int loaded_run_open_crossing(struct loaded_run *crossing, const struct loaded_run *l, const char *facilities,
			     const struct analysis_options *o, struct diag *d)
{
	char dir[sizeof(l->dir) + sizeof(RUN_CROSSING)];

	memset(crossing, 0, sizeof(*crossing));
	snprintf(dir, sizeof(dir), "%s/" RUN_CROSSING, l->dir);
	if (access(dir, F_OK))
		return -ENOENT;
	return loaded_run_open(crossing, dir, facilities, o, d);
}

void loaded_run_release(struct loaded_run *l)
{
	analysis_release(&l->analysis);
	run_release(&l->run);
	facilities_free(l->facilities);
	l->facilities = NULL;
}

/* Returns the colon before the variant. A variant can contain colons too: "redirect-cpu:1/no-touch@native". */
static const char *find_colon(const char *arg)
{
	struct run_variant v;
	const char *colon;

	if (!run_variant_parse(&v, arg, NULL))
		return NULL; /* a variant alone */
	for (colon = strchr(arg, ':'); colon; colon = strchr(colon + 1, ':'))
		if (!run_variant_parse(&v, colon + 1, NULL))
			return colon;
	return strrchr(arg, ':'); /* no valid variant follows; the caller will report that */
}

const char *loaded_run_split(const char *arg, char *dir, size_t size)
{
	struct stat st;
	const char *colon = stat(arg, &st) == 0 ? NULL : find_colon(arg);

	if (!colon) {
		snprintf(dir, size, "%s", arg);
		return NULL;
	}
	snprintf(dir, size, "%.*s", (int)(colon - arg), arg);
	return colon + 1;
}
