// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One screen of a run, SUMMARY_LINES x TEXT_COLUMNS: what was measured, native beside skb, where the largest
 * differences are, how far to trust them, and what to type next. What there is no room for is counted, and stands in
 * the full report.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/known.h"
#include "base/listed.h"
#include "reports/format/format.h"
#include "reports/document/sentence.h"
#include "base/sheet/text.h"
#include "reports/format/trust.h"
#include "base/sheet/digits.h"

#define SUMMARY_LINES 39 /* of the 40 of a screen, as the shell's prompt takes one */
#define TABLE_ROWS    6
#define SENTENCES     3
#define FACILITIES    3

struct summary {
	struct text t;
	const struct analysis *a;
	const struct render_options *o;
	struct overview v;        /* all rows, or the one that was asked for */
	struct compare *compares; /* of v.rows, released where there is no pair */
};

static bool is_pair(const struct overview_row *row)
{
	return row->native && row->skb;
}

static void format_summary_put_line(const struct text *t, const char *line)
{
	text_last(t, line, TEXT_COLUMNS);
	fputc('\n', t->out);
}

static void put_head(const struct summary *s)
{
	const struct run *r = s->a->run;
	bool whole = !strcmp(r->ended, "complete");
	const char *cpu = r->facts.cpu_model;
	char line[640], rate[32] = "";

	if (!isnan(r->sample_hz))
		snprintf(rate, sizeof(rate), " at %.0f Hz", r->sample_hz);
	snprintf(line, sizeof(line), "%s (%s), Linux %s%s%s", known(r->facts.device), known(r->facts.driver),
		 known(r->facts.kernel), cpu ? ", " : "", cpu ? cpu : "");
	format_summary_put_line(&s->t, line);
	snprintf(line, sizeof(line), "%zu block%s%s%s, %s%s, %s", r->nblocks, r->nblocks == 1 ? "" : "s",
		 whole ? "" : ", then stopped: ", whole ? "" : r->ended, known(r->event), rate, r->started);
	format_summary_put_line(&s->t, line);
}

static int format_summary_put_table(const struct summary *s)
{
	struct overview shown = s->v;
	struct render_options o = {.colour = s->t.colour, .columns = TEXT_COLUMNS};
	int err;

	if (shown.nrows > TABLE_ROWS)
		shown.nrows = TABLE_ROWS;
	fputc('\n', s->t.out);
	err = render_overview_table(s->t.out, &shown, &o);
	if (shown.nrows < s->v.nrows)
		fprintf(s->t.out, "and %zu more\n", s->v.nrows - shown.nrows);
	return err;
}

/*
 * Adds "; when frames come from another core, 99 ± 2": the same difference in the run's other view, if it has one.
 * Where one receiver paused more than the other, the difference is no headline, as in a comparison's own sentence.
 */
static void add_crossing(const struct summary *s, const struct compare *c, char *line, size_t size)
{
	const struct analysis_variant *base, *new;
	struct compare crossing;
	char number[48];

	if (!s->o->crossing)
		return;
	base = analysis_find(s->o->crossing, c->base->variant->id, NULL);
	new = analysis_find(s->o->crossing, c->new->variant->id, NULL);
	if (!base || !new || compare_build(&crossing, base, new, NULL, NULL))
		return;
	digits_interval(crossing.headline.delta_ns, crossing.headline.half_ns, number, sizeof(number));
	if (isnan(crossing.headline.delta_ns))
		goto out;
	snprintf(line + strlen(line), size - strlen(line), "; when frames come from another core, %s", number);
	if (fmin(base->busy_pct, new->busy_pct) < quality_limit(&base->of->options.limits, QUALITY_SATURATION))
		snprintf(line + strlen(line), size - strlen(line),
			 ", with what the receiver's pauses cost%s: it was busy for %.0f and %.0f %% of the time",
			 compare_busy_alike(base, new) ? "" : ", so this is no headline", fmin(base->busy_pct, 100),
			 fmin(new->busy_pct, 100));
out:
	compare_release(&crossing);
}

/*
 * Where another run finds the difference: the machine and its memory may be in another state. Where both sides have a
 * ruler, that is at one speed of the machine, as diff of two runs gives it.
 */
static void put_other_runs(const struct summary *s, const struct compare *c)
{
	bool ruled = c->base->ruler_ns > 0 && c->new->ruler_ns > 0;
	struct between between = between_default(-1);
	char line[SENTENCE_BYTES], number[48];

	if (isnan(c->headline.delta_ns) || isnan(c->headline.half_ns))
		return;
	digits_interval(c->headline.delta_ns, between_another_half(&c->headline, &between), number, sizeof(number));
	snprintf(line, sizeof(line), "  another run%s finds %s, if bases move by %.2g %% (assumed%s)",
		 ruled ? ", at this speed," : "", number, between.sd_pct, ruled ? "" : "; see history");
	format_summary_put_line(&s->t, line);
}

/* What is the same in all of them is said of the first one. */
static void put_comparison(const struct summary *s, const struct compare *c, bool first)
{
	struct sentence words;
	char line[SENTENCE_BYTES], parts[400];

	sentence_of_difference(&words, c);
	if (first)
		sentence_add_waking(&words, c);
	snprintf(line, sizeof(line), "%s%s%s", words.before, words.number, words.after);
	add_crossing(s, c, line, sizeof(line));
	text_wrapped(&s->t, 0, line);
	if (!c->base->nused || !c->new->nused)
		return;
	sentence_of_parts(c, FACILITIES, parts, sizeof(parts));
	if (*parts)
		text_labelled(&s->t, TEXT_PLAIN, "largest parts:", parts);
	else
		format_summary_put_line(&s->t, "  no single facility differs beyond chance");
	if (first)
		put_other_runs(s, c);
}

/* For a run without a pair to compare: the largest facilities of each variant. */
static void format_summary_put_variant(const struct summary *s, const struct analysis_variant *v)
{
	char line[SENTENCE_BYTES] = "", number[48];

	text_last(&s->t, v->variant->id, TEXT_COLUMNS);
	fputc('\n', s->t.out);
	for (size_t i = 0; v->nused && i < v->nfacilities && i < FACILITIES; i++)
		listed_add(line, sizeof(line), ", ", "%s %s",
			   digits_interval(v->facilities[i].self_ns, v->facilities[i].half_ns, number, sizeof(number)),
			   v->facilities[i].name);
	if (v->nused)
		text_labelled(&s->t, TEXT_PLAIN, "largest parts:", line);
	else
		format_summary_put_line(&s->t, "  no block with a base");
}

static void put_sentences(const struct summary *s)
{
	size_t pairs = 0, shown = 0;

	for (size_t i = 0; i < s->v.nrows; i++)
		pairs += is_pair(&s->v.rows[i]);
	fputc('\n', s->t.out);
	for (size_t i = 0; i < s->v.nrows && shown < SENTENCES; i++) {
		const struct overview_row *row = &s->v.rows[i];

		if (is_pair(row))
			put_comparison(s, &s->compares[i], !shown);
		else if (!pairs)
			format_summary_put_variant(s, row->native ? row->native : row->skb);
		else
			continue;
		shown++;
	}
	if (pairs > shown)
		fprintf(s->t.out, "and %zu more comparisons\n", pairs - shown);
}

/* A variant without packets has no number to be trusted; of its gates only the number of blocks is shown. */
static int format_summary_add_variant(struct trust *trust, const struct analysis_variant *v)
{
	enum quality_gate first = v && v->nused ? 0 : QUALITY_BLOCKS, last = v && v->nused ? QUALITY_GATES - 1 : first;

	return v ? trust_add(trust, &v->quality, first, last, "") : 0;
}

static int put_trust(const struct summary *s, size_t lines)
{
	struct trust trust = {0};
	int err = trust_add(&trust, &s->a->quality, 0, QUALITY_GATES - 1, "");

	for (size_t i = 0; i < s->v.nrows && !err; i++) {
		const struct overview_row *row = &s->v.rows[i];

		err = format_summary_add_variant(&trust, row->native) ?: format_summary_add_variant(&trust, row->skb);
		/* The comparison's own gates come first. The gates of its two sides were added already. */
		if (row->have_difference && !err)
			err = trust_add(&trust, &s->compares[i].quality, QUALITY_PAIRS, QUALITY_GATES - 1, row->name);
	}
	fputc('\n', s->t.out);
	if (!err)
		err = trust_render(&s->t, &trust, lines - 1);
	trust_release(&trust);
	return err;
}

/*
 * Prints a command that can be copied. A line that is too long is broken with a backslash; the remark is printed if
 * there is room.
 */
static void put_command(const struct summary *s, const char *const *words, const char *remark)
{
	size_t column = 0, width;

	for (; *words; words++) {
		width = text_width(*words);
		if (column && column + 1 + width + (words[1] ? 2 : 0) > TEXT_COLUMNS) {
			fputs(" \\\n     ", s->t.out);
			column = 5;
		}
		fputs(column ? " " : "  ", s->t.out);
		column += (column ? 1 : 2) + width;
		text_last(&s->t, *words, 0);
	}
	if (column + 4 + strlen(remark) <= TEXT_COLUMNS)
		text_styled(&s->t, TEXT_FAINT, "  # %s", remark);
	fputc('\n', s->t.out);
}

static const struct overview_row *first_pair(const struct summary *s)
{
	for (size_t i = 0; i < s->v.nrows; i++)
		if (s->v.rows[i].have_difference)
			return &s->v.rows[i];
	return NULL;
}

static void put_next(const struct summary *s)
{
	const char *program = s->o->program ? s->o->program : "xdpzoom", *dir = s->o->dir;
	const struct overview_row *row = first_pair(s);
	char line[4096 + 80];

	if (!dir)
		return;
	snprintf(line, sizeof(line), "The run directory is %s. To look further, without root:", dir);
	fputc('\n', s->t.out);
	text_wrapped(&s->t, 0, line);
	put_command(s, (const char *[]){program, "report", dir, NULL}, "functions and gates, in full");
	put_command(s, (const char *[]){program, "report", dir, "-f html", "-o demo.html", NULL}, "a page");
	if (!row)
		return;
	snprintf(line, sizeof(line), "%s:%s", dir, row->native->variant->id);
	put_command(s, (const char *[]){program, "diff", line, row->skb->variant->id, NULL}, "function by function");
}

/* A part of the screen in memory: how many lines it may have depends on the other parts. */
struct part {
	char *text;
	size_t size, lines;
};

static int part_begin(struct summary *s, struct part *p)
{
	s->t.out = open_memstream(&p->text, &p->size);
	return s->t.out ? 0 : -ENOMEM;
}

static int part_end(struct summary *s, struct part *p, int err)
{
	if (fclose(s->t.out) || !p->text)
		err = err ? err : -ENOMEM;
	for (size_t i = 0; !err && i < p->size; i++)
		p->lines += p->text[i] == '\n';
	return err;
}

static int put_screen(struct summary *s, FILE *out)
{
	struct part top = {0}, next = {0};
	int err = part_begin(s, &top);

	if (!err) {
		put_head(s);
		err = format_summary_put_table(s);
		put_sentences(s);
		err = part_end(s, &top, err);
	}
	if (!err)
		err = part_begin(s, &next);
	if (!err) {
		put_next(s);
		err = part_end(s, &next, 0);
	}
	s->t.out = out;
	if (!err) {
		fwrite(top.text, 1, top.size, out);
		err = put_trust(s, SUMMARY_LINES - top.lines - next.lines);
	}
	if (!err) {
		fwrite(next.text, 1, next.size, out);
		err = text_finish(&s->t);
	}
	free(top.text);
	free(next.text);
	return err;
}

/* Keeps only the row of the variant that is to be shown. */
static void keep_one(struct overview *v, const struct analysis_variant *only)
{
	for (size_t i = 0; i < v->nrows; i++)
		if (v->rows[i].native == only || v->rows[i].skb == only)
			v->rows[0] = v->rows[i];
	v->nrows = 1;
}

static int compare_pairs(struct summary *s)
{
	int err = 0;

	s->compares = calloc(s->v.nrows + 1, sizeof(*s->compares));
	if (!s->compares)
		return -ENOMEM;
	for (size_t i = 0; i < s->v.nrows && !err; i++)
		if (is_pair(&s->v.rows[i]))
			err = compare_build(&s->compares[i], s->v.rows[i].native, s->v.rows[i].skb, NULL, NULL);
	return err;
}

int format_summary(FILE *out, const struct document *d, const struct render_options *o)
{
	struct summary s = {.t = {.out = out, .colour = o->colour, .columns = TEXT_COLUMNS}, .a = d->analysis, .o = o};
	int err = overview_build(&s.v, d->analysis, NULL);

	if (err)
		return err;
	if (d->only)
		keep_one(&s.v, d->only);
	err = compare_pairs(&s) ?: put_screen(&s, out);
	for (size_t i = 0; s.compares && i < s.v.nrows; i++)
		compare_release(&s.compares[i]);
	free(s.compares);
	overview_release(&s.v);
	return err;
}
