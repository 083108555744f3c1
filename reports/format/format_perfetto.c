// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file for https://ui.perfetto.dev: windows as slices, one track per variant; samples as instants, one track per CPU;
 * and what a dump of watch knows of each interval as counters. Times are CLOCK_MONOTONIC, in whole us.
 * src: the JSON trace event format, in those parts that google/perfetto, src/trace_processor/importers/json, takes:
 *      phases "X", "i" with scope "t", "C" and "M"
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/foreign_file.h"
#include "perfparse/script.h"
#include "reports/format/format.h"
#include "reports/run/run_fields.h"
#include "reports/why/why.h"

#define PROCESS   1 /* 0 would be the idle task's */
#define CPU_TRACK 1000
#define STACK     4096 /* bytes of a stack's names */

struct perfetto {
	struct json_out out;
	json_t *events;
	int *cpus; /* that have a name */
	size_t ncpus;
};

static json_t *format_perfetto_add_event(struct perfetto *t, const char *phase, const char *name, uint64_t at_ns,
					 int track)
{
	json_t *o = json_object();

	json_out_text(&t->out, o, "ph", phase);
	json_out_text(&t->out, o, "name", name);
	json_out_whole(&t->out, o, "ts", (int64_t)(at_ns / 1000));
	json_out_whole(&t->out, o, "pid", PROCESS);
	json_out_whole(&t->out, o, "tid", track);
	json_out_add(&t->out, t->events, o);
	return o;
}

/* Takes args over. */
static void put_args(struct perfetto *t, json_t *event, json_t *args)
{
	json_out_put(&t->out, event, "args", args);
}

static void name_it(struct perfetto *t, const char *what, int track, const char *name)
{
	json_t *args = json_object();

	json_out_text(&t->out, args, "name", name);
	put_args(t, format_perfetto_add_event(t, "M", what, 0, track), args);
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

/* A dump's windows of one block are all of the same time. */
static void add_windows(struct perfetto *t, const struct run_block *b)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < b->nwindows; i++) {
		const struct run_window *w = &b->windows[i];
		json_t *args, *event;

		if (w->from_ns == last_ns)
			continue;
		last_ns = w->from_ns;
		args = json_object();
		json_out_whole(&t->out, args, "block", b->index);
		json_out_whole(&t->out, args, "packets", (int64_t)run_window_packets(w));
		json_out_number(&t->out, args, "busy_ns", w->busy_ns);
		event = format_perfetto_add_event(t, "X", run_window_kind_names[w->kind], w->from_ns,
						  (int)b->variant + PROCESS + 1);
		json_out_whole(&t->out, event, "dur", (int64_t)((w->to_ns - w->from_ns) / 1000));
		put_args(t, event, args);
	}
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

static void name_cpu(struct perfetto *t, int cpu)
{
	char name[40];
	int *one;

	for (size_t i = 0; i < t->ncpus; i++)
		if (t->cpus[i] == cpu)
			return;
	one = array_add(&t->cpus, &t->ncpus, sizeof(*one));
	t->out.failed |= !one;
	if (!one)
		return;
	*one = cpu;
	snprintf(name, sizeof(name), "CPU %d: samples", cpu);
	name_it(t, "thread_name", CPU_TRACK + cpu, name);
}

static void format_perfetto_add_sample(struct perfetto *t, const struct profile *p, const struct script_sample *s)
{
	const struct profile_stack *stack = &p->stacks[s->stack];
	json_t *args = json_object(), *event;
	char names[STACK] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < stack->depth && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? " < " : "",
					 p->symbols[p->frames[stack->first + i]].name);
	json_out_text(&t->out, args, "stack", names);
	json_out_number(&t->out, args, "period", s->period);
	event = format_perfetto_add_event(t, "i", p->symbols[p->frames[stack->first]].name, s->time_ns,
					  CPU_TRACK + s->cpu);
	json_out_text(&t->out, event, "s", "t");
	put_args(t, event, args);
	name_cpu(t, s->cpu);
}

/* All that the script has, the receiver's and others'. A table has no times. */
static int format_perfetto_add_samples(struct perfetto *t, const char *dir, const struct run_block *b)
{
	const struct script_filter all = {.cpu = -1, .tid = -1};
	struct script_samples samples = {};
	struct linescan lines;
	struct diag d = {};
	char path[4200];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%.4100s/%s", dir, b->script);
	if (!b->script[0] || !strstr(b->script, ".script"))
		return 0;
	err = foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, &d);
	if (err)
		return err;
	linescan_init(&lines, in);
	err = script_keep(&samples, &lines, &all, &d);
	for (size_t i = 0; i < samples.n && !err; i++)
		if (samples.list[i].has_time && samples.list[i].cpu >= 0)
			format_perfetto_add_sample(t, &samples.profile, &samples.list[i]);
	script_samples_release(&samples);
	linescan_release(&lines);
	fclose(in);
	return err;
}

/* ---- intervals -------------------------------------------------------------------------------------------------- */

static void add_counters(struct perfetto *t, const json_t *interval)
{
	json_int_t from_ns = json_integer_value(json_object_get(interval, "from_ns"));
	const char *name;
	json_t *value;

	json_object_foreach (json_object_get(interval, "values"), name, value) {
		json_t *args;

		if (from_ns <= 0 || !json_is_number(value))
			continue;
		args = json_object();
		json_out_number(&t->out, args, "value", json_number_value(value));
		put_args(t, format_perfetto_add_event(t, "C", name, (uint64_t)from_ns, PROCESS), args);
	}
}

static int add_intervals(struct perfetto *t, const char *dir)
{
	json_t *moment, *one;
	struct diag d = {};
	int err = why_load(&moment, dir, &d);
	size_t i;

	json_array_foreach (json_object_get(moment, "intervals"), i, one)
		add_counters(t, one);
	json_decref(moment);
	return err;
}

int format_perfetto(FILE *out, const struct document *d, const struct render_options *o)
{
	struct perfetto t = {.events = json_array()};
	const struct run *r = d->analysis->run;
	json_t *file = json_object();
	char name[128];
	int err = o->path ? add_intervals(&t, o->path) : 0;

	snprintf(name, sizeof(name), "xdpzoom %s", r->started);
	name_it(&t, "process_name", PROCESS, name);
	for (size_t i = 0; i < r->nvariants; i++)
		name_it(&t, "thread_name", (int)i + PROCESS + 1, r->variants[i].id);
	for (size_t i = 0; i < r->nblocks && !err; i++) {
		add_windows(&t, &r->blocks[i]);
		err = o->path ? format_perfetto_add_samples(&t, o->path, &r->blocks[i]) : 0;
	}
	json_out_text(&t.out, file, "displayTimeUnit", "ns");
	json_out_put(&t.out, file, "traceEvents", t.events);
	free(t.cpus);
	if (!err)
		return json_out_write(&t.out, file, out, JSON_COMPACT);
	json_decref(file);
	return err;
}
