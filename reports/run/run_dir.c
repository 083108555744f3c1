// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#include <dirent.h>
#include <sys/file.h>

#define TMP_MARK ".tmp-"
#define STAMP    "00000000-000000-" /* each 0 a digit */

/* What recordings write into a run directory; anything else is somebody's own. */
static const char *const ours[] = {
	".",      "..",       "run.json", "blocks", RUN_CROSSING, TURNS_FILE, "run.json" RUN_NEW, TURNS_FILE RUN_NEW,
	RUN_PART, RUN_MOMENT, NULL};

/* The last part of a path. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int run_dir_refuse_others(int fd, const char *path, struct diag *d)
{
	int own = tree_open(fd, "."), err = 0;
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

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

/*
 * Refuses with -errno what --force must not replace. It may replace only a run directory or an empty directory, which
 * rd->old holds from now on.
 */
static int check_replaceable(struct run_dir *rd, struct diag *d)
{
	const char *name = name_in(rd->path);
	struct stat st, up;

	rd->old = tree_open(rd->parent, name);
	if (rd->old == -ENOTDIR || rd->old == -ELOOP)
		return diag_set(d, -ENOTDIR, "%s is a file, not a run directory; it is left alone", rd->path);
	if (rd->old < 0)
		return diag_set(d, rd->old, "%s: %s", rd->path, strerror(-rd->old));
	/* A directory that cannot be renamed, which would be found out after the measurement. */
	if (!strcmp(name, ".") || !strcmp(name, "..") || !*name)
		return diag_set(d, -EINVAL, "%s is not a name that a new directory can have", rd->path);
	if (!fstat(rd->old, &st) && !fstatat(rd->parent, "", &up, AT_EMPTY_PATH) && up.st_dev != st.st_dev)
		return diag_set(d, -EBUSY, "%s is a mount point; name a directory below it", rd->path);
	if (!faccessat(rd->old, "run.json", F_OK, 0))
		return run_dir_refuse_others(rd->old, rd->path, d);
	if (tree_empty(rd->old) > 0)
		return 0;
	return diag_set(d, -ENOTEMPTY, "%s has no run.json, so it is not a run directory; it is left alone", rd->path);
}

void run_dir_init(struct run_dir *rd)
{
	memset(rd, 0, sizeof(*rd));
	rd->parent = rd->fd = rd->old = -1;
}

static void close_handle(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void let_go(struct run_dir *rd)
{
	close_handle(&rd->fd);
	close_handle(&rd->old);
	close_handle(&rd->parent);
	rd->tmp[0] = rd->at[0] = '\0';
}

static int cannot_make(const char *path, int err, struct diag *d)
{
	if (err == -ENOSPC || err == -EDQUOT)
		return diag_set(d, err, "no space left for %s", path);
	return diag_set(d, err, "%s cannot be made: %s", path, strerror(-err));
}

/*
 * The number in "NAME.tmp-123"; 0: none. A NAME that begins with a date and a time, as that of a run which a command
 * has named itself, may have others there.
 */
static pid_t pid_in_name(const char *entry, const char *name)
{
	const char *behind[] = {name, entry};
	bool stamped[2];
	size_t len;
	char *end;
	long pid;

	for (int i = 0; i < 2; i++) {
		const char *form = STAMP;

		for (; *form && (*form == '0' ? isdigit((unsigned char)*behind[i]) : *behind[i] == *form); form++)
			behind[i]++;
		stamped[i] = !*form;
	}
	name = stamped[0] ? behind[0] : name;
	entry = stamped[0] ? behind[1] : entry;
	len = strlen(name);
	if (stamped[0] > stamped[1] || strncmp(entry, name, len) || strncmp(entry + len, TMP_MARK, strlen(TMP_MARK)))
		return 0;
	entry += len + strlen(TMP_MARK);
	pid = strtol(entry, &end, 10);
	return *entry >= '1' && *entry <= '9' && !*end && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* Also while it is lent: see run_dir_lend(). */
static bool is_ours(int fd)
{
	struct stat st;
	uid_t lent;
	gid_t gid;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode) &&
	       (st.st_uid == geteuid() || (jail_user(&lent, &gid) && st.st_uid == lent));
}

/*
 * The path by which this process and the tools that it starts reach the directory, whatever its name leads to by now.
 * Where /proc is missing, the name has to do.
 */
void run_dir_reach(struct run_dir *rd)
{
	struct stat mine, there;

	snprintf(rd->at, sizeof(rd->at), "/proc/%d/fd/%d", (int)getpid(), rd->fd);
	if (fstat(rd->fd, &mine) || stat(rd->at, &there) ||
	    !(mine.st_dev == there.st_dev && mine.st_ino == there.st_ino))
		strcpy(rd->at, rd->tmp);
}

/*
 * Makes the temporary directory and takes its handle. Until the end, only this user may write into it. Whoever owns
 * the parent can put another directory in its place meanwhile: one that was not made here just now is refused.
 */
static int make_tmp(struct run_dir *rd, struct diag *d)
{
	const char *name = name_in(rd->tmp);
	struct stat st;
	int empty = -1;

	if (mkdirat(rd->parent, name, 0777))
		return cannot_make(rd->tmp, -errno, d);
	rd->fd = tree_open(rd->parent, name);
	if (rd->fd >= 0 && !fstat(rd->fd, &st)) {
		rd->mode = st.st_mode & 07777;
		if (st.st_uid == geteuid() && !fchmod(rd->fd, rd->mode & ~077))
			empty = tree_empty(rd->fd);
	}
	if (empty <= 0) {
		close_handle(&rd->fd);
		unlinkat(rd->parent, name, AT_REMOVEDIR); /* does nothing to a directory with files */
		return diag_set(d, -EBUSY, "%s cannot be opened, or was replaced while it was made", rd->tmp);
	}
	if (flock(rd->fd, LOCK_EX | LOCK_NB)) {
		/* a file system without locks: nobody takes the directory of a living process for an orphan anyway */
	}
	run_dir_reach(rd);
	return mkdirat(rd->fd, "blocks", 0777) ? cannot_make(rd->tmp, -errno, d) : 0;
}

int run_dir_begin(struct run_dir *rd, const char *path, bool force, struct diag *d)
{
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
	/* All that follows is done below the handle of the directory that path is in. */
	const char *name = name_in(rd->path);
	size_t above = (size_t)(name - rd->path);
	snprintf(rd->tmp, sizeof(rd->tmp), "%.*s", above ? (int)above : 1, above ? rd->path : ".");
	rd->parent = open(rd->tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
	rd->tmp[0] = '\0';
	err = rd->parent < 0 ? cannot_make(rd->path, -errno, d) : 0;
	if (!err && !fstatat(rd->parent, name_in(rd->path), &st, AT_SYMLINK_NOFOLLOW))
		err = force ? check_replaceable(rd, d)
			    : diag_set(d, -EEXIST, "%s exists; choose another name or use --force", rd->path);
	if (!err) {
		/*
		 * Removes what killed recorders to the same path left behind, or to any path that the same command
		 * would have chosen. A directory that has its run.json holds whole blocks; it is kept under any name,
		 * and noted. If the parent cannot be read, that is no error.
		 */
		int list = tree_open(rd->parent, ".");
		DIR *dir = list < 0 ? NULL : fdopendir(list);
		struct dirent *entry;

		/*
		 * A running recorder holds a lock on its directory, also seen from another container; the kernel
		 * releases the lock when the recorder ends.
		 */
		while (dir && (entry = readdir(dir))) {
			pid_t pid = pid_in_name(entry->d_name, name);
			int fd = pid ? tree_open(rd->parent, entry->d_name) : -1,
			    blocks = fd < 0 ? -1 : tree_open(fd, "blocks");
			bool orphan = blocks >= 0 && is_ours(fd) && is_ours(blocks);

			close_handle(&blocks);
			if (!orphan || !kill(pid, 0) || errno != ESRCH || flock(fd, LOCK_EX | LOCK_NB))
				;
			else if (!faccessat(fd, "run.json", F_OK, 0))
				snprintf(rd->killed, sizeof(rd->killed), "%.*s%s", (int)(name - rd->path), rd->path,
					 entry->d_name);
			else if (!tree_remove(fd))
				unlinkat(rd->parent, entry->d_name, AT_REMOVEDIR);
			close_handle(&fd);
		}
		if (dir)
			closedir(dir);
		snprintf(rd->tmp, sizeof(rd->tmp), "%.*s" TMP_MARK "%d", (int)len, rd->path, (int)getpid());
		err = make_tmp(rd, d);
	}
	if (err)
		run_dir_abort(rd);
	return err;
}

/*
 * The run belongs to the caller of sudo, where the parent does. The directory itself goes last: its owner could put
 * files of others into it.
 */
static void hand_over(const struct run_dir *rd)
{
	uid_t uid = rd->uid;
	gid_t gid = rd->gid;
	bool give = caller_owns(rd->parent, &uid, &gid) || rd->lent;

	if (give && !tree_chown(rd->fd, uid, gid) && fchown(rd->fd, uid, gid)) {
		/* root keeps it */
	}
	if (fchmod(rd->fd, rd->mode)) {
		/* it stays readable for its owner */
	}
}

/* Keeps what was measured although it cannot get its name. Returns err, with a sentence that says where it is. */
static int keep_where_it_is(struct run_dir *rd, int err, const char *what, struct diag *d)
{
	char at[sizeof(rd->tmp)];

	strcpy(at, rd->tmp);
	let_go(rd);
	return diag_set(d, err, "%s %s: %s; the run is in %s", rd->path, what, strerror(-err), at);
}

int run_dir_lend(struct run_dir *rd, uid_t uid, gid_t gid, struct diag *d)
{
	struct stat st;
	int err = fstat(rd->fd, &st) ? -errno : tree_chown(rd->fd, uid, gid);

	if (!err && fchown(rd->fd, uid, gid))
		err = -errno;
	if (err)
		return cannot_make(rd->tmp, err, d);
	rd->uid = st.st_uid;
	rd->gid = st.st_gid;
	rd->lent = true;
	return 0;
}

int run_dir_leave(struct run_dir *rd, int err, struct diag *d)
{
	char text[sizeof(d->text)];

	strcpy(text, d->text);
	hand_over(rd);
	diag_replace(d, err, "%.*s; what was measured is in %s", (int)sizeof(text) / 2, text, rd->tmp);
	let_go(rd);
	return err;
}

/* Does the name in the parent lead to the directory of this handle? */
static bool is_named(const struct run_dir *rd, const char *name, int fd)
{
	struct stat there, mine;

	return fd >= 0 && !fstatat(rd->parent, name, &there, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &mine) &&
	       (there.st_dev == mine.st_dev && there.st_ino == mine.st_ino);
}

int run_dir_commit(struct run_dir *rd, struct diag *d)
{
	const char *name = name_in(rd->path);
	char aside[NAME_MAX + 1];
	struct diag why = {};
	bool moved = false;
	int err, fd;

	if (!rd->tmp[0])
		return diag_set(d, -EINVAL, "no run directory was begun");
	err = tree_sync(rd->fd);
	if (err)
		return keep_where_it_is(rd, err, "cannot be written to disk", d);
	if (!is_named(rd, name_in(rd->tmp), rd->fd)) {
		/* Somebody renamed the temporary directory. The kernel knows where it is now. */
		char now[256];
		ssize_t len = readlink(rd->at, now, sizeof(now) - 1);

		now[len > 0 ? len : 0] = '\0';
		let_go(rd);
		return diag_set(d, -ESTALE,
				"%s cannot be made: somebody renamed or replaced its directory; the run is in %s",
				rd->path, len > 0 ? now : "no directory by now");
	}
	snprintf(aside, sizeof(aside), "%.230s.old-%d", name, (int)getpid());
	if (is_named(rd, name, rd->old) && !renameat(rd->parent, name, rd->parent, aside))
		moved = true;
	/* Fails if the name exists by now, where the file system supports that. */
	err = renameat2(rd->parent, name_in(rd->tmp), rd->parent, name, RENAME_NOREPLACE) ? -errno : 0;
	if (err == -EINVAL || err == -ENOSYS)
		err = renameat(rd->parent, name_in(rd->tmp), rd->parent, name) ? -errno : 0;
	if (err) {
		if (moved)
			(void)!renameat(rd->parent, aside, rd->parent, name);
		return keep_where_it_is(rd, err, "cannot be made", d);
	}
	hand_over(rd);
	fd = tree_open(rd->parent, "."); /* makes the rename itself survive a power cut, where it can be opened */
	if (fd >= 0)
		fsync(fd);
	close_handle(&fd);
	/* What --force replaces goes only if it is the directory that was looked at when the recording began. */
	if (moved && is_named(rd, aside, rd->old) && !run_dir_refuse_others(rd->old, aside, &why) &&
	    !tree_remove(rd->old))
		unlinkat(rd->parent, aside, AT_REMOVEDIR);
	let_go(rd);
	return 0;
}

void run_dir_abort(struct run_dir *rd)
{
	if (rd->fd >= 0) {
		tree_remove(rd->fd);
		if (is_named(rd, name_in(rd->tmp), rd->fd))
			unlinkat(rd->parent, name_in(rd->tmp), AT_REMOVEDIR);
	}
	let_go(rd);
}

void run_dir_tell(const struct run_dir *rd, struct diag *d)
{
	char text[sizeof(d->text)];
	const char *at;

	if (!rd->at[0] || !strcmp(rd->at, rd->tmp))
		return;
	strcpy(text, d->text);
	at = strstr(text, rd->at);
	if (at)
		diag_replace(d, 0, "%.*s%s%s", (int)(at - text), text, rd->tmp, at + strlen(rd->at));
}
