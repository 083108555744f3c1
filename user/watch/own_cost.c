// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/own_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/sheet/digits.h"
#include "base/sheet/text.h"
#include "base/stats.h"
#include "user/machine/clock.h"

/* proc_stat(5): the lines "ctxt" and "softirq" begin with the sum. */
static struct own_events events_now(void)
{
	struct own_events e = {.at_ns = now_ns()};
	FILE *f = fopen("/proc/stat", "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		sscanf(line, "ctxt %" SCNu64, &e.switches);
		sscanf(line, "softirq %" SCNu64, &e.softirqs);
	}
	free(line);
	if (f)
		fclose(f);
	return e;
}

void own_line(struct own_rounds *r, const struct watch_line *line)
{
	double ns = (line->own.polls_ns + line->own.softirqs_ns) / (double)line->polls.packets;
	size_t *n = &r->of_slot[line->slot];

	r->unknown |= isnan(ns) && line->polls.packets;
	if (!r->armed || isnan(ns) || isnan(line->cost.ns) || *n == OWN_ROUNDS)
		return;
	r->ns[line->slot][*n] = ns;
	r->pct[line->slot][(*n)++] = 100 * ns / (line->cost.ns + ns);
}

bool own_round(struct own_rounds *r, struct watcher *w)
{
	const struct own_costs *own = &w->own;
	bool unknown = r->unknown || isnan(own->count_ns);

	r->now = events_now();
	r->unknown = false;
	if (!r->began.at_ns)
		r->began = r->now;
	if (!r->armed) {
		r->armed = !unknown;
		return false;
	}
	r->count_ns[r->n] = own->count_ns;
	r->poll_ns[r->n] = own->poll_ns;
	r->softirq_ns[r->n++] = own->entry_ns - (own->poll_ns - own->count_ns);
	r->armed = false;
	probe_measure_anew(&w->probe);
	w->own = w->probe.own;
	return r->n == OWN_ROUNDS;
}

static void print_mean(const char *what, const double *values, size_t n)
{
	struct stats_mean m = stats_mean(values, n);
	char buf[64];

	printf("%16s ns  %s\n", digits_interval(m.mean, m.half, buf, sizeof(buf)), what);
}

/* The events of the whole machine that call a program and are no poll. */
static void print_events(const struct own_rounds *r, const struct watcher *w)
{
	double seconds = (double)(r->now.at_ns - r->began.at_ns) / 1e9, ns;
	double softirqs = (double)(r->now.softirqs - r->began.softirqs) / seconds;
	double switches = w->probe.threads ? (double)(r->now.switches - r->began.switches) / seconds : 0;
	char a[32], b[32];

	/* A program that returns at once costs little less than one that counts. */
	ns = softirqs * stats_mean(r->softirq_ns, r->n).mean * (w->probe.threads ? 2 : 1) +
	     switches * stats_mean(r->count_ns, r->n).mean;
	if (isnan(ns))
		return;
	printf("%15.3f %%   of one CPU, or less: %s softirqs a second of all kinds", ns / 1e7,
	       digits_count(softirqs, a, sizeof(a)));
	printf(w->probe.threads ? ", and %s switches of tasks\n" : "\n", digits_count(switches, b, sizeof(b)));
}

void own_print(const struct own_rounds *r, const struct watcher *w, const struct flight *f)
{
	printf("device                 ns/packet    of its cost, %%\n");
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++) {
		struct stats_mean ns = stats_mean(r->ns[slot], r->of_slot[slot]);
		struct stats_mean pct = stats_mean(r->pct[slot], r->of_slot[slot]);
		const struct text t = {.out = stdout};
		char a[64], b[64];

		if (!r->of_slot[slot])
			continue;
		text_name(&t, w->devices.list[slot].nd.name, 15);
		printf(" %16s  %16s\n", digits_interval(ns.mean, ns.half, a, sizeof(a)),
		       digits_interval(pct.mean, pct.half, b, sizeof(b)));
	}
	print_mean("a poll that is counted", r->count_ns, r->n);
	print_mean("a poll that is counted and timed", r->poll_ns, r->n);
	if (!isnan(r->softirq_ns[0]))
		print_mean("the beginning of a softirq", r->softirq_ns, r->n);
	if (f->on && f->sample_cost_ns > 0)
		printf("%15.3f %%   of each CPU that polls: %g samples a second of %.1f us\n",
		       f->rings.hz * f->sample_cost_ns / 1e7, f->rings.hz, f->sample_cost_ns / 1000);
	print_events(r, w);
	fflush(stdout);
}
