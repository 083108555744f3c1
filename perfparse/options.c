// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* The result may not take the place of what it is made from. */
static int check_output(const struct options *o)
{
	const char *const inputs[] = {o->file ? o->file : "/dev/stdin", o->diff, o->profile, o->components, o->renames};

	struct diag d = {""};

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (new_file_spares(o->output, inputs[i], &d))
			return complain("%s", d.text), OPTS_USAGE;
	return OPTS_OK;
}

static int options_check(const struct options *o)
{
	int bases = (o->pps > 0) + (o->ns > 0) + (o->packets > 0);

	if (bases > 1)
		return complain("only one of --pps, --ns and --packets"), OPTS_USAGE;
	if (!bases)
		return complain("what did a packet cost? give --pps, --ns, or --packets and --window"), OPTS_USAGE;
	if (o->pps2 > 0 && o->ns2 > 0)
		return complain("only one of --pps2 and --ns2"), OPTS_USAGE;
	if (o->diff && !(o->pps2 > 0) && !(o->ns2 > 0))
		return complain("--diff needs --pps2 or --ns2"), OPTS_USAGE;
	if (o->table2 && !o->diff)
		return complain("--table2 is for the --diff file"), OPTS_USAGE;
	if (o->share > 0 && o->profile)
		return complain("only one of --share and --profile"), OPTS_USAGE;
	if (o->separator && strlen(o->separator) != 1)
		return complain("--separator %s: one character", o->separator), OPTS_USAGE;
	return check_output(o);
}

int options_read(struct options *o, int argc, char **argv)
{
	static const struct command command = {.help = "perf's text in, nanoseconds per packet out"};
	const struct opt table[] = {
		{"FILE", 0, OPT_FILE, &o->file, NULL, "perf's text, or its perf.data", .otherwise = "standard input",
		 .flags = OPT_ARGUMENT},
		{"pps", 'p', OPT_NUMBER, &o->pps, "N", "packets per second on the CPU of the profile", 1e-3, 1e12},
		{"ns", 0, OPT_NUMBER, &o->ns, "N", "or: nanoseconds per packet", 1e-3, 1e12},
		{"packets", 0, OPT_NUMBER, &o->packets, "N",
		 "or: number of packets; needs --window, except with perf stat, which prints the time, and an event "
		 "that is no time",
		 1, 1e18},
		{"window", 0, OPT_SECONDS, &o->window_s, "TIME",
		 "busy time of the CPU for these packets; of an event that is no time, how long --pps lasted", 1e-6,
		 1e9},
		{"input", 0, OPT_WORD, &o->input, "KIND", "which command of perf printed the text",
		 .words = OPT_WORDS("auto", "report", "script", "stat", "annotate", "diff", "folded")},
		{"event", 'e', OPT_STRING, &o->event, "NAME",
		 "which event, where the text has several; cycles means cycles:k too"},
		{"cpu", 'C', OPT_INT, &o->cpu, "N",
		 "only this CPU: of a report with a CPU column, a script, perf stat -A", 0, 65535},
		{"table", 0, OPT_INT, &o->table, "N", "which of several tables of perf report, diff or annotate", 1,
		 1000, .otherwise = "the only one"},
		{"time", 0, OPT_STRING, &o->time, "FROM,TO",
		 "only this time of a perf.data, as perf script --time takes it", .otherwise = "all of it"},
		{"tid", 0, OPT_INT, &o->tid, "N", "only this task (perf script)", 0, 2147483647},
		{"separator", 0, OPT_STRING, &o->separator, "C", "the separator given to perf with -t or -x",
		 .otherwise = "found in the text"},
		{"symbol", 0, OPT_STRING, &o->symbol, "NAME", "only this symbol (perf annotate)"},
		{"share", 0, OPT_NUMBER, &o->share, "PCT", "share of the annotated symbol in the base, in percent",
		 1e-6, 100, .otherwise = "100"},
		{"profile", 0, OPT_FILE, &o->profile, "FILE", "or: a perf report or script that contains the share"},
		{"children", 0, OPT_FLAG, &o->children, NULL, "cost of a symbol with all it calls, largest first"},
		{"format", 'f', OPT_WORD, &o->format, "FORMAT", "how the result is printed",
		 .words = OPT_WORDS("text", "json", "csv", "folded")},
		{"output", 'o', OPT_FILE, &o->output, "FILE", "where to write the result",
		 .otherwise = "standard output"},
		{"no-symbols", 0, OPT_FLAG, &o->no_symbols, NULL, "text: components only"},
		{"as-time", 0, OPT_FLAG, &o->as_time, NULL,
		 "take shares of an event that is no time, such as page-faults, as shares of the base"},
		{"components", 0, OPT_FILE, &o->components, "FILE", "rules instead of the built-in components.conf"},
		{"diff", 0, OPT_FILE, &o->diff, "FILE", "a second profile to compare with the first"},
		{"pps2", 0, OPT_NUMBER, &o->pps2, "N", "packets per second of the second profile", 1e-3, 1e12},
		{"ns2", 0, OPT_NUMBER, &o->ns2, "N", "or: its nanoseconds per packet", 1e-3, 1e12},
		{"table2", 0, OPT_INT, &o->table2, "N", "which of several tables of the --diff file", 1, 1000,
		 .otherwise = "the only one"},
		{"renames", 0, OPT_FILE, &o->renames, "FILE",
		 "renames between kernels instead of the built-in renames.conf"},
		{"version", 0, OPT_FLAG, &o->version, NULL, "print the version"},
		{},
	};
	int parsed;

	*o = (struct options){.cpu = -1, .tid = -1, .format = "text", .input = "auto"};
	parsed = opts_parse(&command, table, argc, argv);
	if (!parsed && o->version) {
		puts("perfparse " XDPZOOM_VERSION);
		return OPTS_DONE;
	}
	return parsed ? parsed : options_check(o);
}
