// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <netinet/in.h>
#include "user/settings/settings.h"
#include "bpf/flows.skel.h"

/* ---- the flows that arrive -------------------------------------------------------------------------------------- */

#define LOOK_NS     300000000ULL
#define MAX_QUEUES  1024
#define ONE_PORT_OF 0.99 /* when this share of a flow's packets has one source port, the flow has one source port */

/* may be called twice */
static void flows_release(struct flows *f)
{
	bench_release(&f->bench);
	flows_bpf__destroy(f->skel);
	f->skel = NULL;
}

/* A flow on one queue, and the CPU that received most of it. */
struct seen_one {
	struct flow_key key;
	uint64_t packets, most; /* on all CPUs; on the CPU below */
	int cpu;                /* the CPU that saw most packets */
};

/* All flows, *n of them; the caller frees the array. */
static struct seen_one *flows_read_all(const struct flows *f, size_t *n)
{
	int fd = bpf_map__fd(f->skel->maps.flow_counts), ncpus = cpu_possible();
	struct seen_one *all = calloc(FLOWS_MAX, sizeof(*all));
	uint64_t *per_cpu = calloc(ncpus, sizeof(*per_cpu));
	struct flow_key key, *from = NULL;

	*n = 0;
	while (all && per_cpu && *n < FLOWS_MAX && !bpf_map_get_next_key(fd, from, &key)) {
		struct seen_one *one = &all[*n];

		from = &key;
		if (bpf_map_lookup_elem(fd, &key, per_cpu))
			continue;
		one->key = key;
		for (int cpu = 0; cpu < ncpus; cpu++) {
			one->packets += per_cpu[cpu];
			one->cpu = per_cpu[cpu] > one->most ? cpu : one->cpu;
			one->most = per_cpu[cpu] > one->most ? per_cpu[cpu] : one->most;
		}
		++*n;
	}
	free(per_cpu);
	return all;
}

/* A group: flows that differ at most in queue and source port. */
static bool same_group(const struct flow_key *a, const struct flow_key *b)
{
	return a->family == b->family && a->protocol == b->protocol && a->dst_port == b->dst_port &&
	       !memcmp(a->src, b->src, sizeof(a->src)) && !memcmp(a->dst, b->dst, sizeof(a->dst));
}

/* Waits up to patience_s for the first packet, counts for 0.3 s more, and fills *seen. */
static int flows_look(struct flows *f, const struct netdev *nd, double patience_s, struct flows_seen *seen,
		      struct diag *d)
{
	const struct seen_one *group = NULL; /* a member of the group with most packets */
	struct seen_one *all;
	uint64_t of_port = 0, most = 0, *on, *of_group;
	struct patience patience = patience_of((uint64_t)(patience_s * 1e9));
	size_t n;

	memset(seen, 0, sizeof(*seen));
	while (!(*(volatile __u64 *)&f->skel->bss->seen)) {
		if (stopped(d))
			return -EINTR;
		if (netdev_gone(nd))
			return diag_set(d, -ENODEV, "%s has vanished", nd->name);
		if (patience_ends(&patience))
			return veth_no_packets(nd, f->skb, d);
		sleep_until_ns(now_ns() + 2000000);
	}
	sleep_until_ns(now_ns() + LOOK_NS);
	all = flows_read_all(f, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += same_group(&all[i].key, &all[k].key) ? all[k].packets : 0;
		if (sum > seen->of_flow) {
			seen->of_flow = sum;
			group = &all[i];
		}
	}
	if (!group) {
		free(all);
		return diag_set(d, -ENOMEM, "cannot count the flows on %s", nd->name);
	}
	for (size_t i = 0; i < n; i++) {
		seen->packets += all[i].packets;
		if (same_group(&all[i].key, &group->key) && all[i].key.src_port == group->key.src_port)
			of_port += all[i].packets;
	}
	if (group->key.protocol == IPPROTO_UDP || group->key.protocol == IPPROTO_TCP) {
		struct flow *flow = &seen->flow;

		flow->family = group->key.family;
		flow->protocol = group->key.protocol;
		memcpy(flow->src, group->key.src, sizeof(flow->src));
		memcpy(flow->dst, group->key.dst, sizeof(flow->dst));
		flow->src_port = of_port >= ONE_PORT_OF * seen->of_flow ? group->key.src_port : 0;
		flow->dst_port = group->key.dst_port;
	}
	on = calloc(2 * MAX_QUEUES, sizeof(*on));
	of_group = on ? on + MAX_QUEUES : NULL;
	for (size_t i = 0; on && i < n; i++) {
		int q = all[i].key.queue % MAX_QUEUES;

		seen->nqueues += !on[q];
		on[q] += all[i].packets;
		of_group[q] += same_group(&all[i].key, &group->key) ? all[i].packets : 0;
		if (of_group[q] > of_group[seen->queue] || !of_group[seen->queue])
			seen->queue = q;
	}
	for (size_t i = 0; i < n; i++) {
		if (all[i].key.queue != seen->queue || !same_group(&all[i].key, &group->key) || all[i].most <= most)
			continue;
		most = all[i].most;
		seen->cpu = all[i].cpu;
	}
	seen->on_queue = on ? on[seen->queue] : 0;
	free(on);
	free(all);
	return 0;
}

/* ---- the queue, interrupt and NAPI that bring packets to an RX CPU ---------------------------------------------- */

#define MAX_NAPIS 256
#define MAX_IRQS  256

static int by_id(const void *a, const void *b)
{
	const struct netdev_napi *x = a, *y = b;

	return ORDER(x->id, y->id);
}

static int count_rx_queues(const struct facts *f, const struct netdev *nd)
{
	char line[64];
	int n = 0;

	while (!facts_line(f, line, sizeof(line), "sys/class/net/%s/queues/rx-%d/rps_cpus", nd->name, n))
		n++;
	return n;
}

/*
 * Fills NAPI, interrupt and thread of p->queue from the kernel's list of NAPIs. Not every driver has told the kernel
 * which queue a NAPI serves; then the order of the NAPIs decides.
 */
static void ask_kernel(struct rx_path *p, const struct facts *f, const struct netdev *nd)
{
	struct netdev_napi napis[MAX_NAPIS];
	int n = netdev_genl_napis(nd->ifindex, napis, MAX_NAPIS), found = -1;

	for (int i = 0; i < n; i++)
		if (napis[i].rx_queue >= 0 && napis[i].rx_queue == p->queue)
			found = i;
	if (found < 0 && n > 0 && p->queue >= 0 && n == count_rx_queues(f, nd)) {
		qsort(napis, n, sizeof(*napis), by_id); /* drivers add them in the order of their queues */
		found = p->queue < n ? p->queue : -1;
	}
	if (found < 0)
		return;
	p->napi_id = napis[found].id;
	p->napi_tid = napis[found].pid > 0 ? napis[found].pid : -1;
	p->irq = napis[found].irq > 0 ? napis[found].irq : -1;
}

/* The queue's number, from the end of the interrupt's name: "eth0-TxRx-3", "virtio2-input.0"; -1: no number there. */
static int rx_path_queue_of(const struct irq *irq)
{
	size_t n = strlen(irq->name), digits = 0;

	while (digits < n && strchr("0123456789", irq->name[n - 1 - digits]))
		digits++;
	return digits && digits < n && strchr(".-", irq->name[n - 1 - digits]) ? atoi(irq->name + n - digits) : -1;
}

void rx_path_find(struct rx_path *p, const struct facts *f, const struct netdev *nd, int queue, int cpu)
{
	static const char *const other[] = {"config", "output", "event", "ctrl", "async", "cmd", "misc"};
	const struct irq *best = NULL;
	struct irq irqs[MAX_IRQS];
	pid_t tids[MAX_NAPIS];
	int n, queues;
	size_t nirqs;

	*p = (struct rx_path){.queue = queue, .cpu = cpu, .irq = -1, .napi_id = -1, .napi_tid = -1};
	ask_kernel(p, f, nd);
	/*
	 * Finds the interrupt: by its number where the kernel reported it, otherwise by its name or by the CPUs that it
	 * may go to. Among several, takes the busiest.
	 */
	nirqs = facts_irqs(f, nd->name, irqs, MAX_IRQS);
	for (size_t i = 0; i < nirqs; i++) {
		const char *name = irqs[i].name;
		bool fits = p->irq == irqs[i].number;
		int of = rx_path_queue_of(&irqs[i]);

		if (p->irq < 0)
			fits = p->queue >= 0 && of >= 0 ? of == p->queue : cpulist_has(irqs[i].cpus, p->cpu);
		/* The name shows whether it is for sending or for control messages. */
		if (p->irq < 0 && strstr(name, "tx") && !strstr(name, "rx") && !strstr(name, "TxRx"))
			fits = false;
		for (size_t k = 0; k < sizeof(other) / sizeof(*other) && p->irq < 0; k++)
			fits &= !strstr(name, other[k]);
		if (fits && (!best || irqs[i].count > best->count))
			best = &irqs[i];
	}
	if (best) {
		p->irq = best->number;
		strcpy(p->irq_name, best->name);
		strcpy(p->irq_cpus, best->cpus);
		if (p->queue < 0)
			p->queue = rx_path_queue_of(best);
	}
	if (p->napi_id < 0 && p->queue >= 0)
		ask_kernel(p, f, nd); /* again: the interrupt's name may have given the queue */
	if (p->napi_id >= 0)
		return;
	/*
	 * The thread of a queue where the kernel reports no NAPI ids: threads have the order of their queues, and the
	 * threads of NAPIs that only send come last.
	 */
	n = (int)napi_kthreads(nd->name, tids, MAX_NAPIS);
	queues = count_rx_queues(f, nd);
	if (p->queue >= 0 && p->queue < n && n <= MAX_NAPIS && (n == queues || n == 2 * queues))
		p->napi_tid = tids[p->queue];
	else
		p->napi_tid = n > 0 ? tids[0] : -1;
}

void rx_path_words(const struct rx_path *p, char *words, size_t size)
{
	words[0] = 0;
	if (p->queue >= 0)
		listed_add(words, size, ", ", "queue %d", p->queue);
	if (p->cpu >= 0)
		listed_add(words, size, ", ", "CPU %d", p->cpu);
	if (p->irq >= 0)
		listed_add(words, size, ", ", "IRQ %d (%s)", p->irq, p->irq_name);
	if (p->napi_id >= 0)
		listed_add(words, size, ", ", "NAPI %ld", p->napi_id);
	if (p->napi_tid > 0)
		listed_add(words, size, ", ", "polled in thread %d", p->napi_tid);
	else
		listed_add(words, size, ", ", "polled in softirq");
}

json_t *rx_path_json(struct json_out *w, const struct rx_path *p)
{
	json_t *o = json_pack("{s:i}", "cpu", p->cpu);

	if (p->queue >= 0)
		json_out_put(w, o, "queue", json_integer(p->queue));
	if (p->irq >= 0)
		json_out_put(w, o, "irq", json_integer(p->irq));
	if (p->irq_name[0])
		json_out_text(w, o, "irq_name", p->irq_name);
	if (p->napi_id >= 0)
		json_out_put(w, o, "napi", json_integer(p->napi_id));
	json_out_put(w, o, "threaded", json_boolean(p->napi_tid > 0));
	return o;
}

/* ---- steering ---------------------------------------------------------------------------------------------------- */

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
	struct bpf_prog_info info = {};
	__u32 len;

	memset(s, 0, sizeof(*s));
	bench_init(&s->flows.bench);
	if (!steer_wanted(o))
		return 0;
	s->nd = *nd;
	veth_needs(nd, needs, sizeof(needs));
	if (o->threaded && needs[0]) /* now, before we wait for packets */
		return refuse_threaded(s, -EOPNOTSUPP, NULL, d);
	s->o = o;
	len = sizeof(info);
	s->flows.skb = mode == RUN_MODE_SKB;
	s->flows.skel = flows_bpf__open_and_load();
	if (!s->flows.skel)
		return diag_set(d, -errno, "cannot load the program that looks for flows: %s", strerror(errno));
	s->flows.bench.prog_fd = bpf_program__fd(s->flows.skel->progs.xdp_flows);
	if (bpf_obj_get_info_by_fd(s->flows.bench.prog_fd, &info, &len))
		return diag_set(d, -errno, "cannot identify a program: %s", strerror(errno));
	s->flows.bench.prog_id = info.id;
	return bench_attach(&s->flows.bench, nd, mode, d);
}

static int change(const struct steer *s, const char *kind, const char *name, const char *value, struct diag *d)
{
	struct setting want;

	setting_fill(&want, kind, strcmp(kind, "file") && strcmp(kind, "cpus") ? s->nd.name : "", name, "%s", value);
	return changes_make(&want, true, NULL, d);
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
	char why[80], name[160], value[32], command[400];
	uint32_t queue, location;
	struct ethtool_feature f;
	struct setting rule;
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
	if (err)
		return err;
	/* A rule that brings the load's flow to the queue where most of it arrives already; it may exist. */
	setting_name_flow(name, sizeof(name), &s->seen.flow);
	snprintf(value, sizeof(value), "queue %d", s->seen.queue);
	if (!ethtool_rule_get(s->nd.name, &s->seen.flow, &queue, &location) && (int)queue == s->seen.queue)
		snprintf(value, sizeof(value), "queue %u at %u", queue, location);
	setting_fill(&rule, "rule", s->nd.name, name, "%s", value);
	setting_command(&rule, command, sizeof(command));
	err = change(s, "rule", name, value, d);
	snprintf(s->how, sizeof(s->how), "by a rule (%.180s)", command);
	return err;
}

int steer_begin(struct steer *s, double patience_s, struct diag *d)
{
	int taken, rx, err, looks = 0, fd;
	struct flows_seen now;
	struct flow_key key;
	size_t n;

	if (!s->o)
		return 0;
	err = flows_look(&s->flows, &s->nd, patience_s, &s->seen, d);
	if (!err && s->o->steer)
		err = steer_flow(s, d);
	/* After the RSS table was set: does the load arrive on one queue? */
	if (!err && s->table.kind[0]) {
		fd = bpf_map__fd(s->flows.skel->maps.flow_counts);
		do {
			/* sets the counts to 0, for another flows_look() */
			while (!bpf_map_get_next_key(fd, NULL, &key) && !bpf_map_delete_elem(fd, &key))
				;
			*(volatile __u64 *)&s->flows.skel->bss->seen = 0;
			err = flows_look(&s->flows, &s->nd, patience_s, &now, d) ?: stopped(d);
		} while (!err && now.on_queue < ALL_SHARE * now.packets && ++looks < LOOKS_AGAIN);
		s->seen.queue = err ? s->seen.queue : now.queue;
		s->seen.cpu = err ? s->seen.cpu : now.cpu;
		n = strlen(s->how);
		if (!err && now.on_queue < ALL_SHARE * now.packets)
			snprintf(s->how + n, sizeof(s->how) - n, "; but packets still arrive on %d queues",
				 now.nqueues);
	}
	flows_release(&s->flows);
	if (err)
		return err;
	/*
	 * The CPU where packets shall arrive. Without a thread, a veth's packets arrive on the CPU that sends them: a
	 * thread there would take turns with the generator, so it gets another CPU.
	 */
	taken = s->o->load_cpu;
	rx = cpu_pick_rx();
	if (taken < 0 && veth_is(&s->nd) && napi_kthread(s->nd.name) < 0)
		taken = s->seen.cpu;
	if (s->o->pin_cpu >= 0)
		s->cpu = s->o->pin_cpu;
	else if (s->o->rx_cpu >= 0)
		s->cpu = s->o->rx_cpu;
	else if (!s->o->threaded || s->seen.cpu != taken)
		s->cpu = s->seen.cpu;
	else
		s->cpu = rx != taken ? rx : cpu_pick_other(taken, -1);
	return steer_hold(s, d);
}

int steer_hold(struct steer *s, struct diag *d)
{
	struct timespec pause = {0, 5000000};
	char name[160], value[16];
	struct diag why = {};
	struct facts f;
	int err = 0;

	if (!s->o)
		return 0;
	/*
	 * Set the table without reading it first: the driver may report the old table although the NIC has lost it
	 * (virtio_net with native XDP).
	 */
	if (s->table.kind[0])
		setting_set(&s->table, s->table.value);
	if (s->o->threaded)
		err = change(s, "devfile", "threaded", "1", &why);
	if (err)
		return refuse_threaded(s, err, &why, d);
	for (int i = 0; s->o->threaded && i < KTHREAD_TRIES && napi_kthread(s->nd.name) < 0; i++)
		nanosleep(&pause, NULL);
	err = facts_open(&f, NULL, d);
	if (err)
		return err;
	rx_path_find(&s->path, &f, &s->nd, s->seen.queue, s->cpu);
	if (s->o->pin_cpu >= 0 && s->path.irq < 0) {
		err = diag_set(d, -EOPNOTSUPP, "--tune irq: cannot find the interrupt of the RX queue of %s",
			       s->nd.name);
	} else if (s->o->pin_cpu >= 0) {
		snprintf(name, sizeof(name), "/proc/irq/%d/smp_affinity_list", s->path.irq);
		snprintf(value, sizeof(value), "%d", s->o->pin_cpu);
		err = change(s, "file", name, value, &why);
		if (err)
			diag_set(d, err, "IRQ %d (%s) does not move to CPU %d: %s", s->path.irq, s->path.irq_name,
				 s->o->pin_cpu, why.text);
	}
	if (!err && s->path.napi_tid > 0 && (s->o->threaded || s->o->pin_cpu >= 0)) {
		setting_name_task(name, sizeof(name), s->path.napi_tid);
		snprintf(value, sizeof(value), "%d", s->path.cpu);
		err = change(s, "cpus", name, value, d);
	}
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
		     (unsigned long long)s->seen.packets,
		     s->seen.packets ? (int)(100.0 * s->seen.on_queue / s->seen.packets) : 0, path);
	if (s->how[0] && n < (int)size)
		snprintf(words + n, size - n, "steered: %s\n", s->how);
}
