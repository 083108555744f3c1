// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>
#include "base/sheet/csv.h"
#include "base/printable.h"

void csv_text(FILE *out, const char *s)
{
	bool quoted = strpbrk(s, ",;\"\t\r\n"), formula = *s && strchr("=+-@\t\r", *s);

	fprintf(out, "%s%s", quoted ? "\"" : "", formula ? "'" : "");
	while (*s) {
		char c[PRINTABLE_BYTES] = {*s};

		if (strchr("\t\r\n", *s))
			s++;
		else
			printable_next(&s, c);
		fprintf(out, *c == '"' ? "\"%s" : "%s", c);
	}
	if (quoted)
		fputc('"', out);
}

void csv_number(FILE *out, double v, bool known)
{
	fputc(',', out);
	if (known && isfinite(v))
		fprintf(out, "%.15g", v);
}
