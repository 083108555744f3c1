/*
 * history_parts - what the files behind history.h share; no other file includes this header
 *
 * law:   each number of struct analysis_variant that a history keeps has one line in history_numbers[]. Its column is
 *        created, written and read by this line. NaN is NULL in the file
 */
#ifndef REPORTS_HISTORY_PARTS_H
#define REPORTS_HISTORY_PARTS_H

#include <sqlite3.h>
#include <stddef.h>
#include "base/keeper.h"
#include "reports/history/history.h"
#include "reports/run/json_in.h"
#include "reports/run/made.h"

struct history {
	sqlite3 *db;
	char path[4096];
	bool made_file;       /* by this process, for its first run */
	bool is_new;          /* it had no tables when it was opened */
	long long steps_left; /* of SQLite's machine, while the file is read */
	long long bytes_left; /* of rows, while the file is read */
};

/* clang-format off */
#define HISTORY_NUMBER(member) {#member, offsetof(struct analysis_variant, member)}
#define HISTORY_STAGE(member) {"stage_" #member, offsetof(struct analysis_variant, stage.member)}
#define HISTORY_SENDING(member) {"sending_" #member, offsetof(struct analysis_variant, sending.member)}
static const struct {
	const char *name;
	size_t offset; /* of a double */
} history_numbers[] = {
	HISTORY_NUMBER(pps), HISTORY_NUMBER(packets), HISTORY_NUMBER(base_ns), HISTORY_NUMBER(half_ns),
	HISTORY_NUMBER(base_by_rate_ns), HISTORY_NUMBER(base_by_busy_ns), HISTORY_NUMBER(busy_pct),
	HISTORY_NUMBER(taken_out_ns), HISTORY_NUMBER(overhead_pct), HISTORY_NUMBER(packets_per_poll),
	HISTORY_NUMBER(refused_pct), HISTORY_NUMBER(freq_khz), HISTORY_NUMBER(steal_pct), HISTORY_NUMBER(drift_pct),
	HISTORY_NUMBER(design_effect), HISTORY_NUMBER(weight_effect), HISTORY_NUMBER(n_eff),
	HISTORY_NUMBER(unseen_max_ns),
	HISTORY_NUMBER(unattributed_ns), HISTORY_NUMBER(unattributed_half_ns), HISTORY_NUMBER(sum_ns),
	HISTORY_NUMBER(closure_ns), HISTORY_NUMBER(placement_ns),
	HISTORY_NUMBER(counting_pct), HISTORY_NUMBER(counting_half_pct),
	HISTORY_STAGE(ns), HISTORY_STAGE(half_ns), HISTORY_STAGE(redirected), HISTORY_STAGE(frames),
	HISTORY_STAGE(dropped), HISTORY_STAGE(dropped_pct), HISTORY_STAGE(missing),
	HISTORY_SENDING(system_calls), HISTORY_SENDING(system_calls_per_kib), HISTORY_SENDING(completions),
	HISTORY_SENDING(completions_missing), HISTORY_SENDING(copied_pct),
	HISTORY_SENDING(ns_per_kib),
};
/* clang-format on */
#define HISTORY_NUMBERS (sizeof(history_numbers) / sizeof(history_numbers[0]))

/* Turns SQLite's last error into a sentence and a -errno. */
int history_error(struct history *h, struct diag *d);
int history_sql(struct history *h, const char *sql, struct diag *d);
/* A transaction that adds a run, to tables that are there. After history_begin(), history_end() follows in any case. */
int history_begin(struct history *h, struct diag *d);
int history_end(struct history *h, int err, struct diag *d); /* err: what has failed before; nothing stays of it */
/* A statement that the caller must finalize; NULL with a sentence. */
sqlite3_stmt *history_prepare(struct history *h, const char *sql, struct diag *d);
/* Runs a statement that returns no rows; afterwards the statement can be bound again. */
int history_step(struct history *h, sqlite3_stmt *s, struct diag *d);
/*
 * NaN is bound as NULL, and so is more than JSON_IN_REAL_MOST, which no run has and readers refuse. NULL is read as
 * NaN; NULL text is read as "".
 */
void history_bind_number(sqlite3_stmt *s, int at, double value);
double history_number(sqlite3_stmt *s, int column);
const char *history_text(sqlite3_stmt *s, int column);
/* Three columns, from this one on. */
void history_bind_program(sqlite3_stmt *s, int at, const struct made_program *p);
void history_program(sqlite3_stmt *s, int column, struct made_program *p);

/* A run of table "run" or "exact_run", as history_find(). */
int history_find_in(struct history *h, const char *table, const char *ref, int64_t *run, struct diag *d);

/* history_schema.c. Creates the tables and columns that the file lacks. */
int history_schema_make(struct history *h, struct diag *d);
/* The same without writing to the file: as long as the file is open, columns that it lacks read as NULL. */
int history_schema_stand_in(struct history *h, struct diag *d);

/*
 * history_guard.c: a file may come from a stranger. The name of the VFS that opens the file: it opens no journal that
 * names other files, and a reader's plays back none at all. NULL: SQLite does not start.
 */
const char *history_guard_vfs(enum history_mode mode);
/* Refuses what is no file, and files beside it that belong to somebody else. */
int history_guard_beside(const char *path, struct diag *d);
/*
 * Makes the file of a new history. It belongs to the caller of sudo, where its directory does (caller.h); SQLite gives
 * the files that it makes beside a history the owner of the history. A file that somebody else made just now is fine.
 */
int history_guard_make(const char *path, bool *made, struct diag *d);
/*
 * Removes the file that history_guard_make() made, where no run came into it, after the database is closed. Another
 * process that has opened the file meanwhile, and then gets SQLite's lock, sees that the file has moved.
 */
void history_guard_unmake(const char *path);
/* history_keep.c: the same two, which in a jailed process its keeper does. */
int history_keep_make(const char *path, bool *made, struct diag *d);
void history_keep_unmake(const char *path);
/* Can the file be read, but not so that SQLite can make files beside it? In a jail: can the keeper do that? */
bool history_keep_read_alone(const char *path);
bool history_may_write_beside(const char *path); /* if not, errno is set */
/* Views and triggers of the file are dead. */
void history_guard_database(struct history *h);
/* Bounds the work of a reader by the size of the file: a damaged file can have more rows than bytes. */
void history_guard_work(struct history *h);
/* For each row that is read: also refuses what is no number, or none of a run, in a column of numbers. */
int history_guard_row(struct history *h, sqlite3_stmt *s, struct diag *d);

#define HISTORY_COLUMNS_BYTES 2048
/* The names of history_numbers[], each with a comma before and the text `behind` after it. */
const char *history_columns(const char *behind, char *buf, size_t size);

#endif
