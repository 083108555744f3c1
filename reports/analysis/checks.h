/*
 * checks - can this machine measure, now? One row per thing that was tried, against its bar
 *
 * in:    values, from whoever measured them
 * out:   rows in the order added, owned by the caller; text, or JSON with schema "xdpzoom.selftest/1"
 * units: each check's own, in checks_rules[]
 * law:   a bar is held when the value is at most (or at least) the limit and known at least as well as that (spread at
 *        most the limit); missed when the whole interval value ± spread is beyond it; else nobody can tell, and the row
 *        says so. A value that is not known (NaN) is a bar missed.
 *        text and JSON are made of the same rows
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
	CHECK_TEST_RUN,
	CHECK_BPF_STATS,
	CHECK_OVERHEAD,
	CHECK_PROBES,
	CHECK_COUNTERS,
	CHECKS
};

enum check_verdict { CHECK_HELD, CHECK_UNSURE, CHECK_MISSED };

struct check_row {
	const char *check, *unit;
	char of[128];                /* what was measured */
	double value, spread, limit; /* spread: half of the 95 % interval; NaN: a count, which has none */
	bool at_least;
	enum check_verdict verdict;
	char note[240];
};

struct checks {
	struct check_row *rows;
	size_t nrows;
};

/* limit: NaN for the rule's own. 0 or -ENOMEM. */
int checks_add(struct checks *c, enum check check, const char *of, double value, double spread, double limit,
	       const char *note, ...) __attribute__((format(printf, 7, 8)));
size_t checks_count(const struct checks *c, enum check_verdict verdict);
void checks_release(struct checks *c); /* may be called twice */

/* What a planted cost may be off by, in ns. */
double checks_planted_limit_ns(double plant_ns);

#endif
