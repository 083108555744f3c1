// SPDX-License-Identifier: GPL-2.0-or-later
/* What people paste, from the quick look to every reader of perf's texts. */
#include <errno.h>
#include <stdlib.h>
#include "perfparse/perfparse.h"
#include "tests/fuzz/fuzz.h"

/* Undressed as one text: what was not wanted changes nothing, and nothing gets longer. Returns the new length. */
static size_t undress_all(const uint8_t *data, size_t size, char *text)
{
	struct undress worn = {};
	struct text_lines lines = {};
	bool wanted = true;
	char words[300];
	size_t len = size;

	memcpy(text, data, size);
	if (text_lines_add(&lines, text, 0, size)) {
		wanted = undress_wanted(&worn, text, size, &lines);
		if (undress_lines(&worn, text, &len, &lines)) {
			fuzz_law(wanted || (len == size && !memcmp(text, data, size)), "the quick look misses nothing");
			undress_join(&worn, text, &len, &lines);
		}
	}
	free(lines.ends);
	fuzz_law(len <= size, "a text gets no longer");
	fuzz_law(undress_words(&worn, words, sizeof(words)) || wanted || len == size, "what was taken away is told");
	return len;
}

static void read_as(enum text_kind kind, const char *text, size_t len, struct components *f)
{
	const struct text_pick all = {.cpu = -1};
	const struct script_filter any = {.cpu = -1, .tid = -1};
	struct profile p = {}, new = {};
	struct undress worn = {};
	struct diag d = {""};
	struct linescan lines;
	FILE *in = fuzz_open((const uint8_t *)text, len);
	int err = -EINVAL;

	lines = (struct linescan){.in = in, .worn = &worn};
	if (kind == TEXT_REPORT)
		err = report_read(&p, &lines, &all, &d);
	else if (kind == TEXT_SCRIPT)
		err = script_read_lines(&p, &lines, &any, &d);
	else if (kind == TEXT_FOLDED)
		err = folded_read(&p, &lines, &d);
	else if (kind == TEXT_DIFF)
		err = difftext_read(&p, &new, &lines, NULL, 0, &d);
	if (!err)
		fuzz_costs(&p, f);
	profile_release(&p);
	profile_release(&new);
	linescan_release(&lines);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct components *f;
	char *text = malloc(size + 1);
	size_t len;

	if (!f)
		components_read(&f, NULL, NULL);
	len = undress_all(data, size, text);
	read_as(text_kind_guess(text, len), (const char *)data, size, f);
	free(text);
	return 0;
}
