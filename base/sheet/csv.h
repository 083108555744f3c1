/*
 * csv - comma-separated values: fields, and rows as one flat table
 *
 * in:    strings of any bytes, numbers that may not be known; rows, borrowed
 * out:   into a FILE of the caller
 * law:   a text is quoted where RFC 4180 asks for quotes. A text that a spreadsheet would read as a formula (it
 *        begins with = + - @, tab or carriage return) gets an apostrophe in front. Other control characters become
 *        "?". A number that is not known is an empty field, and so is a field that a row has no column for
 * error: none; the caller checks ferror()
 */
#ifndef SHEET_CSV_H
#define SHEET_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/sheet/rows.h"

#define CSV_FIELDS 32

void csv_text(FILE *out, const char *s);
void csv_number(FILE *out, double v, bool known); /* writes a comma first */

/*
 * A flat table of rows whose columns differ: columns with the same csv name fill the same field. What every row begins
 * with stands before the fields: the ids, a list that ends with NULL, and what kind of row it is. Both may be NULL.
 */
struct csv_sheet {
	FILE *out;
	int digits;             /* significant ones of every number */
	const char *const *ids; /* the same for many rows: one variant, or two */
	struct csv_field {
		const char *name;
		bool range; /* fills NAME_low and NAME_high */
	} fields[CSV_FIELDS];
	size_t nfields;
};

/* Adds the fields of these columns behind those that are there. r NULL: nothing. */
void csv_sheet_add(struct csv_sheet *s, const struct rows *r);
/* before: heads of the ids and of the kind; NULL: there are none. */
void csv_sheet_heads(const struct csv_sheet *s, const char *before);
void csv_sheet_row(const struct csv_sheet *s, const char *kind, const struct rows *r, size_t row);
/* All rows but those for people alone; hidden: also those that are hidden from people. */
void csv_sheet_rows(const struct csv_sheet *s, const char *kind, const struct rows *r, bool hidden);

/* The rows of all tables IN_CSV in the cells of r, and in the cells of its other tables, under one line of heads. */
void csv_rows(FILE *out, const struct rows *r, int digits);

#endif
