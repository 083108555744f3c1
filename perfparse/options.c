// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "perfparse/options.h"

enum kind { FLAG, NUMBER, TEXT };

static const struct spec {
	char letter; /* 0: long only */
	const char *name, *arg;
	enum kind kind;
	size_t at;
	double min, max;
	const char *words; /* the only values of a text; NULL: any */
	const char *help;
} specs[] = {
#define AT(member) offsetof(struct options, member)
	{'p', "pps", "N", NUMBER, AT(pps), 1e-3, 1e12, NULL, "packets per second on the CPU of the profile"},
	{'n', "ns", "N", NUMBER, AT(ns), 1e-3, 1e12, NULL, "or: nanoseconds per packet"},
	{0, "packets", "N", NUMBER, AT(packets), 1, 1e18, NULL, "or: packets ..."},
	{0, "window", "S", NUMBER, AT(window_s), 1e-6, 1e9, NULL, "... and the busy seconds they took"},
	{'c', "children", NULL, FLAG, AT(children), 0, 0, NULL, "what a symbol costs with all it calls, largest first"},
	{'C', "cpu", "N", NUMBER, AT(cpu), 0, 65535, NULL, "only this CPU"},
	{0, "tid", "N", NUMBER, AT(tid), 0, 2147483647, NULL, "only this task (perf script)"},
	{'e', "event", "NAME", TEXT, AT(event), 0, 0, NULL, "which event, where the text has several"},
	{'f', "format", "F", TEXT, AT(format), 0, 0, "text json csv folded", "text, json, csv or folded"},
	{0, "diff", "FILE", TEXT, AT(diff), 0, 0, NULL, "a second profile, to lay beside the first ..."},
	{0, "pps2", "N", NUMBER, AT(pps2), 1e-3, 1e12, NULL, "... and its packets per second"},
	{0, "ns2", "N", NUMBER, AT(ns2), 1e-3, 1e12, NULL, "or: its nanoseconds per packet"},
	{0, "renames", "FILE", TEXT, AT(renames), 0, 0, NULL, "renames instead of the built-in renames.conf"},
	{0, "symbol", "NAME", TEXT, AT(symbol), 0, 0, NULL, "only this symbol (perf annotate)"},
	{0, "share", "PCT", NUMBER, AT(share), 1e-6, 100, NULL, "its share of the base (perf annotate)"},
	{0, "profile", "FILE", TEXT, AT(profile), 0, 0, NULL, "or: a perf report or script that tells it"},
	{'o', "output", "FILE", TEXT, AT(output), 0, 0, NULL, "write to FILE"},
	{'i', "input", "KIND", TEXT, AT(input), 0, 0, "auto report script stat annotate",
	 "report, script, stat or annotate; found out if not given"},
	{'t', "separator", "C", TEXT, AT(separator), 0, 0, NULL, "the separator given to perf with -t"},
	{0, "facilities", "FILE", TEXT, AT(facilities), 0, 0, NULL, "rules instead of the built-in facilities.conf"},
	{0, "no-symbols", NULL, FLAG, AT(no_symbols), 0, 0, NULL, "text: facilities only"},
	{'h', "help", NULL, FLAG, AT(help), 0, 0, NULL, "this text"},
	{'V', "version", NULL, FLAG, AT(version), 0, 0, NULL, "the version"},
#undef AT
};

#define NSPECS (sizeof(specs) / sizeof(specs[0]))

static void *member_of(struct options *o, const struct spec *spec)
{
	return (char *)o + spec->at;
}

static bool is_one_of(const char *word, const char *words)
{
	size_t n = strlen(word), i;
	const char *s;

	for (s = words; *s; s += i + (s[i] == ' ')) {
		i = strcspn(s, " ");
		if (i == n && !memcmp(s, word, n))
			return true;
	}
	return false;
}

static int set_number(const struct spec *spec, double *value, const char *arg, struct diag *d)
{
	int err = number_parse(arg, spec->min, spec->max, value);

	if (err == -ERANGE)
		return diag_set(d, -EINVAL, "--%s %s: out of range, %g to %g", spec->name, arg, spec->min, spec->max);
	if (err)
		return diag_set(d, -EINVAL, "--%s %s: not a number", spec->name, arg);
	return 0;
}

static int set_option(struct options *o, const struct spec *spec, const char *arg, struct diag *d)
{
	switch (spec->kind) {
	case FLAG:
		*(double *)member_of(o, spec) = 1;
		return 0;
	case NUMBER:
		return set_number(spec, member_of(o, spec), arg, d);
	case TEXT:
		break;
	}
	if (spec->words && !is_one_of(arg, spec->words))
		return diag_set(d, -EINVAL, "--%s %s: one of %s", spec->name, arg, spec->words);
	*(const char **)member_of(o, spec) = arg;
	return 0;
}

/* getopt_long()'s two views of the table. Long options give 256 + index. */
static void fill_getopt(struct option *longs, char *shorts)
{
	size_t i;

	*shorts++ = ':';
	for (i = 0; i < NSPECS; i++) {
		longs[i] = (struct option){specs[i].name, specs[i].arg ? required_argument : no_argument, NULL,
					   256 + (int)i};
		if (!specs[i].letter)
			continue;
		*shorts++ = specs[i].letter;
		if (specs[i].arg)
			*shorts++ = ':';
	}
	longs[NSPECS] = (struct option){0};
	*shorts = '\0';
}

static const struct spec *spec_of(int code)
{
	size_t i;

	if (code >= 256)
		return &specs[code - 256];
	for (i = 0; i < NSPECS; i++)
		if (specs[i].letter == code)
			return &specs[i];
	return NULL;
}

static int check(const struct options *o, struct diag *d)
{
	int bases = (o->pps > 0) + (o->ns > 0) + (o->packets > 0);

	if (o->help || o->version)
		return 0;
	if (bases > 1)
		return diag_set(d, -EINVAL, "only one of --pps, --ns and --packets");
	if (!bases)
		return diag_set(d, -EINVAL, "what did a packet cost? give --pps, --ns, or --packets and --window");
	if (o->pps2 > 0 && o->ns2 > 0)
		return diag_set(d, -EINVAL, "only one of --pps2 and --ns2");
	if (o->separator && strlen(o->separator) != 1)
		return diag_set(d, -EINVAL, "--separator %s: one character", o->separator);
	return 0;
}

int options_read(struct options *o, int argc, char **argv, struct diag *d)
{
	struct option longs[NSPECS + 1];
	char shorts[2 * NSPECS + 2];
	int code, err;

	*o = (struct options){.cpu = -1, .tid = -1, .share = 100, .format = "text", .input = "auto"};
	fill_getopt(longs, shorts);
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (code == ':')
			return diag_set(d, -EINVAL, "%s needs a value", argv[optind - 1]);
		if (code == '?')
			return diag_set(d, -EINVAL, "no such option: %s", argv[optind - 1]);
		err = set_option(o, spec_of(code), optarg, d);
		if (err)
			return err;
	}
	if (optind < argc)
		o->file = argv[optind++];
	if (optind < argc)
		return diag_set(d, -EINVAL, "one text at a time, not also %s", argv[optind]);
	return check(o, d);
}

void options_print_help(FILE *out)
{
	const struct spec *spec;
	char left[64];

	fputs("usage: perf report --stdio ... | perfparse --pps N [OPTION]... [FILE]\n"
	      "perf's text in, nanoseconds per packet out.\n\n",
	      out);
	for (spec = specs; spec < specs + NSPECS; spec++) {
		if (spec->letter)
			snprintf(left, sizeof(left), "-%c, --%s %s", spec->letter, spec->name,
				 spec->arg ? spec->arg : "");
		else
			snprintf(left, sizeof(left), "    --%s %s", spec->name, spec->arg ? spec->arg : "");
		fprintf(out, "  %-24s %s\n", left, spec->help);
	}
}
