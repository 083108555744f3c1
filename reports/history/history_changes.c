// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the cost of a variant changed its level, in the list of all runs. */
#include "reports/compare/compare.h"
#include "reports/history/history.h"

#define LEAST_INSTRUCTIONS 0.0005 /* a change that is shown as 0.001 */
#define MOST_RUNS          4000   /* of a series, the newest ones: steps_find() takes time in the square of them */

/* The runs of one variant on one device of one machine. */
struct series {
	const struct history_row **rows;
	double *cost, *sd;
	size_t *at;
	size_t n;
};

int history_row_order(const struct history_row *a, const struct history_row *b)
{
	return ORDER(a->kind, b->kind) ?: strcmp(a->variant, b->variant) ?: strcmp(a->device, b->device)
				       ?: strcmp(a->machine, b->machine);
}

/* Series after series, each in the order of the list. */
static int by_series_and_place(const void *a, const void *b)
{
	const struct history_row *const *x = a, *const *y = b;

	return history_row_order(*x, *y) ?: ORDER(*x, *y);
}

static double mean_of(const struct series *s, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += s->cost[i];
	return sum / (double)(to - from);
}

static int history_changes_by_place(const void *a, const void *b)
{
	const struct history_change *x = a, *y = b;

	return ORDER(x->first, y->first);
}

int history_changes(const struct history_list *l, struct history_change **changes, size_t *n)
{
	const struct history_row **rows = calloc(l->nrows + 1, sizeof(*rows));
	struct series s = {.cost = calloc(MOST_RUNS, sizeof(*s.cost)),
			   .sd = calloc(MOST_RUNS, sizeof(*s.sd)),
			   .at = calloc(MOST_RUNS, sizeof(*s.at))};
	int err = rows && s.cost && s.sd && s.at ? 0 : -ENOMEM;
	size_t nrows = 0;

	*changes = NULL;
	*n = 0;
	for (size_t i = 0; i < l->nrows && !err; i++)
		if (l->rows[i].cost > 0)
			rows[nrows++] = &l->rows[i];
	if (nrows)
		qsort(rows, nrows, sizeof(const struct history_row *), by_series_and_place);
	for (size_t from = 0, to; from < nrows && !err; from = to) {
		double reference = 0;
		int found;

		for (to = from + 1; to < nrows && !history_row_order(rows[from], rows[to]); to++)
			;
		s.n = to - from > MOST_RUNS ? MOST_RUNS : to - from;
		s.rows = rows + to - s.n;
		if (s.n < 2)
			continue;
		/* The mean of what their generators took; NaN: not all tell, or the builds of their kernels differ. */
		for (size_t i = 0; i < s.n; i++)
			reference += strcmp(s.rows[i]->kernel, s.rows[0]->kernel) ||
						     strcmp(s.rows[i]->kernel_version, s.rows[0]->kernel_version) ||
						     s.rows[i]->reference_ns <= 0
					     ? NAN
					     : s.rows[i]->reference_ns;
		reference /= (double)s.n;
		for (size_t i = 0; i < s.n; i++) {
			s.cost[i] = s.rows[i]->cost * (isnan(reference) ? 1 : reference / s.rows[i]->reference_ns);
			/* The largest deviation of a count is two; measured runs differ by what is assumed, too. */
			double assumed = BETWEEN_ASSUMED_PCT / 100.0 * s.cost[i], half = s.rows[i]->half;
			if (s.rows[i]->kind == HISTORY_EXACT)
				s.sd[i] = fmax(LEAST_INSTRUCTIONS, isnan(half) ? assumed : half / 2);
			else
				s.sd[i] = hypot(assumed, isnan(half) ? 0 : half / STATS_Z95);
		}
		found = steps_find(s.cost, s.sd, s.n, s.rows[0]->kind == HISTORY_EXACT ? 1 : 2, s.at);
		err = found < 0 ? found : 0;
		for (int i = 0; i < found && !err; i++) {
			size_t begins = i ? s.at[i - 1] : 0, ends = i + 1 < found ? s.at[i + 1] : s.n;
			struct history_change *c = array_add(changes, n, sizeof(**changes));

			err = c ? 0 : -ENOMEM;
			if (c)
				*c = (struct history_change){.first = s.rows[s.at[i]],
							     .before = mean_of(&s, begins, s.at[i]),
							     .after = mean_of(&s, s.at[i], ends),
							     .runs_before = s.at[i] - begins,
							     .runs_after = ends - s.at[i]};
		}
	}
	if (*n)
		qsort(*changes, *n, sizeof(**changes), history_changes_by_place);
	free(rows);
	free(s.cost);
	free(s.sd);
	free(s.at);
	return err;
}
