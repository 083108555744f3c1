// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run_json.h"

#include <math.h>

void run_json_put(json_t *o, const char *name, json_t *value, bool *failed)
{
	if (json_object_set_new(o, name, value))
		*failed = true;
}

void run_json_add(json_t *array, json_t *value, bool *failed)
{
	if (json_array_append_new(array, value))
		*failed = true;
}

json_t *run_json_text_or_null(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

json_t *run_json_real_or_null(double value)
{
	return value >= 0 && isfinite(value) ? json_real(value) : json_null();
}

json_t *run_json_count_or_null(int64_t value)
{
	return value >= 0 ? json_integer(value) : json_null();
}

json_t *run_json_count(uint64_t value)
{
	return json_integer((json_int_t)value);
}
