// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/json_text.h"
#include "base/sheet/digits.h"
#include "reports/run/run_names.h"
#include "user/commands/tick.h"

#define JSON_DIGITS 15 /* digits that a double holds exactly, so that a rounded value prints without a tail */

static void print_row(const char *action, double pps, const char *operation, const char *mode)
{
	char human[48];

	printf("%-12s %-10.0f %-18s %-9s  %s\n", action, pps, digits_count(pps, human, sizeof(human)), operation, mode);
}

void tick_print_heading(void)
{
	printf("%-12s %-10s %-18s %-9s  %s\n", "XDP_action", "pps", "pps-human-readable", "operation", "mode");
}

static void print_extended(const struct tick *t)
{
	for (int cpu = 0; cpu < t->ncpus; cpu++) {
		for (unsigned int v = 0; v < RUN_VERDICTS; v++) {
			char human[48], label[32];
			double pps = t->growth[cpu].verdicts[v] / t->seconds;

			if (!t->growth[cpu].verdicts[v])
				continue;
			snprintf(label, sizeof(label), "CPU %d", cpu);
			printf("  %-10s %-10.0f %-18s %s\n", label, pps, digits_count(pps, human, sizeof(human)),
			       bench_verdict_name(v));
		}
	}
	if (t->v->stage != RUN_STAGE_NONE)
		printf("  %-10s %-10" PRId64 " frames in all, %" PRId64 " dropped before it: %s\n", "2nd stage",
		       t->stage_frames, t->stage_dropped, t->v->stage_text);
}

static void print_functions(const struct tick *t)
{
	for (size_t i = 0; i < t->calls->n; i++) {
		const struct call_count *c = &t->called[i];

		printf("  %-28s %10.3f calls/packet %10.1f ns/call\n", t->calls->probes[i].function,
		       t->packets ? (double)c->calls / t->packets : 0, c->timed ? (double)c->ns / c->timed : 0);
	}
}

/* Prints the device's counters that changed, under their names in `ethtool -S`. */
static void print_device(const struct tick *t)
{
	for (size_t i = 0; i < t->device->n; i++) {
		const struct counter *c = &t->device->list[i];
		double rate = c->value / t->seconds;
		char human[48];

		if (c->known)
			printf("  %-10s %-10.0f %-18s %8.3f  %s\n", counter_source_names[c->source], rate,
			       digits_count(rate, human, sizeof(human)), t->packets ? (double)c->value / t->packets : 0,
			       c->name);
		else
			printf("  %-10s %-10s %-18s %8s  %s\n", counter_source_names[c->source], "-", "-", "-",
			       c->name);
	}
}

static double rounded(double value, double to)
{
	return round(value / to) * to;
}

static json_t *cpus_json(const struct tick *t)
{
	json_t *cpus = json_array();

	for (int cpu = 0; cpu < t->ncpus; cpu++) {
		json_t *o;

		if (!bench_counts_sum(&t->growth[cpu], 1))
			continue;
		o = json_pack("{s:i}", "cpu", cpu);
		for (unsigned int v = 0; v < RUN_VERDICTS; v++)
			json_object_set_new(o, run_verdict_names[v],
					    json_integer((json_int_t)t->growth[cpu].verdicts[v]));
		json_array_append_new(cpus, o);
	}
	return cpus;
}

static json_t *functions_json(const struct tick *t)
{
	json_t *functions = json_array();

	for (size_t i = 0; i < t->calls->n; i++)
		json_array_append_new(functions,
				      json_pack("{s:s, s:I, s:I, s:I}", "function", t->calls->probes[i].function,
						"calls", (json_int_t)t->called[i].calls, "timed",
						(json_int_t)t->called[i].timed, "ns", (json_int_t)t->called[i].ns));
	return functions;
}

static int print_json(const struct tick *t)
{
	json_t *o =
		json_pack("{s:s, s:f, s:f, s:s, s:s, s:s, s:I, s:f, s:o}", "schema", "xdpzoom.stat/1", "time_s",
			  rounded(t->since_start_s, 1e-3), "seconds", rounded(t->seconds, 1e-6), "action", t->v->action,
			  "operation", t->v->operation, "mode", t->v->mode, "packets", (json_int_t)t->packets, "pps",
			  rounded(t->packets / t->seconds, 0.1), "cpus", cpus_json(t));
	int err;

	if (t->device)
		json_object_set_new(o, "counters", run_counters_json(t->device));
	if (t->calls->n)
		json_object_set_new(o, "functions", functions_json(t));
	if (t->v->stage != RUN_STAGE_NONE)
		json_object_set_new(o, "second_stage",
				    json_pack("{s:I, s:I}", "frames", (json_int_t)t->stage_frames, "dropped",
					      (json_int_t)t->stage_dropped));
	err = o ? 0 : -ENOMEM;
	if (!err && !json_text_write(o, stdout, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS)))
		putchar('\n');
	json_decref(o);
	return err;
}

int tick_print(const struct tick *t, const char *format)
{
	int err = 0;

	if (!strcmp(format, "json")) {
		err = print_json(t);
	} else {
		print_row(bench_verdict_name(run_verdict_of(t->v)), t->packets / t->seconds, t->v->operation,
			  t->v->mode);
		if (t->extended)
			print_extended(t);
		if (t->device)
			print_device(t);
		print_functions(t);
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -errno;
	return err;
}
