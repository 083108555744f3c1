// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/complain.h"
#include "base/opts.h"
#include "base/opts_help.h"
#include "base/opts_value.h"

#define OPTS_MAX 64

/* getopt_long() returns an option's letter, or for a long option LONG_BASE + its row in the table. */
#define LONG_BASE 256

static void to_getopt(const struct opt *table, struct option *longs, char *shorts)
{
	size_t n = 0;

	*shorts++ = ':';
	for (size_t i = 0; table[i].name; i++) {
		bool takes = table[i].type != OPT_FLAG;

		if (table[i].flags & OPT_ARGUMENT)
			continue;
		longs[n++] = (struct option){table[i].name, takes, NULL, LONG_BASE + (int)i};
		if (!table[i].letter)
			continue;
		*shorts++ = table[i].letter;
		if (takes)
			*shorts++ = ':';
	}
	longs[n++] = (struct option){"help", optional_argument, NULL, 'h'};
	longs[n] = (struct option){};
	*shorts++ = 'h';
	*shorts = 0;
}

static bool has_letter(const struct opt *table, char letter)
{
	for (; table->name; table++)
		if (table->letter == letter)
			return true;
	return false;
}

static bool prints_json(const struct opt *o)
{
	if (strcmp(o->name, "format") != 0 || (o->flags & OPT_ARGUMENT) || !o->words)
		return false;
	for (const char *const *w = o->words; *w; w++)
		if (!strcmp(*w, "json"))
			return true;
	return false;
}

/*
 * Copies a table, and puts --json and --pretty behind its --format, as iproute2 has them, with -j and -p where the
 * command has no such letters of its own. *ignored: JSON is indented anyway. Returns the row of --json, or NULL.
 */
static const struct opt *add_json(struct opt all[OPTS_MAX + 1], const struct opt *table, bool *ignored)
{
	const struct opt *json = NULL;
	size_t n = 0;

	for (const struct opt *o = table; o->name; o++) {
		if (n + 3 > OPTS_MAX)
			abort();
		all[n++] = *o;
		if (!prints_json(o))
			continue;
		json = &all[n];
		all[n++] = (struct opt){"json", has_letter(table, 'j') ? 0 : 'j', OPT_FLAG, ignored,
					NULL,   "the same as --format json"};
		all[n++] = (struct opt){"pretty", has_letter(table, 'p') ? 0 : 'p', OPT_FLAG, ignored,
					NULL,     "JSON is always indented"};
	}
	all[n] = (struct opt){};
	return json;
}

static const struct opt *opts_find(const struct opt *table, int got)
{
	if (got >= LONG_BASE)
		return &table[got - LONG_BASE];
	for (; table->name; table++)
		if (table->letter == got)
			return table;
	return NULL;
}

/*
 * optopt: the letter of the option; LONG_BASE + row: a long option that takes no value got one; 0: an unknown long
 * option.
 */
static int complain_option(const struct command *c, int got, const char *word)
{
	char letter[3] = {'-', (char)optopt, 0};
	const char *what = got == ':'            ? "no value for option"
			   : optopt >= LONG_BASE ? "option takes no value:"
						 : "unknown option";

	if (optopt > 0 && optopt < LONG_BASE)
		word = letter;
	if (c->name)
		complain("%s: %s %s; see %s %s --help", c->name, what, word, program_invocation_short_name, c->name);
	else
		complain("%s %s; see %s --help", what, word, program_invocation_short_name);
	return OPTS_USAGE;
}

static int complain_usage(const struct command *c, const struct opt *table, const char *what, const char *word)
{
	char usage[512];

	opts_usage(c, table, usage, sizeof(usage));
	complain("%s%s%s %s; usage: %s", c->name ? c->name : "", c->name ? ": " : "", what, word, usage);
	return OPTS_USAGE;
}

static int read_arguments(const struct command *c, const struct opt *table, int argc, char **argv, bool *given)
{
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
	return next < argc ? complain_usage(c, table, "one argument too many:", argv[next]) : OPTS_OK;
}

static int check_required(const struct command *c, const struct opt *table, const bool *given)
{
	char what[64];

	for (size_t i = 0; table[i].name; i++) {
		if (given[i] || !(table[i].flags & OPT_REQUIRED))
			continue;
		if (table[i].flags & OPT_ARGUMENT)
			opts_argument_name(&table[i], what, sizeof(what));
		else
			snprintf(what, sizeof(what), "--%s %s", table[i].name, table[i].arg);
		return complain_usage(c, table, "wants", what);
	}
	return OPTS_OK;
}

int opts_parse(const struct command *c, const struct opt *given_table, int argc, char **argv)
{
	struct opt table[OPTS_MAX + 1];
	struct option longs[OPTS_MAX + 2];
	char shorts[2 * OPTS_MAX + 3];
	bool given[OPTS_MAX] = {false}, ignored;
	const struct opt *json = add_json(table, given_table, &ignored);
	int got, parsed;

	to_getopt(table, longs, shorts);
	opterr = 0;
	optind = 0; /* glibc: begin anew, even if another argv was parsed before */
	while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct opt *o;

		if (got == 'h')
			return opts_help(stdout, c, table, optarg) ? complain_option(c, '?', "--help=...") : OPTS_DONE;
		if (got == '?' || got == ':')
			return complain_option(c, got, argv[optind - 1]);
		o = opts_find(table, got);
		if (o->uses && !strcmp(optarg, "list")) {
			opts_help_words(stdout, o);
			return OPTS_DONE;
		}
		if (o == json ? opts_value_set(json - 1, "json") : opts_value_set(o, optarg))
			return OPTS_USAGE;
		given[o - table] = true;
	}
	parsed = read_arguments(c, table, argc, argv, given);
	if (!parsed)
		parsed = check_required(c, table, given);
	return !parsed && c->ready ? c->ready(c) : parsed;
}

/* A help or a list that nobody got is an error, but for a reader that closed its pipe. */
static int exit_printed(void)
{
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return EXIT_OK;
	complain("cannot write the output: %s", strerror(errno ? errno : EIO));
	return EXIT_FAILED;
}

int opts_exit(int parsed)
{
	return parsed == OPTS_DONE ? exit_printed() : parsed == OPTS_LACKS ? EXIT_LACKS : EXIT_USAGE;
}
