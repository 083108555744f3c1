// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV: one flat table, so that files of several runs can be put below each other. The rows of a variant called symbol,
 * and the one called unattributed, add up to the one called base. Those of its second stage, per frame that the stage
 * took up, begin with "stage".
 */
#include <math.h>
#include <string.h>
#include "base/sheet/csv.h"
#include "reports/render/render.h"
#include "base/sheet/text.h"
#include "reports/rows/diff_rows.h"
#include "reports/rows/exact_rows.h"
#include "reports/rows/report_rows.h"

#define FIELDS 32

/* First the columns of symbols, then those that only other rows fill. A field is a value or one end of a range. */
struct sheet {
	FILE *out;
	struct field {
		const char *name;
		bool range;
	} fields[FIELDS];
	size_t nfields;
	const char *const *ids; /* what every row begins with: one variant, or two */
};

static void add_fields(struct sheet *s, const struct rows *r)
{
	for (size_t i = 0; r && i < r->ncolumns; i++) {
		struct field f = {r->columns[i].csv, r->columns[i].kind == CELL_RANGE};
		size_t k = 0;

		while (k < s->nfields &&
		       (strcmp(s->fields[k].name, f.name ? f.name : "") || s->fields[k].range != f.range))
			k++;
		if (f.name && k == s->nfields && k < FIELDS)
			s->fields[s->nfields++] = f;
	}
}

static void put_heads(const struct sheet *s, const char *ids)
{
	fprintf(s->out, "%s,row", ids);
	for (size_t i = 0; i < s->nfields; i++)
		fprintf(s->out, s->fields[i].range ? ",%s_low,%s_high" : ",%s", s->fields[i].name, s->fields[i].name);
	fputc('\n', s->out);
}

/* Writes a comma and the number, with ten digits: these are the same on every machine. */
static void put_number(FILE *out, double v)
{
	if (isfinite(v))
		fprintf(out, ",%.10g", v);
	else
		fputc(',', out);
}

static void put_text(FILE *out, const char *s)
{
	fputc(',', out);
	csv_text(out, s);
}

static void put_kind(const struct sheet *s, const char *kind)
{
	csv_text(s->out, s->ids[0]);
	if (s->ids[1])
		put_text(s->out, s->ids[1]);
	put_text(s->out, kind);
}

static void put_field(const struct sheet *s, const struct field *f, const struct rows *r, size_t row)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct column *c = &r->columns[i];
		const struct cell *cell = &r->rows[row].cells[i];

		if (!c->csv || strcmp(c->csv, f->name) || (c->kind == CELL_RANGE) != f->range)
			continue;
		if (f->range) {
			put_number(s->out, cell->range[0]);
			put_number(s->out, cell->range[1]);
		} else if (cell_is_number(c->kind)) {
			put_number(s->out, cell->value);
		} else {
			put_text(s->out, cell->text);
		}
		return;
	}
	fputs(f->range ? ",," : ",", s->out);
}

static void put_row(const struct sheet *s, const char *kind, const struct rows *r, size_t row)
{
	put_kind(s, kind);
	for (size_t i = 0; i < s->nfields; i++)
		put_field(s, &s->fields[i], r, row);
	fputc('\n', s->out);
}

static void put_rows(const struct sheet *s, const char *kind, const struct rows *r, bool hidden)
{
	for (size_t i = 0; i < r->nrows; i++)
		if ((hidden || !r->rows[i].hidden) && !r->rows[i].aside)
			put_row(s, kind, r, i);
}

/* Writes a row of which only some numbers are known; the list of their names ends with NULL. */
static void put_numbers(const struct sheet *s, const char *kind, const char *const *names, const double *values)
{
	put_kind(s, kind);
	for (size_t i = 0; i < s->nfields; i++) {
		size_t k = 0;

		while (names[k] && (s->fields[i].range || strcmp(s->fields[i].name, names[k])))
			k++;
		put_number(s->out, names[k] ? values[k] : NAN);
		fputs(s->fields[i].range ? "," : "", s->out);
	}
	fputc('\n', s->out);
}

/* unattributed: of each of these names. */
static void put_stage(const struct sheet *s, const struct rows *stage, const char *const *names, const double *rest)
{
	if (!stage || !stage->nrows)
		return;
	put_row(s, "stage", stage, 0);
	if (!rows_in(stage, 0, "symbols"))
		return;
	put_rows(s, "stage facility", rows_in(stage, 0, "facilities"), false);
	put_rows(s, "stage symbol", rows_in(stage, 0, "symbols"), true);
	put_numbers(s, "stage unattributed", names, rest);
}

int render_report_csv(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		      const struct render_options *o)
{
	static const char *const names[] = {"self_ns", NULL};
	struct sheet s = {.out = out};
	struct rows r, symbols;
	int err = report_rows(&r, a, only);

	(void)o;
	report_symbol_columns(&symbols);
	add_fields(&s, &symbols);
	add_fields(&s, &r);
	put_heads(&s, "variant");
	for (size_t i = 0; i < r.nrows && !err; i++) {
		s.ids = (const char *const[]){rows_cell(&r, i, "id")->text, NULL};
		put_row(&s, "base", &r, i);
		put_rows(&s, "facility", rows_in(&r, i, "facilities"), false);
		put_rows(&s, "symbol", rows_in(&r, i, "symbols"), true);
		put_numbers(&s, "unattributed", names, &rows_cell(&r, i, "unattributed_ns")->value);
		put_stage(&s, rows_in(&r, i, "second_stage"), names, &rows_cell(&r, i, "stage_rest_ns")->value);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_diff_csv(FILE *out, const struct compare *c, const struct render_options *o)
{
	static const char *const names[] = {"base_ns", "new_ns", "delta_ns", NULL};
	struct sheet s = {.out = out, .ids = (const char *const[]){c->base->variant->id, c->new->variant->id}};
	struct rows r;
	int err = diff_rows(&r, c, "base", "new");

	(void)o;
	if (!err) {
		add_fields(&s, rows_in(&r, 0, "symbols"));
		add_fields(&s, &r);
		put_heads(&s, "base,new");
		put_row(&s, "base", &r, 0);
		put_rows(&s, "facility", rows_in(&r, 0, "facilities"), true);
		put_rows(&s, "symbol", rows_in(&r, 0, "symbols"), true);
		put_numbers(&s, "unattributed", names,
			    (double[]){c->base_unattributed_ns, c->new_unattributed_ns, c->unattributed_delta_ns});
		if (c->stage)
			put_stage(&s, rows_in(&r, 0, "second_stage"), names,
				  (double[]){c->stage->base_unattributed_ns, c->stage->new_unattributed_ns,
					     c->stage->unattributed_delta_ns});
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_exact_csv(FILE *out, const struct exact *e, const struct exact_variant *only, const struct render_options *o)
{
	struct sheet s = {.out = out};
	struct rows r;
	int err = exact_rows(&r, e, only);

	(void)o;
	add_fields(&s, rows_in(&r, 0, "symbols"));
	add_fields(&s, &r);
	put_heads(&s, "variant");
	for (size_t i = 0; i < r.nrows && !err; i++) {
		s.ids = (const char *const[]){rows_cell(&r, i, "variant")->text, NULL};
		put_row(&s, "total", &r, i);
		put_rows(&s, "facility", rows_in(&r, i, "facilities"), true);
		put_rows(&s, "symbol", rows_in(&r, i, "symbols"), true);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_exact_diff_csv(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct sheet s = {.out = out, .ids = (const char *const[]){d->base->id, d->new->id}};
	struct rows r;
	int err = exact_diff_rows(&r, d);

	(void)o;
	if (!err) {
		add_fields(&s, rows_in(&r, 0, "symbols"));
		put_heads(&s, "base,new");
		put_row(&s, "total", &r, 0);
		put_rows(&s, "facility", rows_in(&r, 0, "facilities"), true);
		put_rows(&s, "symbol", rows_in(&r, 0, "symbols"), true);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}
