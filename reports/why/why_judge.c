// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk: what is seen first, who takes it up, what that one did, what somebody changed. Facts in, a verdict out. */
#include <fnmatch.h>
#include "reports/why/why.h"

const char *const why_hop_words[WHY_HOPS] = {"device", "backlog", "IP", "socket", "redirect", "qdisc"};

#define FEWER_PCT 60 /* of the rate before, at most: fewer packets */
#define MORE_PCT  170
#define STOPS_PCT 5
#define BUSY_PCT  85 /* of a CPU: who takes packets up has no time left */

/* ---- (a) what is lost or full, in the order of a packet's way ----------------------------------- */

/* More per second than chance and the time before explain. */
static bool is_new_loss(const struct why_facts *f, const struct why_loss *l)
{
	double before = f->two_sides && !isnan(l->per_s[0]) ? l->per_s[0] : 0, after = l->per_s[1];
	double packets = isnan(f->pps[1]) ? 0 : f->pps[1];

	return after > CLEARLY * before && after >= 1 && after >= 0.03 * packets;
}

static bool is_new_part(const struct why_facts *f, const double pct[WHY_SIDES], double least)
{
	double before = f->two_sides && !isnan(pct[0]) ? pct[0] : 0;

	return pct[1] >= least && pct[1] >= CLEARLY * before + 2;
}

/* A socket refuses what does not fit; who takes up much at a time leaves no ring full for long. */
static bool is_told_by_90(const struct why_facts *f, const struct why_queue *q)
{
	return !strcmp(q->unit, "bytes") || (q->near_pct[1] >= 30 && !is_new_part(f, q->full_pct, 5));
}

static const double *fullness(const struct why_facts *f, const struct why_queue *q)
{
	return is_told_by_90(f, q) ? q->near_pct : q->full_pct;
}

/* The first hop that loses about as much as any. */
static void find_first(struct walk *w)
{
	const struct why_facts *f = w->f;
	double most = 0;

	for (size_t i = 0; i < f->nlosses; i++)
		if (is_new_loss(f, &f->losses[i]))
			most = fmax(most, f->losses[i].per_s[1]);
	for (enum why_hop hop = 0; hop < WHY_HOPS && w->hop == WHY_HOPS; hop++) {
		for (size_t i = 0; i < f->nqueues; i++)
			if (f->queues[i].hop == hop &&
			    is_new_part(f, fullness(f, &f->queues[i]), is_told_by_90(f, &f->queues[i]) ? 30 : 5) &&
			    (!w->full || f->queues[i].full_pct[1] > w->full->full_pct[1]))
				w->full = &f->queues[i];
		for (size_t i = 0; i < f->nlosses; i++)
			if (f->losses[i].hop == hop && is_new_loss(f, &f->losses[i]) &&
			    f->losses[i].per_s[1] > most / 2 && (!w->loss || f->losses[i].per_s[1] > w->loss->per_s[1]))
				w->loss = &f->losses[i];
		for (size_t i = 0; i < f->nledger && !w->open; i++)
			if (f->ledger[i].hop == hop && f->ledger[i].rest > f->ledger[i].most_rest)
				w->open = &f->ledger[i];
		if (w->full || w->loss || w->open)
			w->hop = hop;
	}
	if (w->hop == WHY_DEVICE && !w->full) {
		/* A full queue into which an XDP program redirects: the device counts what does not fit there. */
		for (size_t i = 0; i < w->f->nqueues; i++) {
			const struct why_queue *q = &w->f->queues[i];

			if ((q->hop == WHY_REDIRECT || strstr(q->name, "af_xdp rx")) &&
			    is_new_part(w->f, fullness(w->f, q), is_told_by_90(w->f, q) ? 30 : 5)) {
				w->full = q;
				w->hop = q->hop;
			}
		}
	}
}

static void tell_first(struct walk *w)
{
	const struct why_facts *f = w->f;
	char before[24], now[24], half[24];

	if (w->loss)
		show(w, "drops", "packets/s", w->loss->per_s, "dropped at %s: %s%s%s", why_hop_words[w->loss->hop],
		     w->loss->name, *w->loss->meaning ? ", " : "", w->loss->meaning);
	if (w->full)
		show(w, "drops", "% of the time", fullness(f, w->full), "%s is full%s", w->full->name,
		     is_told_by_90(f, w->full) ? " to 90 % or more" : "");
	if (w->open) {
		const double rest[WHY_SIDES] = {NAN, w->open->rest};

		show(w, "drops", "packets", rest, "%s: unaccounted (in - out - dropped - queue growth)", w->open->of);
	}
	if (w->loss)
		say(w, "%s drops %.0f packets/s (%s), %s before.",
		    w->hop == WHY_SOCKET ? "A socket"
		    : w->hop == WHY_IP   ? "The stack"
					 : f->device,
		    w->loss->per_s[1], w->loss->name, why_known(before, 0, w->loss->per_s[0]));
	else if (w->full)
		say(w, "%s is full%s for %.0f %% of the time.", w->full->name,
		    is_told_by_90(f, w->full) ? " to 90 % or more" : "", fullness(f, w->full)[1]);
	else if (w->open)
		say(w, "%s: %.0f packets go in that no counter explains.", w->open->of, w->open->rest);
	else if (w->seen & FEWER)
		say(w, "%s gets %s packets/s, %.0f before, and drops none.", f->device, why_known(now, 0, f->pps[1]),
		    f->pps[0]);
	else if (w->seen & COST)
		say(w, "A packet at %s costs %.0f ns, %.0f before (%+.0f +- %.0f at 99.5 %%).", f->device, f->ns[1],
		    f->ns[0], f->delta_ns, f->half_ns);
	else if (w->seen & MOVED)
		say(w, "The packets of %s come to another queue.", f->device);
	else if (w->seen & STEP)
		say(w,
		    "No drops, no full queue, no fewer packets; a packet at %s costs %s ns, %s before, no more than "
		    "chance explains (+- %s at 99.5 %%).",
		    f->device, why_known(now, 0, f->ns[1]), why_known(before, 0, f->ns[0]),
		    why_known(half, 0, f->half_ns));
	show(w, "drops", "packets/s", f->pps, "%s: packets", f->device);
}

/* ---- (b) and (c) who takes packets up, and what that one did ------------------------------------ */

/* The task that takes up what is in the queue; NULL: a softirq, or not known. */
static const struct why_task *consumer_of(const struct why_facts *f, const struct why_queue *q)
{
	char name[64] = "";

	if (q->map >= 0)
		snprintf(name, sizeof(name), "cpumap/%lld/map:%lld*", (long long)q->number, (long long)q->map);
	for (size_t i = 0; i < f->ntasks; i++) {
		const struct why_task *t = &f->tasks[i];

		if (*name && !fnmatch(name, t->name, 0))
			return t;
		for (size_t k = 0; k < t->nsockets && !*name; k++)
			if (q->socket > 0 && t->sockets[k] == q->socket)
				return t;
		for (size_t k = 0; k < t->ntaps && !*name; k++)
			if (*q->tap && !strcmp(t->taps[k], q->tap))
				return t;
	}
	return NULL;
}

static bool rose(const double x[WHY_SIDES], double by)
{
	return x[1] >= by && x[1] > CLEARLY * (isnan(x[0]) ? 0 : x[0]);
}

static bool is_stopped(const struct why_task *t, int side)
{
	return t->state[side][0] && strchr("Tt", t->state[side][0]);
}

static bool is_moved(const struct why_task *t)
{
	return t->there[0] && *t->affinity[0] && strcmp(t->affinity[0], t->affinity[1]) != 0;
}

static bool has_new_quota(const struct why_task *t)
{
	return t->there[0] && t->quota[1] > 0 && !(t->quota[0] <= 1.01 * t->quota[1]);
}

/* A consumer that does nothing, may not, or does not get to: then its queue needs no further cause. */
static bool judge_task(struct walk *w, const struct why_task *t)
{
	char before[24], now[24];
	struct why_evidence *e;
	double share[WHY_SIDES];
	bool starved;

	for (int k = 0; k < WHY_SIDES; k++)
		share[k] = t->on_cpu_pct[k] / (t->on_cpu_pct[k] + t->waited_pct[k]);
	/*
	 * It waits for a CPU, and did not so before; or it gets a third or less of what it got of the time it asks
	 * for.
	 */
	starved = rose(t->waited_pct, 15) || (t->waited_pct[1] >= 15 && share[0] > CLEARLY * share[1]);

	show(w, "consumer", "% of a CPU", t->on_cpu_pct, "%s: on a CPU", t->name);
	show(w, "state", "% of the time", t->waited_pct, "%s: runnable, waiting for a CPU", t->name);
	if (t->throttled_pct[1] > 0)
		show(w, "state", "% of the time", t->throttled_pct, "%s: throttled by its control group", t->name);
	e = show(w, "state", "", NULL, "%s: state", t->name);
	snprintf(e->words[0], sizeof(e->words[0]), "%s", t->state[0]);
	snprintf(e->words[1], sizeof(e->words[1]), "%s", t->state[1]);
	if (strcmp(t->affinity[0], t->affinity[1])) {
		e = show(w, "state", "", NULL, "%s: CPUs it may run on", t->name);
		snprintf(e->words[0], sizeof(e->words[0]), "%s", t->affinity[0]);
		snprintf(e->words[1], sizeof(e->words[1]), "%s", t->affinity[1]);
	}
	if (is_stopped(t, WHY_AFTER)) {
		say(w, "%s consumes them, and is stopped (state %s): on a CPU for %s %% of the time, %s before.",
		    t->name, t->state[1], why_known(now, 1, t->on_cpu_pct[1]), why_known(before, 1, t->on_cpu_pct[0]));
		conclude(w, "reader-stopped", "the queue stays full after %s goes on", t->name);
		undo_task(w->v, t->name, "kill -CONT %p", "");
	} else if (has_new_quota(t) && t->on_cpu_pct[1] > 70 * t->quota[1]) {
		say(w,
		    "%s consumes them; its control group may use %.3g CPUs now, and it uses %.1f %% of one, %s before.",
		    t->name, t->quota[1], t->on_cpu_pct[1], why_known(before, 1, t->on_cpu_pct[0]));
		conclude(w, "cgroup-quota", "drops continue without the quota of %s", t->group);
		undo_task(w->v, t->group, "echo max >/sys/fs/cgroup%n/cpu.max", "");
	} else if (rose(t->throttled_pct, 5)) {
		say(w, "%s consumes them; its control group keeps it off the CPU for %.0f %% of the time, %s before.",
		    t->name, t->throttled_pct[1], why_known(before, 0, t->throttled_pct[0]));
		if (!isnan(t->quota[1]))
			say(w, "The group may use %.2f CPUs.", t->quota[1]);
		conclude(w, "cgroup-quota", "drops continue without the quota of %s", t->group);
		undo_task(w->v, t->group, "echo max >/sys/fs/cgroup%n/cpu.max", "");
	} else if (came_to_reader(w) && !is_moved(t)) {
		say(w, "%s consumes them on CPU %d, which consumes the packets of %s since then, too.", t->name, t->cpu,
		    w->f->device);
	} else if (starved) {
		say(w, "%s consumes them; it is runnable and waiting for a CPU for %.0f %% of the time, %s before.",
		    t->name, t->waited_pct[1], why_known(before, 0, t->waited_pct[0]));
		if (is_moved(t))
			say(w, "It may run on CPUs %s now, %s before.", t->affinity[1], t->affinity[0]);
		if (w->f->two_sides && isnan(t->waited_pct[0]))
			return false; /* it may have waited as long before */
		if (is_moved(t)) {
			conclude(w, "reader-cpu", "drops continue with %s on CPUs %s", t->name, t->affinity[0]);
			undo_task(w->v, t->name, "taskset -cp %f %p", t->affinity[0]);
		} else {
			conclude(w, "run-queue", "drops continue while nothing else runs on CPU %d", t->cpu);
		}
	} else if (t->on_cpu_pct[1] >= BUSY_PCT) {
		say(w, "%s consumes them, and uses %.0f %% of a CPU, %s before.", t->name, t->on_cpu_pct[1],
		    why_known(before, 0, t->on_cpu_pct[0]));
	}
	return w->v->sure;
}

/* ---- causes that nobody changed a setting for --------------------------------------------------- */

/* Which queue packets come to, and how many come. */
static bool judge_arrivals(struct walk *w)
{
	const struct why_facts *f = w->f;

	const struct why_queue_share *most = NULL;
	for (size_t i = 0; i < f->nqueue_shares; i++)
		if (!most || f->queue_shares[i].pct[1] - f->queue_shares[i].pct[0] > most->pct[1] - most->pct[0])
			most = &f->queue_shares[i];
	if (w->seen & MOVED && most && (w->hop == WHY_HOPS || w->hop == WHY_DEVICE)) {
		say(w, "Queue %d gets %.0f %% of its packets, %.0f before.", most->queue, most->pct[1], most->pct[0]);
		conclude(w, "flow-moved", "it persists once the flows come to the queues of before");
		return true;
	}
	/*
	 * A fall beside another change is no proof, but for one to next to nothing: somebody may have given a task
	 * other CPUs or limits, or this machine has no CPU left, so that a sender on it gets none.
	 */
	bool changed = f->nchanges > 0;
	double idle = 0;

	for (size_t i = 0; i < f->ntasks; i++) {
		const struct why_task *t = &f->tasks[i];

		changed |=
			t->there[0] && t->there[1] &&
			(strcmp(t->affinity[0], t->affinity[1]) || (t->quota[1] > 0 && !(t->quota[0] <= t->quota[1])));
	}

	for (size_t i = 0; i < f->ncpus; i++)
		idle += f->cpus[i].idle_pct[1];
	changed |= f->ncpus && idle / (double)f->ncpus < 5;

	if (w->seen & FEWER && w->hop == WHY_HOPS && f->state_known &&
	    (!changed || f->pps[1] < STOPS_PCT * f->pps[0] / 100)) {
		say(w, "Its ring is not full, and no setting of it or of what leads to it changed: the sender sends "
		       "less.");
		conclude(w, "fewer-packets",
			 "counters of the sender show as many packets as before, or %s counts drops", f->device);
		return true;
	}
	if (w->more && w->hop < WHY_HOPS) {
		say(w, "%s gets %.0f packets/s, %.0f before: more than the consumer can take.", f->device, f->pps[1],
		    f->pps[0]);
		conclude(w, "more-packets", "drops continue at %.0f packets/s", f->pps[0]);
		return true;
	}
	return false;
}

static void cannot_tell(struct walk *w)
{
	const struct why_facts *f = w->f;

	if (!w->seen && w->hop == WHY_HOPS) {
		w->v->nothing = true;
		say(w,
		    f->two_sides ? "No drops, no full queues, no slower functions, no fewer packets beyond what was so "
				   "before%s."
				 : "No drops and no full queue%s.",
		    f->nchanges ? ", although settings changed" : "");
		return;
	}
	if (f->two_sides && w->seen & COST && !f->samples_known)
		say(w, "No functions were sampled, so that where the cost went is not known.");
	else if (w->busy && w->hop < WHY_HOPS)
		say(w, "The consumer is busy for %.0f %% of a CPU; the reason is not known.", f->busy_pct[1]);
	else if (!f->state_known)
		say(w, "The machine's settings were not read, so that what changed is not known.");
	else if (f->nchanges == 1)
		say(w, "A setting changed, and it does not explain it.");
	else if (f->nchanges)
		say(w, "%zu settings changed, and none of them explains it.", f->nchanges);
	else
		say(w, "No setting changed that is known; the cause is not known.");
}

static void show_facts(struct walk *w)
{
	const struct why_facts *f = w->f;

	for (size_t i = 0; i < f->nqueues; i++)
		if (&f->queues[i] != w->full && f->queues[i].hop == WHY_DEVICE)
			show(w, "drops", "% of the time", f->queues[i].full_pct, "%s is full", f->queues[i].name);
	for (size_t i = 0; i < w->f->ncpus; i++) {
		const struct why_cpu *c = &w->f->cpus[i];

		if (!(fmax(c->packets_pct[0], c->packets_pct[1]) > 5))
			continue;
		show(w, "consumer", "%", c->packets_pct, "CPU %d: part of the packets of %s", c->cpu, w->f->device);
		show(w, "state", "%", c->irq_pct, "CPU %d: in interrupts and softirqs", c->cpu);
		show(w, "state", "%", c->idle_pct, "CPU %d: idle", c->cpu);
		if (c->steal_pct[1] > 1)
			show(w, "state", "%", c->steal_pct, "CPU %d: stolen by the hypervisor", c->cpu);
	}
	show(w, "consumer", "% of a CPU", w->f->busy_pct, "%s: busy with its packets", w->f->device);
	show(w, "state", "packets", w->f->per_poll, "%s: packets of a poll", w->f->device);
	/* Packets on ways that not all of them take, where more came there than before. */
	const struct {
		const double *per_s;
		const char *what;
	} steps[] = {{w->f->ip_per_s, "received by IP"},
		     {w->f->queued_per_s, "handed to a CPU's queue of the stack"},
		     {w->f->counted_per_s, "runs of programs that statistics count"}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].per_s[1] > 0.1 * w->f->pps[1])
			show(w, "state", "packets/s", steps[i].per_s, "%s", steps[i].what);

	if (!f->two_sides)
		return;
	show(w, "state", "ns/packet", f->ns, "%s: cost of a packet", f->device)->half = f->half_ns;
	for (size_t i = 0; i < f->ncomponents && i < 8; i++)
		if (f->components[i].slower || f->components[i].faster)
			show(w, "state", "ns/packet", f->components[i].ns, "component %s", f->components[i].name)
				->half = f->components[i].half_ns;
}

static void why_judge_see(struct walk *w)
{
	const struct why_facts *f = w->f;
	double pct = f->pps[0] > 0 ? 100 * f->pps[1] / f->pps[0] : NAN;
	bool rates = !f->two_runs && f->two_sides && (f->pps_p < 0.005 || isnan(f->pps_p));

	find_first(w);
	if (w->hop == WHY_HOPS && f->two_sides) {
		/*
		 * A queue that was as full before, on a busy machine; but since then somebody did something to its
		 * reader.
		 */
		for (size_t i = 0; i < w->f->nqueues && !w->full; i++) {
			const struct why_queue *q = &w->f->queues[i];
			const struct why_task *t = q->hop == WHY_SOCKET ? consumer_of(w->f, q) : NULL;

			if (!t || !(q->near_pct[1] >= 30) || !t->there[0])
				continue;
			if ((is_stopped(t, WHY_AFTER) && !is_stopped(t, WHY_BEFORE)) || has_new_quota(t) ||
			    is_moved(t)) {
				w->full = q;
				w->hop = WHY_SOCKET;
			}
		}
	}
	w->slower = f->delta_ns - f->half_ns > 0 && f->delta_ns > 0.03 * f->ns[0];
	w->faster = f->delta_ns + f->half_ns < 0 && -f->delta_ns > 0.03 * f->ns[0];
	/* However unsteady the rate is: what loses more than all that came before gets more. */
	w->more = (rates && pct >= MORE_PCT) ||
		  (!f->two_runs && pct > 100 * CLEARLY && w->loss && w->loss->per_s[1] > f->pps[0]);
	w->seen = w->slower || w->faster ? COST : 0;
	w->seen |= rates && (pct <= FEWER_PCT || (isnan(pct) && f->pps[0] > 0)) ? FEWER : 0;
	if (f->per_poll[0] > 0 && f->per_poll[1] > 0 &&
	    fmax(f->per_poll[0] / f->per_poll[1], f->per_poll[1] / f->per_poll[0]) > 1.5)
		w->seen |= POLLS;
	for (size_t i = 0; i < f->nqueue_shares; i++)
		w->seen |= f->two_sides && f->queue_shares[i].pct[1] - f->queue_shares[i].pct[0] > 40 ? MOVED : 0;
	switch (w->hop) {
	case WHY_DEVICE:
	case WHY_BACKLOG:
	case WHY_REDIRECT:
		w->seen |= LOSS;
		break;
	case WHY_IP:
		w->seen |= STACK;
		break;
	case WHY_QDISC:
		w->seen |= QDISC;
		break;
	case WHY_SOCKET:
		w->seen |= w->loss || !w->full || !strstr(w->full->name, "packet socket") ? READ : TAP;
		break;
	default:
		break;
	}
	w->busy = f->busy_pct[1] >= BUSY_PCT;
	for (size_t i = 0; i < f->nchanges && !(w->seen & ~STEP); i++)
		w->seen |= f->two_sides && why_takes_step(f, &f->changes[i]) ? STEP : 0;
}

void why_judge(const struct why_facts *f, struct why_verdict *v)
{
	struct walk w = {.f = f, .v = v, .hop = WHY_HOPS};
	const struct why_task *task = NULL;
	char name[64];

	*v = (struct why_verdict){};
	why_judge_see(&w);
	tell_first(&w);
	show_facts(&w);
	/* The device's NAPI thread that ran and waited most; none: its polls are in softirqs. */
	snprintf(name, sizeof(name), "napi/%.16s-*", f->device);
	for (size_t i = 0; i < f->ntasks && w.hop == WHY_DEVICE; i++) {
		const struct why_task *t = &f->tasks[i];

		if (fnmatch(name, t->name, 0) || strcmp(t->role, "napi"))
			continue;
		if (!task || t->on_cpu_pct[1] + t->waited_pct[1] > task->on_cpu_pct[1] + task->waited_pct[1])
			task = t;
	}
	if (w.hop != WHY_DEVICE && w.full)
		task = consumer_of(f, w.full);
	if (w.hop == WHY_SOCKET &&
	    !task) /* the queue may be seen too seldom to be full; its reader is found all the same */
		for (size_t i = 0; i < f->nqueues && !task; i++)
			task = f->queues[i].hop == WHY_SOCKET && f->queues[i].near_pct[1] > 0
				       ? consumer_of(f, &f->queues[i])
				       : NULL;
	w.reader = w.hop == WHY_SOCKET || w.hop == WHY_REDIRECT ? task : NULL;
	if (task)
		judge_task(&w, task);
	bool may_be_steal = !v->sure && w.hop < WHY_HOPS;
	for (size_t i = 0; may_be_steal && i < f->ncpus; i++) {
		const struct why_cpu *c = &f->cpus[i];
		char before[24];

		if (!(c->packets_pct[1] > 30) || !rose(c->steal_pct, 20))
			continue;
		say(&w, "CPU %d consumes them; the hypervisor takes %.0f %% of its time, %s before.", c->cpu,
		    c->steal_pct[1], why_known(before, 0, c->steal_pct[0]));
		conclude(&w, "steal", "drops continue while CPU %d loses no time to the hypervisor", c->cpu);
	}
	if (!f->state_known)

		show(&w, "state", "", NULL, "the machine's settings: not known");
	if (!v->sure && !judge_changes(&w) && !judge_arrivals(&w))
		cannot_tell(&w);
}
