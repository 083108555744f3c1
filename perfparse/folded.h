/*
 * folded - folded stacks, written and read: one line a stack, frames divided by ";", a count behind a blank
 *
 * in:    written: names of any bytes; costs in ns, or in instructions. Read: lines of other profilers, whose first
 *        frame is often the task; "_[k]" behind a name is the kernel's
 * out:   written: into a FILE of the caller. Read: distinct stacks, whose weights are the counts
 * units: counts are whole thousandths of what came in: picoseconds of ns. What is read has any unit: samples is 0,
 *        because nobody knows whether they are samples, periods or picoseconds
 * law:   a name never ends its frame or its line, nor looks like a count: ";" becomes ":", blanks "_",
 *        control characters "?". Rounding is carried on, so that the sum of what was printed never
 *        drifts from the sum of what was meant
 * error: written: none; ferror() tells. Read: -EINVAL a line that is no stack, no stacks; -ENOMEM. p is then empty
 * src:   what flamegraph.pl, difffolded.pl and stackcollapse-perf.pl of https://github.com/brendangregg/FlameGraph read
 *        and write
 */
#ifndef PERFPARSE_FOLDED_H
#define PERFPARSE_FOLDED_H

#include <stdio.h>
#include "perfparse/linescan.h"
#include "perfparse/profile.h"

void folded_name(FILE *out, const char *s);
/* carry: 0 before the first. A cost that is not known, or no long long, counts as 0 and leaves carry as it was. */
long long folded_thousandths(double cost, double *carry);

/* A stack of two frames or more, and its count. */
bool folded_is_line(const char *s, size_t len);
int folded_read(struct profile *p, struct linescan *lines, struct diag *d);

#endif
