/*
 * history - many runs in one SQLite file: what each variant cost, block by block and symbol by symbol
 *
 * in:    a path; analysed runs to add
 * out:   runs as they were added: analyses that compare_build() takes, without windows and call paths
 * units: ns per packet, and what the names of columns say
 * law:   a run is in the file whole or not at all, whenever its writer dies, and once at most. Writers
 *        wait for each other (BEGIN IMMEDIATE), readers for nobody (WAL). Only a file that is empty or
 *        one of ours is written to. A file of an older version is read as it is and gains the tables and columns
 *        that it lacks when a run is added; in runs from before, the new columns are NULL. What a history does not
 *        keep is NaN (analysis_variant_init())
 * error: -errno with one sentence: -EEXIST the run or its name is there, -ENOENT no such run, -EBADMSG
 *        not a history, or damaged, -EINVAL a name that cannot be one, -EBUSY a writer that does not
 *        end
 * src:   https://www.sqlite.org/wal.html, https://www.sqlite.org/lang_transaction.html
 */
#ifndef REPORTS_HISTORY_H
#define REPORTS_HISTORY_H

#include <stdint.h>
#include "reports/analysis/analysis.h"

struct history;

enum history_mode { HISTORY_READ, HISTORY_ADD }; /* ADD makes the file where there is none */

int history_open(struct history **h, const char *path, enum history_mode mode, struct diag *d);
void history_close(struct history *h); /* NULL is fine */

/* name: for people, unique; NULL: none. */
int history_add(struct history *h, const struct analysis *a, const char *name, int64_t *run, struct diag *d);

/* A run by its number, its name, "last" or "prev" (the one before the last). */
int history_find(struct history *h, const char *ref, int64_t *run, struct diag *d);

/* Where CPUs were in the last run: what the next one should be held to. 0: there is none, or not known. */
int history_last_placement(struct history *h, double *placement_ns, struct diag *d);

/* One run, as analysis.h has it; stays where it was loaded. */
struct history_run {
	int64_t id;
	char name[64]; /* "" for none */
	struct run run;
	struct analysis analysis;
	char **words; /* private: facilities and gates that rows point at */
	size_t nwords;
};
int history_load(struct history *h, int64_t run, struct history_run *r, struct diag *d);
void history_run_release(struct history_run *r); /* may be called twice */

/* What list shows: one row per run and variant, oldest first. */
struct history_row {
	int64_t run;
	char name[64], started[32], kernel[64], device[64], variant[64];
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
