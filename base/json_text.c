// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

json_t *json_text_string(const char *s)
{
	json_t *j = json_string(s);
	char *copy;

	if (j)
		return j;
	copy = strdup(s);
	if (copy)
		json_text_in_place(copy);
	j = copy ? json_string(copy) : NULL;
	free(copy);
	return j;
}

void json_text_in_place(char *s)
{
	json_t *j = json_string(s); /* NULL: no UTF-8 */

	for (char *c = s; !j && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json_decref(j);
}

const char *json_text_of(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name)) ?: "";
}

double json_text_number(const json_t *o, const char *name)
{
	const json_t *value = json_object_get(o, name);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

int json_differences(json_t *was, json_t *is, const char *of, json_differs *each, void *arg)
{
	const char *name;
	json_t *value;
	int stop = 0;

	json_object_foreach (was, name, value)
		if (!stop && !json_equal(value, json_object_get(is, name) ?: json_null()))
			stop = each(arg, of, name, value, json_object_get(is, name));
	json_object_foreach (is, name, value)
		if (!stop && !json_object_get(was, name) && !json_is_null(value))
			stop = each(arg, of, name, NULL, value);
	return stop;
}

int json_differences_of_each(json_t *was, json_t *is, json_differs *each, void *arg)
{
	const char *of;
	json_t *o;
	int stop = 0;

	json_object_foreach (was, of, o)
		stop = stop ?: json_differences(o, json_object_get(is, of), of, each, arg);
	json_object_foreach (is, of, o)
		if (!json_object_get(was, of))
			stop = stop ?: json_differences(NULL, o, of, each, arg);
	return stop;
}

int json_text_put(const char *text, size_t len, FILE *out, const char *also)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t plain, cut;

	for (size_t i = 0; i < len; i += plain + cut) {
		for (plain = 0; i + plain < len; plain++)
			if (s[i + plain] == 0x7f || (s[i + plain] < 0x7f && strchr(also, s[i + plain])) ||
			    (s[i + plain] == 0xc2 && i + plain + 1 < len && s[i + plain + 1] < 0xa0))
				break;
		if (fwrite(text + i, 1, plain, out) != plain)
			return -1;
		if (i + plain == len)
			break;
		cut = s[i + plain] == 0xc2 ? 2 : 1;
		if (fprintf(out, "\\u%04x", s[i + plain + cut - 1]) < 0)
			return -1;
	}
	return 0;
}

struct json_text_to {
	FILE *out;
	const char *also;
};

static int put_of_json_text(const char *text, size_t len, void *data)
{
	const struct json_text_to *to = data;

	return json_text_put(text, len, to->out, to->also);
}

int json_text_write(const json_t *o, FILE *out, size_t flags, const char *also)
{
	errno = 0;
	return json_dump_callback(o, put_of_json_text, &(struct json_text_to){out, also}, flags) ? errno ? -errno : -EIO
												 : 0;
}
