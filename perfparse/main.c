// SPDX-License-Identifier: GPL-2.0-or-later
/* perfparse: perf's text in, nanoseconds per packet out. */
#include "perfparse/perfparse.h"

/* ---- options ---- */

struct options {
	double pps, ns, packets, window_s; /* the base; 0: not given */
	double pps2, ns2;                  /* the base of the --diff file */
	const char *diff, *renames;
	double share; /* share of the annotated symbol in the base, in percent; 0: not given */
	const char *profile, *symbol;
	const char *input; /* "auto", "report", "script", "stat", "annotate", "diff", "folded" */
	const char *event;
	int cpu, tid;      /* -1: any */
	int table, table2; /* which of several, from 1; 0: the only one; of the --diff file */
	const char *time;  /* of a perf.data: what perf script --time takes */
	const char *separator;
	const char *components;
	const char *format; /* "text", "json", "csv", "folded" */
	const char *output;
	bool children, no_symbols, as_time, version;
	const char *file; /* NULL: stdin */
};

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
	/* The result may not take the place of what it is made from. */
	const char *const inputs[] = {o->file ? o->file : "/dev/stdin", o->diff, o->profile, o->components, o->renames};
	struct diag d = {""};

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (new_file_spares(o->output, inputs[i], &d))
			return complain("%s", d.text), OPTS_USAGE;
	return OPTS_OK;
}

static int options_read(struct options *o, int argc, char **argv)
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

/* ---- the work: one text is read whole, one result printed ---- */

struct filter {
	const struct options *o;
	struct diag *d;
	const char *reading; /* the file that a sentence in d is about; NULL: standard input, or no file */
	bool misuse;         /* the error is one of the command line */
	enum text_kind kind;
	struct perf_data data, data2; /* filled before the jail; of --diff */
	struct undress worn;          /* what was taken away from the text, and from that of --diff */
	struct components *components;
	/* for report and script; profile2 and table2 are of the --diff file */
	struct profile profile, profile2;
	struct cost_table table, table2;
	struct symkeys *keys;
	struct diff diff;
	/* for stat */
	struct perfstat stat;
	double packets, window_s; /* for a profile whose event is no time: packets > 0 */
	/* for annotate */
	struct annotate_list annotated;
	struct annotate_render *parts;
	size_t nparts;
};

/* Significant digits: more than any text of perf has. */
#define JSON_DIGITS 12
#define CSV_DIGITS  15

static double first_base_ns(const struct options *o)
{
	if (o->pps > 0)
		return 1e9 / o->pps;
	if (o->ns > 0)
		return o->ns;
	return o->packets > 0 && o->window_s > 0 ? o->window_s * 1e9 / o->packets : 0;
}

static int misuse(struct filter *f, const char *sentence)
{
	f->misuse = true;
	f->reading = NULL;
	return diag_set(f->d, -EINVAL, "%s", sentence);
}

static int refuse_tid(struct filter *f, enum text_kind kind)
{
	if (kind == TEXT_SCRIPT || f->o->tid < 0)
		return 0;
	return misuse(f, "--tid is for perf script; run perf report with --tid");
}

static int need_base(struct filter *f, double base_ns)
{
	return base_ns > 0 ? 0 : misuse(f, "how long did the packets take? --packets needs --window");
}

/* Shares of other events are no shares of time. */
static int filter_check_event(struct filter *f, const char *event, bool by_weight)
{
	const char *why = f->o->as_time ? NULL : event_no_time(event, by_weight);

	return why ? diag_set(f->d, -EINVAL, "the event '%s' %s; give --as-time to take them as shares of the base",
			      event, why)
		   : 0;
}

/* Costs in events per packet: of the samples' periods, and not of a time. */
static int build_events(struct filter *f)
{
	const struct profile *p = &f->profile;
	struct cost_table shares;
	double busy;
	int err;

	if (f->o->diff)
		return filter_check_event(f, p->event, p->by_weight);
	f->packets = f->o->packets > 0    ? f->o->packets
		     : f->o->window_s > 0 ? f->o->window_s * 1e9 / first_base_ns(f->o)
					  : 0;
	if (!(f->packets > 0))
		return diag_set(f->d, -EINVAL,
				"the event '%s' %s; give the number of packets "
				"while it was recorded (--packets, or --pps with --window) for events per packet, or "
				"--as-time to take them as shares of the base",
				p->event, event_no_time(p->event, p->by_weight));
	if (!(p->weight > 0) || p->weightless)
		return diag_set(f->d, -EINVAL, "the text does not contain the number of '%s' events: %s", p->event,
				p->weightless ? "run perf script with -F +period"
					      : "perf's line \"Event count (approx.)\" is missing");
	err = cost_table_build(&shares, p, f->components, 1, f->d);
	if (err)
		return err;
	busy = shares.busy_weight / (shares.busy_weight + shares.idle_weight + shares.excluded_weight);
	cost_table_release(&shares);
	return cost_table_build(&f->table, p, f->components, p->weight * busy / f->packets, f->d);
}

/* ---- perf report and perf script: one profile, or two side by side ------------------------------------- */

static int filter_read_text(struct filter *f, enum text_kind kind, struct linescan *lines, int table, struct profile *p)
{
	const struct options *o = f->o;
	const struct text_pick pick = {
		.event = o->event,
		.cpu = o->cpu,
		.tid = o->tid,
		.separator = o->separator ? *o->separator : 0,
		.table = table,
	};

	return refuse_tid(f, kind) ? -EINVAL : text_read_profile(p, kind, lines, &pick, f->d);
}

static int read_components(struct filter *f)
{
	const char *before = f->reading;
	int err;

	f->reading = f->o->components;
	err = components_read(&f->components, f->o->components, f->d);
	if (!err)
		f->reading = before;
	return err;
}

/* TEXT_UNKNOWN for what is not known, and for nothing at all. */
static int guess_kind(struct filter *f, struct linescan *lines, enum text_kind *kind)
{
	const char *text;
	size_t len;
	int err;

	err = linescan_peek(lines, &text, &len, f->d);
	if (!err && text_kind_foreign(text, len))
		return diag_set(f->d, -EINVAL, "%s", text_kind_foreign(text, len));
	*kind = err ? TEXT_UNKNOWN : text_kind_guess(text, len);
	return err;
}

static int read_table(struct filter *f, const char *path, double base_ns, struct profile *p, struct cost_table *t)
{
	bool data = path == f->o->diff && f->data2.text;
	FILE *in = data ? f->data2.text : fopen(path, "re");
	struct linescan lines;
	enum text_kind kind;
	int err;

	f->reading = path;
	if (!in)
		return diag_set(f->d, -errno, "%s", strerror(errno));
	lines = (struct linescan){.in = in, .worn = &f->worn};
	f->worn.begun = f->worn.printable = false; /* another text begins */
	f->worn.depth = 0;
	err = guess_kind(f, &lines, &kind);
	if (!err && kind != TEXT_REPORT && kind != TEXT_SCRIPT && kind != TEXT_FOLDED)
		err = diag_set(f->d, -EINVAL, "not the text of perf report or perf script");
	if (!err)
		err = filter_read_text(f, kind, &lines, f->o->table2, p);
	if (!err)
		err = filter_check_event(f, p->event, p->by_weight);
	linescan_release(&lines);
	if (!data)
		fclose(in);
	if (!err && !f->components)
		err = read_components(f);
	return err ? err : cost_table_build(t, p, f->components, base_ns, f->d);
}

static double second_base_ns(const struct options *o)
{
	return o->pps2 > 0 ? 1e9 / o->pps2 : o->ns2;
}

static int read_profile(struct filter *f, struct linescan *lines)
{
	int err = read_components(f) ?: filter_read_text(f, f->kind, lines, f->o->table, &f->profile);

	if (!err && !f->o->as_time && event_no_time(f->profile.event, f->profile.by_weight))
		return build_events(f);
	if (!err)
		err = need_base(f, first_base_ns(f->o));
	if (!err)
		err = cost_table_build(&f->table, &f->profile, f->components, first_base_ns(f->o), f->d);
	if (err || !f->o->diff)
		return err;
	err = read_table(f, f->o->diff, second_base_ns(f->o), &f->profile2, &f->table2);
	f->reading = err ? f->reading : f->o->renames;
	if (!err)
		err = symkeys_read(&f->keys, f->o->renames, f->d);
	return err ? err : diff_build(&f->diff, &f->table, &f->table2, f->keys, f->d);
}

static int read_perf_diff(struct filter *f, struct linescan *lines)
{
	const struct options *o = f->o;
	double base_ns = first_base_ns(o), new_ns = second_base_ns(o);
	int err = need_base(f, base_ns);

	if (err)
		return err;
	if (o->diff)
		return misuse(f, "the text of perf diff holds both sides; leave --diff out");
	if (!(new_ns > 0))
		return diag_set(f->d, -EINVAL,
				"the text of perf diff has two sides; what did a packet cost on the second? "
				"give --pps2 or --ns2");
	return components_read(&f->components, o->components, f->d)
		       ?: symkeys_read(&f->keys, o->renames, f->d)
		       ?: difftext_read(&f->profile, &f->profile2, lines, o->event, o->table, f->d)
		       ?: filter_check_event(f, f->profile.event, false)
		       ?: cost_table_build(&f->table, &f->profile, f->components, base_ns, f->d)
		       ?: cost_table_build(&f->table2, &f->profile2, f->components, new_ns, f->d)
		       ?: diff_build(&f->diff, &f->table, &f->table2, f->keys, f->d);
}

/* ---- perf stat ---------------------------------------------------------------------------------------- */

static struct perfstat_render stat_of(const struct filter *f)
{
	return (struct perfstat_render){&f->stat, f->packets, f->window_s, f->o->cpu, f->o->event};
}

/* The number of packets while perf counted: --packets, the runs of a program, or the rate times the time. */
static int read_stat(struct filter *f, struct linescan *lines)
{
	const struct options *o = f->o;
	int err = perfstat_read(&f->stat, lines, o->separator ? *o->separator : 0, f->d);
	struct perfstat_render r;

	if (err)
		return err;
	f->window_s = o->window_s > 0 ? o->window_s : f->stat.elapsed_s;
	if (o->packets > 0)
		f->packets = o->packets;
	else if (!isnan(f->window_s))
		f->packets = f->window_s * 1e9 / first_base_ns(o);
	else if (perfstat_program_runs(&f->stat) > 0)
		f->packets = perfstat_program_runs(&f->stat);
	else
		return diag_set(f->d, -EINVAL,
				"how long did perf stat count? its \"seconds time elapsed\" is missing; "
				"give --window, or --packets");
	r = stat_of(f);
	for (size_t i = 0; i < f->stat.ncounts; i++)
		if (perfstat_render_shows(&r, &f->stat.counts[i]))
			return 0;
	return diag_set(f->d, -EINVAL,
			o->cpu >= 0 ? "no count of that CPU; run perf stat with -A" : "no count of that event");
}

/* ---- perf annotate ------------------------------------------------------------------------------------ */

static bool filter_is_wanted(const struct filter *f, const struct annotate *a)
{
	if (f->o->table && a - f->annotated.symbols + 1 != f->o->table)
		return false;
	return a->nrows && (!f->o->symbol || !strcmp(f->o->symbol, a->symbol));
}

/* The cost of a whole symbol: its cost in --profile, or --share percent of the base (100 if not given). */
static int find_cost(struct filter *f, const struct annotate *a, double *symbol_ns)
{
	double base_ns = first_base_ns(f->o);
	size_t i;

	*symbol_ns = base_ns;
	if (a->global)
		return 0;
	if (!f->o->profile) {
		*symbol_ns = base_ns * (f->o->share > 0 ? f->o->share : 100) / 100;
		return 0;
	}
	*symbol_ns = 0;
	for (i = 0; i < f->table.nrows; i++)
		if (!strcmp(f->table.rows[i].name, a->symbol) && f->table.rows[i].self_ns > 0)
			*symbol_ns += f->table.rows[i].self_ns;
	if (*symbol_ns > 0)
		return 0;
	return diag_set(f->d, -EINVAL, "%s has no symbol '%s'", f->o->profile, a->symbol);
}

/* Without --profile there is one share, so the text may have only one symbol; and each symbol only one table. */
static int check_symbols(struct filter *f)
{
	const struct annotate *first = NULL;
	size_t i;

	for (i = 0; i < f->annotated.n; i++) {
		if (!filter_is_wanted(f, &f->annotated.symbols[i]))
			continue;
		if (first && !strcmp(first->symbol, f->annotated.symbols[i].symbol))
			return diag_set(f->d, -EINVAL, "two tables of %s; pick one by its number with --table",
					first->symbol);
		if (first && !f->o->profile && !f->annotated.symbols[i].global)
			return diag_set(f->d, -EINVAL,
					"several symbols (%s, %s, ...): pick one with --symbol, or give "
					"a perf report with --profile",
					first->symbol, f->annotated.symbols[i].symbol);
		first = &f->annotated.symbols[i];
	}
	if (!first && f->o->table)
		return diag_set(f->d, -EINVAL, "--table %d: the text has %zu", f->o->table, f->annotated.n);
	return first ? 0 : diag_set(f->d, -EINVAL, "the text has no symbol '%s'", f->o->symbol);
}

static int compare_parts(const void *a, const void *b)
{
	const struct annotate_render *x = a, *y = b;

	return strcmp(x->symbol->symbol, y->symbol->symbol);
}

static int read_annotate(struct filter *f, struct linescan *lines)
{
	int err = need_base(f, first_base_ns(f->o)) ?: annotate_read(&f->annotated, lines, f->d) ?: check_symbols(f);

	if (!err && f->o->profile)
		err = read_table(f, f->o->profile, first_base_ns(f->o), &f->profile, &f->table);
	if (err)
		return err;
	const struct annotate *a;
	struct annotate_render *sorted;
	size_t i;
	f->parts = calloc(f->annotated.n, sizeof(*f->parts));
	if (!f->parts)
		return diag_set(f->d, -ENOMEM, "out of memory");
	for (i = 0; i < f->annotated.n; i++) {
		a = &f->annotated.symbols[i];
		if (!filter_is_wanted(f, a))
			continue;
		err = filter_check_event(f, a->event, false);
		if (err)
			return err;
		f->parts[f->nparts] = (struct annotate_render){.symbol = a, .base_ns = first_base_ns(f->o)};
		err = find_cost(f, a, &f->parts[f->nparts].symbol_ns);
		if (err)
			return err;
		f->nparts++;
	}
	/* The cost of a symbol is shared out once. */
	sorted = calloc(f->nparts + 1, sizeof(*sorted));
	if (!sorted)
		return diag_set(f->d, -ENOMEM, "out of memory");
	memcpy(sorted, f->parts, f->nparts * sizeof(*sorted));
	qsort(sorted, f->nparts, sizeof(*sorted), compare_parts);
	for (i = 1; i < f->nparts && !err; i++)
		if (!compare_parts(&sorted[i - 1], &sorted[i]))
			err = diag_set(f->d, -EINVAL, "two tables of %s; pick one by its number with --table",
				       sorted[i].symbol->symbol);
	free(sorted);
	return err;
}

/* ---- what kind of text it is -------------------------------------------------------------------------- */

static int find_kind(struct filter *f, struct linescan *lines)
{
	static const char *const names[] = {"auto", "report", "script", "stat", "annotate", "diff", "folded"};
	int err;

	while (strcmp(names[f->kind], f->o->input))
		f->kind++;
	if (f->kind != TEXT_UNKNOWN)
		return 0;
	err = guess_kind(f, lines, &f->kind);
	if (!err && f->kind == TEXT_UNKNOWN)
		err = diag_set(f->d, -EINVAL,
			       lines->len ? "this is not the text of perf report, script, stat, annotate or diff, nor "
					    "folded stacks"
					  : "the input is empty");
	return err;
}

/* Options that this kind of text has no use for. */
static int check_options(struct filter *f)
{
	const struct options *o = f->o;

	if (o->time && !f->data.text)
		return misuse(f, "--time is for a perf.data; run perf report or perf script with --time");
	if (f->kind != TEXT_REPORT && f->kind != TEXT_DIFF && f->kind != TEXT_ANNOTATE && o->table)
		return misuse(f, "--table is for perf report, perf diff and perf annotate");
	if (f->kind != TEXT_ANNOTATE && (o->symbol || o->share > 0 || o->profile))
		return misuse(f, "--symbol, --share and --profile are for perf annotate");
	if (refuse_tid(f, f->kind))
		return -EINVAL;
	if (f->kind == TEXT_FOLDED && (o->cpu >= 0 || o->event))
		return misuse(f, "folded stacks name neither CPUs nor events");
	if ((f->kind == TEXT_ANNOTATE || f->kind == TEXT_DIFF) && o->cpu >= 0)
		return misuse(f, "--cpu is for perf report, perf script and perf stat");
	if ((f->kind == TEXT_ANNOTATE || f->kind == TEXT_STAT) && o->diff)
		return misuse(f, "--diff is for perf report and perf script");
	if (f->kind != TEXT_DIFF && !o->diff && (o->pps2 > 0 || o->ns2 > 0))
		return misuse(f, "two bases and one profile; give the second profile with --diff");
	return 0;
}

/* With --pps and --pps2 and nothing that names an input, the program prints only the difference of the two bases. */
static bool is_bases_only(const struct options *o)
{
	return (o->pps2 > 0 || o->ns2 > 0) && !o->diff && !o->file && !strcmp(o->input, "auto");
}

static int filter_read(struct filter *f)
{
	FILE *in = f->data.text ? f->data.text : f->o->file ? fopen(f->o->file, "re") : stdin;
	struct linescan lines;
	int err;

	if (is_bases_only(f->o))
		return strcmp(f->o->format, "folded") ? 0 : diag_set(f->d, -EINVAL, "a difference has no folded form");
	f->reading = f->o->file;
	if (!in)
		return diag_set(f->d, -errno, "%s", strerror(errno));
	lines = (struct linescan){.in = in, .worn = &f->worn};
	err = find_kind(f, &lines) ?: check_options(f);
	if (!err)
		err = f->kind == TEXT_STAT       ? read_stat(f, &lines)
		      : f->kind == TEXT_ANNOTATE ? read_annotate(f, &lines)
		      : f->kind == TEXT_DIFF     ? read_perf_diff(f, &lines)
						 : read_profile(f, &lines);
	linescan_release(&lines);
	if (f->o->file && in != f->data.text)
		fclose(in);
	return err;
}

/* ---- printing ----------------------------------------------------------------------------------------- */

enum shown { SHOWN_BASES, SHOWN_PROFILE, SHOWN_DIFF, SHOWN_STAT, SHOWN_ANNOTATE };

static struct cost_render cost_of(const struct filter *f)
{
	return (struct cost_render){
		.table = &f->table,
		.profile = &f->profile,
		.components = f->components,
		.pps = f->o->pps,
		.children = f->o->children,
		.symbols = !f->o->no_symbols,
		.events = f->packets > 0,
		.packets = f->packets,
	};
}

static int print_rows(const struct filter *f, enum shown shown, FILE *out)
{
	static const struct column bases[] = {
		{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},
		{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},
		{"delta_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "delta_ns"},
	};
	struct csv_sheet sheet = {.out = out, .digits = CSV_DIGITS};
	struct json_out w = {.digits = JSON_DIGITS};
	struct cost_render cost = cost_of(f);
	struct diff_render diff = {&f->diff, f->components, !f->o->no_symbols};
	struct perfstat_render stat = stat_of(f);
	struct rows r;
	json_t *o;
	int err;

	switch (shown) {
	case SHOWN_BASES:
		rows_init(&r, COLUMNS_OF(bases));
		rows_add(&r);
		rows_value(&r, "base_ns", first_base_ns(f->o));
		rows_value(&r, "new_ns", second_base_ns(f->o));
		rows_value(&r, "delta_ns", second_base_ns(f->o) - first_base_ns(f->o));
		break;
	case SHOWN_PROFILE:
		cost_render_rows(&r, &cost);
		break;
	case SHOWN_DIFF:
		diff_render_rows(&r, &diff);
		break;
	case SHOWN_STAT:
		perfstat_render_rows(&r, &stat);
		break;
	case SHOWN_ANNOTATE:
		annotate_render_rows(&r, f->parts, f->nparts);
		break;
	}
	err = rows_error(&r);
	if (!err && !strcmp(f->o->format, "json")) {
		o = json_object();
		json_rows_put(&w, o, &r, 0);
		err = json_out_write(&w, o, out, JSON_INDENT(2));
	} else if (!err && shown == SHOWN_BASES) {
		csv_sheet_add(&sheet, &r);
		csv_sheet_heads(&sheet, NULL);
		csv_sheet_row(&sheet, NULL, &r, 0);
	} else if (!err) {
		csv_rows(out, &r, CSV_DIGITS);
	}
	rows_release(&r);
	return err;
}

static int filter_render(const struct filter *f, FILE *out)
{
	enum shown shown = is_bases_only(f->o)                  ? SHOWN_BASES
			   : f->kind == TEXT_STAT               ? SHOWN_STAT
			   : f->kind == TEXT_ANNOTATE           ? SHOWN_ANNOTATE
			   : f->o->diff || f->kind == TEXT_DIFF ? SHOWN_DIFF
								: SHOWN_PROFILE;
	struct cost_render cost = cost_of(f);
	struct diff_render diff = {&f->diff, f->components, !f->o->no_symbols};
	struct perfstat_render stat = stat_of(f);
	double base_ns = first_base_ns(f->o), new_ns = second_base_ns(f->o);
	int err = 0;

	if (strcmp(f->o->format, "text")) {
		if (strcmp(f->o->format, "folded"))
			err = print_rows(f, shown, out);
		else if (shown == SHOWN_PROFILE)
			err = cost_render_folded(&cost, out);
		else
			return diag_set(f->d, -EINVAL, "%s no folded form",
					shown == SHOWN_STAT       ? "counts have"
					: shown == SHOWN_ANNOTATE ? "instructions have"
								  : "a difference has");
		return !err && ferror(out) ? -EIO : err;
	}
	switch (shown) {
	case SHOWN_PROFILE:
		err = cost_render_text(&cost, out);
		break;
	case SHOWN_DIFF:
		err = diff_render_text(&diff, out);
		break;
	case SHOWN_STAT:
		err = perfstat_render_text(&stat, out);
		break;
	case SHOWN_ANNOTATE:
		err = annotate_render_text(f->parts, f->nparts, out);
		break;
	case SHOWN_BASES:
		render_bases(base_ns, new_ns, new_ns - base_ns, out);
		break;
	}
	return !err && ferror(out) ? -EIO : err;
}

/* ---- the program ---- */

/* perf has to read a perf.data before the jail is closed. */
static int main_open_data(struct filter *f, struct perf_data *data, const char *path, struct diag *d)
{
	const struct perf_data_from from = {.path = path, .cpu = -1, .time = f->o->time};
	char words[600];
	int err;

	f->reading = path;
	err = perf_data_open(data, &from, d);
	if (!err && perf_data_words(data, words, sizeof(words)))
		complain("%s: %s", path ? path : "standard input", words);
	return err;
}

/* Opens the output, and then gives up to write anywhere else. */
static int main_begin(struct filter *f, struct new_file *file, const struct options *o, struct diag *d)
{
	int err = o->output ? new_file_open(file, o->output, 0666, d) : 0;

	if (!err)
		err = main_open_data(f, &f->data, o->file, d);
	if (!err && o->diff)
		err = main_open_data(f, &f->data2, o->diff, d);
	f->reading = err ? f->reading : NULL;

	if (!err && o->output)
		err = new_file_keep(&file, 1, d);
	return err ? err : jail_enter(0, -1, 0, d);
}

int main(int argc, char **argv)
{
	static char name[] = "perfparse";
	struct new_file file = {.stream = stdout};
	struct diag d = {""};
	struct options o;
	struct filter f = {.o = &o, .d = &d, .window_s = NAN};
	int err, status = EXIT_OK;
	char worn[512];

	program_invocation_short_name = name; /* messages and usage name the program even if a link started it */
	err = options_read(&o, argc, argv);
	if (err)
		return opts_exit(err);
	perfstat_init(&f.stat);
	err = main_begin(&f, &file, &o, &d) ?: filter_read(&f);
	if (!err && undress_words(&f.worn, worn, sizeof(worn)))
		complain("the text is read without %s", worn);
	if (!err) {
		f.reading = NULL;
		err = filter_render(&f, file.stream);
		if (o.output) {
			err = new_file_close(&file, err, &d);
		} else {
			errno = 0;
			if (fflush(stdout) && !err)
				err = errno ? -errno : -EIO;
			if (err)
				diag_set(&d, err, "stdout: %s", strerror(-err));
		}
	}
	if (err) { /* some sentences begin with the name of the file that they are about */
		bool named = !f.reading || !strncmp(d.text, f.reading, strlen(f.reading));

		complain("%s%s%s", named ? "" : f.reading, named ? "" : ": ", d.text);
		status = f.misuse ? EXIT_USAGE : EXIT_FAILED;
	}
	perf_data_release(&f.data);
	perf_data_release(&f.data2);
	diff_release(&f.diff);
	cost_table_release(&f.table);
	cost_table_release(&f.table2);
	profile_release(&f.profile);
	profile_release(&f.profile2);
	perfstat_release(&f.stat);
	free(f.parts);
	annotate_list_release(&f.annotated);
	symkeys_free(f.keys);
	components_free(f.components);
	return status;
}
