// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of all runs. A file of 100,000 runs has millions of numbers: the list goes along the index, in the order of
 * runs and variants, which has each number of a row.
 */
#include "reports/history/history.h"

/* A file without the index is refused: sorting takes all rows before one is counted. */
#define BY_INDEX " INDEXED BY numbers_of"
#define OTHER(what)                                                                                                    \
	"(SELECT value FROM numbers" BY_INDEX " WHERE kind = ?1 AND what = " what                                      \
	" AND run = b.run AND variant = b.variant LIMIT 1)"

static const struct {
	const char *cost, *rate, *blocks, *gates_failed,
		*reference_ns; /* NULL: runs of this kind have no such number */
} list_numbers[] = {
	[HISTORY_MEASURED] = {"base_ns", "pps", "blocks_used", "checks_failed", "reference_ns"},
	[HISTORY_EXACT] = {"instructions", "calls"},
};

/* Variants of a run in the order in which the run has them. */
static int history_list_order(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	return (x->kind == HISTORY_EXACT) - (y->kind == HISTORY_EXACT) ?: ORDER(x->run, y->run) ?: ORDER(x->id, y->id);
}

int history_list(struct history *h, struct history_list *l, struct diag *d)
{
	int err = 0;

	*l = (struct history_list){};
	for (enum history_kind kind = HISTORY_MEASURED; kind <= HISTORY_EXACT && !err; kind++) {
		sqlite3_stmt *s = history_ask(
			h, d,
			"SELECT e.run, b.id, e.name, e.started, e.kernel, e.kernel_version, e.device, e.machine,"
			" b.variant, b.value, b.half, " OTHER("?3") ", " OTHER("?4") ", " OTHER("?5") ", " OTHER(
				"?6") " FROM numbers b" BY_INDEX
				      " CROSS JOIN entry e ON e.kind = b.kind AND e.run = b.run"
				      " WHERE b.kind = ?1 AND b.what = ?2 ORDER BY b.run, b.variant",
			"tttttt", history_kinds[kind], list_numbers[kind].cost, list_numbers[kind].rate,
			list_numbers[kind].blocks, list_numbers[kind].gates_failed, list_numbers[kind].reference_ns);

		err = s ? 0 : -EIO;
		while (!err && (err = history_next(h, s, "iitttttttnnnnnn", d)) > 0) {
			struct history_row *row = array_add(&l->rows, &l->nrows, sizeof(*row));

			err = row ? 0 : diag_set(d, -ENOMEM, "out of memory");
			if (err)
				break;
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
			row->rate = history_number(s, 11);
			row->blocks = history_number(s, 12);
			row->gates_failed = history_number(s, 13);
			row->reference_ns = history_number(s, 14);
		}
		sqlite3_finalize(s);
	}
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
