/*
 * matrix_jobs - counts the cells of a matrix: a process of `xdpzoom exact` for each kernel and driver
 *
 * in:    kernels by their words, files or trees, drivers, variants; the folder that holds all runs
 * out:   a folder for each kernel and driver: all/, the run of all variants, or where that fails a run of each variant.
 *        Beside a run, "NAME.json" with its variants, what it was made of, and why it failed
 * units: seconds of wall time in the progress on stderr
 * law:   each run is complete or absent, so an interrupted matrix goes on where it was. Counted again is only what is
 *        missing, what failed for a reason that may pass, and what was made of another kernel, QEMU, or other parts of
 *        xdpzoom that count (COUNTED_BY is a checksum of them, which the build makes). A run
 *        of other variants is kept: those that it lacks get runs of their own. No cell
 *        stops another one. All processes end with this one
 * error: -errno with one sentence: the folder cannot be used, or a signal came. A cell that fails is no error
 */
#ifndef USER_COMMANDS_MATRIX_JOBS_H
#define USER_COMMANDS_MATRIX_JOBS_H

#include "reports/exact/matrix.h"

struct matrix_options {
	const char *out_dir;
	int jobs;
	bool memory, build, quiet;
	/* Called while cells are counted, once a minute at most; NULL: nobody looks on. */
	int (*counted)(void *onlooker, struct diag *d);
	void *onlooker;
};

/* There is one kernel, one driver and one variant at least. *failed: cells that failed for a reason that may pass. */
int matrix_jobs_run(const struct matrix_names *of, const struct matrix_options *o, size_t *failed, struct diag *d);

#endif
