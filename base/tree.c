// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <dirent.h>

/* What is done to each entry, after what is below it. */
struct visit {
	enum { VISIT_START, VISIT_SYNC, VISIT_REMOVE, VISIT_CHOWN } what;
	uid_t uid;
	gid_t gid;
};

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

int tree_open(int parent_fd, const char *name)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A handle that reads from the beginning, whoever has read from fd. */
static DIR *list(int fd)
{
	int own = tree_open(fd, ".");
	DIR *dir = own < 0 ? NULL : fdopendir(own);

	if (own >= 0 && !dir)
		close(own);
	return dir;
}

static int walk(int fd, const struct visit *v, int depth)
{
	struct dirent *e;
	struct stat st;
	int err = 0;
	DIR *dir;

	if (depth <= 0)
		return -ELOOP;
	dir = list(fd);
	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		int one = 0, entry = -1;

		if (is_dots(e->d_name))
			continue;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) {
			err = err ?: errno == ENOENT ? 0 : -errno;
			continue;
		}
		bool is_dir = S_ISDIR(st.st_mode);
		if (is_dir || S_ISREG(st.st_mode))
			entry = openat(fd, e->d_name,
				       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_dir ? O_DIRECTORY : 0));
		if (is_dir)
			one = entry < 0 ? -errno : walk(entry, v, depth - 1);
		if (!one && v->what == VISIT_REMOVE)
			one = unlinkat(fd, e->d_name, is_dir ? AT_REMOVEDIR : 0) && errno != ENOENT ? -errno : 0;
		else if (!one && entry >= 0 && v->what == VISIT_CHOWN)
			one = fchown(entry, v->uid, v->gid) ? -errno : 0;
		else if (!one && entry >= 0 && v->what == VISIT_SYNC)
			one = fsync(entry) && errno != EINVAL ? -errno : 0; /* EINVAL: there is nothing to sync */
		else if (entry >= 0 && !is_dir && v->what == VISIT_START)
			sync_file_range(entry, 0, 0, SYNC_FILE_RANGE_WRITE); /* if this fails, fsync() writes all */
		if (entry >= 0)
			close(entry);
		err = err ?: one;
	}
	closedir(dir);
	return err;
}

/*
 * The writing of all files is begun before the first one is waited for. Else each fsync() gives a file its blocks and
 * ends a transaction of the file system's journal, and 384 files of 30 KB took 3 to 8 s instead of 0.2 to 2.
 */
int tree_sync(int fd)
{
	const struct visit start = {VISIT_START}, v = {VISIT_SYNC};

	int err = walk(fd, &start, TREE_DEPTH) ?: walk(fd, &v, TREE_DEPTH);

	if (!err && fsync(fd) && errno != EINVAL)
		err = -errno;
	return err;
}

int tree_remove(int fd)
{
	return walk(fd, &(struct visit){VISIT_REMOVE}, TREE_DEPTH);
}

int tree_discard(const char *path)
{
	int fd = tree_open(AT_FDCWD, path), err;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	err = tree_remove(fd);
	close(fd);
	return err ?: rmdir(path) ? -errno : 0;
}

int tree_chown(int fd, uid_t uid, gid_t gid)
{
	return walk(fd, &(struct visit){VISIT_CHOWN, uid, gid}, TREE_DEPTH);
}

int tree_empty(int fd)
{
	struct dirent *e;
	DIR *dir = list(fd);
	int empty = 1;

	if (!dir)
		return -errno;
	while (empty && (e = readdir(dir)))
		empty = is_dots(e->d_name);
	closedir(dir);
	return empty;
}
