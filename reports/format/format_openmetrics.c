// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenMetrics, for node_exporter's textfile collector: gauges alone, which its older parser reads as well, in base
 * units.
 * src: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#include "reports/format/format.h"

/* The labels of a sample: the name of what was measured, if it has one, and the labels of its variant. */
struct subject {
	const char *label, *name;
	const char *const *variant_labels; /* columns of words; ends with NULL */
};

/* The labels that every sample of a variant has, without the closing brace. */
static void format_openmetrics_put_variant(FILE *out, const struct subject *of, const char *metric,
					   const struct rows *r, size_t row)
{
	fprintf(out, "%s{", metric);
	openmetrics_label(out, of->label, of->name);
	fputc(',', out);
	openmetrics_label(out, "variant", rows_cell(r, row, "id")->text);
	for (const char *const *label = of->variant_labels; *label; label++) {
		fputc(',', out);
		openmetrics_label(out, *label, rows_cell(r, row, *label)->text);
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
		openmetrics_head(f->out, f->metric->name, "gauge", f->metric->unit, f->metric->help);
	f->begun = true;
	format_openmetrics_put_variant(f->out, f->of, f->metric->name, f->variants, variant);
	if (r != f->variants) {
		/* The cells of a table's rows that have a label. */
		for (size_t i = 0; i < r->ncolumns; i++) {
			if (!r->columns[i].label)
				continue;
			fputc(',', f->out);
			openmetrics_label(f->out, r->columns[i].label, r->rows[row].cells[i].text);
		}
	}
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

/* The families of the variants come first, then those of their tables. */
static void put_all(FILE *out, const struct subject *of, const struct rows *r)
{
	for (size_t i = 0; i <= r->ncolumns; i++)
		if (!i || r->columns[i - 1].kind == CELL_TABLE)
			put_families(out, of, r, i ? i - 1 : r->ncolumns);
}

/* A metric whose labels are words, and whose value is 1. */
struct word {
	const char *label, *text;
};

static void put_info(FILE *out, const char *name, const char *help, const struct word *words, size_t n)
{
	openmetrics_head(out, name, "gauge", NULL, help);
	fprintf(out, "%s{", name);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		openmetrics_label(out, words[i].label, words[i].text);
	}
	fputs("} 1\n# EOF\n", out);
}

static void format_openmetrics_put_measured(FILE *out, const struct run *r, const struct rows *variants)
{
	static const char *const labels[] = {"action", "operation", "mode", NULL};
	const struct run_facts *f = &r->facts;
	const struct word words[] = {{"device", or_empty(f->device)},
				     {"driver", or_empty(f->driver)},
				     {"kernel", or_empty(f->kernel)},
				     {"cpu_model", or_empty(f->cpu_model)},
				     {"event", r->event},
				     {"started", r->started},
				     {"ended", r->ended},
				     {"version", r->version}};

	put_all(out, &(struct subject){"device", or_empty(f->device), labels}, variants);
	put_info(out, "xdpzoom_run_info", "What was measured, and on what.", words, sizeof(words) / sizeof(*words));
}

static void format_openmetrics_put_counted(FILE *out, const struct exact *e, const struct rows *variants)
{
	static const char *const labels[] = {NULL};
	const struct word words[] = {
		{"nic", e->nic}, {"kernel", e->kernel}, {"emulator", e->emulator}, {"time", e->time}};

	put_all(out, &(struct subject){"nic", e->nic, labels}, variants);
	put_info(out, "xdpzoom_exact_info", "What was counted, and on what.", words, sizeof(words) / sizeof(*words));
}

int format_openmetrics(FILE *out, const struct document *d, const struct render_options *o)
{
	const struct rows *variants = rows_in(&d->rows, 0, "variants");

	(void)o;
	if (d->analysis)
		format_openmetrics_put_measured(out, d->analysis->run, variants);
	else
		format_openmetrics_put_counted(out, d->exact, variants);
	return render_finish(out);
}
