// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/sheet/csv.h"
#include "perfparse/events.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "perfparse/perfstat_render.h"

/*
 * An event that was counted for a smaller share of the time than this is marked "low": most of its value is
 * scaling.
 */
#define RUNNING_LOW_PCT 25.0

bool perfstat_render_shows(const struct perfstat_render *r, const struct perfstat_count *c)
{
	char place[16];

	if (r->cpu >= 0) {
		snprintf(place, sizeof(place), "CPU%d", r->cpu);
		if (strcmp(place, c->place))
			return false;
	}
	return !r->event || event_matches(r->event, c->event, strlen(c->event)) ||
	       event_matches(r->event, c->name, strlen(c->name));
}

/* A clock in milliseconds is shown as ns per packet. */
static double per_packet(const struct perfstat_render *r, const struct perfstat_count *c, const char **unit)
{
	if (!strcmp(c->unit, "msec")) {
		*unit = "ns";
		return c->value * 1e6 / r->packets;
	}
	*unit = c->unit;
	return c->value / r->packets;
}

static const char *state_text(const struct perfstat_count *c)
{
	return c->state == PERFSTAT_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

static const char *multiplexing(const struct perfstat_count *c)
{
	if (c->state != PERFSTAT_COUNTED || c->running_pct >= 99.995)
		return "";
	return c->running_pct < RUNNING_LOW_PCT ? "scaled, low" : "scaled";
}

static void print_count(const struct perfstat_render *r, const struct perfstat_count *c, FILE *out)
{
	const char *unit = "";
	double v = per_packet(r, c, &unit), ipc = perfstat_ipc(r->stat, c);

	if (c->state == PERFSTAT_COUNTED)
		printable_printf(out, "%14.4f %-4s %20.*f", v, unit, c->unit[0] ? 2 : 0, c->value);
	else
		fprintf(out, "%14s %-4s %20s", "-", "", state_text(c));
	printable_printf(out, "  %-10s %-28s", c->place, c->event);
	if (!isnan(c->variance_pct))
		fprintf(out, "  ±%.2f %%", c->variance_pct);
	if (*multiplexing(c))
		fprintf(out, "  counted %.2f %% of the time (%s)", c->running_pct, multiplexing(c));
	if (!isnan(ipc))
		fprintf(out, "  %.2f per cycle", ipc);
	fputc('\n', out);
}

int perfstat_render_text(const struct perfstat_render *r, FILE *out)
{
	const struct perfstat *s = r->stat;
	size_t i;

	fprintf(out, "# perf stat: %.0f packets", r->packets);
	if (!isnan(r->window_s))
		fprintf(out, " in %.6g s, %.2f ns/packet", r->window_s, r->window_s * 1e9 / r->packets);
	if (s->runs > 1)
		fprintf(out, ", means of %u runs", s->runs);
	fprintf(out, "\n#\n#%13s      %20s  %-10s %s\n", "per packet", "count", "place", "event");
	for (i = 0; i < s->ncounts; i++)
		if (perfstat_render_shows(r, &s->counts[i]))
			print_count(r, &s->counts[i], out);
	return ferror(out) ? -EIO : 0;
}

static json_t *count_json(const struct perfstat_render *r, const struct perfstat_count *c)
{
	static const char *const states[] = {"counted", "not counted", "not supported"};
	const char *unit = "";
	double v = per_packet(r, c, &unit);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "event",
			 json_text_string(c->event), "pmu", json_text_string(c->pmu), "name", json_text_string(c->name),
			 "modifiers", json_text_string(c->modifiers), "place", json_text_string(c->place), "state",
			 states[c->state], "count", json_text_number(c->value, true), "unit", json_text_string(c->unit),
			 "per_packet", json_text_number(v, true), "per_packet_unit", json_text_string(unit),
			 "variance_pct", json_text_number(c->variance_pct, true), "running_pct", c->running_pct,
			 "per_cycle", json_text_number(perfstat_ipc(r->stat, c), true));
}

json_t *perfstat_render_json(const struct perfstat_render *r)
{
	json_t *counts = json_array();
	size_t i;

	for (i = 0; i < r->stat->ncounts; i++)
		if (perfstat_render_shows(r, &r->stat->counts[i]))
			json_array_append_new(counts, count_json(r, &r->stat->counts[i]));
	return json_pack("{s:s, s:f, s:o, s:o, s:i, s:o}", "schema", PERFSTAT_SCHEMA, "packets", r->packets, "window_s",
			 json_text_number(r->window_s, true), "base_ns",
			 json_text_number(r->window_s * 1e9 / r->packets, true), "runs",
			 (int)(r->stat->runs ? r->stat->runs : 1), "counts", counts);
}

int perfstat_render_csv(const struct perfstat_render *r, FILE *out)
{
	const struct perfstat_count *c;
	const char *unit;
	double v;
	size_t i;

	fputs("event,place,state,unit,count,per_packet_unit,per_packet,variance_pct,running_pct,"
	      "per_cycle\n",
	      out);
	for (i = 0; i < r->stat->ncounts; i++) {
		c = &r->stat->counts[i];
		if (!perfstat_render_shows(r, c))
			continue;
		v = per_packet(r, c, &unit);
		csv_text(out, c->event);
		fputc(',', out);
		csv_text(out, c->place);
		fprintf(out, ",%s,", c->state == PERFSTAT_COUNTED ? "counted" : state_text(c));
		csv_text(out, c->unit);
		csv_number(out, c->value, true);
		fputc(',', out);
		csv_text(out, unit);
		csv_number(out, v, true);
		csv_number(out, c->variance_pct, true);
		csv_number(out, c->running_pct, true);
		csv_number(out, perfstat_ipc(r->stat, c), true);
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}
