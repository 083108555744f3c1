// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/markup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Returns the length of the character at s; 0: it is not UTF-8, or XML 1.0 does not allow it. */
static size_t character_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead;
		unsigned int smallest;
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	size_t n = 0;
	unsigned int code;

	while (n < 4 && (s[0] & forms[n].mask) != forms[n].lead)
		n++;
	if (n == 4)
		return 0;
	code = s[0] & (unsigned char)~forms[n].mask;
	for (size_t i = 1; i <= n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < forms[n].smallest || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    (code < 0x20 && code != '\t' && code != '\n') || code == 0x7f || (code & 0xfffe) == 0xfffe)
		return 0;
	return n + 1;
}

static void put_text(FILE *out, const char *s)
{
	size_t len;

	for (; *s; s += len ? len : 1) {
		len = character_length((const unsigned char *)s);
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
			break;
		default:
			fwrite(s, 1, len, out);
		}
	}
}

/* Writes a number. spec is its conversion and nothing else, such as "%+8.1f". */
static void put_number(FILE *out, const char *spec, size_t len, va_list *ap)
{
	char one[16], buf[64], *comma;
	bool starred = memchr(spec, '*', len) != NULL, sized = memchr(spec, 'z', len) != NULL;
	int precision = starred ? va_arg(*ap, int) : 0;

	snprintf(one, sizeof(one), "%.*s", (int)len, spec);
	switch (spec[len - 1]) {
	case 'd':
	case 'c':
		snprintf(buf, sizeof(buf), one, va_arg(*ap, int));
		break;
	case 'u':
		if (sized)
			snprintf(buf, sizeof(buf), one, va_arg(*ap, size_t));
		else
			snprintf(buf, sizeof(buf), one, va_arg(*ap, unsigned int));
		break;
	default:
		if (starred)
			snprintf(buf, sizeof(buf), one, precision, va_arg(*ap, double));
		else
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
			put_number(out, fmt, len, &ap);
		fmt += len;
	}
	va_end(ap);
}

static int put_json(const char *text, size_t len, void *out)
{
	size_t plain;

	for (size_t i = 0; i < len; i += plain) {
		for (plain = 0; i + plain < len && !strchr("<>&", text[i + plain]); plain++)
			;
		if (fwrite(text + i, 1, plain, out) != plain)
			return -1;
		if (i + plain == len)
			break;
		if (fprintf(out, "\\u%04x", (unsigned char)text[i + plain++]) < 0)
			return -1;
	}
	return 0;
}

int markup_json(FILE *out, const json_t *o, size_t flags)
{
	errno = 0;
	if (json_dump_callback(o, put_json, out, flags))
		return errno ? -errno : -EIO;
	return 0;
}
