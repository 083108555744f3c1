// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include <getopt.h>
#include <net/if.h>
#include "base/sheet/sheet.h"

/* ---- the value of one option ------------------------------------------------------------------------------- */

static const struct unit {
	const char *name;
	double factor;
} times[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"min", 60}, {NULL, 0}},
  counts[] = {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};

/* Prints one sentence; it begins with the option and its value ("--rate 64abc"), or with the argument. */
static int opts_value_refuse(const struct opt *o, const char *text, const char *why)
{
	if (o->flags & OPT_ARGUMENT)
		complain("%s: %s", text, why);
	else /* the name of a part is that of its option, too: "tune ring=" */
		complain("--%s%s%s: %s", o->name, o->name[strlen(o->name) - 1] == '=' ? "" : " ", text, why);
	return -1;
}

static bool in_range(const struct opt *o, double value)
{
	if (o->type == OPT_INT && fabs(value) > INT_MAX)
		return false;
	return value >= o->min && ((o->min == 0 && o->max == 0) || value <= o->max);
}

static int set_number(const struct opt *o, const char *text)
{
	const struct unit *unit = o->type == OPT_SECONDS ? times : counts;
	double value = 0;
	const char *rest;
	int err = number_typed(text, &value, &rest);

	while (!err && unit->name && strcmp(unit->name, rest))
		unit++;
	if (err == -EINVAL || (!err && !unit->name))
		return opts_value_refuse(o, text, o->type == OPT_INT ? "not a whole number" : "not a number");
	value *= err ? 1 : unit->factor;
	if (!err && o->type == OPT_INT && value != floor(value))
		return opts_value_refuse(o, text, "not a whole number");
	if (err || !isfinite(value) || !in_range(o, value)) {
		char why[96];

		if (o->min == 0 && o->max == 0)
			return opts_value_refuse(o, text,
						 o->type == OPT_INT ? "outside 0..2147483647" : "must not be negative");
		snprintf(why, sizeof(why), "outside %.10g..%.10g", o->min, o->max);
		return opts_value_refuse(o, text, why);
	}
	if (o->type == OPT_INT)
		*(int *)o->value = (int)value;
	else
		*(double *)o->value = value;
	return 0;
}

/* The row's words: "text, json, csv". last stands before the last word: ", " or " or ". */
static void opts_value_words(const struct opt *o, const char *last, char *text, size_t size)
{
	*text = '\0';
	for (const struct opt *p = o->parts; p && p->name; p++)
		listed_add(text, size, p[1].name ? ", " : last, "%s%s%s", p->flags & OPT_ARGUMENT ? "" : p->name,
			   p->arg && !(p->flags & OPT_ARGUMENT) ? "=" : "", p->arg ? p->arg : "");
	for (size_t i = 0; o->words && o->words[i]; i++)
		listed_add(text, size, o->words[i + 1] ? ", " : last, "%s", o->words[i]);
}

/* near: what was meant, perhaps */
static int refuse_word(const struct opt *o, const char *text, const struct nearest *near)
{
	char words[300], why[420];

	opts_value_words(o, " or ", words, sizeof(words));
	snprintf(why, sizeof(why), near->word ? "wants %s; did you mean %s?" : "wants %s", words, near->word);
	return opts_value_refuse(o, text, why);
}

static int check_word(const struct opt *o, const char *text)
{
	struct nearest near = {};

	for (size_t i = 0; o->words && o->words[i]; i++) {
		if (!strcmp(o->words[i], text))
			return 0;
		nearest_try(&near, text, o->words[i]);
	}
	return !o->words || (o->flags & OPT_OPEN) ? 0 : refuse_word(o, text, &near);
}

/* Sets one part; item: "NAME=VALUE", "NAME" of a flag, or a value without a name. */
static int set_part(const struct opt *o, char *item, bool first)
{
	size_t length = strcspn(item, "=");
	const struct opt *p = o->parts;
	struct opt named;
	char name[64];

	while (p->name && (p->flags & OPT_ARGUMENT || strlen(p->name) != length || strncmp(p->name, item, length)))
		p++;
	if (!p->name && first && o->parts->flags & OPT_ARGUMENT) {
		named = *o->parts;
		named.name = o->name;
		named.flags = 0;
		return opts_value_set(&named, item);
	}
	if (!p->name || (p->type == OPT_FLAG) != !item[length]) {
		struct nearest near = {};

		snprintf(name, sizeof(name), "%.*s", (int)length, item);
		for (p = o->parts; p->name; p++)
			if (!(p->flags & OPT_ARGUMENT))
				nearest_try(&near, name, p->name);
		return refuse_word(o, item, &near);
	}
	named = *p;
	named.name = name;
	snprintf(name, sizeof(name), "%s %s=", o->name, p->name);
	return opts_value_set(&named, item[length] ? item + length + 1 : NULL);
}

int opts_value_set(const struct opt *o, char *text)
{
	struct opt_list *list = o->value;
	const char *whole = text;
	unsigned int v[6];
	int err = 0, end = 0;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		return 0;
	case OPT_INT:
	case OPT_NUMBER:
	case OPT_SECONDS:
		return set_number(o, text);
	case OPT_MAC:
		/* sscanf's %2x accepts a sign and spaces; a MAC address has neither */
		if (text[strspn(text, "0123456789abcdefABCDEF:")] ||
		    sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &end) != 6 ||
		    text[end])
			return opts_value_refuse(o, text, "not a MAC address; one is 02:00:00:00:00:01");
		for (int i = 0; i < 6; i++)
			((unsigned char *)o->value)[i] = (unsigned char)v[i];
		return 0;
	case OPT_EACH:
		if (list->n == OPT_LIST_MAX)
			return opts_value_refuse(o, text, "given too often; at most 64 times");
		list->items[list->n++] = text;
		return 0;
	case OPT_LIST:
	case OPT_EVENTS:
	case OPT_PARTS:
		if (!text[strspn(text, ",")])
			return opts_value_refuse(o, text, "the list is empty");
		for (char *item = text, *c; item; item = text) {
			bool inside = false, first = item == whole;

			/* The next item, with a NUL over the comma behind it. */
			for (c = item; *c && (*c != ',' || inside); c++)
				inside ^= *c == '/' && o->type == OPT_EVENTS;
			text = *c ? c + 1 : NULL;
			*c = 0;
			if (!*item)
				continue;
			if (o->type == OPT_PARTS ? set_part(o, item, first) : check_word(o, item))
				return -1;
			if (o->type != OPT_PARTS && list->n == OPT_LIST_MAX)
				return opts_value_refuse(o, item, "one item too many; a list takes at most 64");
			if (o->type != OPT_PARTS)
				list->items[list->n++] = item;
		}
		return 0;
	case OPT_WORD:
		err = check_word(o, text);
		break;
	case OPT_DEVICE:
	case OPT_NETNS:
		if (!*text || strlen(text) >= (o->type == OPT_DEVICE ? IFNAMSIZ : 64) || strchr(text, '/') ||
		    !strcmp(text, ".") || !strcmp(text, ".."))
			err = opts_value_refuse(o, text,
						o->type == OPT_DEVICE ? "no network device can have that name"
								      : "no network namespace can have that name");
		break;
	case OPT_FILE:
	case OPT_DIR:
	case OPT_RUN:
		err = *text ? 0 : opts_value_refuse(o, "''", "empty");
		break;
	default:
		break;
	}
	if (!err)
		*(const char **)o->value = text;
	return err;
}

/* ---- help, man page and completion ---- */

#define HELP_AT 30 /* the column in which the help of an option begins */

/* "DEV|lab", or "up|down|status" */
static void opts_argument_name(const struct opt *o, char *name, size_t size)
{
	size_t n = 0;

	*name = '\0';
	if (o->type != OPT_WORD)
		n = (size_t)snprintf(name, size, "%s", o->name);
	for (size_t i = 0; o->words && o->words[i] && n < size; i++)
		n += (size_t)snprintf(name + n, size - n, "%s%s", n ? "|" : "", o->words[i]);
}

/* "xdpzoom record [OPTIONS] -o DIR DEV|lab" */
static void opts_usage(const struct command *c, const struct opt *table, char *usage, size_t size)
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

/* One text with all that the help shows of a row: its help, its words, its default, where there is one to show. */
static const char *whole_help(const struct opt *o, char *text, size_t size)
{
	char words[400], value[200] = "";

	opts_value_words(o, ", ", words, sizeof(words));
	if (o->otherwise) {
		snprintf(value, sizeof(value), "%s", o->otherwise);
	} else if (o->type == OPT_INT || o->type == OPT_NUMBER || o->type == OPT_SECONDS) {
		double number = o->type == OPT_INT ? *(int *)o->value : *(double *)o->value;

		if (in_range(o, number) && !(o->min == 0 && o->max == 0 && number == 0))
			snprintf(value, sizeof(value), "%.10g%s", number, o->type == OPT_SECONDS ? " s" : "");
	} else if (o->type >= OPT_STRING && o->type < OPT_LIST) {
		snprintf(value, sizeof(value), "%s", *(const char **)o->value ?: "");
	}
	snprintf(text, size, "%s%s%s%s%s%s%s", o->help, *words && !(o->flags & OPT_ARGUMENT) ? ": " : "",
		 o->flags & OPT_ARGUMENT ? "" : words, *value ? " (" : "", value, *value ? ")" : "",
		 o->uses ? "; list prints what each is for" : "");
	return text;
}

static void opts_help_print_row(FILE *out, const char *left, const char *help)
{
	const struct text t = {.out = out};
	bool fits = strlen(left) < HELP_AT - 2;

	fprintf(out, fits ? "  %-*s" : "  %*s\n", fits ? HELP_AT - 3 : 0, left);
	text_wrap(&t, fits ? HELP_AT - 1 : 0, HELP_AT, help);
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
	text_wrap(&(struct text){.out = out}, 0, 0, text);
	fputc('\n', out);
	for (const struct opt *o = table; o->name; o++) {
		groups |= o->group != GROUP_USUAL;
		if (!(o->flags & OPT_ARGUMENT))
			continue;
		opts_argument_name(o, left, sizeof(left));
		opts_help_print_row(out, left, whole_help(o, text, sizeof(text)));
	}
	for (enum opt_group g = GROUP_USUAL; g < (all ? GROUPS : GROUP_USUAL + 1); g++) {
		const char *heading = g == GROUP_USUAL ? NULL : headings[g];

		for (const struct opt *o = table; o->name; o++) {
			if (o->flags & OPT_ARGUMENT || o->group != g)
				continue;
			if (heading)
				fprintf(out, "\n%s\n", heading);
			heading = NULL;
			snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
				 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name, o->arg ? " " : "",
				 o->arg ? o->arg : "");
			opts_help_print_row(out, left, whole_help(o, text, sizeof(text)));
		}
		if (g == GROUP_USUAL)
			opts_help_print_row(out, "-h, --help",
					    groups ? "print this help; --help=all prints all options"
						   : "print this help");
	}
	if (c->examples)
		fprintf(out, "\nExamples\n");
	for (const char *line = c->examples; line && *line; line = strchr(line, '\n') + 1)
		fprintf(out, "  %.*s", (int)(strchr(line, '\n') + 1 - line), line);
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
static void opts_put_title(FILE *out, const char *text, char c, bool both)
{
	char line[200] = "";

	memset(line, c, strnlen(text, sizeof(line) - 1));
	fprintf(out, "%s%s%s\n%s\n\n", both ? line : "", both ? "\n" : "", text, line);
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
	for (const struct opt *o = table; o->name; o++) {
		const char *s = o->arg ? o->arg : "";

		if (o->flags & OPT_ARGUMENT)
			continue;
		/* docutils takes a value's name without angle brackets only if the name is a single word. */
		while (isalnum((unsigned char)*s))
			s++;
		snprintf(name, sizeof(name), *s ? "%s<%s>" : "%s%s", o->arg ? " " : "", o->arg ? o->arg : "");
		if (o->letter)
			fprintf(out, "-%c%s, ", o->letter, name);
		fprintf(out, "--%s%s\n    ", o->name, name);
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

/*
 * Prints the table. format: NULL: the help for people; "all": with every row; "head": title and synopsis of the man
 * page, "rst": its arguments and options; "table": lines for the scripts in base/completion. False: another one
 */
static bool opts_help(FILE *out, const struct command *c, const struct opt *table, const char *format)
{
	const char *command = c->name ? c->name : program_invocation_short_name;
	bool all = format && !strcmp(format, "all");
	int argument = 0;
	char text[512];

	if (!format || all || !strcmp(format, "text")) {
		print_people(out, c, table, all);
	} else if (!strcmp(format, "head")) {
		snprintf(text, sizeof(text), "%s%s%s", program_invocation_short_name, c->name ? "-" : "",
			 c->name ? c->name : "");
		opts_put_title(out, text, '=', true);
		opts_put_title(out, c->help, '-', true);
		fprintf(out, ":Manual section: 1\n:Manual group: xdpzoom\n\n");
		opts_put_title(out, "SYNOPSIS", '=', false);
		opts_usage(c, table, text, sizeof(text));
		opts_put_rst(out, text);
		fputs("\n\n", out);
	} else if (!strcmp(format, "rst")) {
		print_rst(out, c, table);
	} else if (!strcmp(format, "table")) {
		/* command, option or number of the argument, letter, kind, value's name, words, help; tabs between */
		fprintf(out, "%s\t\t\tcommand\t\t\t%s\n", command, c->help);
		for (const struct opt *o = table; o->name; o++) {
			fprintf(out, "%s\t", command);
			if (o->flags & OPT_ARGUMENT)
				fprintf(out, "%d\t\t%s\t%s\t", ++argument, kinds[o->type], o->name);
			else
				fprintf(out, "--%s\t%.*s\t%s\t%s\t", o->name, o->letter != 0, &o->letter,
					kinds[o->type], o->arg ? o->arg : "");
			for (size_t i = 0; o->words && o->words[i]; i++)
				fprintf(out, "%s%s", i ? " " : "", o->words[i]);
			for (const struct opt *p = o->parts; p && p->name; p++)
				if (!(p->flags & OPT_ARGUMENT))
					fprintf(out, "%s%s ", p->name, p->arg ? "=" : "");
			fprintf(out, "\t%s\n", o->help);
		}
		fprintf(out, "%s\t--help\th\tflag\t\t\tprint the options\n", command);
	} else {
		return false;
	}
	return true;
}

/* ---- the command line -------------------------------------------------------------------------------------- */

#define OPTS_MAX 64

/* getopt_long() returns an option's letter, or for a long option LONG_BASE + its row in the table. */
#define LONG_BASE 256

/*
 * optopt: the letter of the option; LONG_BASE + row: a long option that takes no value got one; 0: an unknown long
 * option.
 */
static int complain_option(const struct command *c, const struct opt *table, int got, const char *word)
{
	char letter[3] = {'-', (char)optopt, 0};
	struct nearest near = {};
	char hint[96] = "; see", named[64];
	const char *what = got == ':'            ? "no value for option"
			   : optopt >= LONG_BASE ? "option takes no value:"
						 : "unknown option";

	snprintf(named, sizeof(named), "%.*s", (int)strcspn(word, "="), word);
	if (optopt > 0 && optopt < LONG_BASE)
		word = letter;
	for (; !optopt && table->name; table++)
		if (!(table->flags & OPT_ARGUMENT))
			nearest_try(&near, named + strspn(named, "-"), table->name);
	if (near.word)
		snprintf(hint, sizeof(hint), "; did you mean --%.60s? See", near.word);
	complain("%s%s%s %s%s %s%s%s --help", c->name ? c->name : "", c->name ? ": " : "", what, word, hint,
		 program_invocation_short_name, c->name ? " " : "", c->name ? c->name : "");
	return OPTS_USAGE;
}

static int read_arguments(const struct command *c, const struct opt *table, int argc, char **argv, bool *given)
{
	char what[64], usage[512];
	int next = optind;

	for (size_t i = 0; table[i].name && next < argc; i++) {
		if (!(table[i].flags & OPT_ARGUMENT))
			continue;
		do {
			if (opts_value_set(&table[i], argv[next++]))
				return OPTS_USAGE;
		} while (table[i].type == OPT_LIST && next < argc); /* a list takes the rest */
		given[i] = true;
	}
	const char *wrong = next < argc ? "one argument too many:" : NULL, *word = wrong ? argv[next] : what;
	for (const struct opt *o = table; o->name && !wrong; o++) {
		if (given[o - table] || !(o->flags & OPT_REQUIRED))
			continue;
		if (o->flags & OPT_ARGUMENT)
			opts_argument_name(o, what, sizeof(what));
		else
			snprintf(what, sizeof(what), "--%s %s", o->name, o->arg);
		wrong = "wants";
	}
	if (!wrong)
		return OPTS_OK;
	opts_usage(c, table, usage, sizeof(usage));
	complain("%s%s%s %s; usage: %s", c->name ? c->name : "", c->name ? ": " : "", wrong, word, usage);
	return OPTS_USAGE;
}

int opts_parse(const struct command *c, const struct opt *table, int argc, char **argv)
{
	struct option longs[OPTS_MAX + 2];
	char shorts[2 * OPTS_MAX + 3];
	bool given[OPTS_MAX] = {false};
	char *letter = shorts;
	size_t n = 0;
	int got, parsed;

	*letter++ = ':';
	for (size_t i = 0; table[i].name; i++) {
		bool takes = table[i].type != OPT_FLAG;

		if (table[i].flags & OPT_ARGUMENT)
			continue;
		longs[n++] = (struct option){table[i].name, takes, NULL, LONG_BASE + (int)i};
		if (!table[i].letter)
			continue;
		*letter++ = table[i].letter;
		if (takes)
			*letter++ = ':';
	}
	longs[n++] = (struct option){"help", optional_argument, NULL, 'h'};
	longs[n] = (struct option){};
	strcpy(letter, "h");
	opterr = 0;
	optind = 0; /* glibc: begin anew, even if another argv was parsed before */
	while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct opt *o;

		if (got == 'h')
			return opts_help(stdout, c, table, optarg) ? OPTS_DONE
								   : complain_option(c, table, '?', "--help=...");
		if (got == '?' || got == ':')
			return complain_option(c, table, got, argv[optind - 1]);
		for (o = got >= LONG_BASE ? &table[got - LONG_BASE] : table; got < LONG_BASE && o->letter != got;)
			o++;
		if (o->uses && !strcmp(optarg, "list")) {
			for (size_t i = 0; o->words[i]; i++)
				printf("%-12s %s\n", o->words[i], o->uses[i]);
			return OPTS_DONE;
		}
		if (opts_value_set(o, optarg))
			return OPTS_USAGE;
		given[o - table] = true;
	}
	parsed = read_arguments(c, table, argc, argv, given);
	return !parsed && c->ready ? c->ready(c) : parsed;
}

/* A help or a list that nobody got is an error, but for a reader that closed its pipe. */
int opts_exit(int parsed)
{
	if (parsed != OPTS_DONE)
		return parsed == OPTS_LACKS ? EXIT_LACKS : EXIT_USAGE;
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return EXIT_OK;
	complain("cannot write the output: %s", strerror(errno ? errno : EIO));
	return EXIT_FAILED;
}
