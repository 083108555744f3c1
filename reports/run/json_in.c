// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/json_in.h"

#include <math.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void json_in_refuse(struct json_in *rd, const char *member, const char *why)
{
	if (!rd->err)
		rd->err = diag_set(rd->d, -EINVAL, "%s: %s%s %s", rd->path, rd->where, member, why);
}

void json_in_enter(struct json_in *rd, const char *fmt, ...)
{
	va_list ap;

	if (rd->err)
		return;
	va_start(ap, fmt);
	vsnprintf(rd->where, sizeof(rd->where), fmt, ap);
	va_end(ap);
}

json_t *json_in_member(struct json_in *rd, const json_t *o, const char *name)
{
	json_t *value = rd->err ? NULL : json_object_get(o, name);

	if (!value)
		json_in_refuse(rd, name, "is missing");
	return value;
}

void json_in_text(struct json_in *rd, const json_t *o, const char *name, char *out, size_t size)
{
	json_t *value = json_in_member(rd, o, name);

	if (!value)
		return;
	if (!json_is_string(value))
		json_in_refuse(rd, name, "is not text");
	else if (json_string_length(value) >= size)
		json_in_refuse(rd, name, "is too long");
	else
		snprintf(out, size, "%s", json_string_value(value));
}

void json_in_text_or_null(struct json_in *rd, const json_t *o, const char *name, char *out, size_t size)
{
	if (!json_is_null(json_in_member(rd, o, name)))
		json_in_text(rd, o, name, out, size);
}

/* A whole number of lo .. hi. */
int64_t json_in_whole_value(struct json_in *rd, const json_t *value, const char *name, int64_t lo, int64_t hi)
{
	if (rd->err || !value)
		return 0;
	if (!json_is_integer(value)) {
		json_in_refuse(rd, name, "is not a whole number");
		return 0;
	}
	if (json_integer_value(value) < lo || json_integer_value(value) > hi) {
		json_in_refuse(rd, name, "is out of range");
		return 0;
	}
	return json_integer_value(value);
}

int64_t json_in_whole(struct json_in *rd, const json_t *o, const char *name, int64_t lo, int64_t hi)
{
	return json_in_whole_value(rd, json_in_member(rd, o, name), name, lo, hi);
}

uint64_t json_in_count(struct json_in *rd, const json_t *o, const char *name)
{
	return (uint64_t)json_in_whole(rd, o, name, 0, JSON_IN_MOST);
}

uint64_t json_in_ns(struct json_in *rd, const json_t *o, const char *name)
{
	return (uint64_t)json_in_whole(rd, o, name, 0, INT64_MAX);
}

int64_t json_in_whole_or_null(struct json_in *rd, const json_t *o, const char *name, int64_t hi)
{
	json_t *value = json_in_member(rd, o, name);

	return !value || json_is_null(value) ? -1 : json_in_whole_value(rd, value, name, 0, hi);
}

double json_in_real_value(struct json_in *rd, const json_t *value, const char *name)
{
	if (rd->err || !value || json_is_null(value))
		return NAN;
	if (!json_is_number(value) || json_number_value(value) < 0) {
		json_in_refuse(rd, name, "is neither null nor a number from 0 up");
		return NAN;
	}
	if (json_number_value(value) > JSON_IN_REAL_MOST) {
		json_in_refuse(rd, name, "is out of range");
		return NAN;
	}
	return json_number_value(value);
}

double json_in_real_or_null(struct json_in *rd, const json_t *o, const char *name)
{
	return json_in_real_value(rd, json_in_member(rd, o, name), name);
}

bool json_in_bool(struct json_in *rd, const json_t *o, const char *name)
{
	json_t *value = json_in_member(rd, o, name);

	if (value && !json_is_boolean(value))
		json_in_refuse(rd, name, "is neither true nor false");
	return json_is_true(value);
}

json_t *json_in_array(struct json_in *rd, const json_t *o, const char *name, size_t max)
{
	json_t *value = json_in_member(rd, o, name);

	if (value && !json_is_array(value)) {
		json_in_refuse(rd, name, "is not an array");
		return NULL;
	}
	if (json_array_size(value) > max) {
		json_in_refuse(rd, name, "has too many elements");
		return NULL;
	}
	return value;
}

json_t *json_in_object(struct json_in *rd, const json_t *o, const char *name)
{
	json_t *value = json_in_member(rd, o, name);

	if (value && !json_is_object(value)) {
		json_in_refuse(rd, name, "is not an object");
		return NULL;
	}
	return value;
}
