// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables as GitHub and GitLab read them. Names stand in code spans, where nothing of them is markup. */
#include <math.h>
#include <string.h>
#include "base/printable.h"
#include "reports/render/render.h"
#include "reports/render/sentence.h"
#include "reports/render/text.h"

/* Prose: any ASCII punctuation may have a backslash before it (CommonMark 2.4), and these may start something. */
static void put_prose(FILE *out, const char *s)
{
	while (*s) {
		int c = printable_next(&s);

		if (strchr("\\`*_{}[]<>#|&~!$@", c))
			fputc('\\', out);
		fputc(c, out);
	}
}

static size_t longest_run(const char *s, char of)
{
	size_t longest = 0, n = 0;

	for (; *s; s++) {
		n = *s == of ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	return longest;
}

static void put_fence(FILE *out, size_t n)
{
	while (n--)
		fputc('`', out);
}

/* A code span ends at as many backticks as it began with; a pipe in a table needs a backslash even there. */
static void put_code(FILE *out, const char *s)
{
	size_t fence = longest_run(s, '`') + 1;

	put_fence(out, fence);
	fputs(fence > 1 ? " " : "", out);
	while (*s) {
		int c = printable_next(&s);

		if (c == '|')
			fputc('\\', out);
		fputc(c, out);
	}
	fputs(fence > 1 ? " " : "", out);
	put_fence(out, fence);
}

static void put_gates(FILE *out, const struct quality *q)
{
	size_t failed = quality_failed(q);

	if (failed)
		fprintf(out, "\n%zu quality gate%s failed:\n\n", failed, failed == 1 ? "" : "s");
	for (size_t i = 0; i < q->nrows; i++) {
		const struct quality_row *row = &q->rows[i];

		if (row->ok)
			continue;
		fputs("- ", out);
		put_code(out, row->gate);
		if (*row->variant) {
			fputs(" of ", out);
			put_code(out, row->variant);
		}
		fputs(": ", out);
		put_prose(out, row->note);
		fputc('\n', out);
	}
}

static const char *member(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "?";
}

static void put_run(FILE *out, const struct run *r)
{
	put_prose(out, member(r->device, "name"));
	fputs(" (", out);
	put_prose(out, member(r->device, "driver"));
	fputs("), Linux ", out);
	put_prose(out, member(r->environment, "kernel"));
	fputs(", ", out);
	put_prose(out, member(r->environment, "cpu_model"));
	fputs(", ", out);
	put_prose(out, r->event);
	fputs(", ", out);
	put_prose(out, r->started);
	fputs("\n", out);
}

static void report_rows(FILE *out, const struct analysis_row *rows, size_t n, bool symbols)
{
	char ns[48];

	if (!n)
		return;
	fputs(symbols ? "\n| self ns | share % | symbol | facility |\n|--:|--:|:--|:--|\n"
		      : "\n| self ns | share % | facility |\n|--:|--:|:--|\n",
	      out);
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].samples)
			continue;
		fprintf(out, "| %s | %.1f | ", text_interval(rows[i].self_ns, rows[i].half_ns, ns, sizeof(ns)),
			rows[i].self_pct);
		if (symbols) {
			put_code(out, rows[i].name);
			fputs(" | ", out);
		}
		put_prose(out, rows[i].facility);
		fputs(" |\n", out);
	}
}

static size_t at_most(size_t n, const struct render_options *o)
{
	size_t max = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;

	return n < max ? n : max;
}

static void report_variant(FILE *out, const struct analysis_variant *v, const struct render_options *o)
{
	size_t shown = at_most(v->nsymbols, o);
	char ns[48], pps[32];

	fputs("\n### ", out);
	put_code(out, v->variant->id);
	if (!v->nused) {
		fputs("\n\nNo block with packets.\n", out);
		return;
	}
	fprintf(out, "\n\n%s ns per packet (95 %%), %s pps, %zu of %zu blocks\n",
		text_interval(v->base_ns, v->half_ns, ns, sizeof(ns)), text_count(v->pps, pps, sizeof(pps)), v->nused,
		v->nblocks);
	report_rows(out, v->facilities, v->nfacilities, false);
	report_rows(out, v->symbols, shown, true);
	if (shown < v->nsymbols)
		fprintf(out, "\n%zu other%s: %.1f ns\n", v->nsymbols - shown, v->nsymbols - shown == 1 ? "" : "s",
			analysis_sum_rows(v->symbols, v->nsymbols, shown));
	put_gates(out, &v->quality);
}

int render_report_markdown(FILE *out, const struct analysis *a, const struct analysis_variant *only,
			   const struct render_options *o)
{
	put_run(out, a->run);
	put_gates(out, &a->quality);
	for (size_t i = 0; i < a->nvariants; i++)
		if (!only || only == &a->variants[i])
			report_variant(out, &a->variants[i], o);
	return render_finish(out);
}

static void diff_side(FILE *out, const char *what, const struct analysis_variant *v)
{
	char ns[48], pps[32];

	fprintf(out, "| %s | ", what);
	put_code(out, v->variant->id);
	fprintf(out, " | %s | %s |\n", text_count(v->pps, pps, sizeof(pps)),
		text_interval(v->base_ns, v->half_ns, ns, sizeof(ns)));
}

static void diff_row(FILE *out, const struct compare_row *row, bool symbol)
{
	char ns[48];

	fprintf(out, "| %.1f | %.1f | %s%s | %s | ", row->base_ns, row->new_ns, row->delta_ns < 0 ? "" : "+",
		text_interval(row->delta_ns, row->half_ns, ns, sizeof(ns)), compare_mark(row));
	if (symbol) {
		put_code(out, row->name);
		fputs(" | ", out);
	}
	put_prose(out, row->facility);
	fputs(" |\n", out);
}

static void diff_rows(FILE *out, const struct compare_row *rows, size_t n, bool symbols)
{
	if (!n)
		return;
	fputs(symbols ? "\n| base ns | new ns | change | | symbol | facility |\n"
			"|--:|--:|--:|:--|:--|:--|\n"
		      : "\n| base ns | new ns | change | | facility |\n"
			"|--:|--:|--:|:--|:--|\n",
	      out);
	for (size_t i = 0; i < n; i++)
		diff_row(out, &rows[i], symbols);
}

static void put_per_packet(FILE *out, double value, bool sign)
{
	fputs(" | ", out);
	if (isnan(value))
		fputc('-', out);
	else
		fprintf(out, sign ? "%+.3f" : "%.3f", fabs(value) < 0.0005 ? 0 : value);
}

static void diff_counters(FILE *out, const struct compare *c, const struct render_options *o)
{
	size_t shown = at_most(c->nmatter, o);

	if (!shown)
		return;
	fputs("\n| device's counter | base per packet | new | change | |\n|:--|--:|--:|--:|:--|\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct compare_counter *one = &c->counters[i];

		fputs("| ", out);
		put_code(out, one->name);
		put_per_packet(out, one->base, false);
		put_per_packet(out, one->new, false);
		put_per_packet(out, one->delta, true);
		fputs(" | ", out);
		put_prose(out, one->meaning);
		fputs(" |\n", out);
	}
}

static void diff_tables(FILE *out, const struct compare *c, const struct render_options *o)
{
	size_t shown = at_most(c->nsymbols, o);
	struct compare_row others = compare_sum_rows(c->symbols, c->nsymbols, shown);

	fputs("\n| | variant | pps | ns per packet |\n|:--|:--|--:|--:|\n", out);
	diff_side(out, "base", c->base);
	diff_side(out, "new", c->new);
	diff_rows(out, c->facilities, c->nfacilities, false);
	diff_rows(out, c->symbols, shown, true);
	if (shown < c->nsymbols)
		fprintf(out, "\n%zu other%s: %+.1f ns\n", c->nsymbols - shown, c->nsymbols - shown == 1 ? "" : "s",
			others.delta_ns);
	fputs("\n~: chance explains the change (q >= 0.05)\n", out);
	diff_counters(out, c, o);
	fprintf(out, "\nSum of all changes %+.1f ns, difference measured %+.1f ns.\n", c->sum_delta_ns,
		c->headline.delta_ns);
}

int render_diff_markdown(FILE *out, const struct compare *c, const struct render_options *o)
{
	struct sentence s;

	sentence_of_difference(&s, c);
	put_prose(out, s.before);
	fputs(*s.number ? "**" : "", out);
	put_prose(out, s.number);
	fputs(*s.number ? "**" : "", out);
	put_prose(out, s.after);
	fputc('\n', out);
	if (c->base->nused && c->new->nused)
		diff_tables(out, c, o);
	put_gates(out, &c->quality);
	return render_finish(out);
}
