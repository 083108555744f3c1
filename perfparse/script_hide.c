// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/printable.h"

#define DIGITS 16

/* Where the address of a line is: a tab, blanks and digits that end in column DIGITS, a blank. NULL: nowhere. */
static char *address_in(char *line, size_t len)
{
	char *s = line + 1;

	if (len < DIGITS + 2 || line[0] != '\t' || line[DIGITS + 1] != ' ')
		return NULL;
	while (*s == ' ')
		s++;
	for (char *c = s; c < line + DIGITS + 1; c++)
		if (!isxdigit((unsigned char)*c))
			return NULL;
	return s < line + DIGITS + 1 ? s : NULL;
}

struct sources {
	const char *(*find)(const void *of, uint64_t address); /* NULL: nothing has one */
	const void *of;
};

/* Returns the source line of the address. */
static const char *hide(char *line, size_t len, const struct sources *sources)
{
	char *s = address_in(line, len), *end = line + DIGITS + 1;
	const char *source = NULL;
	bool kernel;

	if (!s || strspn(s, "0") >= (size_t)(end - s))
		return NULL;
	if (sources->find)
		source = sources->find(sources->of, strtoull(s, NULL, 16));
	kernel = end - s == DIGITS && *s >= '8'; /* in the upper half, where all 16 digits are printed */
	memset(line + 1, kernel ? 'f' : ' ', DIGITS);
	if (!kernel)
		end[-1] = '1';
	return source;
}

static int copy(FILE *in, FILE *out, const struct sources *sources)
{
	bool innermost = false; /* the line before was not a frame */
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	errno = 0;
	while (!err && (len = getline(&line, &size, in)) > 0) {
		const char *source = hide(line, (size_t)len, sources);

		printable_lines(out, line, (size_t)len);
		if (source && innermost)
			fprintf(out, SCRIPT_SOURCE "%s\n", source);
		if (ferror(out))
			err = errno ? -errno : -EIO;
		innermost = line[0] != '\t';
	}
	if (!err && ferror(in))
		err = errno ? -errno : -EIO;
	free(line);
	return err;
}

int script_hide_addresses(const char *path, const char *(*source)(const void *of, uint64_t address), const void *of)
{
	const struct sources sources = {source, of};
	FILE *in = fopen(path, "re"), *out;
	char hidden[4096];
	int err;

	if (!in)
		return -errno;
	snprintf(hidden, sizeof(hidden), "%s.hidden", path);
	out = fopen(hidden, "wxe");
	err = out ? copy(in, out, &sources) : -errno;
	fclose(in);
	if (out && fclose(out) && !err)
		err = -errno;
	if (!err && rename(hidden, path))
		err = -errno;
	if (err && out)
		unlink(hidden);
	return err;
}
