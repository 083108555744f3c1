// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"
#include "base/printable.h"

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
