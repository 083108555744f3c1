// SPDX-License-Identifier: GPL-2.0-or-later
/* What a packet costs in the variants of a run: native beside skb, before and after; layer upon layer. */
#include "reports/document/document.h"

/* ---- native beside skb ------------------------------------------------------------------------------- */

/* Both sides of a kind have its heads; a variant that is alone has one side. */
#define OVERVIEW(base, new)                                                                                            \
	{                                                                                                              \
		{"name", "", CELL_WORDS, IN_TABLE},                                                                    \
		{"to", NULL, CELL_WORDS, 0},                                                                           \
		{"base_ns", base, CELL_NUMBER, IN_TABLE},                                                              \
		{"new_ns", new, CELL_NUMBER, IN_TABLE},                                                                \
		{"delta_ns", "change", CELL_NUMBER, IN_TABLE | WITH_SIGN},                                             \
		{"native_mpps", "Mpps", CELL_NUMBER, IN_TABLE | IN_WIDE},                                              \
		{"skb_mpps", "Mpps", CELL_NUMBER, IN_TABLE | IN_WIDE},                                                 \
		{"mark", "", CELL_MARK, IN_TABLE},                                                                     \
	}

static const struct column overview_columns[OVERVIEW_KINDS][8] = {
	[OVERVIEW_MODES] = OVERVIEW("native ns", "skb ns"),
	[OVERVIEW_PARTS] = OVERVIEW("before ns", "after ns"),
	[OVERVIEW_ALONE] = OVERVIEW("ns/packet", ""),
};

const char *const overview_keys[OVERVIEW_KINDS] = {"modes", "parts", "alone"};

static void put_side(struct rows *r, const char *mpps, const char *ns, const struct analysis_variant *v)
{
	if (!v || !v->nused)
		return;
	rows_number(r, mpps, v->pps / 1e6, 3);
	rows_interval(r, ns, v->base_ns, v->half_ns);
}

void overview_rows(struct rows *parent, const struct overview *v)
{
	struct rows *tables[OVERVIEW_KINDS];

	for (int kind = 0; kind < OVERVIEW_KINDS; kind++)
		tables[kind] = rows_table(parent, overview_keys[kind], COLUMNS_OF(overview_columns[kind]));
	for (size_t i = 0; i < v->nrows; i++) {
		const struct overview_row *row = &v->rows[i];
		struct rows *r = tables[row->kind];

		rows_add(r);
		rows_text(r, "name", row->name);
		put_side(r, "native_mpps", "base_ns", row->native);
		put_side(r, "skb_mpps", "new_ns", row->skb);
		if (!row->have_difference)
			continue;
		rows_words(r, "to", "pair-%zu", i);
		if (compare_busy_alike(row->native, row->skb)) {
			rows_interval(r, "delta_ns", row->difference.delta_ns, row->difference.half_ns);
			continue;
		}
		rows_text(r, "mark", "busy");
		if (r)
			r->note = "busy: both were not equally busy, so that they do not compare";
	}
}

/* ---- layer upon layer -------------------------------------------------------------------------------- */

#define PARTS 3 /* of a step, in words */

static const struct column layer_columns[] = {
	{"name", "layer", CELL_WORDS, IN_TABLE},
	{"to", NULL, CELL_WORDS, 0},
	{"mpps", "Mpps", CELL_NUMBER, IN_TABLE | IN_WIDE},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_TABLE},
	{"step_ns", "step", CELL_NUMBER, IN_TABLE | WITH_SIGN},
	{"mark", "", CELL_MARK, IN_TABLE},
	{"parts", NULL, CELL_WORDS, WITH_LINE},
	{"sending", NULL, CELL_WORDS, WITH_LINE},
};

/* step: from the layer below, or NULL; it leads to the section `to`. */
static void layer_row(struct rows *r, const char *class, const char *name, const struct compare *step, const char *to,
		      size_t number)
{
	char parts[300];

	rows_add(r);
	rows_last(r)->class = class;
	rows_text(r, "name", name);
	if (!step)
		return;
	rows_words(r, "to", "%s-%zu", to, number);
	rows_interval(r, "step_ns", step->overall.delta_ns, step->overall.half_ns);
	sentence_of_parts(step, PARTS, parts, sizeof(parts));
	rows_words(r, "parts", "%s", parts);
}

int ladder_rows(struct rows *r, const struct document *d, const struct matches *steps)
{
	char sending[300];

	rows_init(r, COLUMNS_OF(layer_columns));
	for (size_t i = 1; i < d->nsections; i++) {
		const struct analysis_variant *v = d->sections[i].measured;
		const struct match *step = matches_find(steps, i - 1);
		bool aside = run_layer_is_aside(v->variant);

		layer_row(r, aside ? "same" : "total",
			  run_variant_is_layer(v->variant) ? v->variant->target : v->variant->id,
			  step ? &step->compare : NULL, "step", i - 1);
		rows_text(r, "mark", aside ? "branch" : "");
		rows_number(r, "mpps", v->pps / 1e6, 3);
		if (!isnan(v->sending.system_calls)) {
			sending_words(&v->sending, sending, sizeof(sending));
			rows_words(r, "sending", "%s", sending);
		}
		if (!v->nused)
			continue;
		rows_interval(r, "base_ns", v->base_ns, v->half_ns);
		if (isnan(v->stage.ns)) /* below the layer what its second stage costs: that runs on another CPU */
			continue;
		layer_row(r, "same consumer", v->variant->stage == RUN_STAGE_READER ? "its reader" : "consumer",
			  step ? step->compare.stage : NULL, "consumer", i - 1);
		rows_interval(r, "base_ns", v->stage.ns, v->stage.half_ns);
	}
	return rows_error(r);
}
