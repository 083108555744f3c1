// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/shell_word.h"
#include "user/settings/settings.h"

static const struct setting_kind *setting_kind_of(const struct setting *s)
{
	static const struct setting_kind *const tables[] = {
		setting_file_kinds,
		setting_nic_kinds,
		setting_rule_kinds,
		setting_task_kinds,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct setting_kind *k = tables[i]; k->word; k++)
			if (!strcmp(k->word, s->kind))
				return k;
	return NULL;
}

void setting_fill(struct setting *s, const char *kind, const char *dev, const char *name, const char *fmt, ...)
{
	va_list args;

	memset(s, 0, sizeof(*s));
	snprintf(s->kind, sizeof(s->kind), "%s", kind);
	snprintf(s->dev, sizeof(s->dev), "%s", dev);
	snprintf(s->name, sizeof(s->name), "%s", name);
	va_start(args, fmt);
	vsnprintf(s->value, sizeof(s->value), fmt, args);
	va_end(args);
}

int setting_get(const struct setting *s, char *value, size_t size)
{
	const struct setting_kind *k = setting_kind_of(s);

	value[0] = 0;
	return k ? k->get(s, value, size) : -EINVAL;
}

int setting_set(const struct setting *s, const char *value)
{
	const struct setting_kind *k = setting_kind_of(s);

	return k ? k->set(s, value) : -EINVAL;
}

void setting_command(const struct setting *s, char *command, size_t size)
{
	const struct setting_kind *k = setting_kind_of(s);

	command[0] = 0;
	if (k && k->format)
		snprintf(command, size, k->format, SHELL_NAME(s->dev), s->value, s->name);
	else if (k)
		k->command(s, command, size);
}

void setting_words(const struct setting *s, char *words, size_t size)
{
	bool plain = !strcmp(s->kind, "file") || !strcmp(s->kind, "devfile") || !strcmp(s->kind, "feature");

	snprintf(words, size, "%s%s%s%s%s", plain ? "" : s->kind, plain || !s->name[0] ? "" : " ", s->name,
		 s->dev[0] ? " of " : "", s->dev);
}
