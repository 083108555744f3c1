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

#include "base/span.h"
#include "perfparse/profile.h"

struct span cell_trimmed(const char *from, const char *to);
/* The next cell from *s on. It ends at the separator, or at two blanks where separator is 0. */
bool cell_next(const char **s, const char *end, char separator, struct span *cell);
/*
 * Reads "34.33%", and "34,33%": no perf groups the digits of a share, so a comma in one is the decimal comma of a
 * locale. Returns the end behind the sign; NULL: not a share.
 */
const char *cell_read_percent(const char *s, const char *end, double *pct);
/* Reads perf's mark in front of a name, "[k] name", as a space. The name begins at s + 4. */
bool cell_read_mark(const char *s, const char *end, enum profile_space *space);
/*
 * True for a share or a mark among the other cells of a row: of a table beside this one, of what the share was before,
 * or of where a branch went.
 */
bool cell_holds_row(const char *s, const char *end);
/*
 * The space of a symbol that perf marked. Where perf 7.3 prints children, it marks callers in the kernel as user space,
 * "[.]": the DSO of a kernel overrules such a mark, or one function would have two rows.
 */
enum profile_space cell_space(enum profile_space mark, const char *dso, size_t len);

#endif
