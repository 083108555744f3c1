// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/rows/diff_rows.h"

#include <math.h>
#include "reports/rows/report_rows.h"
#include "reports/rows/report_words.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

/* Facilities and symbols differ in what JSON and people see of the facility. */
#define CHANGE_COLUMNS                                                                                                 \
	{"base_ns", "base ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM, .csv = "base_ns"},                          \
		{"new_ns", "new ns", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM, .csv = "new_ns"},                     \
		{"delta_ns", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SUM | WITH_SIGN | WITH_BAR,              \
		 .csv = "delta_ns"},                                                                                   \
		{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "delta_ns"},                                             \
		{"p", NULL, CELL_NUMBER, IN_JSON, .csv = "p"}, {"q", "q", CELL_CHANCE, IN_JSON | IN_WIDE, .csv = "q"}, \
		{"class", NULL, CELL_WORDS, IN_JSON, .csv = "class"}

static const struct column facility_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "facility", CELL_FACILITY, IN_JSON | IN_TABLE, .csv = "name"},
	{"facility", NULL, CELL_WORDS, 0, .csv = "facility"},
	CHANGE_COLUMNS,
};

static const struct column symbol_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "symbol", CELL_NAME, IN_JSON | IN_TABLE, .csv = "name"},
	{"facility", "facility", CELL_FACILITY, IN_JSON | IN_TABLE, .csv = "facility"},
	CHANGE_COLUMNS,
};

static const struct column counter_columns[] = {
	{"source", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"name", "device's counter", CELL_NAME, IN_JSON | IN_TABLE | WITH_REST},
	{"base_per_packet", "base/packet", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"new_per_packet", "new", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"delta_per_packet", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN},
	{"matters", NULL, CELL_FLAG, IN_JSON},
	{"meaning", "meaning", CELL_WORDS, IN_JSON | IN_TABLE},
};

static const struct column event_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"event", "perf stat", CELL_NAME, IN_JSON | IN_TABLE},
	{"unit", "unit", CELL_WORDS, IN_JSON | IN_TABLE},
	{"base_per_packet", "base/packet", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"new_per_packet", "new", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"delta_per_packet", "change", CELL_NUMBER, IN_JSON | IN_TABLE | WITH_SIGN},
	{"half", NULL, CELL_NUMBER, IN_JSON},
	{"p", NULL, CELL_NUMBER, IN_JSON},
	{"running_pct", NULL, CELL_NUMBER, IN_JSON},
	{"counted_pct", "counted %", CELL_NUMBER, IN_TABLE},
};

static const struct column closure_columns[] = {
	{"sum_delta_ns", NULL, CELL_NUMBER, IN_JSON},
	{"unattributed_delta_ns", NULL, CELL_NUMBER, IN_JSON},
	{"residual_ns", NULL, CELL_NUMBER, IN_JSON},
};

static const struct column diff_columns[] = {
	{"base", NULL, CELL_NAME, IN_JSON},
	{"new", NULL, CELL_NAME, IN_JSON},
	{"same_run", NULL, CELL_FLAG, IN_JSON},
	{"base_pps", NULL, CELL_RATE, IN_JSON},
	{"new_pps", NULL, CELL_RATE, IN_JSON},
	{"base_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "base_ns"},
	{"new_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "new_ns"},
	{"delta_ns", NULL, CELL_NUMBER, IN_JSON, .csv = "delta_ns"},
	{"ci95_ns", NULL, CELL_RANGE, IN_JSON, .csv = "delta_ns"},
	{"p", NULL, CELL_NUMBER, IN_JSON, .csv = "p"},
	{"paired", NULL, CELL_FLAG, IN_JSON},
	{"sides", "Both sides", CELL_TABLE, IN_TABLE},
	{"base_run", "base", CELL_WORDS, IN_FACTS},
	{"new_run", "new", CELL_WORDS, IN_FACTS},
	{"base_stage", "second stage of base", CELL_WORDS, IN_FACTS},
	{"new_stage", "second stage of new", CELL_WORDS, IN_FACTS},
	{"facilities", "Facilities", CELL_TABLE, IN_JSON | IN_TABLE},
	{"symbols", "Symbols", CELL_TABLE, IN_JSON | IN_TABLE, "~ chance explains the change (q >= 0.05)"},
	{"counters", "The device's counters", CELL_TABLE, IN_JSON | IN_TABLE},
	{"events", "perf stat", CELL_TABLE, IN_JSON | IN_TABLE, "Counted on the whole CPU, in windows of their own."},
	{"closure", NULL, CELL_OBJECT, IN_JSON},
	{"closure_words", "closure", CELL_WORDS, IN_PLAIN},
	{"quality", NULL, CELL_TABLE, IN_JSON},
};

/* ---- tables ------------------------------------------------------------------------------------------ */

static void change_rows(struct rows *r, const struct compare_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct compare_row *row = &rows[i];

		rows_add(r);
		rows_class(r, row->significant ? compare_class_name(row->class) : "same");
		rows_text(r, "mark", compare_mark(row));
		rows_text(r, "name", row->name);
		rows_text(r, "facility", row->facility);
		rows_beside(r, "base_ns", row->base_ns, row->half_ns);
		rows_beside(r, "new_ns", row->new_ns, row->half_ns);
		rows_interval(r, "delta_ns", row->delta_ns, row->half_ns);
		rows_range(r, "ci95_ns", row->ci95_ns);
		rows_number(r, "p", row->p, 4);
		rows_number(r, "q", row->q, 4);
		rows_text(r, "class", compare_class_name(row->class));
	}
}

/* Losses, recycling and what differs; people are not shown the others. */
static void counter_rows(struct rows *parent, const struct compare *c)
{
	struct rows *r = rows_table(parent, "counters", counter_columns, COUNT(counter_columns));

	for (size_t i = 0; i < c->ncounters; i++) {
		const struct compare_counter *one = &c->counters[i];

		rows_add(r);
		if (!one->matters)
			rows_hide(r);
		rows_text(r, "source", counter_source_names[one->source]);
		rows_text(r, "name", one->name);
		rows_number(r, "base_per_packet", one->base, 3);
		rows_number(r, "new_per_packet", one->new, 3);
		rows_number(r, "delta_per_packet", one->delta, 3);
		rows_count(r, "matters", one->matters);
		rows_text(r, "meaning", one->meaning);
	}
}

static void event_rows(struct rows *parent, const struct compare *c)
{
	struct rows *r = rows_table(parent, "events", event_columns, COUNT(event_columns));

	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];

		rows_add(r);
		rows_text(r, "mark", fabs(e->delta) <= e->half ? "~" : "");
		rows_text(r, "event", e->name);
		rows_text(r, "unit", e->unit);
		rows_event(r, "base_per_packet", e->base, NAN);
		rows_event(r, "new_per_packet", e->new, NAN);
		rows_event(r, "delta_per_packet", e->delta, e->half);
		rows_number(r, "half", e->half, 4);
		rows_number(r, "p", e->p, 4);
		rows_number(r, "running_pct", e->running_pct, 1);
		rows_number(r, "counted_pct", isnan(e->delta) ? NAN : e->running_pct, 1);
	}
}

static void side_rows(struct rows *parent, const struct compare *c, const char *base, const char *new)
{
	struct rows *r = report_rows_table(parent, "sides");

	report_rows_side(r, c->base, base);
	rows_class(r, "base");
	report_rows_side(r, c->new, new);
	rows_class(r, "new");
}

static void put_headline(struct rows *r, const struct compare *c)
{
	rows_text(r, "base", c->base->variant->id);
	rows_text(r, "new", c->new->variant->id);
	rows_count(r, "same_run", c->same_run);
	rows_count(r, "base_pps", c->base->pps);
	rows_count(r, "new_pps", c->new->pps);
	rows_interval(r, "base_ns", c->base->base_ns, c->base->half_ns);
	rows_interval(r, "new_ns", c->new->base_ns, c->new->half_ns);
	rows_interval(r, "delta_ns", c->headline.delta_ns, c->headline.half_ns);
	rows_range(r, "ci95_ns", c->headline.ci95_ns);
	rows_number(r, "p", c->headline.p, 4);
	rows_count(r, "paired", c->headline.paired);
}

static void put_closure(struct rows *parent, const struct compare *c)
{
	struct rows *r = rows_table(parent, "closure", closure_columns, COUNT(closure_columns));

	rows_add(r);
	rows_number(r, "sum_delta_ns", c->sum_delta_ns, 1);
	rows_number(r, "unattributed_delta_ns", c->unattributed_delta_ns, 1);
	rows_number(r, "residual_ns", c->residual_ns, 3);
	rows_words(parent, "closure_words",
		   "sum of all changes %+.1f ns (unattributed %+.1f), difference measured %+.1f ns, residual %.3f ns",
		   c->sum_delta_ns, c->unattributed_delta_ns, c->headline.delta_ns, fabs(c->residual_ns));
}

/* What may differ beside the variant, and what redirects cost behind the program. */
static void put_words(struct rows *r, const struct compare *c)
{
	const struct analysis_variant *sides[] = {c->base, c->new};
	char line[800];

	for (int i = 0; i < 2; i++) {
		if (!c->same_run) {
			run_words(sides[i]->of->run, line, sizeof(line));
			rows_words(r, i ? "new_run" : "base_run", "run of %s", line);
		}
		if (sides[i]->variant->stage == RUN_STAGE_NONE)
			continue;
		stage_words(sides[i], line, sizeof(line));
		rows_words(r, i ? "new_stage" : "base_stage", "%s%s",
			   isnan(sides[i]->stage.ns) ? "" : "beside the base, ", line);
	}
}

int diff_rows(struct rows *r, const struct compare *c, const char *base, const char *new)
{
	rows_init(r, diff_columns, COUNT(diff_columns));
	rows_add(r);
	put_headline(r, c);
	side_rows(r, c, base, new);
	put_words(r, c);
	change_rows(rows_table(r, "facilities", facility_columns, COUNT(facility_columns)), c->facilities,
		    c->nfacilities);
	change_rows(rows_table(r, "symbols", symbol_columns, COUNT(symbol_columns)), c->symbols, c->nsymbols);
	counter_rows(r, c);
	event_rows(r, c);
	put_closure(r, c);
	quality_rows(r, "quality", &c->quality);
	return rows_error(r);
}
