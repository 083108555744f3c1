// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "user/machine/machine.h"

static char words[256], first_warning[256];

static int keep_words(enum libbpf_print_level level, const char *fmt, va_list args)
{
	static const char mark[] = "Kernel error message: ", library[] = "libbpf: ";
	char line[400];
	const char *text;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	for (char *c = line; *c; c++) /* names in a hostile object are anything */
		if (*c != '\n' && (*c < ' ' || *c > '~'))
			*c = '?';
	if (!first_warning[0] && !strncmp(line, library, strlen(library)))
		snprintf(first_warning, sizeof(first_warning), "%.*s", (int)strcspn(line + strlen(library), "\n"),
			 line + strlen(library));
	text = strstr(line, mark);
	if (text)
		snprintf(words, sizeof(words), "%.255s", text + strlen(mark));
	words[strcspn(words, "\n")] = 0;
	return 0;
}

void kernel_words_listen(void)
{
	libbpf_set_print(keep_words);
}

void kernel_words_clear(void)
{
	words[0] = first_warning[0] = 0;
}

const char *kernel_words_first_warning(void)
{
	return first_warning;
}

const char *kernel_words(void)
{
	return words;
}

const char *kernel_words_sep(void)
{
	return words[0] ? ": " : "";
}
