// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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

int output_open(struct output *o, const char *path, const char *format, struct diag *d)
{
	const char *no_color = getenv("NO_COLOR"); /* no-color.org: set and not empty */

	*o = (struct output){.stream = stdout, .path = path, .json = !strcmp(format, "json")};
	if (!o->json && strcmp(format, "text"))
		return diag_set(d, -EINVAL, "--format %s: text or json", format);
	if (path)
		o->stream = fopen(path, "w");
	if (!o->stream)
		return diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	o->colour = !path && isatty(STDOUT_FILENO) && !(no_color && no_color[0]);
	return 0;
}

int output_close(struct output *o, struct diag *d)
{
	int bad = ferror(o->stream), err = 0;

	if (fflush(o->stream) || bad)
		err = errno == EPIPE ? 0 : -(errno ? errno : EIO);
	if (o->path && fclose(o->stream) && !err)
		err = -errno;
	if (err)
		diag_set(d, err, "cannot write %s: %s", o->path ? o->path : "the output", strerror(-err));
	return err;
}
