// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV: one flat table, so that files of several runs can be put below each other. The rows of a variant called symbol,
 * and the one called unattributed, add up to the one called base. Those of its second stage, per frame that the stage
 * took up, begin with "consumer".
 */
#include "reports/format/format.h"

/* Ten digits are the same on every machine. */
#define DIGITS 10

/*
 * prefix: "" or "consumer " of the second stage; whole: the kind of the row itself; sampled: components without samples
 * have no row.
 */
static void format_csv_put_part(const struct csv_sheet *s, const char *prefix, const char *whole, const struct rows *r,
				size_t row, bool sampled)
{
	static const struct {
		const char *kind, *key;
	} parts[] = {{"component", "components"}, {"symbol", "symbols"}, {"unattributed", "rest"}};
	char kind[32];

	csv_sheet_row(s, whole, r, row);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const struct rows *table = rows_in(r, row, parts[i].key);

		snprintf(kind, sizeof(kind), "%s%s", prefix, parts[i].kind);
		if (table)
			csv_sheet_rows(s, kind, table, i || !sampled);
	}
}

int format_csv(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct rows *variants = rows_in(&d->rows, 0, "variants");
	struct csv_sheet s = {.out = out, .digits = DIGITS};

	(void)o;
	for (size_t i = 0; i < d->rows.ncolumns && d->kind >= DOCUMENT_LISTS; i++) {
		if (!(d->rows.columns[i].flags & IN_CSV))
			continue;
		s.keys = true;
		csv_sheet_add(&s, d->rows.rows[0].cells[i].rows);
		csv_sheet_heads(&s, NULL);
		csv_sheet_rows(&s, NULL, d->rows.rows[0].cells[i].rows, true);
		return render_finish(out);
	}
	csv_sheet_add(&s, &d->symbols);
	for (size_t i = 0; i < d->nsections; i++)
		csv_sheet_add(&s, rows_in(d->sections[i].rows, d->sections[i].row, "symbols"));
	csv_sheet_add(&s, variants ? variants : &d->rows);
	csv_sheet_heads(&s, variants ? "variant,row" : "base,new,row");
	for (size_t i = variants ? 1 : 0; i < d->nsections; i++) {
		const struct section *of = &d->sections[i];
		const struct rows *stage = rows_in(of->rows, of->row, "consumer");
		bool sampled = d->kind == DOCUMENT_REPORT;

		s.ids = (const char *const[]){of->title ?: d->ids[0], of->title ? NULL : d->ids[1], NULL};
		format_csv_put_part(&s, "", d->whole, of->rows, of->row, sampled);
		if (stage && stage->nrows)
			format_csv_put_part(&s, "consumer ", "consumer", stage, 0, sampled);
	}
	return render_finish(out);
}
