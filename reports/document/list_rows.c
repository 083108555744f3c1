// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists as rows: the runs of a history, what a run's variants are beside those of another one, and a self-test. */
#include "reports/document/document.h"

/* ---- the runs of a history --------------------------------------------------------------------------- */

static const struct column run_columns[] = {
	{"run", "run", CELL_NAME, IN_TABLE},          {"name", "name", CELL_NAME, IN_TABLE},
	{"started", "started", CELL_WORDS, IN_TABLE}, {"kernel", "kernel", CELL_NAME, IN_TABLE},
	{"machine", "machine", CELL_WORDS, IN_TABLE}, {"device", "device", CELL_NAME, IN_TABLE},
};

static const struct column measured_columns[] = {
	{"run", "run", CELL_COUNT, IN_JSON | IN_TABLE, FROM(history_row, run)},
	{"name", NULL, CELL_NAME, IN_JSON | OR_NULL, FROM(history_row, name)},
	{"started", NULL, CELL_WORDS, IN_JSON, FROM(history_row, started)},
	{"kernel", NULL, CELL_NAME, IN_JSON, FROM(history_row, kernel)},
	{"device", NULL, CELL_NAME, IN_JSON, FROM(history_row, device)},
	{"kernel_version", NULL, CELL_WORDS, IN_JSON | OR_NULL, FROM(history_row, kernel_version)},
	{"machine", NULL, CELL_WORDS, IN_JSON | OR_NULL, FROM(history_row, machine)},
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE, FROM(history_row, variant)},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE, FROM_INTERVAL(history_row, cost, half)},
	{"half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(history_row, half)},
	{"pps", "pps", CELL_RATE, IN_JSON | IN_TABLE, FROM(history_row, rate)},
	{"blocks", "blocks", CELL_COUNT, IN_JSON | IN_TABLE, FROM(history_row, blocks)},
	{"checks_failed", "failed", CELL_COUNT, IN_JSON | IN_TABLE, FROM(history_row, gates_failed)},
};

static const struct column exact_columns[] = {
	{"run", "exact run", CELL_COUNT, IN_JSON | IN_TABLE, FROM(history_row, run)},
	{"name", NULL, CELL_NAME, IN_JSON | OR_NULL, FROM(history_row, name)},
	{"time", NULL, CELL_WORDS, IN_JSON, FROM(history_row, started)},
	{"kernel", NULL, CELL_NAME, IN_JSON, FROM(history_row, kernel)},
	{"nic", NULL, CELL_NAME, IN_JSON, FROM(history_row, device)},
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE, FROM(history_row, variant)},
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(history_row, cost), .decimals = 3},
	{"calls", "calls", CELL_NUMBER, IN_JSON | IN_TABLE, FROM(history_row, rate), .decimals = 3},
};

static const struct column change_columns[] = {
	{"kind", NULL, CELL_WORDS, IN_JSON},
	{"run", NULL, CELL_COUNT, IN_JSON},
	{"device", NULL, CELL_NAME, IN_JSON},
	{"nic", NULL, CELL_NAME, IN_JSON},
	{"machine", NULL, CELL_WORDS, IN_JSON | OR_NULL},
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"before_ns", "ns before", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"after_ns", "after", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"before_instructions", "instructions before", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"after_instructions", "after", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"change_pct", "%", CELL_NUMBER, IN_TABLE | WITH_SIGN},
	{"runs_before", "runs before", CELL_COUNT, IN_JSON | IN_TABLE},
	{"runs_after", "runs after", CELL_COUNT, IN_JSON | IN_TABLE},
	{"at", "changed at run", CELL_NAME, IN_TABLE},
	{"on", "on", CELL_NAME, IN_TABLE},
};

static const struct column history_columns[] = {
	{"runs", "runs", CELL_TABLE, IN_TABLE},
	{"variants", "variants", CELL_TABLE, IN_JSON | IN_TABLE | IN_CSV},
	{"exact", "exact counts", CELL_TABLE, IN_JSON | IN_TABLE},
	{"changes", "changes of level", CELL_TABLE, IN_JSON | IN_TABLE},
};

/* As the command takes it: 2, exact/1. */
static void put_number(struct rows *r, const char *key, const struct history_row *row)
{
	rows_words(r, key, "%s%lld", row->kind == HISTORY_EXACT ? "exact/" : "", (long long)row->run);
}

/* Where variants changed their level: those of this run, or run 0: all. */
static int change_rows(struct rows *parent, const struct history_list *l, enum history_kind kind, int64_t run)
{
	struct rows *r = rows_table(parent, "changes", COLUMNS_OF(change_columns));
	struct history_change *changes = NULL;
	size_t n = 0;
	int err = history_changes(l, &changes, &n);

	for (const struct history_change *c = changes; !err && c < changes + n; c++) {
		const struct history_row *row = c->first;
		bool exact = row->kind == HISTORY_EXACT;
		bool belongs = !run; /* of the run, with this device and machine; run 0: any is */

		for (size_t i = 0; !belongs && i < l->nrows; i++)
			if (l->rows[i].kind == kind && l->rows[i].run == run && row->kind == kind &&
			    !history_row_order(&l->rows[i], row))
				belongs = true;
		if (!belongs)
			continue;
		rows_add(r);
		rows_text(r, "kind", exact ? "exact" : "measured");
		rows_value(r, "run", (double)row->run);
		rows_text(r, exact ? "nic" : "device", row->device);
		rows_text(r, "machine", exact ? NULL : row->machine);
		rows_text(r, "id", row->variant);
		rows_number(r, exact ? "before_instructions" : "before_ns", c->before, exact ? 3 : 1);
		rows_number(r, exact ? "after_instructions" : "after_ns", c->after, exact ? 3 : 1);
		rows_number(r, "change_pct", 100 * (c->after / c->before - 1), 1);
		rows_value(r, "runs_before", (double)c->runs_before);
		rows_value(r, "runs_after", (double)c->runs_after);
		put_number(r, "at", row);
		rows_text(r, "on", row->device);
	}
	free(changes);
	return err;
}

int history_rows(struct rows *r, const struct history_list *l)
{
	struct rows *of[2], *runs;

	rows_init(r, COLUMNS_OF(history_columns));
	rows_add(r);
	runs = rows_table(r, "runs", COLUMNS_OF(run_columns));
	/* The machine stands where measured runs are of more than one. */
	const struct history_row *first = NULL;
	bool machines = false;
	for (size_t i = 0; i < l->nrows; i++) {
		if (l->rows[i].kind == HISTORY_EXACT)
			continue;
		first = first ?: &l->rows[i];
		machines |= strcmp(l->rows[i].machine, first->machine) != 0;
	}
	for (const struct history_row *row = l->rows; row < l->rows + l->nrows; row++) {
		if (row > l->rows && row->run == row[-1].run && row->kind == row[-1].kind)
			continue;
		rows_add(runs);
		put_number(runs, "run", row);
		rows_text(runs, "name", row->name);
		rows_text(runs, "started", row->started);
		rows_text(runs, "kernel", row->kernel);
		rows_text(runs, "machine", machines ? row->machine : NULL);
		rows_text(runs, "device", row->device);
	}
	of[HISTORY_MEASURED] = rows_table(r, "variants", COLUMNS_OF(measured_columns));
	of[HISTORY_EXACT] = rows_table(r, "exact", COLUMNS_OF(exact_columns));
	for (size_t i = 0; i < l->nrows; i++)
		rows_add_of(of[l->rows[i].kind], &l->rows[i]);
	return change_rows(r, l, HISTORY_MEASURED, 0) ?: rows_error(r);
}

/* ---- a run held against another one ------------------------------------------------------------------ */

/* A row of the class "bad" fails, one of the class "open" is inconclusive. */
static const struct column check_variant_columns[] = {
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"verdict", "verdict", CELL_WORDS, IN_JSON | IN_TABLE},
	{"base_ns", "ref ns", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"new_ns", "new ns", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"delta_ns", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN,
	 FROM_INTERVAL(regression_row, overall.delta_ns, overall.half_ns)},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, FROM(regression_row, overall.ci95_ns)},
	{"delta_pct", "%", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN, FROM(regression_row, delta_pct), .decimals = 1},
	{"p", NULL, CELL_CHANCE, IN_JSON, FROM(regression_row, p)},
	{"why", "why", CELL_WORDS, IN_JSON | IN_WIDE | WITH_LINE, FROM(regression_row, why)},
	{"made_with", "made with", CELL_WORDS, IN_JSON | OR_NULL | IN_WIDE | WITH_LINE, FROM(regression_row, made)},
};

static const struct column check_columns[] = {
	{"base_started", NULL, CELL_WORDS, IN_JSON},
	{"new_started", NULL, CELL_WORDS, IN_JSON},
	{"threshold_pct", NULL, CELL_NUMBER, IN_JSON},
	{"run_sd_pct", NULL, CELL_NUMBER, IN_JSON},
	{"run_sd_from", NULL, CELL_WORDS, IN_JSON},
	{"run_sd_runs", NULL, CELL_COUNT, IN_JSON},
	{"variants", "variants", CELL_TABLE, IN_JSON | IN_TABLE | IN_CSV},
	{"changes", "changes of level", CELL_TABLE, IN_TABLE},
};

int check_rows(struct rows *r, const struct regression *c, const struct history_list *all, int64_t run)
{
	static const char *const classes[] = {
		[REGRESSION_SLOWER] = "bad", [REGRESSION_NOT_JUDGED] = "open", [REGRESSION_NEW] = "open"};
	static const char *const verdicts[] = {"same", "faster", "SLOWER", "not evaluated", "new"};
	struct rows *variants;

	rows_init(r, COLUMNS_OF(check_columns));
	rows_add(r);
	rows_text(r, "base_started", c->base->run->started);
	rows_text(r, "new_started", c->new->run->started);
	rows_value(r, "threshold_pct", c->threshold_pct);
	rows_value(r, "run_sd_pct", c->between.sd_pct);
	rows_text(r, "run_sd_from", (const char *const[]){"assumed", "given", "history"}[c->between.source]);
	rows_value(r, "run_sd_runs", (double)c->between.runs);
	variants = rows_table(r, "variants", COLUMNS_OF(check_variant_columns));
	for (const struct regression_row *row = c->rows; row < c->rows + c->nrows; row++) {
		bool ruled = row->overall.reference.known; /* both are given at one speed */

		rows_add_of(variants, row);
		rows_last(variants)->class = classes[row->verdict];
		rows_text(variants, "id", row->new->variant->id);
		rows_text(variants, "verdict", verdicts[row->verdict]);
		rows_number(variants, "base_ns",
			    ruled       ? row->overall.base_ns
			    : row->base ? row->base->base_ns
					: NAN,
			    1);
		rows_number(variants, "new_ns", ruled ? row->overall.new_ns : row->new->base_ns, 1);
	}
	return change_rows(r, all, HISTORY_MEASURED, run) ?: rows_error(r);
}

/* ---- exact counts held against those of another run -------------------------------------------------- */

#define INSTRUCTIONS(key, head, flags, member)                                                                         \
	{key, head, CELL_NUMBER, IN_JSON | IN_TABLE | (flags), FROM(exact_diff_row, member), .decimals = 3}

static const struct column function_columns[] = {
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE, FROM(exact_diff_row, name)},
	{"verdict", "verdict", CELL_WORDS, IN_JSON | IN_TABLE},
	INSTRUCTIONS("base_instructions", "ref", 0, base.instructions[EXACT_PACKET]),
	INSTRUCTIONS("new_instructions", "new", 0, new.instructions[EXACT_PACKET]),
	INSTRUCTIONS("change", "change", WITH_SIGN, change),
	{"bound", NULL, CELL_NUMBER, IN_JSON},
	{"exact", NULL, CELL_FLAG, IN_JSON, FROM(exact_diff_row, exact)},
	{"mark", "", CELL_MARK, IN_TABLE},
};

static const struct column exact_check_variant_columns[] = {
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"verdict", "verdict", CELL_WORDS, IN_JSON | IN_TABLE},
	{"base_instructions", "ref", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"new_instructions", "new", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"change", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN},
	{"made_with", "made with", CELL_WORDS, IN_JSON | OR_NULL | IN_WIDE | WITH_LINE, FROM(exact_check_row, made)},
	{"functions", "functions that differ", CELL_TABLE, IN_JSON | IN_TABLE},
};

static const struct column exact_check_columns[] = {
	{"base_time", NULL, CELL_WORDS, IN_JSON},
	{"new_time", NULL, CELL_WORDS, IN_JSON},
	{"variants", "instructions per packet", CELL_TABLE, IN_JSON | IN_TABLE | IN_CSV},
	{"changes", "changes of level", CELL_TABLE, IN_TABLE},
};

static const char *const exact_verdicts[] = {
	[EXACT_SAME] = "same", [EXACT_LESS] = "less", [EXACT_MORE] = "MORE", [EXACT_NEW] = "new"};

static const char *class_of(enum exact_verdict verdict)
{
	return verdict == EXACT_MORE ? "bad" : verdict == EXACT_NEW ? "open" : NULL;
}

int exact_check_rows(struct rows *r, const struct exact_check *c, const struct history_list *all, int64_t run)
{
	struct rows *variants, *functions;

	rows_init(r, COLUMNS_OF(exact_check_columns));
	rows_add(r);
	rows_text(r, "base_time", c->base->time);
	rows_text(r, "new_time", c->new->time);
	variants = rows_table(r, "variants", COLUMNS_OF(exact_check_variant_columns));
	for (const struct exact_check_row *row = c->rows; row < c->rows + c->nrows; row++) {
		rows_add_of(variants, row);
		rows_last(variants)->class = class_of(row->verdict);
		rows_text(variants, "id", row->new->id);
		rows_text(variants, "verdict", exact_verdicts[row->verdict]);
		rows_number(variants, "new_instructions", row->new->total.instructions[EXACT_PACKET], 3);
		if (row->verdict != EXACT_NEW) {
			rows_number(variants, "base_instructions", row->diff.base->total.instructions[EXACT_PACKET], 3);
			rows_number(variants, "change", row->diff.change, 3);
		}
		functions = rows_table(variants, "functions", COLUMNS_OF(function_columns));
		for (const struct exact_diff_row *of = row->diff.rows; of < row->diff.rows + row->diff.nrows; of++) {
			enum exact_verdict verdict = exact_check_function(of);

			if (verdict == EXACT_SAME)
				continue;
			rows_add_of(functions, of);
			rows_last(functions)->class = class_of(verdict);
			rows_text(functions, "verdict", exact_verdicts[verdict]);
			rows_value(functions, "bound", exact_check_bound(of));
			rows_text(functions, "mark", of->exact ? "" : "~");
		}
	}
	return change_rows(r, all, HISTORY_EXACT, run) ?: rows_error(r);
}

/* ---- a self-test ------------------------------------------------------------------------------------- */

static const struct column bar_columns[] = {
	{"check", "check", CELL_NAME, IN_JSON | IN_TABLE, FROM(check_row, check)},
	{"of", "of", CELL_NAME, IN_JSON | IN_TABLE, FROM(check_row, of)},
	{"unit", NULL, CELL_WORDS, IN_JSON, FROM(check_row, unit)},
	{"value", "value", CELL_NUMBER, IN_JSON | IN_TABLE, FROM_INTERVAL(check_row, value, spread)},
	{"ci95_half", NULL, CELL_NUMBER, IN_JSON, FROM(check_row, spread)},
	{"limit", NULL, CELL_NUMBER, IN_JSON, FROM(check_row, limit)},
	{"sense", NULL, CELL_WORDS, IN_JSON},
	{"bar", "bar", CELL_WORDS, IN_TABLE},
	{"verdict", "verdict", CELL_WORDS, IN_JSON | IN_TABLE},
	{"note", "note", CELL_WORDS, IN_JSON | IN_WIDE | WITH_LINE, FROM(check_row, note)},
};

static const struct column selftest_columns[] = {
	{"ok", NULL, CELL_FLAG, IN_JSON},
	{"checks", "checks", CELL_TABLE, IN_JSON | IN_TABLE | IN_CSV},
};

int selftest_rows(struct rows *r, const struct checks *c)
{
	static const struct {
		const char *word, *class;
	} verdicts[] = {[CHECK_HELD] = {"ok", NULL},
			[CHECK_OPEN] = {"inconclusive", "open"},
			[CHECK_MISSED] = {"missed", "bad"}};
	struct rows *bars;

	rows_init(r, COLUMNS_OF(selftest_columns));
	rows_add(r);
	rows_value(r, "ok", checks_count(c, CHECK_HELD) == c->nrows);
	bars = rows_table(r, "checks", COLUMNS_OF(bar_columns));
	for (const struct check_row *row = c->rows; row < c->rows + c->nrows; row++) {
		rows_add_of(bars, row);
		rows_last(bars)->class = verdicts[row->verdict].class;
		rows_text(bars, "sense", row->at_least ? "at least" : "at most");
		rows_words(bars, "bar", "%s %.4g %s", row->at_least ? ">=" : "<=", row->limit, row->unit);
		rows_text(bars, "verdict", verdicts[row->verdict].word);
	}
	return rows_error(r);
}
