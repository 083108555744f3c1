// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/caller.h"
#include "base/new_file.h"

static int cannot_write(const struct new_file *nf, int err, struct diag *d)
{
	return diag_set(d, err, "cannot write %s: %s", nf->path, strerror(-err));
}

static void fd_path(char path[32], int fd)
{
	snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* A file without a name, which vanishes with this process; it gets its name through /proc. -1: not here. */
static int open_nameless(const struct new_file *nf, mode_t mode)
{
	char path[32];
	int fd = openat(nf->dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);

	if (fd < 0)
		return -1;
	fd_path(path, fd);
	if (!access(path, W_OK))
		return fd;
	close(fd);
	return -1;
}

static int open_tmp(struct new_file *nf, mode_t mode)
{
	char name[sizeof(nf->tmp)];
	int fd = open_nameless(nf, mode);

	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "%s.tmp-%d", nf->name, (int)getpid());
	fd = openat(nf->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd >= 0)
		strcpy(nf->tmp, name);
	return fd;
}

/* The new file gets mode and owner of the one that it replaces. A program must not become somebody's by setuid. */
static int keep_mode_and_owner(const struct new_file *nf, int fd)
{
	struct stat old;

	if (fstatat(nf->dir_fd, nf->name, &old, AT_SYMLINK_NOFOLLOW) || !S_ISREG(old.st_mode)) {
		caller_give(nf->dir_fd, fd);
		return 0;
	}
	if (!geteuid() && fchown(fd, old.st_uid, old.st_gid)) {
		/* root keeps it, where the file system has no owners */
	}
	return fchmod(fd, old.st_mode & 0777) ? -errno : 0;
}

static void let_go(struct new_file *nf)
{
	if (nf->tmp[0])
		unlinkat(nf->dir_fd, nf->tmp, 0);
	if (nf->own_dir)
		close(nf->dir_fd);
	nf->tmp[0] = nf->own_dir = 0;
	nf->stream = NULL;
}

static int begin(struct new_file *nf, mode_t mode, struct diag *d)
{
	int fd, err = 0;

	if (!faccessat(nf->dir_fd, nf->name, F_OK, 0) && faccessat(nf->dir_fd, nf->name, W_OK, AT_EACCESS))
		err = -errno;
	fd = err ? -1 : open_tmp(nf, mode);
	if (!err && fd < 0)
		err = -errno;
	if (!err)
		err = keep_mode_and_owner(nf, fd);
	if (!err && !(nf->stream = fdopen(fd, "w")))
		err = -errno;
	if (!err)
		return 0;
	if (fd >= 0)
		close(fd);
	let_go(nf);
	return cannot_write(nf, err, d);
}

int new_file_open_at(struct new_file *nf, int dir_fd, const char *name, mode_t mode, struct diag *d)
{
	*nf = (struct new_file){.dir_fd = dir_fd};
	snprintf(nf->path, sizeof(nf->path), "%s", name);
	if (!*name || strlen(name) >= sizeof(nf->name))
		return cannot_write(nf, *name ? -ENAMETOOLONG : -ENOENT, d);
	strcpy(nf->name, name);
	return begin(nf, mode, d);
}

int new_file_open(struct new_file *nf, const char *path, mode_t mode, struct diag *d)
{
	char real[PATH_MAX], folder[PATH_MAX];
	const char *slash;
	struct stat st;

	*nf = (struct new_file){.dir_fd = AT_FDCWD};
	snprintf(nf->path, sizeof(nf->path), "%s", path);
	if (!*path || strlen(path) >= sizeof(nf->path))
		return diag_set(d, *path ? -ENAMETOOLONG : -EINVAL, "the output's name is %s",
				*path ? "too long" : "empty");
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		nf->direct = 1;
		nf->stream = fopen(path, "we");
		return nf->stream ? 0 : cannot_write(nf, -errno, d);
	}
	if (!realpath(path, real))
		snprintf(real, sizeof(real), "%s", path);
	slash = strrchr(real, '/');
	if (strlen(slash ? slash + 1 : real) >= sizeof(nf->name))
		return cannot_write(nf, -ENAMETOOLONG, d);
	strcpy(nf->name, slash ? slash + 1 : real);
	if (!nf->name[0])
		return cannot_write(nf, -EISDIR, d);
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - real) + 1 : 1, slash ? real : ".");
	nf->dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (nf->dir_fd < 0)
		return cannot_write(nf, -errno, d);
	nf->own_dir = 1;
	return begin(nf, mode, d);
}

int new_file_spares(const char *path, const char *input, struct diag *d)
{
	struct stat a, b;

	if (!path || !input || stat(path, &a) || stat(input, &b) || !S_ISREG(a.st_mode) || a.st_dev != b.st_dev ||
	    a.st_ino != b.st_ino)
		return 0;
	return diag_set(d, -EINVAL, "--output %s is the file %s, which is read; name another file", path, input);
}

/* Gives a nameless file the temporary name, under which it can take the place of another one. */
static int name_it(struct new_file *nf)
{
	char path[32];

	if (nf->tmp[0])
		return 0;
	fd_path(path, fileno(nf->stream));
	snprintf(nf->tmp, sizeof(nf->tmp), "%s.tmp-%d", nf->name, (int)getpid());
	if (!linkat(AT_FDCWD, path, nf->dir_fd, nf->tmp, AT_SYMLINK_FOLLOW))
		return 0;
	nf->tmp[0] = 0;
	return -errno;
}

int new_file_close(struct new_file *nf, int err, struct diag *d)
{
	int failed = err;

	if (!nf->stream)
		return err;
	errno = 0;
	if (!failed && (fflush(nf->stream) || ferror(nf->stream)))
		failed = -(errno ? errno : EIO);
	if (!failed && fsync(fileno(nf->stream)) && errno != EINVAL) /* EINVAL: this file has nothing to sync */
		failed = -errno;
	if (!failed && !nf->direct)
		failed = name_it(nf);
	if (fclose(nf->stream) && !failed)
		failed = -errno;
	if (!failed && !nf->direct && renameat(nf->dir_fd, nf->tmp, nf->dir_fd, nf->name))
		failed = -errno;
	if (!failed)
		nf->tmp[0] = 0;
	let_go(nf);
	return failed ? cannot_write(nf, failed, d) : 0;
}
