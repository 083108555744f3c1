/*
 * folded - the pieces of folded stacks: one line a stack, frames divided by ";", a count behind a blank
 *
 * in:    names of any bytes; costs in ns, or in instructions
 * out:   into a FILE of the caller
 * units: counts are whole thousandths of what came in: picoseconds of ns
 * law:   a name never ends its frame or its line, nor looks like a count: ";" becomes ":", blanks "_",
 *        control characters "?". Rounding is carried on, so that the sum of what was printed never
 *        drifts from the sum of what was meant
 * error: none; ferror() tells
 * src:   what flamegraph.pl and difffolded.pl of https://github.com/brendangregg/FlameGraph read
 */
#ifndef PERFPARSE_FOLDED_H
#define PERFPARSE_FOLDED_H

#include <stdio.h>

void folded_name(FILE *out, const char *s);
/* carry: 0 before the first. A cost that is not known, or no long long, counts as 0 and leaves carry as it was. */
long long folded_thousandths(double cost, double *carry);

#endif
