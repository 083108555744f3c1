/*
 * sentence - the result of a comparison in one sentence
 *
 * in:    a comparison, borrowed
 * out:   three parts, to be printed one after the other: the words before the number, the number with its interval and
 *        unit, the words after the number
 * units: ns per packet; instructions per packet for exact counts
 * law:   the sentence is "do not differ measurably" exactly if the interval of the difference contains zero, and both
 *        sides were equally busy (compare_busy_alike()). It names only the modes if the variants differ in nothing else
 * error: none; text that does not fit is cut
 */
#ifndef REPORTS_SENTENCE_H
#define REPORTS_SENTENCE_H

#include "reports/compare/compare.h"
#include "reports/exact/exact_diff.h"
#include "reports/explain/explain.h"

struct sentence {
	char before[360 + 2 * RUN_ID_BYTES], number[64], after[360 + 2 * RUN_ID_BYTES];
};

#define SENTENCE_BYTES sizeof(struct sentence) /* room for the three parts as one text */

void sentence_of_difference(struct sentence *s, const struct compare *c);
/* Adds ", with what waking up costs: ..." where a receiver slept (compare_sleeps()) and s does not say so. */
void sentence_add_waking(struct sentence *s, const struct compare *c);

/* The same of exact counts: the number is instructions per packet, and equal counts are equal. */
void sentence_of_exact(struct sentence *s, const struct exact_diff *d);

/* "skb less native is 94.3 ns: 54.1 by instructions, 20.0 by transfers, ...", of the first difference or variant. */
void sentence_of_explanation(char *line, size_t size, const struct explain *e);

/* Short names of the two sides: their modes ("generic" for skb) if they differ in nothing else, or their ids. */
void sentence_sides(const struct compare *c, const char **base, const char **new);
void sentence_exact_sides(const struct exact_diff *d, const char **base, const char **new);

/*
 * The largest parts of the difference: "+84.9 stack entry, +81.4 skb free, -21.1 page recycling". Contains at most max
 * facilities, largest first, and only those whose change chance does not explain; "": there are none.
 */
void sentence_of_parts(const struct compare *c, size_t max, char *line, size_t size);

#endif
