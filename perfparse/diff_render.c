// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/sheet/csv.h"
#include "perfparse/diff_render.h"
#include "base/json_text.h"
#include "base/printable.h"

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

static void print_row(const struct diff_render *r, const struct diff_row *row, int width, FILE *out)
{
	print_side(row->base_ns, row->absent_ns, out);
	print_side(row->new_ns, row->absent_ns, out);
	fprintf(out, "%+9.2f", row->delta_ns);
	if (isnan(row->half_ns))
		fputs("         ", out);
	else
		fprintf(out, "  ±%5.2f ", row->half_ns);
	fprintf(out, "  %-8s %-*s", diff_class_name(row->class), width, facilities_name(r->facilities, row->facility));
	if (row->name) {
		fputs("  ", out);
		printable_put(out, row->name);
	}
	fputc('\n', out);
}

/* The column of facilities is as wide as the longest name in it. */
static int facility_width(const struct diff_render *r)
{
	size_t width = strlen("facility"), n, i;

	for (i = 0; i < r->diff->nfacilities; i++) {
		n = strlen(facilities_name(r->facilities, r->diff->facilities[i].facility));
		width = n > width ? n : width;
	}
	return (int)width;
}

int diff_render_text(const struct diff_render *r, FILE *out)
{
	const struct diff *f = r->diff;
	int width = facility_width(r);
	size_t i;

	fprintf(out, "# base: %.2f ns/packet, new: %.2f ns/packet, difference: %+.2f ns/packet\n", f->base_ns,
		f->new_ns, f->delta_ns);
	print_cut_short("base", f->base, out);
	print_cut_short("new", f->new, out);
	fputs("#\n#    base       new     delta   95 %    class    facility\n", out);
	for (i = 0; i < f->nfacilities; i++)
		print_row(r, &f->facilities[i], 0, out);
	if (r->symbols)
		fprintf(out, "#\n#    base       new     delta   95 %%    class    %-*s  symbol\n", width, "facility");
	for (i = 0; r->symbols && i < f->nsymbols; i++)
		print_row(r, &f->symbols[i], width, out);
	fprintf(out, "#\n# closure: sum of differences %+.2f + not attributed %+.2f = %+.2f ns\n", f->sum_delta_ns,
		f->residual_ns, f->delta_ns);
	return ferror(out) ? -EIO : 0;
}

static json_t *row_json(const struct diff_render *r, const struct diff_row *row)
{
	const char *facility = facilities_name(r->facilities, row->facility);
	bool hidden = row->absent_ns > 0, no_base = hidden && row->base_ns == 0, no_new = hidden && row->new_ns == 0;
	double ci[2] = {row->delta_ns - row->half_ns - (no_base ? row->absent_ns : 0),
			row->delta_ns + row->half_ns + (no_new ? row->absent_ns : 0)};
	json_t *o =
		json_pack("{s:s, s:o, s:o, s:f, s:o, s:o, s:s}", row->name ? "facility" : "name", facility, "base_ns",
			  json_text_number(row->base_ns, !no_base), "new_ns", json_text_number(row->new_ns, !no_new),
			  "delta_ns", row->delta_ns, "absent_at_most_ns", json_text_number(row->absent_ns, hidden),
			  "ci95_ns", json_text_interval(ci), "class", diff_class_name(row->class));

	if (o && row->name)
		json_object_set_new(o, "name", json_text_string(row->name));
	return o;
}

static json_t *rows_json(const struct diff_render *r, const struct diff_row *rows, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, row_json(r, &rows[i]));
	return list;
}

json_t *diff_render_json(const struct diff_render *r)
{
	const struct diff *f = r->diff;

	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:{s:f, s:f}}", "schema", PROFILE_DIFF_SCHEMA,
			 "base_ns", f->base_ns, "new_ns", f->new_ns, "delta_ns", f->delta_ns, "base_absent_at_most_ns",
			 f->base->absent_ns, "new_absent_at_most_ns", f->new->absent_ns, "facilities",
			 rows_json(r, f->facilities, f->nfacilities), "symbols", rows_json(r, f->symbols, f->nsymbols),
			 "closure", "sum_delta_ns", f->sum_delta_ns, "residual_ns", f->residual_ns);
}

int diff_render_csv(const struct diff_render *r, FILE *out)
{
	const struct diff *f = r->diff;
	const struct diff_row *row;
	size_t i;

	fputs("symbol,facility,class,base_ns,new_ns,delta_ns,half_ns,absent_at_most_ns\n", out);
	for (i = 0; i < f->nsymbols; i++) {
		row = &f->symbols[i];
		csv_text(out, row->name);
		fputc(',', out);
		csv_text(out, facilities_name(r->facilities, row->facility));
		fprintf(out, ",%s", diff_class_name(row->class));
		csv_number(out, row->base_ns, row->base_ns > 0 || !(row->absent_ns > 0));
		csv_number(out, row->new_ns, row->new_ns > 0 || !(row->absent_ns > 0));
		csv_number(out, row->delta_ns, true);
		csv_number(out, row->half_ns, true);
		csv_number(out, row->absent_ns, row->absent_ns > 0);
		fputc('\n', out);
	}
	fprintf(out, "[unattributed],,,,,%.6g,,\n", f->residual_ns);
	return ferror(out) ? -EIO : 0;
}
