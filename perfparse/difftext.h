/*
 * difftext - the text of `perf diff` -> two profiles
 *
 * in:    the output of perf diff --stdio with its default column, Delta or Delta Abs; an optional event
 * out:   two tables of the same symbols: base, and new = base + delta
 * units: shares in percent of all samples of each side
 * law:   a blank Delta below "Delta Abs" is a symbol that is gone. Older perfs leave it blank for a small difference
 *        too: there, new may have as much of it as base, which profile.absent_pct of new holds
 * error: -EINVAL no rows, several events and none picked, another column than Delta, more than two files; -ERANGE a
 *        share above 100.5 %; -ENOMEM. Both profiles are then empty
 * src:   tools/perf/builtin-diff.c of Linux 3.19, 4.11 and 6.12
 */
#ifndef PERFPARSE_DIFFTEXT_H
#define PERFPARSE_DIFFTEXT_H

#include "base/diag.h"
#include "perfparse/linescan.h"
#include "perfparse/profile.h"

int difftext_read(struct profile *base, struct profile *new, struct linescan *lines, const char *event, int table,
		  struct diag *d);

/* True for the header of a difference, and for a row with a share and a signed share. */
bool difftext_is_line(const char *s, size_t len);

#endif
