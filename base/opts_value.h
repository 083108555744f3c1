/*
 * opts_value - the value of one option: from a word of the command line, and back as the default that help shows
 *
 * in:    a row of an option table (opts.h); a word of argv, which lists cut at their commas
 * out:   the value behind the row's pointer
 * law:   a number is read whole, with its unit, and is within the row's range
 * error: -1 after one printed sentence that begins with the option, or with the argument
 */
#ifndef BASE_OPTS_VALUE_H
#define BASE_OPTS_VALUE_H

#include "base/opts.h"

/* text: NULL for an OPT_FLAG. */
int opts_value_set(const struct opt *o, char *text);

/* What the row's value is when nobody gives it, in words; "" there is none to show. */
void opts_value_default(const struct opt *o, char *text, size_t size);

/* "text, json, csv"; last: ", " or " or " before the last one. */
void opts_value_words(const struct opt *o, const char *last, char *text, size_t size);

#endif
