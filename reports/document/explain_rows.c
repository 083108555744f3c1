// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured ns beside exact counts. */
#include "reports/document/document.h"

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

static const struct column function_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE, FROM(explain_row, name)},
	{"component", "component", CELL_COMPONENT, IN_JSON | IN_WIDE, FROM(explain_row, component)},
	{"ns", "ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM},
	{"half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_row, half_ns)},
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(explain_row, x[EXPLAIN_INSTRUCTIONS]),
	 .decimals = 1},
	{"transfers", "transfers", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(explain_row, x[EXPLAIN_TRANSFERS]),
	 .decimals = 2},
	{"calls", "calls", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(explain_row, x[EXPLAIN_CALLS]), .decimals = 2},
	{"model_ns", "model ns", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(explain_row, model_ns), .decimals = 1},
	{"model_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_row, model_half_ns)},
	{"rest_ns", "rest ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN, FROM(explain_row, rest_ns), .decimals = 1},
	{"fits", NULL, CELL_FLAG, IN_JSON, FROM(explain_row, fits)},
};

static const struct column misfit_columns[] = {
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE | WITH_REST, FROM(explain_row, name)},
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"rest_ns", "rest ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN | WITH_BAR, FROM(explain_row, rest_ns),
	 .decimals = 1},
	{"ns", "ns", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"model_ns", "model ns", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(explain_row, model_ns), .decimals = 1},
};

/* For people: a row for each part. */
static const struct column part_columns[] = {
	{"part", "part", CELL_WORDS, IN_TABLE},
	{"of", "of", CELL_NAME, IN_TABLE | IN_WIDE},
	{"ns", "ns", CELL_NUMBER, IN_TABLE | WITH_SIGN},
	{"share_pct", "share %", CELL_NUMBER, IN_TABLE},
};

#define PARTS_COLUMNS                                                                                                  \
	{"ns", NULL, CELL_NUMBER, IN_JSON, FROM_INTERVAL(explain_parts, ns, half_ns)},                                 \
		{"half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, half_ns)},                                 \
		{"instructions", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, x[0]), .decimals = 1},                \
		{"transfers", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, x[1]), .decimals = 2},                   \
		{"calls", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, x[2]), .decimals = 2},                       \
		{"by_instructions_ns", NULL, CELL_NUMBER, IN_JSON},                                                    \
		{"by_instructions_ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(explain_parts, by_ci95[0])},               \
		{"by_transfers_ns", NULL, CELL_NUMBER, IN_JSON},                                                       \
		{"by_transfers_ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(explain_parts, by_ci95[1])},                  \
		{"by_calls_ns", NULL, CELL_NUMBER, IN_JSON},                                                           \
		{"by_calls_ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(explain_parts, by_ci95[2])},                      \
		{"rest_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, rest_ns), .decimals = 1},                  \
		{"not_counted_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, not_counted_ns)},                   \
		{"unattributed_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_parts, unattributed_ns), .decimals = 1}

static const struct column difference_columns[] = {
	{"name", NULL, CELL_NAME, IN_JSON},
	{"native", NULL, CELL_NAME, IN_JSON},
	{"skb", NULL, CELL_NAME, IN_JSON},
	PARTS_COLUMNS,
};

#define MISFIT_NOTE "* does not fit: farther from the model than 95 of 100 functions"

static const struct column variant_columns[] = {
	{"id", NULL, CELL_NAME, IN_JSON},
	PARTS_COLUMNS,
	{"footprint_lines", NULL, CELL_NUMBER, IN_JSON},
	{"footprint_pages", NULL, CELL_NUMBER, IN_JSON},
	{"parts", "Parts", CELL_TABLE, IN_TABLE},
	{"functions", "Functions", CELL_TABLE, IN_JSON | IN_TABLE, MISFIT_NOTE},
};

static const struct column change_columns[] = {
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN,
	 FROM(explain_change, x[EXPLAIN_INSTRUCTIONS]), .decimals = 1},
	{"transfers", "transfers", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN,
	 FROM(explain_change, x[EXPLAIN_TRANSFERS]), .decimals = 2},
	{"calls", "calls", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN, FROM(explain_change, x[EXPLAIN_CALLS]),
	 .decimals = 2},
	{"ns", "ns expected", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN, FROM_INTERVAL(explain_change, ns, half_ns)},
	{"half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(explain_change, half_ns)},
};

static const struct column explain_columns[] = {
	{"started", NULL, CELL_WORDS, IN_JSON},
	{"time", NULL, CELL_WORDS, IN_JSON},
	{"measured", "measured", CELL_WORDS, IN_FACTS},
	{"counted", "counted", CELL_WORDS, IN_FACTS},
	{"made_words", "made with", CELL_WORDS, IN_FACTS},
	{"instruction_ns", NULL, CELL_NUMBER, IN_JSON},
	{"instruction_ci95_ns", NULL, CELL_RANGE, IN_JSON},
	{"instructions_per_ns", NULL, CELL_NUMBER, IN_JSON},
	{"instruction_words", "instruction", CELL_WORDS, IN_FACTS},
	{"transfer_ns", NULL, CELL_NUMBER, IN_JSON},
	{"transfer_ci95_ns", NULL, CELL_RANGE, IN_JSON},
	{"ping_pong_ns", NULL, CELL_NUMBER, IN_JSON},
	{"transfer_words", "transfer", CELL_WORDS, IN_FACTS},
	{"call_ns", NULL, CELL_NUMBER, IN_JSON},
	{"call_ci95_ns", NULL, CELL_RANGE, IN_JSON},
	{"call_words", "call", CELL_WORDS, IN_FACTS},
	{"spread_ns", NULL, CELL_NUMBER, IN_JSON},
	{"points", NULL, CELL_COUNT, IN_JSON},
	{"fit_words", "fit", CELL_WORDS, IN_FACTS},
	{"to", "other kernel", CELL_WORDS, IN_JSON | IN_FACTS},
	{"differences", NULL, CELL_TABLE, IN_JSON},
	{"parts", "What the difference is made of", CELL_TABLE, IN_TABLE},
	{"changes", "What the change to the other kernel costs, at these ns", CELL_TABLE, IN_JSON | IN_TABLE,
	 "Nobody has measured it: the counts of both kernels, times what one of each costs here."},
	{"misfits", "Functions that do not fit", CELL_TABLE, IN_JSON | IN_TABLE,
	 "Their cost is farther from the model than that of 95 in 100 functions."},
	{"variants", NULL, CELL_TABLE, IN_JSON},
};

/* ---- parts ------------------------------------------------------------------------------------------- */

static void put_parts(struct rows *r, const struct explain_parts *p)
{
	static const char *const keys[EXPLAIN_TERMS] = {"by_instructions_ns", "by_transfers_ns", "by_calls_ns"};

	for (int t = 0; t < EXPLAIN_TERMS; t++)
		rows_value(r, keys[t], isnan(p->by_ci95[t][0]) ? NAN : p->by_ns[t]);
}

static void part_row(struct rows *r, const char *of, double ns, double half_ns, const struct explain_parts *p)
{
	rows_add(r);
	rows_text(r, "of", of);
	rows_interval(r, "ns", ns, half_ns);
	if (isnan(half_ns))
		rows_number(r, "ns", ns, 1);
	rows_number(r, "share_pct", p->ns != 0 ? 100 * ns / p->ns : NAN, 0);
}

/* They add up to the last one. */
static void part_rows(struct rows *r, const char *of, const struct explain_parts *p, bool difference)
{
	static const char *const words[EXPLAIN_TERMS][2] = {{"instructions: %.1f", "instructions: %+.1f"},
							    {"transfers: %.2f lines", "transfers: %+.2f lines"},
							    {"calls: %.1f", "calls: %+.1f"}};

	for (int t = 0; t < EXPLAIN_TERMS; t++)
		if (!isnan(p->by_ci95[t][0])) {
			part_row(r, of, p->by_ns[t],
				 fmax(p->by_ns[t] - p->by_ci95[t][0], p->by_ci95[t][1] - p->by_ns[t]), p);
			rows_words(r, "part", words[t][difference], p->x[t]);
		}
	part_row(r, of, p->rest_ns, NAN, p);
	rows_text(r, "part", "rest: functions that cost more or less than that");
	part_row(r, of, p->not_counted_ns, NAN, p);
	rows_text(r, "part", "functions that were not counted");
	part_row(r, of, p->unattributed_ns, NAN, p);
	rows_text(r, "part", "unattributed");
	part_row(r, of, p->ns, p->half_ns, p);
	rows_text(r, "part", difference ? "difference measured" : "base measured");
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void variant_rows(struct rows *parent, const struct explain *e)
{
	struct rows *r = rows_table(parent, "variants", variant_columns, COUNT(variant_columns));

	for (size_t i = 0; i < e->nvariants; i++) {
		const struct explain_variant *v = &e->variants[i];
		const char *id = v->measured->variant->id;

		rows_add_of(r, &v->parts);
		rows_text(r, "id", id);
		put_parts(r, &v->parts);
		rows_value(r, "footprint_lines", v->counted->total.memory[EXACT_FOOT_LINES]);
		rows_value(r, "footprint_pages", v->counted->total.memory[EXACT_FOOT_PAGES]);
		part_rows(rows_table(r, "parts", part_columns, COUNT(part_columns)), id, &v->parts, false);
		struct rows *functions = rows_table(r, "functions", function_columns, COUNT(function_columns));
		for (size_t k = 0; k < v->nrows; k++) {
			const struct explain_row *row = &v->rows[k];

			rows_add_of(functions, row);
			rows_text(functions, "mark", row->fits ? "" : "*");
			rows_interval(functions, "ns", row->ns, row->half_ns > 0 ? row->half_ns : NAN);
		}
	}
}

static void difference_rows(struct rows *parent, const struct explain *e)
{
	struct rows *r = rows_table(parent, "differences", difference_columns, COUNT(difference_columns));
	struct rows *parts = rows_table(parent, "parts", part_columns, COUNT(part_columns));

	for (size_t i = 0; i < e->ndifferences; i++) {
		const struct explain_difference *d = &e->differences[i];

		rows_add_of(r, &d->parts);
		rows_text(r, "name", d->name);
		rows_text(r, "native", d->native->measured->variant->id);
		rows_text(r, "skb", d->skb->measured->variant->id);
		put_parts(r, &d->parts);
		part_rows(parts, d->name, &d->parts, true);
	}
}

/* ---- coefficients ------------------------------------------------------------------------------------ */

int explain_rows(struct rows *r, const struct explain *e)
{
	struct rows *changes, *misfits;
	char line[800];

	rows_init(r, explain_columns, COUNT(explain_columns));
	rows_add(r);
	rows_text(r, "started", e->measured->run->started);
	rows_text(r, "time", e->counted->time);
	run_words(e->measured->run, line, sizeof(line));
	rows_words(r, "measured", "%s", line);
	exact_words(e->counted, line, sizeof(line));
	rows_words(r, "counted", "%s", line);
	/* The variants of a run have one kernel; the first whose program is another one stands for all. */
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct explain_variant *v = &e->variants[i];
		struct made measured = analysis_made(v->measured), counted = exact_made(e->counted, v->counted);

		if (made_rows_change(r, &measured, v->measured->variant->id, &counted, v->counted->id))
			break;
	}
	const struct explain_coefficient *a = &e->fit.terms[EXPLAIN_INSTRUCTIONS],
					 *b = &e->fit.terms[EXPLAIN_TRANSFERS], *c = &e->fit.terms[EXPLAIN_CALLS];
	char ping[80] = "";
	rows_value(r, "instruction_ns", a->value);
	rows_range(r, "instruction_ci95_ns", a->ci95);
	rows_value(r, "instructions_per_ns", a->value > 0 ? 1 / a->value : NAN);
	rows_words(r, "instruction_words", "%.3f ns (95 %%: %.3f to %.3f): %.1f instructions per ns", a->value,
		   a->ci95[0], a->ci95[1], a->value > 0 ? 1 / a->value : 0);
	rows_value(r, "transfer_ns", b->value);
	rows_range(r, "transfer_ci95_ns", b->ci95);
	rows_value(r, "ping_pong_ns", e->ping_pong_ns);
	if (!isnan(e->ping_pong_ns))
		snprintf(ping, sizeof(ping), "; the ping-pong between the two CPUs takes %.0f ns one way",
			 e->ping_pong_ns);
	if (!isnan(b->value))
		rows_words(r, "transfer_words", "%.1f ns a line (95 %%: %.1f to %.1f)%s", b->value, b->ci95[0],
			   b->ci95[1], ping);
	else
		rows_words(r, "transfer_words", "%s%s",
			   e->transfers ? "cannot be separated from instructions" : "not counted in the exact run",
			   ping);
	rows_value(r, "call_ns", c->value);
	rows_range(r, "call_ci95_ns", c->ci95);
	if (isnan(c->value))
		rows_text(r, "call_words", "cannot be separated from instructions");
	else
		rows_words(r, "call_words", "%.2f ns with its return, beside their instructions (95 %%: %.2f to %.2f)",
			   c->value, c->ci95[0], c->ci95[1]);
	rows_value(r, "spread_ns", e->fit.spread_ns);
	rows_value(r, "points", (double)e->npoints);
	rows_words(r, "fit_words",
		   "%zu functions of %zu variant%s; beside its sampling error, a function is %.1f ns off (standard "
		   "deviation)",
		   e->npoints, e->nvariants, e->nvariants == 1 ? "" : "s", e->fit.spread_ns);
	difference_rows(r, e);
	if (e->to) {
		exact_words(e->to, line, sizeof(line));
		rows_words(r, "to", "%s", line);
		changes = rows_table(r, "changes", COLUMNS_OF(change_columns));
		for (size_t i = 0; i < e->nchanges; i++) {
			rows_add_of(changes, &e->changes[i]);
			rows_text(changes, "id", e->changes[i].variant->measured->variant->id);
		}
	}
	misfits = rows_table(r, "misfits", COLUMNS_OF(misfit_columns));
	for (size_t i = 0; i < e->nmisfits; i++) {
		const struct explain_row *row = e->misfits[i];

		rows_add_of(misfits, row);
		rows_interval(misfits, "ns", row->ns, row->half_ns > 0 ? row->half_ns : NAN);
		rows_text(misfits, "id", row->variant->variant->id);
	}
	variant_rows(r, e);
	return rows_error(r);
}
