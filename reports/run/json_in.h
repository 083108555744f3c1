/*
 * json_in - the members of JSON objects, each of the type and within the limits that are asked for
 *
 * in:    jansson's values, which a stranger may have written
 * out:   text, numbers, arrays (at most max elements) and objects; arrays and objects stay the document's
 * law:   after the first error every further read does nothing and gives an empty value: NULL, 0, -1, false, text as
 *        it was
 * error: sticky in err, a negative errno; the sentence, with the file and the place in it, in d
 */
#ifndef REPORTS_JSON_IN_H
#define REPORTS_JSON_IN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

struct json_in {
	const char *path;
	struct diag *d;
	char where[96]; /* "blocks[3].windows[0]." */
	int err;
};

void json_in_refuse(struct json_in *rd, const char *member, const char *why);
/* From here on sentences say that they are of this place. */
void json_in_enter(struct json_in *rd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Any value; that it is missing is an error. */
json_t *json_in_member(struct json_in *rd, const json_t *o, const char *name);
/* At most size - 1 bytes; null leaves out as it was. */
void json_in_text(struct json_in *rd, const json_t *o, const char *name, char *out, size_t size);
void json_in_text_or_null(struct json_in *rd, const json_t *o, const char *name, char *out, size_t size);
/* lo .. hi; a count is not negative; null is -1. */
int64_t json_in_whole(struct json_in *rd, const json_t *o, const char *name, int64_t lo, int64_t hi);
uint64_t json_in_count(struct json_in *rd, const json_t *o, const char *name);
int64_t json_in_whole_or_null(struct json_in *rd, const json_t *o, const char *name, int64_t hi);
/* Not negative; null, for "not known", is -1. */
double json_in_real_or_null(struct json_in *rd, const json_t *o, const char *name);
bool json_in_bool(struct json_in *rd, const json_t *o, const char *name);
json_t *json_in_array(struct json_in *rd, const json_t *o, const char *name, size_t max);
json_t *json_in_object(struct json_in *rd, const json_t *o, const char *name);

/* An element of an array; name is for the sentence. */
int64_t json_in_whole_value(struct json_in *rd, const json_t *value, const char *name, int64_t lo, int64_t hi);
double json_in_real_value(struct json_in *rd, const json_t *value, const char *name);

#endif
