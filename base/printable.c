// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdlib.h>
#include "base/printable.h"

void printable_vprintf(FILE *out, bool lines, const char *fmt, va_list args)
{
	char *text = NULL;
	const char *s;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	for (s = text; *s;) {
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
