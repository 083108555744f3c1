/*
 * csv - fields of comma-separated values
 *
 * in:    strings of any bytes, numbers that may not be known
 * out:   into a FILE of the caller
 * law:   text is quoted where it has to be (RFC 4180); what a spreadsheet would take for a formula
 *        (= + - @, tab, carriage return in front) gets an apostrophe before it; other control
 *        characters are "?"; what is not known is an empty field
 * error: none; ferror() tells
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdbool.h>
#include <stdio.h>

void csv_text(FILE *out, const char *s);
void csv_number(FILE *out, double v, bool known); /* with a comma before it */

#endif
