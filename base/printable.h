/*
 * printable - text that does nothing to whoever shows it
 *
 * in:    strings of any bytes, that came out of files
 * out:   the same byte by byte, with "?" for control characters: those of ASCII, and U+0080 to U+009F,
 *        which terminals obey as they do ESC
 * law:   what leaves here never ends a line
 * error: none
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdio.h>

/* The next byte to show; *s moves on. Not to be called at the end of the string. */
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

#endif
