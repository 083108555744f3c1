// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of perf stat per packet. */
#include "perfparse/perfparse.h"

/*
 * An event that was counted for a smaller share of the time than this is marked "low": most of its value is
 * scaling.
 */
#define RUNNING_LOW_PCT 25.0

bool perfstat_render_shows(const struct perfstat_render *s, const struct perfstat_count *c)
{
	char place[16];

	if (s->cpu >= 0) {
		snprintf(place, sizeof(place), "CPU%d", s->cpu);
		if (strcmp(place, c->place))
			return false;
	}
	return !s->event || event_matches(s->event, c->event, strlen(c->event)) ||
	       event_matches(s->event, c->name, strlen(c->name));
}

/* A clock in milliseconds is shown as ns per packet. */
static double per_packet(const struct perfstat_render *s, const struct perfstat_count *c, const char **unit)
{
	bool clock = !strcmp(c->unit, "msec");

	*unit = clock ? "ns" : c->unit;
	return c->value * (clock ? 1e6 : 1) / s->packets;
}

static const struct column count_columns[] = {
	{"event", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, event), .csv = "event"},
	{"pmu", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, pmu)},
	{"name", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, name)},
	{"modifiers", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, modifiers)},
	{"place", NULL, CELL_NAME, IN_JSON, FROM(perfstat_count, place), .csv = "place"},
	{"state", NULL, CELL_WORDS, IN_JSON},
	{"shown_state", NULL, CELL_WORDS, 0, .csv = "state"},
	{"unit", NULL, CELL_WORDS, IN_JSON, FROM(perfstat_count, unit), .csv = "unit"},
	{"count", NULL, CELL_NUMBER, IN_JSON, FROM(perfstat_count, value), .csv = "count"},
	{"per_packet_unit", NULL, CELL_WORDS, IN_JSON, .csv = "per_packet_unit"},
	{"per_packet", NULL, CELL_NUMBER, IN_JSON, .csv = "per_packet"},
	{"variance_pct", NULL, CELL_NUMBER, IN_JSON, FROM(perfstat_count, variance_pct), .csv = "variance_pct"},
	{"running_pct", NULL, CELL_NUMBER, IN_JSON, FROM(perfstat_count, running_pct), .csv = "running_pct"},
	{"per_cycle", NULL, CELL_NUMBER, IN_JSON, .csv = "per_cycle"},
};

static const struct column stat_columns[] = {
	{"schema", NULL, CELL_WORDS, IN_JSON},    {"packets", NULL, CELL_NUMBER, IN_JSON},
	{"window_s", NULL, CELL_NUMBER, IN_JSON}, {"base_ns", NULL, CELL_NUMBER, IN_JSON},
	{"runs", NULL, CELL_COUNT, IN_JSON},      {"counts", NULL, CELL_TABLE, IN_JSON | IN_CSV},
};

static const char *state_text(const struct perfstat_count *c)
{
	return c->state == PERFSTAT_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

static void add_count(struct rows *r, const struct perfstat_render *s, const struct perfstat_count *c)
{
	static const char *const states[] = {"counted", "not counted", "not supported"};
	const char *unit;
	double v = per_packet(s, c, &unit);

	rows_add_of(r, c);
	rows_text(r, "state", states[c->state]);
	rows_text(r, "shown_state", c->state == PERFSTAT_COUNTED ? "counted" : state_text(c));
	rows_text(r, "per_packet_unit", unit);
	rows_value(r, "per_packet", v);
	rows_value(r, "per_cycle", perfstat_ipc(s->stat, c));
}

void perfstat_render_rows(struct rows *r, const struct perfstat_render *s)
{
	struct rows *counts;

	rows_init(r, COLUMNS_OF(stat_columns));
	rows_add(r);
	rows_text(r, "schema", "xdpzoom.perf-stat/1");
	rows_value(r, "packets", s->packets);
	rows_value(r, "window_s", s->window_s);
	rows_value(r, "base_ns", s->window_s * 1e9 / s->packets);
	rows_value(r, "runs", s->stat->runs ? s->stat->runs : 1);
	counts = rows_table(r, "counts", COLUMNS_OF(count_columns));
	for (size_t i = 0; i < s->stat->ncounts; i++)
		if (perfstat_render_shows(s, &s->stat->counts[i]))
			add_count(counts, s, &s->stat->counts[i]);
}

static void print_count(const struct perfstat_render *s, const struct perfstat_count *c, FILE *out)
{
	const char *unit;
	double v = per_packet(s, c, &unit), ipc = perfstat_ipc(s->stat, c);

	if (c->state == PERFSTAT_COUNTED)
		printable_printf(out, "%14.4f %-4s %20.*f", v, unit, c->unit[0] ? 2 : 0, c->value);
	else
		fprintf(out, "%14s %-4s %20s", "-", "", state_text(c));
	printable_printf(out, "  %-10s %-28s", c->place, c->event);
	if (!isnan(c->variance_pct))
		fprintf(out, "  ±%.2f %%", c->variance_pct);
	if (c->state == PERFSTAT_COUNTED && c->running_pct < 99.995)
		fprintf(out, "  counted %.2f %% of the time (%s)", c->running_pct,
			c->running_pct < RUNNING_LOW_PCT ? "scaled, low" : "scaled");
	if (!isnan(ipc))
		fprintf(out, "  %.2f per cycle", ipc);
	fputc('\n', out);
}

int perfstat_render_text(const struct perfstat_render *s, FILE *out)
{
	fprintf(out, "# perf stat: %.0f packets", s->packets);
	if (!isnan(s->window_s))
		fprintf(out, " in %.6g s, %.2f ns/packet", s->window_s, s->window_s * 1e9 / s->packets);
	if (s->stat->runs > 1)
		fprintf(out, ", means of %u runs", s->stat->runs);
	fprintf(out, "\n#\n#%13s      %20s  %-10s %s\n", "per packet", "count", "place", "event");
	for (size_t i = 0; i < s->stat->ncounts; i++)
		if (perfstat_render_shows(s, &s->stat->counts[i]))
			print_count(s, &s->stat->counts[i], out);
	return 0;
}
