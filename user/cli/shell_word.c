// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/shell_word.h"

#include <stdio.h>
#include <string.h>

size_t shell_word(char *out, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	size_t n = 0;

	if (size < 3)
		return 0;
	if (*word && !word[strspn(word, plain)]) {
		n = (size_t)snprintf(out, size, "%s", word);
		return n < size ? n : size - 1;
	}
	n += (size_t)snprintf(out, size, "'");
	for (; *word && n + 6 < size; word++)
		n += (size_t)snprintf(out + n, size - n, *word == '\'' ? "'\\''" : "%c", *word);
	return n + (size_t)snprintf(out + n, size - n, "'");
}
