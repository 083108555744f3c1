// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page: rows laid out as HTML, and the overview, which is not made of rows. */
#include <math.h>
#include <string.h>
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"
#include "reports/page/palette.h"
#include "reports/document/sentence.h"
#include "base/sheet/digits.h"

const char *html_side_class(enum html_side side)
{
	return side == HTML_NEW ? "new" : "base";
}

void html_short_sides(const struct compare *c, const char **base, const char **new)
{
	sentence_sides(c, base, new);
	if (strchr(*base, '@')) {
		*base = "base";
		*new = "new";
	}
}

void html_short_exact_sides(const struct exact_diff *d, const char **base, const char **new)
{
	sentence_exact_sides(d, base, new);
	if (strchr(*base, '@')) {
		*base = "base";
		*new = "new";
	}
}

/* ---- overview ---------------------------------------------------------------------------------------- */

static void number_cell(FILE *out, double value, double half, bool sign)
{
	int decimals = digits_of_interval(half);

	if (isnan(value))
		markup(out, "<td class=\"r\">-</td>");
	else
		markup(out,
		       sign ? "<td class=\"r\" data-v=\"%.10g\">%+.*f</td>"
			    : "<td class=\"r\" data-v=\"%.10g\">%.*f</td>",
		       value, decimals, value);
	if (isnan(half))
		markup(out, "<td class=\"pm\"></td>");
	else
		markup(out, "<td class=\"pm\" data-v=\"%.10g\">%.*f</td>", half, decimals, half);
}

static void overview_side(FILE *out, const struct analysis_variant *v)
{
	if (!v || !v->nused) {
		markup(out, "<td class=\"r wide\">-</td><td class=\"r\">-</td><td class=\"pm\"></td>");
		return;
	}
	markup(out, "<td class=\"r wide\">%.3f</td>", v->pps / 1e6);
	number_cell(out, v->base_ns, v->half_ns, false);
}

static void overview_row(FILE *out, const struct overview_row *row, size_t number)
{
	markup(out, "<tr><th scope=\"row\">");
	if (row->have_difference)
		markup(out, "<a href=\"#pair-%zu\">%s</a></th>", number, row->name);
	else
		markup(out, "%s</th>", row->name);
	overview_side(out, row->native);
	overview_side(out, row->skb);
	if (row->have_difference) {
		number_cell(out, row->difference.delta_ns, row->difference.half_ns, true);
	} else {
		markup(out, "<td class=\"r\">-</td><td></td>");
	}
	markup(out, "</tr>\n");
}

void html_overview_table(FILE *out, const struct overview *v)
{
	markup(out, "<div class=\"scroll\"><table class=\"overview\"><thead><tr><th></th>"
		    "<th class=\"r wide\" scope=\"col\">Mpps</th><th class=\"r key-base\" scope=\"col\">native, ns</th>"
		    "<th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r wide\" scope=\"col\">Mpps</th><th class=\"r key-new\" scope=\"col\">generic, ns</th>"
		    "<th scope=\"col\">± 95 %%</th>"
		    "<th class=\"r\" scope=\"col\">difference, ns</th>"
		    "<th scope=\"col\">± 95 %%</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < v->nrows; i++)
		overview_row(out, &v->rows[i], i);
	markup(out, "</tbody></table></div>\n");
}

/* ---- rows -------------------------------------------------------------------------------------------- */

#define SHOWN (IN_TABLE | IN_WIDE)

/* Returns the column that holds the name of a row. */
static size_t head_column(const struct rows *r)
{
	size_t i = 0;

	while (i < r->ncolumns && (!rows_shows(r, i, SHOWN) || r->columns[i].kind == CELL_MARK))
		i++;
	return i;
}

static bool is_wide(const struct rows *r, size_t column)
{
	const struct column *c = &r->columns[column];

	return c->flags & IN_WIDE || (c->kind == CELL_FACILITY && column != head_column(r));
}

/* What all rows of a column decide: read once for a table, not once for each cell. */
struct shape {
	double longest; /* the value of the longest bar; 0: the column has no bars */
	bool half;      /* a row has an interval */
	bool shown, wide, head;
};

static void find_shapes(struct shape *shapes, const struct rows *r)
{
	for (size_t column = 0; column < r->ncolumns; column++) {
		struct shape *s = &shapes[column];

		*s = (struct shape){.half = rows_has_half(r, column),
				    .shown = rows_shows(r, column, SHOWN),
				    .wide = is_wide(r, column),
				    .head = column == head_column(r)};
		for (size_t i = 0; r->columns[column].flags & WITH_BAR && i < r->nrows; i++)
			s->longest = fmax(s->longest, fabs(r->rows[i].cells[column].value));
	}
}

/* The bar of a cost begins at the left, before the number. That of a change has two sides and stands behind it. */
static bool has_bar(const struct rows *r, size_t column, bool sign)
{
	return r->columns[column].flags & WITH_BAR && sign == !!(r->columns[column].flags & WITH_SIGN);
}

/* What is unattributed can be less than nothing: its number says so, and its bar is empty. */
static void cost_bar(FILE *out, const struct rows *r, const struct row *row, double value, double longest)
{
	size_t facility = 0;

	while (facility < r->ncolumns - 1 && r->columns[facility].kind != CELL_FACILITY)
		facility++;
	markup(out,
	       "<td class=\"bar\"><svg aria-hidden=\"true\"><g class=\"seg %s\"><rect y=\"5\" width=\"%.2f%%\" "
	       "height=\"15\"/></g></svg></td>",
	       palette_of_facility(row->cells[facility].text ? row->cells[facility].text : "")->class,
	       longest > 0 ? 100 * fmax(0, value) / longest : 0);
}

static void change_bar(FILE *out, double value, double longest)
{
	double part = longest > 0 ? 50 * fabs(value) / longest : 0;

	markup(out,
	       "<td class=\"wide\"><svg class=\"mini\" aria-hidden=\"true\"><rect class=\"%s\" x=\"%.2f%%\" y=\"3\" "
	       "width=\"%.2f%%\" height=\"11\"/><line x1=\"50%%\" x2=\"50%%\" y1=\"0\" y2=\"17\"/></svg></td>",
	       value < 0 ? "less" : "more", value < 0 ? 50 - part : 50, part);
}

static void number_cells(FILE *out, const struct rows *r, size_t column, const struct cell *cell,
			 const struct shape *shape)
{
	char value[64], half[64];

	markup(out, shape->wide ? "<td class=\"r wide\"" : "<td class=\"r\"");
	if (!isnan(cell->value))
		markup(out, " data-v=\"%.10g\"", cell->value);
	markup(out, ">%s</td>", cell_value(&r->columns[column], cell, value, sizeof(value)));
	if (!shape->half)
		return;
	if (*cell_half(cell, half, sizeof(half)))
		markup(out, "<td class=\"pm\" data-v=\"%.10g\">%s</td>", cell->half, half);
	else
		markup(out, "<td class=\"pm\"></td>");
}

static void text_cell(FILE *out, const struct rows *r, size_t column, const struct row *row, const struct shape *shape)
{
	enum cell_kind kind = r->columns[column].kind;
	const char *text = row->cells[column].text ? row->cells[column].text : "";
	bool head = shape->head;

	if (kind == CELL_MARK) {
		markup(out, "<td><span class=\"tag %s\">%s</span></td>", row->class ? row->class : "same",
		       *text || !row->class ? text : row->class);
		return;
	}
	markup(out, head ? "<th scope=\"row\"" : "<td");
	if (kind == CELL_NAME || shape->wide)
		markup(out, " class=\"%s\"", kind != CELL_NAME ? "wide" : shape->wide ? "sym wide" : "sym");
	markup(out, ">");
	if (kind == CELL_FACILITY)
		markup(out, "<span class=\"sw %s\"></span>", palette_of_facility(text)->class);
	markup(out, head ? "%s</th>" : "%s</td>", text);
}

static void table_row(FILE *out, const struct rows *r, const struct row *row, const struct shape *shapes)
{
	markup(out, "<tr");
	if (row->class)
		markup(out, " class=\"%s\" data-kind=\"%s\"", row->class, row->class);
	markup(out, ">");
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct cell *cell = &row->cells[i];

		if (!shapes[i].shown)
			continue;
		if (has_bar(r, i, false))
			cost_bar(out, r, row, cell->value, shapes[i].longest);
		if (cell_is_number(r->columns[i].kind) && shapes[i].head)
			markup(out, "<th scope=\"row\">%.0f</th>", cell->value);
		else if (cell_is_number(r->columns[i].kind))
			number_cells(out, r, i, cell, &shapes[i]);
		else
			text_cell(out, r, i, row, &shapes[i]);
		if (has_bar(r, i, true))
			change_bar(out, cell->value, shapes[i].longest);
	}
	markup(out, "</tr>\n");
}

static void table_heads(FILE *out, const struct rows *r, const struct html_names *names)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *c = &r->columns[i];
		const char *head = c->kind == CELL_MARK                    ? "kind"
				   : names && !strncmp(c->key, "base_", 5) ? names->base
				   : names && !strncmp(c->key, "new_", 4)  ? names->new
									   : c->head;
		bool number = cell_is_number(c->kind) && i != head_column(r);

		if (!rows_shows(r, i, SHOWN))
			continue;
		markup(out, has_bar(r, i, false) ? "<th></th><th" : "<th");
		if (number || is_wide(r, i))
			markup(out, " class=\"%s\"", !number ? "wide" : is_wide(r, i) ? "r wide" : "r");
		markup(out, " scope=\"col\">%s</th>", head);
		if (number && rows_has_half(r, i))
			markup(out,
			       c->flags & WITH_BOUND ? "<th scope=\"col\">±</th>" : "<th scope=\"col\">± 95 %%</th>");
		if (has_bar(r, i, true))
			markup(out, "<th class=\"wide\"></th>");
	}
}

/* Text sums up or counts the rows that it leaves out. A page has room for all of them. */
static void table_begin(FILE *out, const struct rows *r, const char *class, const struct html_names *names)
{
	struct shape shapes[r->ncolumns];
	bool all = false;

	find_shapes(shapes, r);
	for (size_t i = 0; i < r->ncolumns; i++)
		all |= (r->columns[i].flags & (WITH_SUM | WITH_REST)) != 0;
	markup(out, "<div class=\"scroll\"><table class=\"%s%s\"><thead><tr>", all ? "sortable " : "", class);
	table_heads(out, r, names);
	markup(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < r->nrows; i++)
		if (all || !r->rows[i].hidden)
			table_row(out, r, &r->rows[i], shapes);
	markup(out, "</tbody>");
}

void html_table(FILE *out, const struct rows *r, const char *class, const struct html_names *names)
{
	if (!rows_any(r))
		return;
	table_begin(out, r, class, names);
	markup(out, "</table></div>\n");
}

/* ---- what the changes of all symbols add up to ------------------------------------------------------- */

/* Writes a row with one number below a table. */
static void foot_row(FILE *out, const struct rows *r, const char *class, const char *name, const struct cell *cell)
{
	static const struct column delta = {.kind = CELL_NUMBER, .flags = WITH_SIGN};
	char value[64];

	markup(out, "<tr class=\"%s\">", class);
	for (size_t i = 0; i < r->ncolumns; i++) {
		if (!rows_shows(r, i, SHOWN))
			continue;
		if (i == head_column(r))
			markup(out, "<th scope=\"row\">%s</th>", name);
		else if (!strcmp(r->columns[i].key, "delta_ns"))
			markup(out, "<td class=\"r\" data-v=\"%.10g\">%s</td>", cell->value,
			       cell_value(&delta, cell, value, sizeof(value)));
		else
			markup(out, is_wide(r, i) ? "<td class=\"wide\"></td>" : "<td></td>");
		if (cell_is_number(r->columns[i].kind) && rows_has_half(r, i))
			markup(out, "<td></td>");
		if (has_bar(r, i, true))
			markup(out, "<td class=\"wide\"></td>");
	}
	markup(out, "</tr>\n");
}

void html_changes_table(FILE *out, const struct rows *diff, const struct html_names *names)
{
	const struct rows *symbols = rows_in(diff, 0, "symbols"), *closure = rows_in(diff, 0, "closure");

	table_begin(out, symbols, "changes", names);
	markup(out, "<tfoot>\n");
	foot_row(out, symbols, "", "unattributed", rows_cell(closure, 0, "unattributed_delta_ns"));
	foot_row(out, symbols, "total sum", "sum of all changes", rows_cell(closure, 0, "sum_delta_ns"));
	foot_row(out, symbols, "total measured", "difference measured", rows_cell(diff, 0, "delta_ns"));
	markup(out, "</tfoot></table></div>\n");
}

/* ---- one variant, or one comparison ------------------------------------------------------------------ */

void html_facts(FILE *out, const struct rows *r, size_t row)
{
	char fact[1024];
	size_t n = 0;

	for (size_t i = 0; i < r->ncolumns; i++) {
		if (!rows_is_fact(r, row, i, IN_FACTS))
			continue;
		cell_fact(&r->columns[i], &r->rows[row].cells[i], fact, sizeof(fact));
		fputs(n++ == 0 ? "<dl class=\"facts\">\n" : "", out);
		markup(out, "<dt>%s</dt><dd>%s</dd>\n", r->columns[i].head, fact);
	}
	fputs(n ? "</dl>\n" : "", out);
}

void html_tables(FILE *out, const struct rows *r, size_t row, const char *const *keys, const struct html_names *names)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct rows *table = rows_table_of(r, row, i);
		const char *key = r->columns[i].key, *note;
		bool wanted = !keys;

		for (size_t k = 0; keys && keys[k]; k++)
			wanted |= !strcmp(keys[k], key);
		if (!table || !wanted)
			continue;
		markup(out, "<h3>%s</h3>\n", r->columns[i].head);
		note = rows_note_of(&r->columns[i], table);
		if (note)
			markup(out, "<p class=\"how\">%s</p>\n", note);
		html_table(out, table, !strcmp(key, "facilities") ? "steps" : key, names);
	}
}
