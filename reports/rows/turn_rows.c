// SPDX-License-Identifier: GPL-2.0-or-later
/* What single turns say of a variant: the speeds of the machine, and how the cost is spread. */
#include <math.h>
#include "reports/rows/digits.h"
#include "reports/rows/report_parts.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const struct column speed_columns[] = {
	{"run_s", NULL, CELL_NUMBER, IN_JSON},  {"aside_s", NULL, CELL_NUMBER, IN_JSON},
	{"factor", NULL, CELL_NUMBER, IN_JSON}, {"generator_factor", NULL, CELL_NUMBER, IN_JSON},
	{"stalls", NULL, CELL_COUNT, IN_JSON},  {"stalls_ms", NULL, CELL_NUMBER, IN_JSON},
};

void variant_speed_rows(struct rows *parent, const struct analysis_variant *v)
{
	struct rows *r = rows_table(parent, "speed", speed_columns, COUNT(speed_columns));
	const struct speed *s = &v->of->speed;
	char stalls[160] = "";

	if (!s->known)
		return;
	rows_add(r);
	rows_value(r, "run_s", s->run_s);
	rows_value(r, "aside_s", s->aside_s);
	rows_value(r, "factor", s->factor);
	rows_value(r, "generator_factor", s->rest_factor);
	rows_value(r, "stalls", (double)s->nstalls);
	rows_value(r, "stalls_ms", s->stalls_s * 1e3);
	if (s->nstalls)
		snprintf(stalls, sizeof(stalls), "%zu stall%s of the run, %.1f ms in all, %s set aside", s->nstalls,
			 s->nstalls == 1 ? "" : "s", s->stalls_s * 1e3, s->nstalls == 1 ? "is" : "are");
	if (s->aside_s > 0)
		rows_words(parent, "speed_words",
			   "the machine was %.2f times %s for %.0f of %.0f s (the generator's work: %.2f times); this "
			   "time is set aside%s%s",
			   s->factor < 1 ? 1 / s->factor : s->factor, s->factor < 1 ? "faster" : "slower", s->aside_s,
			   s->run_s, s->factor < 1 ? 1 / s->rest_factor : s->rest_factor, *stalls ? "; " : "", stalls);
	else
		rows_words(parent, "speed_words", "one speed of the machine in %.0f s of turns%s%s", s->run_s,
			   *stalls ? "; " : "", stalls);
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
