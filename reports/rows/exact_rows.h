/*
 * exact_rows - exact counts, and a comparison of two, as rows
 *
 * in:    an exact run, or a comparison of two of its variants; borrowed, must outlive the rows
 * out:   exact_rows(): a row per variant, with its facilities, functions and windows in cells. exact_diff_rows(): one
 *        row, with the changes of facilities and functions in cells
 * units: instructions, calls, loads, stores and lines of 64 bytes per packet; instructions per poll and per wakeup. ±
 *        is the largest deviation of a window from the model, or of the model without it, not an interval
 * law:   as rows.h. A count that the run did not take is not known, never 0
 * error: sticky in the rows; also returned
 */
#ifndef REPORTS_EXACT_ROWS_H
#define REPORTS_EXACT_ROWS_H

#include "reports/exact/exact_diff.h"
#include "base/sheet/rows.h"

int exact_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);
/* One row: where it was counted, and the variants in a table. */
int exact_document_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);
int exact_diff_rows(struct rows *r, const struct exact_diff *d);
/* A row per variant: where it was counted, and its cost as a whole. */
int exact_overview_rows(struct rows *r, const struct exact *e, const struct exact_variant *only);

/* The part of exact_rows() for data structures: their tables. */
void exact_place_rows(struct rows *parent, const struct exact_variant *v);

/* The part of exact_rows() for source lines: their table, and how far they are from their functions. */
void exact_line_rows(struct rows *parent, const struct exact_variant *v);
/* The part of exact_diff_rows() for source lines: their changes, and what these sum to. */
void exact_line_change_rows(struct rows *parent, const struct exact_diff *d);
/* Three digits for what is exact; else as many as the deviation of the windows leaves. */
void exact_put_count(struct rows *r, const char *key, double value, const struct exact_cost *c);

/* "veth, Linux 6.12.117, counted by QEMU 7.2.22, 2026-01-02T03:04:05Z" */
void exact_words(const struct exact *e, char *line, size_t size);

#endif
