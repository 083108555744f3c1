// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static void put_text(FILE *out, const char *s)
{
	char hidden[PRINTABLE_BYTES];
	size_t len;

	for (; *s; s += len) {
		len = *s == '\t' || *s == '\n' ? 1 : printable_length(s);
		switch (len ? *s : 0) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		case 0:
			fputs(REPLACEMENT, out);
			printable_next(&s, hidden);
			break;
		default:
			fwrite(s, 1, len, out);
		}
	}
}

void markup(FILE *out, const char *fmt, ...)
{
	char one[16], buf[64], *comma;
	va_list ap;

	va_start(ap, fmt);
	while (*fmt) {
		size_t literal = strcspn(fmt, "%"), len;

		fwrite(fmt, 1, literal, out);
		fmt += literal;
		if (!*fmt)
			break;
		len = strcspn(fmt + 1, "scdufg%") + 2;
		snprintf(one, sizeof(one), "%.*s", (int)len, fmt); /* a conversion and nothing else, such as "%+8.1f" */
		switch (fmt[len - 1]) {
		case '%':
			fputc('%', out);
			break;
		case 's':
			put_text(out, va_arg(ap, const char *));
			break;
		case 'd':
		case 'c':
			snprintf(buf, sizeof(buf), one, va_arg(ap, int));
			put_text(out, buf);
			break;
		case 'u':
			if (memchr(fmt, 'z', len))
				snprintf(buf, sizeof(buf), one, va_arg(ap, size_t));
			else
				snprintf(buf, sizeof(buf), one, va_arg(ap, unsigned int));
			put_text(out, buf);
			break;
		default:
			snprintf(buf, sizeof(buf), one, va_arg(ap, double));
			comma = strchr(buf, ',');
			if (comma)
				*comma = '.';
			put_text(out, buf);
		}
		fmt += len;
	}
	va_end(ap);
}
