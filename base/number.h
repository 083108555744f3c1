/*
 * number - reads numbers from text
 *
 * in:    perf's text (a dot for decimals, LC_ALL=C), or text that a person typed
 * out:   the double nearest to the printed number
 * law:   number_parse() reads the whole text or refuses it: "64abc", "1e999", "0x40" and "nan" are refused
 * error: NULL or -EINVAL / -ERANGE
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

/*
 * Reads "DIGITS[.DIGITS]" at s, without sign, exponent and separators. Returns the end of the number, or NULL where s
 * does not begin with one.
 */
const char *number_read_decimal(const char *s, const char *end, double *value);

/* The same with "," between groups of three digits ("1,003,009"), as perf stat prints numbers. */
const char *number_read_grouped(const char *s, const char *end, double *value);

/*
 * Reads a decimal number that a person typed; sign and exponent are allowed. *rest: the text behind the number.
 * -EINVAL: the text does not begin with a number; -ERANGE: no double can hold the number.
 */
int number_typed(const char *text, double *value, const char **rest);

/* The whole text as one number. -EINVAL: the text is not one number; -ERANGE: it is outside [min, max]. */
int number_parse(const char *text, double min, double max, double *value);

#endif
