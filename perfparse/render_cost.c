// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile: costs of symbols, components and tags. */
#include "perfparse/perfparse.h"

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

static const char *space_name(enum profile_space space)
{
	static const char *const names[] = {"unknown", "kernel", "user", "guest kernel", "guest user", "hypervisor"};

	return names[space];
}

/* A share and its ns. Below 0, perf's table has none. */
static void put_share(struct rows *r, const char *pct_key, const char *ns_key, double pct, double ns)
{
	rows_value(r, pct_key, pct >= 0 ? pct : NAN);
	rows_value(r, ns_key, pct >= 0 ? ns : NAN);
}

static void add_symbol(struct rows *r, const struct cost_render *c, const struct cost_row *row)
{
	struct rows *tags;

	rows_add_of(r, row);
	rows_text(r, "space", space_name(row->space));
	rows_text(r, "component", components_name(c->components, row->component));
	put_share(r, "self_pct", keys[c->events].self, row->self_pct, row->self_ns);
	put_share(r, "children_pct", keys[c->events].children, row->children_pct, row->children_ns);
	tags = rows_table(r, "tags", COLUMNS_OF(tag_columns));
	for (unsigned int i = 0; i < components_tag_count(c->components); i++) {
		if (!(row->tags >> i & 1))
			continue;
		rows_add(tags);
		rows_text(tags, "", components_tag_name(c->components, i));
	}
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
	const struct cost_table *t = c->table;
	double all = t->busy_weight + t->idle_weight + t->excluded_weight;
	struct rows *symbols, *rest;

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
	for (size_t i = 0; i < t->nrows; i++)
		add_symbol(symbols, c, &t->rows[i]);
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

static void render_cost_print_row(const struct cost_render *c, const struct cost_row *row, int width, FILE *out)
{
	if (c->children) {
		print_share(c, out, row->children_pct, row->children_ns);
		fputs("    ", out);
	}
	print_share(c, out, row->self_pct, row->self_ns);
	print_half(c, row->ci95_ns, out);
	fprintf(out, "  %-*s  [%c] ", width, components_name(c->components, row->component), "?k.guH"[row->space]);
	printable_put(out, row->name);
	fputc('\n', out);
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
	int width = render_width(0, "component");

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nrows; i++) {
		rows[i] = &t->rows[i];
		width = render_width(width, components_name(c->components, rows[i]->component));
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
		if (c->children ? rows[i]->children_pct >= 0 : rows[i]->self_pct > 0)
			render_cost_print_row(c, rows[i], width, out);
	free(rows);
	return 0;
}

static void print_head(const struct cost_render *c, FILE *out)
{
	if (c->events)
		fprintf(out, "# base: %.4g events/packet (%.0f packets)", c->table->base_ns, c->packets);
	else
		fprintf(out, "# base: %.2f ns/packet", c->table->base_ns);
	if (c->pps > 0 && !c->events)
		fprintf(out, " (%.0f packets/s)", c->pps);
	if (c->table->samples)
		fprintf(out, ", %llu busy samples", (unsigned long long)c->table->samples);
	if (c->profile->event[0])
		printable_printf(out, " of event '%s'", c->profile->event);
	fputc('\n', out);
}

/* Prints 0.00 where rounding would print -0.00. */
static double not_minus_zero(double v)
{
	return v > -0.005 && v < 0 ? 0 : v;
}

static void print_tail(const struct cost_render *c, FILE *out)
{
	const struct cost_table *t = c->table;
	const char *unit = c->events ? "events" : "ns";
	double all = t->busy_weight + t->idle_weight + t->excluded_weight;

	fputs("#\n", out);
	if (!isnan(t->unattributed_pct)) {
		fprintf(out, "# listed: %.2f %%, unattributed: %.2f %% = ", 100 - t->unattributed_pct,
			not_minus_zero(t->unattributed_pct));
		fprintf(out, c->events ? "%.3g %s\n" : "%.2f %s\n",
			c->events && fabs(t->unattributed_pct) < 0.005 ? 0.0 : not_minus_zero(t->unattributed_ns),
			unit);
	}
	if (cost_table_cut_short(t))
		fprintf(out,
			c->events ? "# cut short: a symbol that is not listed has at most %.3g %s\n"
				  : "# cut short: a symbol that is not listed costs at most %.2f %s\n",
			t->absent_ns, unit);
	if (t->idle_weight > 0)
		fprintf(out, "# idle: %.2f %% of the %s, not in the shares\n", 100 * t->idle_weight / all,
			c->events ? unit : "CPU's time");
	if (t->excluded_weight > 0)
		fprintf(out, "# excluded: %.2f %% of the %s, not in the shares\n", 100 * t->excluded_weight / all,
			c->events ? unit : "CPU's time");
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
	print_head(&c, out);
	if (c.symbols)
		err = print_rows(&c, out);
	if (!err)
		err = print_groups(&c, "by component", false, out);
	if (!err)
		err = print_groups(&c, "across components: part of the costs above", true, out);
	print_tail(&c, out);
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

		if (components_kind(c->components, components_of_stack(c->components, p, s)) != COMPONENT_COST)
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
