/*
 * report_cell - cells of a line of `perf report`
 *
 * in:    a line, or the rest of one
 * out:   pointers into it
 * law:   without a separator, at least two blanks separate cells
 * error: false at the end of the line
 */
#ifndef PERFPARSE_REPORT_CELL_H
#define PERFPARSE_REPORT_CELL_H

#include <stdbool.h>
#include <stddef.h>

struct cell {
	const char *s;
	size_t len;
};

struct cell cell_trimmed(const char *from, const char *to);
bool cell_is(const struct cell *c, const char *text);
/* The next cell from *s on. It ends at the separator, or at two blanks where separator is 0. */
bool cell_next(const char **s, const char *end, char separator, struct cell *cell);

#endif
