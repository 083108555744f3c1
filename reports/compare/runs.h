/*
 * runs - the difference of two variants by several runs of each
 *
 * in:    the base of each run of both sides; paired: base[i] and new[i] are two variants of the same run
 * out:   struct compare_runs, by value
 * units: ns per packet; sd_pct: standard deviation of one run's base, in percent of the base
 * law:   each run is one value, so the interval knows how much runs differ, whatever their blocks say. NaN where there
 *        are too few runs: two pairs, or three runs that are not all of one side
 * error: none
 *
 * Not paired: both sides differ from run to run by the same part of their base, so their variances are pooled:
 * sd² = sum (log x - mean of the side's logs)² / (nbase + nnew - 2), and t of as many degrees of freedom.
 */
#ifndef REPORTS_COMPARE_RUNS_H
#define REPORTS_COMPARE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#define COMPARE_MAX_RUNS 64 /* of a side */

struct compare_runs {
	size_t nbase, nnew; /* 0: there is one run of each side */
	bool paired;
	double base_ns, new_ns; /* means over runs */
	double delta_ns, half_ns, ci95_ns[2], p;
	double sd_pct; /* NaN where paired: what moves both sides of a run is not in the difference */
};

struct compare_runs compare_runs_of(const double *base, size_t nbase, const double *new, size_t nnew, bool paired);
/* "3 and 3 runs: 72.1 and 78.0 ns on average; ..." */
const char *compare_runs_words(const struct compare_runs *r, char *buf, size_t size);

#endif
