// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"
#include "user/commands/tick.h"
#include "user/commands/watch.h"
#include "user/machine/clock.h"

static int watch_begin(struct watch *w, struct diag *d)
{
	int ncpus = w->session->ncpus;

	w->before = calloc(3 * (size_t)ncpus, sizeof(*w->before));
	if (!w->before)
		return diag_set(d, -ENOMEM, "no memory");
	w->now = w->before + ncpus;
	w->growth = w->now + ncpus;
	w->start_ns = w->last_ns = now_ns();
	session_counts(w->session, w->before);
	return w->o->extended && session_read(w->session, &w->reading) ? diag_set(d, -ENOMEM, "no memory") : 0;
}

void watch_release(struct watch *w)
{
	free(w->before);
	reading_release(&w->reading);
	counters_release(&w->changed.changed);
}

static void read_packets(struct watch *w)
{
	int ncpus = w->session->ncpus;

	session_counts(w->session, w->now);
	for (int cpu = 0; cpu < ncpus; cpu++)
		for (int v = 0; v < BENCH_VERDICTS; v++)
			w->growth[cpu].verdicts[v] = w->now[cpu].verdicts[v] - w->before[cpu].verdicts[v];
	memcpy(w->before, w->now, ncpus * sizeof(*w->now));
}

static void read_calls(struct watch *w)
{
	for (size_t i = 0; i < w->session->calls.n; i++) {
		struct call_count now = w->called_before[i], *called = &w->called[i];

		calls_read(&w->session->calls, i, NULL, 0, &now);
		called->calls = now.calls - w->called_before[i].calls;
		called->timed = now.timed - w->called_before[i].timed;
		called->ns = now.ns - w->called_before[i].ns;
		w->called_before[i] = now;
	}
}

static int read_device(struct watch *w)
{
	struct reading now = {};
	int err = w->o->extended ? session_read(w->session, &now) : 0;

	counters_release(&w->changed.changed);
	if (!err && w->o->extended)
		err = reading_changes(&w->changed, &w->reading, &now);
	reading_release(&w->reading);
	w->reading = now;
	return err;
}

/* Sleeps, but checks our generator each second: a generator on another machine stops without such signs of life. */
static int sleep_until(struct watch *w, uint64_t until_ns, struct diag *d)
{
	struct gen *g = &w->session->gen;
	int err = 0;

	while (gen_runs(g) && !stop_requested && !err && now_ns() < until_ns) {
		uint64_t step = now_ns() + 1000000000;

		sleep_until_ns(step < until_ns ? step : until_ns);
		err = gen_check(g, d);
	}
	if (!gen_runs(g) && !err)
		sleep_until_ns(until_ns);
	return err;
}

/* Returns -EPIPE if the reader of the output closed the pipe. */
static int watch_tick(struct watch *w, uint64_t at_ns, struct diag *d)
{
	const struct session *s = w->session;
	int err;

	read_packets(w);
	read_calls(w);
	err = read_device(w);
	if (!err)
		err = tick_print(&(struct tick){.v = w->v,
						.growth = w->growth,
						.ncpus = s->ncpus,
						.stage_frames = session_stage_frames(s),
						.stage_dropped = session_stage_dropped(s),
						.seconds = (at_ns - w->last_ns) / 1e9,
						.since_start_s = (at_ns - w->start_ns) / 1e9,
						.packets = bench_counts_sum(w->growth, s->ncpus),
						.device = w->o->extended ? &w->changed.changed : NULL,
						.calls = &s->calls,
						.called = w->called,
						.extended = w->o->extended},
				 w->o->format);
	w->last_ns = at_ns;
	return !err || err == -EPIPE ? err : diag_set(d, err, "cannot write: %s", strerror(-err));
}

int watch_run(struct watch *w, struct diag *d)
{
	struct session *s = w->session;
	uint64_t interval_ns = (uint64_t)(w->o->interval_s * 1e9), next_ns, end_ns;
	int err = watch_begin(w, d);

	next_ns = w->start_ns;
	end_ns = w->o->duration_s > 0 ? w->start_ns + (uint64_t)(w->o->duration_s * 1e9) : UINT64_MAX;
	while (!stop_requested && !err && w->last_ns < end_ns) {
		uint64_t at_ns;

		next_ns += interval_ns;
		err = sleep_until(w, next_ns < end_ns ? next_ns : end_ns, d);
		at_ns = now_ns();
		if (err || at_ns == w->last_ns)
			break;
		err = watch_tick(w, at_ns, d);
		if (!err)
			err = session_check(s, d);
		if (!err)
			err = session_check_stage(s, d);
	}
	return err == -EPIPE ? 0 : err;
}
