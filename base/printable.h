/*
 * printable - text that is safe to show: it cannot control the terminal
 *
 * in:    strings of any bytes, read from files
 * out:   the same bytes, with "?" for each control character: those of ASCII, and U+0080 to U+009F, because
 *        terminals obey these as they obey ESC
 * law:   the output never contains the end of a line, but for the functions that print formats: there lines are kept
 * error: none
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns the next byte to show and moves *s on. The caller must not call it at the end of the string. */
static inline int printable_next(const char **s)
{
	unsigned char c = (unsigned char)*(*s)++, next = (unsigned char)**s;

	if (c == 0xc2 && next >= 0x80 && next <= 0x9f) {
		(*s)++;
		return '?';
	}
	return c < ' ' || c == 0x7f ? '?' : c;
}

static inline void printable_put(FILE *out, const char *s)
{
	while (*s)
		fputc(printable_next(&s), out);
}

/* Prints a format, and what its strings hold, as above. lines: the ends of lines are kept. */
void printable_vprintf(FILE *out, bool lines, const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));
void printable_printf(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* keeps lines */

#endif
