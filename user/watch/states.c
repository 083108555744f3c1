// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define GIVES_UP_NS 10000000000ULL /* a reading that takes so long is ended */

static void states_forget(struct states_reading *r)
{
	json_decref(r->state);
	json_decref(r->objects);
	*r = (struct states_reading){};
}

static void end_reading(struct states *s)
{
	close(s->fd);
	s->pid = 0;
	s->ended_ns = now_ns();
}

void states_release(struct states *s)
{
	if (s->pid) {
		child_kill(s->pid);
		end_reading(s);
	}
	for (size_t i = 0; i < STATES_KEPT; i++)
		states_forget(&s->kept[i]);
	*s = (struct states){};
}

/* ---- the child ---------------------------------------------------------------------------------- */

void states_ask(struct states *s, const struct devices *ds, const struct queues *q, bool now)
{
	double pause_ns = fmax(STATES_EVERY_S * 1e9, s->cost_ms * 1e6 * 100 / STATES_PCT);

	if (s->pid || (!now && s->ended_ns && (double)(now_ns() - s->ended_ns) < pause_ns))
		return;
	s->fd = memfd_create("xdpzoom-state", MFD_CLOEXEC);
	if (s->fd < 0)
		return;
	s->began_ns = now_ns();
	s->pid = child_fork(SIGKILL);
	if (!s->pid) {
		struct state_wanted wanted = {};
		json_t *state;
		bool ok;

		for (size_t i = 0; i < q->n; i++) {
			wanted.taps |= q->list[i].last.kind == QUEUE_TAP;
			if (queue_is_socket(q->list[i].last.kind) && wanted.nsockets < STATE_SOCKETS)
				wanted.sockets[wanted.nsockets++] = q->list[i].last.object;
		}
		state = state_read(ds, &wanted);
		ok = state && !json_dumpfd(state, s->fd, JSON_COMPACT);
		_exit(ok ? 0 : 1);
	}
	if (s->pid < 0)
		end_reading(s);
}

/* ---- what it has read --------------------------------------------------------------------------- */

bool states_take(struct states *s, bool wait)
{
	struct rusage used = {};
	int status = 0;
	json_t *state;
	pid_t pid;

	if (!s->pid)
		return true;
	while ((pid = wait4(s->pid, &status, WNOHANG, &used)) == 0 && wait && now_ns() - s->began_ns < GIVES_UP_NS)
		sleep_until_ns(now_ns() + 5000000);
	if (!pid && now_ns() - s->began_ns < GIVES_UP_NS)
		return false;
	if (!pid) {
		kill(s->pid, SIGKILL);
		pid = wait4(s->pid, &status, 0, &used);
	}
	s->cost_ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
		     (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
	state = pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status) && lseek(s->fd, 0, SEEK_SET) == 0
			? json_loadfd(s->fd, 0, NULL)
			: NULL;
	if (state && json_is_object(json_object_get(state, "objects"))) {
		/* A state that is as the one before is kept once. */
		struct states_reading *last = s->n ? &s->kept[(s->first + s->n - 1) % STATES_KEPT] : NULL, *new;
		json_t *objects = json_object_get(state, "objects");

		if (last && json_equal(last->objects, objects))
			objects = last->objects;
		json_incref(objects);
		json_object_del(state, "objects");
		if (s->n == STATES_KEPT)
			s->first = (s->first + 1) % STATES_KEPT;
		else
			s->n++;
		new = &s->kept[(s->first + s->n - 1) % STATES_KEPT];
		states_forget(new);
		*new = (struct states_reading){s->began_ns, state, objects};
	} else
		json_decref(state);
	end_reading(s);
	return true;
}

static double since(uint64_t at_ns, uint64_t moment_ns)
{
	return ((double)at_ns - (double)moment_ns) / 1e9;
}

struct change {
	struct json_out *w;
	json_t *changes;
	double after_s, before_s;
};

static int put_change(void *arg, const char *of, const char *name, json_t *from, json_t *to)
{
	const struct change *c = arg;

	json_out_add(c->w, c->changes,
		     json_pack("{s:o, s:o, s:O?, s:O?, s:f, s:f}", "object", json_text_string(of), "name",
			       json_text_string(name), "from", from, "to", to, "after_s", c->after_s, "before_s",
			       c->before_s));
	return 0;
}

json_t *states_between(const struct states *s, uint64_t from_ns, uint64_t moment_ns, uint64_t to_ns)
{
	json_t *changes = json_array(), *readings = json_array();
	const struct states_reading *first = NULL, *last = NULL;
	struct json_out w = {};
	uint64_t zero = moment_ns ?: to_ns;

	for (size_t i = 0; i < s->n; i++) {
		const struct states_reading *r = &s->kept[(s->first + i) % STATES_KEPT];

		if (r->at_ns < from_ns || r->at_ns >= to_ns)
			continue;
		first = first ?: r;
		if (last && last->objects != r->objects)
			json_differences_of_each(
				last->objects, r->objects, put_change,
				&(struct change){&w, changes, since(last->at_ns, zero), since(r->at_ns, zero)});
		last = r;
		json_out_add(&w, readings,
			     json_pack("{s:f, s:O}", "at_s", since(r->at_ns, zero), "tasks",
				       json_object_get(r->state, "tasks")));
	}
	w.failed |= !first;
	return json_out_end(&w,
			    json_pack("{s:O*, s:o, s:o, s:O*, s:f}", "objects", first ? first->objects : NULL,
				      "changes", changes, "readings", readings, "unknown",
				      last ? json_object_get(last->state, "unknown") : NULL, "cost_ms", s->cost_ms));
}
