// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV: one flat table, so that files of several runs can be put below each other. The rows of a variant called symbol,
 * and the one called unattributed, add up to the one called base. Those of its second stage, per frame that the stage
 * took up, begin with "stage".
 */
#include "base/sheet/csv.h"
#include "base/sheet/text.h"
#include "reports/render/render.h"
#include "reports/rows/diff_rows.h"
#include "reports/rows/exact_rows.h"
#include "reports/rows/report_rows.h"

/* Ten digits are the same on every machine. */
#define DIGITS 10

/* unattributed: of each of these names. */
static void put_stage(const struct csv_sheet *s, const struct rows *stage, const char *const *names, const double *rest)
{
	if (!stage || !stage->nrows)
		return;
	csv_sheet_row(s, "stage", stage, 0);
	if (!rows_in(stage, 0, "symbols"))
		return;
	csv_sheet_rows(s, "stage facility", rows_in(stage, 0, "facilities"), false);
	csv_sheet_rows(s, "stage symbol", rows_in(stage, 0, "symbols"), true);
	csv_sheet_numbers(s, "stage unattributed", names, rest);
}

int render_report_csv(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		      const struct render_options *o)
{
	static const char *const names[] = {"self_ns", NULL};
	struct csv_sheet s = {.out = out, .digits = DIGITS};
	struct rows r, symbols;
	int err = report_rows(&r, a, only);

	(void)o;
	report_symbol_columns(&symbols);
	csv_sheet_add(&s, &symbols);
	csv_sheet_add(&s, &r);
	csv_sheet_heads(&s, "variant,row");
	for (size_t i = 0; i < r.nrows && !err; i++) {
		s.ids = (const char *const[]){rows_cell(&r, i, "id")->text, NULL};
		csv_sheet_row(&s, "base", &r, i);
		csv_sheet_rows(&s, "facility", rows_in(&r, i, "facilities"), false);
		csv_sheet_rows(&s, "symbol", rows_in(&r, i, "symbols"), true);
		csv_sheet_numbers(&s, "unattributed", names, &rows_cell(&r, i, "unattributed_ns")->value);
		put_stage(&s, rows_in(&r, i, "second_stage"), names, &rows_cell(&r, i, "stage_rest_ns")->value);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_diff_csv(FILE *out, const struct compare *c, const struct render_options *o)
{
	static const char *const names[] = {"base_ns", "new_ns", "delta_ns", NULL};
	struct csv_sheet s = {.out = out,
			      .digits = DIGITS,
			      .ids = (const char *const[]){c->base->variant->id, c->new->variant->id, NULL}};
	struct rows r;
	int err = diff_rows(&r, c, "base", "new");

	(void)o;
	if (!err) {
		csv_sheet_add(&s, rows_in(&r, 0, "symbols"));
		csv_sheet_add(&s, &r);
		csv_sheet_heads(&s, "base,new,row");
		csv_sheet_row(&s, "base", &r, 0);
		csv_sheet_rows(&s, "facility", rows_in(&r, 0, "facilities"), true);
		csv_sheet_rows(&s, "symbol", rows_in(&r, 0, "symbols"), true);
		csv_sheet_numbers(
			&s, "unattributed", names,
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
	struct csv_sheet s = {.out = out, .digits = DIGITS};
	struct rows r;
	int err = exact_rows(&r, e, only);

	(void)o;
	csv_sheet_add(&s, rows_in(&r, 0, "symbols"));
	csv_sheet_add(&s, &r);
	csv_sheet_heads(&s, "variant,row");
	for (size_t i = 0; i < r.nrows && !err; i++) {
		s.ids = (const char *const[]){rows_cell(&r, i, "variant")->text, NULL};
		csv_sheet_row(&s, "total", &r, i);
		csv_sheet_rows(&s, "facility", rows_in(&r, i, "facilities"), true);
		csv_sheet_rows(&s, "symbol", rows_in(&r, i, "symbols"), true);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_exact_diff_csv(FILE *out, const struct exact_diff *d, const struct render_options *o)
{
	struct csv_sheet s = {
		.out = out, .digits = DIGITS, .ids = (const char *const[]){d->base->id, d->new->id, NULL}};
	struct rows r;
	int err = exact_diff_rows(&r, d);

	(void)o;
	if (!err) {
		csv_sheet_add(&s, rows_in(&r, 0, "symbols"));
		csv_sheet_heads(&s, "base,new,row");
		csv_sheet_row(&s, "total", &r, 0);
		csv_sheet_rows(&s, "facility", rows_in(&r, 0, "facilities"), true);
		csv_sheet_rows(&s, "symbol", rows_in(&r, 0, "symbols"), true);
	}
	rows_release(&r);
	return err ? err : render_finish(out);
}
