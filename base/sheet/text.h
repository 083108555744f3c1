/*
 * text - the pieces that text renderers share
 *
 * in:    a struct text around the caller's stream
 * out:   text; prose in at most 80 columns, tables in as many as
 *        struct text says, and prose in no more than that
 * law:   nothing here knows what a number means. Strings that came out of files never act on a
 *        terminal: printable.h
 * error: sticky in the stream; text_finish() turns it into -errno
 */
#ifndef SHEET_TEXT_H
#define SHEET_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_COLUMNS 80
#define TEXT_LEAST   40

struct text {
	FILE *out;
	bool colour;
	size_t columns; /* that lines fit into, TEXT_LEAST or more; 0: tables take as many as they need */
};

enum text_style { TEXT_PLAIN, TEXT_TITLE, TEXT_FAINT, TEXT_BAD, TEXT_NATIVE, TEXT_SKB };

void text_styled(const struct text *t, enum text_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same around what the caller prints. */
void text_begin(const struct text *t, enum text_style style);
void text_end(const struct text *t, enum text_style style);

/* Right-aligned in width, "-" when it is not known. */
void text_number(const struct text *t, double value, int width, int decimals, bool sign);

/*
 * "    80.0 ±  0.4": as many digits as the interval deserves; value right-aligned in width, then 7 columns of interval,
 * blank without one.
 */
void text_column(const struct text *t, double value, double half, int width, bool sign);

/* Columns that a string takes. */
size_t text_width(const char *s);
/* In exactly that many columns, cut in its middle where it has to be. */
void text_name(const struct text *t, const char *s, size_t width);
/* In at most that many, for what ends a line; 0: whole. */
void text_last(const struct text *t, const char *s, size_t width);
/* How wide a name is when something `rest` wide stands behind it and `taken` columns before it. Both give way. */
struct text_split {
	size_t name, rest; /* rest 0: whole */
};
struct text_split text_split(const struct text *t, size_t taken, size_t name, size_t rest);

/* Wrapped, each line indented. */
void text_wrapped(const struct text *t, int indent, const char *text);

/* "  HEAD   text", wrapped, with all lines of the text below each other; width: of the widest head. */
void text_fact(const struct text *t, const char *head, size_t width, const char *text);

/* "  LABEL text", wrapped, with lines after the first indented by 4. */
void text_labelled(const struct text *t, enum text_style style, const char *label, const char *text);

int text_finish(const struct text *t);
/* The same for renderers that print no text: has all been written? */
int render_finish(FILE *out);

#endif
