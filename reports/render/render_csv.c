// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV: one flat table, so that files of several runs can be put below each other. The rows of a variant called symbol,
 * and the one called unattributed, add up to the one called base.
 */
#include <math.h>
#include "base/csv.h"
#include "reports/render/render.h"
#include "reports/render/text.h"

/* With a comma before it. Ten digits, the same on every machine. */
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

static void put_head(FILE *out, const char *variant, const char *row, const char *name, const char *dso,
		     const char *facility)
{
	csv_text(out, variant);
	put_text(out, row);
	put_text(out, name);
	put_text(out, dso);
	put_text(out, facility);
}

static void report_row(FILE *out, const char *variant, const char *kind, const struct analysis_row *row)
{
	put_head(out, variant, kind, row->name, row->dso, row->facility);
	put_number(out, (double)row->samples);
	put_number(out, row->self_pct);
	put_number(out, row->self_ns);
	put_number(out, row->ci95_ns[0]);
	put_number(out, row->ci95_ns[1]);
	put_number(out, row->children_ns);
	fputc('\n', out);
}

static void report_variant(FILE *out, const struct analysis_variant *v)
{
	const char *id = v->variant->id;

	put_head(out, id, "base", "", "", "");
	put_number(out, (double)v->samples);
	put_number(out, 100);
	put_number(out, v->base_ns);
	put_number(out, v->ci95_ns[0]);
	put_number(out, v->ci95_ns[1]);
	fputs(",\n", out);
	for (size_t i = 0; i < v->nfacilities; i++)
		if (v->facilities[i].samples)
			report_row(out, id, "facility", &v->facilities[i]);
	for (size_t i = 0; i < v->nsymbols; i++)
		report_row(out, id, "symbol", &v->symbols[i]);
	put_head(out, id, "unattributed", "", "", "");
	fputs(",,", out);
	put_number(out, v->unattributed_ns);
	fputs(",,,\n", out);
}

int render_report_csv(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		      const struct render_options *o)
{
	(void)o;
	fputs("variant,row,name,dso,facility,samples,self_pct,self_ns,self_ns_low,self_ns_high,"
	      "children_ns\n",
	      out);
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			report_variant(out, &a->variants[i]);
	return render_finish(out);
}

static void diff_head(FILE *out, const struct compare *c, const char *row, const char *name, const char *facility)
{
	csv_text(out, c->base->variant->id);
	put_text(out, c->new->variant->id);
	put_text(out, row);
	put_text(out, name);
	put_text(out, facility);
}

static void diff_row(FILE *out, const struct compare *c, const char *kind, const struct compare_row *row)
{
	diff_head(out, c, kind, row->name, row->facility);
	put_number(out, row->base_ns);
	put_number(out, row->new_ns);
	put_number(out, row->delta_ns);
	put_number(out, row->ci95_ns[0]);
	put_number(out, row->ci95_ns[1]);
	put_number(out, row->p);
	put_number(out, row->q);
	fprintf(out, ",%s\n", compare_class_name(row->class));
}

static void diff_sum(FILE *out, const struct compare *c, const char *kind, double base_ns, double new_ns,
		     double delta_ns)
{
	diff_head(out, c, kind, "", "");
	put_number(out, base_ns);
	put_number(out, new_ns);
	put_number(out, delta_ns);
}

int render_diff_csv(FILE *out, const struct compare *c, const struct render_options *o)
{
	(void)o;
	fputs("base,new,row,name,facility,base_ns,new_ns,delta_ns,delta_ns_low,delta_ns_high,p,q,"
	      "class\n",
	      out);
	diff_sum(out, c, "base", c->base->base_ns, c->new->base_ns, c->headline.delta_ns);
	put_number(out, c->headline.ci95_ns[0]);
	put_number(out, c->headline.ci95_ns[1]);
	put_number(out, c->headline.p);
	fputs(",,\n", out);
	for (size_t i = 0; i < c->nfacilities; i++)
		diff_row(out, c, "facility", &c->facilities[i]);
	for (size_t i = 0; i < c->nsymbols; i++)
		diff_row(out, c, "symbol", &c->symbols[i]);
	diff_sum(out, c, "unattributed", c->base->unattributed_ns, c->new->unattributed_ns, c->unattributed_delta_ns);
	fputs(",,,,,\n", out);
	diff_sum(out, c, "residual", NAN, NAN, c->residual_ns);
	fputs(",,,,,\n", out);
	return render_finish(out);
}
