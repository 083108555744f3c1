// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"

/* What a reader may come to write. */
static const unsigned int kinds_of[] = {
	[READS_REPORT] = KIND(DOCUMENT_REPORT) | KIND(DOCUMENT_EXACT) | KIND(DOCUMENT_EXPLAIN) | KIND(DOCUMENT_SWEEP) |
			 KIND(DOCUMENT_MATRIX),
	[READS_DIFF] = KIND(DOCUMENT_DIFF) | KIND(DOCUMENT_EXACT_DIFF),
	[READS_WHY] = KIND(DOCUMENT_WHY),
};

static int report_args_check(struct report_args *a, enum reads reader, struct diag *d)
{
	const char *inputs[] = {a->run,        a->new_run, a->new_last, a->exact.items[0], a->exact.items[1],
				a->components, a->renames};
	int err = format_of(&a->format, a->format_name, kinds_of[reader], d);
	char word[64];

	/* "overhead=5", or which blocks count: "placement=far". */
	for (size_t i = 0; i < a->limits.n && !err; i++) {
		const char *limit = a->limits.items[i], *equals = strchr(limit, '=');
		bool placement = !strncmp(limit, "placement=", 10);
		struct nearest near = {};

		err = placement ? placement_choice_parse(&a->analysis.placement, limit + 10, d)
				: quality_limits_parse(&a->analysis.limits, limit, d);
		if (!err || !equals || placement)
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)(equals - limit), limit);
		nearest_try(&near, word, "placement");
		for (size_t k = 0; k < QUALITY_GATES; k++)
			nearest_try(&near, word, quality_rules[k].name);
		if (near.word && near.edits)
			diag_replace(d, err, "no check is called %s; did you mean %s?", word, near.word);
	}
	if (!err && a->columns > 0 && a->columns < TEXT_LEAST)
		err = diag_set(d, -EINVAL, "--width %d: %d columns at least, or 0 for no limit", a->columns,
			       TEXT_LEAST);
	if (!err && a->size) {
		char *end;

		a->width_mm = strtod(a->size, &end);
		if (strcmp(end, "mm") || !(a->width_mm >= 30 && a->width_mm <= 500))
			err = diag_set(d, -EINVAL, "--size %s: a width from 30mm to 500mm", a->size);
	}
	if (!err && a->exact.n > 2)
		err = diag_set(d, -EINVAL,
			       "--exact: at most two exact runs, of the kernel that was measured and of another one");
	if (!err && a->fail_words)
		err = fail_if_parse(&a->fail_if, a->fail_words, d);
	if (!err)
		err = output_check(a->output, d);
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs) && !err; i++)
		err = new_file_spares(a->output, inputs[i], d);
	if (!err)
		a->analysis.stacks = a->format->stacks;
	return err;
}

/* The formats that fit the command, in the form of an option table's words. */
struct format_words {
	const char *names[FORMATS_MAX + 1], *uses[FORMATS_MAX + 1];
};

static void list_formats(struct format_words *w, unsigned int of)
{
	size_t n = 0;

	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < nformats; i++) {
		if (!(formats[i].of & of))
			continue;
		w->names[n] = formats[i].name;
		w->uses[n++] = formats[i].use;
	}
}

int report_args_parse(struct report_args *a, const struct command *c, int argc, char **argv, enum reads reader,
		      int (*enter)(struct report_args *a, struct diag *d))
{
	const unsigned int all = READS_REPORT | READS_DIFF | READS_WHY, both = READS_REPORT | READS_DIFF;
	struct format_words words;
	const struct {
		unsigned int of;
		struct opt opt;
	} rows[] = {
		{READS_REPORT,
		 {"PATH[:VARIANT]", 0, OPT_RUN, &a->run, NULL,
		  "a run, an exact run, a sweep, a ladder, the folder of a matrix, a dump of watch, or DB/RUN of a "
		  "history",
		  .flags = OPT_ARGUMENT | OPT_REQUIRED}},
		{READS_REPORT,
		 {"VARIANT", 0, OPT_RUN, &a->new_run, NULL, "one variant of it; of plots, the pair in the waterfall",
		  .flags = OPT_ARGUMENT, .otherwise = "all"}},
		{READS_DIFF,
		 {"BASE", 0, OPT_RUN, &a->run, NULL, "a run of any kind, DIR, or one variant of it, DIR:VARIANT",
		  .flags = OPT_ARGUMENT | OPT_REQUIRED}},
		{READS_DIFF,
		 {"NEW", 0, OPT_RUN, &a->new_run, NULL, "what is compared with it: [DIR:]VARIANT, or DIR",
		  .flags = OPT_ARGUMENT, .otherwise = "skb with native, and after with before, in one run"}},
		{READS_DIFF,
		 {"VARIANT", 0, OPT_RUN, &a->new_last, NULL, "diff DIR BASE NEW: two variants of one run",
		  .flags = OPT_ARGUMENT}},
		{READS_WHY,
		 {"DUMP", 0, OPT_RUN, &a->run, NULL,
		  "a dump of xdpzoom watch, DIR, or one device of it, DIR:DEV; or the first of two runs, DIR:VARIANT",
		  .flags = OPT_ARGUMENT | OPT_REQUIRED}},
		{READS_WHY,
		 {"RUN", 0, OPT_RUN, &a->new_run, NULL, "the second of two runs, DIR[:VARIANT]",
		  .otherwise = "both sides of the dump", .flags = OPT_ARGUMENT}},
		{all,
		 {"format", 'f', OPT_WORD, &a->format_name, "FORMAT", "how the result is printed", .words = words.names,
		  .uses = words.uses}},
		{all,
		 {"output", 'o', OPT_FILE, &a->output, "FILE", "where to write the result",
		  .otherwise = "standard output"}},
		{both, {"verbose", 'v', OPT_FLAG, &a->verbose, NULL, "text: facts and functions, too"}},
		{both, {"full", 0, OPT_FLAG, &a->full, NULL, "text: all that is known, each check in full"}},
		{READS_REPORT,
		 {"symbols", 0, OPT_INT, &a->max_symbols, "N", "functions that text shows", 1, 100000,
		  .otherwise = "12"}},
		{all,
		 {"width", 0, OPT_INT, &a->columns, "N", "widest line of text, in columns; 0: no limit", 0, 1000,
		  .otherwise = "the terminal's; else 80, with --full no limit"}},
		{READS_REPORT,
		 {"exact", 0, OPT_LIST, &a->exact, "EXACT",
		  "counts of the same kernel: how much of the time they explain; with a second one, of another kernel, "
		  "what the change to that costs"}},
		{READS_REPORT,
		 {"plot", 0, OPT_LIST, &a->plots, "KIND", "what the plot shows: svg, gnuplot",
		  .words = OPT_WORDS("waterfall", "components", "ns", "mpps", "busy", "cores", "flame"),
		  .otherwise = "all charts; of exact runs a flame graph"}},
		{READS_REPORT,
		 {"size", 0, OPT_STRING, &a->size, "WIDTHmm",
		  "charts for a paper: so wide (85mm), without title, with patterns that survive grey"}},
		{READS_REPORT,
		 {"font", 0, OPT_STRING, &a->font, "NAME", "font of the charts", .otherwise = "sans-serif"}},
		{all, COMPONENTS_OPTION(&a->components)},
		{READS_DIFF | READS_WHY, RENAMES_OPTION(&a->renames)},
		{READS_REPORT,
		 {"limit", 0, OPT_LIST, &a->limits, "CHECK=N",
		  "another limit for a check; placement=near, far or all: the blocks that count"}},
		{both, {"strict", 0, OPT_FLAG, &a->strict, NULL, "exit status 3 when a check fails"}},
		{READS_DIFF,
		 {"run-sd", 0, OPT_NUMBER, &a->run_sd_pct, "PCT",
		  "of two runs: how much the base differs from run to run (standard deviation)", 0, 100,
		  .otherwise = "2"}},
		{READS_DIFF, FAIL_OPTION(&a->fail_words)},
	};
	struct opt opts[sizeof(rows) / sizeof(*rows) + 1] = {};
	struct diag d = {};
	size_t n = 0, at;
	int parsed, err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].of & reader)
			opts[n++] = rows[i].opt;
	memset(a, 0, sizeof(*a));
	a->format_name = "text";
	a->columns = -1;
	a->run_sd_pct = -1;
	at = (size_t)snprintf(a->command, sizeof(a->command), "xdpzoom");
	for (int i = 0; i < argc && at + 1 < sizeof(a->command); i++) {
		a->command[at++] = ' ';
		at += shell_word(a->command + at, sizeof(a->command) - at, argv[i]);
	}
	list_formats(&words, kinds_of[reader]);
	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (report_args_check(a, reader, &d))
		return complain("%s", d.text), EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	err = enter ? enter(a, &d) : jailed_output(&a->out, a->output, &d);
	if (err == -EINVAL)
		return complain("%s", d.text), EXIT_USAGE;
	return err ? complain_of(&d, err) : -1;
}

int report_args_format(const struct report_args *a, unsigned int of, const char *what, struct diag *d)
{
	char names[256];

	if (a->format->of & of)
		return 0;
	return diag_set(d, -EINVAL, "--format %s cannot hold %s; there is %s", a->format->name, what,
			format_names(of, names, sizeof(names)));
}

/* --strict is no option of measured runs alone: that all counts close is the check of an exact run. */
int report_args_fit(const struct report_args *a, enum document_kind kind, struct diag *d)
{
	bool exact = KIND(kind) & OF_EXACT;
	const char *option = a->limits.n ? "limit" : a->run_sd_pct >= 0 ? "run-sd" : NULL;
	int err = report_args_format(a, KIND(kind), exact ? "exact counts" : document_names[kind], d);

	if (!err && exact && option)
		err = diag_set(d, -EINVAL, "--%s is for measured runs, and these are exact counts", option);
	return err ? err : fail_if_fits(&a->fail_if, exact, d);
}

int report_args_put(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		    struct diag *d)
{
	struct render_options own = o ? *o : (struct render_options){};

	own.colour = a->out.colour;
	own.max_symbols = (size_t)a->max_symbols;
	own.command = a->command;
	own.program = program_invocation_name;
	own.columns = a->columns >= 0 ? (size_t)a->columns : (size_t)a->out.columns;
	if (a->full || doc->kind == DOCUMENT_WHY)
		own.detail = TEXT_FULL;
	else
		own.detail = a->verbose || a->max_symbols ? TEXT_VERBOSE : TEXT_SHORT;
	if (a->columns < 0 && !own.columns && own.detail != TEXT_FULL && doc->kind < DOCUMENT_LISTS)
		own.columns = TEXT_COLUMNS;
	if (!err && a->format->binary && a->out.terminal)
		err = diag_set(d, -EINVAL, "%s is binary and not for a terminal; use -o FILE", a->format->name);
	if (!err)
		err = a->format->write(a->out.stream, doc, &own);
	document_release(doc);
	return err;
}

int report_args_write(const struct report_args *a, struct document *doc, int err, const struct render_options *o,
		      struct diag *d)
{
	struct output out = a->out;

	err = report_args_put(a, doc, err, o, d);
	/* a document that could not be built has its sentence */
	return err && *d->text ? err : output_close(&out, err, d);
}

int report_args_judge(const struct report_args *a, const char *failed)
{
	if (!a->strict || !*failed)
		return EXIT_OK;
	return complain("checks failed: %s; report --full shows them", failed), EXIT_GATE;
}
