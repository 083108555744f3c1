// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/printable.h"
#include "base/sheet/digits.h"
#include "base/sheet/json_out.h"
#include "base/sheet/text.h"

#define BACKLOG_NAME "(backlog)" /* no device has parentheses and no NAPI */

static double lines_part_pct(uint64_t part, uint64_t of)
{
	return of ? 100 * (double)part / (double)of : NAN;
}

static double per(double amount, double of)
{
	return of > 0 ? amount / of : NAN;
}

static const char *name_of(const struct watch_line *line)
{
	return line->device ? line->device->nd.name : BACKLOG_NAME;
}

void lines_head(void)
{
	printf("%7s %-15s %11s %16s %7s %5s %5s %6s\n", "time", "device", "packets/s", "ns/packet", "pk/poll", "empty",
	       "full", "busy");
}

static void print_programs(const struct watched *w)
{
	for (size_t i = 0; i < w->nprograms; i++)
		printable_printf(stdout, "        %s: %s, program %" PRIu32 "%s%s\n", w->nd.name, w->programs[i].hook,
				 w->programs[i].id, *w->programs[i].name ? " " : "", w->programs[i].name);
}

static void print_losses(const struct watch_line *line)
{
	const struct counters *grown = line->device ? &line->device->grown : NULL;

	for (size_t i = 0; grown && i < grown->n; i++) {
		const struct counter *c = &grown->list[i];

		if (counter_is_loss(c) && c->known)
			printable_printf(stdout, "        lost: %" PRIu64 " %s%s%s\n", c->value, c->name,
					 *counter_meaning(c) ? ", " : "", counter_meaning(c));
	}
	if (line->backlog_drops)
		printf("        lost: %" PRIu64 " backlog, a CPU's queue was full\n", line->backlog_drops);
	if (line->squeezed)
		printf("        squeezed: %" PRIu64 " softirqs ran out of budget or time\n", line->squeezed);
}

/* The stack queues the frames of such a device for a CPU (netif_rx), as of a veth without XDP and without GRO. */
static void print_unpolled(const struct watch_line *line)
{
	const struct counters *grown = line->device && !line->polls.polls ? &line->device->grown : NULL;

	for (size_t i = 0; grown && i < grown->n; i++) {
		const struct counter *c = &grown->list[i];

		if (c->source == COUNTER_LINK && !strcmp(c->name, "rx_packets") && c->known)
			printf("        received: %" PRIu64
			       " frames, without a NAPI of its own: \"watch all\" has them\n",
			       c->value);
	}
}

static int end_line(void)
{
	return fflush(stdout) || ferror(stdout) ? -errno : 0;
}

int lines_text(const struct watch_line *line)
{
	const struct text t = {.out = stdout};
	const struct watch_polls *p = &line->polls;

	if (line->device && line->programs_changed)
		print_programs(line->device);
	printf("%7.1f ", line->time_s);
	text_name(&t, name_of(line), 15);
	text_number(&t, (double)p->packets / line->seconds, 12, 0, false);
	putchar(' ');
	text_column(&t, line->cost.ns, line->cost.half, 8, false);
	text_number(&t, per((double)p->packets, (double)p->polls), 8, 1, false);
	text_number(&t, lines_part_pct(p->empty, p->polls), 5, 0, false);
	printf("%%");
	text_number(&t, lines_part_pct(p->full, p->polls), 5, 0, false);
	printf("%%");
	text_number(&t, line->busy_pct, 6, 1, false);
	printf("%%\n");
	print_losses(line);
	print_unpolled(line);
	return end_line();
}

static json_t *programs_json(struct json_out *w, const struct watched *device)
{
	json_t *programs = json_array();

	for (size_t i = 0; device && i < device->nprograms; i++) {
		json_t *o = json_object();

		json_out_text(w, o, "hook", device->programs[i].hook);
		json_out_text(w, o, "name", device->programs[i].name);
		json_out_whole(w, o, "id", device->programs[i].id);
		json_out_add(w, programs, o);
	}
	return programs;
}

static json_t *losses_json(struct json_out *w, const struct watch_line *line)
{
	json_t *losses = json_array();

	for (size_t i = 0; line->device && i < line->device->grown.n; i++) {
		const struct counter *c = &line->device->grown.list[i];
		json_t *o;

		if (!counter_is_loss(c))
			continue;
		o = json_object();
		json_out_text(w, o, "source", counter_source_names[c->source]);
		json_out_text(w, o, "name", c->name);
		json_out_whole(w, o, "packets", c->known ? (int64_t)c->value : -1);
		json_out_add(w, losses, o);
	}
	return losses;
}

static json_t *cpus_json(struct json_out *w, const struct watch_line *line)
{
	json_t *cpus = json_array();

	for (size_t i = 0; i < line->ncpus; i++)
		json_out_add(w, cpus, json_integer(line->cpus[i]));
	return cpus;
}

int lines_json(const struct watch_line *line)
{
	const struct watch_polls *p = &line->polls;
	struct json_out w = {};
	json_t *o = json_object(), *hist = json_array();
	int err;

	json_out_text(&w, o, "schema", WATCH_SCHEMA);
	json_out_number(&w, o, "time_s", line->time_s);
	json_out_number(&w, o, "seconds", line->seconds);
	json_out_whole(&w, o, "at_ns", (int64_t)line->at_ns);
	json_out_put(&w, o, "device", json_out_known(line->device ? line->device->nd.name : ""));
	json_out_put(&w, o, "cpus", cpus_json(&w, line));
	json_out_whole(&w, o, "packets", (int64_t)p->packets);
	json_out_number(&w, o, "pps", (double)p->packets / line->seconds);
	json_out_amount(&w, o, "ns_per_packet", line->cost.ns);
	json_out_amount(&w, o, "ns_per_packet_half", line->cost.half);
	json_out_amount(&w, o, "own_polls_ns", line->own.polls_ns);
	json_out_amount(&w, o, "own_softirqs_ns", line->own.softirqs_ns);
	json_out_whole(&w, o, "timed_packets", (int64_t)(p->timed_packets + p->thread_packets));
	json_out_whole(&w, o, "timed_polls", (int64_t)p->timed_polls);
	json_out_whole(&w, o, "timed_softirqs", (int64_t)p->timed_softirqs);
	json_out_amount(&w, o, "busy_pct", line->busy_pct);
	json_out_amount(&w, o, "queue_pct", line->queue_pct);
	json_out_whole(&w, o, "polls", (int64_t)p->polls);
	json_out_whole(&w, o, "empty_polls", (int64_t)p->empty);
	json_out_whole(&w, o, "full_polls", (int64_t)p->full);
	for (int i = 0; i < WATCH_HIST; i++)
		json_out_add(&w, hist, json_integer((json_int_t)p->hist[i]));
	json_out_put(&w, o, "poll_histogram", hist);
	json_out_whole(&w, o, "squeezed", (int64_t)line->squeezed);
	json_out_whole(&w, o, "backlog_drops", (int64_t)line->backlog_drops);
	json_out_put(&w, o, "losses", losses_json(&w, line));
	json_out_put(&w, o, "programs", programs_json(&w, line->device));
	err = json_out_write(&w, o, stdout, JSON_COMPACT);
	return err ? err : end_line();
}

#define SHOWN 6 /* facilities in text; JSON has all */

int lines_functions(const struct watcher *w, unsigned int slot, const struct flight_costs *costs)
{
	char ns[64];

	printable_printf(stdout, "        %s, last %.0f s, ns/packet by facility:\n", w->devices.list[slot].nd.name,
			 costs->seconds);
	for (size_t i = 0; i < costs->n && i < SHOWN; i++)
		printable_printf(stdout, "%14s  %s\n",
				 digits_interval(costs->list[i].ns, costs->list[i].half, ns, sizeof(ns)),
				 costs->list[i].facility);
	if (costs->n > SHOWN)
		printf("                %zu others\n", costs->n - SHOWN);
	return end_line();
}

int lines_functions_json(const struct watcher *w, unsigned int slot, const struct flight_costs *costs)
{
	json_t *o = json_object(), *facilities = json_array();
	struct json_out out = {};
	int err;

	json_out_text(&out, o, "schema", WATCH_FUNCTIONS_SCHEMA);
	json_out_number(&out, o, "time_s", (double)(w->look_ns - w->start_ns) / 1e9);
	json_out_number(&out, o, "seconds", costs->seconds);
	json_out_text(&out, o, "device", w->devices.list[slot].nd.name);
	json_out_count(&out, o, "packets", costs->packets);
	for (size_t i = 0; i < costs->n; i++) {
		json_t *one = json_object();

		json_out_text(&out, one, "facility", costs->list[i].facility);
		json_out_number(&out, one, "ns_per_packet", costs->list[i].ns);
		json_out_number(&out, one, "ns_per_packet_half", costs->list[i].half);
		json_out_whole(&out, one, "samples", (int64_t)costs->list[i].samples);
		json_out_add(&out, facilities, one);
	}
	json_out_put(&out, o, "facilities", facilities);
	err = json_out_write(&out, o, stdout, JSON_COMPACT);
	return err ? err : end_line();
}
