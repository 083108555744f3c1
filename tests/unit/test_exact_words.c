// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of an exact run of which one word of a window, or one member of run.json, is missing or another one:
 * refused with a sentence, or counted as something else. Kept in tests/golden/cut/. After a change that is meant:
 * UPDATE=1 build/tests/unit/test_exact_words, and read the difference.
 */
#include <inttypes.h>
#include "reports/exact/exact.h"
#include "tests/unit/json_changes.h"
#include "tests/unit/kept.h"
#include "tests/unit/unit.h"

static struct facilities *facilities;
static char run[128];

static void put_variant(const struct exact_variant *v, FILE *out)
{
	fprintf(out, "%s: %zu windows %" PRIu64 " packets %" PRIu64 " summed %" PRIu64 " between %.6g per packet",
		v->id, v->nwindows, v->packets, v->summed, v->between, v->total.instructions[0]);
	for (int i = 0; i < EXACT_MEMORY; i++)
		if (v->memory[i])
			fprintf(out, " %" PRIu64 "/%" PRIu64 "/%" PRIu64, v->memory_summed[i], v->memory_between[i],
				v->memory_placed[i]);
	for (int i = 0; i < EXACT_OUTSIDES; i++)
		fprintf(out, " %" PRIu64, v->outside[i]);
	fprintf(out, " %zu rows %zu paths %zu places", v->nrows, v->npaths, v->nplaces);
}

static char unchanged[1000];

static void put_result(const char *path, FILE *out)
{
	static char text[1000];
	struct diag d = {""};
	struct exact e;
	FILE *line;

	if (exact_read(&e, run, facilities, &d)) {
		fprintf(out, "refused%s", strncmp(d.text, run, strlen(run)) ? d.text : d.text + strlen(run));
		return;
	}
	line = fmemopen(text, sizeof(text), "w");
	if (e.nvariants)
		put_variant(&e.variants[0], line);
	else
		fputs("no variant", line);
	fclose(line);
	exact_release(&e);
	if (!*unchanged)
		strcpy(unchanged, text);
	fputs(path && !strcmp(text, unchanged) ? "as it was" : text, out);
}

/* Writes the text with another word in the place of the one at `at`; NULL: without it. */
static void write_changed(const char *path, const char *text, size_t at, size_t len, const char *word)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "%.*s%s%s", (int)at, text, word ? word : "", text + at + len);
	fclose(f);
}

static void test_windows(void **state)
{
	static const char *const words[] = {NULL, "other", "-1", "0", "-", "99999999999999999999", "1.5"};
	FILE *out = kept_begin(), *f;
	static char text[1 << 16];
	char path[160];
	size_t at = 0;

	put_result(NULL, out);
	fputc('\n', out);
	snprintf(path, sizeof(path), "%s/blocks/0.paths", run);
	f = fopen(path, "r");
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	for (int line = 0; line < 9; line++, at++)
		for (; text[at] != '\n'; at += text[at] == ' ') {
			size_t len = strcspn(text + at, " \n");

			for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
				write_changed(path, text, at, len, words[i]);
				fprintf(out, "line %d, %s for %.*s: ", line + 1, words[i] ? words[i] : "nothing",
					(int)len, text + at);
				put_result("", out);
				fputc('\n', out);
			}
			at += len;
		}
	write_changed(path, text, 0, 0, NULL);
	kept_end("tests/golden/cut/exact-windows.txt");
}

static void test_members(void **state)
{
	char path[160];
	json_t *top;

	snprintf(path, sizeof(path), "%s/run.json", run);
	top = json_load_file(path, 0, NULL);
	change_all(top, top, "", path, put_result, kept_begin());
	json_decref(top);
	kept_end("tests/golden/cut/exact-members.txt");
}

/* A copy of the run with its first variant alone, which is quicker. */
static int begin(void **state)
{
	char command[300], path[160];
	struct diag d = {""};
	json_t *top;

	if (make_folder(state) || facilities_read(&facilities, "tests/synthetic.conf", &d))
		return -1;
	snprintf(run, sizeof(run), "%s/run", folder);
	snprintf(command, sizeof(command), "cp -r build/runs/memory '%s'", run);
	if (system(command))
		return -1;
	snprintf(path, sizeof(path), "%s/run.json", run);
	top = json_load_file(path, 0, NULL);
	json_array_remove(json_object_get(top, "variants"), 1);
	json_dump_file(top, path, 0);
	json_decref(top);
	return 0;
}

static int end(void **state)
{
	facilities_free(facilities);
	return remove_folder(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests_name("exact_words", tests, begin, end);
}
