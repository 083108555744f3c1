/*
 * plot_parts - what the files behind plot.h share; no other file includes this header
 */
#ifndef REPORTS_PLOT_PARTS_H
#define REPORTS_PLOT_PARTS_H

#include <stdio.h>
#include "reports/page/plot.h"

void plot_text(FILE *out, const char *text);
void plot_quote(FILE *out, const char *text);
size_t plot_count(const struct plot *p, enum plot_kind kind); /* rows, columns or data sets of its data */
void plot_facility_colours(FILE *out, const struct plot *p);

void plot_data_name(FILE *out, const struct plot *p, enum plot_kind kind); /* of the file, in quotes */

/* plot_sweep.c: the same of a sweep; a kind with a count of 0 has no data */
size_t plot_sweep_count(const struct plot *p, enum plot_kind kind);
void plot_sweep_data(FILE *out, const struct plot *p, enum plot_kind kind);
int plot_sweep_height_px(const struct plot *p, enum plot_kind kind);
void plot_sweep_script(FILE *out, const struct plot *p, enum plot_kind kind);

int plot_height_px(const struct plot *p, enum plot_kind kind);          /* 0: the kind is not wanted */
void plot_script(FILE *out, const struct plot *p, const char *picture); /* picture NULL: to standard output */

#endif
