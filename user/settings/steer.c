// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "user/settings/settings.h"
#include "user/machine/machine.h"
#include "base/known.h"
#include "base/stop.h"

#define ALL_SHARE     0.99 /* this share counts as all: a few ARP or IPv6 packets may arrive on other queues */
#define LOOKS_AGAIN   10   /* the rings of other queues may still hold frames from before the table was changed */
#define KTHREAD_TRIES 200

bool steer_wanted(const struct steer_options *o)
{
	return o->steer || o->threaded || o->pin_cpu >= 0;
}

int steer_check(const struct steer_options *o, const char *dev, struct diag *d)
{
	if (o->pin_cpu >= 0 && cpu_check(o->pin_cpu))
		return diag_set(d, -EINVAL, "--tune irq=%d: this CPU does not exist or is offline", o->pin_cpu);
	if (steer_wanted(o) && !strcmp(dev, "lab"))
		return diag_set(
			d, -EINVAL,
			"--tune steer, irq and threaded are for NICs; the lab has one queue and a thread already");
	return 0;
}

void steer_init(struct steer *s)
{
	memset(s, 0, sizeof(*s));
	flows_init(&s->flows);
}

/* Sets why this device's NAPI cannot run in a thread. */
static int refuse_threaded(const struct steer *s, int err, const struct diag *why, struct diag *d)
{
	const char *dev = s->nd.name;
	char needs[VETH_WORDS];

	if (err == -ENOENT)
		return diag_set(d, -EOPNOTSUPP,
				"--tune threaded: this kernel runs no NAPI in a thread; Linux 5.12 does");
	if (err != -EOPNOTSUPP)
		return diag_set(d, err, "%s", why->text);
	veth_needs(&s->nd, needs, sizeof(needs));
	if (needs[0])
		return diag_set(d, err, "--tune threaded: %s has no NAPI that a thread could run; a veth needs %s", dev,
				needs);
	return diag_set(d, err, "--tune threaded: driver %s gives %s no NAPI that a thread could run; leave it out",
			known(s->nd.driver), dev);
}

int steer_prepare(struct steer *s, const struct steer_options *o, const struct netdev *nd, enum run_mode mode,
		  struct diag *d)
{
	char needs[VETH_WORDS];

	steer_init(s);
	if (!steer_wanted(o))
		return 0;
	s->nd = *nd;
	veth_needs(nd, needs, sizeof(needs));
	if (o->threaded && needs[0]) /* now, before we wait for packets */
		return refuse_threaded(s, -EOPNOTSUPP, NULL, d);
	s->o = o;
	return flows_attach(&s->flows, nd, mode, d);
}

static int change(const struct steer *s, const char *kind, const char *name, const char *value, struct diag *d)
{
	struct setting want;

	setting_fill(&want, kind, strcmp(kind, "file") && strcmp(kind, "cpus") ? s->nd.name : "", name, "%s", value);
	return changes_make(&want, true, NULL, d);
}

/* Makes a rule that brings the load's flow to the queue where most of it arrives already. */
static int make_rule(struct steer *s, struct diag *d)
{
	char name[160], value[32], command[400];
	uint32_t queue, location;
	struct setting rule;
	int err;

	setting_name_flow(name, sizeof(name), &s->seen.flow);
	snprintf(value, sizeof(value), "queue %d", s->seen.queue);
	if (!ethtool_rule_get(s->nd.name, &s->seen.flow, &queue, &location) && (int)queue == s->seen.queue)
		/* this rule exists already */
		snprintf(value, sizeof(value), "queue %u at %u", queue, location);
	setting_fill(&rule, "rule", s->nd.name, name, "%s", value);
	setting_command(&rule, command, sizeof(command));
	err = change(s, "rule", name, value, d);
	snprintf(s->how, sizeof(s->how), "by a rule (%.180s)", command);
	return err;
}

static int share_pct(const struct flows_seen *seen)
{
	return seen->packets ? (int)(100.0 * seen->on_queue / seen->packets) : 0;
}

/*
 * Steers without a rule. A load of one flow needs nothing: its hash keeps it on one queue. For a load of many flows,
 * sets the RSS table so that all packets arrive on one queue.
 */
static int steer_by_hash(struct steer *s, const char *why, struct diag *d)
{
	struct setting *t = &s->table;
	struct ethtool_rss now = {};
	uint32_t queue = (uint32_t)s->seen.queue;
	char command[100];
	int err;

	if (s->seen.on_queue >= ALL_SHARE * s->seen.packets) {
		snprintf(s->how, sizeof(s->how),
			 "without a rule: %s, and one flow stays on one queue by its hash (RSS)", why);
		return 0;
	}
	err = ethtool_rss_get(s->nd.name, &now);
	if (err) {
		snprintf(s->how, sizeof(s->how),
			 "no: %s, and RSS spreads the load's flows over %d queues%s; send a single flow "
			 "(one source port)",
			 why, s->seen.nqueues,
			 err == -EDOM ? " by a table that somebody set; xdpzoom does not change it" : "");
		return 0;
	}
	/* Under native XDP, virtio_net also receives on queues that are in no RSS table. */
	if (queue < now.first || queue - now.first >= now.queues)
		queue = now.first;
	setting_fill(t, "rss", s->nd.name, "", "start %u equal 1", queue);
	setting_command(t, command, sizeof(command));
	err = changes_make(t, true, NULL, d);
	snprintf(s->how, sizeof(s->how), "by the RSS table (%s): %s", command, why);
	return err;
}

static int steer_flow(struct steer *s, struct diag *d)
{
	uint32_t queue, location;
	struct ethtool_feature f;
	char why[80];
	int err;

	if (!s->seen.flow.family)
		return steer_by_hash(s, "the load is neither UDP nor TCP", d);
	err = ethtool_rule_get(s->nd.name, &s->seen.flow, &queue, &location);
	if (err == -EOPNOTSUPP) {
		snprintf(why, sizeof(why), "driver %s has no ntuple rules", s->nd.driver);
		return steer_by_hash(s, why, d);
	}
	if (err && err != -ENOENT)
		return diag_set(d, err, "cannot read the flow rules of %s: %s", s->nd.name, strerror(-err));
	if (!ethtool_feature_get(s->nd.name, "rx-ntuple-filter", &f) && !f.active && !f.fixed)
		err = change(s, "feature", "rx-ntuple-filter", "on", d);
	else
		err = 0;
	return err ? err : make_rule(s, d);
}

/* After the RSS table was set: does the load arrive on one queue? Fills the queue and CPU. */
static int look_again(struct steer *s, double patience_s, struct diag *d)
{
	struct flows_seen now;
	int err, looks = 0;
	size_t n;

	do {
		flows_forget(&s->flows);
		err = flows_look(&s->flows, &s->nd, patience_s, &now, d) ?: stopped(d);
		if (err)
			return err;
	} while (now.on_queue < ALL_SHARE * now.packets && ++looks < LOOKS_AGAIN);
	s->seen.queue = now.queue;
	s->seen.cpu = now.cpu;
	n = strlen(s->how);
	if (now.on_queue < ALL_SHARE * now.packets)
		snprintf(s->how + n, sizeof(s->how) - n, "; but packets still arrive on %d queues", now.nqueues);
	return 0;
}

/*
 * Chooses the CPU where packets shall arrive. Without a thread, a veth's packets arrive on the CPU that sends them: a
 * thread there would take turns with the generator, so it gets another CPU.
 */
static int choose_cpu(const struct steer *s)
{
	int taken = s->o->load_cpu, rx = cpu_pick_rx();

	if (s->o->pin_cpu >= 0 || s->o->rx_cpu >= 0)
		return s->o->pin_cpu >= 0 ? s->o->pin_cpu : s->o->rx_cpu;
	if (taken < 0 && veth_is(&s->nd) && napi_kthread(s->nd.name) < 0)
		taken = s->seen.cpu;
	if (!s->o->threaded || s->seen.cpu != taken)
		return s->seen.cpu;
	return rx != taken ? rx : cpu_pick_load(taken);
}

int steer_begin(struct steer *s, double patience_s, struct diag *d)
{
	int err;

	if (!s->o)
		return 0;
	err = flows_look(&s->flows, &s->nd, patience_s, &s->seen, d);
	if (!err && s->o->steer)
		err = steer_flow(s, d);
	if (!err && s->table.kind[0])
		err = look_again(s, patience_s, d);
	flows_release(&s->flows);
	if (err)
		return err;
	s->cpu = choose_cpu(s);
	return steer_hold(s, d);
}

static int hold_threaded(const struct steer *s, struct diag *d)
{
	struct timespec pause = {0, 5000000};
	struct diag why = {};
	int err = change(s, "devfile", "threaded", "1", &why);

	if (err)
		return refuse_threaded(s, err, &why, d);
	for (int i = 0; i < KTHREAD_TRIES && napi_kthread(s->nd.name) < 0; i++)
		nanosleep(&pause, NULL);
	return 0;
}

static int hold_irq(struct steer *s, struct diag *d)
{
	char path[64], value[16];
	struct diag why = {};
	int err;

	if (s->path.irq < 0)
		return diag_set(d, -EOPNOTSUPP, "--tune irq: cannot find the interrupt of the RX queue of %s",
				s->nd.name);
	snprintf(path, sizeof(path), "/proc/irq/%d/smp_affinity_list", s->path.irq);
	snprintf(value, sizeof(value), "%d", s->o->pin_cpu);
	err = change(s, "file", path, value, &why);
	return err ? diag_set(d, err, "IRQ %d (%s) does not move to CPU %d: %s", s->path.irq, s->path.irq_name,
			      s->o->pin_cpu, why.text)
		   : 0;
}

static int hold_thread(struct steer *s, struct diag *d)
{
	char name[160], value[16];

	setting_name_task(name, sizeof(name), s->path.napi_tid);
	snprintf(value, sizeof(value), "%d", s->path.cpu);
	return change(s, "cpus", name, value, d);
}

int steer_hold(struct steer *s, struct diag *d)
{
	int err = 0;
	struct facts f;

	if (!s->o)
		return 0;
	/*
	 * Set the table without reading it first: the driver may report the old table although the NIC has lost it
	 * (virtio_net with native XDP).
	 */
	if (s->table.kind[0])
		setting_set(&s->table, s->table.value);
	if (s->o->threaded)
		err = hold_threaded(s, d);
	if (!err)
		err = facts_open(&f, NULL, d);
	if (err)
		return err;
	rx_path_find(&s->path, &f, &s->nd, s->seen.queue, s->cpu);
	if (s->o->pin_cpu >= 0)
		err = hold_irq(s, d);
	if (!err && s->path.napi_tid > 0 && (s->o->threaded || s->o->pin_cpu >= 0))
		err = hold_thread(s, d);
	facts_release(&f);
	return err;
}

int steer_end(struct steer *s, struct diag *d)
{
	size_t n;

	flows_release(&s->flows);
	if (!s->o)
		return 0;
	s->o = NULL;
	return changes_undo(CHANGES_OWN, NULL, &n, d);
}

void steer_words(const struct steer *s, char *words, size_t size)
{
	char flow[160] = "neither UDP nor TCP", path[240];
	int n;

	words[0] = 0;
	if (!s->o)
		return;
	if (s->seen.flow.family)
		setting_name_flow(flow, sizeof(flow), &s->seen.flow);
	rx_path_words(&s->path, path, sizeof(path));
	n = snprintf(words, size, "load: %s, %d %% of %llu packets; %d %% came on one queue\nRX path: %s\n", flow,
		     s->seen.packets ? (int)(100 * s->seen.of_flow / s->seen.packets) : 0,
		     (unsigned long long)s->seen.packets, share_pct(&s->seen), path);
	if (s->how[0] && n < (int)size)
		snprintf(words + n, size - n, "steered: %s\n", s->how);
}
