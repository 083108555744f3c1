// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"
#include "user/machine/clock.h"

#define REFRESH_NS 1000000000ULL

void watcher_init(struct watcher *w, const struct watch_options *o)
{
	memset(w, 0, sizeof(*w));
	w->o = o;
	probe_init(&w->probe);
	w->own = w->probe.own;
	devices_init(&w->devices);
}

static size_t entries(const struct watcher *w)
{
	return (size_t)w->probe.ncpus * WATCH_SLOTS;
}

/* proc_pid_net(5), softnet_stat: hexadecimal; packets, dropped, squeezed, ..., and the CPU's number from 5.10 on. */
static void softnet_read(struct softnet *s, int ncpus)
{
	FILE *f = fopen("/proc/net/softnet_stat", "re");
	unsigned long v[16];
	char line[256];
	unsigned long row = 0;

	for (; f && fgets(line, sizeof(line), f); row++) {
		size_t n = 0;

		for (char *at = line, *end; n < 16; at = end, n++) {
			v[n] = strtoul(at, &end, 16);
			if (end == at)
				break;
		}
		if (n < 3)
			continue;
		if (n <= 12)
			v[12] = row;
		if (v[12] < (unsigned long)ncpus)
			s[v[12]] = (struct softnet){v[1], v[2]};
	}
	if (f)
		fclose(f);
}

int watcher_open(struct watcher *w, struct diag *d)
{
	int err = probe_open(&w->probe, w->o->every, d);

	if (err)
		return err;
	probe_measure_own(&w->probe, false);
	err = devices_open(&w->devices, w->o->names, w->o->nnames, &w->probe, d);
	if (err)
		return err;
	w->memory = calloc(4 * entries(w), sizeof(*w->memory));
	w->softnet_before = calloc(2 * (size_t)w->probe.ncpus, sizeof(*w->softnet));
	if (!w->memory || !w->softnet_before)
		return diag_set(d, -ENOMEM, "no memory");
	w->before = w->memory;
	w->now = w->before + entries(w);
	w->growth = w->now + entries(w);
	w->interval = w->growth + entries(w);
	w->softnet = w->softnet_before + w->probe.ncpus;
	return 0;
}

void watcher_release(struct watcher *w)
{
	free(w->memory);
	free(w->softnet_before);
	past_release(&w->past);
	devices_release(&w->devices);
	probe_close(&w->probe);
	watcher_init(w, w->o);
}

/* Once for each second: the XDP programs of that time. */
static void note_programs(struct watcher *w)
{
	struct past_second *s = past_last(&w->past);

	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++) {
		const struct watched *device = &w->devices.list[slot];
		struct past_program *p = &s->programs[slot];

		for (size_t i = 0; i < device->nprograms && !p->id; i++) {
			const struct attached *a = &device->programs[i];

			if (strncmp(a->hook, "xdp-", 4))
				continue;
			p->id = a->id;
			snprintf(p->mode, sizeof(p->mode), "%s", a->hook + 4);
			snprintf(p->name, sizeof(p->name), "%s", a->name);
		}
	}
}

static int take_look(struct watcher *w, struct diag *d)
{
	struct watch_polls *swap = w->before;
	uint64_t at_ns = now_ns();
	bool softirqs = false;
	int err;

	w->before = w->now;
	w->now = swap;
	probe_read(&w->probe, w->before, w->now);
	memset(w->looks, 0, w->nlooks ? 0 : sizeof(w->looks));
	for (size_t i = 0; i < entries(w); i++) {
		polled_growth(&w->growth[i], &w->before[i], &w->now[i]);
		softirqs |= w->growth[i].timed_polls > 0;
		polled_correct(&w->growth[i], &w->own);
		polled_add(&w->interval[i], &w->growth[i]);
		polled_add(&w->looks[i % WATCH_SLOTS][w->nlooks], &w->growth[i]);
	}
	w->nlooks++;
	w->own = w->probe.own; /* of a look in which nothing is measured any more */
	probe_measure_own(&w->probe, softirqs);
	err = past_add(&w->past, w->look_ns, at_ns, w->growth, w->probe.ncpus);
	w->look_ns = at_ns;
	if (err)
		return diag_set(d, err, "no memory");
	note_programs(w);
	return w->o->look ? w->o->look(w->o->arg, w, d) : 0;
}

double watcher_backlog_pps(const struct watcher *w, unsigned int cpu)
{
	if (cpu >= (unsigned int)w->probe.ncpus)
		return NAN;
	return (double)w->interval[(size_t)cpu * WATCH_SLOTS + WATCH_BACKLOG].packets * 1e9 /
	       (double)(w->look_ns - w->interval_ns);
}

static void fill_line(struct watcher *w, unsigned int slot, struct watch_line *line)
{
	uint64_t since_ns;

	line->slot = slot;
	line->queue_pct = NAN;
	line->device = slot == WATCH_BACKLOG ? NULL : &w->devices.list[slot];
	line->seconds = (double)(w->look_ns - w->interval_ns) / 1e9;
	line->time_s = (double)(w->look_ns - w->start_ns) / 1e9;
	line->at_ns = w->look_ns;
	since_ns = line->device ? line->device->since_ns : 0;
	if (w->scatter[slot].since_ns != since_ns) /* of a device that had this slot before */
		w->scatter[slot] = (struct polled_past){.since_ns = since_ns};
	line->cost = polled_cost(w->looks[slot], w->nlooks, &w->scatter[slot]);
	polled_remember(&w->scatter[slot], w->looks[slot], w->nlooks, line->seconds);
	for (int cpu = 0; cpu < w->probe.ncpus; cpu++) {
		const struct watch_polls *p = &w->interval[(size_t)cpu * WATCH_SLOTS + slot];

		if (!p->polls)
			continue;
		polled_add(&line->polls, p);
		line->squeezed += w->softnet[cpu].squeezed - w->softnet_before[cpu].squeezed;
		line->backlog_drops += line->device ? 0 : w->softnet[cpu].dropped - w->softnet_before[cpu].dropped;
		if (line->ncpus < RUN_MAX_RX_CPUS)
			line->cpus[line->ncpus++] = cpu;
	}
	line->own = polled_own(&line->polls, &w->own);
	line->cost.half = hypot(line->cost.half, polled_own_half(&line->polls, &w->own));
	line->busy_pct = polled_busy_ns(&line->polls) / line->seconds / 1e7;
	if (line->device) {
		line->programs_changed = !w->told[slot];
		w->told[slot] = true;
	}
}

static bool has_line(const struct watcher *w, unsigned int slot)
{
	const struct watched *device = &w->devices.list[slot];

	for (int cpu = 0; cpu < w->probe.ncpus; cpu++)
		if (w->interval[(size_t)cpu * WATCH_SLOTS + slot].polls)
			return slot == WATCH_BACKLOG ? !w->o->nnames : watched_is(device);
	return w->o->nnames && watched_is(device);
}

static int end_interval(struct watcher *w, struct diag *d)
{
	int err = devices_count(&w->devices);

	if (err)
		return diag_set(d, err, "no memory");
	softnet_read(w->softnet, w->probe.ncpus);
	for (unsigned int i = 0; i < WATCH_SLOTS - 1 && !err; i++) { /* the backlog comes last */
		unsigned int slot = i < WATCH_SLOTS - 2 ? i + WATCH_BACKLOG + 1 : WATCH_BACKLOG;
		struct watch_line line = {};

		if (!has_line(w, slot))
			continue;
		fill_line(w, slot, &line);
		err = w->o->line(w->o->arg, &line);
	}
	if (err)
		return diag_set(d, err, "cannot write: %s", strerror(-err));
	err = w->o->after ? w->o->after(w->o->arg, w, d) : 0;
	memcpy(w->softnet_before, w->softnet, (size_t)w->probe.ncpus * sizeof(*w->softnet));
	memset(w->interval, 0, entries(w) * sizeof(*w->interval));
	w->nlooks = 0;
	w->interval_ns = w->look_ns;
	return err;
}

static int refresh(struct watcher *w, struct diag *d)
{
	bool changed;
	int err = devices_refresh(&w->devices, &w->probe, &changed, d);

	if (changed)
		memset(w->told, 0, sizeof(w->told));
	w->refreshed_ns = now_ns();
	return err || !w->o->second ? err : w->o->second(w->o->arg, w, d);
}

static void begin(struct watcher *w)
{
	probe_read(&w->probe, w->before, w->now);
	w->start_ns = w->look_ns = w->interval_ns = w->refreshed_ns = now_ns();
	softnet_read(w->softnet_before, w->probe.ncpus);
	devices_count(&w->devices);
}

static int wait_until(const struct watch_options *o, uint64_t until_ns)
{
	if (o->wait)
		return o->wait(o->arg, until_ns);
	sleep_until_ns(until_ns);
	return 0;
}

int watch_run(struct watcher *w, struct diag *d)
{
	const struct watch_options *o = w->o;
	uint64_t step_ns = (uint64_t)(o->interval_s * 1e9 / WATCH_LOOKS), next_ns;
	uint64_t end_ns = UINT64_MAX;
	long intervals = 0;
	int err = 0;

	begin(w);
	next_ns = w->start_ns;
	if (o->for_s > 0)
		end_ns = w->start_ns + (uint64_t)(o->for_s * 1e9);
	while (!err && !stop_requested && w->look_ns < end_ns && (!o->count || intervals < o->count)) {
		next_ns += step_ns;
		if (now_ns() >
		    next_ns + step_ns) /* this process had no CPU: looks that were missed are not made up for */
			next_ns = now_ns();
		err = wait_until(o, next_ns < end_ns ? next_ns : end_ns);
		if (stop_requested && w->nlooks == 0)
			break;
		err = err ? diag_set(d, err, "cannot look at queues: %s", strerror(-err)) : take_look(w, d);
		if (!err && (w->nlooks == WATCH_LOOKS || stop_requested || w->look_ns >= end_ns)) {
			err = end_interval(w, d);
			intervals++;
		}
		if (!err && w->look_ns - w->refreshed_ns >= REFRESH_NS)
			err = refresh(w, d);
	}
	return err == -EPIPE ? 0 : err;
}
