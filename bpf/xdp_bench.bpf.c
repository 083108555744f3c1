// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xdp_bench - the program under test: one packet operation, one verdict
 *
 * Configuration is read-only data: the verifier knows it and removes the branches not taken, so that what is left is
 * the variant and nothing else. The count is one increment in a cache line of this CPU's own.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <linux/in.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "bpf/layout.h"

const volatile __u32 cfg_operation = OP_NO_TOUCH;
const volatile __u32 cfg_verdict = XDP_DROP;
const volatile __u32 cfg_plant = PLANT_NONE;
const volatile __u32 cfg_plant_steps = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set to the number of possible CPUs before loading */
	__type(key, __u32);
	__type(value, struct bench_count);
} counts SEC(".maps");

/* A ring of cache lines in random order, each naming the next; one line where no walk is planted. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* PLANT_WALK_LINES with PLANT_WALK */
	__type(key, __u32);
	__type(value, struct plant_line);
} walk_lines SEC(".maps");

/* Where this CPU's walk has got to: each packet goes on, so that no line is met again before all others were. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} walk_at SEC(".maps");

struct vlan_hdr {
	__be16 tci;
	__be16 proto;
};

/* Makes the compiler keep a value it would otherwise find unused. */
#define keep(value) asm volatile("" : : "r"(value))

static __always_inline int count(__u32 verdict)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bench_count *c;

	c = bpf_map_lookup_elem(&counts, &cpu);
	if (c)
		c->verdicts[verdict & 7]++;
	return verdict;
}

/* The first byte that anybody reads of a packet is where its cache miss is paid. -1: too short. */
static __always_inline int read_data(void *data, void *end)
{
	struct ethhdr *eth = data;

	if ((void *)(eth + 1) > end)
		return -1;
	keep(eth->h_proto);
	return 0;
}

static __always_inline int swap_macs(void *data, void *end)
{
	__u16 *p = data, dst[3];

	if (data + sizeof(struct ethhdr) > end)
		return -1;
	__builtin_memcpy(dst, p, sizeof(dst));
	__builtin_memcpy(p, p + 3, sizeof(dst));
	__builtin_memcpy(p + 3, dst, sizeof(dst));
	return 0;
}

/* Ports follow at l4; both TCP and UDP begin with them. */
static __always_inline int parse_ports(void *l4, void *end, __u8 protocol)
{
	struct udphdr *udp = l4;

	if (protocol != IPPROTO_UDP && protocol != IPPROTO_TCP)
		return 0;
	if ((void *)(udp + 1) > end)
		return -1;
	keep(udp->source);
	keep(udp->dest);
	return 0;
}

static __always_inline int parse_ip(void *data, void *end)
{
	struct ethhdr *eth = data;
	void *l3 = eth + 1;
	__be16 proto;

	if (l3 > end)
		return -1;
	proto = eth->h_proto;
	if (proto == bpf_htons(ETH_P_8021Q) || proto == bpf_htons(ETH_P_8021AD)) {
		struct vlan_hdr *vlan = l3;

		if ((void *)(vlan + 1) > end)
			return -1;
		proto = vlan->proto;
		l3 = vlan + 1;
	}
	if (proto == bpf_htons(ETH_P_IP)) {
		struct iphdr *ip = l3;

		if ((void *)(ip + 1) > end)
			return -1;
		keep(ip->saddr);
		keep(ip->daddr);
		return parse_ports(l3 + ip->ihl * 4, end, ip->protocol);
	}
	if (proto == bpf_htons(ETH_P_IPV6)) {
		struct ipv6hdr *ip6 = l3;

		if ((void *)(ip6 + 1) > end)
			return -1;
		keep(ip6->saddr.in6_u.u6_addr32[3]);
		keep(ip6->daddr.in6_u.u6_addr32[3]);
		return parse_ports(ip6 + 1, end, ip6->nexthdr);
	}
	return 0;
}

/*
 * Multiplications that each need the result of the one before. No fences around them: atomic operations kept the CPU from
 * overlapping the chain with what is around it, but added some 20 ns of their own, because they wait for the driver's
 * stores.
 */
static __always_inline void plant_chain(void)
{
	__u32 steps = cfg_plant_steps;
	__u64 x = bpf_get_smp_processor_id();

	for (__u32 i = 0; i < steps; i++) {
		x = x * 0x5851f42d4c957f2dULL + i;
		asm volatile("" : "+r"(x));
	}
}

/* Loads that each need the result of the one before, from more memory than a core has caches of its own. */
static __always_inline void plant_walk(void)
{
	__u32 zero = 0, steps = cfg_plant_steps, *at = bpf_map_lookup_elem(&walk_at, &zero), line;
	struct plant_line *l;

	if (!at)
		return;
	line = *at;
	for (__u32 i = 0; i < steps; i++) {
		l = bpf_map_lookup_elem(&walk_lines, &line);
		if (!l)
			return;
		line = l->next;
	}
	*at = line;
}

static __always_inline void plant(__u32 kind)
{
	if (kind == PLANT_CHAIN)
		plant_chain();
	else if (kind == PLANT_WALK)
		plant_walk();
}

SEC("xdp")
int xdp_bench(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	int err = 0;

	plant(cfg_plant);
	switch (cfg_operation) {
	case OP_READ_DATA:
		err = read_data(data, end);
		break;
	case OP_PARSE_IP:
		err = parse_ip(data, end);
		break;
	case OP_SWAP_MACS:
		err = swap_macs(data, end);
		break;
	}
	return count(err ? XDP_ABORTED : cfg_verdict);
}

/* What counting is measured against: the least that an XDP program can be. */
SEC("xdp")
int xdp_bare(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
