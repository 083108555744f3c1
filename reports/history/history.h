/* history.h - many runs in one SQLite file */
#ifndef REPORTS_HISTORY_HISTORY_H
#define REPORTS_HISTORY_HISTORY_H

#include <sqlite3.h>
#include "base/base.h"
#include "reports/analysis/analysis.h"
#include "reports/exact/exact.h"
#include "reports/run/run.h"

/*
 * history - many runs in one SQLite file: their files, compressed, and the most important numbers
 *
 * units: ns per packet; of exact runs instructions per packet
 * law:   a run is in the file whole or not at all, and never twice. SQLite has the file in memory, and opens none: one
 *        that adds runs writes the whole file anew and puts it in the place of the old one (new_file), while it keeps
 *        others that add from the directory. An entry holds each file that a reader of the directory reads, byte for
 *        byte. The file may come from a stranger: no view and trigger of it takes effect, and reading takes time and
 *        memory in proportion to its size
 */

struct history;

/* ADD: a file that is not there is an empty history. */
enum history_mode { HISTORY_READ, HISTORY_ADD };
#define HISTORY_MACHINE_BYTES 64
/* Each has numbers and names of its own. Exact runs have no machine: it does not change what they count. */
enum history_kind { HISTORY_MEASURED, HISTORY_EXACT };

int history_open(struct history **h, const char *path, enum history_mode mode, struct diag *d);
int history_write(struct history *h, FILE *out, struct diag *d); /* what the file is to hold now */
void history_close(struct history *h);                           /* NULL is fine */

/* Refuses a name that is too long, or that history_find() would not read as a name. */
int history_check_name(const char *name, struct diag *d);
int history_check_machine(const char *machine, struct diag *d);

#define HISTORY_COMPONENTS "components.conf" /* beside the run's own files, where it was added with such a file */

struct history_new {
	const char *dir;                 /* of the run */
	const char *name;                /* for people, unique in its kind; NULL: none */
	const char *components;          /* a file that measured or exact were read with; NULL: the built-in one */
	const char *machine;             /* what people call the machine of measured; NULL: as the run does */
	const struct analysis *measured; /* what was read in dir: one of both */
	const struct exact *exact;
};
/* -EEXIST: the run is in the file already. -ENOTUNIQ: another one has its name. */
int history_add(struct history *h, const struct history_new *n, int64_t *run, struct diag *d);

/* A run by its number, its name, "last" or "prev" (the one before the last, as history_find_before() has it). */
int history_find(struct history *h, enum history_kind kind, const char *ref, int64_t *run, struct diag *d);

/*
 * Which kind of runs a check compares: "exact/RUN" is an exact one, as in a path; of a number or name that both kinds
 * have, the measured one is meant. *ref NULL becomes "last": the run that was added last, of either kind. Cuts
 * "exact/".
 */
#define HISTORY_EXACT_BELOW "exact/" /* before the name of an exact run in a path */
int history_kind_of(struct history *h, const char **ref, const char **against, enum history_kind *kind, struct diag *d);

/* The run before this one on the same machine and device. -ENOENT: there is none. */
int history_find_before(struct history *h, enum history_kind kind, int64_t of, int64_t *run, struct diag *d);

/* Makes the files of a run readable by foreign_file_open(), below the path that dir gets. */
int history_lay_out(struct history *h, enum history_kind kind, int64_t run, char *dir, size_t size, struct diag *d);
/* The distance of CPUs that the run was added with, and its machine ("": not known). */
int history_options(struct history *h, int64_t run, struct analysis_options *o, char machine[HISTORY_MACHINE_BYTES],
		    struct diag *d);
/* For foreign_file_below(): a file of an entry, by its path below a history. Opens the history at the first path. */
int history_open_below(FILE **file, const char *path, struct diag *d);
void history_forget(void); /* what these two hold in memory */

/*
 * The CPUs' distance in the last run on this machine (NULL: one that is not known), for
 * analysis_options.placement_like_ns of the next one. 0: there is no run, or the distance is not known.
 */
int history_last_placement(struct history *h, const char *machine, double *placement_ns, struct diag *d);

/*
 * The bases of other runs than these two on the same machine and device, with the same build of the same kernel, as run
 * `like`, in the order of variants. What is not known of a run is alike where it is not known of both. Where
 * the generator is the reference of `like`, they are those of runs that have one, over what it takes (speed.h): their
 * scatter is that of costs at one speed. n: how many. Free base_ns, each variant[i], and variant.
 */
struct history_bases {
	double *base_ns;
	char **variant;
	size_t n;
};
int history_bases(struct history *h, int64_t like, int64_t without, struct history_bases *b, struct diag *d);
void history_bases_release(struct history_bases *b); /* may be called twice */

/* The list of runs: one row per run and variant, oldest first; measured runs before exact ones. */
struct history_row {
	enum history_kind kind;
	int64_t run, id; /* id: another one for each row */
	char name[64], started[32], kernel[128], kernel_version[128], device[64], machine[HISTORY_MACHINE_BYTES],
		variant[RUN_ID_BYTES];
	double cost, half,
		rate; /* ns per packet and packets per second; or instructions and their deviation, and calls */
	double blocks, gates_failed;
	double reference_ns; /* what the generator takes (speed.h); NaN: not known */
};
struct history_list {
	struct history_row *rows;
	size_t nrows;
};
int history_list(struct history *h, struct history_list *l, struct diag *d);
void history_list_release(struct history_list *l); /* may be called twice */

/* 0: two runs of one variant, on one device of one machine. */
int history_row_order(const struct history_row *a, const struct history_row *b);

/*
 * Where the cost of such a series changed its level (base/steps.h), in the order of the list. Costs of runs that all
 * have a reference and one build of a kernel are those at their mean speed. A level of measured runs has at least two
 * of them. *changes is the caller's; 0 or -ENOMEM.
 */
struct history_change {
	const struct history_row *first; /* the run that it changed at; of the list */
	double before, after;            /* means of the two levels; cost's unit */
	size_t runs_before, runs_after;
};
int history_changes(const struct history_list *l, struct history_change **changes, size_t *n);

/* ---- what the files behind history.h share */

struct history {
	sqlite3 *db;
	char path[4096];
	long long steps_left; /* of SQLite's machine, while the file is read */
	long long bytes_left; /* of rows, while the file is read */
};

extern const char *const history_kinds[]; /* the words in the file */

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
/* The number in the one row of a query about a kind (?1) and a run (?2); 0: it has none; -errno. */
int64_t history_count(struct history *h, struct diag *d, const char *sql, enum history_kind kind, int64_t run);
/* A statement without rows; finalizes it. */
int history_do(struct history *h, sqlite3_stmt *s, struct diag *d);
double history_number(sqlite3_stmt *s, int column);    /* NaN for NULL */
const char *history_text(sqlite3_stmt *s, int column); /* "" for NULL */

#endif
