/*
 * kept - a text that a test makes, held against a file that is kept, to the byte
 *
 * in:    what is printed to kept_begin()'s stream until kept_end(); path: of the file, from the top of the tree
 * out:   with UPDATE=1 in the environment the file is written anew, and the difference is to be read
 * error: the test fails with the line that differs
 */
#ifndef TESTS_KEPT_H
#define TESTS_KEPT_H

#include "tests/unit/unit.h"

static FILE *kept_stream;
static char *kept_text;
static size_t kept_size;

static inline FILE *kept_begin(void)
{
	kept_stream = open_memstream(&kept_text, &kept_size);
	assert_non_null(kept_stream);
	return kept_stream;
}

static inline void kept_end(const char *path)
{
	static char want[1 << 20];
	bool update = getenv("UPDATE");
	size_t read;
	FILE *f;

	fclose(kept_stream);
	f = fopen(path, update ? "w+" : "r");
	if (!f)
		fail_msg("no %s", path);
	if (update) {
		fwrite(kept_text, 1, kept_size, f);
		rewind(f);
	}
	read = fread(want, 1, sizeof(want) - 1, f);
	fclose(f);
	for (size_t i = 0, line = 1; i < kept_size || i < read; i++) {
		if (i >= kept_size || i >= read || kept_text[i] != want[i])
			fail_msg("%s, line %zu: got %.80s", path, line, i < kept_size ? kept_text + i : "its end");
		line += kept_text[i] == '\n';
	}
	free(kept_text);
}

#endif
