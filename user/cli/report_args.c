// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/report_args.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include "base/complain.h"

static int check(struct report_args *a, enum format_of of, struct diag *d)
{
	int err = format_find(&a->format, a->format_name, of, d);

	if (!err)
		err = placement_choice_parse(&a->analysis.placement, a->placement, d);
	for (size_t i = 0; i < a->limits.n && !err; i++)
		err = quality_limits_parse(&a->analysis.limits, a->limits.items[i], d);
	if (!err)
		a->analysis.stacks = a->format->stacks;
	return err;
}

/* One word of a command line, quoted for a shell where it has to be. */
static size_t put_word(char *out, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	size_t n = 0;

	if (*word && !word[strspn(word, plain)])
		return (size_t)snprintf(out, size, " %s", word);
	n += (size_t)snprintf(out, size, " '");
	for (; *word && n + 6 < size; word++)
		n += (size_t)snprintf(out + n, size - n, *word == '\'' ? "'\\''" : "%c", *word);
	return n + (size_t)snprintf(out + n, size - n, "'");
}

static void note_command(struct report_args *a, int argc, char **argv)
{
	size_t n = (size_t)snprintf(a->command, sizeof(a->command), "xdpzoom");

	for (int i = 0; i < argc && n < sizeof(a->command); i++)
		n += put_word(a->command + n, sizeof(a->command) - n, argv[i]);
}

static int list_formats(enum format_of of)
{
	for (size_t i = 0; i < nformats; i++)
		if (format_fits(&formats[i], of))
			printf("%-12s %s\n", formats[i].name, formats[i].use);
	return EXIT_OK;
}

int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum format_of of,
		      int npositionals, const char *wanted)
{
	char names[256], format_help[300];
	struct diag d = {};
	const struct opt opts[] = {
		{"format", 'f', OPT_STRING, &a->format_name, "FORMAT", format_help},
		{"output", 'o', OPT_STRING, &a->output, "FILE", "where to (standard output)"},
		{"symbols", 'n', OPT_INT, &a->max_symbols, "N", "symbols that text shows (12)", 1, 100000},
		{"width", 0, OPT_INT, &a->columns, "N", "columns that text fits into (the terminal's; else no limit)",
		 80, 1000},
		{"wide", 'w', OPT_FLAG, &a->wide, NULL, "text as wide as it takes, no name cut"},
		{"facilities", 'F', OPT_STRING, &a->facilities, "FILE", "instead of the built-in facilities.conf"},
		{"placement", 0, OPT_STRING, &a->placement, "WORD", "blocks that count: auto, near, far, all (auto)"},
		{"limit", 'L', OPT_LIST, &a->limits, "GATE=N", "another limit for a quality gate"},
		{"strict", 0, OPT_FLAG, &a->strict, NULL, "exit 3 when a quality gate fails"},
		{},
	};
	int n;

	memset(a, 0, sizeof(*a));
	a->format_name = "text";
	a->placement = "auto";
	snprintf(format_help, sizeof(format_help), "%s (text); list tells what each is for",
		 format_names(of, names, sizeof(names)));
	note_command(a, argc, argv);
	n = opts_parse(c, opts, argc, argv);
	if (n < 0)
		return opts_exit(n);
	if (!strcmp(a->format_name, "list"))
		return list_formats(of);
	if (n != npositionals)
		return complain("%s: %s", c->name, wanted), EXIT_USAGE;
	if (check(a, of, &d))
		return complain("%s", d.text), EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	return -1;
}

int report_args_open(const struct report_args *a, struct output *out, struct render_options *o, struct diag *d)
{
	int err = output_open(out, a->output, d);

	if (err)
		return err;
	*o = (struct render_options){
		.colour = out->colour, .max_symbols = (size_t)a->max_symbols, .command = a->command};
	o->columns = a->wide ? 0 : (size_t)(a->columns ? a->columns : out->columns);
	if (a->format->binary && out->terminal)
		return diag_set(d, -EINVAL, "%s is nothing to look at on a terminal; use -o FILE", a->format->name);
	return 0;
}
