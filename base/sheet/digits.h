/*
 * digits - how many digits a number deserves, and numbers as people read them
 *
 * in:    values and half-widths of their 95 % intervals; NaN: not known
 * out:   digits behind the point; text in the caller's buffer
 * law:   the interval decides the digits of an interval's value: text, Markdown and pages show the same ones. No
 *        value is written as "-0"
 * error: none; what does not fit is cut
 */
#ifndef SHEET_DIGITS_H
#define SHEET_DIGITS_H

#include <stdbool.h>
#include <stddef.h>

/* Digits behind the point that an interval of this half-width deserves: 0, 1 or 2; 1 where it is not known. */
int digits_of_interval(double half);
/* Digits of events per packet, which reach from thousands of cycles to thousandths of a miss. */
int digits_of_event(double value);

/* "-12.3", "+12.3" with a sign, "-" when it is not known. */
const char *digits_number(double value, int decimals, bool sign, char *buf, size_t size);
/* "12,500,123", "-" */
const char *digits_count(double count, char *buf, size_t size);
/* "80.0 ± 0.4", "80.0" without an interval, "-" */
const char *digits_interval(double value, double half, char *buf, size_t size);

#endif
