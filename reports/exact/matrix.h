/*
 * matrix - exact counts of kernels x drivers x variants, and what changed from each kernel to the next
 *
 * in:    the folder that `xdpzoom exact` fills for several kernels or NICs: runs, FOLDER/KERNEL/DRIVER/NAME, and NAME.log
 *        where there is none; cells that are asked for
 * out:   a cell for each kernel, driver and variant that has a run there, or a reason for having none, or is asked for.
 *        Kernels are in the order of their releases, drivers as matrix_drivers[], variants by name. Changes, surest and
 *        largest first
 * units: instructions per packet
 * law:   a change is that against the last kernel before it which has a count of the same driver and variant. sure is
 *        what of the change functions carry beyond their deviations on both sides. The same folder gives the same
 *        matrix, in whatever order it was filled: kernels of one release are in the order in which they are
 *        asked for, then in that of the folder's matrix.json. A count that is not known is NaN, why tells the reason.
 *        size is the part of a packet's cost that changed at least: the change less the deviations of both sides, and
 *        less what another compiler may do. Below 0 it may have the other sign. Changes from one kernel to another one
 *        are the same where at least half of each is in functions that changed alike: the largest of them leads, and
 *        the others follow it
 * error: -errno with one sentence: the folder cannot be read, or there is no memory; a run that cannot be read becomes
 *        the reason of its cells
 */
#ifndef REPORTS_EXACT_MATRIX_H
#define REPORTS_EXACT_MATRIX_H

#include "reports/exact/exact_diff.h"

extern const char *const matrix_drivers[]; /* ends with NULL */

#define MATRIX_PAGE   "index.html"
#define MATRIX_JSON   "matrix.json"
#define MATRIX_CSV    "matrix.csv"
#define MATRIX_FEED   "feed.xml"
#define MATRIX_SCHEMA "xdpzoom.matrix/1"

struct matrix_cell {
	const char *kernel, *driver, *variant; /* as they were named */
	const struct exact *run;               /* NULL: there is none */
	const struct exact_variant *counted;   /* of the run */
	double instructions, change;
	bool other_compiler; /* than the kernel that change is against; false where one of both is not known */
	char dir[800];       /* of the run that counted it or left it out, below the folder; "": none */
	char why[512];       /* "": there is a count */
};
#define MATRIX_NOT_YET "not counted yet" /* the reason of a cell that nobody has tried */

#define MATRIX_LEAST 0.5 /* instructions per packet of a function or facility that is listed in a change */

/* What a change may come from, a set: nothing else differs between the two kernels. */
enum matrix_cause { MATRIX_SOURCE = 1, MATRIX_COMPILER = 2, MATRIX_CONFIG = 4, MATRIX_CAUSES = 8 };

struct matrix_change {
	const struct matrix_cell *from, *to;
	struct exact_diff diff;
	double change, sure, size;
	unsigned int causes;            /* of enum matrix_cause */
	char config[MADE_CONFIG_BYTES]; /* the options that differ, in words; "": none, as far as both tell */
	size_t leader;                  /* index of the change that this one is the same as; its own: none before it */
	char id[160];                   /* of a link: letters, digits, "." and "-" */
	char title[300];                /* "6.18.15 to 7.2.12, virtio_net native" */
	char parts[520];                /* what it is made of, in words; "": nothing is sure */
};

struct matrix {
	char **kernels, **names; /* as they were named; for people: releases, as short as they differ */
	char **drivers, **variants;
	size_t nkernels, ndrivers, nvariants;
	struct matrix_cell *cells; /* by kernel, then driver, then variant */
	struct matrix_change *changes;
	size_t nchanges;
	/* private */
	struct exact **runs;
	size_t nruns;
	struct symkeys *keys;
};

/* What is asked for; each may have no names. */
struct matrix_names {
	const char *const *kernels, *const *drivers, *const *variants;
	size_t nkernels, ndrivers, nvariants;
};

/* facilities: those of the functions in changes. Release m with an error, too. */
int matrix_read(struct matrix *m, const char *folder, const struct matrix_names *asked, struct facilities *f,
		struct diag *d);
struct matrix_cell *matrix_at(const struct matrix *m, size_t kernel, size_t driver, size_t variant);
/* Has it a count, or a reason of its own for having none? */
bool matrix_was_tried(const struct matrix_cell *c);
void matrix_release(struct matrix *m); /* may be called twice */

/* "source or compiler"; what the source alone changed has this word, too. */
const char *matrix_cause_words(const struct matrix_change *c);
/* A path for a kernel's or variant's name: "/" is ",". */
void matrix_path(char *path, size_t size, const char *name);
/* "native", "drop/no-touch in skb mode": what tells the variant from the others of m. */
const char *matrix_variant_words(const struct matrix *m, const char *variant, char *buf, size_t size);

/* ---- private to matrix.c and matrix_changes.c ---- */
int matrix_compare(struct matrix *m);

#endif
