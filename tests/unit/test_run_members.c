// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of a run.json in which one member is missing or is something else: refused with a sentence, or read, and
 * then written as something. Of each kind of member the first is tried, in a run of an older version and in one that
 * has every member there is. Kept in tests/golden/cut/run-members.txt and run-every-member.txt; after a change that is
 * meant: UPDATE=1 build/tests/unit/test_run_members, and read the difference.
 */
#include <sys/stat.h>
#include "reports/run/run.h"
#include "tests/unit/json_changes.h"
#include "tests/unit/kept.h"
#include "tests/unit/unit.h"

#define EVERY_MEMBER "build/runs/members"

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
	if (run_write(&r, dir, &d))
		fail_msg("%s was read and cannot be written: %s", path, d.text);
	written = json_load_file(file, 0, NULL);
	text = json_dumps(json_at(written, path), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	fprintf(out, "%.60s", text ? text : "nothing");
	free(text);
	json_decref(written);
	run_release(&r);
}

static void change_each(json_t *top, const char *kept)
{
	FILE *out = kept_begin();
	char file[160];

	snprintf(file, sizeof(file), "%s/run/run.json", folder);
	change_all(top, top, "", file, put_result, out);
	json_decref(top);
	kept_end(kept);
}

static void test_members(void **state)
{
	json_t *top = json_load_file("build/runs/recorded/run.json", 0, NULL);

	while (json_array_size(json_object_get(top, "blocks")) > 1) /* all are alike, and one is quicker */
		json_array_remove(json_object_get(top, "blocks"), 1);
	change_each(top, "tests/golden/cut/run-members.txt");
}

/* Unchanged, all of it is read and written. */
static void test_every_member(void **state)
{
	json_t *top = json_load_file(EVERY_MEMBER "/run.json", 0, NULL), *written;
	char dir[128], file[160];
	struct diag d = {""};
	struct run r;

	snprintf(dir, sizeof(dir), "%s/run", folder);
	snprintf(file, sizeof(file), "%s/run.json", dir);
	assert_int_equal(run_read(&r, EVERY_MEMBER, &d), 0);
	assert_int_equal(run_write(&r, dir, &d), 0);
	run_release(&r);
	written = json_load_file(file, 0, NULL);
	assert_true(json_equal(top, written));
	json_decref(written);
	change_each(top, "tests/golden/cut/run-every-member.txt");
}

static int make_folders(void **state)
{
	char path[128];

	if (make_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/run", folder);
	return mkdir(path, 0700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_every_member),
	};

	return cmocka_run_group_tests_name("run_members", tests, make_folders, remove_folder);
}
