/*
 * checks - can this machine measure, now? One row per check: a measured value against its limit
 *
 * in:    measured values
 * out:   rows in the order added, owned by the caller
 * units: the unit of each check, in check_row.unit
 * law:   CHECK_HELD: the whole interval value ± spread is within the limit (at most, or at least).
 *        CHECK_MISSED: the whole interval is beyond the limit.
 *        CHECK_OPEN: all other cases, also when the value is not known (NaN); the measurement cannot tell.
 *        Text and JSON are made of the same rows
 * error: -ENOMEM; writing: -errno of the stream
 */
#ifndef REPORTS_CHECKS_H
#define REPORTS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

enum check {
	CHECK_AA_MISSES,
	CHECK_AA_WIDE,
	CHECK_PLANTED,
	CHECK_PLANTED_FACILITY,
	CHECK_CLOSURE,
	CHECK_SAMPLED_BUSY,
	CHECK_PLANTED_PROFILE,
	CHECK_BPF_STATS,
	CHECK_OVERHEAD,
	CHECK_PROBES,
	CHECK_COUNTERS,
	CHECKS
};

enum check_verdict { CHECK_HELD, CHECK_OPEN, CHECK_MISSED };

struct check_row {
	const char *check, *unit;
	char of[128]; /* what was measured */
	double value, spread,
		limit; /* spread: half of the 95 % interval; NaN: the value is a count, without interval */
	bool at_least;
	enum check_verdict verdict;
	char note[240];
};

struct checks {
	struct check_row *rows;
	size_t nrows;
};

/* limit: NaN takes the limit of the check's rule. 0 or -ENOMEM. */
int checks_add(struct checks *c, enum check check, const char *of, double value, double spread, double limit,
	       const char *note, ...) __attribute__((format(printf, 7, 8)));
size_t checks_count(const struct checks *c, enum check_verdict verdict);
/* Moves the rows of from to the end of c; 0 or -ENOMEM. */
int checks_append(struct checks *c, struct checks *from);
void checks_release(struct checks *c); /* may be called twice */

/* How many ns a planted cost may be found off by this check. */
double checks_planted_limit_ns(enum check check, double plant_ns);

#endif
