/*
 * compare - two variants side by side: how much more one costs than the other, and where
 *
 * in:    two analysed variants, of one run or of two, and the renames between their kernels (symkey.h; NULL: none, for
 *        two variants on one kernel); all borrowed, they must outlive the comparison
 * out:   struct compare: the difference of the bases, of the facilities and of the symbols, owned by
 *        the caller
 * units: ns per packet; delta is always new minus base
 * law:   sum of symbols' delta_ns + unattributed_delta_ns + residual_ns == delta_ns. The same holds for
 *        facilities
 * error: -ENOMEM; out left empty
 * src:   stats.h
 *
 * Headline: within one run, delta -+ t(n-1)·sd/sqrt(n) over pairs of blocks of one round and placement. If a block has
 * no partner, and for two runs, Welch's test over blocks.
 *
 * Rows: Welch's test over blocks; the standard error is never smaller than the error of sampling (analysis.h).
 * q is made of the p of all rows of one kind, by Benjamini and Hochberg. Rows are matched by facility and by symkey().
 */
#ifndef REPORTS_COMPARE_H
#define REPORTS_COMPARE_H

#include "perfparse/symkey.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/stacks_diff.h"

#define COMPARE_ALPHA 0.05 /* false discoveries among the rows called changed */

/*
 * gone:    the new variant has no sample of the row; at the row's old cost, it would have had one with a probability of
 *          95 %
 * new:     the same with base and new exchanged
 * changed: q is below COMPARE_ALPHA
 * same:    no difference was found; there may still be one
 */
enum compare_class { COMPARE_SAME, COMPARE_CHANGED, COMPARE_GONE, COMPARE_NEW };

struct compare_row {
	const char *name; /* as perf prints it; of the matched symbol that costs most */
	const char *facility;
	uint64_t base_samples, new_samples;
	double base_ns, new_ns, delta_ns;
	double half_ns, ci95_ns[2]; /* of delta_ns; NaN with less than two blocks */
	double p, q;
	bool significant; /* q < COMPARE_ALPHA */
	enum compare_class class;
};

/* An event of perf stat per packet; NaN on the side that did not count it. */
struct compare_event {
	const char *name, *unit;
	double base, new, delta;
	double half, p;     /* of delta: Welch over blocks */
	double running_pct; /* the lesser of both sides */
};

/* A counter of the device per packet; NaN: not known; 0: the counter did not change. */
struct compare_counter {
	enum counter_source source;
	const char *name, *meaning; /* borrowed; meaning may be "" */
	double base, new, delta;
	/* the counter has a meaning (losses, page recycling, ...), or the sides differ by more than a percent */
	bool matters;
};

struct compare_headline {
	double delta_ns, half_ns, ci95_ns[2], p;
	bool paired;
	size_t npairs;
};

struct compare {
	const struct analysis_variant *base, *new;
	const struct symkeys *keys;
	bool same_run;
	struct compare_headline headline;
	struct compare_row *facilities, *symbols; /* largest difference first */
	size_t nfacilities, nsymbols;
	struct compare_event *events; /* in the order of base, then those that only new counted */
	size_t nevents;
	/* the nmatter counters that matter come first; among them losses and recycling first, then by name */
	struct compare_counter *counters;
	size_t ncounters, nmatter;
	struct stacks_diff stacks; /* empty unless both sides have call paths */
	double sum_delta_ns;       /* of the symbols, plus unattributed_delta_ns */
	double unattributed_delta_ns;
	double residual_ns;     /* headline less sum_delta_ns */
	struct quality quality; /* the comparison's, then base's, then new's */
};

int compare_build(struct compare *c, const struct analysis_variant *base, const struct analysis_variant *new,
		  const struct symkeys *keys, struct diag *d);
void compare_release(struct compare *c); /* may be called twice */

/* The headline alone. 0 or -ENOMEM. */
int compare_bases(struct compare_headline *h, const struct analysis_variant *base, const struct analysis_variant *new);

const char *compare_class_name(enum compare_class class); /* "same" "changed" "gone" "new" */
/* For people: "~" where chance may explain the change; "gone" and "new" for these classes; else "". */
const char *compare_mark(const struct compare_row *row);

/*
 * Reads the renames for compare_build(); free them with symkeys_free(). path: a rename file. NULL: the built-in file if
 * the two runs were recorded on different kernels, else no renames.
 */
int compare_read_renames(struct symkeys **keys, const char *path, const struct analysis_variant *base,
			 const struct analysis_variant *new, struct diag *d);

#endif
