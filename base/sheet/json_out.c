// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"
#include "base/base.h"

void json_out_put(struct json_out *w, json_t *o, const char *name, json_t *value)
{
	int failed = json_object_set(o, name, value);

	if (failed && value) { /* a name that is not UTF-8, perhaps */
		json_t *key = json_text_string(name);

		failed = !key || json_object_set(o, json_string_value(key), value);
		json_decref(key);
	}
	json_decref(value);
	w->failed |= failed != 0;
}

void json_out_add(struct json_out *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		w->failed = true;
}

json_t *json_out_value(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void json_out_number(struct json_out *w, json_t *o, const char *name, double value)
{
	json_out_put(w, o, name, json_out_value(value));
}

json_t *json_out_count_value(double count)
{
	return fabs(count) < 9e18 ? json_integer((json_int_t)count) : json_null();
}

void json_out_count(struct json_out *w, json_t *o, const char *name, double count)
{
	json_out_put(w, o, name, json_out_count_value(count));
}

void json_out_text(struct json_out *w, json_t *o, const char *name, const char *text)
{
	json_out_put(w, o, name, json_text_string(text));
}

json_t *json_out_known(const char *text)
{
	return *text ? json_text_string(text) : json_null();
}

json_t *json_out_amount_value(double value)
{
	return json_out_value(value >= 0 ? value : NAN);
}

json_t *json_out_whole_value(int64_t value)
{
	return value >= 0 ? json_integer(value) : json_null();
}

void json_out_whole(struct json_out *w, json_t *o, const char *name, int64_t value)
{
	json_out_put(w, o, name, json_out_whole_value(value));
}

json_t *json_out_end(const struct json_out *w, json_t *o)
{
	if (!w->failed)
		return o;
	json_decref(o);
	return NULL;
}

int json_out_write(const struct json_out *w, json_t *o, FILE *out, size_t flags)
{
	int err = 0;

	flags |= JSON_REAL_PRECISION(w->digits ? w->digits : JSON_OUT_DIGITS);
	errno = 0;
	if (w->failed || !o)
		err = -ENOMEM;
	else if (json_text_write(o, out, flags) || fputc('\n', out) == EOF || fflush(out))
		err = errno ? -errno : -EIO;
	json_decref(o);
	return err;
}
