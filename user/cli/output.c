// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void look_at_terminal(struct output *o)
{
	const char *no_color = getenv("NO_COLOR"); /* no-color.org: set and not empty */
	struct winsize size = {};

	o->terminal = isatty(STDOUT_FILENO);
	o->colour = o->terminal && !(no_color && no_color[0]);
	if (o->terminal) /* no layout is narrower than 80 columns */
		o->columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 80 ? 80 : size.ws_col;
}

static int cannot_write(const struct output *o, int err, struct diag *d)
{
	return diag_set(d, err, "cannot write %s: %s", o->path[0] ? o->path : "the output", strerror(-err));
}

/* Opens a temporary file beside the file that it will replace, with the same mode. */
static int open_beside(struct output *o, const struct stat *old, struct diag *d)
{
	int err;

	snprintf(o->tmp, sizeof(o->tmp), "%s.tmp-%d", o->path, (int)getpid());
	o->stream = fopen(o->tmp, "wxe");
	if (o->stream && (!old || !fchmod(fileno(o->stream), old->st_mode & 07777)))
		return 0;
	err = -errno;
	if (o->stream) {
		fclose(o->stream);
		unlink(o->tmp);
	}
	return cannot_write(o, err, d);
}

int output_open(struct output *o, const char *path, struct diag *d)
{
	char real[PATH_MAX];
	struct stat st;

	memset(o, 0, sizeof(*o));
	o->stream = stdout;
	if (!path) {
		look_at_terminal(o);
		return 0;
	}
	if (!*path || strlen(path) >= sizeof(o->path))
		return diag_set(d, *path ? -ENAMETOOLONG : -EINVAL, "the output's name is %s",
				*path ? "too long" : "empty");
	snprintf(o->path, sizeof(o->path), "%s", path);
	if (stat(path, &st))
		return open_beside(o, NULL, d);
	if (S_ISREG(st.st_mode)) { /* replaces the target of a symbolic link, not the link */
		if (access(path, W_OK))
			return cannot_write(o, -errno, d);
		if (realpath(path, real) && strlen(real) < sizeof(o->path))
			snprintf(o->path, sizeof(o->path), "%s", real);
		return open_beside(o, &st, d);
	}
	o->stream = fopen(path, "we");
	return o->stream ? 0 : cannot_write(o, -errno, d);
}

int output_close(struct output *o, int err, struct diag *d)
{
	int bad = ferror(o->stream);

	errno = 0;
	if ((fflush(o->stream) || bad) && !err)
		err = -(errno ? errno : EIO);
	if (o->path[0] && fclose(o->stream) && !err)
		err = -errno;
	if (err == -EPIPE)
		err = 0; /* the reader closed the pipe */
	if (o->tmp[0] && !err && rename(o->tmp, o->path))
		err = -errno;
	if (o->tmp[0] && err)
		unlink(o->tmp);
	return err ? cannot_write(o, err, d) : 0;
}
