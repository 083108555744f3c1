/*
 * json_in - reads members of JSON objects and checks their type and limits
 *
 * in:    jansson's values, which a stranger may have written
 * out:   text, numbers, arrays (at most max elements) and objects; the document keeps owning arrays and objects
 * law:   after the first error every further read does nothing and returns an empty value: NULL, 0, -1, NaN or false;
 *        text is left unchanged
 * error: the first error stays in err, as a negative errno; d has the sentence, with the file and the place in it
 */
#ifndef REPORTS_JSON_IN_H
#define REPORTS_JSON_IN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

/* Every program that reads JSON keeps whole numbers up to this one, and the sum of a thousand of them has 64 bits. */
#define JSON_IN_MOST (1LL << 53)
/* The largest other number: 30 years in ns. Sums of such numbers stay finite. */
#define JSON_IN_REAL_MOST 1e18

struct json_in {
	const char *path;
	struct diag *d;
	char where[96]; /* "blocks[3].windows[0]." */
	int err;
};

void json_in_refuse(struct json_in *rd, const char *member, const char *why);
/* Sets the place that the sentences of later errors name. */
void json_in_enter(struct json_in *rd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A member of any type; a missing member is an error. */
json_t *json_in_member(struct json_in *rd, const json_t *o, const char *name);
/* At most size - 1 bytes; json_in_text_or_null() leaves out unchanged for null. */
void json_in_text(struct json_in *rd, const json_t *o, const char *name, char *out, size_t size);
void json_in_text_or_null(struct json_in *rd, const json_t *o, const char *name, char *out, size_t size);
/* Whole numbers: of lo .. hi; a count is 0 .. JSON_IN_MOST, a time in ns is not negative; _or_null: 0 .. hi, and -1
 * for null. */
int64_t json_in_whole(struct json_in *rd, const json_t *o, const char *name, int64_t lo, int64_t hi);
uint64_t json_in_count(struct json_in *rd, const json_t *o, const char *name);
uint64_t json_in_ns(struct json_in *rd, const json_t *o, const char *name);
int64_t json_in_whole_or_null(struct json_in *rd, const json_t *o, const char *name, int64_t hi);
/* A number that is not negative; NaN for null, which means "not known". */
double json_in_real_or_null(struct json_in *rd, const json_t *o, const char *name);
bool json_in_bool(struct json_in *rd, const json_t *o, const char *name);
json_t *json_in_array(struct json_in *rd, const json_t *o, const char *name, size_t max);
json_t *json_in_object(struct json_in *rd, const json_t *o, const char *name);

/* The same for an element of an array; name is used in the error's sentence. */
int64_t json_in_whole_value(struct json_in *rd, const json_t *value, const char *name, int64_t lo, int64_t hi);
double json_in_real_value(struct json_in *rd, const json_t *value, const char *name);

#endif
