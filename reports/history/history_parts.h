/*
 * history_parts - what the files behind history.h share; no other file includes this header
 */
#ifndef REPORTS_HISTORY_PARTS_H
#define REPORTS_HISTORY_PARTS_H

#include <sqlite3.h>
#include <stddef.h>
#include "base/keeper.h"
#include "reports/history/history.h"
#include "reports/run/fields.h"

struct history {
	sqlite3 *db;
	char path[4096];
	int made_file;        /* what history_keep_make() gave for its first run; -1: the file was there */
	bool is_new;          /* it had no tables when it was opened */
	long long steps_left; /* of SQLite's machine, while the file is read */
	long long bytes_left; /* of rows, while the file is read */
};

extern const char *const history_kinds[]; /* the words in the file */

int history_sql(struct history *h, const char *sql, struct diag *d);
/* A transaction that adds a run, to tables that are there. After history_begin(), history_end() follows in any case. */
int history_begin(struct history *h, struct diag *d);
int history_end(struct history *h, int err, struct diag *d); /* err: what has failed before; nothing stays of it */
/*
 * A statement with values for its marks, one for each letter: t text, i int64_t, n number; NULL text is NULL, and so is
 * a number that is not known, or more than FIELD_REAL_MOST, which no run has and readers refuse. Text is borrowed
 * until the statement is done. The caller finalizes it; NULL with a sentence.
 */
sqlite3_stmt *history_ask(struct history *h, struct diag *d, const char *sql, const char *types, ...);
/*
 * The next row, with columns of these types (as above; b: bytes). 1; 0: there is none; -errno. What the columns do not
 * fit, as text in a column of numbers that would read as 0, is damage.
 */
int history_next(struct history *h, sqlite3_stmt *s, const char *types, struct diag *d);
/* Runs a statement that returns no rows, and finalizes it. */
int history_do(struct history *h, sqlite3_stmt *s, struct diag *d);
double history_number(sqlite3_stmt *s, int column);    /* NaN for NULL */
const char *history_text(sqlite3_stmt *s, int column); /* "" for NULL */

/*
 * history_guard.c: a file may come from a stranger. The name of the VFS that opens the file: it opens no journal that
 * names other files, and a reader's plays back none at all. Where it cannot be had, SQLite opens nothing.
 */
const char *history_guard_vfs(enum history_mode mode);
/* Refuses what is no file, and files beside it that belong to somebody else. */
int history_guard_beside(const char *path, struct diag *d);
/*
 * Makes the file of a new history. It belongs to the caller of sudo, where its directory does (caller.h); SQLite gives
 * the files that it makes beside a history the owner of the history. A file that somebody else made just now is fine:
 * *made is -1 then, else a descriptor of the file, which history_guard_unmake() closes.
 */
int history_guard_make(const char *path, int *made, struct diag *d);
/*
 * Removes the file that history_guard_make() made, where no run came into it, after the database is closed; a file that
 * somebody else has put there since stays. Another process that has opened the file meanwhile, and then gets SQLite's
 * lock, sees that the file has moved.
 */
void history_guard_unmake(const char *path, int made);
/* The questions to a keeper, above the numbers of files that it puts in place. OPENS and REMOVES: + 0 .. 3, a file. */
enum {
	HISTORY_KEEP_MAKES = 1000,
	HISTORY_KEEP_OPENS,
	HISTORY_KEEP_REMOVES = HISTORY_KEEP_OPENS + 10,
	HISTORY_KEEP_UNMAKES = HISTORY_KEEP_REMOVES + 10
};
/* history_keep.c: the same two, which in a jailed process its keeper does; *made is 0 there, or -1. */
int history_keep_make(const char *path, int *made, struct diag *d);
void history_keep_unmake(const char *path, int made);
/* Can the file be read, but not so that SQLite can make files beside it? In a jail: can the keeper do that? */
bool history_keep_read_alone(const char *path);
/* Views and triggers of the file are dead. */
void history_guard_database(struct history *h);
/* Bounds the work of a reader by the size of the file: a damaged file can have more rows than bytes. */
void history_guard_work(struct history *h, enum history_mode mode);

#endif
