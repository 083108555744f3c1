// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

#include <string.h>
#include "base/printable.h"

void openmetrics_label(FILE *out, const char *name, const char *value)
{
	char c[PRINTABLE_BYTES];

	fprintf(out, "%s=\"", name);
	while (*value) {
		if (*value == '\n') {
			fputs("\\n", out);
			value++;
			continue;
		}
		printable_next(&value, c);
		fprintf(out, strchr("\"\\", *c) ? "\\%s" : "%s", c);
	}
	fputc('"', out);
}

void openmetrics_head(FILE *out, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}
