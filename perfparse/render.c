// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* ---- two profiles side by side ---- */

static void render_half(double half_ns, FILE *out)
{
	if (isnan(half_ns))
		fputs("         ", out);
	else
		fprintf(out, "  ±%5.2f ", half_ns);
}

void render_bases(double base_ns, double new_ns, double delta_ns, FILE *out)
{
	fprintf(out, "# base: %.2f ns/packet, new: %.2f ns/packet, difference: %+.2f ns/packet\n", base_ns, new_ns,
		delta_ns);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

#define CHANGE_COLUMNS                                                                                                 \
	{"class", NULL, CELL_WORDS, IN_JSON, .csv = "class"},                                                          \
		{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},                                             \
		{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},                                               \
		{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff_row, delta_ns), .csv = "delta_ns"},                 \
		{"half_ns", NULL, CELL_NUMBER, 0, FROM(diff_row, half_ns), .csv = "half_ns"},                          \
		{"absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "absent_at_most_ns"},                         \
	{                                                                                                              \
		"ci95_ns", NULL, CELL_RANGE, IN_JSON | OR_NULL                                                         \
	}

static const struct column changed_columns[] = {{"name", NULL, CELL_NAME, IN_JSON, .csv = "symbol"},
						{"component", NULL, CELL_COMPONENT, IN_JSON, .csv = "component"},
						CHANGE_COLUMNS};

static const struct column component_columns[] = {{"name", NULL, CELL_COMPONENT, IN_JSON}, CHANGE_COLUMNS};

static const struct column closure_columns[] = {
	{"sum_delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, sum_delta_ns)},
	{"residual_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, residual_ns)},
};

static const struct column diff_columns[] = {
	{"schema", NULL, CELL_WORDS, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, base_ns)},
	{"new_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, new_ns)},
	{"delta_ns", NULL, CELL_NUMBER, IN_JSON, FROM(diff, delta_ns)},
	{"base_absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON},
	{"new_absent_at_most_ns", NULL, CELL_NUMBER, IN_JSON},
	{"components", NULL, CELL_TABLE, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON | IN_CSV},
	{"rest", NULL, CELL_TABLE, IN_CSV},
	{"closure", NULL, CELL_OBJECT, IN_JSON},
};

/* By enum diff_class. */
static const char *const classes[] = {"same", "changed", "gone", "new", "unlisted"};

/* A side that does not list the symbol, and may hide as much, is not known: the interval reaches as far. */
static void add_change(struct rows *r, const struct diff_render *d, const struct diff_row *row)
{
	const char *component = d->components->list[row->component].name;
	bool hidden = row->absent_ns > 0, no_base = hidden && row->base_ns == 0, no_new = hidden && row->new_ns == 0;

	rows_add_of(r, row);
	rows_text(r, "name", row->name ? row->name : component);
	if (row->name)
		rows_text(r, "component", component);
	rows_text(r, "class", classes[row->class]);
	rows_value(r, "base_ns", no_base ? NAN : row->base_ns);
	rows_value(r, "new_ns", no_new ? NAN : row->new_ns);
	rows_value(r, "absent_at_most_ns", hidden ? row->absent_ns : NAN);
	rows_range(r, "ci95_ns",
		   (const double[]){row->delta_ns - row->half_ns - (no_base ? row->absent_ns : 0),
				    row->delta_ns + row->half_ns + (no_new ? row->absent_ns : 0)});
}

void diff_render_rows(struct rows *r, const struct diff_render *d)
{
	const struct diff *f = d->diff;
	struct rows *table;

	rows_init(r, COLUMNS_OF(diff_columns));
	rows_add_of(r, f);
	rows_text(r, "schema", "xdpzoom.profile-diff/1");
	rows_value(r, "base_absent_at_most_ns", f->base->absent_ns);
	rows_value(r, "new_absent_at_most_ns", f->new->absent_ns);
	table = rows_table(r, "components", COLUMNS_OF(component_columns));
	for (size_t i = 0; i < f->ncomponents; i++)
		add_change(table, d, &f->components[i]);
	table = rows_table(r, "symbols", COLUMNS_OF(changed_columns));
	for (size_t i = 0; i < f->nsymbols; i++)
		add_change(table, d, &f->symbols[i]);
	table = rows_table(r, "rest", COLUMNS_OF(changed_columns));
	rows_add(table);
	rows_text(table, "name", "[unattributed]");
	rows_value(table, "delta_ns", f->residual_ns);
	table = rows_table(r, "closure", COLUMNS_OF(closure_columns));
	rows_add_of(table, f);
}

/* ---- text -------------------------------------------------------------------------------------------- */

/* The cost on one side, or "<0.61" where that side does not list it and may hide as much. */
static void print_side(double ns, double absent_ns, FILE *out)
{
	char text[32];

	if (ns == 0 && absent_ns > 0) {
		snprintf(text, sizeof(text), "<%.2f", absent_ns);
		fprintf(out, "%9s ", text);
	} else {
		fprintf(out, "%9.2f ", ns);
	}
}

static void print_cut_short(const char *side, const struct cost_table *t, FILE *out)
{
	if (cost_table_cut_short(t))
		fprintf(out, "# %s lists %.2f %%: a symbol that it does not list costs at most %.2f ns there\n", side,
			100 - t->unattributed_pct, t->absent_ns);
}

static void render_diff_print_row(const struct diff_render *d, const struct diff_row *row, int width, FILE *out)
{
	print_side(row->base_ns, row->absent_ns, out);
	print_side(row->new_ns, row->absent_ns, out);
	fprintf(out, "%+9.2f", row->delta_ns);
	render_half(row->half_ns, out);
	fprintf(out, "  %-8s %-*s", classes[row->class], width, d->components->list[row->component].name);
	if (row->name) {
		fputs("  ", out);
		printable_put(out, row->name);
	}
	fputc('\n', out);
}

int diff_render_text(const struct diff_render *d, FILE *out)
{
	const struct diff *f = d->diff;
	int width = (int)strlen("component"), n;

	for (size_t i = 0; i < f->ncomponents; i++) {
		n = (int)strlen(d->components->list[f->components[i].component].name);
		width = n > width ? n : width;
	}
	render_bases(f->base_ns, f->new_ns, f->delta_ns, out);
	print_cut_short("base", f->base, out);
	print_cut_short("new", f->new, out);
	fputs("#\n#    base       new     delta   95 %    class    component\n", out);
	for (size_t i = 0; i < f->ncomponents; i++)
		render_diff_print_row(d, &f->components[i], 0, out);
	if (d->symbols)
		fprintf(out, "#\n#    base       new     delta   95 %%    class    %-*s  symbol\n", width, "component");
	for (size_t i = 0; d->symbols && i < f->nsymbols; i++)
		render_diff_print_row(d, &f->symbols[i], width, out);
	fprintf(out, "#\n# closure: sum of differences %+.2f + not attributed %+.2f = %+.2f ns\n", f->sum_delta_ns,
		f->residual_ns, f->delta_ns);
	return 0;
}

/* ---- a profile: costs of symbols, components and tags ---- */

/* ---- rows -------------------------------------------------------------------------------------------- */

static const struct column tag_columns[] = {{"", NULL, CELL_NAME, IN_JSON}};

/* The same columns for ns and for events, by the last word of their names. */
#define SYMBOL_COLUMNS(unit)                                                                                           \
	{                                                                                                              \
		{"name", NULL, CELL_NAME, IN_JSON, FROM(cost_row, name), .csv = "symbol"},                             \
		{"space", NULL, CELL_WORDS, IN_JSON, .csv = "space"},                                                  \
		{"dso", NULL, CELL_NAME, IN_JSON, FROM(cost_row, dso), .csv = "dso"},                                  \
		{"component", NULL, CELL_COMPONENT, IN_JSON, .csv = "component"},                                      \
		{"samples", NULL, CELL_COUNT, IN_JSON, FROM(cost_row, samples), .csv = "samples"},                     \
		{"self_pct", NULL, CELL_NUMBER, IN_JSON, .csv = "self_pct"},                                           \
		{"self_" unit, NULL, CELL_NUMBER, IN_JSON, .csv = "self_" unit},                                       \
		{"ci95_" unit, NULL, CELL_RANGE, IN_JSON | OR_NULL, FROM(cost_row, ci95_ns), .csv = "self_" unit},     \
		{"children_pct", NULL, CELL_NUMBER, IN_JSON, .csv = "children_pct"},                                   \
		{"children_" unit, NULL, CELL_NUMBER, IN_JSON, .csv = "children_" unit},                               \
		{"tags", NULL, CELL_TABLE, IN_JSON},                                                                   \
	}
#define GROUP_COLUMNS(unit)                                                                                            \
	{                                                                                                              \
		{"name", NULL, CELL_NAME, IN_JSON, FROM(cost_component, name)},                                        \
		{"self_pct", NULL, CELL_NUMBER, IN_JSON},                                                              \
		{"self_" unit, NULL, CELL_NUMBER, IN_JSON},                                                            \
		{"ci95_" unit, NULL, CELL_RANGE, IN_JSON | OR_NULL, FROM(cost_component, ci95_ns)},                    \
	}
#define PROFILE_COLUMNS(unit)                                                                                          \
	{                                                                                                              \
		{"schema", NULL, CELL_WORDS, IN_JSON},                                                                 \
		{"base_" unit, NULL, CELL_NUMBER, IN_JSON, FROM(cost_table, base_ns)},                                 \
		{"samples", NULL, CELL_COUNT, IN_JSON, FROM(cost_table, samples)},                                     \
		{"event", NULL, CELL_NAME, IN_JSON},                                                                   \
		{"busy_pct", NULL, CELL_NUMBER, IN_JSON},                                                              \
		{"idle_pct", NULL, CELL_NUMBER, IN_JSON},                                                              \
		{"excluded_pct", NULL, CELL_NUMBER, IN_JSON},                                                          \
		{"unattributed_pct", NULL, CELL_NUMBER, IN_JSON, FROM(cost_table, unattributed_pct)},                  \
		{"unattributed_" unit, NULL, CELL_NUMBER, IN_JSON, FROM(cost_table, unattributed_ns)},                 \
		{"absent_at_most_" unit, NULL, CELL_NUMBER, IN_JSON, FROM(cost_table, absent_ns)},                     \
		{"components", NULL, CELL_TABLE, IN_JSON},                                                             \
		{"tags", NULL, CELL_TABLE, IN_JSON},                                                                   \
		{"symbols", NULL, CELL_TABLE, IN_JSON | IN_CSV},                                                       \
		{"rest", NULL, CELL_TABLE, IN_CSV},                                                                    \
	}

static const struct column symbol_columns[][11] = {SYMBOL_COLUMNS("ns"), SYMBOL_COLUMNS("events")};
static const struct column group_columns[][4] = {GROUP_COLUMNS("ns"), GROUP_COLUMNS("events")};
static const struct column profile_columns[][14] = {PROFILE_COLUMNS("ns"), PROFILE_COLUMNS("events")};

/* The names of the columns with a unit. */
static const struct {
	const char *self, *children;
} keys[] = {{"self_ns", "children_ns"}, {"self_events", "children_events"}};

/* A share and its ns. Below 0, perf's table has none. */
static void put_share(struct rows *r, const char *pct_key, const char *ns_key, double pct, double ns)
{
	rows_value(r, pct_key, pct >= 0 ? pct : NAN);
	rows_value(r, ns_key, pct >= 0 ? ns : NAN);
}

static void add_groups(struct rows *parent, const char *key, const struct cost_render *c, bool tags)
{
	struct rows *r = rows_table(parent, key, COLUMNS_OF(group_columns[c->events]));
	size_t n = 0;
	struct cost_component *sums = cost_table_groups(c->table, c->components, tags, &n);

	if (!sums)
		parent->error = -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows_add_of(r, &sums[i]);
		put_share(r, "self_pct", keys[c->events].self, sums[i].self_pct, sums[i].self_ns);
	}
	free(sums);
}

void cost_render_rows(struct rows *r, const struct cost_render *c)
{
	static const char *const spaces[] = {"unknown", "kernel", "user", "guest kernel", "guest user", "hypervisor"};
	const struct cost_table *t = c->table;
	double all = t->busy_weight + t->idle_weight + t->excluded_weight;
	struct rows *symbols, *tags, *rest;

	rows_init(r, COLUMNS_OF(profile_columns[c->events]));
	rows_add_of(r, t);
	rows_text(r, "schema", c->events ? "xdpzoom.event-profile/1" : "xdpzoom.profile/1");
	rows_text(r, "event", c->profile->event);
	rows_value(r, "busy_pct", 100 * t->busy_weight / all);
	rows_value(r, "idle_pct", 100 * t->idle_weight / all);
	rows_value(r, "excluded_pct", 100 * t->excluded_weight / all);
	add_groups(r, "components", c, false);
	add_groups(r, "tags", c, true);
	symbols = rows_table(r, "symbols", COLUMNS_OF(symbol_columns[c->events]));
	for (const struct cost_row *row = t->rows; row < t->rows + t->nrows; row++) {
		rows_add_of(symbols, row);
		rows_text(symbols, "space", spaces[row->space]);
		rows_text(symbols, "component", c->components->list[row->component].name);
		put_share(symbols, "self_pct", keys[c->events].self, row->self_pct, row->self_ns);
		put_share(symbols, "children_pct", keys[c->events].children, row->children_pct, row->children_ns);
		tags = rows_table(symbols, "tags", COLUMNS_OF(tag_columns));
		for (unsigned int i = 0; i < c->components->ntags; i++) {
			if (!(row->tags >> i & 1))
				continue;
			rows_add(tags);
			rows_text(tags, "", c->components->tags[i].name);
		}
	}
	rest = rows_table(r, "rest", COLUMNS_OF(symbol_columns[c->events]));
	rows_add(rest);
	rows_text(rest, "name", "[unattributed]");
	rows_value(rest, "self_pct", t->unattributed_pct);
	rows_value(rest, keys[c->events].self, t->unattributed_ns);
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void print_share(const struct cost_render *c, FILE *out, double pct, double ns)
{
	if (pct < 0)
		fprintf(out, c->events ? "%26s" : "%18s", "-");
	else if (c->events)
		fprintf(out, "%6.2f%% => %8.3g events", pct, ns);
	else
		fprintf(out, "%6.2f%% => %5.1f ns", pct, ns);
}

static void print_half(const struct cost_render *c, const double ci95_ns[2], FILE *out)
{
	double half = (ci95_ns[1] - ci95_ns[0]) / 2;

	if (!c->events)
		render_half(half, out);
	else if (isnan(half))
		fprintf(out, "%12s", "");
	else
		fprintf(out, "  ± %-8.2g", half);
}

static int compare_children(const void *a, const void *b)
{
	const struct cost_row *const *x = a, *const *y = b;

	return ORDER((*y)->children_ns, (*x)->children_ns) ?: ORDER(*x, *y);
}

/* Sorts the rows by self cost, the order of the table, or by the cost that includes all calls. */
static int print_rows(const struct cost_render *c, FILE *out)
{
	const struct cost_table *t = c->table;
	const struct cost_row **rows = malloc((t->nrows + 1) * sizeof(*rows));
	int width = (int)strlen("component"), n;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nrows; i++) {
		rows[i] = &t->rows[i];
		n = (int)strlen(c->components->list[rows[i]->component].name);
		width = n > width ? n : width;
	}
	if (c->events)
		fprintf(out, "#\n# %s =>  events/packet  95 %%     %-*s  symbol\n",
			c->children ? "children =>  events/packet   self" : "share", width, "component");
	else
		fprintf(out, "#\n# %s =>  ns/packet   95 %%    %-*s  symbol\n",
			c->children ? "children =>  ns/packet   self" : "share", width, "component");
	if (c->children)
		qsort(rows, t->nrows, sizeof(*rows), compare_children);
	for (size_t i = 0; i < t->nrows; i++)
		if (c->children ? rows[i]->children_pct >= 0 : rows[i]->self_pct > 0) {
			const struct cost_row *row = rows[i];

			if (c->children) {
				print_share(c, out, row->children_pct, row->children_ns);
				fputs("    ", out);
			}
			print_share(c, out, row->self_pct, row->self_ns);
			print_half(c, row->ci95_ns, out);
			fprintf(out, "  %-*s  [%c] ", width, c->components->list[row->component].name,
				"?k.guH"[row->space]);
			printable_put(out, row->name);
			fputc('\n', out);
		}
	free(rows);
	return 0;
}

/* Prints components or tags below a title; nothing where no function of the table has one. */
static int print_groups(const struct cost_render *c, const char *title, bool tags, FILE *out)
{
	struct cost_component *sums;
	size_t n;

	if (isnan(c->table->unattributed_pct))
		return 0;
	sums = cost_table_groups(c->table, c->components, tags, &n);
	if (!sums)
		return -ENOMEM;
	if (n)
		fprintf(out, "#\n# %s\n", title);
	for (size_t i = 0; i < n; i++) {
		print_share(c, out, sums[i].self_pct, sums[i].self_ns);
		print_half(c, sums[i].ci95_ns, out);
		fprintf(out, "  %s\n", sums[i].name);
	}
	free(sums);
	return 0;
}

int cost_render_text(const struct cost_render *given, FILE *out)
{
	struct cost_render c = *given;
	int err = 0;

	/* A table with children shares alone can be ordered only by these. */
	if (isnan(c.table->unattributed_pct))
		c.children = true;
	if (c.events)
		fprintf(out, "# base: %.4g events/packet (%.0f packets)", c.table->base_ns, c.packets);
	else
		fprintf(out, "# base: %.2f ns/packet", c.table->base_ns);
	if (c.pps > 0 && !c.events)
		fprintf(out, " (%.0f packets/s)", c.pps);
	if (c.table->samples)
		fprintf(out, ", %llu busy samples", (unsigned long long)c.table->samples);
	if (c.profile->event[0])
		printable_printf(out, " of event '%s'", c.profile->event);
	fputc('\n', out);
	if (c.symbols)
		err = print_rows(&c, out);
	if (!err)
		err = print_groups(&c, "by component", false, out);
	if (!err)
		err = print_groups(&c, "across components: part of the costs above", true, out);
	const struct cost_table *t = c.table;
	const char *unit = c.events ? "events" : "ns";
	double all = t->busy_weight + t->idle_weight + t->excluded_weight;
	fputs("#\n", out);
	if (!isnan(t->unattributed_pct)) {
		fprintf(out, "# listed: %.2f %%, unattributed: %.2f %% = ", 100 - t->unattributed_pct,
			(t->unattributed_pct > -0.005 && t->unattributed_pct < 0 ? 0 : t->unattributed_pct));
		fprintf(out, c.events ? "%.3g %s\n" : "%.2f %s\n",
			c.events && fabs(t->unattributed_pct) < 0.005
				? 0.0
				: (t->unattributed_ns > -0.005 && t->unattributed_ns < 0 ? 0 : t->unattributed_ns),
			unit);
	}
	if (cost_table_cut_short(t))
		fprintf(out,
			c.events ? "# cut short: a symbol that is not listed has at most %.3g %s\n"
				 : "# cut short: a symbol that is not listed costs at most %.2f %s\n",
			t->absent_ns, unit);
	if (t->idle_weight > 0)
		fprintf(out, "# idle: %.2f %% of the %s, not in the shares\n", 100 * t->idle_weight / all,
			c.events ? unit : "CPU's time");
	if (t->excluded_weight > 0)
		fprintf(out, "# excluded: %.2f %% of the %s, not in the shares\n", 100 * t->excluded_weight / all,
			c.events ? unit : "CPU's time");
	return err;
}

/* ---- folded stacks ----------------------------------------------------------------------------------- */

int cost_render_folded(const struct cost_render *c, FILE *out)
{
	const struct cost_table *t = c->table;
	const struct profile *p = c->profile;
	double carry = 0, scale = c->events ? 1000 : 1; /* events are rarer than ns */
	long long ps;

	for (size_t n = 0; n < p->nstacks; n++) {
		const struct profile_stack *s = &p->stacks[n];

		if (c->components->list[components_of_stack(c->components, p, s)].kind != COMPONENT_COST)
			continue;
		ps = folded_thousandths(s->weight / t->busy_weight * (t->base_ns * scale), &carry);
		if (ps <= 0)
			continue;
		for (unsigned int i = s->depth; i--;) {
			folded_name(out, p->symbols[p->frames[s->first + i]].name);
			fputc(i ? ';' : ' ', out);
		}
		fprintf(out, "%lld\n", ps);
	}
	for (size_t i = 0; !p->nstacks && i < t->nrows; i++) {
		ps = t->rows[i].self_pct > 0 ? folded_thousandths(t->rows[i].self_ns * scale, &carry) : 0;
		if (ps <= 0)
			continue;
		folded_name(out, t->rows[i].name);
		fprintf(out, " %lld\n", ps);
	}
	ps = isnan(t->unattributed_ns) ? 0 : folded_thousandths(t->unattributed_ns * scale, &carry);
	if (ps > 0)
		fprintf(out, "[unattributed] %lld\n", ps);
	return 0;
}

/* ---- counts of perf stat per packet ---- */

/*
 * An event that was counted for a smaller share of the time than this is marked "low": most of its value is
 * scaling.
 */
#define RUNNING_LOW_PCT 25.0

bool perfstat_render_shows(const struct perfstat_render *s, const struct perfstat_count *c)
{
	char place[16];

	if (s->cpu >= 0) {
		snprintf(place, sizeof(place), "CPU%d", s->cpu);
		if (strcmp(place, c->place))
			return false;
	}
	return !s->event || event_matches(s->event, c->event, strlen(c->event)) ||
	       event_matches(s->event, c->name, strlen(c->name));
}

/* A clock in milliseconds is shown as ns per packet. */
static double per_packet(const struct perfstat_render *s, const struct perfstat_count *c, const char **unit)
{
	bool clock = !strcmp(c->unit, "msec");

	*unit = clock ? "ns" : c->unit;
	return c->value * (clock ? 1e6 : 1) / s->packets;
}

static const struct column count_columns[] = {
	{"event", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, event), .csv = "event"},
	{"pmu", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, pmu)},
	{"name", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, name)},
	{"modifiers", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, modifiers)},
	{"place", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, place), .csv = "place"},
	{"state", NULL, CELL_WORDS, IN_JSON},
	{"shown_state", NULL, CELL_WORDS, 0, .csv = "state"},
	{"unit", NULL, CELL_WORDS, IN_JSON, FROM(perfstat_count, unit), .csv = "unit"},
	{"count", NULL, CELL_NUMBER, IN_JSON, FROM(perfstat_count, value), .csv = "count"},
	{"per_packet_unit", NULL, CELL_WORDS, IN_JSON, .csv = "per_packet_unit"},
	{"per_packet", NULL, CELL_NUMBER, IN_JSON, .csv = "per_packet"},
	{"variance_pct", NULL, CELL_NUMBER, IN_JSON, FROM(perfstat_count, variance_pct), .csv = "variance_pct"},
	{"running_pct", NULL, CELL_NUMBER, IN_JSON, FROM(perfstat_count, running_pct), .csv = "running_pct"},
	{"per_cycle", NULL, CELL_NUMBER, IN_JSON, .csv = "per_cycle"},
};

static const struct column stat_columns[] = {
	{"schema", NULL, CELL_WORDS, IN_JSON},    {"packets", NULL, CELL_NUMBER, IN_JSON},
	{"window_s", NULL, CELL_NUMBER, IN_JSON}, {"base_ns", NULL, CELL_NUMBER, IN_JSON},
	{"runs", NULL, CELL_COUNT, IN_JSON},      {"counts", NULL, CELL_TABLE, IN_JSON | IN_CSV},
};

static const char *const shown_states[] = {"counted", "<not counted>", "<not supported>"};

void perfstat_render_rows(struct rows *r, const struct perfstat_render *s)
{
	struct rows *counts;

	rows_init(r, COLUMNS_OF(stat_columns));
	rows_add(r);
	rows_text(r, "schema", "xdpzoom.perf-stat/1");
	rows_value(r, "packets", s->packets);
	rows_value(r, "window_s", s->window_s);
	rows_value(r, "base_ns", s->window_s * 1e9 / s->packets);
	rows_value(r, "runs", s->stat->runs ? s->stat->runs : 1);
	counts = rows_table(r, "counts", COLUMNS_OF(count_columns));
	for (size_t i = 0; i < s->stat->ncounts; i++)
		if (perfstat_render_shows(s, &s->stat->counts[i])) {
			const struct perfstat_count *c = &s->stat->counts[i];
			static const char *const states[] = {"counted", "not counted", "not supported"};
			const char *unit;
			double v = per_packet(s, c, &unit);

			rows_add_of(counts, c);
			rows_text(counts, "state", states[c->state]);
			rows_text(counts, "shown_state", shown_states[c->state]);
			rows_text(counts, "per_packet_unit", unit);
			rows_value(counts, "per_packet", v);
			rows_value(counts, "per_cycle", perfstat_ipc(s->stat, c));
		}
}

int perfstat_render_text(const struct perfstat_render *s, FILE *out)
{
	fprintf(out, "# perf stat: %.0f packets", s->packets);
	if (!isnan(s->window_s))
		fprintf(out, " in %.6g s, %.2f ns/packet", s->window_s, s->window_s * 1e9 / s->packets);
	if (s->stat->runs > 1)
		fprintf(out, ", means of %u runs", s->stat->runs);
	fprintf(out, "\n#\n#%13s      %20s  %-10s %s\n", "per packet", "count", "place", "event");
	for (const struct perfstat_count *c = s->stat->counts; c < s->stat->counts + s->stat->ncounts; c++) {
		const char *unit;
		double v = per_packet(s, c, &unit), ipc = perfstat_ipc(s->stat, c);

		if (!perfstat_render_shows(s, c))
			continue;
		if (c->state == PERFSTAT_COUNTED)
			printable_printf(out, "%14.4f %-4s %20.*f", v, unit, c->unit[0] ? 2 : 0, c->value);
		else
			fprintf(out, "%14s %-4s %20s", "-", "", shown_states[c->state]);
		printable_printf(out, "  %-10s %-28s", c->place, c->event);
		if (!isnan(c->variance_pct))
			fprintf(out, "  ±%.2f %%", c->variance_pct);
		if (c->state == PERFSTAT_COUNTED && c->running_pct < 99.995)
			fprintf(out, "  counted %.2f %% of the time (%s)", c->running_pct,
				c->running_pct < RUNNING_LOW_PCT ? "scaled, low" : "scaled");
		if (!isnan(ipc))
			fprintf(out, "  %.2f per cycle", ipc);
		fputc('\n', out);
	}
	return 0;
}

/* ---- instructions and source lines of symbols ---- */

static const struct column instruction_columns[] = {
	{"symbol", NULL, CELL_NAME, 0, .csv = "symbol"},
	{"pct", NULL, CELL_NUMBER, IN_JSON, FROM(annotate_row, pct), .csv = "pct"},
	{"ns", NULL, CELL_NUMBER, IN_JSON, .csv = "ns"},
	{"address", NULL, CELL_NAME, IN_JSON, .csv = "address"},
	{"instruction", NULL, CELL_NAME, IN_JSON, FROM(annotate_row, instruction), .csv = "instruction"},
	{"source", NULL, CELL_NAME, IN_JSON, FROM(annotate_row, source), .csv = "source"},
};

static const struct column line_columns[] = {
	{"pct", NULL, CELL_NUMBER, IN_JSON, FROM(annotate_row, pct)},
	{"ns", NULL, CELL_NUMBER, IN_JSON},
	{"source", NULL, CELL_NAME, IN_JSON},
};

static const struct column annotated_columns[] = {
	{"name", NULL, CELL_NAME, IN_JSON, FROM(annotate, symbol)},
	{"dso", NULL, CELL_NAME, IN_JSON, FROM(annotate, dso)},
	{"event", NULL, CELL_NAME, IN_JSON, FROM(annotate, event)},
	{"samples", NULL, CELL_COUNT, IN_JSON, FROM(annotate, samples)},
	{"self_ns", NULL, CELL_NUMBER, IN_JSON},
	{"instructions", NULL, CELL_TABLE, IN_JSON | IN_CSV},
	{"lines", NULL, CELL_TABLE, IN_JSON},
};

static const struct column annotate_columns[] = {
	{"schema", NULL, CELL_WORDS, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON},
	{"symbols", NULL, CELL_TABLE, IN_JSON},
};

void annotate_render_rows(struct rows *r, const struct annotate_render *a, size_t n)
{
	struct rows *symbols, *rows;
	struct annotate by_source;

	rows_init(r, COLUMNS_OF(annotate_columns));
	rows_add(r);
	rows_text(r, "schema", "xdpzoom.annotate/1");
	rows_value(r, "base_ns", n ? a[0].base_ns : 0);
	symbols = rows_table(r, "symbols", COLUMNS_OF(annotated_columns));
	for (size_t i = 0; i < n; i++) {
		const struct annotate *s = a[i].symbol;

		rows_add_of(symbols, s);
		rows_value(symbols, "self_ns", a[i].symbol_ns);
		rows = rows_table(symbols, "instructions", COLUMNS_OF(instruction_columns));
		for (const struct annotate_row *row = s->rows; row < s->rows + s->nrows; row++) {
			rows_add_of(rows, row);
			rows_text(rows, "symbol", s->symbol);
			rows_value(rows, "ns", a[i].symbol_ns * row->pct / 100);
			if (row->has_address)
				rows_words(rows, "address", "%llx", (unsigned long long)row->address);
		}
		rows = rows_table(symbols, "lines", COLUMNS_OF(line_columns));
		if (annotate_by_source(s, &by_source)) {
			if (rows)
				rows->error = -ENOMEM;
			continue;
		}
		for (size_t k = 0; k < by_source.nrows; k++) {
			rows_add_of(rows, &by_source.rows[k]);
			rows_value(rows, "ns", a[i].symbol_ns * by_source.rows[k].pct / 100);
			rows_words(rows, "source", "%s", by_source.rows[k].source);
		}
		annotate_release(&by_source);
	}
}

/* ---- text -------------------------------------------------------------------------------------------- */

int annotate_render_text(const struct annotate_render *a, size_t n, FILE *out)
{
	const struct annotate_render *r;
	int err = 0;

	for (r = a; r < a + n && !err; r++) {
		const struct annotate *s = r->symbol;
		struct annotate by_source;
		double sum_pct = 0;

		if (r > a)
			fputc('\n', out);
		printable_printf(out, "# %s: %.2f ns of %.2f ns/packet", s->symbol[0] ? s->symbol : s->dso,
				 r->symbol_ns, r->base_ns);
		if (s->samples)
			fprintf(out, ", %llu samples", (unsigned long long)s->samples);
		if (s->event[0])
			printable_printf(out, ", event '%s'", s->event);
		fputs("\n#\n# share =>  ns/packet  address           instruction\n", out);
		for (const struct annotate_row *row = s->rows; row < s->rows + s->nrows; row++) {
			char address[20] = "-";

			if (row->has_address)
				snprintf(address, sizeof(address), "%llx", (unsigned long long)row->address);
			printable_printf(out, "%6.2f%% => %5.1f ns  %16s  %s\n", row->pct,
					 r->symbol_ns * row->pct / 100, address, row->instruction);
			sum_pct += row->pct;
		}
		err = annotate_by_source(s, &by_source) ? -ENOMEM : 0;
		if (!err && by_source.nrows)
			fputs("#\n# by source line\n", out);
		for (size_t k = 0; !err && k < by_source.nrows; k++)
			printable_printf(out, "%6.2f%% => %5.1f ns  %s\n", by_source.rows[k].pct,
					 r->symbol_ns * by_source.rows[k].pct / 100, by_source.rows[k].source);
		if (!err)
			annotate_release(&by_source);
		fprintf(out, "#\n# listed: %.2f %% = %.2f ns\n", sum_pct, r->symbol_ns * sum_pct / 100);
	}
	return err;
}
