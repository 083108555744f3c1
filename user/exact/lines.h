/*
 * lines - the source lines of the XDP programs that are loaded, for the counting plugin (vm/plugin/lines.h)
 *
 * in:    a directory that the host sees too
 * out:   the file "lines": for each address where the compiled code of a line begins, "ADDRESS NUMBER FILE\tTEXT", as
 *        the line information in the program's BTF has it; without blanks before the text
 * law:   a program without line information (built without -g) has no lines
 * error: -EIO the file cannot be written; one sentence
 */
#ifndef USER_EXACT_LINES_H
#define USER_EXACT_LINES_H

#include <stdbool.h>
#include "base/diag.h"

/* wanted false: the file is made, and is empty. */
int lines_write(const char *dir, bool wanted, struct diag *d);

#endif
