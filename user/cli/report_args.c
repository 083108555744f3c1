// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/report_args.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include "base/complain.h"
#include "user/cli/command_line.h"
#include "user/cli/jailed.h"

/* What placement points to where the option is not given. */
static const char default_placement[] = "auto";

static int report_args_check(struct report_args *a, enum document_kind of, struct diag *d)
{
	int err = format_find(&a->format, a->format_name, of, d);

	if (!err)
		err = placement_choice_parse(&a->analysis.placement, a->placement, d);
	for (size_t i = 0; i < a->limits.n && !err; i++)
		err = quality_limits_parse(&a->analysis.limits, a->limits.items[i], d);
	if (!err && a->fail_words)
		err = fail_if_parse(&a->fail_if, a->fail_words, d);
	if (!err)
		err = output_check(a->output, d) ?: new_file_spares(a->output, a->run, d);
	if (!err)
		err = new_file_spares(a->output, a->new_run, d) ?: new_file_spares(a->output, a->facilities, d);
	if (!err)
		err = new_file_spares(a->output, a->renames, d);
	if (!err)
		a->analysis.stacks = a->format->stacks;
	return err;
}

/* The formats that fit the command, in the form of an option table's words. */
struct format_words {
	const char *names[FORMATS_MAX + 1], *uses[FORMATS_MAX + 1];
};

static void list_formats(struct format_words *w, enum document_kind of)
{
	size_t n = 0;

	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < nformats; i++) {
		if (!format_fits(&formats[i], of))
			continue;
		w->names[n] = formats[i].name;
		w->uses[n++] = formats[i].use;
	}
}

static struct opt first_argument(struct report_args *a, enum document_kind of)
{
	bool diff = of == DOCUMENT_DIFF;

	if (of == DOCUMENT_WHY)
		return (struct opt){
			"DUMP",
			0,
			OPT_RUN,
			&a->run,
			NULL,
			"a dump of xdpzoom watch, DIR, or one device of it, DIR:DEV; or the first of two runs, "
			"DIR:VARIANT",
			.flags = OPT_ARGUMENT | OPT_REQUIRED};
	return (struct opt){diff ? "DIR:VARIANT" : "DIR[:VARIANT]",
			    0,
			    OPT_RUN,
			    &a->run,
			    NULL,
			    diff ? "the base: a variant of a run directory" : "a run directory, and one variant of it",
			    .flags = OPT_ARGUMENT | OPT_REQUIRED};
}

static struct opt second_argument(struct report_args *a, enum document_kind of)
{
	if (of == DOCUMENT_REPORT)
		return (struct opt){};
	if (of == DOCUMENT_WHY)
		return (struct opt){"RUN",
				    0,
				    OPT_RUN,
				    &a->new_run,
				    NULL,
				    "the second of two runs, DIR[:VARIANT]",
				    .otherwise = "both sides of the dump",
				    .flags = OPT_ARGUMENT};
	return (struct opt){of == DOCUMENT_DIFF ? "[DIR:]VARIANT" : "EXACT",
			    0,
			    OPT_RUN,
			    &a->new_run,
			    NULL,
			    of == DOCUMENT_DIFF
				    ? "the variant to compare with the base; DIR alone: the same variant in DIR"
				    : "the run directory of xdpzoom exact",
			    .flags = OPT_ARGUMENT | OPT_REQUIRED};
}

static struct opt run_sd_option(struct report_args *a, enum document_kind of)
{
	if (of != DOCUMENT_DIFF && of != DOCUMENT_WHY)
		return (struct opt){};
	return (struct opt){"run-sd",
			    0,
			    OPT_NUMBER,
			    &a->run_sd_pct,
			    "PCT",
			    "of two runs: how much the base differs from run to run (standard deviation)",
			    0,
			    100,
			    .otherwise = "2, or 1 with a ruler"};
}

static struct opt to_option(struct report_args *a, enum document_kind of)
{
	const struct opt to = {"to",
			       0,
			       OPT_STRING,
			       &a->to,
			       "EXACT",
			       "counts of another kernel: what the change to them costs, at the ns that are found",
			       .otherwise = "nothing"};

	return of == DOCUMENT_EXPLAIN ? to : (struct opt){};
}

static struct opt fail_option(struct report_args *a, enum document_kind of)
{
	const struct opt fail = FAIL_OPTION(&a->fail_words);

	return of == DOCUMENT_DIFF ? fail : (struct opt){};
}

int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum document_kind of)
{
	struct format_words words;
	struct diag d = {};
	const struct opt renames = RENAMES_OPTION(&a->renames);
	const struct opt opts[] = {
		first_argument(a, of),
		{"format", 'f', OPT_WORD, &a->format_name, "FORMAT", "how the result is printed", .words = words.names,
		 .uses = words.uses},
		{"output", 'o', OPT_FILE, &a->output, "FILE", "where to write the result",
		 .otherwise = "standard output"},
		{"symbols", 'n', OPT_INT, &a->max_symbols, "N", "symbols that text shows", 1, 100000,
		 .otherwise = "12"},
		{"width", 0, OPT_INT, &a->columns, "N", "widest line of text, in columns", 80, 1000,
		 .otherwise = "the terminal's; else no limit"},
		{"wide", 'w', OPT_FLAG, &a->wide, NULL, "text without a limit of width, no name is cut"},
		FACILITIES_OPTION(&a->facilities),
		PLACEMENT_OPTION(&a->placement),
		{"scaled", 0, OPT_FLAG, &a->analysis.scaled, NULL,
		 "multiply the costs of functions so that they add up to the base"},
		{"limit", 'L', OPT_LIST, &a->limits, "GATE=N", "another limit for a quality gate"},
		{"strict", 0, OPT_FLAG, &a->strict, NULL, "exit status 3 when a quality gate fails"},
		/* diff and explain have one more argument and option, diff more of them; else the table ends here */
		second_argument(a, of),
		renames,
		of == DOCUMENT_EXPLAIN ? to_option(a, of) : run_sd_option(a, of),
		fail_option(a, of),
		{},
	};
	int parsed, err;

	memset(a, 0, sizeof(*a));
	a->format_name = "text";
	a->placement = default_placement;
	a->run_sd_pct = -1;
	command_line_words(a->command, sizeof(a->command), argc, argv);
	list_formats(&words, of);
	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (report_args_check(a, of, &d))
		return complain("%s", d.text), EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	err = jailed_output(&a->out, a->output, &d);
	return err ? fail(&d, err) : -1;
}

/* --strict is no option of measured runs alone: that all counts close is the gate of an exact run. */
int report_args_fit(const struct report_args *a, enum document_kind kind, const char *dir, struct diag *d)
{
	bool exact = OF(kind) & OF_EXACT;
	const char *option = a->placement != default_placement ? "placement"
			     : a->analysis.scaled              ? "scaled"
			     : a->limits.n                     ? "limit"
			     : a->run_sd_pct >= 0              ? "run-sd"
							       : NULL;

	if (exact && !(a->format->of & OF(kind)))
		return diag_set(d, -EINVAL, "--format %s cannot hold exact counts", a->format->name);
	if (!(a->format->of & OF(kind)))
		return diag_set(d, -EINVAL, "--format %s holds exact counts alone, and %s is a measured run",
				a->format->name, dir);
	if (exact && option)
		return diag_set(d, -EINVAL, "--%s is for measured runs, and these are exact counts", option);
	return fail_if_fits(&a->fail_if, exact, d);
}

int report_args_write(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		      struct diag *d)
{
	struct render_options own = o ? *o : (struct render_options){};
	struct output out = a->out;

	own.colour = out.colour;
	own.max_symbols = (size_t)a->max_symbols;
	own.command = a->command;
	own.program = program_invocation_name;
	own.columns = a->wide ? 0 : (size_t)(a->columns ? a->columns : out.columns);
	if (!err && a->format->binary && out.terminal)
		err = diag_set(d, -EINVAL, "%s is binary and not for a terminal; use -o FILE", a->format->name);
	if (!err)
		err = output_close(&out, a->format->write(out.stream, doc, &own), d);
	document_release(doc);
	return err;
}

int report_args_judge(const struct report_args *a, const char *failed, const char *shown_by)
{
	if (!a->strict || !*failed)
		return EXIT_OK;
	return complain("quality gates failed: %s; %s shows them", failed, shown_by), EXIT_GATE;
}
