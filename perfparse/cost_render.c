// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "perfparse/cost_render.h"
#include "base/sheet/csv.h"
#include "perfparse/folded.h"
#include "base/json_text.h"
#include "base/printable.h"

const char *profile_space_name(enum profile_space space)
{
	static const char *const names[] = {"unknown", "kernel", "user", "guest kernel", "guest user", "hypervisor"};

	return names[space];
}

char profile_space_mark(enum profile_space space)
{
	return "?k.guH"[space];
}

/* Half of the interval's width, for the column "± x". */
static double half_width(const double ci95_ns[2])
{
	return (ci95_ns[1] - ci95_ns[0]) / 2;
}

static void print_interval(FILE *out, const double ci95_ns[2])
{
	if (isnan(ci95_ns[0]))
		fputs("         ", out);
	else
		fprintf(out, "  ±%5.2f ", half_width(ci95_ns));
}

/* The column of facilities is as wide as the longest name in it. */
static int facility_width(const struct cost_render *r)
{
	size_t width = strlen("facility"), n, i;

	for (i = 0; i < r->table->nrows; i++) {
		n = strlen(facilities_name(r->facilities, r->table->rows[i].facility));
		width = n > width ? n : width;
	}
	return (int)width;
}

static void print_share(FILE *out, double pct, double ns)
{
	if (pct < 0)
		fprintf(out, "%18s", "-");
	else
		fprintf(out, "%6.2f%% => %5.1f ns", pct, ns);
}

static void print_row(const struct cost_render *r, const struct cost_row *row, int width, FILE *out)
{
	if (r->children) {
		print_share(out, row->children_pct, row->children_ns);
		fputs("    ", out);
	}
	print_share(out, row->self_pct, row->self_ns);
	print_interval(out, row->ci95_ns);
	fprintf(out, "  %-*s  [%c] ", width, facilities_name(r->facilities, row->facility),
		profile_space_mark(row->space));
	printable_put(out, row->name);
	fputc('\n', out);
}

static int compare_children(const void *a, const void *b)
{
	const struct cost_row *const *x = a, *const *y = b;

	if ((*x)->children_ns != (*y)->children_ns)
		return (*x)->children_ns < (*y)->children_ns ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

/* Sorts the rows by self cost, the order of the table, or by the cost that includes all calls. */
static int print_rows(const struct cost_render *r, FILE *out)
{
	const struct cost_table *t = r->table;
	const struct cost_row **rows;
	int width = facility_width(r);
	size_t i;

	fprintf(out, "#\n# %s =>  ns/packet   95 %%    %-*s  symbol\n",
		r->children ? "children =>  ns/packet   self" : "share", width, "facility");
	rows = malloc((t->nrows + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < t->nrows; i++)
		rows[i] = &t->rows[i];
	if (r->children)
		qsort(rows, t->nrows, sizeof(*rows), compare_children);
	for (i = 0; i < t->nrows; i++)
		if (r->children ? rows[i]->children_pct >= 0 : rows[i]->self_pct > 0)
			print_row(r, rows[i], width, out);
	free(rows);
	return 0;
}

static void print_head(const struct cost_render *r, FILE *out)
{
	const struct profile *p = r->profile;

	fprintf(out, "# base: %.2f ns/packet", r->table->base_ns);
	if (r->pps > 0)
		fprintf(out, " (%.0f packets/s)", r->pps);
	if (r->table->samples)
		fprintf(out, ", %llu busy samples", (unsigned long long)r->table->samples);
	if (p->event[0])
		printable_printf(out, " of event '%s'", p->event);
	fputc('\n', out);
}

/* Prints 0.00 where rounding would print -0.00. */
static double not_minus_zero(double v)
{
	return v > -0.005 && v < 0 ? 0 : v;
}

static void print_tail(const struct cost_render *r, FILE *out)
{
	const struct cost_table *t = r->table;
	double all = t->busy_weight + t->idle_weight + t->taken_out_weight;

	if (!isnan(t->unattributed_pct))
		fprintf(out, "# listed: %.2f %%, unattributed: %.2f %% = %.2f ns\n", 100 - t->unattributed_pct,
			not_minus_zero(t->unattributed_pct), not_minus_zero(t->unattributed_ns));
	if (cost_table_cut_short(t))
		fprintf(out, "# cut short: a symbol that is not listed costs at most %.2f ns\n", t->absent_ns);
	if (t->idle_weight > 0)
		fprintf(out, "# idle: %.2f %% of the CPU's time, not in the shares\n", 100 * t->idle_weight / all);
	if (t->taken_out_weight > 0)
		fprintf(out, "# taken out: %.2f %% of the CPU's time, not in the shares\n",
			100 * t->taken_out_weight / all);
}

typedef struct cost_facility *groups_of(const struct cost_table *t, const struct facilities *f, size_t *n);
typedef const char *name_of(const struct facilities *f, unsigned int id);

/* Prints facilities or tags below a title; nothing where no function of the table has one. */
static int print_groups(const struct cost_render *r, const char *title, groups_of *of, name_of *name, FILE *out)
{
	struct cost_facility *sums;
	size_t i, n;

	if (isnan(r->table->unattributed_pct))
		return 0;
	sums = of(r->table, r->facilities, &n);
	if (!sums)
		return -ENOMEM;
	if (n)
		fprintf(out, "#\n# %s\n", title);
	for (i = 0; i < n; i++) {
		fprintf(out, "%6.2f%% => %5.1f ns", sums[i].self_pct, sums[i].self_ns);
		print_interval(out, sums[i].ci95_ns);
		fprintf(out, "  %s\n", name(r->facilities, sums[i].facility));
	}
	free(sums);
	return 0;
}

int cost_render_text(const struct cost_render *given, FILE *out)
{
	struct cost_render by_children = *given;
	const struct cost_render *r = given;
	int err = 0;

	/* A table with children shares alone can be ordered only by these. */
	if (isnan(given->table->unattributed_pct)) {
		by_children.children = true;
		r = &by_children;
	}
	print_head(r, out);
	if (r->symbols)
		err = print_rows(r, out);
	if (!err)
		err = print_groups(r, "by facility", cost_table_facilities, facilities_name, out);
	if (!err)
		err = print_groups(r, "across facilities: part of the costs above", cost_table_tags,
				   facilities_tag_name, out);
	fputs("#\n", out);
	print_tail(r, out);
	if (!err && ferror(out))
		err = -EIO;
	return err;
}

static json_t *row_tags_json(const struct cost_render *r, const struct cost_row *row)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < facilities_tag_count(r->facilities); i++)
		if (row->tags >> i & 1)
			json_array_append_new(list, json_string(facilities_tag_name(r->facilities, i)));
	return list;
}

static json_t *row_json(const struct cost_render *r, const struct cost_row *row)
{
	bool self = row->self_pct >= 0, children = row->children_pct >= 0;

	return json_pack("{s:o, s:s, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text_string(row->name),
			 "space", profile_space_name(row->space), "dso", json_text_string(row->dso), "facility",
			 facilities_name(r->facilities, row->facility), "samples", (json_int_t)row->samples, "self_pct",
			 json_text_number(row->self_pct, self), "self_ns", json_text_number(row->self_ns, self),
			 "children_pct", json_text_number(row->children_pct, children), "children_ns",
			 json_text_number(row->children_ns, children), "ci95_ns", json_text_interval(row->ci95_ns),
			 "tags", row_tags_json(r, row));
}

static json_t *groups_json(const struct cost_render *r, groups_of *of, name_of *name)
{
	json_t *list = json_array();
	struct cost_facility *sums;
	size_t i, n = 0;

	sums = of(r->table, r->facilities, &n);
	for (i = 0; sums && i < n; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:f, s:f, s:o}", "name", name(r->facilities, sums[i].facility),
						"self_pct", sums[i].self_pct, "self_ns", sums[i].self_ns, "ci95_ns",
						json_text_interval(sums[i].ci95_ns)));
	free(sums);
	return list;
}

json_t *cost_render_json(const struct cost_render *r)
{
	const struct cost_table *t = r->table;
	double all = t->busy_weight + t->idle_weight + t->taken_out_weight;
	json_t *symbols = json_array();
	size_t i;

	for (i = 0; i < t->nrows; i++)
		json_array_append_new(symbols, row_json(r, &t->rows[i]));
	return json_pack("{s:s, s:f, s:I, s:o, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", PROFILE_SCHEMA,
			 "base_ns", t->base_ns, "samples", (json_int_t)t->samples, "event",
			 json_text_string(r->profile->event), "busy_pct", 100 * t->busy_weight / all, "idle_pct",
			 100 * t->idle_weight / all, "taken_out_pct", 100 * t->taken_out_weight / all,
			 "unattributed_pct", json_text_number(t->unattributed_pct, true), "unattributed_ns",
			 json_text_number(t->unattributed_ns, true), "absent_at_most_ns",
			 json_text_number(t->absent_ns, true), "facilities",
			 groups_json(r, cost_table_facilities, facilities_name), "tags",
			 groups_json(r, cost_table_tags, facilities_tag_name), "symbols", symbols);
}

int cost_render_csv(const struct cost_render *r, FILE *out)
{
	const struct cost_row *row;
	size_t i;

	fputs("symbol,space,dso,facility,samples,self_pct,self_ns,self_ns_low,self_ns_high,"
	      "children_pct,children_ns\n",
	      out);
	for (i = 0; i < r->table->nrows; i++) {
		row = &r->table->rows[i];
		csv_text(out, row->name);
		fprintf(out, ",%s,", profile_space_name(row->space));
		csv_text(out, row->dso);
		fputc(',', out);
		csv_text(out, facilities_name(r->facilities, row->facility));
		fprintf(out, ",%llu", (unsigned long long)row->samples);
		csv_number(out, row->self_pct, row->self_pct >= 0);
		csv_number(out, row->self_ns, row->self_pct >= 0);
		csv_number(out, row->ci95_ns[0], true);
		csv_number(out, row->ci95_ns[1], true);
		csv_number(out, row->children_pct, row->children_pct >= 0);
		csv_number(out, row->children_ns, row->children_pct >= 0);
		fputc('\n', out);
	}
	fputs("[unattributed],,,,", out);
	csv_number(out, r->table->unattributed_pct, true);
	csv_number(out, r->table->unattributed_ns, true);
	fputs(",,,,\n", out);
	return ferror(out) ? -EIO : 0;
}

static void folded_stacks(const struct cost_render *r, FILE *out, double *carry)
{
	const struct profile *p = r->profile;
	const struct profile_stack *s;
	unsigned int i;
	long long ps;
	size_t n;

	for (n = 0; n < p->nstacks; n++) {
		s = &p->stacks[n];
		if (facilities_kind(r->facilities, facilities_of_stack(r->facilities, p, s)) != FACILITY_COST)
			continue;
		ps = folded_thousandths(s->weight / r->table->busy_weight * r->table->base_ns, carry);
		if (ps <= 0)
			continue;
		for (i = s->depth; i--;) {
			folded_name(out, p->symbols[p->frames[s->first + i]].name);
			fputc(i ? ';' : ' ', out);
		}
		fprintf(out, "%lld\n", ps);
	}
}

int cost_render_folded(const struct cost_render *r, FILE *out)
{
	const struct cost_table *t = r->table;
	double carry = 0;
	long long ps;
	size_t i;

	if (r->profile->nstacks)
		folded_stacks(r, out, &carry);
	for (i = 0; !r->profile->nstacks && i < t->nrows; i++) {
		ps = t->rows[i].self_pct > 0 ? folded_thousandths(t->rows[i].self_ns, &carry) : 0;
		if (ps <= 0)
			continue;
		folded_name(out, t->rows[i].name);
		fprintf(out, " %lld\n", ps);
	}
	ps = isnan(t->unattributed_ns) ? 0 : folded_thousandths(t->unattributed_ns, &carry);
	if (ps > 0)
		fprintf(out, "[unattributed] %lld\n", ps);
	return ferror(out) ? -EIO : 0;
}
