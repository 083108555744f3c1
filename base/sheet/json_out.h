/*
 * json_out - builds JSON and collects failures, so that the caller checks once, at the end
 *
 * in:    values; strings of any bytes; numbers, NaN and infinite where they are not known
 * out:   json_t that the functions own; written to the caller's stream
 * law:   JSON has no NaN, so null is written; a byte that is not UTF-8 becomes "?". Numbers have ten significant
 *        digits, unless the caller wants others: more than were measured, and the same on every machine
 * error: `failed` stays set; json_out_write() turns it into -ENOMEM, and a failed stream into
 *        -errno
 */
#ifndef SHEET_JSON_OUT_H
#define SHEET_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_OUT_DIGITS 10

struct json_out {
	bool failed;
	int digits; /* 0: JSON_OUT_DIGITS */
};

/* Both take over value. A NULL value is a failure. */
void json_out_put(struct json_out *w, json_t *o, const char *name, json_t *value);
void json_out_add(struct json_out *w, json_t *array, json_t *value);

json_t *json_out_value(double value);
json_t *json_out_count_value(double count);
/* null for what is not known: "", a NaN, an infinite value, and of what is never negative a value below 0. */
json_t *json_out_known(const char *text); /* NULL: not UTF-8 */
json_t *json_out_amount_value(double value);
json_t *json_out_whole_value(int64_t value);
void json_out_amount(struct json_out *w, json_t *o, const char *name, double value);
void json_out_whole(struct json_out *w, json_t *o, const char *name, int64_t value);

void json_out_number(struct json_out *w, json_t *o, const char *name, double value);
void json_out_count(struct json_out *w, json_t *o, const char *name, double count);
void json_out_text(struct json_out *w, json_t *o, const char *name, const char *text);

/* What has been built; NULL after a failure. Takes o over. */
json_t *json_out_end(const struct json_out *w, json_t *o);
/* flags: how json_text_write() lays it out. Takes o over and ends it with a newline. */
int json_out_write(const struct json_out *w, json_t *o, FILE *out, size_t flags);

#endif
