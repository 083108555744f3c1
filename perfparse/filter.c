// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* Significant digits: more than any text of perf has. */
#define JSON_DIGITS 12
#define CSV_DIGITS  15

void filter_init(struct filter *f, const struct options *o, struct diag *d)
{
	memset(f, 0, sizeof(*f));
	f->o = o;
	f->d = d;
	perfstat_init(&f->stat);
	f->window_s = NAN;
}

void filter_release(struct filter *f)
{
	perf_data_release(&f->data);
	perf_data_release(&f->data2);
	diff_release(&f->diff);
	cost_table_release(&f->table);
	cost_table_release(&f->table2);
	profile_release(&f->profile);
	profile_release(&f->profile2);
	perfstat_release(&f->stat);
	free(f->parts);
	f->parts = NULL;
	annotate_list_release(&f->annotated);
	symkeys_free(f->keys);
	f->keys = NULL;
	components_free(f->components);
	f->components = NULL;
}

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
	linescan_init(&lines, in);
	lines.worn = &f->worn;
	undress_begin(&f->worn);
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

static int read_difference(struct filter *f)
{
	int err = read_table(f, f->o->diff, second_base_ns(f->o), &f->profile2, &f->table2);

	f->reading = err ? f->reading : f->o->renames;
	if (!err)
		err = symkeys_read(&f->keys, f->o->renames, f->d);
	return err ? err : diff_build(&f->diff, &f->table, &f->table2, f->keys, f->d);
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
	return err || !f->o->diff ? err : read_difference(f);
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

/* The number of packets while perf counted: --packets, the runs of a program, or the rate times the time. */
static int find_packets(struct filter *f)
{
	const struct options *o = f->o;

	f->window_s = o->window_s > 0 ? o->window_s : f->stat.elapsed_s;
	if (o->packets > 0) {
		f->packets = o->packets;
		return 0;
	}
	if (isnan(f->window_s) && perfstat_program_runs(&f->stat) > 0) {
		f->packets = perfstat_program_runs(&f->stat);
		return 0;
	}
	if (isnan(f->window_s))
		return diag_set(f->d, -EINVAL,
				"how long did perf stat count? its \"seconds time elapsed\" is missing; "
				"give --window, or --packets");
	f->packets = f->window_s * 1e9 / first_base_ns(o);
	return 0;
}

static struct perfstat_render stat_of(const struct filter *f)
{
	return (struct perfstat_render){&f->stat, f->packets, f->window_s, f->o->cpu, f->o->event};
}

static int read_stat(struct filter *f, struct linescan *lines)
{
	int err = perfstat_read(&f->stat, lines, f->o->separator ? *f->o->separator : 0, f->d) ?: find_packets(f);
	const struct perfstat_render r = stat_of(f);

	for (size_t i = 0; i < f->stat.ncounts && !err; i++)
		if (perfstat_render_shows(&r, &f->stat.counts[i]))
			return 0;
	if (err)
		return err;
	return diag_set(f->d, -EINVAL,
			f->o->cpu >= 0 ? "no count of that CPU; run perf stat with -A" : "no count of that event");
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

/* The cost of a symbol is shared out once. */
static int check_parts(struct filter *f)
{
	struct annotate_render *sorted = calloc(f->nparts + 1, sizeof(*sorted));
	int err = 0;

	if (!sorted)
		return diag_set(f->d, -ENOMEM, "out of memory");
	memcpy(sorted, f->parts, f->nparts * sizeof(*sorted));
	qsort(sorted, f->nparts, sizeof(*sorted), compare_parts);
	for (size_t i = 1; i < f->nparts && !err; i++)
		if (!compare_parts(&sorted[i - 1], &sorted[i]))
			err = diag_set(f->d, -EINVAL, "two tables of %s; pick one by its number with --table",
				       sorted[i].symbol->symbol);
	free(sorted);
	return err;
}

static int fill_parts(struct filter *f)
{
	const struct annotate *a;
	size_t i;
	int err;

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
	return check_parts(f);
}

static int read_annotate(struct filter *f, struct linescan *lines)
{
	int err = need_base(f, first_base_ns(f->o)) ?: annotate_read(&f->annotated, lines, f->d) ?: check_symbols(f);

	if (!err && f->o->profile)
		err = read_table(f, f->o->profile, first_base_ns(f->o), &f->profile, &f->table);
	return err ? err : fill_parts(f);
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

static int filter_read_lines(struct filter *f, struct linescan *lines)
{
	int err = find_kind(f, lines) ?: check_options(f);

	if (err)
		return err;
	return f->kind == TEXT_STAT       ? read_stat(f, lines)
	       : f->kind == TEXT_ANNOTATE ? read_annotate(f, lines)
	       : f->kind == TEXT_DIFF     ? read_perf_diff(f, lines)
					  : read_profile(f, lines);
}

/* With --pps and --pps2 and nothing that names an input, the program prints only the difference of the two bases. */
static bool is_bases_only(const struct options *o)
{
	return (o->pps2 > 0 || o->ns2 > 0) && !o->diff && !o->file && !strcmp(o->input, "auto");
}

int filter_read(struct filter *f)
{
	FILE *in = f->data.text ? f->data.text : f->o->file ? fopen(f->o->file, "re") : stdin;
	struct linescan lines;
	int err;

	if (is_bases_only(f->o))
		return strcmp(f->o->format, "folded") ? 0 : diag_set(f->d, -EINVAL, "a difference has no folded form");
	f->reading = f->o->file;
	if (!in)
		return diag_set(f->d, -errno, "%s", strerror(errno));
	linescan_init(&lines, in);
	lines.worn = &f->worn;
	err = filter_read_lines(f, &lines);
	linescan_release(&lines);
	if (f->o->file && in != f->data.text)
		fclose(in);
	return err;
}

/* ---- printing ----------------------------------------------------------------------------------------- */

enum shown { SHOWN_BASES, SHOWN_PROFILE, SHOWN_DIFF, SHOWN_STAT, SHOWN_ANNOTATE };

static enum shown shown_of(const struct filter *f)
{
	if (is_bases_only(f->o))
		return SHOWN_BASES;
	if (f->kind == TEXT_STAT || f->kind == TEXT_ANNOTATE)
		return f->kind == TEXT_STAT ? SHOWN_STAT : SHOWN_ANNOTATE;
	return f->o->diff || f->kind == TEXT_DIFF ? SHOWN_DIFF : SHOWN_PROFILE;
}

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

static void bases_rows(struct rows *r, const struct options *o)
{
	static const struct column columns[] = {
		{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},
		{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},
		{"delta_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "delta_ns"},
	};

	rows_init(r, COLUMNS_OF(columns));
	rows_add(r);
	rows_value(r, "base_ns", first_base_ns(o));
	rows_value(r, "new_ns", second_base_ns(o));
	rows_value(r, "delta_ns", second_base_ns(o) - first_base_ns(o));
}

static int print_rows(const struct filter *f, enum shown shown, FILE *out)
{
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
		bases_rows(&r, f->o);
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

static int print_text(const struct filter *f, enum shown shown, FILE *out)
{
	struct cost_render cost = cost_of(f);
	struct diff_render diff = {&f->diff, f->components, !f->o->no_symbols};
	struct perfstat_render stat = stat_of(f);

	switch (shown) {
	case SHOWN_PROFILE:
		return cost_render_text(&cost, out);
	case SHOWN_DIFF:
		return diff_render_text(&diff, out);
	case SHOWN_STAT:
		return perfstat_render_text(&stat, out);
	case SHOWN_ANNOTATE:
		return annotate_render_text(f->parts, f->nparts, out);
	case SHOWN_BASES:
		break;
	}
	render_bases(first_base_ns(f->o), second_base_ns(f->o), second_base_ns(f->o) - first_base_ns(f->o), out);
	return 0;
}

int filter_render(const struct filter *f, FILE *out)
{
	enum shown shown = shown_of(f);
	struct cost_render cost = cost_of(f);
	int err;

	if (!strcmp(f->o->format, "text"))
		err = print_text(f, shown, out);
	else if (strcmp(f->o->format, "folded"))
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
