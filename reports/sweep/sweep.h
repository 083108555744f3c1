/* sweep.h - the points of a sweep, each a run directory; lines through them, and a ranking */
#ifndef REPORTS_SWEEP_SWEEP_H
#define REPORTS_SWEEP_SWEEP_H

#include "base/base.h"
#include "reports/analysis/analysis.h"
#include "reports/run/run.h"

/*
 * sweep - the same variants at several values of parameters: a directory with a run directory for each point
 *
 * units: in the names; sizes in bytes, injected costs in ns, busy_cpus in CPUs
 * law:   all points have the same parameters in the same order. A point has one name, so no point is there twice. What
 *        has another kind of name is no point and is left alone. Points that were not recorded have no row. Variants
 *        that differ by what the sweep gave them, an injected cost or the frames of an AF_XDP socket, have one name,
 *        without it
 * src:   weighted least squares: GNU Scientific Library, gsl_fit_wlinear()
 */

#define SWEEP_PARAMETERS 4
#define SWEEP_RATE       "rate"
#define SWEEP_BATCH      "batch"
#define SWEEP_INJECT     "inject"
#define SWEEP_UMEM       "umem"
#define SWEEP_NAME       192 /* room for a point's name */

struct sweep_point {
	size_t n;
	char names[SWEEP_PARAMETERS][16];
	double values[SWEEP_PARAMETERS];
};

struct sweep_component {
	char name[48];
	double self_ns;
};

struct sweep_row {
	struct sweep_point point;
	char variant[RUN_ID_BYTES], ended[64]; /* ended: as struct run has it */
	double base_ns, half_ns, pps;          /* half_ns NaN with one block */
	double packets_per_poll, busy_cpus;    /* NaN: not known */
	struct analysis_wakeups wakeups;       /* points 0: the row is on no line over SWEEP_RATE */
	size_t gates_failed;
	struct sweep_component *components; /* largest first, those without a cost left out */
	size_t ncomponents;
};

struct sweep {
	struct sweep_row *rows;
	size_t nrows;
};

/*
 * y = a + b·x. Points weigh 1/half². The half-widths of a and b come from those of the points; with three points or
 * more they are at least t(n - 2) times the error by the points' distances from the line. They are NaN where neither
 * is known. full: y at 1 / ANALYSIS_FULL_POLL, for SWEEP_RATE. far: the point that is farthest from the line, and how
 * far above it.
 */
struct sweep_line {
	size_t n, far;
	double a, a_half, b, b_half, full, full_half, far_y;
};

/* "size=64,flows=16". -EINVAL: the name is not exactly what sweep_point_name() writes for a point. */
int sweep_point_parse(struct sweep_point *p, const char *name);
void sweep_point_name(const struct sweep_point *p, char name[SWEEP_NAME]);
/* "flows=16,rate=100000": the row's point without parameter p. */
void sweep_others(const struct sweep_row *row, size_t p, char name[SWEEP_NAME]);

/* Is there a point in this directory, which is no run itself? */
bool sweep_is(const char *dir);
/*
 * Are there run directories in dir that look like points and are none, such as "size=64.0"? Then the sentence names
 * them.
 */
bool sweep_left_out(const char *dir, struct diag *d);
int sweep_read(struct sweep *s, const char *dir, struct diag *d);
/* Is it the first row of its variant? */
bool sweep_is_first(const struct sweep *s, size_t row);
void sweep_release(struct sweep *s); /* may be called twice */

/*
 * The line over parameter p, of all rows with the variant and the other parameters of row number `first`; l->far is a
 * number of a row. -ERANGE: there is no line, or an earlier row has the same one. Over SWEEP_RATE x is polls per
 * packet: at a low rate the receiver wakes up for each poll, and b is what that costs beside the packets. Over
 * SWEEP_BATCH x is 1 / batch, and b is what a batch costs beside its packets. Where a half-width is not known, all
 * points weigh the same.
 */
/* Do two rows differ at most in parameter p? */
bool sweep_same_line(const struct sweep_row *a, const struct sweep_row *b, size_t p);

/* The parameter with most values, the first of them. */
size_t sweep_axis(const struct sweep *s);

/* Names of components, borrowed: of the first row largest first, then what only later rows have. variant NULL: any. */
#define SWEEP_COMPONENTS 64
size_t sweep_components(const struct sweep *s, const char *variant, const char *names[SWEEP_COMPONENTS]);

/* The place of the parameter with this name, or point->n. */
size_t sweep_parameter(const struct sweep_point *point, const char *name);

int sweep_line_from(struct sweep_line *l, const struct sweep *s, size_t first, size_t p, struct diag *d);

/* sweep_wakeups.c: fills the wakeups of all rows; sweep_read() has done it. -ENOMEM */
int sweep_wakeups_find(struct sweep *s, struct diag *d);
/*
 * Fills the wakeups of a run that is a point of a sweep over SWEEP_RATE, from all points beside it. A run that is none
 * is left as it is, and so is one of a sweep that cannot be read. -ENOMEM
 */
int sweep_wakeups_fill(struct analysis *a, const char *dir, struct diag *d);

/*
 * sweep_rank - which parameter of a sweep matters most for ns/packet
 *
 * units: parts of 1; ns per packet
 * law:   the parts of all parameters and `rest` add up to 1 where every combination of values was recorded; where some
 *        are missing, what two parameters explain only together is in no part. rest: combinations of parameters, and
 *        noise
 * src:   Saltelli et al., "Global Sensitivity Analysis: The Primer", 2008: the part of the variance by a main effect;
 *        least squares: GNU Scientific Library, QR decomposition with column pivoting
 *
 * Model: ns = mean + an effect of each value of each parameter, by least squares. The part of a parameter is the
 * growth of the sum of squared residuals when its effects are left out, over the sum of squared distances from the
 * mean. Intervals: each point is moved at random by its own interval (normal), SWEEP_RANK_DRAWS times; the middle 95 %
 * of the results, and what was found, which the added noise may leave outside. The draws begin with the same seed each
 * time, so the same sweep has the same intervals.
 */

#define SWEEP_RANK_DRAWS 400

struct sweep_ranked {
	size_t parameter;           /* of the points */
	double part, part_ci95[2];  /* ci95 NaN where the interval of a point is not known */
	double low, high;           /* the values with the least and the most ns */
	double span_ns, span_ci[2]; /* of `high` above `low`; NaN: not known */
};

struct sweep_rank {
	size_t n, npoints;                                /* npoints: those with ns */
	struct sweep_ranked parameters[SWEEP_PARAMETERS]; /* the largest part first */
	double rest;
};

/* Ranks for the variant of row number `first`. -ERANGE also when an earlier row has this variant. */
int sweep_rank_from(struct sweep_rank *r, const struct sweep *s, size_t first);

#endif
