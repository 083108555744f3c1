// SPDX-License-Identifier: GPL-2.0-or-later
/* What somebody changed, and whether it explains what is seen. */
#include <fnmatch.h>
#include "reports/why/why.h"

#define CAME_PCT 25 /* so much more of the packets: they came to this CPU, even if late in the time after */

/* Steps that a change adds to the way of each packet, or that it takes on another CPU. */
enum step { NO_STEP, STEP_HOOK, STEP_TRACKING, STEP_COPY, STEP_QUEUE, STEP_COUNT, STEP_CPU };

/* What somebody can change, and what it is seen by. Those above win where one act changes several. */
struct act {
	const char *of, *name, *cause, *what;
	unsigned int seen;
	const char *components; /* of which one has to be slower where costs are what is seen; NULL: any */
	enum step step;
};

static const struct act acts[] = {
	{"*", "@(xdp-*|xdp program|xdp mode|tc-*|tcx-*|netkit-*)", "program", "the program", ALL, NULL, STEP_COPY},
	{"*", "@(up|carrier)", "link", "the link", FEWER | LOSS, NULL, NO_STEP},
	{"*", "napi", "napi-thread", "where NAPI runs", LOSS | MOVED | COST | FEWER | POLLS, NULL, NO_STEP},
	{"nft", "*connections*", "conntrack", "connection tracking by nftables", COST | STACK, "netfilter",
	 STEP_TRACKING},
	{"nft", "*", "nftables", "the rules of nftables", COST | STACK, "netfilter", STEP_HOOK},
	{"packet sockets", "*", "packet-socket", "packet sockets", COST | TAP, "observers,stack entry,skb allocation",
	 STEP_COPY},
	{"", "*bpf_stats_enabled", "bpf-stats", "statistics of BPF programs", COST,
	 "BPF program,timekeeping and other overhead,generic XDP,driver RX", STEP_COUNT},
	{"", "@(*cpufreq*|*clocksource*|governor|no_turbo|boost|cpu_model)", "cpu-speed", "the speed of CPUs", COST,
	 NULL, NO_STEP},
	{"*", "size of *", "queue-size", "the size of a queue", LOSS | QDISC | POLLS, NULL, NO_STEP},
	{"*", "@(rx ring|rx)", "ring", "the ring of the device", LOSS | POLLS | COST, NULL, NO_STEP},
	{"*", "@(channels*|rss*|cpus of irq*|combined)", "steering", "which CPU gets which packet",
	 LOSS | MOVED | COST | FEWER | POLLS, NULL, STEP_CPU},
	{"*", "@(rps*|rfs*)", "rps", "packet steering (RPS)", COST | MOVED | LOSS, NULL, STEP_QUEUE},
	{"*", "mtu", "mtu", "the MTU", FEWER | LOSS | QDISC, NULL, NO_STEP},
	{"*", "@(qdisc*|tx_queue_len)", "qdisc", "the qdisc", QDISC | FEWER | COST, NULL, NO_STEP},
	{"*", "@(gro_flush_timeout|napi_defer_hard_irqs|coalescing*)", "napi-deferral", "how long NAPI is deferred",
	 COST | POLLS | LOSS, NULL, NO_STEP},
	{"*", "@(rx-*|tx-*|gro|gso|tso|sg|lro)", "offload", "an offload", COST | POLLS | FEWER, NULL, NO_STEP},
	{"*", "kind", "device", "a device", FEWER | COST | QDISC, NULL, NO_STEP},
	{"", "@(kernel|kernel_version|compiler|config|*)", "setting", "a setting of the machine", COST | LOSS, NULL,
	 NO_STEP},
};

static const struct act *act_of(const struct why_change *c)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (!fnmatch(acts[i].of, c->of, 0) && !fnmatch(acts[i].name, c->name, FNM_EXTMATCH))
			return &acts[i];
	return NULL;
}

/* Do packets come that way since the change, and did they not before? */
static bool is_new_step(const struct why_facts *f, const double per_s[WHY_SIDES])
{
	return per_s[1] > 0.5 * f->pps[1] && (isnan(per_s[0]) || per_s[0] < 0.1 * f->pps[0]);
}

/* The CPU that an interrupt was moved to, if packets came with it; NULL: none, or its CPUs are several. */
static const struct why_cpu *cpu_of_move(const struct why_facts *f, const struct why_change *c)
{
	int cpu, end = 0;

	if (strncmp(c->name, "cpus of irq", 11) || sscanf(c->to, "%d%n", &cpu, &end) != 1 || c->to[end])
		return NULL;
	for (size_t i = 0; i < f->ncpus; i++)
		if (f->cpus[i].cpu == cpu && f->cpus[i].packets_pct[1] - f->cpus[i].packets_pct[0] > CAME_PCT)
			return &f->cpus[i];
	return NULL;
}

bool why_takes_step(const struct why_facts *f, const struct why_change *c)
{
	const struct act *act = act_of(c);
	/* IP may get the packets of other devices, too */
	bool in_stack = f->ip_per_s[1] > 0.5 * f->pps[1] && f->ip_per_s[1] < 1.5 * f->pps[1];
	bool is_new = !strcmp(c->from, "none") && strcmp(c->to, "none") != 0;

	switch (act ? act->step : NO_STEP) {
	case STEP_HOOK:
		return in_stack && is_new && !fnmatch("@(*prerouting*|*input*)", c->to, FNM_EXTMATCH);
	case STEP_TRACKING: /* which hooks into all of IP, wherever the rule is */
	case STEP_COPY:     /* and so do a packet socket and a program */
		return (in_stack && is_new) || (!strcmp(act->cause, "program") && (f->xdp_per_s[0] > 0.5 * f->pps[0] &&
										   f->xdp_per_s[1] < 0.1 * f->pps[1]));
	case STEP_QUEUE:
		return is_new_step(f, f->queued_per_s);
	case STEP_COUNT:
		return is_new_step(f, f->counted_per_s);
	case STEP_CPU:
		return cpu_of_move(f, c) != NULL;
	default:
		return false;
	}
}

static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, n) && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

bool came_to_reader(const struct walk *w)
{
	for (size_t i = 0; w->reader && i < w->f->ncpus; i++) {
		const struct why_cpu *c = &w->f->cpus[i];

		if (c->cpu == w->reader->cpu)
			return c->packets_pct[0] < 50 && c->packets_pct[1] - c->packets_pct[0] > CAME_PCT;
	}
	return false;
}

/* What of that which is seen such a change explains. */
static unsigned int explains(const struct walk *w, const struct act *act, const struct why_change *c)
{
	bool step = why_takes_step(w->f, c);
	unsigned int seen = w->seen & (act->seen | (step ? STEP : 0));

	/*
	 * Does the part of the cost that such a change moves carry the difference? A step that packets take is
	 * evidence.
	 */
	bool carried = false;
	for (size_t i = 0; i < w->f->ncomponents; i++) {
		const struct why_component *one = &w->f->components[i];

		carried |= (one->slower || one->faster || (step && one->delta_ns > 0)) &&
			   (!act->components || is_listed(act->components, one->name)) &&
			   one->delta_ns / w->f->delta_ns > 0.2;
	}
	/* What sits at the device, or polls it, needs no sample for a large step, or if each packet runs it. */
	carried |= fabs(w->f->delta_ns) / w->f->ns[0] > (step ? 0.1 : 0.25) &&
		   (!strcmp(act->cause, "program") || !strcmp(act->cause, "napi-thread"));
	if (!carried)
		seen &= ~(unsigned int)COST;
	/* A reader loses its CPU to the packets that come there. */
	if (w->seen & READ && act->seen & MOVED && came_to_reader(w))
		seen |= READ;
	/* A ring fills because packets are slower. */
	if (w->seen & LOSS && seen & COST)
		seen |= LOSS;
	return seen;
}

/* One act may change several settings of one object, and a program those of its device. */
static bool is_same_act(const struct why_change *a, const struct act *x, const struct why_change *b,
			const struct act *y)
{
	const char *slash = strrchr(b->of, '/');

	if (x == y)
		return !strcmp(a->of, b->of) || !strcmp(x->cause, "link"); /* a link has two ends */
	if (!strcmp(a->of, b->of) && !strcmp(a->of, "nft"))
		return true;
	return !strcmp(x->cause, "program") && (!strcmp(a->of, b->of) || slash) &&
	       (!strcmp(y->cause, "offload") || !strcmp(y->cause, "steering") || !strcmp(y->cause, "link"));
}

bool judge_changes(struct walk *w)
{
	const struct why_change *first = NULL, *change;
	const struct act *found = NULL;
	const struct why_cpu *cpu;
	char others[160] = "";
	size_t n = 0;

	/* The leading one of what is seen: a cause has to explain it. */
	static const unsigned int order[] = {STACK, QDISC, LOSS, READ, TAP, MOVED, FEWER, COST, POLLS, STEP};
	size_t lead = 0;
	while (lead < sizeof(order) / sizeof(*order) && !(w->seen & order[lead]))
		lead++;
	for (const struct act *act = acts;
	     lead < sizeof(order) / sizeof(*order) && act < acts + sizeof(acts) / sizeof(*acts); act++)
		for (size_t i = 0; i < w->f->nchanges; i++) {
			change = &w->f->changes[i];

			if (act_of(change) != act || !(explains(w, act, change) & order[lead]))
				continue;
			if (n && is_same_act(first, found, change, act))
				continue;
			if (!n++) {
				first = change;
				found = act;
			} else {
				listed_add(others, sizeof(others), ", ", "%.20s%s%.30s", change->of,
					   *change->of ? " " : "", change->name);
			}
		}
	change = first;

	if (!n)
		return false;
	if (n > 1) {
		say(w, "Several changes explain it: %.40s%s%.60s (%.40s -> %.40s), %s; which one is not known.",
		    change->of, *change->of ? " " : "", change->name, change->from, change->to, others);
		snprintf(w->v->undo, sizeof(w->v->undo), "undo them one by one");
		return true;
	}
	cpu = found->step == STEP_CPU && w->seen == STEP ? cpu_of_move(w->f, change) : NULL;
	if (cpu)
		say(w, "CPU %d consumes %.0f %% of its packets, %.0f before.", cpu->cpu, cpu->packets_pct[1],
		    cpu->packets_pct[0]);
	if (!fnmatch("@(xdp-*|tc-*|tcx-*|netkit-*)", change->name, FNM_EXTMATCH) && w->seen != STEP) {
		if (!strcmp(change->to, "none"))
			say(w, "Cause: program %.90s was detached from %.60s (%s).", change->from, change->of,
			    change->name);
		else if (!strcmp(change->from, "none"))
			say(w, "Cause: program %.90s was attached to %.60s (%s).", change->to, change->of,
			    change->name);
		else
			say(w, "Cause: program %.90s was replaced by %.90s on %.60s (%s).", change->from, change->to,
			    change->of, change->name);
	} else {
		say(w, "%s %s: %.60s%s%.90s changed from %.90s to %.90s.",
		    w->seen != STEP || cpu        ? "Cause:"
		    : !strcmp(change->to, "none") ? "Packets no longer pass"
						  : "Each packet additionally passes",
		    found->what, change->of, *change->of ? " " : "", change->name, change->from, change->to);
	}
	conclude(w, found->cause, "it persists once %.60s%s%.90s is %.90s again", change->of, *change->of ? " " : "",
		 change->name, change->from);
	undo_change(w->v, change);
	return true;
}
