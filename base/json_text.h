/*
 * json_text - values of JSON that perf's text may not be good enough for
 *
 * in:    strings of any bytes, numbers that may not be known
 * out:   json_t, owned by the caller
 * law:   JSON has no NaN and no bytes that are not UTF-8: null and "?" stand for them
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
