/*
 * number - numbers out of text
 *
 * in:    perf's text (a dot for decimals, LC_ALL=C), or what a person typed
 * out:   doubles, the nearest there is to what was printed
 * law:   what people type is read whole: "64abc", "1e999", "0x40" and "nan" are refused
 * error: NULL or -EINVAL / -ERANGE
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

/* "DIGITS[.DIGITS]" at s; the end of it, or NULL if there is none. Without sign, exponent and
 * separators. */
const char *number_read_decimal(const char *s, const char *end, double *value);

/* The same with "," between groups of three digits ("1,003,009"), as perf stat prints it. */
const char *number_read_grouped(const char *s, const char *end, double *value);

/*
 * What a person typed: a decimal number with sign and exponent at most, *rest what stands behind it. -EINVAL: it does
 * not begin with one; -ERANGE: no double holds it.
 */
int number_typed(const char *text, double *value, const char **rest);

/* All of text, within [min, max]. */
int number_parse(const char *text, double min, double max, double *value);

#endif
