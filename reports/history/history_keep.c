// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a history, opened and removed by a keeper for SQLite in a jailed process. */
#include <libgen.h>
#include "reports/history/history.h"

static const char *const behind[] = {"", "-journal", "-wal", "-shm"};
#define FILES (sizeof(behind) / sizeof(*behind))

/* SQLite's own functions get no argument that leads here. */
static struct {
	int channel;     /* > 0: the files are kept */
	int made;        /* in the keeper: of the history that it made; 0: it made none */
	bool read_alone; /* the keeper may not write to them */
	const char *path;
	char full[4096]; /* the path as SQLite names it */
} kept;

static bool may_write_beside(const char *path)
{
	char copy[sizeof(((struct history *)0)->path)];

	snprintf(copy, sizeof(copy), "%s", path);
	return !access(dirname(copy), W_OK);
}

bool history_keep_read_alone(const char *path)
{
	if (kept.channel > 0 && !strcmp(path, kept.path))
		return kept.read_alone;
	return !access(path, R_OK) && (access(path, W_OK) || !may_write_beside(path));
}

int history_keep_make(const char *path, int *made, struct diag *d)
{
	int answer;

	if (kept.channel <= 0)
		return history_guard_make(path, made, d);
	answer = keeper_ask(kept.channel, HISTORY_KEEP_MAKES, 0, NULL);
	*made = answer > 0 ? 0 : -1;
	return answer < 0 ? diag_set(d, answer, "%s cannot be made: %s", path, strerror(-answer)) : 0;
}

void history_keep_unmake(const char *path, int made)
{
	if (kept.channel <= 0)
		history_guard_unmake(path, made);
	else
		keeper_ask(kept.channel, HISTORY_KEEP_UNMAKES, 0, NULL);
}

/* Makes a file beside the history, with the owner and the rights of the history. */
static int make_beside(const char *path, int flags)
{
	struct stat st;
	int fd;

	if (stat(kept.full, &st))
		return -1;
	fd = open(path, flags | O_CREAT | O_EXCL, 0600);
	if (fd >= 0 && !geteuid() && fchown(fd, st.st_uid, st.st_gid)) {
		/* root keeps it, where the file system has no owners */
	}
	if (fd >= 0 && fchmod(fd, st.st_mode & 0666)) {
		/* its owner alone reads it */
	}
	return fd;
}

static int open_one(size_t which, int wanted)
{
	const int flags = (wanted & O_ACCMODE) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	char path[sizeof(kept.full) + 16];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s%s", kept.full, behind[which]);
	do { /* another process may make it, or remove it, between the two */
		fd = open(path, flags);
		if (fd < 0 && errno == ENOENT && which && wanted & O_CREAT)
			fd = make_beside(path, flags);
	} while (fd < 0 && errno == EEXIST);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = EACCES;
	}
	return -errno;
}

int history_keep_serve(int what, int detail, int *fd)
{
	if (what == HISTORY_KEEP_MAKES) {
		/* 1: it is made; 0: it was there. */
		int made, err = history_guard_make(kept.path, &made, NULL);

		if (err || made < 0)
			return err;
		kept.made = made;
		return 1;
	}
	if (what == HISTORY_KEEP_UNMAKES) {
		/* Only what this process has made. */
		if (!kept.made)
			return -EACCES;
		history_guard_unmake(kept.path, kept.made);
		kept.made = 0;
		return 0;
	}
	if (what >= HISTORY_KEEP_OPENS && what < HISTORY_KEEP_OPENS + (int)FILES) {
		*fd = open_one((size_t)(what - HISTORY_KEEP_OPENS), detail);
		return *fd < 0 ? *fd : 0;
	}
	if (what > HISTORY_KEEP_REMOVES && what < HISTORY_KEEP_REMOVES + (int)FILES) {
		char path[sizeof(kept.full) + 16];

		snprintf(path, sizeof(path), "%s%s", kept.full, behind[what - HISTORY_KEEP_REMOVES]);
		return unlink(path) ? -errno : 0;
	}
	return -EINVAL;
}

/* Which of the files has this name; -1: none. */
static int which_file(const char *path)
{
	size_t len = strlen(kept.full);

	for (size_t i = 0; !strncmp(path, kept.full, len) && i < FILES; i++)
		if (!strcmp(path + len, behind[i]))
			return (int)i;
	return -1;
}

static int open_kept(const char *path, int flags, int mode)
{
	int which = which_file(path), fd = -1, err;

	if (which < 0)
		return open(path, flags, mode);
	err = keeper_ask(kept.channel, HISTORY_KEEP_OPENS + which, flags, &fd);
	errno = -err;
	return fd;
}

static int remove_kept(const char *path)
{
	int which = which_file(path),
	    err = which > 0 ? keeper_ask(kept.channel, HISTORY_KEEP_REMOVES + which, 0, NULL) : -EACCES;

	errno = -err;
	return err ? -1 : 0;
}

int history_keep_files(const char *path, struct diag *d)
{
	sqlite3_vfs *vfs = sqlite3_initialize() ? NULL : sqlite3_vfs_find(NULL);

	kept.path = path;
	kept.read_alone = history_keep_read_alone(path);
	if (!vfs || !vfs->xSetSystemCall || vfs->xFullPathname(vfs, path, sizeof(kept.full), kept.full))
		return diag_set(d, -EIO, "%s: SQLite cannot find it", path);
	return 0;
}

void history_keep_use(int channel)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

	kept.channel = channel;
	vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_kept);
	vfs->xSetSystemCall(vfs, "unlink", (sqlite3_syscall_ptr)remove_kept);
}
