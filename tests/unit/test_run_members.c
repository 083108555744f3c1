// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of a run.json in which one member is missing or is something else: refused with a sentence, or read, and
 * then written as something. Of each kind of member the first is tried. Kept in tests/golden/cut/run-members.txt;
 * after a change that is meant: UPDATE=1 build/tests/unit/test_run_members, and read the difference.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "reports/run/run.h"
#include "tests/unit/kept.h"
#include "tests/unit/unit.h"

static const char *const values[] = {NULL, "\"text\"", "\"\"", "-1", "0", "1.5", "1e20", "true", "null", "[]", "{}"};

/* The member at the end of a path of keys and first elements, e.g. "blocks/0/windows/0/kind"; NULL: it is not there. */
static json_t *at(json_t *o, const char *path)
{
	char copy[256], *left = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while (o && (key = strsep(&left, "/")))
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(key)) : json_object_get(o, key);
	return o;
}

static void change(json_t *top, const char *path, const char *value)
{
	const char *name = strrchr(path, '/');
	char parent[256] = "";
	json_t *o = top;

	snprintf(parent, sizeof(parent), "%.*s", name ? (int)(name - path) : 0, path);
	name = name ? name + 1 : path;
	if (*parent)
		o = at(top, parent);
	if (json_is_array(o))
		value ? json_array_set_new(o, 0, json_loads(value, JSON_DECODE_ANY, NULL)) : json_array_remove(o, 0);
	else
		value ? json_object_set_new(o, name, json_loads(value, JSON_DECODE_ANY, NULL))
		      : json_object_del(o, name);
}

static void put_result(const char *path, FILE *out)
{
	char dir[128], file[160], *text = NULL;
	struct diag d = {""};
	json_t *written = NULL;
	struct run r;

	snprintf(dir, sizeof(dir), "%s/run", folder);
	snprintf(file, sizeof(file), "%s/run.json", dir);
	if (run_read(&r, dir, &d)) {
		assert_memory_equal(d.text, file, strlen(file));
		fprintf(out, "refused%s", d.text + strlen(file));
		return;
	}
	if (run_write(&r, dir, &d)) {
		fprintf(out, "cannot be written: %s", d.text);
	} else {
		written = json_load_file(file, 0, NULL);
		text = json_dumps(at(written, path), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
		fprintf(out, "%.60s", text ? text : "nothing");
		free(text);
		json_decref(written);
	}
	run_release(&r);
}

static void try_member(json_t *top, const char *path, FILE *out)
{
	static char results[sizeof(values) / sizeof(values[0])][200];
	char file[160];
	size_t n = sizeof(values) / sizeof(values[0]);

	snprintf(file, sizeof(file), "%s/run/run.json", folder);
	for (size_t i = 0; i < n; i++) {
		json_t *copy = json_deep_copy(top);
		FILE *result = fmemopen(results[i], sizeof(results[i]), "w");

		change(copy, path, values[i]);
		assert_int_equal(json_dump_file(copy, file, 0), 0);
		put_result(path, result);
		fclose(result);
		json_decref(copy);
	}
	fprintf(out, "%s\n", path);
	for (size_t i = 0; i < n; i++) { /* values with the same result share a line */
		bool first = true;

		for (size_t k = 0; k < i; k++)
			first &= strcmp(results[k], results[i]) != 0;
		for (size_t k = i; k < n && first; k++)
			if (!strcmp(results[k], results[i]))
				fprintf(out, "%s%s", k > i ? ", " : "\t", values[k] ? values[k] : "missing");
		if (first)
			fprintf(out, ": %s\n", results[i]);
	}
}

static void try_all(json_t *top, json_t *o, const char *path, FILE *out)
{
	char below[256];
	const char *name;
	json_t *member;

	if (*path)
		try_member(top, path, out);
	if (json_is_array(o) && json_array_size(o)) {
		snprintf(below, sizeof(below), "%s/0", path);
		try_all(top, json_array_get(o, 0), below, out);
	}
	json_object_foreach (o, name, member) {
		bool opaque = !strcmp(path, "environment") || !strcmp(path, "command");

		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
		if (!opaque)
			try_all(top, member, below, out);
	}
}

static void test_members(void **state)
{
	json_t *top = json_load_file("tests/golden/recorded/run/run.json", 0, NULL);
	FILE *out = kept_begin();
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "mkdir '%s/run'", folder);
	assert_int_equal(system(path), 0);
	while (json_array_size(json_object_get(top, "blocks")) > 1) /* all are alike, and one is quicker */
		json_array_remove(json_object_get(top, "blocks"), 1);
	try_all(top, top, "", out);
	json_decref(top);
	kept_end("tests/golden/cut/run-members.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests_name("run_members", tests, make_folder, remove_folder);
}
