/*
 * text - the pieces that text renderers share; nobody outside of reports/ includes this
 *
 * in:    a struct text around the caller's stream
 * out:   text; prose in at most 80 columns, tables in as many as
 *        struct text says, and no less than that
 * law:   nothing here knows what a number means. Strings that came out of files never act on a
 *        terminal: printable.h
 * error: sticky in the stream; text_finish() turns it into -errno
 */
#ifndef REPORTS_TEXT_H
#define REPORTS_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/analysis/quality.h"

#define TEXT_COLUMNS 80

struct text {
	FILE *out;
	bool colour;
	size_t columns; /* that tables fit into, at least TEXT_COLUMNS; 0: as many as they take */
};

enum text_style { TEXT_PLAIN, TEXT_TITLE, TEXT_FAINT, TEXT_BAD };

void text_styled(const struct text *t, enum text_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "12,500,123" */
const char *text_count(double count, char *buf, size_t size);

/* Digits behind the point that an interval of this half-width deserves: 0, 1 or 2; 1 where it is not known. */
int text_decimals(double half);

/* "80.0 ± 0.4", or "80.0" without an interval. */
const char *text_interval(double value, double half, char *buf, size_t size);

/* Right-aligned in width, "-" when it is not known. */
void text_number(const struct text *t, double value, int width, int decimals, bool sign);

/* "    80.0 ±  0.4": value right-aligned in width, then 7 columns of interval, blank without one. */
void text_column(const struct text *t, double value, double half, int width, int decimals, bool sign);

/*
 * A cell of a table: as many digits as its interval deserves, with the points of all rows below each other.
 * digits: of the widest interval in the table, text_digits(). width + 5 + digits columns.
 */
void text_cell(const struct text *t, double value, double half, int width, int digits, bool sign);
/* The same without the interval's column: width columns. */
void text_cell_alone(const struct text *t, double value, double half, int width);
/* Digits before the point of the widest interval so far; begins with TEXT_DIGITS. */
#define TEXT_DIGITS 2
int text_digits(int digits, double half);

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

/* Digits behind the point of events per packet. */
int text_event_decimals(double value);

/* Events per packet, from thousands of cycles to thousandths of a miss, right-aligned in width. */
void text_per_packet(const struct text *t, int width, double value, bool sign);

/* The same, then 11 columns of interval. */
void text_event(const struct text *t, int width, double value, double half, bool sign);

/* Wrapped at TEXT_COLUMNS, each line indented. */
void text_wrapped(const struct text *t, int indent, const char *text);

/* "  LABEL text", wrapped, with lines after the first indented by 4. */
void text_labelled(const struct text *t, enum text_style style, const char *label, const char *text);

/* Gates: ok ones in one line, what is not known in one, telling ones and failed ones in full. */
void text_quality(const struct text *t, const struct quality *q);

int text_finish(const struct text *t);
/* The same for renderers that print no text: has all been written? */
int render_finish(FILE *out);

#endif
