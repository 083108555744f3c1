// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

size_t printable_length(const char *text)
{
	static const struct {
		unsigned char mask, lead;
		unsigned int smallest; /* a code below it has a shorter form, which alone is UTF-8 */
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *s = (const unsigned char *)text;
	unsigned int code;
	size_t n = 0;

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
	if (code < forms[n].smallest || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || code < ' ' ||
	    (code >= 0x7f && code < 0xa0) || (code & 0xfffe) == 0xfffe)
		return 0;
	return n + 1;
}

size_t printable_next(const char **s, char shown[PRINTABLE_BYTES])
{
	size_t len = printable_length(*s);

	memcpy(shown, len ? *s : "?", len ? len : 1);
	/* "?" stands for a control character as a whole, or for one byte. */
	*s += len ?: (unsigned char)(*s)[0] == 0xc2 && ((unsigned char)(*s)[1] & 0xe0) == 0x80 ? 2 : 1;
	len += !len;
	shown[len] = '\0';
	return len;
}

void printable_in_place(char *s)
{
	for (size_t len; *s; s += len) {
		len = printable_length(s);
		if (!len)
			*s = '?';
		len += !len;
	}
}

/* kept: control characters that are written as they are. */
static void put_of_printable(FILE *out, const char *s, const char *end, const char *kept)
{
	char shown[PRINTABLE_BYTES];

	while (s < end) {
		size_t plain = 0;

		while (s + plain < end &&
		       ((s[plain] >= ' ' && s[plain] < 0x7f) || (s[plain] && strchr(kept, s[plain]))))
			plain++;
		fwrite(s, 1, plain, out);
		s += plain;
		if (s < end) {
			plain = printable_next(&s, shown);
			fwrite(shown, 1, plain, out);
		}
	}
}

void printable_put(FILE *out, const char *s)
{
	put_of_printable(out, s, s + strlen(s), "");
}

void printable_lines(FILE *out, const char *s, size_t len)
{
	put_of_printable(out, s, s + len, "\t\r\n");
}

void printable_vprintf(FILE *out, bool lines, const char *fmt, va_list args)
{
	char most[1024], *text = NULL; /* what is longer needs memory */
	va_list again;
	const char *s;
	int len;

	va_copy(again, args);
	len = vsnprintf(most, sizeof(most), fmt, args);
	s = len >= (int)sizeof(most) && vasprintf(&text, fmt, again) >= 0 ? text : most;
	put_of_printable(out, s, s + strlen(s), lines ? "\n" : "");
	va_end(again);
	free(text);
}

void printable_printf(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printable_vprintf(out, true, fmt, args);
	va_end(args);
}
