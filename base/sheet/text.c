// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/printable.h"

void text_begin(const struct text *t, enum text_style style)
{
	static const char *const codes[] = {"",           "\033[1m",         "\033[2m",
					    "\033[1;31m", "\033[1;38;5;33m", "\033[1;38;5;172m"};

	if (t->colour)
		fputs(codes[style], t->out);
}

void text_end(const struct text *t, enum text_style style)
{
	if (t->colour && style != TEXT_PLAIN)
		fputs("\033[0m", t->out);
}

void text_styled(const struct text *t, enum text_style style, const char *fmt, ...)
{
	va_list ap;

	text_begin(t, style);
	va_start(ap, fmt);
	printable_vprintf(t->out, true, fmt, ap);
	va_end(ap);
	text_end(t, style);
}

void text_number(const struct text *t, double value, int width, int decimals, bool sign)
{
	if (isnan(value))
		fprintf(t->out, "%*s", width, "-");
	else
		fprintf(t->out, sign ? "%+*.*f" : "%*.*f", width, decimals, value);
}

void text_column(const struct text *t, double value, double half, int width, bool sign)
{
	int decimals = digits_of_interval(half);

	text_number(t, value, width, decimals, sign);
	if (isnan(half) || isnan(value))
		fprintf(t->out, "%7s", "");
	else
		fprintf(t->out, " ± %4.*f", decimals, half);
}

size_t text_width(const char *s)
{
	char bytes[PRINTABLE_BYTES];
	size_t n;

	for (n = 0; *s; n++)
		printable_next(&s, bytes);
	return n;
}

/* Characters from number `from` up to number `to`. */
static void text_put_part(const struct text *t, const char *s, size_t from, size_t to)
{
	char bytes[PRINTABLE_BYTES];

	for (size_t at = 0; *s && at < to; at++) {
		size_t n = printable_next(&s, bytes);

		if (at >= from)
			fwrite(bytes, 1, n, t->out);
	}
}

void text_last(const struct text *t, const char *s, size_t width)
{
	size_t all = text_width(s), tail = width / 3;

	if (!width || all <= width) {
		text_put_part(t, s, 0, all);
		return;
	}
	text_put_part(t, s, 0, width - 1 - tail);
	fputs("…", t->out);
	text_put_part(t, s, all - tail, all);
}

void text_name(const struct text *t, const char *s, size_t width)
{
	size_t all = text_width(s);

	text_last(t, s, width);
	fprintf(t->out, "%*s", width > all ? (int)(width - all) : 0, "");
}

struct text_split text_split(const struct text *t, size_t taken, size_t name, size_t rest)
{
	size_t room = t->columns > taken + 1 ? t->columns - taken - 1 : 0, least;

	if (!t->columns || name + rest <= room)
		return (struct text_split){name, 0};
	least = room * 2 / 5; /* columns of the rest */
	if (rest > least)
		rest = room - least > name ? room - name : least;
	return (struct text_split){room - rest, rest};
}

/* column: where the first line begins. */
static void wrap_from(const struct text *t, size_t column, int indent, const char *text)
{
	size_t most = t->columns && t->columns < TEXT_COLUMNS ? t->columns : TEXT_COLUMNS;
	char word[512];

	while (*text) {
		size_t len = strcspn(text, " "), width;

		len = len < sizeof(word) ? len : sizeof(word) - 1;
		memcpy(word, text, len);
		word[len] = '\0';
		width = text_width(word);
		if (column && column + 1 + width > most) {
			fputc('\n', t->out);
			column = 0;
		}
		if (column)
			fputc(' ', t->out);
		else
			fprintf(t->out, "%*s", indent, "");
		column += column ? 1 + width : (size_t)indent + width;
		text_last(t, word, 0);
		text += len;
		while (*text == ' ')
			text++;
	}
	fputc('\n', t->out);
}

void text_wrapped(const struct text *t, int indent, const char *text)
{
	wrap_from(t, 0, indent, text);
}

void text_fact(const struct text *t, const char *head, size_t width, const char *text)
{
	fputs("  ", t->out);
	text_name(t, head, width);
	wrap_from(t, 2 + width, 3 + (int)width, text);
}

void text_labelled(const struct text *t, enum text_style style, const char *label, const char *text)
{
	fputs("  ", t->out);
	text_styled(t, style, "%s", label);
	wrap_from(t, 2 + strlen(label), 4, text);
}

int render_finish(FILE *out)
{
	errno = 0;
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

int text_finish(const struct text *t)
{
	return render_finish(t->out);
}
