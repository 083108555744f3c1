// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of `diff`: one sentence, the two bases, where the difference goes, and what it is worth. */
#include <math.h>
#include <string.h>
#include "reports/render/render.h"
#include "reports/render/sentence.h"
#include "reports/rows/report_words.h"
#include "reports/render/text.h"

static void render_headline(const struct text *t, const struct compare *c)
{
	struct sentence s;
	char line[800];

	sentence_of_difference(&s, c);
	snprintf(line, sizeof(line), "%s%s%s", s.before, s.number, s.after);
	text_wrapped(t, 0, line);
}

/* Two runs may differ in more than the variant. */
static void render_runs(const struct text *t, const struct compare *c)
{
	const struct analysis_variant *sides[] = {c->base, c->new};
	char line[320];

	for (int i = 0; i < 2 && !c->same_run; i++) {
		const struct run *r = sides[i]->of->run;
		const char *kernel = json_string_value(json_object_get(r->environment, "kernel"));

		snprintf(line, sizeof(line), "%-4s  run of %s, Linux %s, %s", i ? "new" : "base", r->started,
			 kernel ? kernel : "?", r->event);
		text_wrapped(t, 2, line);
	}
}

static void render_side(const struct text *t, const char *what, const struct analysis_variant *v)
{
	char pps[32];

	fprintf(t->out, "  %-4s%13s  ", what, text_count(v->pps, pps, sizeof(pps)));
	text_column(t, v->base_ns, v->half_ns, 9, text_decimals(v->half_ns), false);
	text_number(t, v->busy_pct, 8, 1, false);
	text_number(t, v->packets_per_poll, 10, 1, false);
	fputs("  ", t->out);
	text_last(t, v->variant->id, t->columns ? t->columns - 57 : 0);
	fputc('\n', t->out);
}

/* What redirects cost behind the program: beside the bases, and not in the difference. */
static void render_stages(const struct text *t, const struct compare *c)
{
	const struct analysis_variant *sides[] = {c->base, c->new};
	char words[400], line[480];

	for (int i = 0; i < 2; i++) {
		if (sides[i]->variant->stage == RUN_STAGE_NONE)
			continue;
		stage_words(sides[i], words, sizeof(words));
		snprintf(line, sizeof(line), "%-4s  second stage%s: %s", i ? "new" : "base",
			 isnan(sides[i]->stage.ns) ? "" : ", not in it", words);
		text_wrapped(t, 2, line);
	}
}

static void render_sides(const struct text *t, const struct compare *c)
{
	text_styled(t, TEXT_TITLE, "\n  %-4s%13s  %9s%7s%8s%10s  %s\n", "", "pps", "ns/packet", "", "busy %",
		    "pkts/poll", "variant");
	render_side(t, "base", c->base);
	render_side(t, "new", c->new);
	render_stages(t, c);
}

/* How wide a table of rows gets. */
struct widths {
	int digits; /* of the widest interval */
	size_t name, facility;
};

static struct widths measure(const struct compare_row *rows, size_t n)
{
	struct widths w = {TEXT_DIGITS, strlen("symbol"), 0};

	for (size_t i = 0; i < n; i++) {
		w.digits = text_digits(w.digits, rows[i].half_ns);
		w.name = fmax(w.name, text_width(rows[i].name));
		w.facility = fmax(w.facility, text_width(rows[i].facility));
	}
	return w;
}

/* base, new and change: 31 columns and the digits. */
static void render_change(const struct text *t, const struct compare_row *row, int digits)
{
	fputs("  ", t->out);
	text_cell_alone(t, row->base_ns, row->half_ns, 7);
	text_cell_alone(t, row->new_ns, row->half_ns, 8);
	fputc(' ', t->out);
	text_cell(t, row->delta_ns, row->half_ns, 8, digits, true);
}

static void render_facilities(const struct text *t, const struct compare *c)
{
	struct widths w = measure(c->facilities, c->nfacilities);

	text_styled(t, TEXT_TITLE, "\n  %7s%8s %8s%*s %-5s%s\n", "base ns", "new ns", "change", w.digits + 5, "", "",
		    "facility");
	for (size_t i = 0; i < c->nfacilities; i++) {
		render_change(t, &c->facilities[i], w.digits);
		fprintf(t->out, " %-5s", compare_mark(&c->facilities[i]));
		text_last(t, c->facilities[i].name, 0);
		fputc('\n', t->out);
	}
}

static void render_symbols(const struct text *t, const struct compare *c, size_t max)
{
	size_t shown = c->nsymbols < max ? c->nsymbols : max;
	struct compare_row others = compare_sum_rows(c->symbols, c->nsymbols, shown);
	struct widths w = measure(c->symbols, shown);
	struct text_split split = text_split(t, 37 + (size_t)w.digits, w.name, w.facility);

	text_styled(t, TEXT_TITLE, "\n  %7s%8s %8s%*s %-5s%-*s %s\n", "base ns", "new ns", "change", w.digits + 5, "",
		    "", (int)split.name, "symbol", "facility");
	for (size_t i = 0; i < shown; i++) {
		const struct compare_row *row = &c->symbols[i];

		render_change(t, row, w.digits);
		fprintf(t->out, " %-5s", compare_mark(row));
		text_name(t, row->name, split.name);
		fputc(' ', t->out);
		text_last(t, row->facility, split.rest);
		fputc('\n', t->out);
	}
	if (shown < c->nsymbols) {
		render_change(t, &others, w.digits);
		fprintf(t->out, "%6s%zu other%s\n", "", c->nsymbols - shown, c->nsymbols - shown == 1 ? "" : "s");
	}
	text_wrapped(t, 2, "~ chance explains the change (q >= 0.05)");
}

/* What the device counted per packet: losses, recycling, and what differs, as many rows as symbols get. */
static void render_counters(const struct text *t, const struct compare *c, size_t max)
{
	size_t shown = c->nmatter < max ? c->nmatter : max;
	char line[320];

	if (!c->ncounters)
		return;
	text_styled(t, TEXT_TITLE, "\n  %12s%12s%12s   %s\n", "base/packet", "new", "change", "device's counter");
	for (size_t i = 0; i < shown; i++) {
		const struct compare_counter *one = &c->counters[i];
		bool own = one->source == COUNTER_ETHTOOL;

		fputs("  ", t->out);
		text_number(t, one->base, 12, 3, false);
		text_number(t, one->new, 12, 3, false);
		text_number(t, fabs(one->delta) < 0.0005 ? 0 : one->delta, 12, 3, true); /* no -0.000 */
		snprintf(line, sizeof(line), "%s%s%s%s%s", own ? "" : counter_source_names[one->source], own ? "" : " ",
			 one->name, *one->meaning ? ": " : "", one->meaning);
		fputs("   ", t->out);
		text_last(t, line, t->columns ? t->columns - 41 : 0);
		fputc('\n', t->out);
	}
	snprintf(line, sizeof(line), "%zu other%s; --format json has them", c->ncounters - shown,
		 c->ncounters - shown == 1 ? "" : "s");
	if (shown < c->ncounters)
		text_wrapped(t, 41, line);
}

/* What perf stat counted per packet: where the cycles go, as far as the CPU knows. */
static void render_events(const struct text *t, const struct compare *c)
{
	char line[200];

	if (!c->nevents)
		return;
	text_styled(t, TEXT_TITLE, "\n  %12s%12s%12s%11s   %s\n", "base/packet", "new", "change", "", "perf stat");
	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];

		fputs("  ", t->out);
		text_per_packet(t, 12, e->base, false);
		text_per_packet(t, 12, e->new, false);
		text_event(t, 12, e->delta, e->half, true);
		fprintf(t->out, " %s ", fabs(e->delta) <= e->half ? "~" : " ");
		text_last(t, e->name, 0);
		fputs(*e->unit ? ", " : "", t->out);
		text_last(t, e->unit, 0);
		fputc('\n', t->out);
	}
	for (size_t i = 0; i < c->nevents; i++) {
		const struct compare_event *e = &c->events[i];

		snprintf(line, sizeof(line), "%s shared a counter: scaled from %.1f %% of the time", e->name,
			 e->running_pct);
		if (e->running_pct < 99.995)
			text_wrapped(t, 2, line);
	}
}

static void render_closure(const struct text *t, const struct compare *c)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "closure: sum of all changes %+.1f ns (unattributed %+.1f), difference measured "
		 "%+.1f ns, "
		 "residual %.3f ns",
		 c->sum_delta_ns, c->unattributed_delta_ns, c->headline.delta_ns, fabs(c->residual_ns));
	fputc('\n', t->out);
	text_wrapped(t, 2, line);
}

int render_diff_text(FILE *out, const struct compare *c, const struct render_options *o)
{
	struct text t = {.out = out, .colour = o->colour, .columns = o->columns};

	render_headline(&t, c);
	render_runs(&t, c);
	if (c->base->nused && c->new->nused) {
		render_sides(&t, c);
		if (c->nsymbols) {
			render_facilities(&t, c);
			render_symbols(&t, c, o->max_symbols ? o->max_symbols : RENDER_SYMBOLS);
		}
		render_counters(&t, c, o->max_symbols ? o->max_symbols : RENDER_SYMBOLS);
		render_events(&t, c);
		render_closure(&t, c);
	}
	text_quality(&t, &c->quality);
	return text_finish(&t);
}
