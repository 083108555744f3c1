/*
 * printable - text that is safe to show: it cannot control the terminal
 *
 * law:   the output is UTF-8 that XML 1.0 allows. It never contains the end of a line, but for the functions that
 *        keep lines
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PRINTABLE_BYTES 5 /* one character, and the end of the string */

size_t printable_length(const char *s); /* returns how many bytes the character at s has; 0: it is to be shown as "?" */

/*
 * Copies the next character to show, moves *s on, and returns how many bytes were copied. The caller must not call it
 * at the end of the string.
 */
size_t printable_next(const char **s, char shown[PRINTABLE_BYTES]);

void printable_put(FILE *out, const char *s);
void printable_in_place(char *s); /* one "?" for each byte that is not to be shown; the string keeps its length */

/* Writes lines of text: their ends and tabs are kept. s[len] must be there: another line, or the end of a string. */
void printable_lines(FILE *out, const char *s, size_t len);

/* Prints a format, and what its strings hold, as above. lines: the ends of lines are kept. */
void printable_vprintf(FILE *out, bool lines, const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));
void printable_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* keeps lines */

#endif
