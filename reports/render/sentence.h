/*
 * sentence - what a comparison says, in one sentence
 *
 * in:    a comparison, borrowed
 * out:   three parts that follow each other without anything between them: what comes before the
 *        number, the number with its interval and unit, what comes behind
 * units: ns per packet
 * law:   says "do not differ measurably" exactly where the interval of the difference holds zero;
 *        names modes alone where nothing else differs
 * error: none; what does not fit is cut
 */
#ifndef REPORTS_SENTENCE_H
#define REPORTS_SENTENCE_H

#include "reports/compare/compare.h"

struct sentence {
	char before[360], number[64], after[360];
};

void sentence_of_difference(struct sentence *s, const struct compare *c);

/* What the two sides are called where both are named: their modes ("generic" for skb), or their ids. */
void sentence_sides(const struct compare *c, const char **base, const char **new);

/*
 * Where most of the difference goes: "+84.9 stack entry, +81.4 skb free, -21.1 page recycling". Only facilities that
 * chance does not explain, largest first, at most max; "" when there are none.
 */
void sentence_of_parts(const struct compare *c, size_t max, char *line, size_t size);

#endif
