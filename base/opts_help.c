// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#define COLUMNS 80
#define HELP_AT 30 /* the column in which the help of an option begins */

void opts_argument_name(const struct opt *o, char *name, size_t size)
{
	size_t n = 0;

	*name = '\0';
	if (o->type != OPT_WORD)
		n = (size_t)snprintf(name, size, "%s", o->name);
	for (size_t i = 0; o->words && o->words[i] && n < size; i++)
		n += (size_t)snprintf(name + n, size - n, "%s%s", n ? "|" : "", o->words[i]);
}

void opts_usage(const struct command *c, const struct opt *table, char *usage, size_t size)
{
	size_t n = (size_t)snprintf(usage, size, "%s%s%s", program_invocation_short_name, c->name ? " " : "",
				    c->name ? c->name : "");
	char name[64];

	for (size_t i = 0; table[i].name && n < size; i++) {
		if (table[i].flags & (OPT_ARGUMENT | OPT_REQUIRED))
			continue;
		n += (size_t)snprintf(usage + n, size - n, " [OPTIONS]");
		break;
	}
	for (const struct opt *o = table; o->name && n < size; o++)
		if (!(o->flags & OPT_ARGUMENT) && (o->flags & OPT_REQUIRED))
			n += o->letter ? (size_t)snprintf(usage + n, size - n, " -%c %s", o->letter, o->arg)
				       : (size_t)snprintf(usage + n, size - n, " --%s %s", o->name, o->arg);
	for (const struct opt *o = table; o->name && n < size; o++) {
		if (!(o->flags & OPT_ARGUMENT))
			continue;
		opts_argument_name(o, name, sizeof(name));
		n += (size_t)snprintf(usage + n, size - n, o->flags & OPT_REQUIRED ? " %s" : " [%s]", name);
	}
}

/* One text with all that the help shows of a row: its help, its words, its default. */
static const char *whole_help(const struct opt *o, char *text, size_t size)
{
	char words[400], value[200];

	opts_value_words(o, ", ", words, sizeof(words));
	opts_value_default(o, value, sizeof(value));
	snprintf(text, size, "%s%s%s%s%s%s%s", o->help, *words && !(o->flags & OPT_ARGUMENT) ? ": " : "",
		 o->flags & OPT_ARGUMENT ? "" : words, *value ? " (" : "", value, *value ? ")" : "",
		 o->uses ? "; list prints what each is for" : "");
	return text;
}

/*
 * Prints text wrapped at COLUMNS. The first line begins at column, where the cursor is; the others are indented to
 * it.
 */
static void print_wrapped(FILE *out, const char *text, size_t column)
{
	size_t at = column;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (at > column && at + 1 + len > COLUMNS) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
		}
		if (at > column)
			fputc(' ', out);
		at += len + (at > column);
		fprintf(out, "%.*s", (int)len, text);
		text += len;
		while (*text == ' ')
			text++;
	}
	fputc('\n', out);
}

static void opts_help_print_row(FILE *out, const char *left, const char *help)
{
	int width = HELP_AT - 3;

	if ((int)strlen(left) > width)
		fprintf(out, "  %s\n%*s", left, HELP_AT, "");
	else
		fprintf(out, "  %-*s ", width, left);
	print_wrapped(out, help, HELP_AT);
}

static void print_options(FILE *out, const struct opt *table, enum opt_group group, const char *heading)
{
	char text[1024], left[64];

	for (const struct opt *o = table; o->name; o++) {
		if (o->flags & OPT_ARGUMENT || o->group != group)
			continue;
		if (heading)
			fprintf(out, "\n%s\n", heading);
		heading = NULL;
		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
			 o->letter ? ", " : "  ", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		opts_help_print_row(out, left, whole_help(o, text, sizeof(text)));
	}
}

static void print_people(FILE *out, const struct command *c, const struct opt *table, bool all)
{
	static const char *const headings[GROUPS] = {"",           "Load",  "Device", "Programs of your own",
						     "Statistics", "Output"};
	char text[1024], left[64];
	bool groups = false;

	opts_usage(c, table, text, sizeof(text));
	fprintf(out, "usage: %s\n\n", text);
	snprintf(text, sizeof(text), "%s%s", c->help, strchr("?!.", c->help[strlen(c->help) - 1]) ? "" : ".");
	print_wrapped(out, text, 0);
	fputc('\n', out);
	for (const struct opt *o = table; o->name; o++) {
		groups |= o->group != GROUP_USUAL;
		if (!(o->flags & OPT_ARGUMENT))
			continue;
		opts_argument_name(o, left, sizeof(left));
		opts_help_print_row(out, left, whole_help(o, text, sizeof(text)));
	}
	print_options(out, table, GROUP_USUAL, NULL);
	opts_help_print_row(out, "-h, --help",
			    groups ? "print this help; --help=all prints all options" : "print this help");
	for (int g = GROUP_USUAL + 1; g < GROUPS && all; g++)
		print_options(out, table, g, headings[g]);
	if (c->examples)
		fprintf(out, "\nExamples\n");
	for (const char *line = c->examples; line && *line; line = strchr(line, '\n') + 1)
		fprintf(out, "  %.*s", (int)(strchr(line, '\n') + 1 - line), line);
}

static void print_text(FILE *out, const struct command *c, const struct opt *table)
{
	print_people(out, c, table, false);
}

static void print_whole(FILE *out, const struct command *c, const struct opt *table)
{
	print_people(out, c, table, true);
}

/* With a backslash before each character that is markup in reStructuredText. */
static void opts_put_rst(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\*`|_<>", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* A title: text with a line of c below it and, where both is set, another one above it. */
static void opts_put_title(FILE *out, const char *text, char c, int both)
{
	char line[200];
	size_t n = strlen(text) < sizeof(line) ? strlen(text) : sizeof(line) - 1;

	memset(line, c, n);
	line[n] = '\0';
	fprintf(out, "%s%s%s\n%s\n\n", both ? line : "", both ? "\n" : "", text, line);
}

static void print_head(FILE *out, const struct command *c, const struct opt *table)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", program_invocation_short_name, c->name ? "-" : "",
		 c->name ? c->name : "");
	opts_put_title(out, text, '=', true);
	opts_put_title(out, c->help, '-', true);
	fprintf(out, ":Manual section: 1\n:Manual group: xdpzoom\n\n");
	opts_put_title(out, "SYNOPSIS", '=', false);
	opts_usage(c, table, text, sizeof(text));
	opts_put_rst(out, text);
	fputs("\n\n", out);
}

/* docutils takes a value's name without angle brackets only if the name is a single word. */
static void put_value_name(FILE *out, const char *arg)
{
	const char *s = arg;

	while (isalnum((unsigned char)*s))
		s++;
	fprintf(out, *s ? " <%s>" : " %s", arg);
}

static void put_option(FILE *out, const struct opt *o)
{
	char text[1024];

	if (o->letter) {
		fprintf(out, "-%c", o->letter);
		if (o->arg)
			put_value_name(out, o->arg);
		fputs(", ", out);
	}
	fprintf(out, "--%s", o->name);
	if (o->arg)
		put_value_name(out, o->arg);
	fputs("\n    ", out);
	opts_put_rst(out, whole_help(o, text, sizeof(text)));
	fputc('\n', out);
	for (const struct opt *p = o->parts; p && p->name; p++) {
		fprintf(out, "\n    %s%s", p->flags & OPT_ARGUMENT ? "" : p->name,
			p->arg && !(p->flags & OPT_ARGUMENT) ? "=" : "");
		opts_put_rst(out, p->arg ? p->arg : "");
		fputs("\n        ", out);
		opts_put_rst(out, whole_help(p, text, sizeof(text)));
		fputs(p[1].name ? "\n" : "\n\n", out);
	}
	for (size_t i = 0; o->uses && o->words[i]; i++) {
		fprintf(out, "\n    %s\n        ", o->words[i]);
		opts_put_rst(out, o->uses[i]);
		fputs(o->words[i + 1] ? "\n" : "\n\n", out);
	}
}

static void print_rst(FILE *out, const struct command *c, const struct opt *table)
{
	char text[1024], name[64];
	bool titled = false;

	for (const struct opt *o = table; o->name; o++) {
		if (!(o->flags & OPT_ARGUMENT))
			continue;
		if (!titled)
			opts_put_title(out, "ARGUMENTS", '=', false);
		titled = true;
		opts_argument_name(o, name, sizeof(name));
		opts_put_rst(out, name);
		fputs("\n    ", out);
		opts_put_rst(out, whole_help(o, text, sizeof(text)));
		fputs("\n\n", out);
	}
	opts_put_title(out, "OPTIONS", '=', false);
	for (const struct opt *o = table; o->name; o++)
		if (!(o->flags & OPT_ARGUMENT))
			put_option(out, o);
	fputs("-h, --help\n    print the options\n\n", out);
	if (c->needs_root)
		fputs("Needs root.\n\n", out);
}

/* The kind of values that completion offers for each type. */
static const char *const kinds[] = {
	[OPT_FLAG] = "flag", [OPT_INT] = "value",    [OPT_NUMBER] = "value", [OPT_SECONDS] = "value",
	[OPT_MAC] = "value", [OPT_STRING] = "value", [OPT_WORD] = "word",    [OPT_FILE] = "file",
	[OPT_DIR] = "dir",   [OPT_RUN] = "run",      [OPT_DEVICE] = "dev",   [OPT_NETNS] = "netns",
	[OPT_LIST] = "list", [OPT_EVENTS] = "list",  [OPT_EACH] = "file",    [OPT_PARTS] = "list",
};

/* command, option or number of the argument, letter, kind, value's name, words, help; tabs between */
static void print_table(FILE *out, const struct command *c, const struct opt *table)
{
	const char *command = c->name ? c->name : program_invocation_short_name;
	int argument = 0;

	fprintf(out, "%s\t\t\tcommand\t\t\t%s\n", command, c->help);
	for (const struct opt *o = table; o->name; o++) {
		fprintf(out, "%s\t", command);
		if (o->flags & OPT_ARGUMENT)
			fprintf(out, "%d\t\t%s\t%s\t", ++argument, kinds[o->type], o->name);
		else
			fprintf(out, "--%s\t%.*s\t%s\t%s\t", o->name, o->letter != 0, &o->letter, kinds[o->type],
				o->arg ? o->arg : "");
		for (size_t i = 0; o->words && o->words[i]; i++)
			fprintf(out, "%s%s", i ? " " : "", o->words[i]);
		for (const struct opt *p = o->parts; p && p->name; p++)
			if (!(p->flags & OPT_ARGUMENT))
				fprintf(out, "%s%s ", p->name, p->arg ? "=" : "");
		fprintf(out, "\t%s\n", o->help);
	}
	fprintf(out, "%s\t--help\th\tflag\t\t\tprint the options\n", command);
}

int opts_help(FILE *out, const struct command *c, const struct opt *table, const char *format)
{
	static const struct {
		const char *format;
		void (*print)(FILE *out, const struct command *c, const struct opt *table);
	} printers[] = {{"text", print_text},
			{"all", print_whole},
			{"head", print_head},
			{"rst", print_rst},
			{"table", print_table}};

	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++) {
		if (strcmp(format ? format : "text", printers[i].format) != 0)
			continue;
		printers[i].print(out, c, table);
		return 0;
	}
	return -EINVAL;
}
