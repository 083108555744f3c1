/*
 * explain_rows - measured ns beside exact counts, as rows
 *
 * in:    an explanation, borrowed; must outlive the rows
 * out:   one row: the coefficients, what carries each difference, functions that do not fit, and the variants with
 *        their functions in cells
 * units: ns, instructions and lines per packet
 * law:   as rows.h
 * error: sticky in the rows; also returned
 */
#ifndef REPORTS_EXPLAIN_ROWS_H
#define REPORTS_EXPLAIN_ROWS_H

#include "reports/explain/explain.h"
#include "base/sheet/rows.h"

int explain_rows(struct rows *r, const struct explain *e);

#endif
