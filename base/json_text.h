/*
 * json_text - JSON values made of text and numbers that JSON itself cannot hold
 *
 * in:    strings of any bytes, numbers that may not be known
 * out:   json_t, owned by the caller
 * law:   JSON has neither NaN nor bytes that are not UTF-8: a NaN becomes null; in a text that is not UTF-8 every
 *        byte from 0x80 on becomes "?"
 * error: NULL without memory
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

json_t *json_text_string(const char *s);
json_t *json_text_number(double v, bool known);
json_t *json_text_interval(const double ci95_ns[2]);

#endif
