// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define TAILS_STAY 0.75 /* of the weight of the tails before, when others are seen */

void watcher_init(struct watcher *w)
{
	memset(w, 0, sizeof(*w));
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
	unsigned int dropped, squeezed, cpu, row = 0;
	char line[256];

	file_scan (line, "proc/net/softnet_stat") {
		int n = sscanf(line, "%*x %x %x %*x %*x %*x %*x %*x %*x %*x %*x %*x %x", &dropped, &squeezed, &cpu);

		cpu = n == 3 ? cpu : row;
		if (n >= 2 && cpu < (unsigned int)ncpus)
			s[cpu] = (struct softnet){dropped, squeezed};
		row++;
	}
}

int watcher_open(struct watcher *w, const char *const *names, size_t nnames, unsigned int every, struct diag *d)
{
	int err = probe_open(&w->probe, every, d);

	if (err)
		return err;
	w->every = every;
	w->due = WATCH_LOOKS;
	probe_measure_own(&w->probe, false);
	err = devices_open(&w->devices, names, nnames, &w->probe, d);
	if (err)
		return err;
	w->memory = calloc(5 * entries(w), sizeof(*w->memory));
	w->softnet_before = calloc(2 * (size_t)w->probe.ncpus, sizeof(*w->softnet));
	if (!w->memory || !w->softnet_before)
		return diag_set(d, -ENOMEM, "no memory");
	w->before = w->memory;
	w->now = w->before + entries(w);
	w->growth = w->now + entries(w);
	w->counted = w->growth + entries(w);
	w->interval = w->counted + entries(w);
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
	watcher_init(w);
}

void watcher_begin(struct watcher *w, double interval_s)
{
	probe_read(&w->probe, w->before, w->now);
	w->start_ns = w->look_ns = w->from_ns = w->interval_ns = w->refreshed_ns = w->next_ns = now_ns();
	w->step_ns = (uint64_t)(interval_s * 1e9 / WATCH_LOOKS);
	softnet_read(w->softnet_before, w->probe.ncpus);
	devices_count(&w->devices);
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		w->since_ns[slot] = w->devices.list[slot].since_ns;
}

uint64_t watcher_next_ns(struct watcher *w)
{
	uint64_t now = now_ns();

	w->next_ns += w->step_ns;
	if (now > w->next_ns + w->step_ns) /* this process had no CPU: looks that were missed are not made up for */
		w->next_ns = now;
	return w->next_ns;
}

/* How long softirqs of this slot go on after their last poll; where none was seen, those of all. NaN: not known yet. */
static double tail_ns(const struct watcher *w, unsigned int slot)
{
	double n = w->tails[slot], ns = w->tails_ns[slot];

	for (unsigned int i = 0; i < WATCH_SLOTS && !(w->tails[slot] > 0); i++) {
		n += w->tails[i];
		ns += w->tails_ns[i];
	}
	return n > 0 ? fmax(0, ns / n - w->own.poll_ns) : NAN; /* the end of the last poll's program is in it */
}

int watcher_look(struct watcher *w, struct diag *d)
{
	struct watch_polls *swap = w->before;
	struct past_second *second;
	uint64_t at_ns = now_ns();
	bool softirqs = false, ended = false, pause;
	double by; /* to the whole look */
	int err;

	w->before = w->now;
	w->now = swap;
	probe_read(&w->probe, w->before, w->now);
	if (!w->paused)
		w->count_ns = at_ns - w->from_ns;
	by = (double)(at_ns - w->look_ns) / (double)w->count_ns;
	for (size_t i = 0; i < entries(w); i++) {
		struct watch_polls *growth = &w->growth[i];
		unsigned int slot = i % WATCH_SLOTS;

		if (w->paused) {
			*growth = w->counted[i];
		} else {
			polled_growth(growth, &w->before[i], &w->now[i]);
			softirqs |= growth->timed_polls > 0;
			ended |= growth->tails > 0;
			w->tails[slot] += (double)growth->tails;
			w->tails_ns[slot] += (double)growth->tail_ns;
			w->own.tail_ns = tail_ns(w, slot);
			polled_correct(growth, &w->own);
			polled_add(&w->looks[slot][w->ncounted], growth);
			w->counted[i] = *growth;
		}
		if (by != 1)
			polled_scale(growth, by);
		polled_add(&w->interval[i], growth);
	}
	w->ncounted += !w->paused;
	w->nlooks++;
	w->own = w->probe.own; /* of a look in which nothing is measured any more */
	probe_measure_own(&w->probe, softirqs);
	err = past_add(&w->past, w->look_ns, at_ns, w->growth, w->probe.ncpus);
	w->look_ns = at_ns;
	if (err)
		return diag_set(d, err, "no memory");
	/* Begins the next look: the looks that are counted lie evenly in an interval. */
	pause = w->nlooks % WATCH_LOOKS * w->due % WATCH_LOOKS >= w->due && !w->probe.measuring;
	if (pause && !w->paused)
		probe_pause(&w->probe);
	w->from_ns = w->look_ns;
	if (!pause && w->paused) {
		err = probe_resume(&w->probe, d);
		w->from_ns = now_ns(); /* attaching takes some tenths of a millisecond */
	}
	if (ended) /* again after as long as ten looks take, and after a second at the earliest */
		w->ends_ns = at_ns + (uint64_t)fmax(1e9, (double)(WATCH_LOOKS * w->step_ns));
	for (unsigned int slot = 0; slot < WATCH_SLOTS && ended; slot++) {
		w->tails[slot] *= TAILS_STAY;
		w->tails_ns[slot] *= TAILS_STAY;
	}
	probe_see_ends(&w->probe, w->every && !pause && at_ns >= w->ends_ns);
	w->paused = pause;
	if (err)
		return err;
	second = past_last(&w->past);
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++) { /* once for each second: its XDP programs */
		const struct watched *device = &w->devices.list[slot];
		struct past_program *p = &second->programs[slot];

		for (size_t i = 0; i < device->nprograms && !p->id; i++) {
			const struct attached *a = &device->programs[i];

			if (strncmp(a->hook, "xdp-", 4))
				continue;
			p->id = a->id;
			snprintf(p->mode, sizeof(p->mode), "%s", a->hook + 4);
			snprintf(p->name, sizeof(p->name), "%s", a->name);
		}
	}
	return 0;
}

int watcher_count(struct watcher *w)
{
	softnet_read(w->softnet, w->probe.ncpus);
	return devices_count(&w->devices);
}

bool watcher_line(struct watcher *w, unsigned int slot, struct watch_line *line)
{
	const struct watched *dev = slot == WATCH_BACKLOG ? NULL : &w->devices.list[slot];
	double seconds = (double)(w->look_ns - w->interval_ns) / 1e9;
	struct polled_past *scatter = &w->scatter[slot];

	if (dev ? !watched_is(dev) : w->devices.nnames)
		return false;
	*line = (struct watch_line){.slot = slot,
				    .device = dev,
				    .time_s = (double)(w->look_ns - w->start_ns) / 1e9,
				    .seconds = seconds,
				    .at_ns = w->look_ns,
				    .unwatched = w->devices.nleft,
				    .queue_pct = NAN};
	for (int cpu = 0; cpu < w->probe.ncpus; cpu++) {
		const struct watch_polls *p = &w->interval[(size_t)cpu * WATCH_SLOTS + slot];

		if (!p->polls)
			continue;
		polled_add(&line->polls, p);
		line->squeezed += w->softnet[cpu].squeezed - w->softnet_before[cpu].squeezed;
		line->backlog_drops += dev ? 0 : w->softnet[cpu].dropped - w->softnet_before[cpu].dropped;
		if (line->ncpus < RUN_MAX_RX_CPUS)
			line->cpus[line->ncpus++] = cpu;
	}
	if (!line->polls.polls && !w->devices.nnames)
		return false;
	if (scatter->since_ns != (dev ? dev->since_ns : 0)) /* of a device that had this slot before */
		*scatter = (struct polled_past){.since_ns = dev ? dev->since_ns : 0};
	line->cost = polled_cost(w->looks[slot], w->ncounted, scatter);
	polled_remember(scatter, w->looks[slot], w->ncounted, seconds);
	line->counted_pct = 100 * (double)w->ncounted / (double)w->nlooks;
	line->tail_ns = tail_ns(w, slot);
	line->own = polled_own(&line->polls, &w->own);
	line->own.polls_ns *= line->counted_pct / 100;
	line->own.softirqs_ns *= line->counted_pct / 100;
	line->cost.half = hypot(line->cost.half, polled_own_half(&line->polls, &w->own));
	line->busy_pct =
		(isnan(line->cost.ns) ? polled_busy_ns(&line->polls) : line->cost.ns * (double)line->polls.packets) /
		seconds / 1e7;
	line->programs_changed = dev && !w->told[slot];
	w->told[slot] = true;
	return true;
}

void watcher_end(struct watcher *w)
{
	/*
	 * How many looks of the next interval the budget pays for: all, as long as the programs' own cost is not known.
	 */
	double least_ns = (double)(w->look_ns - w->interval_ns) * WATCH_LEAST_PCT / 100, due = WATCH_LOOKS;

	for (int cpu = 0; cpu < w->probe.ncpus && w->every > 1; cpu++) {
		double own_ns = 0, busy_ns = 0;

		for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++) {
			const struct watch_polls *p = &w->interval[(size_t)cpu * WATCH_SLOTS + slot];
			struct polled_own own = polled_own(p, &w->own);

			own_ns += own.polls_ns + (isnan(own.softirqs_ns) ? 0 : own.softirqs_ns);
			busy_ns += p->packets || p->timed_polls ? polled_busy_ns(p) : 0;
		}
		if (own_ns > least_ns)
			due = fmin(due, WATCH_LOOKS * WATCH_BUDGET_PCT / 100.0 * (busy_ns + own_ns) / own_ns);
	}
	w->due = (unsigned int)fmax(due, WATCH_COUNTED);
	memcpy(w->softnet_before, w->softnet, (size_t)w->probe.ncpus * sizeof(*w->softnet));
	memset(w->interval, 0, entries(w) * sizeof(*w->interval));
	memset(w->looks, 0, sizeof(w->looks));
	w->nlooks = w->ncounted = 0;
	w->interval_ns = w->look_ns;
}

int watcher_refresh(struct watcher *w, struct diag *d)
{
	int err = devices_refresh(&w->devices, &w->probe, w->told, d);

	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++) {
		if (w->since_ns[slot] == w->devices.list[slot].since_ns)
			continue;
		/* another device has the slot: what is kept of the one before it goes */
		w->since_ns[slot] = w->devices.list[slot].since_ns;
		w->told[slot] = false;
		past_forget(&w->past, slot);
		memset(w->looks[slot], 0, sizeof(w->looks[slot]));
		w->tails[slot] = w->tails_ns[slot] = 0;
		for (int cpu = 0; cpu < w->probe.ncpus; cpu++) {
			w->interval[(size_t)cpu * WATCH_SLOTS + slot] = (struct watch_polls){};
			w->counted[(size_t)cpu * WATCH_SLOTS + slot] = (struct watch_polls){};
		}
	}
	w->refreshed_ns = now_ns();
	return err;
}
