// SPDX-License-Identifier: GPL-2.0-or-later
/* The speeds of the machine, by turns or by probes, and how the cost of a variant is spread over single turns. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/rows/digits.h"
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
	if (run->waited_s >= 0 && run->steady)
		snprintf(out, size, "; the first block waited %.1f s for a steady CPU", run->waited_s);
	else if (run->waited_s >= 0)
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
	rows_value(r, "waited_s", v->of->run->waited_s >= 0 ? v->of->run->waited_s : NAN);
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

/* How the cost is spread over single turns: a slow machine, or one with two speeds, shows here first. */
void variant_turn_rows(struct rows *r, const struct analysis_variant *v)
{
	const struct analysis_turns *t = &v->turns;
	char count[48];

	if (!t->n)
		return;
	rows_words(r, "turns_words",
		   "%s; 1 %% of them cost less than %.1f ns per packet, a quarter less than %.1f, half %.1f, three "
		   "quarters %.1f, 99 %% %.1f; the dearest %.1f",
		   digits_count((double)t->n, count, sizeof(count)), t->ns[0], t->ns[1], t->ns[2], t->ns[3], t->ns[4],
		   t->longest_ns);
}
