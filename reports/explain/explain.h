/*
 * explain - measured ns of each function beside its exact counts: ns = a·instructions + b·transfers + rest
 *
 * in:    a measured run that was analysed, an exact run, and the renames between their kernels; borrowed, they must
 *        outlive the explanation
 * out:   struct explain, owned by the caller: coefficients, functions, and what each term carries of a difference
 * units: ns, instructions and transferred lines of 64 bytes, all per packet; a in ns per instruction, b in ns per line
 * law:   of each variant, by_instructions + by_transfers + rest + not_counted + unattributed == its base, to rounding;
 *        the same holds for differences. A function that is in the counts and has no sample costs 0 ns with the
 *        error of a cost that was not seen. A function that was measured and not counted is outside of the fit
 * error: -ENOENT: the runs have no variant in common. -ENODATA: too few functions in common. -ENOMEM; e left empty
 * src:   explain_fit.h
 *
 * Instructions of a function are those per packet, and those per poll divided by the measured packets per poll. What a
 * wakeup costs is left out: a receiver under load has none.
 */
#ifndef REPORTS_EXPLAIN_EXPLAIN_H
#define REPORTS_EXPLAIN_EXPLAIN_H

#include "perfparse/symkey.h"
#include "reports/analysis/analysis.h"
#include "reports/compare/overview.h"
#include "reports/exact/exact.h"
#include "reports/explain/explain_fit.h"

struct explain_row {
	const char *name, *facility;
	const struct analysis_variant *variant;
	double ns, half_ns;             /* measured; half_ns: of the 95 % interval */
	double instructions, transfers; /* NaN: not counted */
	double model_ns, rest_ns;       /* NaN: not counted */
	double model_half_ns;           /* 95 of 100 functions are not farther from model_ns */
	bool fits;                      /* rest_ns is within model_half_ns, or the function was not counted */
};

/* Where the ns of a variant, or of a difference, come from. */
struct explain_parts {
	double ns, half_ns; /* the base, or the difference measured */
	double instructions, transfers;
	double by_instructions_ns, by_instructions_ci95[2];
	double by_transfers_ns, by_transfers_ci95[2]; /* 0 and NaN without transfers */
	double rest_ns, not_counted_ns, unattributed_ns;
};

struct explain_variant {
	const struct analysis_variant *measured;
	const struct exact_variant *counted;
	struct explain_row *rows; /* most ns first */
	size_t nrows;
	struct explain_parts parts;
};

struct explain_difference {
	const char *name; /* "drop/no-touch": skb less native */
	const struct explain_variant *native, *skb;
	struct explain_parts parts;
};

/* What the change to another kernel's counts costs at the fitted ns: a forecast, which nobody has measured. */
struct explain_change {
	const struct explain_variant *variant;
	double instructions, transfers; /* changes per packet; transfers NaN: one of both did not count them */
	double ns, half_ns;             /* of the 95 % intervals of what an instruction and a line cost */
};

struct explain {
	const struct analysis *measured;
	const struct exact *counted;
	struct explain_variant *variants;
	size_t nvariants;
	struct explain_difference *differences;
	size_t ndifferences;
	const struct exact *to;         /* the other kernel's counts; NULL: none */
	struct explain_change *changes; /* of variants that it has, too */
	size_t nchanges;
	struct explain_fit fit;
	bool transfers;      /* the exact run counted them */
	double ping_pong_ns; /* a line from CPU to CPU, one way, measured beside the run; NaN: not known */
	const struct explain_row **misfits; /* functions that do not fit, largest rest first */
	size_t nmisfits, npoints;
	/* private */
	struct overview overview;
};

/* only: a variant of the measured run; NULL: all that both runs have. */
int explain_build(struct explain *e, const struct analysis *a, const struct analysis_variant *only,
		  const struct exact *counted, const struct symkeys *keys, struct diag *d);
/* Fills e->changes. -ENOENT: the other counts have none of the variants. */
int explain_forecast(struct explain *e, const struct exact *to, struct diag *d);
void explain_release(struct explain *e); /* may be called twice */

#endif
