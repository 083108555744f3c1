// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <linux/magic.h>
#include <sys/vfs.h>

bool caller_find(uid_t *uid, gid_t *gid)
{
	static const char *const names[] = {"SUDO_UID", "SUDO_GID"};
	double ids[2];

	for (int i = 0; i < 2; i++) {
		const char *text = getenv(names[i]);

		if (geteuid() || !text || number_parse(text, 1, 4294967294.0, &ids[i]))
			return false;
	}
	*uid = (uid_t)ids[0];
	*gid = (gid_t)ids[1];
	return true;
}

bool caller_owns(int parent_fd, uid_t *uid, gid_t *gid)
{
	struct stat st;

	return caller_find(uid, gid) && !fstatat(parent_fd, "", &st, AT_EMPTY_PATH) && st.st_uid == *uid;
}

void caller_give(int parent_fd, int fd)
{
	uid_t uid;
	gid_t gid;

	if (caller_owns(parent_fd, &uid, &gid) && fchown(fd, uid, gid)) {
		/* root keeps it */
	}
}

/* ---- files of other users ---- */

static foreign_below_fn *below; /* NULL: below a file there is nothing */

void foreign_file_below(foreign_below_fn *open)
{
	below = open;
}

int foreign_file_check(int fd, const char *path, long long max_bytes, struct diag *d)
{
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		err = diag_set(d, -errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err = diag_set(d, -EISDIR, "%s: %s", path, strerror(EISDIR));
	else if (!S_ISREG(st.st_mode))
		err = diag_set(d, -EINVAL, "%s is no regular file", path);
	else if (st.st_size > max_bytes)
		err = diag_set(d, -EFBIG, "%s has %lld bytes, which is more than any such file has", path,
			       (long long)st.st_size);
	if (err)
		close(fd);
	return err;
}

int foreign_file_open(FILE **file, int dir_fd, const char *path, bool inside, long long max_bytes, struct diag *d)
{
	/* O_NONBLOCK: to open a FIFO waits for its other end; it means nothing for files */
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (inside ? O_NOFOLLOW : 0);
	int fd = openat(dir_fd, path, flags), err;

	*file = NULL;
	if (fd < 0 && errno == ENOTDIR && dir_fd == AT_FDCWD && below)
		return below(file, path, d);
	if (fd < 0 && errno == ELOOP && inside)
		return diag_set(d, -ELOOP, "%s is a link, which may lead anywhere", path);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	err = foreign_file_check(fd, path, max_bytes, d);
	if (err)
		return err;
	*file = fdopen(fd, "r");
	if (*file)
		return 0;
	err = diag_set(d, -errno, "%s: %s", path, strerror(errno));
	close(fd);
	return err;
}

/* ---- new files ---- */

#define LINKS_MOST 40 /* as many as Linux follows */

/*
 * Could an untrusted user have put this file or link into its directory? Trusted are this user, root, and who
 * called root by sudo.
 */
static bool is_untrusted(const struct stat *dir, const struct stat *file)
{
	const uid_t owners[] = {file->st_uid, dir->st_uid};
	bool trusted[2];
	uid_t uid;
	gid_t gid;

	for (int i = 0; i < 2; i++)
		trusted[i] = !owners[i] || owners[i] == geteuid() || (caller_find(&uid, &gid) && owners[i] == uid);
	return !trusted[0] && (!trusted[1] || dir->st_mode & (S_IWGRP | S_IWOTH));
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

/*
 * Writes to a device, a FIFO or a socket itself. A regular file that took the place meanwhile is not written to.
 * nofollow: O_NOFOLLOW, or 0 for a name below /proc/PID/fd, which leads to an open file.
 */
static int open_direct(struct new_file *nf, int nofollow)
{
	int fd = openat(nf->dir_fd, nf->name, O_WRONLY | O_NOCTTY | O_CLOEXEC | nofollow);
	struct stat st;
	int err = fd < 0 ? -errno : 0;

	if (!err && (fstat(fd, &st) || S_ISREG(st.st_mode)))
		err = -ESTALE;
	if (!err && !(nf->stream = fdopen(fd, "w")))
		err = -errno;
	if (err && fd >= 0)
		close(fd);
	nf->direct = 1;
	return err;
}

/*
 * Follows links, one at a time, as long as only trusted users made them. The kernel does not look at the owner when a
 * link is read, and looks at it in directories with a sticky bit alone.
 */
static int find_place(struct new_file *nf, const char *path)
{
	struct stat st, dir, leads_to;
	int from = AT_FDCWD, err;
	char to[PATH_MAX], folder[PATH_MAX];
	struct statfs fs;
	ssize_t len;

	for (int links = 0; links <= LINKS_MOST; links++) {
		/* The directory of the path is opened, and the rest is the name in it. */
		const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
		int fd = -1;

		err = strlen(name) >= sizeof(nf->name) ? -ENAMETOOLONG : *name ? 0 : -EISDIR;
		snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
		if (!err && (fd = openat(from, folder, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
			err = -errno;
		if (from >= 0)
			close(from);
		if (err)
			return err;
		strcpy(nf->name, name);
		nf->dir_fd = fd;
		nf->own_dir = 1;
		if (fstatat(nf->dir_fd, nf->name, &st, AT_SYMLINK_NOFOLLOW))
			return errno == ENOENT ? 0 : -errno;
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (S_ISREG(st.st_mode) || fstatat(nf->dir_fd, "", &dir, AT_EMPTY_PATH) || is_untrusted(&dir, &st))
			return 0;
		if (!S_ISLNK(st.st_mode))
			return open_direct(nf, O_NOFOLLOW);
		if (!fstatfs(nf->dir_fd, &fs) && fs.f_type == PROC_SUPER_MAGIC &&
		    !fstatat(nf->dir_fd, nf->name, &leads_to, 0) && !S_ISREG(leads_to.st_mode))
			return open_direct(nf, 0);
		len = readlinkat(nf->dir_fd, nf->name, to, sizeof(to) - 1);
		if (len < 0)
			return -errno;
		to[len] = '\0';
		path = to;
		from = nf->dir_fd;
		nf->own_dir = 0;
	}
	close(from);
	return -ELOOP;
}

/*
 * The new file gets mode and owner of the one that it replaces. A program must not become somebody's by setuid, and an
 * untrusted user must not be able to write to what took the place of his file; but whoever owns the directory can do
 * that anyway.
 */
int new_file_open(struct new_file *nf, const char *path, mode_t mode, struct diag *d)
{
	struct stat old, dir;
	bool replaces;
	int fd = -1, err;

	*nf = (struct new_file){.dir_fd = AT_FDCWD};
	snprintf(nf->path, sizeof(nf->path), "%s", path);
	if (!*path || strlen(path) >= sizeof(nf->path))
		return diag_set(d, *path ? -ENAMETOOLONG : -EINVAL, "the output's name is %s",
				*path ? "too long" : "empty");
	err = find_place(nf, path);
	if (!err && nf->stream)
		return 0;
	replaces = !err && !fstatat(nf->dir_fd, nf->name, &old, AT_SYMLINK_NOFOLLOW);
	if (replaces && faccessat(nf->dir_fd, nf->name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW))
		err = -errno;
	if (!err) {
		snprintf(nf->tmp, sizeof(nf->tmp), "%s.tmp-%d", nf->name, (int)getpid());
		fd = openat(nf->dir_fd, nf->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		err = fd < 0 ? -errno : 0;
		if (err)
			nf->tmp[0] = 0; /* it is somebody else's, if it is there */
	}
	if (!err && (!replaces || !S_ISREG(old.st_mode) || fstatat(nf->dir_fd, "", &dir, AT_EMPTY_PATH) ||
		     (is_untrusted(&dir, &old) && old.st_uid != dir.st_uid))) {
		caller_give(nf->dir_fd, fd);
	} else if (!err) {
		if (!geteuid() && fchown(fd, old.st_uid, old.st_gid)) {
			/* root keeps it, where the file system has no owners */
		}
		err = fchmod(fd, old.st_mode & 0777) ? -errno : 0;
	}
	if (!err && !(nf->stream = fdopen(fd, "w")))
		err = -errno;
	if (!err)
		return 0;
	if (fd >= 0)
		close(fd);
	let_go(nf);
	return diag_set(d, err, "cannot write %s: %s", nf->path, strerror(-err));
}

int new_file_spares(const char *path, const char *input, struct diag *d)
{
	char file[PATH_MAX], *slash;
	struct stat a, b;

	if (!path || !input || stat(path, &a))
		return 0;
	/* The file that the input goes on below, as "runs.db/last" does, if it is no file itself. */
	snprintf(file, sizeof(file), "%s", input);
	while (stat(file, &b)) {
		slash = errno == ENOTDIR ? strrchr(file, '/') : NULL;
		if (!slash)
			return 0;
		*slash = '\0';
	}
	if (!S_ISREG(a.st_mode) || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return 0;
	return diag_set(d, -EINVAL, "--output %s is the file %s, which is read; name another file", path, input);
}

/* Closes the file, and gives it its name when all of it is on the disk. err: what went wrong before. */
static int put_in_place(struct new_file *nf, int err)
{
	if (!err && fsync(fileno(nf->stream)) && errno != EINVAL) /* EINVAL: this file has nothing to sync */
		err = -errno;
	if (fclose(nf->stream) && !err)
		err = -errno;
	if (!err && !nf->direct && renameat(nf->dir_fd, nf->tmp, nf->dir_fd, nf->name))
		err = -errno;
	if (!err)
		nf->tmp[0] = 0;
	let_go(nf);
	return err;
}

int new_file_close(struct new_file *nf, int err, struct diag *d)
{
	if (!nf->stream)
		return err;
	errno = 0;
	if (!err && (fflush(nf->stream) || ferror(nf->stream)))
		err = -(errno ? errno : EIO);
	if (nf->keeper > 0) {
		if (fclose(nf->stream) && !err)
			err = -errno;
		let_go(nf);
		err = err ?: keeper_ask(nf->keeper, nf->number);
	} else {
		err = put_in_place(nf, err);
	}
	return err ? diag_set(d, err, "cannot write %s: %s", nf->path, strerror(-err)) : 0;
}

struct new_files {
	struct new_file *const *files;
	size_t n;
};

/* In the keeper: the files have the numbers from 0 on. */
static int serve(void *arg, int what, int detail)
{
	const struct new_files *f = arg;

	if (what == KEEPER_END) {
		for (size_t i = 0; i < f->n; i++)
			let_go(f->files[i]);
		return detail;
	}
	if ((size_t)what >= f->n || !f->files[what]->stream)
		return -EINVAL;
	return put_in_place(f->files[what], 0);
}

int new_file_keep(struct new_file *const files[], size_t n, struct diag *d)
{
	struct new_files f = {files, n};
	int channel, err = keeper_begin(&channel, serve, &f, d);

	for (size_t i = 0; i < n && !err; i++) {
		files[i]->keeper = channel;
		files[i]->number = (int)i;
		files[i]->tmp[0] = 0; /* its keeper removes it */
	}
	return err;
}
