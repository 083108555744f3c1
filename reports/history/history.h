/*
 * history - many runs in one SQLite file: the cost of each variant, by block and by symbol
 *
 * in:    a path; analysed runs to add
 * out:   the runs that were added, as analyses for compare_build(), without windows and call paths
 * units: ns per packet, or the unit in the name of the column
 * law:   a run is in the file whole or not at all, whenever its writer dies, and never twice. Where the first run
 *        cannot be added, no file is left. Writers wait for each other (BEGIN IMMEDIATE); readers wait for nobody (WAL)
 *        but for the writer of the first run. The program writes only to a file that is empty or a
 *        history. A file of an older version is read without changing it. When a run is added, the file gains the
 *        tables and columns that it lacks; in the older runs, the new columns are NULL. Numbers that a history does not
 *        keep are NaN (analysis_variant_init()). The file may come from a stranger: no view, trigger or journal of it
 *        takes effect, and reading takes time and memory in proportion to its size
 * error: -errno with one sentence. -EEXIST: the run or its name is in the file already. -ENOENT: there is no such run.
 *        -EBADMSG: the file is no history, or damaged. -EINVAL: the name is not allowed. -EBUSY: another writer did not
 *        end in time
 * src:   https://www.sqlite.org/wal.html, https://www.sqlite.org/lang_transaction.html
 */
#ifndef REPORTS_HISTORY_H
#define REPORTS_HISTORY_H

#include <stdint.h>
#include "reports/analysis/analysis.h"

struct history;

enum history_mode { HISTORY_READ, HISTORY_ADD }; /* ADD creates the file if it does not exist */

int history_open(struct history **h, const char *path, enum history_mode mode, struct diag *d);
/*
 * For a jailed process, whose keeper opens and removes the files of one history for it: history_keep_files() before
 * keeper_begin(), history_keep_serve() in the keeper (its questions are numbers from 1000 on), and history_keep_use()
 * in the child. path is borrowed.
 */
int history_keep_files(const char *path, struct diag *d);
int history_keep_serve(int what, int detail, int *fd);
void history_keep_use(int channel);
void history_close(struct history *h); /* NULL is fine */

/* Refuses a name that is too long, or that history_find() would not read as a name. */
int history_check_name(const char *name, struct diag *d);
/* name: for people, unique; NULL: none. */
int history_add(struct history *h, const struct analysis *a, const char *name, int64_t *run, struct diag *d);

/* A run by its number, its name, "last" or "prev" (the one before the last). */
int history_find(struct history *h, const char *ref, int64_t *run, struct diag *d);

/*
 * The CPUs' distance in the last run, for analysis_options.placement_like_ns of the next one. 0: there is no run, or
 * the distance is not known.
 */
int history_last_placement(struct history *h, double *placement_ns, struct diag *d);

/*
 * The bases of other runs than these two on the same device and kernel as run `like`, in the order of variants. n: how
 * many. Free base_ns, each variant[i], and variant.
 */
struct history_bases {
	double *base_ns;
	char **variant;
	size_t n;
};
int history_bases(struct history *h, int64_t like, int64_t without, struct history_bases *b, struct diag *d);
void history_bases_release(struct history_bases *b); /* may be called twice */

/* One run as an analysis. The struct points into itself, so it must not be moved. */
struct history_run {
	int64_t id;
	char name[64]; /* "" for none */
	struct run run;
	struct analysis analysis;
	void *words; /* private: names of facilities and gates that rows point to, a tree of tsearch() */
};
int history_load(struct history *h, int64_t run, struct history_run *r, struct diag *d);
void history_run_release(struct history_run *r); /* may be called twice */

/* The list of runs: one row per run and variant, oldest first. */
struct history_row {
	int64_t run;
	char name[64], started[32], kernel[64], device[64], variant[RUN_ID_BYTES];
	double base_ns, half_ns, pps;
	int64_t blocks, gates_failed;
};
struct history_list {
	struct history_row *rows;
	size_t nrows;
};
int history_list(struct history *h, struct history_list *l, struct diag *d);
void history_list_release(struct history_list *l); /* may be called twice */

#endif
