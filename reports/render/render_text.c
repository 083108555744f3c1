// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of `report`: the run, native beside skb, then variant by variant; and of `diff`. */
#include <math.h>
#include "reports/render/render.h"
#include "reports/document/sentence.h"
#include "reports/render/text_gates.h"
#include "base/sheet/text_rows.h"
#include "reports/rows/diff_rows.h"
#include "reports/rows/report_rows.h"
#include "reports/rows/report_words.h"

/* Prints what was measured, and on which machine. */
static void render_run(const struct text *t, const struct run *r)
{
	char line[SENTENCE_BYTES];

	run_words(r, line, sizeof(line));
	text_wrapped(t, 0, line);
}

/* Prints "12.500      80.0 ±  0.4", 25 columns wide. Without such a variant: blanks, then "-". */
static void overview_side(const struct text *t, const struct analysis_variant *v)
{
	if (!v || !v->nused) {
		fprintf(t->out, "%25s", "-");
		return;
	}
	fprintf(t->out, "%8.3f ", v->pps / 1e6);
	text_column(t, v->base_ns, v->half_ns, 9, false);
}

/* Returns the width of the first column: that of the longest name, if there is room for it. */
static int name_width(const struct overview *v, const struct text *t)
{
	size_t width = 16;

	for (size_t i = 0; i < v->nrows; i++)
		width = fmax(width, text_width(v->rows[i].name));
	if (t->columns && width + 64 > t->columns)
		width = t->columns - 64;
	return (int)width;
}

int render_overview_table(FILE *out, const struct overview *v, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	int width = name_width(v, &t);

	text_styled(&t, TEXT_TITLE, "%-*s%25s%25s%14s\n", width, "", "native       ", "skb       ", "skb - native");
	text_styled(&t, TEXT_TITLE, "%-*s%8s %9s%15s %9s%16s\n", width, "", "Mpps", "ns/packet", "Mpps", "ns/packet",
		    "ns/packet");
	for (size_t i = 0; i < v->nrows; i++) {
		const struct overview_row *row = &v->rows[i];

		text_name(&t, row->name, (size_t)width);
		overview_side(&t, row->native);
		overview_side(&t, row->skb);
		if (row->have_difference && !compare_busy_alike(row->native, row->skb))
			fprintf(out, "%14s", "unlike busy");
		else if (row->have_difference)
			text_column(&t, row->difference.delta_ns, row->difference.half_ns, 7, true);
		fputc('\n', out);
	}
	return text_finish(&t);
}

int render_overview_text(FILE *out, const struct overview *v, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};

	render_run(&t, v->of->run);
	fputc('\n', out);
	return render_overview_table(out, v, o);
}

static void render_variant(const struct text *t, const struct rows *r, size_t row, size_t max)
{
	text_styled(t, TEXT_TITLE, "\n%s\n", rows_cell(r, row, "id")->text);
	if (rows_cell(r, row, "blocks_used")->value > 0) {
		text_facts(t, r, row, IN_FACTS);
		text_tables(t, r, row, max);
	} else {
		text_wrapped(t, 2, "no block with packets");
	}
}

static int render_overview_of(FILE *out, const struct analysis *a, const struct render_options *o)
{
	struct overview v;
	int err = overview_build(&v, a, NULL);

	if (err)
		return err;
	err = render_overview_text(out, &v, o);
	overview_release(&v);
	return err;
}

static size_t most(const struct render_options *o)
{
	return o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;
}

int render_report_text(FILE *out, const struct analysis *a, const struct analysis_variant *only,
		       const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	struct rows r;
	int err = report_rows(&r, a, only);

	if (!err && only)
		render_run(&t, a->run);
	else if (!err)
		err = render_overview_of(out, a, o);
	if (!err && quality_failed(&a->quality))
		text_quality(&t, &a->quality);
	for (size_t i = 0, row = 0; i < a->nvariants && !err; i++) {
		if (only && only != &a->variants[i])
			continue;
		render_variant(&t, &r, row++, most(o));
		if (a->variants[i].nused)
			fputc('\n', out);
		text_quality(&t, &a->variants[i].quality);
	}
	rows_release(&r);
	return err ? err : text_finish(&t);
}

int render_diff_text(FILE *out, const struct compare *c, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};
	struct sentence s;
	struct rows r;
	char line[SENTENCE_BYTES];
	int err = diff_rows(&r, c, "base", "new");

	sentence_of_difference(&s, c);
	sentence_add_waking(&s, c);
	snprintf(line, sizeof(line), "%s%s%s", s.before, s.number, s.after);
	text_wrapped(&t, 0, line);
	if (!err && c->base->nused && c->new->nused) {
		text_facts(&t, &r, 0, IN_FACTS);
		text_tables(&t, &r, 0, most(o));
		fputc('\n', out);
		text_facts(&t, &r, 0, IN_PLAIN);
	}
	text_quality(&t, &c->quality);
	rows_release(&r);
	return err ? err : text_finish(&t);
}
