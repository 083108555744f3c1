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

/* Writes a number. spec is its conversion and nothing else, such as "%+8.1f". */
static void markup_put_number(FILE *out, const char *spec, size_t len, va_list *ap)
{
	char one[16], buf[64], *comma;

	snprintf(one, sizeof(one), "%.*s", (int)len, spec);
	switch (spec[len - 1]) {
	case 'd':
	case 'c':
		snprintf(buf, sizeof(buf), one, va_arg(*ap, int));
		break;
	case 'u':
		if (memchr(spec, 'z', len))
			snprintf(buf, sizeof(buf), one, va_arg(*ap, size_t));
		else
			snprintf(buf, sizeof(buf), one, va_arg(*ap, unsigned int));
		break;
	default:
		snprintf(buf, sizeof(buf), one, va_arg(*ap, double));
		comma = strchr(buf, ',');
		if (comma)
			*comma = '.';
	}
	put_text(out, buf);
}

void markup(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	while (*fmt) {
		size_t literal = strcspn(fmt, "%"), len;

		fwrite(fmt, 1, literal, out);
		fmt += literal;
		if (!*fmt)
			break;
		len = strcspn(fmt + 1, "scdufg%") + 2;
		if (fmt[len - 1] == '%')
			fputc('%', out);
		else if (fmt[len - 1] == 's')
			put_text(out, va_arg(ap, const char *));
		else
			markup_put_number(out, fmt, len, &ap);
		fmt += len;
	}
	va_end(ap);
}

static int put_json(const char *text, size_t len, void *out)
{
	return json_text_put(text, len, out, "<>&");
}

int markup_json(FILE *out, const json_t *o, size_t flags)
{
	errno = 0;
	if (json_dump_callback(o, put_json, out, flags))
		return errno ? -errno : -EIO;
	return 0;
}
