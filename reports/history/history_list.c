// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of all runs. A file of 100,000 runs has millions of numbers: each number of the list is one scan of the
 * index, in the order of runs and variants, and the scans are read side by side.
 */
#include "reports/history/history.h"

/* A file without the index is refused: sorting takes all rows before one is counted. */
#define BY_INDEX " INDEXED BY numbers_of"
#define OTHERS   4 /* numbers beside the cost */

struct scan {
	sqlite3_stmt *s; /* run, variant, value; NULL: runs of this kind have no such number */
	int more;        /* there is a row; -errno */
};

static const struct {
	const char *cost, *others[OTHERS]; /* the latter for history_row's rate, blocks, gates_failed, reference_ns */
} list_numbers[] = {
	[HISTORY_MEASURED] = {"base_ns", {"pps", "blocks_used", "checks_failed", "reference_ns"}},
	[HISTORY_EXACT] = {"instructions", {"calls"}},
};

static int scan_next(struct history *h, struct scan *o, struct diag *d)
{
	o->more = history_next(h, o->s, "itn", d);
	return o->more < 0 ? o->more : 0;
}

static int scan_begin(struct history *h, struct scan *o, enum history_kind kind, const char *what, struct diag *d)
{
	*o = (struct scan){};
	if (!what)
		return 0;
	o->s = history_ask(h, d,
			   "SELECT run, variant, value FROM numbers" BY_INDEX
			   " WHERE kind = ? AND what = ? ORDER BY run, variant",
			   "tt", history_kinds[kind], what);
	return o->s ? scan_next(h, o, d) : -EIO;
}

/* The value of this row; NaN: the run has none. Rows come in the order of the scan. */
static int scan_value(struct history *h, struct scan *o, const struct history_row *row, double *value, struct diag *d)
{
	int order = -1, err = 0;

	while (!err && o->more) {
		int64_t run = sqlite3_column_int64(o->s, 0);

		order = run == row->run ? strcmp(history_text(o->s, 1), row->variant) : run < row->run ? -1 : 1;
		if (order >= 0)
			break;
		err = scan_next(h, o, d);
	}
	*value = !err && o->more && !order ? history_number(o->s, 2) : NAN;
	return err;
}

static struct history_row *add_list_row(struct history_list *l, enum history_kind kind, sqlite3_stmt *s)
{
	struct history_row *row = array_add(&l->rows, &l->nrows, sizeof(*row));

	if (!row)
		return NULL;
	row->kind = kind;
	row->run = sqlite3_column_int64(s, 0);
	row->id = sqlite3_column_int64(s, 1);
	snprintf(row->name, sizeof(row->name), "%s", history_text(s, 2));
	snprintf(row->started, sizeof(row->started), "%s", history_text(s, 3));
	snprintf(row->kernel, sizeof(row->kernel), "%s", history_text(s, 4));
	snprintf(row->kernel_version, sizeof(row->kernel_version), "%s", history_text(s, 5));
	snprintf(row->device, sizeof(row->device), "%s", history_text(s, 6));
	snprintf(row->machine, sizeof(row->machine), "%s", history_text(s, 7));
	snprintf(row->variant, sizeof(row->variant), "%s", history_text(s, 8));
	row->cost = history_number(s, 9);
	row->half = history_number(s, 10);
	return row;
}

static int history_list_add_row(struct history *h, struct history_list *l, enum history_kind kind, sqlite3_stmt *s,
				struct scan *others, struct diag *d)
{
	struct history_row *row = add_list_row(l, kind, s);
	double *values[OTHERS];
	int err = 0;

	if (!row)
		return diag_set(d, -ENOMEM, "out of memory");
	values[0] = &row->rate;
	values[1] = &row->blocks;
	values[2] = &row->gates_failed;
	values[3] = &row->reference_ns;
	for (int i = 0; i < OTHERS && !err; i++)
		err = scan_value(h, &others[i], row, values[i], d);
	return err;
}

static int history_list_add_kind(struct history *h, struct history_list *l, enum history_kind kind, struct diag *d)
{
	struct scan others[OTHERS] = {};
	sqlite3_stmt *s = history_ask(
		h, d,
		"SELECT e.run, b.id, e.name, e.started, e.kernel, e.kernel_version, e.device, e.machine, b.variant,"
		" b.value, b.half FROM numbers b" BY_INDEX " CROSS JOIN entry e ON e.kind = b.kind AND e.run = b.run"
		" WHERE b.kind = ? AND b.what = ? ORDER BY b.run, b.variant",
		"tt", history_kinds[kind], list_numbers[kind].cost);
	int err = s ? 0 : -EIO;

	for (int i = 0; i < OTHERS && !err; i++)
		err = scan_begin(h, &others[i], kind, list_numbers[kind].others[i], d);
	while (!err && (err = history_next(h, s, "iitttttttnn", d)) > 0)
		err = history_list_add_row(h, l, kind, s, others, d);
	for (int i = 0; i < OTHERS; i++)
		sqlite3_finalize(others[i].s);
	sqlite3_finalize(s);
	return err;
}

/* Variants of a run in the order in which the run has them. */
static int history_list_order(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	return (x->kind == HISTORY_EXACT) - (y->kind == HISTORY_EXACT) ?: ORDER(x->run, y->run) ?: ORDER(x->id, y->id);
}

/* All is read in one transaction, so another process cannot add a run between two scans. */
int history_list(struct history *h, struct history_list *l, struct diag *d)
{
	int err = history_sql(h, "BEGIN", d);

	*l = (struct history_list){};
	if (!err)
		err = history_list_add_kind(h, l, HISTORY_MEASURED, d) ?: history_list_add_kind(h, l, HISTORY_EXACT, d);
	sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL);
	if (err)
		history_list_release(l);
	else if (l->nrows)
		qsort(l->rows, l->nrows, sizeof(*l->rows), history_list_order);
	return err;
}

void history_list_release(struct history_list *l)
{
	free(l->rows);
	*l = (struct history_list){};
}
