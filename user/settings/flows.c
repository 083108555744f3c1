// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/flows.skel.h"
#include "user/machine/machine.h"
#include "user/settings/settings.h"
#include "base/stop.h"

#define LOOK_NS     300000000ULL
#define MAX_QUEUES  1024
#define ONE_PORT_OF 0.99 /* when this share of a flow's packets has one source port, the flow has one source port */

void flows_init(struct flows *f)
{
	f->skel = NULL;
	bench_init(&f->bench);
}

void flows_release(struct flows *f)
{
	bench_release(&f->bench);
	flows_bpf__destroy(f->skel);
	f->skel = NULL;
}

int flows_attach(struct flows *f, const struct netdev *nd, enum run_mode mode, struct diag *d)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	f->skb = mode == RUN_MODE_SKB;
	f->skel = flows_bpf__open_and_load();
	if (!f->skel)
		return diag_set(d, -errno, "cannot load the program that looks for flows: %s", strerror(errno));
	f->bench.prog_fd = bpf_program__fd(f->skel->progs.xdp_flows);
	if (bpf_obj_get_info_by_fd(f->bench.prog_fd, &info, &len))
		return diag_set(d, -errno, "cannot identify a program: %s", strerror(errno));
	f->bench.prog_id = info.id;
	return bench_attach(&f->bench, nd, mode, d);
}

static uint64_t packets_so_far(const struct flows *f)
{
	return *(volatile __u64 *)&f->skel->bss->seen;
}

static int wait_for_packets(struct flows *f, const struct netdev *nd, double patience_s, struct diag *d)
{
	struct patience patience = patience_of((uint64_t)(patience_s * 1e9));

	while (!packets_so_far(f)) {
		if (stopped(d))
			return -EINTR;
		if (netdev_gone(nd))
			return diag_set(d, -ENODEV, "%s has vanished", nd->name);
		if (patience_ends(&patience))
			return veth_no_packets(nd, f->skb, d);
		sleep_until_ns(now_ns() + 2000000);
	}
	sleep_until_ns(now_ns() + LOOK_NS);
	return 0;
}

void flows_forget(struct flows *f)
{
	int fd = bpf_map__fd(f->skel->maps.flow_counts);
	struct flow_key key;

	while (!bpf_map_get_next_key(fd, NULL, &key) && !bpf_map_delete_elem(fd, &key))
		;
	*(volatile __u64 *)&f->skel->bss->seen = 0;
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

/* A member of the group with most packets; *packets: the packets of that group. NULL: there are no flows. */
static const struct seen_one *largest_group(const struct seen_one *all, size_t n, uint64_t *packets)
{
	const struct seen_one *best = NULL;

	*packets = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += same_group(&all[i].key, &all[k].key) ? all[k].packets : 0;
		if (sum > *packets) {
			*packets = sum;
			best = &all[i];
		}
	}
	return best;
}

static void fill_flow(struct flow *flow, const struct flow_key *key, uint16_t src_port)
{
	memset(flow, 0, sizeof(*flow));
	if (key->protocol != IPPROTO_UDP && key->protocol != IPPROTO_TCP)
		return;
	flow->family = key->family;
	flow->protocol = key->protocol;
	memcpy(flow->src, key->src, sizeof(flow->src));
	memcpy(flow->dst, key->dst, sizeof(flow->dst));
	flow->src_port = src_port;
	flow->dst_port = key->dst_port;
}

static void fill_queues(const struct seen_one *all, size_t n, const struct flow_key *group, struct flows_seen *seen)
{
	uint64_t *on = calloc(2 * MAX_QUEUES, sizeof(*on)), *of_group = on ? on + MAX_QUEUES : NULL, most = 0;

	for (size_t i = 0; on && i < n; i++) {
		int q = all[i].key.queue % MAX_QUEUES;

		seen->nqueues += !on[q];
		on[q] += all[i].packets;
		of_group[q] += same_group(&all[i].key, group) ? all[i].packets : 0;
		if (of_group[q] > of_group[seen->queue] || !of_group[seen->queue])
			seen->queue = q;
	}
	for (size_t i = 0; i < n; i++) {
		if (all[i].key.queue != seen->queue || !same_group(&all[i].key, group) || all[i].most <= most)
			continue;
		most = all[i].most;
		seen->cpu = all[i].cpu;
	}
	seen->on_queue = on ? on[seen->queue] : 0;
	free(on);
}

int flows_look(struct flows *f, const struct netdev *nd, double patience_s, struct flows_seen *seen, struct diag *d)
{
	const struct seen_one *group;
	struct seen_one *all;
	uint64_t of_port = 0;
	size_t n;
	int err = wait_for_packets(f, nd, patience_s, d);

	memset(seen, 0, sizeof(*seen));
	if (err)
		return err;
	all = flows_read_all(f, &n);
	group = largest_group(all, n, &seen->of_flow);
	if (!group) {
		free(all);
		return diag_set(d, -ENOMEM, "cannot count the flows on %s", nd->name);
	}
	for (size_t i = 0; i < n; i++) {
		seen->packets += all[i].packets;
		if (same_group(&all[i].key, &group->key) && all[i].key.src_port == group->key.src_port)
			of_port += all[i].packets;
	}
	fill_flow(&seen->flow, &group->key, of_port >= ONE_PORT_OF * seen->of_flow ? group->key.src_port : 0);
	fill_queues(all, n, &group->key, seen);
	free(all);
	return 0;
}
