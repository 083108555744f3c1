/*
 * opts_value - the value of one option: read from a word of the command line, or printed as a default in the help
 *
 * in:    a row of an option table (opts.h); a word of argv; a list replaces the commas in this word by NULs
 * out:   the value behind the row's pointer
 * law:   a number is read whole, with its unit, and is within the row's range
 * error: -1 after one printed sentence that begins with the option, or with the argument
 */
#ifndef BASE_OPTS_VALUE_H
#define BASE_OPTS_VALUE_H

#include "base/opts.h"

/* text: NULL for an OPT_FLAG. */
int opts_value_set(const struct opt *o, char *text);

/* The row's default in words; "" where there is no default to show. */
void opts_value_default(const struct opt *o, char *text, size_t size);

/* Writes the row's words: "text, json, csv". last stands before the last word: ", " or " or ". */
void opts_value_words(const struct opt *o, const char *last, char *text, size_t size);

#endif
