// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/opts.h"
#include "base/opts_help.h"
#include "base/complain.h"

#define MAX_OPTS 48

static size_t table_size(const struct opt *table)
{
	size_t n = 0;

	while (table[n].name)
		n++;
	return n;
}

static double unit_factor(const struct opt *o, const char *unit)
{
	static const struct {
		const char *unit;
		double factor;
	} seconds[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}},
	  counts[] = {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
	const size_t n = sizeof(seconds) / sizeof(*seconds);

	for (size_t i = 0; i < n; i++) {
		if (o->type == OPT_SECONDS ? !strcmp(unit, seconds[i].unit) : !strcmp(unit, counts[i].unit))
			return o->type == OPT_SECONDS ? seconds[i].factor : counts[i].factor;
	}
	return -1;
}

static int parse_number(const struct opt *o, const char *text, double *value)
{
	bool any = o->min == 0 && o->max == 0;
	double factor;
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	factor = end == text ? -1 : unit_factor(o, end);
	if (factor < 0 || errno || !isfinite(*value) ||
	    (o->type == OPT_INT && (*value * factor) != floor(*value * factor)))
		return complain("--%s %s: not a %s", o->name, text, o->type == OPT_INT ? "whole number" : "number"), -1;
	*value *= factor;
	if (*value < o->min || (!any && *value > o->max) || (o->type == OPT_INT && fabs(*value) > 2147483647.0)) {
		if (any)
			complain("--%s %s: must not be negative or beyond all bounds", o->name, text);
		else
			complain("--%s %s: outside %.10g..%.10g", o->name, text, o->min, o->max);
		return -1;
	}
	return 0;
}

/* The next item, ended in place; *rest NULL: it was the last. "cpu/event=0xc0,umask=1/,cycles" has two events. */
static char *next_item(const struct opt *o, char **rest)
{
	bool inside = false;
	char *item = *rest, *c;

	for (c = item; *c && (*c != ',' || inside); c++)
		inside ^= *c == '/' && o->type == OPT_EVENTS;
	*rest = *c ? c + 1 : NULL;
	*c = 0;
	return item;
}

/* Splits at commas in place: argv is ours. */
static int parse_list(const struct opt *o, char *text)
{
	struct opt_list *list = o->value;
	char *item;

	if (!text[strspn(text, ",")])
		return complain("--%s: an empty list", o->name), -1;
	while (text) {
		item = next_item(o, &text);
		if (!*item)
			continue;
		if (list->n == sizeof(list->items) / sizeof(*list->items))
			return complain("--%s: more than %zu items", o->name, list->n), -1;
		list->items[list->n++] = item;
	}
	return 0;
}

static int set_value(const struct opt *o, char *text)
{
	double number;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		return 0;
	case OPT_STRING:
		*(const char **)o->value = text;
		return 0;
	case OPT_LIST:
	case OPT_EVENTS:
		return parse_list(o, text);
	default:
		break;
	}
	if (parse_number(o, text, &number))
		return -1;
	if (o->type == OPT_INT)
		*(int *)o->value = number;
	else
		*(double *)o->value = number;
	return 0;
}

static void to_getopt(const struct opt *table, size_t n, struct option *longs, char *shorts)
{
	*shorts++ = ':';
	for (size_t i = 0; i < n; i++) {
		longs[i] = (struct option){table[i].name, table[i].type != OPT_FLAG, NULL, 256 + (int)i};
		if (!table[i].letter)
			continue;
		*shorts++ = table[i].letter;
		if (table[i].type != OPT_FLAG)
			*shorts++ = ':';
	}
	longs[n] = (struct option){"help", optional_argument, NULL, 'h'};
	longs[n + 1] = (struct option){};
	*shorts++ = 'h';
	*shorts = 0;
}

static const struct opt *find(const struct opt *table, size_t n, int got)
{
	if (got >= 256)
		return &table[got - 256];
	for (size_t i = 0; i < n; i++)
		if (table[i].letter == got)
			return &table[i];
	return NULL;
}

/* optopt: the letter, or what is behind a long option that takes no argument but was given one; 0: unknown and long. */
static void complain_option(const struct command *c, int got, const char *word)
{
	char letter[3] = {'-', (char)optopt, 0};
	const char *what = got == ':'      ? "no argument for option"
			   : optopt >= 256 ? "no argument is taken by"
					   : "unknown option";

	complain("%s: %s %s; see xdpzoom %s --help", c->name, what, optopt > 0 && optopt < 256 ? letter : word,
		 c->name);
}

int opts_parse(const struct command *c, const struct opt *table, int argc, char **argv)
{
	struct option longs[MAX_OPTS + 2];
	char shorts[2 * MAX_OPTS + 3];
	size_t n = table_size(table);
	int got, positionals;

	if (n > MAX_OPTS)
		abort();
	to_getopt(table, n, longs, shorts);
	opterr = 0;
	optind = 1;
	while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct opt *o;

		if (got == 'h') {
			if (optarg && !strcmp(optarg, "rst"))
				opts_help_rst(c, table);
			else
				opts_help_text(c, table);
			return OPTS_HELP;
		}
		if (got == '?' || got == ':') {
			complain_option(c, got, argv[optind - 1]);
			return OPTS_USAGE;
		}
		o = find(table, n, got);
		if (!o || set_value(o, optarg))
			return OPTS_USAGE;
	}
	positionals = argc - optind;
	memmove(argv, argv + optind, positionals * sizeof(*argv));
	return positionals;
}

int opts_exit(int parsed)
{
	return parsed == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
}
