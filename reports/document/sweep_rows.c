// SPDX-License-Identifier: GPL-2.0-or-later
/* A sweep as rows: its points, the lines through them, and which parameter matters most. */
#include "reports/document/document.h"

static const struct column wakeup_columns[] = {
	{"points", NULL, CELL_COUNT, IN_JSON, FROM(analysis_wakeups, points)},
	{"poll_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, poll_ns)},
	{"poll_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, poll_half_ns)},
	{"full_poll_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, full_ns)},
	{"full_poll_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(analysis_wakeups, full_half_ns)},
};

static const struct column component_columns[] = {
	{"name", NULL, CELL_COMPONENT, IN_JSON, FROM(sweep_component, name)},
	{"self_ns", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_component, self_ns)},
};

/* Behind a column for each parameter. */
static const struct column measured_columns[] = {
	{"variant", "variant", CELL_NAME, IN_JSON | IN_TABLE, FROM(sweep_row, variant)},
	{"ended", NULL, CELL_WORDS, IN_JSON, FROM(sweep_row, ended)},
	{"base_ns", "ns/packet", CELL_NUMBER, IN_JSON | IN_TABLE, FROM_INTERVAL(sweep_row, base_ns, half_ns)},
	{"half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_row, half_ns)},
	{"mpps", "Mpps", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"packets_per_poll", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_row, packets_per_poll)},
	{"busy_cpus", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_row, busy_cpus)},
	{"wakeups", NULL, CELL_OBJECT, IN_JSON},
	{"checks_failed", "failed", CELL_COUNT, IN_JSON | IN_TABLE, FROM(sweep_row, gates_failed)},
	{"components", NULL, CELL_TABLE, IN_JSON},
	{"not_complete", "ended", CELL_WORDS, IN_WIDE | WITH_LINE},
};

static const struct column line_columns[] = {
	{"points", "points", CELL_COUNT, IN_JSON | IN_TABLE, FROM(sweep_line, n)},
	{"variant", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"at", "at", CELL_NAME, IN_JSON | IN_TABLE},
	{"over", "line over", CELL_WORDS, IN_JSON | IN_TABLE},
	{"a_ns", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_line, a)},
	{"a_half_ns", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_line, a_half)},
	{"b", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_line, b)},
	{"b_half", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_line, b_half)},
	{"unit", NULL, CELL_WORDS, IN_JSON},
	{"full_poll_ns", NULL, CELL_NUMBER, IN_JSON},
	{"full_poll_half_ns", NULL, CELL_NUMBER, IN_JSON},
	{"line", "line", CELL_WORDS, IN_WIDE | WITH_LINE},
};

static const struct column rank_columns[] = {
	{"part_pct", "% of variation", CELL_NUMBER, IN_JSON | IN_TABLE},
	{"variant", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"parameter", "explained by", CELL_WORDS, IN_JSON | IN_TABLE},
	{"part_ci95_pct", NULL, CELL_RANGE, IN_JSON | OR_NULL},
	{"low", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_ranked, low)},
	{"high", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_ranked, high)},
	{"span_ns", NULL, CELL_NUMBER, IN_JSON, FROM(sweep_ranked, span_ns)},
	{"span_ci95_ns", NULL, CELL_RANGE, IN_JSON | OR_NULL, FROM(sweep_ranked, span_ci)},
	{"words", "interval, and most expensive value", CELL_WORDS, IN_WIDE | WITH_LINE},
};

static const struct column sweep_columns[] = {
	{"points", "all points", CELL_TABLE, IN_JSON | IN_TABLE | IN_CSV},
	{"lines", "lines through the points", CELL_TABLE, IN_JSON | IN_TABLE},
	{"ranks", "which parameter matters most", CELL_TABLE, IN_JSON | IN_TABLE,
	 "The part of the variation of ns/packet that each explains alone, by least squares; its 95 % interval moves "
	 "each point within its own. The rest belongs to combinations of parameters, and to noise."},
};

/* The parameters for which a line is expected. */
static const struct fit {
	const char *name, *law, *unit, *note;
	int decimals; /* of b */
} fits[] = {
	/* the bytes of a frame are touched one by one */
	{"size", "size: a + b * size", "ns/byte", NULL, 4},
	{SWEEP_RATE, "rate: a + b * polls/packet", "ns/poll", "b is what a poll and waking up for it cost.", 0},
	{SWEEP_BATCH, "batch: a + b / batch", "ns/batch", "b is what a batch costs beside its packets.", 0},
	/* b is 1 where the injected cost is found */
	{SWEEP_INJECT, "inject: a + b * inject", "ns/ns", NULL, 3},
};

/* "42.1 ± 1.2"; half NaN: "42.1" */
static const char *with_half(double value, double half, int decimals, char text[64])
{
	snprintf(text, 64, isnan(half) ? "%.*f" : "%.*f ± %.*f", decimals, value, decimals, half);
	return text;
}

/* A line for each variant, and for each value of the other parameters. */
static int line_rows(struct rows *r, const struct sweep *s)
{
	const struct sweep_point *point = &s->rows[0].point;
	struct sweep_line line;

	for (const struct fit *fit = fits; fit < fits + COUNT(fits); fit++) {
		size_t p = sweep_parameter(point, fit->name);

		for (size_t i = 0; i < s->nrows && p < point->n; i++) {
			int err = sweep_line_from(&line, s, i, p, NULL);

			if (err == -ENOMEM)
				return err;
			if (err)
				continue;
			const struct sweep_row *row = &s->rows[i];
			char at[SWEEP_NAME], a[64], b[64], full[64], words[512];
			sweep_others(row, p, at);
			rows_add_of(r, &line);
			rows_text(r, "variant", row->variant);
			rows_words(r, "at", "%s", at);
			rows_text(r, "over", fit->law);
			r->note = r->note ?: fit->note;
			rows_text(r, "unit", fit->unit);
			snprintf(words, sizeof(words), "a = %s ns, b = %s %s", with_half(line.a, line.a_half, 1, a),
				 with_half(line.b, line.b_half, fit->decimals, b), fit->unit);
			if (!strcmp(fit->name, SWEEP_RATE)) {
				rows_value(r, "full_poll_ns", line.full);
				rows_value(r, "full_poll_half_ns", line.full_half);
				listed_add(words, sizeof(words), "; ", "%s ns/packet in polls of %d",
					   with_half(line.full, line.full_half, 1, full), ANALYSIS_FULL_POLL);
			}
			if (line.n > 2)
				listed_add(words, sizeof(words), "; ", "farthest from the line: %+.2f ns at %s=%.10g",
					   line.far_y, fit->name, s->rows[line.far].point.values[p]);
			rows_words(r, "line", "%s", words);
		}
	}
	return 0;
}

static int rank_rows(struct rows *r, const struct sweep *s)
{
	struct sweep_rank rank;

	for (size_t i = 0; i < s->nrows; i++) {
		int err = sweep_rank_from(&rank, s, i);

		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		for (size_t k = 0; k < rank.n; k++) {
			const struct sweep_row *row = &s->rows[i];
			const struct sweep_ranked *p = &rank.parameters[k];
			bool known = !isnan(p->part_ci95[0]), spans = !isnan(p->span_ns) && p->low != p->high;
			char words[200] = "";

			rows_add_of(r, p);
			rows_text(r, "variant", row->variant);
			rows_text(r, "parameter", row->point.names[p->parameter]);
			rows_number(r, "part_pct", 100 * p->part, 1);
			rows_range(r, "part_ci95_pct", (const double[]){100 * p->part_ci95[0], 100 * p->part_ci95[1]});
			if (known)
				snprintf(words, sizeof(words), "%.1f to %.1f", 100 * p->part_ci95[0],
					 100 * p->part_ci95[1]);
			if (spans)
				listed_add(words, sizeof(words), "; ", "%.1f ns more at %.10g than at %.10g",
					   p->span_ns, p->high, p->low);
			if (spans && !isnan(p->span_ci[0]))
				listed_add(words, sizeof(words), " ", "(%.1f to %.1f)", p->span_ci[0], p->span_ci[1]);
			rows_words(r, "words", "%s", words);
		}
		rows_add(r);
		rows_text(r, "variant", s->rows[i].variant);
		rows_text(r, "parameter", "the rest");
		rows_number(r, "part_pct", 100 * rank.rest, 1);
	}
	return 0;
}

int sweep_rows(struct rows *r, const struct sweep *s, struct column columns[SWEEP_COLUMNS])
{
	const struct sweep_point *point = &s->rows[0].point;
	struct rows *points;

	_Static_assert(SWEEP_PARAMETERS + COUNT(measured_columns) <= SWEEP_COLUMNS, "room for all columns");
	for (size_t i = 0; i < point->n; i++) {
		bool whole = true;

		for (size_t k = 0; k < s->nrows; k++)
			whole &= s->rows[k].point.values[i] == floor(s->rows[k].point.values[i]);
		columns[i] = (struct column){point->names[i], point->names[i], whole ? CELL_COUNT : CELL_NUMBER,
					     IN_JSON | IN_TABLE};
	}
	memcpy(columns + point->n, measured_columns, sizeof(measured_columns));
	rows_init(r, COLUMNS_OF(sweep_columns));
	rows_add(r);
	points = rows_table(r, "points", columns, point->n + COUNT(measured_columns));
	for (const struct sweep_row *row = s->rows; row < s->rows + s->nrows; row++) {
		struct rows *components, *wakeups;

		rows_add_of(points, row);
		for (size_t k = 0; k < row->point.n; k++) { /* as many decimals as it has, up to six */
			double value = row->point.values[k];
			int decimals = 0;

			for (; decimals < 6 && fabs(value - round(value)) > 1e-9; decimals++)
				value *= 10;
			rows_number(points, row->point.names[k], row->point.values[k], decimals);
		}
		rows_number(points, "mpps", row->pps / 1e6, 3);
		if (strcmp(row->ended, "complete"))
			rows_text(points, "not_complete", row->ended);
		wakeups = rows_table(points, "wakeups", COLUMNS_OF(wakeup_columns));
		if (row->wakeups.points)
			rows_add_of(wakeups, &row->wakeups);
		components = rows_table(points, "components", COLUMNS_OF(component_columns));
		for (size_t i = 0; i < row->ncomponents; i++)
			rows_add_of(components, &row->components[i]);
	}
	return line_rows(rows_table(r, "lines", COLUMNS_OF(line_columns)), s)
		       ?: rank_rows(rows_table(r, "ranks", COLUMNS_OF(rank_columns)), s)
		       ?: rows_error(r);
}
