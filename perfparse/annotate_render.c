// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "perfparse/annotate_render.h"
#include "base/sheet/csv.h"
#include "base/json_text.h"
#include "base/printable.h"

static double row_ns(const struct annotate_render *r, const struct annotate_row *row)
{
	return r->symbol_ns * row->pct / 100;
}

static int print_sources(const struct annotate_render *r, FILE *out)
{
	struct annotate by_source;
	size_t i;

	if (annotate_by_source(r->symbol, &by_source))
		return -ENOMEM;
	if (by_source.nrows)
		fputs("#\n# by source line\n", out);
	for (i = 0; i < by_source.nrows; i++)
		printable_printf(out, "%6.2f%% => %5.1f ns  %s\n", by_source.rows[i].pct, row_ns(r, &by_source.rows[i]),
				 by_source.rows[i].source);
	annotate_release(&by_source);
	return 0;
}

static int print_symbol(const struct annotate_render *r, FILE *out)
{
	const struct annotate *a = r->symbol;
	double sum_pct = 0;
	size_t i;
	int err;

	printable_printf(out, "# %s: %.2f ns of %.2f ns/packet", a->symbol[0] ? a->symbol : a->dso, r->symbol_ns,
			 r->base_ns);
	if (a->samples)
		fprintf(out, ", %llu samples", (unsigned long long)a->samples);
	if (a->event[0])
		printable_printf(out, ", event '%s'", a->event);
	fputs("\n#\n# share =>  ns/packet  address           instruction\n", out);
	for (i = 0; i < a->nrows; i++) {
		printable_printf(out, "%6.2f%% => %5.1f ns  %16llx  %s\n", a->rows[i].pct, row_ns(r, &a->rows[i]),
				 (unsigned long long)a->rows[i].address, a->rows[i].instruction);
		sum_pct += a->rows[i].pct;
	}
	err = print_sources(r, out);
	fprintf(out, "#\n# listed: %.2f %% = %.2f ns\n", sum_pct, r->symbol_ns * sum_pct / 100);
	return err;
}

int annotate_render_text(const struct annotate_render *r, size_t n, FILE *out)
{
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		if (i)
			fputc('\n', out);
		err = print_symbol(&r[i], out);
	}
	return !err && ferror(out) ? -EIO : err;
}

static json_t *rows_json(const struct annotate_render *r, const struct annotate *a)
{
	json_t *list = json_array(), *o;
	const struct annotate_row *row;
	size_t i;

	for (i = 0; i < a->nrows; i++) {
		row = &a->rows[i];
		o = json_pack("{s:f, s:f}", "pct", row->pct, "ns", row_ns(r, row));
		if (row->instruction) {
			json_object_set_new(o, "address", json_sprintf("%llx", (unsigned long long)row->address));
			json_object_set_new(o, "instruction", json_text_string(row->instruction));
		}
		json_object_set_new(o, "source", row->source ? json_text_string(row->source) : json_null());
		json_array_append_new(list, o);
	}
	return list;
}

json_t *annotate_render_json(const struct annotate_render *r, size_t n)
{
	json_t *symbols = json_array(), *lines;
	struct annotate by_source;
	size_t i;

	for (i = 0; i < n; i++) {
		if (annotate_by_source(r[i].symbol, &by_source)) {
			json_decref(symbols);
			return NULL;
		}
		lines = rows_json(&r[i], &by_source);
		annotate_release(&by_source);
		json_array_append_new(symbols,
				      json_pack("{s:o, s:o, s:o, s:I, s:f, s:o, s:o}", "name",
						json_text_string(r[i].symbol->symbol), "dso",
						json_text_string(r[i].symbol->dso), "event",
						json_text_string(r[i].symbol->event), "samples",
						(json_int_t)r[i].symbol->samples, "self_ns", r[i].symbol_ns,
						"instructions", rows_json(&r[i], r[i].symbol), "lines", lines));
	}
	return json_pack("{s:s, s:f, s:o}", "schema", ANNOTATE_SCHEMA, "base_ns", n ? r[0].base_ns : 0.0, "symbols",
			 symbols);
}

int annotate_render_csv(const struct annotate_render *r, size_t n, FILE *out)
{
	const struct annotate_row *row;
	size_t i, k;

	fputs("symbol,pct,ns,address,instruction,source\n", out);
	for (i = 0; i < n; i++) {
		for (k = 0; k < r[i].symbol->nrows; k++) {
			row = &r[i].symbol->rows[k];
			csv_text(out, r[i].symbol->symbol);
			fprintf(out, ",%g,%.6g,%llx,", row->pct, row_ns(&r[i], row), (unsigned long long)row->address);
			csv_text(out, row->instruction);
			fputc(',', out);
			csv_text(out, row->source ? row->source : "");
			fputc('\n', out);
		}
	}
	return ferror(out) ? -EIO : 0;
}
