// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/sheet/digits.h"
#include "base/sheet/text.h"
#include "base/stats.h"
#include "user/machine/clock.h"
#include "user/watch/show.h"

enum { A_POLL, A_TIMED_POLL, A_SOFTIRQ };

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
	bool known = !r->unknown && !isnan(own->count_ns), ends = r->armed;

	r->now = events_now();
	r->unknown = false;
	if (!r->began.at_ns)
		r->began = r->now;
	r->armed = !ends && known;
	if (!ends)
		return false;
	r->of[A_POLL][r->n] = own->count_ns;
	r->of[A_TIMED_POLL][r->n] = own->poll_ns;
	r->of[A_SOFTIRQ][r->n++] = own->entry_ns - (own->poll_ns - own->count_ns);
	probe_measure_anew(&w->probe);
	w->own = w->probe.own;
	return r->n == OWN_ROUNDS;
}

static const char *own_interval(const double *values, size_t n, char *buf, size_t size)
{
	struct stats_mean m = stats_mean(values, n);

	return digits_interval(m.mean, m.half, buf, size);
}

void own_print(const struct own_rounds *r, const struct watcher *w, const struct flight *f)
{
	static const char *const what[] = {[A_POLL] = "a poll that is counted",
					   [A_TIMED_POLL] = "a poll that is counted and timed",
					   [A_SOFTIRQ] = "the beginning of a softirq"};
	double seconds = (double)(r->now.at_ns - r->began.at_ns) / 1e9, ns;
	double softirqs = (double)(r->now.softirqs - r->began.softirqs) / seconds;
	double switches = w->probe.threads ? (double)(r->now.switches - r->began.switches) / seconds : 0;
	const struct text t = {.out = stdout};
	char a[64], b[64];

	printf("device                 ns/packet    of its cost, %%\n");
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++) {
		size_t n = r->of_slot[slot];

		if (!n)
			continue;
		text_name(&t, w->devices.list[slot].nd.name, 15);
		printf(" %16s  %16s\n", own_interval(r->ns[slot], n, a, sizeof(a)),
		       own_interval(r->pct[slot], n, b, sizeof(b)));
	}
	for (int i = 0; i < OWN_PARTS; i++)
		if (!isnan(r->of[i][0]))
			printf("%16s ns  %s\n", own_interval(r->of[i], r->n, a, sizeof(a)), what[i]);
	if (f->on && f->sample_cost_ns > 0)
		printf("%15.3f %%   of each CPU that polls: %g samples a second of %.1f us\n",
		       f->rings.hz * f->sample_cost_ns / 1e7, f->rings.hz, f->sample_cost_ns / 1000);
	/* Events of the whole machine that call a program and are no poll. One that returns at once costs little less
	 * than one that counts. */
	ns = softirqs * stats_mean(r->of[A_SOFTIRQ], r->n).mean * (w->probe.threads ? 2 : 1) +
	     switches * stats_mean(r->of[A_POLL], r->n).mean;
	if (!isnan(ns)) {
		printf("%15.3f %%   of one CPU, or less: %s softirqs a second of all kinds", ns / 1e7,
		       digits_count(softirqs, a, sizeof(a)));
		printf(w->probe.threads ? ", and %s switches of tasks\n" : "\n", digits_count(switches, b, sizeof(b)));
	}
	fflush(stdout);
}
