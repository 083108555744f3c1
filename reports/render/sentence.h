/*
 * sentence - the result of a comparison in one sentence
 *
 * in:    a comparison, borrowed
 * out:   three parts, to be printed one after the other: the words before the number, the number with its interval and
 *        unit, the words after the number
 * units: ns per packet
 * law:   the sentence is "do not differ measurably" exactly if the interval of the difference contains zero. It names
 *        only the modes if the variants differ in nothing else
 * error: none; text that does not fit is cut
 */
#ifndef REPORTS_SENTENCE_H
#define REPORTS_SENTENCE_H

#include "reports/compare/compare.h"

struct sentence {
	char before[360], number[64], after[360];
};

void sentence_of_difference(struct sentence *s, const struct compare *c);

/* Short names of the two sides: their modes ("generic" for skb) if they differ in nothing else, or their ids. */
void sentence_sides(const struct compare *c, const char **base, const char **new);

/*
 * The largest parts of the difference: "+84.9 stack entry, +81.4 skb free, -21.1 page recycling". Contains at most max
 * facilities, largest first, and only those whose change chance does not explain; "": there are none.
 */
void sentence_of_parts(const struct compare *c, size_t max, char *line, size_t size);

#endif
