// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/run/turns.h"

#define TMP_MARK ".tmp-"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int sync_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	int fd, err = 0;

	(void)st, (void)ftw;
	if (type != FTW_F && type != FTW_DP)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fsync(fd) && errno != EINVAL) /* EINVAL: this file system has nothing to sync */
		err = -1;
	close(fd);
	return err;
}

/* Makes the rename itself survive a power cut. If the parent cannot be opened, that is no error. */
static void sync_parent(const char *path)
{
	char parent[4096];
	char *slash;
	int fd;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (!slash)
		strcpy(parent, ".");
	else
		slash[slash == parent] = '\0';
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* What recordings write into a run directory; anything else is somebody's own. */
static const char *const ours[] = {".", "..", "run.json", "blocks", RUN_CROSSING, TURNS_FILE, NULL};

static int refuse_others_files(const char *path, struct diag *d)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0;

	if (!dir)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir))) {
		int i = 0;

		while (ours[i] && strcmp(ours[i], entry->d_name))
			i++;
		if (!ours[i])
			err = diag_set(d, -ENOTEMPTY, "%s also holds %s, which no recording wrote; it is left alone",
				       path, entry->d_name);
	}
	closedir(dir);
	return err;
}

/* A directory that cannot be renamed, which would be found out after the measurement. */
static int refuse_immovable(const char *path, const struct stat *st, struct diag *d)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char above[4096 + 16];
	struct stat up;

	if (!strcmp(name, ".") || !strcmp(name, "..") || !*name)
		return diag_set(d, -EINVAL, "%s is not a name that a new directory can have", path);
	snprintf(above, sizeof(above), "%s/..", path);
	if (!stat(above, &up) && up.st_dev != st->st_dev)
		return diag_set(d, -EBUSY, "%s is a mount point; name a directory below it", path);
	return 0;
}

/* Refuses with -errno what --force must not replace. It may replace only a run directory or an empty directory. */
static int check_replaceable(const char *path, struct diag *d)
{
	char file[4096 + 16];
	struct stat st;
	int err;

	snprintf(file, sizeof(file), "%s/run.json", path);
	if (stat(path, &st))
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return diag_set(d, -ENOTDIR, "%s is a file, not a run directory; it is left alone", path);
	err = refuse_immovable(path, &st, d);
	if (err)
		return err;
	if (!access(file, F_OK))
		return refuse_others_files(path, d);
	if (!rmdir(path)) {
		if (!mkdir(path, st.st_mode & 07777))
			return 0;
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	}
	return diag_set(d, -ENOTEMPTY, "%s has no run.json, so it is not a run directory; it is left alone", path);
}

void run_dir_init(struct run_dir *rd)
{
	memset(rd, 0, sizeof(*rd));
	rd->lock = -1;
}

static void unlock(struct run_dir *rd)
{
	if (rd->lock >= 0)
		close(rd->lock);
	rd->lock = -1;
}

static int make_directory(const char *path, struct diag *d)
{
	int err;

	if (!mkdir(path, 0777))
		return 0;
	err = -errno;
	if (err == -ENOSPC || err == -EDQUOT)
		return diag_set(d, err, "no space left for %s", path);
	return diag_set(d, err, "%s cannot be made: %s", path, strerror(-err));
}

/*
 * A running recorder holds this lock, also seen from another container. The kernel releases the lock when the recorder
 * ends.
 */
static int lock_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The number in "NAME.tmp-123"; 0: the entry has another name. */
static pid_t pid_in_name(const char *entry, const char *name)
{
	size_t len = strlen(name);
	char *end;
	long pid;

	if (strncmp(entry, name, len) || strncmp(entry + len, TMP_MARK, strlen(TMP_MARK)))
		return 0;
	entry += len + strlen(TMP_MARK);
	pid = strtol(entry, &end, 10);
	return *entry >= '1' && *entry <= '9' && !*end && pid <= INT_MAX ? (pid_t)pid : 0;
}

static bool is_our_directory(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/*
 * Is path a directory that a process of this user began and did not finish before it ended? A directory that has its
 * run.json is a whole run and is kept under any name.
 */
static bool is_orphan(const char *path, pid_t pid, int *lock)
{
	char blocks[2 * 4096 + 16], json[2 * 4096 + 16];

	*lock = -1;
	snprintf(blocks, sizeof(blocks), "%s/blocks", path);
	snprintf(json, sizeof(json), "%s/run.json", path);
	if (!is_our_directory(path) || !is_our_directory(blocks) || !access(json, F_OK))
		return false;
	if (!kill(pid, 0) || errno != ESRCH)
		return false;
	*lock = lock_directory(path);
	return *lock >= 0;
}

/* Removes what killed recorders to the same path left behind. If the parent cannot be read, that is no error. */
static void remove_orphans(const char *path)
{
	char parent[4096], name[4096], one[2 * 4096];
	struct dirent *entry;
	DIR *dir;
	int lock;

	snprintf(parent, sizeof(parent), "%s", path);
	snprintf(name, sizeof(name), "%s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	parent[strlen(path) - strlen(name)] = '\0';
	dir = opendir(parent[0] ? parent : ".");
	while (dir && (entry = readdir(dir))) {
		pid_t pid = pid_in_name(entry->d_name, name);

		snprintf(one, sizeof(one), "%s%s", parent, entry->d_name);
		if (!pid || !is_orphan(one, pid, &lock))
			continue;
		remove_tree(one);
		close(lock);
	}
	if (dir)
		closedir(dir);
}

int run_dir_begin(struct run_dir *rd, const char *path, bool force, struct diag *d)
{
	char blocks[sizeof(rd->tmp) + 16];
	struct stat st;
	size_t len;
	int err;

	run_dir_init(rd);
	rd->force = force;
	for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		;
	if (!len || len > sizeof(rd->path) - 64)
		return diag_set(d, -EINVAL, "the directory's name is %s", len ? "too long" : "empty");
	memcpy(rd->path, path, len);
	if (!lstat(rd->path, &st)) {
		if (!force)
			return diag_set(d, -EEXIST, "%s exists; choose another name or use --force", rd->path);
		err = check_replaceable(rd->path, d);
		if (err)
			return err;
	}
	remove_orphans(rd->path);
	snprintf(rd->tmp, sizeof(rd->tmp), "%.*s" TMP_MARK "%d", (int)len, rd->path, (int)getpid());
	err = make_directory(rd->tmp, d);
	if (err) {
		rd->tmp[0] = '\0';
		return err;
	}
	rd->lock = lock_directory(rd->tmp);
	snprintf(blocks, sizeof(blocks), "%s/blocks", rd->tmp);
	err = make_directory(blocks, d);
	if (err)
		run_dir_abort(rd);
	return err;
}

/* Keeps what was measured although it cannot get its name. Returns err, with a sentence that says where it is. */
static int keep_where_it_is(struct run_dir *rd, int err, const char *what, struct diag *d)
{
	char at[sizeof(rd->tmp)];

	strcpy(at, rd->tmp);
	rd->tmp[0] = '\0';
	unlock(rd);
	return diag_set(d, err, "%s %s: %s; the run is in %s", rd->path, what, strerror(-err), at);
}

/* Like rename(), but fails if `to` exists by now, where the file system supports that. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return rename(from, to) ? -errno : 0;
}

int run_dir_commit(struct run_dir *rd, struct diag *d)
{
	char aside[sizeof(rd->path) + 32];
	bool moved = false;
	int err;

	if (!rd->tmp[0])
		return diag_set(d, -EINVAL, "no run directory was begun");
	if (nftw(rd->tmp, sync_one, 16, FTW_DEPTH | FTW_PHYS))
		return keep_where_it_is(rd, errno ? -errno : -EIO, "cannot be written to disk", d);
	snprintf(aside, sizeof(aside), "%s.old-%d", rd->path, (int)getpid());
	if (rd->force && !rename(rd->path, aside))
		moved = true;
	err = rename_new(rd->tmp, rd->path);
	if (err) {
		if (moved)
			(void)!rename(aside, rd->path);
		return keep_where_it_is(rd, err, "cannot be made", d);
	}
	rd->tmp[0] = '\0';
	unlock(rd);
	sync_parent(rd->path);
	if (moved)
		remove_tree(aside);
	return 0;
}

void run_dir_abort(struct run_dir *rd)
{
	if (rd->tmp[0])
		remove_tree(rd->tmp);
	rd->tmp[0] = '\0';
	unlock(rd);
}
