/*
 * render_matrix - the matrix of exact counts as text, JSON and CSV
 *
 * in:    struct matrix, borrowed
 * out:   written to the caller's stream; text is a table for each driver and operation, with a mode in each column
 * units: instructions per packet
 * law:   all three show the same numbers; a count that is not known is "-", null or empty, with its reason
 * error: -EIO (or what errno says) when the stream failed, -ENOMEM
 */
#ifndef REPORTS_RENDER_MATRIX_H
#define REPORTS_RENDER_MATRIX_H

#include <stdio.h>
#include "reports/exact/matrix.h"

typedef int render_matrix(FILE *out, const struct matrix *m);

render_matrix render_matrix_text, render_matrix_json, render_matrix_csv;

#endif
