// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdlib.h>
#include "base/printable.h"

void printable_vprintf(FILE *out, bool lines, const char *fmt, va_list args)
{
	char most[1024], *text = NULL; /* what is longer needs memory */
	va_list again;
	const char *s;
	int len;

	va_copy(again, args);
	len = vsnprintf(most, sizeof(most), fmt, args);
	s = len >= (int)sizeof(most) && vasprintf(&text, fmt, again) >= 0 ? text : most;
	va_end(again);
	while (*s) {
		if (lines && *s == '\n')
			fputc(*s++, out);
		else
			fputc(printable_next(&s), out);
	}
	free(text);
}

void printable_printf(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printable_vprintf(out, true, fmt, args);
	va_end(args);
}
