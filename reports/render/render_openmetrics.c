// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenMetrics, for node_exporter's textfile collector: gauges alone, which its older parser reads as well, in base
 * units.
 * src: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "base/known.h"
#include "base/printable.h"
#include "reports/render/render.h"
#include "base/sheet/text.h"
#include "reports/rows/exact_rows.h"
#include "reports/rows/report_rows.h"

/* Writes name="value". In a label's value, the characters that would end it are escaped. */
static void put_label(FILE *out, const char *name, const char *value)
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

/* The labels of a sample: the name of what was measured, if it has one, and the labels of its variant. */
struct subject {
	const char *label, *name;
	const char *variant;               /* the column that names the variant */
	const char *const *variant_labels; /* columns of words; ends with NULL */
};

/* The labels that every sample of a variant has, without the closing brace. */
static void put_variant(FILE *out, const struct subject *of, const char *metric, const struct rows *r, size_t row)
{
	fprintf(out, "%s{", metric);
	put_label(out, of->label, of->name);
	fputc(',', out);
	put_label(out, "variant", rows_cell(r, row, of->variant)->text);
	for (const char *const *label = of->variant_labels; *label; label++) {
		fputc(',', out);
		put_label(out, *label, rows_cell(r, row, *label)->text);
	}
}

static void put_head(FILE *out, const char *name, const char *unit, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}

/* The cells of a table's rows that have a label. */
static void put_labels(FILE *out, const struct rows *r, size_t row)
{
	for (size_t i = 0; i < r->ncolumns; i++) {
		if (!r->columns[i].label)
			continue;
		fputc(',', out);
		put_label(out, r->columns[i].label, r->rows[row].cells[i].text);
	}
}

/* One sample for each variant, or one for each row of a table of each variant. */
struct family {
	FILE *out;
	const struct subject *of;
	const struct rows *variants;
	const struct metric *metric;
	bool begun;
};

static void put_sample(struct family *f, size_t variant, const struct rows *r, size_t row, size_t column)
{
	const struct cell *used = rows_cell(f->variants, variant, "blocks_used");
	double value = r->rows[row].cells[column].value;

	if (isnan(value) || (used && !(used->value > 0)))
		return;
	if (!f->begun)
		put_head(f->out, f->metric->name, f->metric->unit, f->metric->help);
	f->begun = true;
	put_variant(f->out, f->of, f->metric->name, f->variants, variant);
	if (r != f->variants)
		put_labels(f->out, r, row);
	fprintf(f->out, "} %.10g\n", value * f->metric->scale);
}

/* One family of metrics for each column that has a metric: of the variants, or of a table that each variant has. */
static void put_families(FILE *out, const struct subject *of, const struct rows *variants, size_t table)
{
	const struct rows *like = variants;
	struct family f = {.out = out, .of = of, .variants = variants};

	for (size_t v = 0; table < variants->ncolumns && v < variants->nrows; v++)
		like = variants->rows[v].cells[table].rows;
	for (size_t i = 0; like && i < like->ncolumns; i++) {
		f.metric = like->columns[i].metric;
		f.begun = false;
		for (size_t v = 0; f.metric && v < variants->nrows; v++) {
			const struct rows *r = like == variants ? variants : variants->rows[v].cells[table].rows;

			for (size_t k = 0; r && k < r->nrows; k++)
				if (!r->rows[k].aside && (r != variants || k == v))
					put_sample(&f, v, r, k, i);
		}
	}
}

static void put_run(FILE *out, const struct run *r)
{
	static const char name[] = "xdpzoom_run_info";

	put_head(out, name, NULL, "What was measured, and on what.");
	fprintf(out, "%s{", name);
	put_label(out, "device", or_empty(r->facts.device));
	fputc(',', out);
	put_label(out, "driver", or_empty(r->facts.driver));
	fputc(',', out);
	put_label(out, "kernel", or_empty(r->facts.kernel));
	fputc(',', out);
	put_label(out, "cpu_model", or_empty(r->facts.cpu_model));
	fputc(',', out);
	put_label(out, "event", r->event);
	fputc(',', out);
	put_label(out, "started", r->started);
	fputc(',', out);
	put_label(out, "ended", r->ended);
	fputc(',', out);
	put_label(out, "version", r->version);
	fputs("} 1\n", out);
}

/* The families of the variants come first, then those of their tables. */
static void put_all(FILE *out, const struct subject *of, const struct rows *r)
{
	for (size_t i = 0; i <= r->ncolumns; i++)
		if (!i || r->columns[i - 1].kind == CELL_TABLE)
			put_families(out, of, r, i ? i - 1 : r->ncolumns);
}

int render_report_openmetrics(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			      const struct render_options *o)
{
	static const char *const labels[] = {"action", "operation", "mode", NULL};
	struct subject of = {"device", or_empty(a->run->facts.device), "id", labels};
	struct rows r;
	int err = report_rows(&r, a, only);

	(void)o;
	if (!err)
		put_all(out, &of, &r);
	put_run(out, a->run);
	fputs("# EOF\n", out);
	rows_release(&r);
	return err ? err : render_finish(out);
}

int render_exact_openmetrics(FILE *out, const struct exact *e, const struct exact_variant *only,
			     const struct render_options *o)
{
	static const char *const labels[] = {NULL};
	static const char name[] = "xdpzoom_exact_info";
	struct subject of = {"nic", e->nic, "variant", labels};
	struct rows r;
	int err = exact_rows(&r, e, only);

	(void)o;
	if (!err)
		put_all(out, &of, &r);
	put_head(out, name, NULL, "What was counted, and on what.");
	fprintf(out, "%s{", name);
	put_label(out, "nic", e->nic);
	fputc(',', out);
	put_label(out, "kernel", e->kernel);
	fputc(',', out);
	put_label(out, "emulator", e->emulator);
	fputc(',', out);
	put_label(out, "time", e->time);
	fputs("} 1\n# EOF\n", out);
	rows_release(&r);
	return err ? err : render_finish(out);
}
