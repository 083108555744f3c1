// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page: rows laid out as HTML. */
#include "reports/page/page.h"

#define SHOWN (IN_TABLE | IN_WIDE)

/* What all rows of a column decide: read once for a table, not once for each cell. */
struct shape {
	bool half; /* a row has an interval */
	bool shown, wide, head, number;
};

static bool has_class(const struct row *row, const char *class)
{
	return row->class && strstr(row->class, class);
}

/* Whole costs among changes have no sign. A total that is not known is none: its cell is empty. */
static void number_cells(FILE *out, const struct column *column, const struct row *row, const struct cell *cell,
			 const struct shape *shape, const char *to)
{
	struct column plain = *column;
	char value[64], half[64];

	if (has_class(row, "whole"))
		plain.flags &= ~(unsigned int)WITH_SIGN;
	markup(out, shape->wide ? "<td class=\"r wide\"" : "<td class=\"r\"");
	if (!isnan(cell->value))
		markup(out, " data-v=\"%.10g\"", cell->value);
	if (isnan(cell->value) && isnan(cell->at_most) && has_class(row, "total"))
		value[0] = '\0';
	else
		cell_value(&plain, cell, value, sizeof(value));
	markup(out, to ? "><a href=\"#%s\">%s</a></td>" : ">%s%s</td>", to ? to : "", value);
	if (!shape->half)
		return;
	if (*cell_half(cell, half, sizeof(half)))
		markup(out, "<td class=\"pm\" data-v=\"%.10g\">%s</td>", cell->half, half);
	else
		markup(out, "<td class=\"pm\"></td>");
}

static void table_row(FILE *out, const struct rows *r, const struct row *row, const struct shape *shapes,
		      const struct html_table *how, const char *to)
{
	bool total = has_class(row, "total");
	char buf[32];

	markup(out, "<tr");
	if (row->class)
		markup(out, " class=\"%s\" data-kind=\"%s\"", row->class, row->class);
	markup(out, ">");
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *column = &r->columns[i];
		const struct cell *cell = &row->cells[i];
		const char *leads = to && !strcmp(column->key, how->link) ? to : NULL, *text = buf;

		if (shapes[i].number && shapes[i].shown)
			number_cells(out, column, row, cell, &shapes[i], leads);
		if (shapes[i].number || !shapes[i].shown)
			continue;
		/* The head of a row may be a number, such as that of a CPU. */
		if (how->sides && !strcmp(column->key, "side"))
			text = how->sides[has_class(row, "new")];
		else if (!cell_is_number(column->kind))
			text = cell->text ? cell->text : "";
		else if (column->decimals)
			cell_value(column, cell, buf, sizeof(buf));
		else
			snprintf(buf, sizeof(buf), isnan(cell->value) ? "-" : "%.10g", cell->value);
		if (column->kind == CELL_MARK) { /* a class of one word is the kind of a change */
			if (!*text && row->class && !row->aside && !strchr(row->class, ' '))
				text = row->class;
			if (*text && !total)
				markup(out, "<td><span class=\"tag %s\">%s</span></td>",
				       row->class ? row->class : "same", text);
			else
				markup(out, "<td></td>");
			continue;
		}
		bool name = column->kind == CELL_NAME && !total;
		markup(out, shapes[i].head ? "<th scope=\"row\"" : "<td");
		if (name || shapes[i].wide)
			markup(out, " class=\"%s\"", !name ? "wide" : shapes[i].wide ? "sym wide" : "sym");
		markup(out, ">");
		if (column->kind == CELL_COMPONENT && !row->aside && !total)
			markup(out, "<span class=\"sw %s\"></span>", palette_of_component(text)->class);
		markup(out, leads ? "<a href=\"#%s\">%s</a>" : "%s%s", leads ? leads : "", text);
		markup(out, shapes[i].head ? "</th>" : "</td>");
	}
	markup(out, "</tr>\n");
}

/* Text sums up or counts the rows that it leaves out. A page has room for all of them. */
void html_table(FILE *out, const struct rows *r, const struct html_table *how)
{
	struct shape shapes[r ? r->ncolumns : 1];
	bool all = false;

	if (!rows_any(r))
		return;
	/* The head of a row is in the first column that is no mark. */
	bool begun = false;
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *c = &r->columns[i];
		bool shown = rows_shows(r, i, SHOWN), head = shown && c->kind != CELL_MARK && !begun;

		begun |= head;
		shapes[i] = (struct shape){.shown = shown,
					   .wide = c->flags & IN_WIDE || (c->kind == CELL_COMPONENT && !head),
					   .head = head,
					   .number = cell_is_number(c->kind) && !head};
	}
	for (size_t i = 0; i < r->nrows; i++)
		for (size_t k = 0; k < r->ncolumns && !r->rows[i].hidden; k++)
			shapes[k].half |= !isnan(r->rows[i].cells[k].half);
	for (size_t i = 0; i < r->ncolumns; i++)
		all |= (r->columns[i].flags & (WITH_SUM | WITH_REST)) != 0;
	markup(out, "<div class=\"scroll\"><table class=\"%s%s\"", all ? "sortable " : "", how->class);
	if (how->chart)
		markup(out, " data-chart=\"%s\"", how->chart);
	markup(out, "><thead><tr>");
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *c = &r->columns[i];
		const char *const *names = how->names;
		bool base = names && !strncmp(c->key, "base_", 5), new = names && !strncmp(c->key, "new_", 4);
		const struct shape *s = &shapes[i];

		if (!s->shown)
			continue;
		markup(out, "<th data-key=\"%s\"", c->key);
		if (s->number || s->wide)
			markup(out, " class=\"%s%s%s\"", !s->number ? "wide" : "r", s->number && s->wide ? " wide" : "",
			       base  ? " key-base"
			       : new ? " key-new"
				     : "");
		if (c->flags & WITH_BAR) /* the script draws it: a cost from the left, a change to both sides */
			markup(out, " data-bar=\"%s\"", c->flags & WITH_SIGN ? "change" : "cost");
		markup(out, " scope=\"col\">%s</th>",
		       c->kind == CELL_MARK ? "kind"
		       : base               ? names[0]
		       : new                ? names[1]
					    : c->head);
		if (s->number && s->half)
			markup(out,
			       c->flags & WITH_BOUND ? "<th scope=\"col\">±</th>" : "<th scope=\"col\">± 95 %%</th>");
	}
	markup(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < r->nrows; i++)
		if (all || !r->rows[i].hidden)
			table_row(out, r, &r->rows[i], shapes, how, how->link ? rows_cell(r, i, "to")->text : NULL);
	markup(out, "</tbody>");
	if (how->foot)
		markup(out, "<tfoot>\n");
	for (size_t i = 0; how->foot && i < how->foot->nrows; i++)
		table_row(out, r, &how->foot->rows[i], shapes, how, NULL);
	markup(out, how->foot ? "</tfoot></table></div>\n" : "</table></div>\n");
}

/* What the changes of all symbols add up to stands below them. */
int html_changes_table(FILE *out, const struct rows *diff, const char *const *names)
{
	const struct rows *symbols = rows_in(diff, 0, "symbols"), *closure = rows_in(diff, 0, "closure");
	const struct {
		const char *class, *name;
		const struct cell *cell;
	} sums[] = {{"total rest", "unattributed", rows_cell(closure, 0, "unattributed_delta_ns")},
		    {"total sum", "sum of all changes", rows_cell(closure, 0, "sum_delta_ns")},
		    {"total measured", "difference measured", rows_cell(diff, 0, "delta_ns")}};
	struct rows foot;
	int err;

	rows_init(&foot, symbols->columns, symbols->ncolumns);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		rows_add(&foot);
		rows_last(&foot)->class = sums[i].class;
		rows_text(&foot, "name", sums[i].name);
		rows_number(&foot, "delta_ns", sums[i].cell->value, sums[i].cell->decimals);
	}
	html_table(out, symbols, &(struct html_table){.class = "changes", .names = names, .foot = &foot});
	err = rows_error(&foot);
	rows_release(&foot);
	return err;
}

/* ---- one variant, or one comparison ------------------------------------------------------------------ */

void html_facts(FILE *out, const struct rows *r, size_t row, unsigned int in)
{
	char fact[1024];
	size_t n = 0;

	for (size_t i = 0; i < r->ncolumns; i++) {
		if (!rows_is_fact(r, row, i, in))
			continue;
		cell_fact(&r->columns[i], &r->rows[row].cells[i], fact, sizeof(fact));
		fputs(n++ == 0 ? "<dl class=\"facts\">\n" : "", out);
		markup(out, "<dt>%s</dt><dd>%s</dd>\n", r->columns[i].head, fact);
	}
	fputs(n ? "</dl>\n" : "", out);
}

void html_tables(FILE *out, const struct rows *r, size_t row, const char *const *keys, const char *const *names)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct rows *table = rows_table_of(r, row, i);
		const char *key = r->columns[i].key, *note;
		bool wanted = !keys;

		for (size_t k = 0; keys && keys[k]; k++)
			wanted |= !strcmp(keys[k], key);
		if (!rows_any(table) || !wanted)
			continue;
		markup(out, "<h3>%s</h3>\n", r->columns[i].head);
		note = table->note ?: r->columns[i].note;
		if (note)
			markup(out, "<p class=\"how\">%s</p>\n", note);
		if (!strcmp(key, "components"))
			key = "steps";
		else if (names && !strcmp(key, "symbols"))
			key = "changes";
		html_table(out, table, &(struct html_table){.class = key, .names = names});
	}
}
