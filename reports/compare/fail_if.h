/*
 * fail_if - when a comparison shall fail: "slower=2%", "different=3ns", "slower=10instructions"
 *
 * in:    the words of the user; the headline of a comparison, or exact counts
 * out:   does the comparison fail, and the sentence that tells why
 * units: % of the base, ns per packet (measured), instructions per packet (exact)
 * law:   a measured comparison fails when the whole 95 % interval of the difference is beyond the limit: above it for
 *        "slower", on either side for "different". So chance alone fails 5 comparisons of 100 at most, at a limit of 0.
 *        Without an interval it fails too: what cannot be told does not pass as fine. Exact counts have no interval
 * error: -EINVAL with one sentence: the words are not understood, or their unit is for another kind of run
 */
#ifndef REPORTS_FAIL_IF_H
#define REPORTS_FAIL_IF_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/compare/compare.h"

enum fail_unit { FAIL_PCT, FAIL_NS, FAIL_INSTRUCTIONS };

struct fail_if {
	bool given;      /* false: nothing fails */
	bool either_way; /* different */
	double limit;
	enum fail_unit unit;
};

int fail_if_parse(struct fail_if *f, const char *words, struct diag *d);
/* Is the unit one of measured comparisons, or of exact ones? */
int fail_if_fits(const struct fail_if *f, bool exact, struct diag *d);
/* true: it fails, and why holds the sentence */
bool fail_if_measured(const struct fail_if *f, const struct compare_headline *h, char *why, size_t size);
bool fail_if_counted(const struct fail_if *f, double base, double change, char *why, size_t size);

#endif
