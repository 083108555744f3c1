/*
 * sweep_rank - which parameter of a sweep matters most for ns/packet
 *
 * in:    a sweep, borrowed; one of its variants
 * out:   for each parameter, the part of the spread between the points that it explains alone, and the ns between its
 *        dearest and its cheapest value
 * units: parts of 1; ns per packet
 * law:   the parts of all parameters and `rest` add up to 1 where every combination of values was recorded; where some
 *        are missing, what two parameters explain only together is in no part. rest: combinations of parameters, and
 *        noise
 * error: -ERANGE: less than two parameters with two values each, or no spread; -ENOMEM
 * src:   Saltelli et al., "Global Sensitivity Analysis: The Primer", 2008: the part of the variance by a main effect;
 *        least squares: GNU Scientific Library, QR decomposition with column pivoting
 *
 * Model: ns = mean + an effect of each value of each parameter, by least squares. The part of a parameter is the
 * growth of the sum of squared residuals when its effects are left out, over the sum of squared distances from the
 * mean. Intervals: each point is moved at random by its own interval (normal), SWEEP_RANK_DRAWS times; the middle 95 %
 * of the results, and what was found, which the added noise may leave outside. The draws begin with the same seed each
 * time, so the same sweep has the same intervals.
 */
#ifndef REPORTS_SWEEP_RANK_H
#define REPORTS_SWEEP_RANK_H

#include "reports/sweep/sweep.h"

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
