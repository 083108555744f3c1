/*
 * csv - fields of comma-separated values
 *
 * in:    strings of any bytes, numbers that may not be known
 * out:   into a FILE of the caller
 * law:   a text is quoted where RFC 4180 asks for quotes. A text that a spreadsheet would read as a formula (it
 *        begins with = + - @, tab or carriage return) gets an apostrophe in front. Other control characters become
 *        "?". A number that is not known is an empty field
 * error: none; the caller checks ferror()
 */
#ifndef SHEET_CSV_H
#define SHEET_CSV_H

#include <stdbool.h>
#include <stdio.h>

void csv_text(FILE *out, const char *s);
void csv_number(FILE *out, double v, bool known); /* writes a comma first */

#endif
