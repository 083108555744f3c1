// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The answer of a document on one screen: sentences, the tables that carry them, the checks in one line and those that
 * failed in one each, what was measured; for a run that was just recorded also what to type next. What has no room is
 * counted, and stands in the full text.
 */
#include "reports/format/format.h"

#define SUMMARY_LINES 23 /* of the 24 of a screen, as the shell's prompt takes one */
#define SENTENCES     3
#define COMPONENTS    3

struct screen {
	struct text t;
	const struct document *d;
	const struct render_options *o;
	struct matches pairs;
};

static void put_line(const struct text *t, const char *line)
{
	text_last(t, line, t->columns ? t->columns : TEXT_COLUMNS);
	fputc('\n', t->out);
}

/* What is the same in all of them is said of the first one. */
static void put_comparison(const struct screen *s, const struct compare *c, bool first)
{
	struct sentence words;
	char line[SENTENCE_BYTES], parts[400], number[48];

	sentence_of_difference(&words, c);
	if (first)
		sentence_add_waking(&words, c);
	snprintf(line, sizeof(line), "%s%s%s", words.before, words.number, words.after);
	/*
	 * Adds "; across cores 99 ± 2": the same difference in the run's other view, if it has one. Where one receiver
	 * was idle more than the other, they are not comparable, as in a comparison's own sentence.
	 */
	const struct analysis *other = s->o->crossing;
	const struct analysis_variant *base = other ? analysis_find(other, c->base->variant->id, NULL) : NULL;
	const struct analysis_variant *new = other ? analysis_find(other, c->new->variant->id, NULL) : NULL;
	struct compare crossing;
	if (base && new && !compare_build(&crossing, base, new, NULL, NULL)) {
		bool is_known = !isnan(crossing.overall.delta_ns);

		digits_interval(crossing.overall.delta_ns, crossing.overall.half_ns, number, sizeof(number));
		if (is_known)
			listed_add(line, sizeof(line), "; ", "across cores %s", number);
		if (is_known &&
		    fmin(base->busy_pct, new->busy_pct) < quality_limit(&base->of->options.limits, QUALITY_SATURATION))
			listed_add(line, sizeof(line), " ", "(receiver %.0f and %.0f %% idle%s)",
				   fmax(0, 100 - base->busy_pct), fmax(0, 100 - new->busy_pct),
				   compare_busy_alike(base, new) ? "" : ", not comparable");
		compare_release(&crossing);
	}
	text_wrap(&s->t, 0, 0, line);
	if (!c->base->nused || !c->new->nused)
		return;
	sentence_of_parts(c, COMPONENTS, parts, sizeof(parts));
	if (*parts)
		text_labelled(&s->t, TEXT_PLAIN, "largest parts:", parts);
	else
		put_line(&s->t, "  no single component differs beyond chance");
	if (!first || isnan(c->overall.delta_ns) || isnan(c->overall.half_ns))
		return;
	/*
	 * Where another run finds the difference: the machine and its memory may be in another state. Where both sides
	 * have a reference, that is at one speed of the machine, as diff of two runs gives it.
	 */
	struct between between = between_default(-1);
	double bases_ns = hypot(c->overall.base_ns, c->overall.new_ns);
	digits_interval(c->overall.delta_ns,
			M_SQRT2 * hypot(c->overall.half_ns, STATS_Z95 * between.sd_pct / 100 * bases_ns), number,
			sizeof(number));
	snprintf(line, sizeof(line), "expected range of another run: %s, if bases move by %.2g %% (assumed)", number,
		 between.sd_pct);
	text_wrap(&s->t, 0, 2, line);
}

/* ---- answers ---------------------------------------------------------------------------------------- */

/* "drop/no-touch@native: 84.9 ± 3.7 ns per packet, 5.87 M packets per second, CPU 50 % busy" and its largest parts. */
static void put_variant(const struct screen *s, const struct analysis_variant *v)
{
	char line[SENTENCE_BYTES] = "", number[48];

	if (!v->nused) {
		snprintf(line, sizeof(line), "%s: no block with a base", v->variant->id);
		put_line(&s->t, line);
		return;
	}
	snprintf(line, sizeof(line), "%s: %s ns per packet (95 %%), %.2f M packets per second, CPU %.0f %% busy",
		 v->variant->id, digits_interval(v->base_ns, v->half_ns, number, sizeof(number)), v->pps / 1e6,
		 fmin(v->busy_pct, 100));
	if (isnan(v->busy_pct))
		*strstr(line, ", CPU") = '\0';
	if (isnan(v->pps))
		snprintf(line, sizeof(line), "%s: %s ns per packet (95 %%)", v->variant->id, number);
	text_wrap(&s->t, 0, 0, line);
	line[0] = '\0';
	for (size_t i = 0; i < v->ncomponents && i < COMPONENTS; i++)
		listed_add(line, sizeof(line), ", ", "%s %s",
			   digits_interval(v->components[i].self_ns, v->components[i].half_ns, number, sizeof(number)),
			   v->components[i].name);
	if (*line && !s->d->only)
		text_labelled(&s->t, TEXT_PLAIN, "largest parts:", line);
}

static int put_answer(const struct screen *s, size_t most)
{
	const struct document *d = s->d;
	const struct sentence *answer = &d->answer;
	static const char *const names[EXACT_MEMORY] = {"loads", "stores", "lines touched"};
	char line[SENTENCE_BYTES], footprint[160];
	struct sentence words;

	(void)most;
	if (d->analysis && d->only)
		put_variant(s, d->only);
	else if (d->analysis) {
		size_t n = s->pairs.n ? s->pairs.n : d->overview.nrows;

		for (size_t i = 0; i < n && i < SENTENCES; i++)
			if (s->pairs.n)
				put_comparison(s, &s->pairs.list[i].compare, !i);
			else
				put_variant(s, d->overview.rows[i].native ?: d->overview.rows[i].skb);
		if (n > SENTENCES)
			fprintf(s->t.out, "and %zu more%s\n", n - SENTENCES, s->pairs.n ? " comparisons" : "");
	} else if (d->exact) {
		/* Each variant, then each pair of modes. */
		for (size_t i = 1; i < d->nsections; i++) {
			const struct exact_variant *v = d->sections[i].counted;

			snprintf(line, 600, "%s: %.3f instructions, %.3f calls", v->id,
				 v->total.instructions[EXACT_PACKET], v->total.calls);
			for (size_t k = 0; k < 3; k++)
				if (v->memory[k])
					listed_add(line, 600, ", ", "%.2f %s", v->total.memory[k], names[k]);
			strcat(line, " per packet");
			if (exact_footprint_words(d->exact, v, NULL, footprint, sizeof(footprint)))
				listed_add(line, sizeof(line), "; ", "%s", footprint);
			text_wrap(&s->t, 0, 0, line);
		}
		for (size_t i = 0; i < s->pairs.n; i++) {
			sentence_of_exact(&words, &s->pairs.list[i].exact);
			snprintf(line, sizeof(line), "%s%s%s", words.before, words.number, words.after);
			text_wrap(&s->t, 0, 0, line);
		}
	} else {
		snprintf(line, sizeof(line), "%s%s%s", answer->before, answer->number, answer->after);
		text_wrap(&s->t, 0, 0, line);
	}
	if (d->compare && s->o->lines && d->compare->base->nused &&
	    d->compare->new->nused) { /* no room for the table */
		sentence_of_parts(d->compare, COMPONENTS, line, sizeof(line));
		if (*line)
			text_labelled(&s->t, TEXT_PLAIN, "largest parts:", line);
	}
	return 0;
}

/* ---- checks ----------------------------------------------------------------------------------------- */

/* A variant without packets has no number to be trusted; of its checks only the number of blocks is shown. */
static int add_variant(struct trust *trust, const struct analysis_variant *v)
{
	enum quality_gate first = v && v->nused ? 0 : QUALITY_BLOCKS, last = v && v->nused ? QUALITY_GATES - 1 : first;

	return v ? trust_add(trust, &v->quality, first, last, "") : 0;
}

static int put_checks(const struct screen *s, size_t most)
{
	const struct document *d = s->d;
	const struct exact_diff *e = d->exact_diff;
	struct trust trust = {};
	int err = 0;

	if (s->d->exact || e) {
		/* Do counts sum to what was counted independently, and of two runs, do their kernels mitigate alike? */
		const struct exact_variant *of[64] = {e ? e->base : NULL, e ? e->new : NULL};
		size_t n = e ? 2 : 0, open = 0;
		char words[512 + MADE_CONFIG_BYTES], differing[MADE_CONFIG_BYTES] = "";

		for (size_t i = 1; i < s->d->nsections && n < 64 && s->d->exact; i++)
			of[n++] = s->d->sections[i].counted;
		for (size_t i = 0; i < n; i++)
			open += exact_open_words(of[i], words, sizeof(words)) > 0;
		if (e)
			exact_diff_mitigations(e, differing, sizeof(differing));
		snprintf(words, sizeof(words), "checks: %zu of %zu variants sum to an independent count%s%s", n - open,
			 n, differing[0] ? "; the mitigations differ: " : "", differing);
		text_begin(&s->t, open || differing[0] ? TEXT_BAD : TEXT_TITLE);
		text_wrap(&s->t, 0, 0, words);
		text_end(&s->t, open || differing[0] ? TEXT_BAD : TEXT_TITLE);
		return 0;
	}
	if (d->compare) {
		err = trust_add(&trust, &d->compare->quality, 0, QUALITY_GATES - 1, "");
	} else if (d->explain) {
		err = trust_add(&trust, &d->explain->measured->quality, 0, QUALITY_GATES - 1, "");
		for (size_t i = 0; i < d->explain->nvariants && !err; i++)
			err = add_variant(&trust, d->explain->variants[i].measured);
	}
	bool run = d->analysis && !d->compare && !err;
	if (run)
		err = trust_add(&trust, &d->analysis->quality, 0, QUALITY_GATES - 1, "");
	if (run && d->only && d->overview.nrows && !err)
		err = add_variant(&trust, d->only);
	for (size_t i = 0; run && !d->only && i < d->overview.nrows && !err; i++) {
		const struct overview_row *row = &d->overview.rows[i];

		err = add_variant(&trust, row->native) ?: add_variant(&trust, row->skb);
		/* The comparison's own checks. Those of its two sides were added already. */
		if (row->have_difference && !err)
			err = trust_add(&trust, &matches_find(&s->pairs, i)->compare.quality, QUALITY_PAIRS,
					QUALITY_GATES - 1, row->name);
	}
	if (!err)
		err = trust_render(&s->t, &trust, most);
	quality_release(&trust.rows);
	return err;
}

/* ---- tables ----------------------------------------------------------------------------------------- */

static int put_tables(const struct screen *s, size_t max)
{
	const struct document *d = s->d;
	const struct section *of = &d->sections[d->only || d->exact_only ? 1 : 0];
	size_t most = d->analysis && !d->only ? OVERVIEW_KINDS : d->compare || d->exact_diff ? 2 : 1, shown = 0;

	if (of->empty || (d->exact && !d->exact_only))
		return 0;
	for (size_t i = 0; i < of->rows->ncolumns && shown < most; i++) {
		const struct rows *table = rows_table_of(of->rows, of->row, i);
		struct rows cut;

		if (!table || !rows_any(table))
			continue;
		fputc('\n', s->t.out);
		cut = *table;
		if (rows_rest(table, max).shown > max)
			cut.nrows = max;
		text_rows(&s->t, &cut, max, NULL);
		if (cut.nrows < table->nrows)
			fprintf(s->t.out, "  and %zu more\n", table->nrows - cut.nrows);
		shown++;
	}
	return 0;
}

/* ---- what to type next ------------------------------------------------------------------------------- */

/*
 * Prints a command that can be copied. A line that is too long is broken with a backslash; the remark is printed if
 * there is room.
 */
static void put_command(const struct screen *s, const char *const *words, const char *remark)
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

static int put_next(const struct screen *s, size_t most)
{
	const char *program = s->o->program ? s->o->program : "xdpzoom", *dir = s->o->dir;
	const struct overview *v = &s->d->overview;
	const struct overview_row *row = v->rows;
	char line[4096 + 80];

	(void)most;
	if (!dir)
		return 0;
	snprintf(line, sizeof(line), "The run directory is %s. Next, without root:", dir);
	fputc('\n', s->t.out);
	text_wrap(&s->t, 0, 0, line);
	put_command(s, (const char *[]){program, "report", dir, "-f html", "-o demo.html", NULL}, "a page");
	while (row < v->rows + v->nrows && !row->have_difference)
		row++;
	if (row < v->rows + v->nrows) {
		snprintf(line, sizeof(line), "%s:%s", dir, row->native->variant->id);
		put_command(s, (const char *[]){program, "diff", line, row->skb->variant->id, NULL},
			    "function by function");
	}
	return 0;
}

/* ---- the screen --------------------------------------------------------------------------------------- */

/* A part of the screen in memory: how many lines it may have depends on the other parts. */
struct part {
	char *text;
	size_t size, lines;
};

/* put: prints the part; what it may have at most is lines of checks, or rows of tables. */
static int put_part(struct screen *s, struct part *p, int (*put)(const struct screen *s, size_t most), size_t most)
{
	int err;

	free(p->text);
	*p = (struct part){};
	s->t.out = open_memstream(&p->text, &p->size);
	if (!s->t.out)
		return -ENOMEM;
	err = put(s, most);
	if (fclose(s->t.out) || !p->text)
		err = err ?: -ENOMEM;
	for (size_t i = 0; !err && i < p->size; i++)
		p->lines += p->text[i] == '\n';
	return err;
}

static int put_measured(const struct screen *s, size_t most)
{
	const struct run *r = s->d->analysis ? s->d->analysis->run : NULL;
	char line[1000];

	(void)most;
	if (s->o->lines)
		return 0;
	snprintf(line, sizeof(line), "%s%s%s", s->d->line[0], r && strcmp(r->ended, "complete") ? "; stopped: " : "",
		 r && strcmp(r->ended, "complete") ? r->ended : "");
	put_line(&s->t, line);
	if (*s->d->line[1])
		put_line(&s->t, s->d->line[1]);
	return 0;
}

/* Tables get what the other parts leave, and of these the checks give way first. */
static int put_short(FILE *out, const struct document *d, const struct render_options *o, size_t lines)
{
	enum { ANSWER, TABLES, CHECK, MEASURED, NEXT, PARTS };
	struct screen s = {.t = {.out = out, .colour = o->colour, .columns = o->columns}, .d = d, .o = o};
	struct part parts[PARTS] = {};
	size_t taken, room, max = 12;
	size_t want = d->compare || d->exact_diff ? 13 : d->analysis && !d->only ? 4 + d->overview.nrows : 9;
	int err = matches_build(&s.pairs, d, MATCHES_ALL);

	if (!err)
		err = put_part(&s, &parts[ANSWER], put_answer, 0) ?: put_part(&s, &parts[MEASURED], put_measured, 0);
	if (!err)
		err = put_part(&s, &parts[NEXT], put_next, 0);
	taken = parts[ANSWER].lines + parts[MEASURED].lines + parts[NEXT].lines + 1; /* empty line */
	room = lines > taken ? lines - taken : 0;
	if (!err)
		err = put_part(&s, &parts[CHECK], put_checks, room > want + 3 ? room - want : 3);
	taken += parts[CHECK].lines;
	do
		err = err ?: put_part(&s, &parts[TABLES], put_tables, max);
	while (!err && taken + parts[TABLES].lines > lines && --max >= 2);
	for (int i = 0; i < PARTS && !err; i++) {
		if (i == TABLES && taken + parts[i].lines > lines)
			continue;
		if (i == CHECK && parts[i].size && !o->lines)
			fputc('\n', out);
		fwrite(parts[i].text, 1, parts[i].size, out);
	}
	for (int i = 0; i < PARTS; i++)
		free(parts[i].text);
	matches_release(&s.pairs);
	return err ? err : render_finish(out);
}

int format_short(FILE *out, const struct document *d, const struct render_options *o)
{
	return put_short(out, d, o, o->lines ? o->lines : SHORT_LINES);
}

int format_summary(FILE *out, const struct document *d, const struct render_options *o)
{
	struct render_options on_screen = *o;

	on_screen.columns = TEXT_COLUMNS;
	return put_short(out, d, &on_screen, SUMMARY_LINES);
}
