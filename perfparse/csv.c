// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>
#include "perfparse/csv.h"

void csv_text(FILE *out, const char *s)
{
	bool formula = *s && strchr("=+-@\t\r", *s);

	if (!strpbrk(s, ",\"\r\n")) {
		fprintf(out, "%s%s", formula ? "'" : "", s);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

void csv_number(FILE *out, double v, bool known)
{
	fputc(',', out);
	if (known && isfinite(v))
		fprintf(out, "%.15g", v);
}
