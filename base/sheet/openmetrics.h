/*
 * openmetrics - the pieces of OpenMetrics text
 *
 * in:    names that are right already; values of labels, any bytes
 * out:   text into the caller's stream
 * law:   no value ends its label, and none controls a terminal (printable.h)
 * error: none; the caller checks ferror()
 * src:   https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#ifndef SHEET_OPENMETRICS_H
#define SHEET_OPENMETRICS_H

#include <stdio.h>

/* Writes name="value". */
void openmetrics_label(FILE *out, const char *name, const char *value);
/* The lines above the samples of a family; unit NULL: it has none. */
void openmetrics_head(FILE *out, const char *name, const char *type, const char *unit, const char *help);

#endif
