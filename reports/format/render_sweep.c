// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "base/sheet/sheet.h"
#include "reports/sweep/sweep.h"

static const char rank_words[] =
	"Which parameter matters most? The part of the variation of ns/packet that each explains alone";

/* The parameters for which a line is expected. */
const struct render_sweep_fit render_sweep_fits[] = {
	/* the bytes of a frame are touched one by one */
	{"size", "ns/packet = a + b * size", "ns/byte", 4},
	{SWEEP_RATE, "ns/packet = a + b * polls/packet, where b is what a poll and waking up for it cost", "ns/poll",
	 0},
	{SWEEP_BATCH, "ns/packet = a + b / batch, where b is what a batch costs beside its packets", "ns/batch", 0},
	/* b is 1 where the injected cost is found */
	{SWEEP_INJECT, "ns/packet = a + b * inject", "ns/ns", 3},
	{},
};

static int render_row(const struct text *t, const struct sweep_row *row)
{
	for (size_t i = 0; i < row->point.n; i++)
		fprintf(t->out, "%11.10g", row->point.values[i]);
	text_column(t, row->base_ns, row->half_ns, 11, false);
	text_number(t, row->pps / 1e6, 9, 3, false);
	fprintf(t->out, "%8zu  ", row->gates_failed);
	text_last(t, row->variant, 0);
	if (strcmp(row->ended, "complete")) {
		fputs("  (", t->out);
		text_last(t, row->ended, 0);
		fputc(')', t->out);
	}
	return fputc('\n', t->out);
}

const char *render_sweep_half(double value, double half, int decimals, char text[64])
{
	if (isnan(half))
		snprintf(text, 64, "%.*f", decimals, value);
	else
		snprintf(text, 64, "%.*f ± %.*f", decimals, value, decimals, half);
	return text;
}

void render_sweep_others(const struct sweep_row *row, size_t p, char name[SWEEP_NAME])
{
	struct sweep_point others = {};

	for (size_t i = 0; i < row->point.n; i++) {
		if (i == p)
			continue;
		strcpy(others.names[others.n], row->point.names[i]);
		others.values[others.n++] = row->point.values[i];
	}
	sweep_point_name(&others, name);
}

static void render_line(const struct text *t, const struct sweep *s, size_t row, size_t p, const struct sweep_line *l,
			const struct render_sweep_fit *fit)
{
	char label[RUN_ID_BYTES + SWEEP_NAME + 8], a[64], b[64], full[64], far[SWEEP_NAME], line[512];

	render_sweep_others(&s->rows[row], p, far);
	snprintf(label, sizeof(label), "%s%s%s:", s->rows[row].variant, *far ? ", " : "", far);
	snprintf(line, sizeof(line), "a = %s ns, b = %s %s", render_sweep_half(l->a, l->a_half, 1, a),
		 render_sweep_half(l->b, l->b_half, fit->decimals, b), fit->unit);
	if (!strcmp(fit->name, SWEEP_RATE))
		listed_add(line, sizeof(line), ", ", "%s ns/packet in polls of %d",
			   render_sweep_half(l->full, l->full_half, 1, full), ANALYSIS_FULL_POLL);
	listed_add(line, sizeof(line), " ", "(%zu points", l->n);
	if (l->n > 2)
		listed_add(line, sizeof(line), "; ", "farthest from the line: %+.2f ns at %s=%.10g", l->far_y,
			   fit->name, s->rows[l->far].point.values[p]);
	listed_add(line, sizeof(line), "", ")");
	text_labelled(t, TEXT_PLAIN, label, line);
}

/* A line for each variant, and for each value of the other parameters. */
static int render_lines(const struct text *t, const struct sweep *s, const struct render_sweep_fit *fit)
{
	const struct sweep_point *point = &s->rows[0].point;
	struct sweep_line line;
	bool any = false;
	size_t p = sweep_parameter(point, fit->name);

	for (size_t i = 0; i < s->nrows && p < point->n; i++) {
		int err = sweep_line_from(&line, s, i, p, NULL);

		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		if (!any)
			fprintf(t->out, "\n%s\n", fit->law);
		any = true;
		render_line(t, s, i, p, &line, fit);
	}
	return 0;
}

static void render_ranked(const struct text *t, const struct sweep *s, size_t row, const struct sweep_ranked *p)
{
	const char *name = s->rows[row].point.names[p->parameter];

	fprintf(t->out, "    %-10s%6.1f %%", name, 100 * p->part);
	if (!isnan(p->part_ci95[0]))
		fprintf(t->out, " (%.1f to %.1f)", 100 * p->part_ci95[0], 100 * p->part_ci95[1]);
	if (!isnan(p->span_ns) && p->low != p->high)
		fprintf(t->out, "; %.1f ns more at %.10g than at %.10g", p->span_ns, p->high, p->low);
	if (!isnan(p->span_ci[0]))
		fprintf(t->out, " (%.1f to %.1f)", p->span_ci[0], p->span_ci[1]);
	fputc('\n', t->out);
}

/* Which parameter matters most, for each variant. */
static int render_ranks(const struct text *t, const struct sweep *s)
{
	struct sweep_rank rank;
	bool any = false;

	for (size_t i = 0; i < s->nrows; i++) {
		int err = sweep_rank_from(&rank, s, i);

		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		if (!any)
			fprintf(t->out, "\n%s\n", rank_words);
		any = true;
		fputs("  ", t->out);
		text_last(t, s->rows[i].variant, 0);
		fprintf(t->out, ", %zu points:\n", rank.npoints);
		for (size_t k = 0; k < rank.n; k++)
			render_ranked(t, s, i, &rank.parameters[k]);
		fprintf(t->out, "    %-10s%6.1f %%, by combinations of parameters, and noise\n", "the rest",
			100 * rank.rest);
	}
	return 0;
}

int render_sweep_text(FILE *out, const struct sweep *s)
{
	const struct text t = {.out = out};
	int err = 0;

	for (size_t i = 0; i < s->rows[0].point.n; i++)
		fprintf(out, "%11s", s->rows[0].point.names[i]);
	fprintf(out, "%11s%7s%9s%8s  %s\n", "ns/packet", "", "Mpps", "checks", "variant");
	for (size_t i = 0; i < s->nrows; i++)
		render_row(&t, &s->rows[i]);
	for (const struct render_sweep_fit *fit = render_sweep_fits; fit->name && !err; fit++)
		err = render_lines(&t, s, fit);
	if (!err)
		err = render_ranks(&t, s);
	return err ? err : text_finish(&t);
}

int render_sweep_csv(FILE *out, const struct sweep *s)
{
	for (size_t i = 0; i < s->rows[0].point.n; i++) {
		csv_text(out, s->rows[0].point.names[i]);
		fputc(',', out);
	}
	fputs("variant,ended,base_ns,half_ns,mpps,packets_per_poll,busy_cpus,checks_failed\n", out);
	for (size_t i = 0; i < s->nrows; i++) {
		const struct sweep_row *row = &s->rows[i];

		for (size_t k = 0; k < row->point.n; k++)
			fprintf(out, "%.10g,", row->point.values[k]);
		csv_text(out, row->variant);
		fputc(',', out);
		csv_text(out, row->ended);
		csv_number(out, row->base_ns, true);
		csv_number(out, row->half_ns, true);
		csv_number(out, row->pps / 1e6, true);
		csv_number(out, row->packets_per_poll, true);
		csv_number(out, row->busy_cpus, true);
		csv_number(out, (double)row->gates_failed, true);
		fputc('\n', out);
	}
	return render_finish(out);
}

static json_t *components_json(struct json_out *w, const struct sweep_row *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < row->ncomponents; i++) {
		json_t *o = json_object();

		json_out_text(w, o, "name", row->components[i].name);
		json_out_number(w, o, "self_ns", row->components[i].self_ns);
		json_out_add(w, list, o);
	}
	return list;
}

/* null: the row is on no line over rates */
static json_t *wakeups_json(struct json_out *w, const struct analysis_wakeups *wakeups)
{
	json_t *o;

	if (!wakeups->points)
		return json_null();
	o = json_object();
	json_out_count(w, o, "points", (double)wakeups->points);
	json_out_number(w, o, "poll_ns", wakeups->poll_ns);
	json_out_number(w, o, "poll_half_ns", wakeups->poll_half_ns);
	json_out_number(w, o, "full_poll_ns", wakeups->full_ns);
	json_out_number(w, o, "full_poll_half_ns", wakeups->full_half_ns);
	return o;
}

json_t *render_sweep_row(struct json_out *w, const struct sweep_row *row)
{
	json_t *o = json_object();

	for (size_t k = 0; k < row->point.n; k++) {
		double value = row->point.values[k];

		json_out_put(w, o, row->point.names[k],
			     value == floor(value) ? json_out_count_value(value) : json_out_value(value));
	}
	json_out_text(w, o, "variant", row->variant);
	json_out_text(w, o, "ended", row->ended);
	json_out_number(w, o, "base_ns", row->base_ns);
	json_out_number(w, o, "half_ns", row->half_ns);
	json_out_number(w, o, "mpps", row->pps / 1e6);
	json_out_number(w, o, "packets_per_poll", row->packets_per_poll);
	json_out_number(w, o, "busy_cpus", row->busy_cpus);
	json_out_put(w, o, "wakeups", wakeups_json(w, &row->wakeups));
	json_out_count(w, o, "checks_failed", (double)row->gates_failed);
	json_out_put(w, o, "components", components_json(w, row));
	return o;
}

int render_sweep_jsonl(FILE *out, const struct sweep *s)
{
	struct json_out w = {false};
	int err = 0;

	for (size_t i = 0; i < s->nrows && !err; i++)
		err = json_out_write(&w, render_sweep_row(&w, &s->rows[i]), out, JSON_COMPACT);
	return err;
}
