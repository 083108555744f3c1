// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "user/machine/machine.h"

#define NET_RX "net_rx_action"

static const double rates_hz[] = {99, 49, 19, 9}; /* in step with no timer of the kernel */

void flight_release(struct flight *f)
{
	rings_release(&f->rings);
	ksyms_release(&f->names);
	components_free(f->components);
	free(f->copy.bytes);
	free(f->since_ns);
	*f = (struct flight){};
}

/* The highest rate whose samples the budget pays for; 0: none. */
static double rate_for(double cost_ns, double budget_pct)
{
	for (size_t i = 0; i < sizeof(rates_hz) / sizeof(*rates_hz); i++)
		if (rates_hz[i] * cost_ns * 1e-9 <= budget_pct / 100)
			return rates_hz[i];
	return 0;
}

static uint64_t address_of(const struct ksyms *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->list[i].name, name))
			return k->list[i].start;
	return 0;
}

int flight_open(struct flight *f, const struct watcher *w, double budget_pct, struct diag *d)
{
	int err = rings_open(&f->rings, w->probe.ncpus, &f->why);

	f->budget_pct = budget_pct;
	if (!err)
		err = ksyms_open(&f->names, &f->why);
	if (err) {
		if (err != -EPERM && err != -EOPNOTSUPP && err != -ENOENT)
			return diag_set(d, err, "%s", f->why.text);
		return 0;
	}
	f->since_ns = calloc((size_t)w->probe.ncpus, sizeof(*f->since_ns));
	if (!f->since_ns)
		return diag_set(d, -ENOMEM, "no memory");
	err = components_read(&f->components, NULL, d);
	if (err)
		return err;
	f->sample_cost_ns = sample_cost_spin_ns(f->rings.event, sched_getcpu());
	f->rings.hz = rate_for(f->sample_cost_ns, budget_pct);
	if (!(f->rings.hz > 0)) {
		diag_set(&f->why, -ERANGE,
			 "a sample costs %.0f us here, so that even %.0f of them a second pass the budget of %g %%; "
			 "--overhead raises it",
			 f->sample_cost_ns / 1000, rates_hz[sizeof(rates_hz) / sizeof(*rates_hz) - 1], budget_pct);
		return 0;
	}
	f->net_rx_action = address_of(&f->names, NET_RX);
	f->on = true;
	if (!napi_kthreads_seen())
		complain("kernel threads are not visible in this PID namespace (a container), so functions of NAPI "
			 "threads are not shown; all else is");
	return 0;
}

int flight_refresh(struct flight *f, struct watcher *w, struct diag *d)
{
	const struct past_second *last = past_last(&w->past);

	if (!f->on || !last)
		return 0;
	for (size_t i = 0; i < last->n; i++) {
		struct diag why = {};
		const struct past_entry *e = &last->entries[i];

		if (e->slot <= WATCH_BACKLOG || f->since_ns[e->cpu])
			continue;
		if (!rings_add(&f->rings, (int)e->cpu, &why))
			f->since_ns[e->cpu] = now_ns();
		else if (!f->told) /* it may have gone just now, and is tried again */
			complain("%s; functions of what it polls are not shown", why.text);
		f->told |= why.text[0];
	}
	return ksyms_refresh(&f->names, d);
}

/* ---- whose sample it is ------------------------------------------------------------------------------------- */

static const struct past_second *second_at(const struct past *past, uint64_t at_ns)
{
	for (size_t i = past->n; i-- > 0;) {
		const struct past_second *s = past_at(past, i);

		if (at_ns >= s->from_ns)
			return at_ns < s->to_ns ? s : NULL;
	}
	return NULL;
}

static unsigned int slot_of_thread(const struct devices *ds, int tid)
{
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS; slot++)
		for (size_t i = 0; i < ds->list[slot].ntids; i++)
			if (ds->list[slot].tids[i] == tid)
				return slot;
	return WATCH_OTHER;
}

/* Is the function that a device is polled by in the stack, below net_rx_action? */
static bool polls_by(const struct flight *f, uint64_t poll_ip, const struct ring_sample *s, size_t frames)
{
	for (size_t i = 0; i < frames; i++) {
		const struct ksym *name = ksyms_find(&f->names, s->stack[i], s->time_ns);

		if (name && name->start == poll_ip)
			return true;
	}
	return false;
}

/* The frames up to net_rx_action, that one included; 0: it is no softirq's sample. */
static size_t frames_of_softirq(const struct flight *f, const struct ring_sample *s)
{
	for (size_t i = 0; i < s->depth; i++) {
		const struct ksym *name = ksyms_find(&f->names, s->stack[i], s->time_ns);

		if (name && name->start == f->net_rx_action)
			return i + 1;
	}
	return 0;
}

/* Divides a softirq's sample among the devices that may have been polled. */
static int divide(const struct flight *f, const struct past_second *second, const struct ring_sample *s, size_t frames,
		  flight_fn *fn, void *arg)
{
	double weight[WATCH_SLOTS] = {0}, by_function = 0, all = 0;
	bool fits[WATCH_SLOTS] = {false};
	int err = 0;

	for (size_t i = 0; i < second->n; i++) {
		const struct past_entry *e = &second->entries[i];

		if (e->cpu != (uint32_t)s->cpu || !e->polls.softirq_polls)
			continue;
		/*
		 * What the polls in softirqs of one slot weigh: their busy time, or their packets where no clock was
		 * read.
		 */
		weight[e->slot] = e->polls.timed_polls ? fmax(0, polled_softirqs_ns(&e->polls))
						       : (double)e->polls.softirq_packets;
		fits[e->slot] = polls_by(f, e->polls.poll_ip, s, frames);
		all += weight[e->slot];
		by_function += fits[e->slot] ? weight[e->slot] : 0;
	}
	/* Where no function tells, as in net_rx_action itself, it is of all of them. */
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS && !err; slot++)
		if (weight[slot] > 0 && (fits[slot] || !(by_function > 0)))
			err = fn(arg, slot, weight[slot] / (by_function > 0 ? by_function : all), s, frames);
	return err;
}

static int allot(const struct flight *f, const struct watcher *w, const struct ring_sample *s, flight_fn *fn, void *arg)
{
	size_t frames = frames_of_softirq(f, s);
	unsigned int slot = frames ? WATCH_OTHER : slot_of_thread(&w->devices, s->tid);
	const struct past_second *second = frames ? second_at(&w->past, s->time_ns) : NULL;

	if (slot != WATCH_OTHER)
		return fn(arg, slot, 1, s, s->depth);
	return second ? divide(f, second, s, frames, fn, arg) : 0;
}

int flight_samples(struct flight *f, const struct watcher *w, struct flight_span span, flight_fn *fn, void *arg,
		   struct diag *d)
{
	int err = 0;

	for (int cpu = 0; cpu < f->rings.ncpus && f->on && !err; cpu++) {
		struct ring_sample s;
		size_t at = 0;

		if (!f->since_ns[cpu])
			continue;
		err = rings_copy(&f->rings, cpu, &f->copy);
		while (!err && rings_next(&f->copy, &at, &s))
			if (s.time_ns >= span.from_ns && s.time_ns < span.to_ns)
				err = allot(f, w, &s, fn, arg);
	}
	return err ? diag_set(d, err, "%s", err == -ENOMEM ? "no memory" : strerror(-err)) : 0;
}

/* A ring that is full has lost what was before its oldest sample. */
static uint64_t kept_ns(struct flight *f, int cpu)
{
	struct ring_sample s;
	uint64_t kept = 0;
	size_t at = 0;

	if (rings_copy(&f->rings, cpu, &f->copy))
		return 0;
	while (f->copy.n == RING_BYTES && rings_next(&f->copy, &at, &s))
		kept = s.time_ns;
	return kept;
}

uint64_t flight_kept_ns(struct flight *f)
{
	uint64_t latest = 0;

	for (int cpu = 0; cpu < f->rings.ncpus && f->on; cpu++) {
		uint64_t kept = f->since_ns[cpu] ? kept_ns(f, cpu) : 0;

		latest = kept > latest ? kept : latest;
	}
	return latest;
}

/* From when on the rings have all samples of all their CPUs; 0: no CPU is sampled. */
static uint64_t flight_covered_ns(struct flight *f)
{
	uint64_t covered = flight_kept_ns(f);

	for (int cpu = 0; cpu < f->rings.ncpus && f->on; cpu++)
		covered = f->since_ns[cpu] > covered ? f->since_ns[cpu] : covered;
	return covered;
}

bool flight_sampled(const struct flight *f, const struct past_second *s, unsigned int slot)
{
	for (size_t i = 0; i < s->n && f->on; i++) {
		const struct past_entry *e = &s->entries[i];

		if (e->slot == slot && (!f->since_ns[e->cpu] || f->since_ns[e->cpu] > s->from_ns))
			return false;
	}
	return true;
}

/* ---- what a packet costs by component ------------------------------------------------------------------------- */

struct profiles {
	struct flight *f;
	struct profile list[WATCH_SLOTS];
	uint32_t *frames;
	size_t cap;
};

static int flight_add_sample(void *arg, unsigned int slot, double part, const struct ring_sample *s, size_t frames)
{
	static const char unknown[] = "[unknown]", kernel[] = "[kernel.kallsyms]";
	struct profiles *p = arg;

	if (frames > p->cap) {
		uint32_t *more = reallocarray(p->frames, frames, sizeof(*more));

		if (!more)
			return -ENOMEM;
		p->frames = more;
		p->cap = frames;
	}
	for (size_t i = 0; i < frames; i++) {
		const struct ksym *k = ksyms_find(&p->f->names, s->stack[i], s->time_ns);
		const char *name = k ? k->name : unknown, *dso = k && *k->module ? k->module : kernel;

		if (profile_add_symbol(&p->list[slot], name, strlen(name), dso, strlen(dso), SPACE_KERNEL,
				       &p->frames[i]))
			return -ENOMEM;
	}
	return profile_add_stack(&p->list[slot], p->frames, (unsigned int)frames, 1, (double)s->period * part);
}

static int dearer(const void *a, const void *b)
{
	const struct flight_cost *x = a, *y = b;

	return ORDER(y->ns, x->ns);
}

static int sum_up(const struct flight *f, struct profile *p, double busy_ns, struct flight_costs *c)
{
	unsigned int n = components_count(f->components);
	/* Nanoseconds that a unit of a sample's weight stands for. */
	double ns = strcmp(f->rings.event, "cycles") ? 1 : busy_ns / p->weight;
	struct flight_cost *list = calloc(n, sizeof(*list));

	c->list = list;
	if (!list || (!strcmp(f->rings.event, "cpu-clock") && components_strip_enablers(f->components, p)))
		return -ENOMEM;
	for (size_t i = 0; i < p->nstacks; i++) {
		unsigned int id = components_of_stack(f->components, p, &p->stacks[i]);

		if (components_kind(f->components, id) != COMPONENT_COST)
			continue;
		list[id].ns += p->stacks[i].weight * ns / c->packets;
		list[id].samples += p->stacks[i].samples;
	}
	for (unsigned int id = 0; id < n; id++) {
		if (!list[id].samples)
			continue;
		list[c->n] = list[id];
		list[c->n].component = components_name(f->components, id);
		list[c->n].half = STATS_Z95 * sqrt(FLIGHT_EFFECT / (double)list[id].samples) * list[id].ns;
		c->n++;
	}
	qsort(list, c->n, sizeof(*list), dearer);
	return 0;
}

/* Packets and busy time of whole seconds that begin at `from` or later. Returns when the first of them begins. */
static uint64_t sum_past(const struct past *past, uint64_t from_ns, struct watch_polls sums[WATCH_SLOTS])
{
	uint64_t first_ns = 0;

	for (size_t i = 0; i < past->n; i++) {
		const struct past_second *s = past_at(past, i);

		if (s->from_ns < from_ns)
			continue;
		first_ns = first_ns ? first_ns : s->from_ns;
		for (size_t k = 0; k < s->n; k++)
			polled_add(&sums[s->entries[k].slot], &s->entries[k].polls);
	}
	return first_ns;
}

int flight_cost(struct flight *f, const struct watcher *w, double seconds, struct flight_costs costs[WATCH_SLOTS],
		struct diag *d)
{
	uint64_t covered = flight_covered_ns(f), from_ns = w->look_ns - (uint64_t)(seconds * 1e9), first_ns;
	struct watch_polls sums[WATCH_SLOTS] = {};
	struct profiles p = {.f = f};
	int err;

	memset(costs, 0, WATCH_SLOTS * sizeof(*costs));
	first_ns = sum_past(&w->past, from_ns > covered ? from_ns : covered, sums);
	err = first_ns && covered
		      ? flight_samples(f, w, (struct flight_span){first_ns, w->look_ns}, flight_add_sample, &p, d)
		      : 0;
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS && !err; slot++) {
		if (!p.list[slot].samples || !sums[slot].packets)
			continue;
		costs[slot].packets = (double)sums[slot].packets;
		costs[slot].seconds = (double)(w->look_ns - first_ns) / 1e9;
		err = sum_up(f, &p.list[slot], polled_busy_ns(&sums[slot]), &costs[slot]);
	}
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		profile_release(&p.list[slot]);
	free(p.frames);
	return err ? diag_set(d, err, "no memory") : 0;
}

void flight_costs_release(struct flight_costs costs[WATCH_SLOTS])
{
	for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++)
		free(costs[slot].list);
	memset(costs, 0, WATCH_SLOTS * sizeof(*costs));
}
