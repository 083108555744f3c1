// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

bool listed_add(char *list, size_t size, const char *separator, const char *fmt, ...)
{
	size_t was = strlen(list), n = was + (was ? strlen(separator) : 0);
	int put = 0;
	va_list args;

	if (n < size) {
		va_start(args, fmt);
		put = vsnprintf(list + n, size - n, fmt, args);
		va_end(args);
	}
	if (n >= size || put < 0 || (size_t)put >= size - n) {
		list[was] = '\0';
		return false;
	}
	memcpy(list + was, separator, n - was);
	return true;
}

#define EDITS   2
#define LONGEST 64

/*
 * Optimal string alignment distance.
 * src: Damerau, "A technique for computer detection and correction of spelling errors", CACM 7 (1964)
 */
void nearest_try(struct nearest *near, const char *typed, const char *word)
{
	size_t d[LONGEST + 1][LONGEST + 1], n = strlen(typed), m = strlen(word);

	if (n > LONGEST || m > LONGEST)
		return;
	for (size_t k = 0; k <= m; k++)
		d[0][k] = k;
	for (size_t i = 1; i <= n; i++) {
		d[i][0] = i;
		for (size_t k = 1; k <= m; k++) {
			size_t edited = fmin(d[i - 1][k], d[i][k - 1]) + 1;

			d[i][k] = fmin(edited, d[i - 1][k - 1] + (typed[i - 1] != word[k - 1]));
			if (i > 1 && k > 1 && typed[i - 1] == word[k - 2] && typed[i - 2] == word[k - 1])
				d[i][k] = fmin(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	if (d[n][m] <= EDITS && 2 * d[n][m] < m && (!near->word || d[n][m] < near->edits))
		*near = (struct nearest){word, d[n][m]};
}

size_t shell_word(char *out, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	size_t n = 0;
	bool shown = true;

	if (size < 4)
		return 0;
	if (*word && !word[strspn(word, plain)]) {
		n = (size_t)snprintf(out, size, "%s", word);
		return n < size ? n : size - 1;
	}
	for (const char *c = word; *c && shown; c += printable_length(c))
		shown = printable_length(c) > 0;
	n += (size_t)snprintf(out, size, shown ? "'" : "$'");
	for (; *word && n + 6 < size; word++)
		n += (size_t)snprintf(out + n, size - n,
				      shown                  ? (*word == '\'' ? "'\\''" : "%c")
				      : strchr(plain, *word) ? "%c"
							     : "\\%03o",
				      (unsigned char)*word);
	return n + (size_t)snprintf(out + n, size - n, "'");
}

const char *shell_name(char to[SHELL_NAME_BYTES], const char *name)
{
	shell_word(to, SHELL_NAME_BYTES, name);
	return to;
}

char *shell_line(const json_t *words)
{
	size_t size = 1, n = 0, i;
	const json_t *word;
	char *line;

	json_array_foreach (words, i, word)
		size += 4 * strlen(json_string_value(word) ?: "") + 8;
	line = size > 1 ? malloc(size) : NULL;
	json_array_foreach (words, i, word) {
		if (!line)
			break;
		if (i)
			line[n++] = ' ';
		n += shell_word(line + n, size - n, json_string_value(word) ?: "");
	}
	return line;
}
