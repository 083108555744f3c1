// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/sheet/sheet.h"
#include "reports/run/run.h"

static bool stands_in(const char *dir, const char *name)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

/* Cuts the last part off a path, and returns it. */
static const char *cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return "";
	*slash = '\0';
	return slash + 1;
}

int output_check(const char *path, struct diag *d)
{
	char dir[PATH_MAX];
	const char *name;
	bool in_run;

	if (!path || !realpath(path, dir))
		return 0;
	name = cut_last(dir);
	in_run = !strcmp(name, "run.json") || !strcmp(name, TURNS_FILE) || !strcmp(name, RUN_PART);
	if (in_run)
		in_run = stands_in(dir, "blocks");
	else
		in_run = !strcmp(cut_last(dir), "blocks");
	if (!in_run || !stands_in(dir, "run.json"))
		return 0;
	return diag_set(d, -EINVAL, "--output %s is a part of a recorded run, which would be lost; name another file",
			path);
}

int output_open(struct output *o, const char *path, struct diag *d)
{
	int err;

	memset(o, 0, sizeof(*o));
	o->stream = stdout;
	if (!path) {
		const char *no_color = getenv("NO_COLOR"); /* no-color.org: set and not empty */
		struct winsize size = {};

		o->terminal = isatty(STDOUT_FILENO);
		o->colour = o->terminal && !(no_color && no_color[0]);
		if (o->terminal && (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col))
			o->columns = TEXT_COLUMNS;
		else if (o->terminal)
			o->columns = size.ws_col < TEXT_LEAST ? TEXT_LEAST : size.ws_col;
		return 0;
	}
	err = new_file_open(&o->file, path, 0666, d);
	o->stream = o->file.stream;
	return err;
}

int output_close(struct output *o, int err, struct diag *d)
{
	if ((!err || err == -EIO) && ferror(o->stream)) {
		/*
		 * The errno of an earlier failed write is lost. One more byte gets it again: a full disk is still full.
		 */
		errno = 0;
		err = write(fileno(o->stream), "\n", 1) < 0 && errno ? -errno : -EIO;
	}
	errno = 0;
	if (!err && fflush(o->stream))
		err = -(errno ? errno : EIO);
	if (err == -EPIPE)
		err = 0; /* the reader closed the pipe */
	if (o->stream == stdout)
		return err ? diag_set(d, err, "cannot write the output: %s", strerror(-err)) : 0;
	if (err)
		diag_set(d, err, "cannot write %s: %s", o->file.path, strerror(-err));
	return new_file_close(&o->file, err, d);
}
