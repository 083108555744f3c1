// SPDX-License-Identifier: GPL-2.0-or-later
/* The speeds of the machine, by turns or by probes, and how the cost of a variant is spread over single turns. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/sheet/digits.h"
#include "reports/rows/report_parts.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const struct column speed_columns[] = {
	{"run_s", NULL, CELL_NUMBER, IN_JSON},    {"aside_s", NULL, CELL_NUMBER, IN_JSON},
	{"factor", NULL, CELL_NUMBER, IN_JSON},   {"generator_factor", NULL, CELL_NUMBER, IN_JSON},
	{"stalls", NULL, CELL_COUNT, IN_JSON},    {"stalls_ms", NULL, CELL_NUMBER, IN_JSON},
	{"by", NULL, CELL_WORDS, IN_JSON},        {"probe_factor", NULL, CELL_NUMBER, IN_JSON},
	{"waited_s", NULL, CELL_NUMBER, IN_JSON},
};

/* A factor below 1 is one of a faster machine. */
static double times(double factor, bool faster)
{
	return faster ? 1 / factor : factor;
}

static void turn_words(struct rows *r, const struct speed *s, const char *more)
{
	if (s->aside_s > 0)
		rows_words(r, "speed_words",
			   "the machine was %.2f times %s for %.0f of %.0f s (the generator's work: %.2f times); this "
			   "time is set aside%s",
			   times(s->factor, s->factor < 1), s->factor < 1 ? "faster" : "slower", s->aside_s, s->run_s,
			   times(s->rest_factor, s->factor < 1), more);
	else
		rows_words(r, "speed_words", "one speed of the machine in %.0f s of turns%s", s->run_s, more);
}

static void probe_words(struct rows *r, const struct speed *s, const char *more)
{
	if (s->aside_s > 0)
		rows_words(r, "speed_words",
			   "the machine was %.2f times %s for %.0f of %.0f s (the probe of the CPU: %.2f times); these "
			   "blocks are set aside%s",
			   times(s->factor, s->factor < 1), s->factor < 1 ? "faster" : "slower", s->aside_s, s->run_s,
			   times(s->probe_factor, s->factor < 1), more);
	else
		rows_words(r, "speed_words", "the probes of the CPU saw one speed in %.0f s of blocks%s", s->run_s,
			   more);
}

/* "; the first block waited 1.2 s for a steady CPU" */
static void waited_words(const struct run *run, char *out, size_t size)
{
	out[0] = '\0';
	if (!isnan(run->waited_s) && run->steady)
		snprintf(out, size, "; the first block waited %.1f s for a steady CPU", run->waited_s);
	else if (!isnan(run->waited_s))
		snprintf(out, size, "; the first block waited %.1f s for a steady CPU in vain", run->waited_s);
}

void variant_speed_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "speed", speed_columns, COUNT(speed_columns));
	const struct speed *s = &v->of->speed;
	char more[240];
	size_t len;

	if (!s->known)
		return;
	rows_add(r);
	rows_value(r, "run_s", s->run_s);
	rows_value(r, "aside_s", s->aside_s);
	rows_value(r, "factor", s->factor);
	rows_value(r, "generator_factor", s->rest_factor);
	rows_value(r, "stalls", (double)s->nstalls);
	rows_value(r, "stalls_ms", s->stalls_s * 1e3);
	rows_text(r, "by", s->by_probes ? "probes" : "turns");
	rows_value(r, "probe_factor", s->probe_factor);
	rows_value(r, "waited_s", v->of->run->waited_s);
	waited_words(v->of->run, more, sizeof(more));
	len = strlen(more);
	if (s->nstalls)
		snprintf(more + len, sizeof(more) - len, "; %zu stall%s of the run, %.1f ms in all, %s set aside",
			 s->nstalls, s->nstalls == 1 ? "" : "s", s->stalls_s * 1e3, s->nstalls == 1 ? "is" : "are");
	if (s->by_probes)
		probe_words(parent, s, more);
	else
		turn_words(parent, s, more);
}

static const struct column bin_columns[] = {
	{"from_ns", NULL, CELL_NUMBER, IN_JSON},
	{"count", NULL, CELL_COUNT, IN_JSON},
};

static const struct column stall_columns[] = {
	{"at_s", NULL, CELL_NUMBER, IN_JSON},
	{"longer_ms", NULL, CELL_NUMBER, IN_JSON},
	{"samples", NULL, CELL_COUNT, IN_JSON},
	{"ran", NULL, CELL_WORDS, IN_JSON},
};

static const struct column spread_columns[] = {
	{"of", NULL, CELL_WORDS, IN_JSON},       {"n", NULL, CELL_COUNT, IN_JSON},
	{"p1_ns", NULL, CELL_NUMBER, IN_JSON},   {"p25_ns", NULL, CELL_NUMBER, IN_JSON},
	{"p50_ns", NULL, CELL_NUMBER, IN_JSON},  {"p75_ns", NULL, CELL_NUMBER, IN_JSON},
	{"p99_ns", NULL, CELL_NUMBER, IN_JSON},  {"longest_ns", NULL, CELL_NUMBER, IN_JSON},
	{"modes_ns", NULL, CELL_RANGE, IN_JSON}, {"dearer_pct", NULL, CELL_NUMBER, IN_JSON},
	{"bins", NULL, CELL_TABLE, IN_JSON},     {"longest_stalls", NULL, CELL_TABLE, IN_JSON},
};

static void spread_object(struct rows *parent, const struct analysis_turns *t)
{
	static const char *const names[ANALYSIS_TURN_QUANTILES] = {"p1_ns", "p25_ns", "p50_ns", "p75_ns", "p99_ns"};
	struct rows *r = rows_table(parent, "spread", spread_columns, COUNT(spread_columns)), *table;
	double width = (t->ns[ANALYSIS_TURN_QUANTILES - 1] - t->ns[0]) / ANALYSIS_TURN_BINS;

	if (!t->n)
		return;
	rows_add(r);
	rows_text(r, "of", t->windows ? "windows" : "turns");
	rows_value(r, "n", (double)t->n);
	for (size_t i = 0; i < ANALYSIS_TURN_QUANTILES; i++)
		rows_value(r, names[i], t->ns[i]);
	rows_value(r, "longest_ns", t->longest_ns);
	rows_range(r, "modes_ns", t->mode_ns);
	rows_value(r, "dearer_pct", t->dearer_pct);
	table = rows_table(r, "bins", bin_columns, COUNT(bin_columns));
	for (size_t i = 0; i < ANALYSIS_TURN_BINS && width > 0; i++) {
		rows_add(table);
		rows_value(table, "from_ns", t->ns[0] + (double)i * width);
		rows_value(table, "count", (double)t->bins[i]);
	}
	table = rows_table(r, "longest_stalls", stall_columns, COUNT(stall_columns));
	for (size_t i = 0; i < t->nstalls; i++) {
		rows_add(table);
		rows_value(table, "at_s", t->stalls[i].at_s);
		rows_value(table, "longer_ms", t->stalls[i].longer_ns / 1e6);
		rows_value(table, "samples", t->stalls[i].sampled ? (double)t->stalls[i].samples : NAN);
		rows_text(table, "ran", t->stalls[i].ran);
	}
}

/* One character for each bin, as high as the bin is full. */
static void histogram_words(struct rows *r, const struct analysis_turns *t)
{
	static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	char bars[ANALYSIS_TURN_BINS * 4 + 1] = "";
	size_t most = 0;

	for (size_t i = 0; i < ANALYSIS_TURN_BINS; i++)
		most = t->bins[i] > most ? t->bins[i] : most;
	for (size_t i = 0; i < ANALYSIS_TURN_BINS && most; i++)
		strcat(bars, heights[(t->bins[i] * (COUNT(heights) - 1) + most - 1) / most]);
	if (t->n >= SPEED_LOOKS_ENOUGH && most)
		rows_words(r, "histogram_words", "%.1f ns |%s| %.1f ns", t->ns[0], bars,
			   t->ns[ANALYSIS_TURN_QUANTILES - 1]);
	if (!isnan(t->dearer_pct))
		rows_words(r, "modes_words",
			   "the cost has two modes: %.1f ns, and %.1f ns in %.0f %% of the %s; the mean is neither",
			   t->mode_ns[0], t->mode_ns[1], t->dearer_pct, t->windows ? "windows" : "turns");
}

static void stall_words(struct rows *r, const struct analysis_turns *t)
{
	char words[400] = "";

	for (size_t i = 0; i < t->nstalls; i++) {
		const struct analysis_stall *s = &t->stalls[i];
		size_t len = strlen(words);

		len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%.1f ms at %.2f s (", len ? ", " : "",
					s->longer_ns / 1e6, s->at_s);
		if (!s->sampled)
			snprintf(words + len, sizeof(words) - len, "what ran is not known)");
		else if (!s->samples)
			snprintf(words + len, sizeof(words) - len, "no sample: the CPU was away)");
		else
			snprintf(words + len, sizeof(words) - len, "most of %zu samples in %.40s)", s->samples, s->ran);
	}
	if (t->nstalls)
		rows_words(r, "stall_words", "%s", words);
}

/* How the cost is spread over single turns or windows: a slow machine, or one with two speeds, shows here first. */
void variant_turn_rows(struct rows *r, const struct analysis_variant *v)
{
	const struct analysis_turns *t = &v->turns;
	char count[48];

	spread_object(r, t);
	if (t->n < 8)
		return;
	digits_count((double)t->n, count, sizeof(count));
	if (t->windows)
		rows_words(r, "turns_words",
			   "%s windows; a quarter of them cost less than %.1f ns per packet, half %.1f, three quarters "
			   "%.1f; the dearest %.1f",
			   count, t->ns[1], t->ns[2], t->ns[3], t->longest_ns);
	else
		rows_words(r, "turns_words",
			   "%s turns; 1 %% of them cost less than %.1f ns per packet, a quarter less than %.1f, half "
			   "%.1f, three quarters %.1f, 99 %% %.1f; the dearest %.1f",
			   count, t->ns[0], t->ns[1], t->ns[2], t->ns[3], t->ns[4], t->longest_ns);
	histogram_words(r, t);
	stall_words(r, t);
}
