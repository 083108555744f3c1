// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xdp_bench - the program under test: one packet operation, one verdict
 *
 * The configuration is read-only data. The verifier knows its values and removes the branches that are never taken, so
 * the loaded program contains only the code of its variant. It leaves each load of a value in place, though. So there
 * is one program for each verdict, and one for each map that frames can be redirected through; only the program in use
 * is loaded. Counting is one increment in a cache line that belongs to this CPU alone, at an address that needs no
 * lookup.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <linux/in.h>
#include "bpf/maps.bpf.h"

const volatile struct bench_config cfg = {};

/* The only variable outside of maps: user space maps and shares all of .bss. */
struct bench_counts counts = {};

/* A ring of cache lines in random order; each line holds the index of the next. Without INJECT_WALK: one line. */
SHARED_ARRAY(walk_lines, 1, struct inject_line); /* INJECT_WALK_LINES with INJECT_WALK */

struct inject_state {
	__u64 zero;    /* always 0, but neither the compiler nor the CPU can assume this */
	__u64 walk_at; /* this CPU's position in the ring: the walk visits every other line before it returns to one */
	__u64 packets;
};

MAP(inject_state, PERCPU_ARRAY, 1, __u32, struct inject_state);
MAP(to_device, DEVMAP, 1, __u32, __u32);
MAP(to_cpu, CPUMAP, 1, __u32, struct bpf_cpumap_val); /* set to the number of possible CPUs before loading */
MAP(to_socket, XSKMAP, STAGE_QUEUES, __u32, __u32);

struct vlan_hdr {
	__be16 tci;
	__be16 proto;
};

/* Makes the compiler compute a value that nothing uses. */
#define keep(value) asm volatile("" : : "r"(value))

static __always_inline struct bench_count *my_counts(void)
{
	return &counts.cpus[bpf_get_smp_processor_id() & (BENCH_CPUS - 1)];
}

static __always_inline int count(__u32 verdict)
{
	my_counts()->verdicts[verdict & (BENCH_VERDICTS - 1)]++;
	return verdict;
}

/* l4: the transport header; TCP and UDP both begin with the two ports. -1: the packet is too short. */
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

static __always_inline __u64 multiply(__u64 x)
{
	x = x * 0x5851f42d4c957f2dULL + 1;
	asm volatile("" : "+r"(x));
	return x;
}

/* For bpf_loop(): 64 steps of an injected chain, multiplications of *x, each of the result of the one before. */
static long chain_row(__u32 row, void *x)
{
	__u64 value = *(__u64 *)x;

#pragma unroll
	for (int i = 0; i < 64; i++)
		value = multiply(value);
	*(__u64 *)x = value;
	return 0;
}

/*
 * A chain of loads: each needs the result of the one before. The memory is larger than the private caches of a
 * core.
 */
static __always_inline __u64 inject_walk(__u64 line)
{
	__u32 steps = cfg.inject_steps, at = line;
	struct inject_line *l;

	for (__u32 i = 0; i < steps; i++) {
		l = bpf_map_lookup_elem(&walk_lines, &at);
		if (!l)
			return 0;
		at = l->next;
	}
	return at;
}

/*
 * A CPU that executes out of order overlaps the extra work with the instructions around it. So the work starts from the
 * result of one atomic exchange, and a second one needs the result of the work. A clock around all of it tells what it
 * takes on these packets. The variant with 0 ns has exchanges and clock too; an injected cost is the difference to it.
 * They wait for the driver's stores and loads, which costs 100 ns; cfg.inject_mask has one packet in INJECT_AT_ONCE do
 * the work of all, the last of a batch.
 */
static __always_inline void inject(__u32 kind)
{
	__u32 key = 0, steps = cfg.inject_steps;
	struct inject_state *s;
	__u64 zero, x, from_ns;

	s = bpf_map_lookup_elem(&inject_state, &key);
	if (!s || ++s->packets & cfg.inject_mask)
		return;
	from_ns = bpf_ktime_get_ns();
	zero = __sync_lock_test_and_set(&s->zero, 0);
	if (kind == INJECT_CHAIN) {
		x = zero;
		bpf_loop(steps / 64, chain_row, &x, 0);
		for (__u32 i = 0; i < steps % 64; i++)
			x = multiply(x);
	} else {
		x = inject_walk(s->walk_at + zero);
		s->walk_at = x;
	}
	__sync_lock_test_and_set(&s->zero, x & zero);
	my_counts()->injected_ns += bpf_ktime_get_ns() - from_ns;
}

/* -1: the packet is too short. */
static __always_inline int one_operation(struct xdp_md *ctx, __u32 operation)
{
	switch (operation) {
	case OP_READ_DATA: {
		void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
		struct ethhdr *eth = data;

		if ((void *)(eth + 1) > end)
			return -1;
		keep(eth->h_proto); /* this is the first read of the packet, so it pays for the cache miss */
		return 0;
	}
	case OP_PARSE_IP:
		return parse_ip((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	case OP_SWAP_MACS: {
		void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
		__u16 *p = data, dst[3];

		if (data + sizeof(struct ethhdr) > end)
			return -1;
		__builtin_memcpy(dst, p, sizeof(dst));
		__builtin_memcpy(p, p + 3, sizeof(dst));
		__builtin_memcpy(p + 3, dst, sizeof(dst));
		return 0;
	}
	}
	return 0;
}

/* Returns 0, or another number where the packet is too short for the operation. */
static __always_inline int operate(struct xdp_md *ctx)
{
	__u32 operation = cfg.operation;
	int err;

	if (operation != OP_INJECT)
		return one_operation(ctx, operation);
	err = one_operation(ctx, cfg.before_inject);
	inject(cfg.inject);
	return err;
}

/* The barrier keeps clang from sharing the code of both verdicts, which would compute the address at run time. */
static __always_inline int too_short(void)
{
	count(XDP_ABORTED);
	asm volatile("");
	return XDP_ABORTED;
}

#define BENCH(name, verdict)                                                                                           \
	SEC("xdp")                                                                                                     \
	int name(struct xdp_md *ctx)                                                                                   \
	{                                                                                                              \
		return operate(ctx) ? too_short() : count(verdict);                                                    \
	}

BENCH(xdp_bench, XDP_DROP)
BENCH(xdp_bench_abort, XDP_ABORTED)
BENCH(xdp_bench_pass, XDP_PASS)
BENCH(xdp_bench_tx, XDP_TX)
/* Where the map has no entry, bpf_redirect_map() returns XDP_ABORTED, and count() counts this verdict. */
BENCH(xdp_bench_dev, bpf_redirect_map(&to_device, 0, XDP_ABORTED))
BENCH(xdp_bench_cpu, bpf_redirect_map(&to_cpu, cfg.stage_cpu, XDP_ABORTED))
BENCH(xdp_bench_xsk, bpf_redirect_map(&to_socket, ctx->rx_queue_index, XDP_ABORTED))

/* The smallest XDP program. The cost of counting is measured against it. */
SEC("xdp")
int xdp_bare(struct xdp_md *ctx)
{
	return XDP_DROP;
}
