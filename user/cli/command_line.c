// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

#include <stdio.h>
#include "base/base.h"

json_t *command_line(int argc, char **argv)
{
	json_t *words = json_array();
	int failed = json_array_append_new(words, json_string("xdpzoom"));

	for (int i = 0; i < argc; i++)
		failed |= json_array_append_new(words, json_text_string(argv[i]));
	if (!failed)
		return words;
	json_decref(words);
	return NULL;
}

void command_line_words(char *to, size_t size, int argc, char **argv)
{
	size_t n = (size_t)snprintf(to, size, "xdpzoom");

	for (int i = 0; i < argc && n + 1 < size; i++) {
		to[n++] = ' ';
		n += shell_word(to + n, size - n, argv[i]);
	}
}
