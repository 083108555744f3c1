/* gnuplot - the picture of a plot whose script and data are written */
#ifndef USER_CLI_GNUPLOT_H
#define USER_CLI_GNUPLOT_H

#include "reports/page/plot.h"

/* -EOPNOTSUPP: gnuplot is not installed; -EIO: it could not draw. */
int gnuplot_draw(const struct plot *p, FILE *picture, struct diag *d);

#endif
