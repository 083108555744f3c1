/*
 * plot - a gnuplot script and its data: for papers, and to be changed by hand
 *
 * in:    an analysed run and what of it to plot; borrowed
 * out:   BASE.gp and one BASE.KIND.tsv per plot, beside FILE; the script makes FILE, from its own folder
 * units: in the heads of the columns
 * law:   nothing is computed: columns are those of the analysis, of waterfall.h and of timeline.h. Names hold no
 *        tabs, quotes or newlines in the data, and no quotes that end early in the script
 * error: -errno with one sentence; -EINVAL a file whose end is none of svg, png, pdf, or a name no script can hold
 */
#ifndef REPORTS_PLOT_H
#define REPORTS_PLOT_H

#include "reports/compare/compare.h"
#include "reports/compare/overview.h"

enum plot_kind { PLOT_WATERFALL, PLOT_FACILITIES, PLOT_PPS, PLOT_POLLS, PLOT_KINDS };

extern const char *const plot_kind_names[PLOT_KINDS]; /* "waterfall" "facilities" "pps" "polls" */

struct plot {
	const struct analysis *a;
	const struct analysis_variant *only; /* NULL: all variants */
	const struct compare *c;             /* what the waterfall shows; NULL: no waterfall */
	bool wanted[PLOT_KINDS];
	const char *file;
	char folder[4096], name[256], base[256]; /* FILE's folder, its name, and its name without its end */
};

/* Takes file apart. */
int plot_init(struct plot *p, const char *file, struct diag *d);
/* "waterfall" ... sets wanted[]. */
int plot_want(struct plot *p, const char *kind, struct diag *d);
/* Writes script and data. A kind that this run has nothing for is left out. */
int plot_write(struct plot *p, struct diag *d);

#endif
