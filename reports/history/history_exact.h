/*
 * history_exact - exact runs in the file of a history: what each function takes per packet
 *
 * in:    an open history; exact runs to add
 * out:   the runs that were added, with totals, facilities and functions, without windows and call paths
 * units: instructions and calls per packet
 * law:   exact runs have numbers and names of their own, beside those of measured runs. The rest as history.h
 * error: as history.h
 */
#ifndef REPORTS_HISTORY_EXACT_H
#define REPORTS_HISTORY_EXACT_H

#include <stdint.h>
#include "reports/exact/exact.h"
#include "reports/history/history.h"

/* name: for people, unique among exact runs; NULL: none. */
int history_exact_add(struct history *h, const struct exact *e, const char *name, int64_t *run, struct diag *d);
/* A run by its number, its name, "last" or "prev". */
int history_exact_find(struct history *h, const char *ref, int64_t *run, struct diag *d);
/* Release e with exact_release(). */
int history_exact_load(struct history *h, int64_t run, struct exact *e, struct diag *d);

/* One row per run and variant, oldest first. */
struct history_exact_row {
	int64_t run;
	char name[64], time[32], kernel[128], nic[32], variant[64];
	double instructions, calls;
};
struct history_exact_list {
	struct history_exact_row *rows;
	size_t nrows;
};
int history_exact_list(struct history *h, struct history_exact_list *l, struct diag *d);
void history_exact_list_release(struct history_exact_list *l); /* may be called twice */

#endif
