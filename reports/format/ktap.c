// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"
#include "base/printable.h"

/* One line, in which nothing begins a directive. */
static void ktap_put(FILE *out, const char *s)
{
	char c[PRINTABLE_BYTES];

	while (*s) {
		printable_next(&s, c);
		fputs(*c == '#' ? "?" : c, out);
	}
}

void ktap_begin(struct ktap *k, FILE *out, size_t planned)
{
	*k = (struct ktap){.out = out};
	fprintf(out, "TAP version 13\n1..%zu%s\n", planned, planned ? "" : " # SKIP there is nothing to check");
}

void ktap_comment(const struct ktap *k, const char *fmt, ...)
{
	char line[800];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fputs("# ", k->out);
	ktap_put(k->out, line);
	fputc('\n', k->out);
}

void ktap_add(struct ktap *k, enum ktap_result result, const char *of, const char *check, const char *why)
{
	k->count[result]++;
	if (result == KTAP_FAIL && *why)
		ktap_comment(k, "%s%s%s: %s", of, *of ? " " : "", check, why);
	fprintf(k->out, "%s %zu ", result == KTAP_FAIL ? "not ok" : "ok", ++k->n);
	ktap_put(k->out, of);
	fputs(*of ? " " : "", k->out);
	ktap_put(k->out, check);
	if (result == KTAP_SKIP) {
		fputs(" # SKIP ", k->out);
		ktap_put(k->out, why);
	}
	fputc('\n', k->out);
}

int ktap_end(const struct ktap *k)
{
	fprintf(k->out, "# Totals: pass:%zu fail:%zu xfail:0 xpass:0 skip:%zu error:0\n", k->count[KTAP_PASS],
		k->count[KTAP_FAIL], k->count[KTAP_SKIP]);
	return render_finish(k->out);
}
