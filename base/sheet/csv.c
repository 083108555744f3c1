// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sheet/sheet.h"

static void csv_text(FILE *out, const char *s)
{
	bool quoted = strpbrk(s, ",;\"\t\r\n"), formula = *s && strchr("=+-@\t\r", *s);

	fprintf(out, "%s%s", quoted ? "\"" : "", formula ? "'" : "");
	while (*s) {
		char c[PRINTABLE_BYTES] = {*s};

		if (strchr("\t\r\n", *s))
			s++;
		else
			printable_next(&s, c);
		fprintf(out, *c == '"' ? "\"%s" : "%s", c);
	}
	if (quoted)
		fputc('"', out);
}

static const char *name_of(const struct csv_sheet *s, const struct column *c)
{
	bool keyed = s->keys && c->flags & IN_JSON && c->kind != CELL_TABLE && c->kind != CELL_OBJECT;

	return c->csv ?: keyed ? c->key : "";
}

void csv_sheet_add(struct csv_sheet *s, const struct rows *r)
{
	for (size_t i = 0; r && i < r->ncolumns; i++) {
		struct csv_field f = {name_of(s, &r->columns[i]), r->columns[i].kind == CELL_RANGE};
		size_t k = 0;

		while (k < s->nfields && (strcmp(s->fields[k].name, f.name) || s->fields[k].range != f.range))
			k++;
		if (*f.name && k == s->nfields && k < CSV_FIELDS)
			s->fields[s->nfields++] = f;
	}
}

void csv_sheet_heads(const struct csv_sheet *s, const char *before)
{
	const char *comma = before ? "," : "";

	fputs(before ? before : "", s->out);
	for (size_t i = 0; i < s->nfields; i++, comma = ",")
		fprintf(s->out, s->fields[i].range ? "%s%s_low,%s_high" : "%s%s", comma, s->fields[i].name,
			s->fields[i].name);
	fputc('\n', s->out);
}

void csv_sheet_row(const struct csv_sheet *s, const char *kind, const struct rows *r, size_t row)
{
	const char *comma = "";

	for (size_t i = 0; s->ids && s->ids[i]; i++, comma = ",") {
		fputs(comma, s->out);
		csv_text(s->out, s->ids[i]);
	}
	if (kind) {
		fputs(comma, s->out);
		csv_text(s->out, kind);
		comma = ",";
	}
	for (size_t i = 0; i < s->nfields; i++, comma = ",") {
		const struct csv_field *f = &s->fields[i];
		const struct cell *cell = NULL;
		const struct column *c;

		fputs(comma, s->out);
		for (size_t k = 0; k < r->ncolumns && !cell; k++) {
			c = &r->columns[k];
			if (!strcmp(name_of(s, c), f->name) && (c->kind == CELL_RANGE) == f->range)
				cell = &r->rows[row].cells[k];
		}
		bool number = cell && !f->range && cell_is_number(c->kind);
		double low = number ? cell->value : cell && f->range ? cell->range[0] : NAN;
		if (isfinite(low))
			fprintf(s->out, "%.*g", s->digits, low);
		else if (cell && !f->range && !number && cell->text)
			csv_text(s->out, cell->text);
		fputs(f->range ? "," : "", s->out);
		if (f->range && cell && isfinite(cell->range[1]))
			fprintf(s->out, "%.*g", s->digits, cell->range[1]);
	}
	fputc('\n', s->out);
}

void csv_sheet_rows(const struct csv_sheet *s, const char *kind, const struct rows *r, bool hidden)
{
	for (size_t i = 0; i < r->nrows; i++)
		if ((hidden || !r->rows[i].hidden) && !r->rows[i].aside)
			csv_sheet_row(s, kind, r, i);
}

/* The fields of every table IN_CSV, or their rows. */
static void put_tables(struct csv_sheet *s, const struct rows *r, bool fields)
{
	for (size_t i = 0; i < r->nrows; i++)
		for (size_t k = 0; k < r->ncolumns; k++) {
			const struct rows *table = r->rows[i].cells[k].rows;

			if (table && !(r->columns[k].flags & IN_CSV))
				put_tables(s, table, fields);
			else if (fields)
				csv_sheet_add(s, table);
			else if (table)
				csv_sheet_rows(s, NULL, table, true);
		}
}

void csv_rows(FILE *out, const struct rows *r, int digits)
{
	struct csv_sheet s = {.out = out, .digits = digits};

	put_tables(&s, r, true);
	csv_sheet_heads(&s, NULL);
	put_tables(&s, r, false);
}

/* ---- OpenMetrics ---- */

void openmetrics_label(FILE *out, const char *name, const char *value)
{
	char c[PRINTABLE_BYTES];

	fprintf(out, "%s=\"", name);
	while (*value) {
		if (*value == '\n') {
			fputs("\\n", out);
			value++;
			continue;
		}
		printable_next(&value, c);
		fprintf(out, strchr("\"\\", *c) ? "\\%s" : "%s", c);
	}
	fputc('"', out);
}

void openmetrics_head(FILE *out, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}
