// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guards against files of strangers. SQLite trusts the files beside a database: a journal may name another file, which
 * SQLite deletes after it has played the journal back, and a view may give other rows each time it is read.
 */
#include <libgen.h>
#include "reports/history/history.h"

#define READER        "xdpzoom-reader"
#define WRITER        "xdpzoom-writer"
#define LENGTH_MAX    (64 << 20) /* of one text of the file */
#define RESERVED_BYTE 0x40000001 /* sqlite.org/fileformat.html, 1.3: "the lock-byte page"; os_unix.c has its bytes */
#define STEPS_FIRST   10000000LL /* of SQLite's machine, for a file of any size */
#define STEPS_EACH    1000000

/*
 * Opens a file for SQLite. A history has no journal but while it is created, so a reader plays none back, and nobody
 * opens a journal that goes with other databases: SQLite would delete it.
 */
static int open_guarded(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	bool plays_back =
		(flags & SQLITE_OPEN_MAIN_JOURNAL) && (flags & SQLITE_OPEN_READWRITE) && !(flags & SQLITE_OPEN_CREATE);

	if ((flags & SQLITE_OPEN_SUPER_JOURNAL) || (plays_back && !strcmp(vfs->zName, READER))) {
		file->pMethods = NULL;
		return SQLITE_CANTOPEN;
	}
	return sqlite3_vfs_find(NULL)->xOpen(vfs, name, file, flags, out);
}

const char *history_guard_vfs(enum history_mode mode)
{
	static sqlite3_vfs made[2];
	static const char *const names[] = {[HISTORY_READ] = READER, [HISTORY_ADD] = WRITER};

	if (!sqlite3_initialize() && sqlite3_vfs_find(NULL) && !sqlite3_vfs_find(names[mode])) {
		made[mode] = *sqlite3_vfs_find(NULL);
		made[mode].pNext = NULL;
		made[mode].zName = names[mode];
		made[mode].xOpen = open_guarded;
		sqlite3_vfs_register(&made[mode], 0);
	}
	return names[mode]; /* where it is not registered, SQLite opens nothing */
}

/* Refuses what lies beside the history, and is no file or belongs to a stranger. */
static int check_one_beside(const char *path, uid_t owner, struct diag *d)
{
	struct stat st;

	if (lstat(path, &st))
		return 0;
	if (!S_ISREG(st.st_mode) || (st.st_uid != owner && st.st_uid != geteuid() && st.st_uid != 0))
		return diag_set(d, -EACCES, "%s belongs to another user than the history beside it", path);
	return 0;
}

int history_guard_beside(const char *path, struct diag *d)
{
	static const char *const behind[] = {"-journal", "-wal", "-shm"};
	char beside[sizeof(((struct history *)0)->path) + 16];
	struct stat st;
	int err = 0;

	if (stat(path, &st))
		return 0; /* it will be created */
	if (!S_ISREG(st.st_mode))
		return diag_set(d, -EBADMSG, "%s is not a history", path);
	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind) && !err; i++) {
		snprintf(beside, sizeof(beside), "%s%s", path, behind[i]);
		err = check_one_beside(beside, st.st_uid, d);
	}
	return err;
}

/* SQLite calls this every STEPS_EACH steps; 1 ends the statement. */
static int count_steps(void *arg)
{
	struct history *h = arg;

	h->steps_left -= STEPS_EACH;
	return h->steps_left < 0;
}

void history_guard_work(struct history *h, enum history_mode mode)
{
	struct stat st;
	char wal[sizeof(h->path) + 16];

	h->steps_left = STEPS_FIRST;
	h->bytes_left = 1 << 20;
	snprintf(wal, sizeof(wal), "%s-wal", h->path);
	for (int i = 0; i < 2; i++) {
		if (stat(i ? wal : h->path, &st))
			continue;
		h->steps_left += 16LL * st.st_size;
		h->bytes_left += 16LL * st.st_size;
	}
	if (mode != HISTORY_ADD)
		sqlite3_progress_handler(h->db, STEPS_EACH, count_steps, h);
}

/* Lets SQLite run nothing that the file brings along. */
void history_guard_database(struct history *h)
{
	sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(h->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(h->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* temporary views still work */
	sqlite3_db_config(h->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(h->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_limit(h->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(h->db, "PRAGMA cell_size_check = 1; PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

int history_guard_make(const char *path, int *made, struct diag *d)
{
	char copy[sizeof(((struct history *)0)->path)];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct stat st;
	int parent, fd, err = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	parent = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = parent < 0 ? -1 : openat(parent, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd >= 0)
		caller_give(parent, fd);
	else if (errno != EEXIST)
		err = diag_set(d, -errno, "%s cannot be made: %s", path, strerror(errno));
	else if (!fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		err = diag_set(d, -ELOOP, "%s is a link that leads to no file", path);
	*made = fd;
	if (parent >= 0)
		close(parent);
	return err;
}

/* While this process has the lock with which SQLite's writers begin, none of them is in a transaction. */
void history_guard_unmake(const char *path, int made)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED_BYTE, .l_len = 1};
	struct stat st, now;

	if (!fcntl(made, F_SETLK, &lock) && !fstat(made, &st) && st.st_size == 0 && !lstat(path, &now) &&
	    now.st_dev == st.st_dev && now.st_ino == st.st_ino)
		unlink(path);
	close(made);
}
