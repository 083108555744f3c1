// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/opts_help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 80
#define HELP_AT 30 /* where the help of an option begins */

/* Wrapped, with lines after the first where the first began. */
static void print_wrapped(const char *text, size_t column)
{
	size_t at = column;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (at > column && at + 1 + len > COLUMNS) {
			printf("\n%*s", (int)column, "");
			at = column;
		}
		if (at > column)
			putchar(' ');
		at += len + (at > column);
		printf("%.*s", (int)len, text);
		text += len;
		while (*text == ' ')
			text++;
	}
	putchar('\n');
}

void opts_help_text(const struct command *c, const struct opt *table)
{
	printf("usage: xdpzoom %s [OPTIONS] %s\n\n%s.\n\n", c->name, c->args, c->help);
	for (; table->name; table++) {
		char left[64];

		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", table->letter ? '-' : ' ',
			 table->letter ? table->letter : ' ', table->letter ? ", " : "  ", table->name,
			 table->arg ? " " : "", table->arg ? table->arg : "");
		printf("  %-27s ", left);
		print_wrapped(table->help, HELP_AT);
	}
	printf("  %-27s %s\n", "-h, --help", "this text");
}

static void put_rst(const char *s)
{
	for (; *s; s++) {
		if (strchr("\\*`|_<>", *s))
			putchar('\\');
		putchar(*s);
	}
}

/* An argument that is more than a word has to stand between angle brackets. */
static void put_argument(const char *arg)
{
	const char *s = arg;

	while (isalnum((unsigned char)*s))
		s++;
	printf(*s ? " <%s>" : " %s", arg);
}

static void put_option(const struct opt *o)
{
	if (o->letter) {
		printf("-%c", o->letter);
		if (o->arg)
			put_argument(o->arg);
		fputs(", ", stdout);
	}
	printf("--%s", o->name);
	if (o->arg)
		put_argument(o->arg);
	fputs("\n    ", stdout);
	put_rst(o->help);
	putchar('\n');
}

void opts_help_rst(const struct command *c, const struct opt *table)
{
	size_t width = strlen("xdpzoom ") + strlen(c->name);

	printf("xdpzoom %s\n", c->name);
	while (width--)
		putchar('-');
	printf("\n\n**xdpzoom %s** [*OPTIONS*] ", c->name);
	put_rst(c->args);
	fputs("\n\n", stdout);
	put_rst(c->help);
	puts(c->needs_root ? ". Needs root.\n" : ".\n");
	for (; table->name; table++)
		put_option(table);
	putchar('\n');
}
