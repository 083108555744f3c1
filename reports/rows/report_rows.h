/*
 * report_rows - what was analysed, as rows
 *
 * in:    an analysis, borrowed; it must outlive the rows
 * out:   one row per variant, whose tables are its symbols, facilities, counters, events, ...
 * units: ns per packet unless head or note say otherwise
 * law:   as rows.h
 * error: -ENOMEM; the rows are to be released all the same
 */
#ifndef REPORTS_REPORT_ROWS_H
#define REPORTS_REPORT_ROWS_H

#include "reports/analysis/analysis.h"
#include "base/sheet/rows.h"

/* only: one variant instead of all; NULL: all. */
int report_rows(struct rows *r, const struct analysis *a, const struct analysis_variant *only);

/* Rows of the same columns in a cell, and a row of numbers alone, without tables, for one side of a comparison. */
/* The columns of symbols alone, also of a run without variants. */
void report_symbol_columns(struct rows *r);
struct rows *report_rows_table(struct rows *parent, const char *key);
void report_rows_side(struct rows *r, const struct analysis_variant *v, const char *side);

void quality_rows(struct rows *parent, const char *key, const struct quality *q);
/* One row: the variants in a table, and the gates of the run as a whole. */
int report_document_rows(struct rows *r, const struct analysis *a, const struct analysis_variant *only);

#endif
