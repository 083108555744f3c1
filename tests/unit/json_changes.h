/*
 * json_changes - a JSON file in which one member after the other is missing, or something else
 *
 * in:    the file's contents and its path; what reads the file and describes what became of it
 * out:   for kept.h: each member's path, and under it what each value made of it; values with one result share a line
 * law:   of an array, the first element is changed; what is in "environment" and "command" is not
 */
#ifndef TESTS_JSON_CHANGES_H
#define TESTS_JSON_CHANGES_H

#include <jansson.h>
#include "tests/unit/unit.h"

/* path: of the member that was changed */
typedef void put_read(const char *path, FILE *out);

static const char *const json_values[] = {NULL,   "\"text\"", "\"\"", "-1", "0", "1.5",
					  "1e20", "true",     "null", "[]", "{}"};

/* The member at the end of a path of keys and first elements, e.g. "blocks/0/windows/0/kind"; NULL: it is not there. */
static inline json_t *json_at(json_t *o, const char *path)
{
	char copy[256], *left = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while (o && (key = strsep(&left, "/")))
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(key)) : json_object_get(o, key);
	return o;
}

static inline void json_change(json_t *top, const char *path, const char *value)
{
	const char *name = strrchr(path, '/');
	char parent[256] = "";
	json_t *o = top;

	snprintf(parent, sizeof(parent), "%.*s", name ? (int)(name - path) : 0, path);
	name = name ? name + 1 : path;
	if (*parent)
		o = json_at(top, parent);
	if (json_is_array(o))
		value ? json_array_set_new(o, 0, json_loads(value, JSON_DECODE_ANY, NULL)) : json_array_remove(o, 0);
	else
		value ? json_object_set_new(o, name, json_loads(value, JSON_DECODE_ANY, NULL))
		      : json_object_del(o, name);
}

static inline void change_member(json_t *top, const char *path, const char *file, put_read *put, FILE *out)
{
	static char results[sizeof(json_values) / sizeof(json_values[0])][200];
	size_t n = sizeof(json_values) / sizeof(json_values[0]);

	for (size_t i = 0; i < n; i++) {
		json_t *copy = json_deep_copy(top);
		FILE *result = fmemopen(results[i], sizeof(results[i]), "w");

		json_change(copy, path, json_values[i]);
		assert_int_equal(json_dump_file(copy, file, 0), 0);
		put(path, result);
		fclose(result);
		json_decref(copy);
	}
	fprintf(out, "%s\n", path);
	for (size_t i = 0; i < n; i++) { /* json_values with the same result share a line */
		bool first = true;

		for (size_t k = 0; k < i; k++)
			first &= strcmp(results[k], results[i]) != 0;
		for (size_t k = i; k < n && first; k++)
			if (!strcmp(results[k], results[i]))
				fprintf(out, "%s%s", k > i ? ", " : "\t", json_values[k] ? json_values[k] : "missing");
		if (first)
			fprintf(out, ": %s\n", results[i]);
	}
}

static inline void change_all(json_t *top, json_t *o, const char *path, const char *file, put_read *put, FILE *out)
{
	char below[256];
	const char *name;
	json_t *member;

	if (*path)
		change_member(top, path, file, put, out);
	if (json_is_array(o) && json_array_size(o)) {
		snprintf(below, sizeof(below), "%s/0", path);
		change_all(top, json_array_get(o, 0), below, file, put, out);
	}
	json_object_foreach (o, name, member) {
		bool opaque = !strcmp(path, "environment") || !strcmp(path, "command");

		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
		if (!opaque)
			change_all(top, member, below, file, put, out);
	}
}

#endif
