/*
 * source_lines - the source lines of the XDP programs that are loaded
 *
 * in:    the kernel's list of programs, as root
 * out:   a line for each address where the compiled code of one begins, in the order of addresses; owned by the struct
 * units: addresses of the kernel
 * law:   a program without line information (built without -g) has no lines. An address in the compiled code of a
 *        program belongs to the line that began last, in its own function
 * error: -ENOMEM, with a sentence; s left empty. Where the kernel shows no addresses there are no lines
 */
#ifndef USER_SOURCE_LINES_H
#define USER_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

struct source_line {
	uint64_t address, end; /* end: of its function's code */
	char words[500];       /* "NUMBER FILE\tTEXT", without blanks before the text; a line that is longer is cut */
};

struct source_lines {
	struct source_line *list;
	size_t n, cap;
};

int source_lines_read(struct source_lines *s, struct diag *d);
void source_lines_release(struct source_lines *s); /* may be called twice */
/* The words of the line that this address belongs to; NULL: none. s is a struct source_lines. */
const char *source_lines_find(const void *s, uint64_t address);

#endif
