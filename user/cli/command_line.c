// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/command_line.h"

#include "base/json_text.h"

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
