/*
 * matrix - exact counts of kernels x drivers x variants, each beside the kernel before it
 *
 * in:    the names of kernels, drivers and variants, borrowed; the runs of the cells, or why there is none
 * out:   a cell for each, by kernel, then driver, then variant
 * units: instructions per packet
 * law:   change is that against the last kernel before it, in the order of the kernels, which has a count of the same
 *        driver and variant; NaN: there is none. A count that is not known is NaN, and why tells the reason
 * error: -ENOMEM; a run that cannot be read becomes the reason of its cells
 */
#ifndef REPORTS_EXACT_MATRIX_H
#define REPORTS_EXACT_MATRIX_H

#include "reports/exact/exact.h"

struct matrix_cell {
	const char *kernel, *driver, *variant; /* as they were named */
	char release[128], compiler[MADE_COMPILER_BYTES];
	double instructions, change;
	bool other_compiler; /* than the kernel that change is against; false where one of both is not known */
	char run[4096];      /* the run directory; "": none */
	char why[512];
};

struct matrix {
	const char *const *kernels, *const *drivers, *const *variants;
	size_t nkernels, ndrivers, nvariants;
	struct matrix_cell *cells;
};

int matrix_init(struct matrix *m); /* the names are there: makes the cells, of which no count is known */
struct matrix_cell *matrix_at(const struct matrix *m, size_t kernel, size_t driver, size_t variant);
/* Takes from a run what it has of a kernel and a driver; facilities decide nothing here. */
void matrix_take(struct matrix *m, size_t kernel, size_t driver, const char *dir, struct facilities *f);
void matrix_compare(struct matrix *m); /* once all runs are taken */
void matrix_release(struct matrix *m); /* may be called twice */

#endif
