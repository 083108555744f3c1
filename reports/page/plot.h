/*
 * plot - a gnuplot script and its data: for papers, and to be changed by hand
 *
 * in:    an analysed run, or a sweep, and the kinds of plots to make; borrowed
 * out:   BASE.gp and one BASE.KIND.tsv per plot, beside FILE; the script makes FILE, from its own folder
 * units: in the heads of the columns
 * law:   nothing is computed: columns are those of the analysis, of diff_step_rows() and of timeline.h. Names in the
 *        data contain no tabs, quotes or newlines. Names in the script cannot end their quotes, and begin with "./":
 *        gnuplot runs other names as commands. All files are complete or absent (new_file.h)
 * error: -errno with one sentence; -EINVAL: the file does not end in svg, png or pdf, or a script cannot contain its
 *        name
 */
#ifndef REPORTS_PLOT_H
#define REPORTS_PLOT_H

#include "base/new_file.h"
#include "reports/compare/compare.h"
#include "reports/compare/overview.h"
#include "reports/sweep/sweep.h"

enum plot_kind {
	PLOT_WATERFALL,
	PLOT_FACILITIES,
	PLOT_PPS,
	PLOT_POLLS,
	/* of sweeps, which have facilities, too: over a parameter; busy CPUs over the rate, and over Mpps */
	PLOT_NS,
	PLOT_MPPS,
	PLOT_BUSY,
	PLOT_CORES,
	PLOT_KINDS
};

enum { PLOT_SCRIPT = PLOT_KINDS, PLOT_PICTURE, PLOT_FILES };

struct plot {
	const struct analysis *a;
	const struct sweep *sweep;           /* drawn instead of a; NULL: none */
	const struct analysis_variant *only; /* NULL: all variants */
	const struct compare *c;             /* the comparison in the waterfall; NULL: no waterfall */
	bool wanted[PLOT_KINDS];
	const char *file;
	int folder_fd; /* from plot_open() to plot_release() */
	/* the data of each kind, the script, and FILE; of one that could not be opened, why */
	struct new_file files[PLOT_FILES];
	int errs[PLOT_FILES];
	char folder[4096], name[256], base[256]; /* FILE's folder, its name, and its name without its end */
};

/* Splits file into folder, name and base. */
int plot_init(struct plot *p, const char *file, struct diag *d);
/* "waterfall" ... sets wanted[]. */
int plot_want(struct plot *p, const char *kind, struct diag *d);
/* Opens all files, before anything is read. One that cannot be opened is an error when it is used. */
int plot_open(struct plot *p, struct diag *d);
/* Returns the file, whose stream is open, or NULL after a sentence. */
struct new_file *plot_file(struct plot *p, int which, struct diag *d);
/* Puts the file in place, or with err does not. */
int plot_close(struct plot *p, int which, int err, struct diag *d);
/* Writes script and data. A kind for which the run has no data is left out. */
int plot_write(struct plot *p, struct diag *d);
/* The script without the name of its output: gnuplot, in FILE's folder, writes the picture to its standard output. */
void plot_draw(FILE *out, const struct plot *p);
void plot_release(struct plot *p); /* may be called twice */

#endif
