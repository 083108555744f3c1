// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/sheet/sheet.h"

/* Does the list have measured runs of more than one? */
static bool are_of_machines(const struct history_list *l)
{
	const char *first = NULL;

	for (size_t i = 0; i < l->nrows; i++) {
		if (l->rows[i].kind == HISTORY_EXACT)
			continue;
		if (first && strcmp(l->rows[i].machine, first))
			return true;
		first = l->rows[i].machine;
	}
	return false;
}

static void print_kind(const struct text *t, const struct history_list *l, enum history_kind kind)
{
	const struct history_row *row, *last = NULL;
	bool machines = are_of_machines(l);
	char pps[32];

	for (row = l->rows; row < l->rows + l->nrows; row++) {
		if (row->kind != kind)
			continue;
		if (!last || row->run != last->run) {
			/* Prints the run once, above the lines of its variants. */
			bool told = machines && *row->machine;
			char line[400];

			snprintf(line, sizeof(line), "%srun %lld%s%s%s: %s, Linux %s, %s%s%s",
				 row->kind == HISTORY_EXACT ? "exact " : "", (long long)row->run,
				 *row->name ? " (" : "", row->name, *row->name ? ")" : "", row->started, row->kernel,
				 row->device, told ? ", machine " : "", told ? row->machine : "");
			text_wrapped(t, 0, line);
		}
		last = row;
		if (kind == HISTORY_EXACT) {
			text_number(t, row->cost, 12, 3, false);
			text_number(t, row->rate, 12, 3, false);
			fputs("  ", t->out);
		} else {
			text_column(t, row->cost, row->half, 9, false);
			fprintf(t->out, "%14s%8.0f%8.0f  ",
				isnan(row->rate) ? "-" : digits_count(row->rate, pps, sizeof(pps)), row->blocks,
				row->gates_failed);
		}
		text_last(t, row->variant, 0);
		fputc('\n', t->out);
	}
}

/*
 * Changes at one run: "drop/no-touch@skb on xzrx changed at run 7 (after): 310.2 to 345.1 ns (+11.3 %), 6 runs before
 * it and ..."; of several variants "3 variants on xzrx changed at run 7 (after):", with a line for each of them.
 */
static void print_changes(const struct text *t, const struct history_change *c, size_t n)
{
	const struct history_row *row = c->first;
	bool exact = row->kind == HISTORY_EXACT, named = *row->name, several = n > 1;
	char place[200], line[900];

	snprintf(place, sizeof(place), "on %s changed at %srun %lld%s%s%s", row->device, exact ? "exact " : "",
		 (long long)row->run, named ? " (" : "", row->name, named ? ")" : "");
	snprintf(line, sizeof(line), "%zu variants %s:", n, place);
	if (several)
		text_wrapped(t, 0, line);
	for (; n > 0; n--, c++) {
		snprintf(line, sizeof(line), "%s%s%s: %.*f to %.*f %s (%+.1f %%), %zu run%s%s %zu%s", c->first->variant,
			 several ? "" : " ", several ? "" : place, exact ? 3 : 1, c->before, exact ? 3 : 1, c->after,
			 exact ? "instructions" : "ns", 100 * (c->after / c->before - 1), c->runs_before,
			 c->runs_before == 1 ? "" : "s", several ? ", then" : " before it and", c->runs_after,
			 several ? "" : " from it on");
		text_wrapped(t, several ? 2 : 0, line);
	}
}

static bool is_of_one_run(const struct history_change *a, const struct history_change *b)
{
	return a->first->kind == b->first->kind && a->first->run == b->first->run;
}

static bool is_of_run(const struct history_list *l, const struct history_change *c, enum history_kind kind, int64_t run)
{
	for (size_t i = 0; i < l->nrows; i++)
		if (l->rows[i].kind == kind && l->rows[i].run == run && c->first->kind == kind &&
		    history_row_of_series(&l->rows[i], c->first))
			return true;
	return false;
}

int render_changes_text(FILE *out, const struct history_list *l, enum history_kind kind, int64_t run)
{
	const struct text t = {.out = out};
	struct history_change *changes;
	size_t n, kept = 0;
	int err = history_changes(l, &changes, &n);

	for (size_t i = 0; i < n && !err; i++)
		if (!run || is_of_run(l, &changes[i], kind, run))
			changes[kept++] = changes[i];
	for (size_t i = 0, next; i < kept && !err; i = next) {
		for (next = i + 1; next < kept && is_of_one_run(&changes[i], &changes[next]); next++)
			;
		print_changes(&t, &changes[i], next - i);
	}
	free(changes);
	return err ? err : text_finish(&t);
}

int render_history_text(FILE *out, const struct history_list *l, bool colour)
{
	const struct text t = {.out = out, .colour = colour};
	size_t exact = 0;

	for (size_t i = 0; i < l->nrows; i++)
		exact += l->rows[i].kind == HISTORY_EXACT;

	if (l->nrows > exact || !exact)
		text_styled(&t, TEXT_TITLE, "%9s%7s%14s%8s%8s  %s\n", "ns/packet", "", "pps", "blocks", "failed",
			    "variant");
	print_kind(&t, l, HISTORY_MEASURED);
	if (exact)
		text_styled(&t, TEXT_TITLE, "%12s%12s  %s\n", "instructions", "calls", "variant");
	print_kind(&t, l, HISTORY_EXACT);
	return render_changes_text(out, l, HISTORY_MEASURED, 0);
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_text_string(text) : json_null();
}

static json_t *changes_json(struct json_out *w, const struct history_list *l)
{
	struct history_change *changes;
	json_t *list = json_array();
	size_t n;

	if (history_changes(l, &changes, &n)) /* out of memory */
		w->failed = true;
	for (size_t i = 0; i < n; i++) {
		const struct history_row *row = changes[i].first;
		bool exact = row->kind == HISTORY_EXACT;
		json_t *item = json_object();

		json_out_text(w, item, "kind", exact ? "exact" : "measured");
		json_out_put(w, item, "run", json_integer(row->run));
		json_out_text(w, item, exact ? "nic" : "device", row->device);
		if (!exact)
			json_out_put(w, item, "machine", text_or_null(row->machine));
		json_out_text(w, item, "id", row->variant);
		json_out_number(w, item, exact ? "before_instructions" : "before_ns", changes[i].before);
		json_out_number(w, item, exact ? "after_instructions" : "after_ns", changes[i].after);
		json_out_count(w, item, "runs_before", (double)changes[i].runs_before);
		json_out_count(w, item, "runs_after", (double)changes[i].runs_after);
		json_out_add(w, list, item);
	}
	free(changes);
	return list;
}

int render_history_json(FILE *out, const struct history_list *l)
{
	json_t *o = json_object(), *rows[] = {[HISTORY_MEASURED] = json_array(), [HISTORY_EXACT] = json_array()};
	struct json_out w = {false};

	for (const struct history_row *row = l->rows; row < l->rows + l->nrows; row++) {
		bool exact = row->kind == HISTORY_EXACT;
		json_t *item = json_object();

		json_out_put(&w, item, "run", json_integer(row->run));
		json_out_put(&w, item, "name", text_or_null(row->name));
		json_out_text(&w, item, exact ? "time" : "started", row->started);
		json_out_text(&w, item, "kernel", row->kernel);
		json_out_text(&w, item, exact ? "nic" : "device", row->device);
		if (!exact) {
			json_out_put(&w, item, "kernel_version", text_or_null(row->kernel_version));
			json_out_put(&w, item, "machine", text_or_null(row->machine));
		}
		json_out_text(&w, item, "id", row->variant);
		json_out_number(&w, item, exact ? "instructions" : "base_ns", row->cost);
		if (!exact)
			json_out_number(&w, item, "half_ns", row->half);
		json_out_number(&w, item, exact ? "calls" : "pps", row->rate);
		if (!exact) {
			json_out_count(&w, item, "blocks", row->blocks);
			json_out_count(&w, item, "checks_failed", row->gates_failed);
		}
		json_out_add(&w, rows[row->kind], item);
	}
	json_out_text(&w, o, "schema", "xdpzoom.history/1");
	json_out_put(&w, o, "variants", rows[HISTORY_MEASURED]);
	json_out_put(&w, o, "exact", rows[HISTORY_EXACT]);
	json_out_put(&w, o, "changes", changes_json(&w, l));
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

static bool is_bad(const struct regression_row *row)
{
	return row->verdict == REGRESSION_SLOWER || row->verdict == REGRESSION_NOT_JUDGED;
}

static void print_verdict(const struct text *t, const struct regression_row *row)
{
	bool ruled = row->overall.reference.known; /* both are given at one speed */

	text_styled(t, is_bad(row) ? TEXT_BAD : TEXT_PLAIN, "%-11s", regression_name(row->verdict));
	text_number(t, ruled ? row->overall.base_ns : row->base ? row->base->base_ns : NAN, 9, 1, false);
	text_number(t, ruled ? row->overall.new_ns : row->new->base_ns, 9, 1, false);
	fputc(' ', t->out);
	text_column(t, row->overall.delta_ns, row->overall.half_ns, 8, true);
	text_number(t, row->delta_pct, 8, 1, true);
	fprintf(t->out, "  %s\n", row->new->variant->id);
	if (*row->why)
		text_wrapped(t, 11, row->why);
	if (row->made[0])
		text_wrapped(t, 11, row->made);
}

int render_regression_text(FILE *out, const struct regression *r, bool colour)
{
	const struct text t = {.out = out, .colour = colour};
	size_t new = regression_count(r, REGRESSION_NEW), both = r->nrows - new;
	char line[400], between[120], also[64] = "";

	text_styled(&t, TEXT_TITLE, "%-11s%9s%9s %8s%7s%8s  %s\n", "", "ref ns", "new ns", "change", "", "%",
		    "variant");
	for (size_t i = 0; i < r->nrows; i++)
		print_verdict(&t, &r->rows[i]);
	if (new)
		snprintf(also, sizeof(also), ", and %zu more %s in the new run alone", new, new == 1 ? "is" : "are");
	snprintf(line, sizeof(line),
		 "%zu of %zu variant%s slower than in the run of %s, beyond chance (5 %% for all of them together) and "
		 "%.4g %%; %zu not evaluated%s. In the intervals: %s",
		 regression_count(r, REGRESSION_SLOWER), both, both == 1 ? "" : "s", r->base->run->started,
		 r->threshold_pct, regression_count(r, REGRESSION_NOT_JUDGED), also,
		 between_words(&r->between, between, sizeof(between)));
	text_wrapped(&t, 0, line);
	return text_finish(&t);
}

int render_regression_json(FILE *out, const struct regression *r)
{
	json_t *o = json_object(), *rows = json_array();
	struct json_out w = {false};

	for (size_t i = 0; i < r->nrows; i++) {
		const struct regression_row *row = &r->rows[i];
		bool ruled = row->overall.reference.known;
		json_t *item = json_object();

		json_out_text(&w, item, "id", row->new->variant->id);
		json_out_text(&w, item, "verdict", regression_name(row->verdict));
		json_out_number(&w, item, "base_ns",
				ruled       ? row->overall.base_ns
				: row->base ? row->base->base_ns
					    : NAN);
		json_out_number(&w, item, "new_ns", ruled ? row->overall.new_ns : row->new->base_ns);
		json_out_number(&w, item, "delta_ns", row->overall.delta_ns);
		json_out_put(&w, item, "ci95_ns",
			     json_pack("[o, o]", json_out_value(row->overall.ci95_ns[0]),
				       json_out_value(row->overall.ci95_ns[1])));
		json_out_number(&w, item, "delta_pct", row->delta_pct);
		json_out_number(&w, item, "p", row->p);
		json_out_text(&w, item, "why", row->why);
		json_out_put(&w, item, "made_with", row->made[0] ? json_text_string(row->made) : json_null());
		json_out_add(&w, rows, item);
	}
	json_out_text(&w, o, "schema", "xdpzoom.check/2");
	json_out_text(&w, o, "base_started", r->base->run->started);
	json_out_text(&w, o, "new_started", r->new->run->started);
	json_out_number(&w, o, "threshold_pct", r->threshold_pct);
	json_out_number(&w, o, "run_sd_pct", r->between.sd_pct);
	json_out_text(&w, o, "run_sd_from", (const char *const[]){"assumed", "given", "history"}[r->between.source]);
	json_out_count(&w, o, "run_sd_runs", (double)r->between.runs);
	json_out_put(&w, o, "variants", rows);
	return json_out_write(&w, o, out, JSON_INDENT(2));
}

/* A variant that cannot be compared, or that the other run lacks, is skipped. */
int render_regression_ktap(FILE *out, const struct regression *r)
{
	static const enum ktap_result results[] = {[REGRESSION_SAME] = KTAP_PASS,
						   [REGRESSION_FASTER] = KTAP_PASS,
						   [REGRESSION_SLOWER] = KTAP_FAIL,
						   [REGRESSION_NOT_JUDGED] = KTAP_SKIP,
						   [REGRESSION_NEW] = KTAP_SKIP};
	char change[48], why[400];
	struct ktap k;

	ktap_begin(&k, out, r->nrows);
	for (const struct regression_row *row = r->rows; row < r->rows + r->nrows; row++) {
		const char *id = row->new->variant->id;

		if (!isnan(row->overall.delta_ns))
			ktap_comment(
				&k, "%s: %s ns per packet more than %.1f, %+.1f %%", id,
				digits_interval(row->overall.delta_ns, row->overall.half_ns, change, sizeof(change)),
				row->base->base_ns, row->delta_pct);
		snprintf(why, sizeof(why), "%s%s%s%s%s", regression_name(row->verdict), *row->why ? ": " : "", row->why,
			 row->made[0] ? "; " : "", row->made);
		ktap_add(&k, results[row->verdict], id, "not-slower", why);
	}
	return ktap_end(&k);
}
