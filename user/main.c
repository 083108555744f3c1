// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/utsname.h>
#include <bpf/libbpf.h>
#include "reports/history/history.h"
#include "user/settings/settings.h"
#include "user/xdpzoom.h"

/* To add a command: a line here, a declaration in xdpzoom.h, a file cmd_NAME.c. A line without a name is a heading. */
static const struct command commands[] = {
	{"", "Measure"},
	{"demo", "lab, record, report and diff in one go", 1, cmd_demo,
	 "sudo xdpzoom demo\nsudo xdpzoom demo --for 30s -o demo1\n"},
	{"record", "measure variants in interleaved blocks into a run directory", 1, cmd_record,
	 "sudo xdpzoom record lab -V drop@native,drop@skb\nsudo xdpzoom record eth0 --generator ssh:HOST/eth1 -V "
	 "old.o,new.o -o run1\n"},
	{"exact", "instructions and calls per packet, counted in virtual machines", 0, cmd_exact,
	 "xdpzoom exact -o exact1\nxdpzoom exact -k 6.1,6.12 -n veth,virtio_net -o counts\n"},
	{"stat", "attach one variant and print packets per second", 1, cmd_stat,
	 "sudo xdpzoom stat eth0 -V drop@skb\nsudo xdpzoom stat eth0 --generator ssh:HOST/eth1 -t 10s\n"},
	{"", "Read"},
	{"report", "what each variant of a run costs, by component and function", 0, cmd_report,
	 "xdpzoom report run1\nxdpzoom report run1 -f html -o run1.html\n"},
	{"diff", "two variants side by side, symbol by symbol", 0, cmd_diff,
	 "xdpzoom diff run1:drop@native drop@skb\nxdpzoom diff run1:drop@native run2 -f html -o diff.html\n"},
	{"history", "many runs in one file; is the last one slower?", 0, cmd_history},
	{"import", "other people's perf texts and rates as a run directory", 0, cmd_import},
	{"", "Live"},
	{"watch", "per-packet cost of production interfaces, live", 1, cmd_watch,
	 "sudo xdpzoom watch\nsudo xdpzoom watch eth0 --triggers default\n"},
	{"why", "the first cause of what a dump of watch, or two runs, show", 0, cmd_why,
	 "xdpzoom why runs/20261126-042708-watch\nxdpzoom why run1:drop@skb run2\n"},
	{"map", "namespaces, devices, programs, and where they lead packets", 0, cmd_map,
	 "sudo xdpzoom map\nsudo xdpzoom map eth0\n"},
	{"", "Help"},
	{"lab", "the built-in testbed, a pair of veth devices", 1, cmd_lab,
	 "sudo xdpzoom lab up\nsudo xdpzoom lab down\n"},
	{"gen", "send live-frame traffic", 1, cmd_gen,
	 "sudo xdpzoom gen lab -t 10s -r 1M\nsudo xdpzoom gen eth1 --dst-mac 02:00:00:00:00:01 -c 1M\n"},
	{"doctor", "what this machine can measure, what disturbs it, and how to fix it", 0, cmd_doctor,
	 "sudo xdpzoom doctor\nsudo xdpzoom doctor --fix\n"},
	{"replay", "the same frames through two programs: what they do differently", 1, cmd_replay,
	 "sudo xdpzoom replay old.o new.o --frames frames.pcap\nsudo xdpzoom replay old.o new.o --frames 'udp 10.0.0.1 "
	 "> 10.0.0.2:53'\n"},
};

#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *out)
{
	fputs("usage: xdpzoom COMMAND [OPTIONS] ...\n\n"
	      "What does a packet cost, and where? Native and generic XDP, by function.\n\n",
	      out);
	for (const struct command *c = commands; c < commands + NCOMMANDS; c++)
		if (c->run)
			fprintf(out, "  %-8s %s%s\n", c->name, c->help, c->needs_root ? " (root)" : "");
		else
			fprintf(out, "%s%s\n", c == commands ? "" : "\n", c->help);
	fputs("\nxdpzoom COMMAND --help prints the options of a command; xdpzoom --version prints\nthe version.\n",
	      out);
}

/* Called before a command that needs root does anything, and not for its help. */
static int ready(const struct command *c)
{
	struct diag d = {};
	size_t n = 0;

	if (privileges_check(c->name, &d)) {
		complain("%s", d.text);
		return OPTS_LACKS;
	}
	/* What a killed run left changed is put back before the command does anything. */
	if (changes_undo(CHANGES_ORPHANS, NULL, &n, &d))
		complain("%s", d.text);
	if (n)
		complain("put back %zu settings that a killed run had left changed", n);
	privileges_keep(PRIVILEGES_OF_COMMAND);
	return OPTS_OK;
}

static int run_of_main(const struct command *c, int argc, char **argv)
{
	struct command with = *c;

	if (c->needs_root)
		with.ready = ready;
	kernel_words_clear();
	return with.run(&with, argc, argv);
}

/* Prints the option tables of all commands, for the scripts that make completion. */
static void print_tables(char *format)
{
	if (!strcmp(format, "--help=commands")) {
		/* Prints the commands as reStructuredText for the man page. */
		for (size_t i = 0; i < NCOMMANDS; i++)
			if (commands[i].run)
				printf("**xdpzoom-%s**\\(1)\n    %s%s\n\n", commands[i].name, commands[i].help,
				       commands[i].needs_root ? " (root)" : "");
		return;
	}
	for (size_t i = 0; i < NCOMMANDS; i++) {
		char *args[] = {(char *)commands[i].name, format, NULL};

		if (commands[i].run)
			run_of_main(&commands[i], 2, args);
	}
}

static const struct command *find_command(const char *name)
{
	struct nearest near = {};

	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (commands[i].run && !strcmp(name, commands[i].name))
			return &commands[i];
		nearest_try(&near, name, commands[i].name);
	}
	complain(near.word ? "no command %s; did you mean %s?" : "no command %s; xdpzoom --help lists the commands",
		 name, near.word);
	return NULL;
}

/* "help report" is "report --help". */
static int help(const char *name)
{
	const struct command *c = find_command(name);
	char option[] = "--help", *args[] = {(char *)name, option, NULL};

	return c ? run_of_main(c, 2, args) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static char name[] = "xdpzoom";
	const struct command *command;

	program_invocation_short_name = name; /* messages and usage print this, whatever the name of a link */
	foreign_file_below(history_open_below);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		/* The program, and what its figures come from. */
		struct diag none = {};
		struct utsname u;
		char perf[64];

		printf("xdpzoom %s\n", XDPZOOM_VERSION);
		printf("libbpf %s\n", libbpf_version_string() + (*libbpf_version_string() == 'v'));
		printf("%s\n", perf_tool_version(perf, sizeof(perf), &none) ? "no perf" : perf);
		if (!uname(&u))
			printf("%s %s %s\n", u.sysname, u.release, u.machine);
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
