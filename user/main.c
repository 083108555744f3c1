// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <bpf/libbpf.h>
#include "base/foreign_file.h"
#include "reports/history/history.h"
#include "user/machine/machine.h"
#include "user/settings/settings.h"
#include "user/xdpzoom.h"

/* To add a command: a line here, a declaration in xdpzoom.h, a file cmd_NAME.c. */
static const struct command commands[] = {
	{"demo", "lab, record, report and diff in one go", 1, cmd_demo},
	{"record", "measure variants in interleaved blocks into a run directory", 1, cmd_record},
	{"report", "what each variant of a run costs, by facility and function", 0, cmd_report},
	{"diff", "two variants side by side, symbol by symbol", 0, cmd_diff},
	{"history", "many runs in one file; is the last one slower?", 0, cmd_history},
	{"import", "other people's perf texts and rates as a run directory", 0, cmd_import},
	{"stat", "attach one variant and print packets per second", 1, cmd_stat},
	{"watch", "what packets cost on devices that work, second by second", 1, cmd_watch},
	{"exact", "instructions and calls per packet, counted in virtual machines", 0, cmd_exact},
	{"why", "the first cause of what a dump of watch, or two runs, show", 0, cmd_why},
	{"gen", "send live-frame traffic", 1, cmd_gen},
	{"replay", "the same frames through two programs: what they do differently", 1, cmd_replay},
	{"map", "namespaces, devices, programs, and where they lead packets", 0, cmd_map},
	{"doctor", "what this machine can measure, what spoils it, and how to mend it", 0, cmd_doctor},
	{"lab", "the built-in test bed, a pair of veth devices", 1, cmd_lab},
};

#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *out)
{
	fputs("usage: xdpzoom COMMAND [OPTIONS] ...\n\n"
	      "What does a packet cost, and where? Native and generic XDP, by function.\n\n",
	      out);
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(out, "  %-8s %s%s\n", commands[i].name, commands[i].help,
			commands[i].needs_root ? " (root)" : "");
	fputs("\nxdpzoom COMMAND --help prints the options of a command; xdpzoom --version prints\nthe version.\n",
	      out);
}

/* Puts back the settings that a killed run left changed. Runs before the command does anything. */
static void recover(void)
{
	struct diag d = {};
	size_t n = 0;

	if (changes_undo(CHANGES_ORPHANS, NULL, &n, &d))
		complain("%s", d.text);
	if (n)
		complain("put back %zu settings that a killed run had left changed", n);
}

/* Called before a command that needs root does anything, and not for its help. */
static int ready(const struct command *c)
{
	struct diag d = {};

	if (privileges_check(c->name, &d) || cgroup_check(c->name, &d)) {
		complain("%s", d.text);
		return OPTS_LACKS;
	}
	recover();
	privileges_trim();
	return OPTS_OK;
}

static int run_of_main(const struct command *c, int argc, char **argv)
{
	struct command with = *c;

	if (c->needs_root)
		with.ready = ready;
	kernel_words_listen();
	return with.run(&with, argc, argv);
}

/* Prints the commands as reStructuredText for the man page. */
static void print_commands(void)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		printf("**xdpzoom-%s**\\(1)\n    %s%s\n\n", commands[i].name, commands[i].help,
		       commands[i].needs_root ? " (root)" : "");
}

/* The program, and what its figures come from. */
static void print_version(void)
{
	struct diag none = {};
	struct utsname u;
	char perf[64];

	printf("xdpzoom %s\n", XDPZOOM_VERSION);
	printf("libbpf %s\n", libbpf_version_string() + (*libbpf_version_string() == 'v'));
	printf("%s\n", perf_tool_version(perf, sizeof(perf), &none) ? "no perf" : perf);
	if (!uname(&u))
		printf("%s %s %s\n", u.sysname, u.release, u.machine);
}

/* Prints the option tables of all commands, for the scripts that make completion. */
static void print_tables(char *format)
{
	if (!strcmp(format, "--help=commands")) {
		print_commands();
		return;
	}
	for (size_t i = 0; i < NCOMMANDS; i++) {
		char *args[] = {(char *)commands[i].name, format, NULL};

		run_of_main(&commands[i], 2, args);
	}
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	complain("no command %s; xdpzoom --help lists the commands", name);
	return NULL;
}

/* "help report" is "report --help". */
static int help(const char *name)
{
	const struct command *c = find_command(name);
	char option[] = "--help", *args[] = {(char *)name, option, NULL};

	return c ? run_of_main(c, 2, args) : EXIT_USAGE;
}

/* A word of -j, -p, -jp and the like before the command, as behind "ip". */
static bool asks_json(const char *word, bool *json, bool *pretty)
{
	size_t letters = word[0] == '-' ? strspn(word + 1, "jp") : 0;
	bool one_json = !strcmp(word, "--json"), one_pretty = !strcmp(word, "--pretty");

	if (!one_json && !one_pretty && (!letters || word[1 + letters]))
		return false;
	*json |= one_json || (letters && strchr(word, 'j'));
	*pretty |= one_pretty || (letters && strchr(word, 'p'));
	return true;
}

/*
 * Puts them behind the command, by the names that each command has for them. Returns the words, which stay for as long
 * as the program runs, as "-jp" makes two words; NULL: no memory.
 */
static char **move_json(int *argc, char **argv)
{
	static char json_word[] = "--json", pretty_word[] = "--pretty";
	bool json = false, pretty = false;
	char **words;
	int i = 1, n = 0;

	while (i < *argc && asks_json(argv[i], &json, &pretty))
		i++;
	if (i == 1 || i == *argc)
		return argv;
	words = calloc((size_t)*argc + 3, sizeof(*words));
	if (!words)
		return NULL;
	words[n++] = argv[0];
	words[n++] = argv[i++];
	if (pretty)
		words[n++] = pretty_word;
	if (json)
		words[n++] = json_word;
	while (i < *argc)
		words[n++] = argv[i++];
	*argc = n;
	return words;
}

int main(int argc, char **argv)
{
	static char name[] = "xdpzoom";
	const struct command *command;

	argv = move_json(&argc, argv);
	if (!argv) {
		fputs("xdpzoom: no memory\n", stderr);
		return EXIT_FAILED;
	}
	program_invocation_short_name = name; /* messages and usage print this, whatever the name of a link */
	foreign_file_below(history_open_below);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		print_version();
		return opts_exit(OPTS_DONE);
	}
	if (!strncmp(argv[1], "--help=", 7)) {
		print_tables(argv[1]);
		return opts_exit(OPTS_DONE);
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return help(argv[2]);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return opts_exit(OPTS_DONE);
	}
	command = find_command(argv[1]);
	return command ? run_of_main(command, argc - 1, argv + 1) : EXIT_USAGE;
}
