// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firewall - a small firewall for servers, the example of docs/own-program.rst
 *
 * A frame over IPv4 is dropped if it is cut short, is a later fragment, comes from a network in the map "blocked", or
 * goes to a port of UDP or TCP that is not in the map "open". All other frames pass. "reasons" counts frames by reason.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#define FRAGMENT_OFFSET 0x1fff /* of iphdr.frag_off */

enum reason { PASSED, SHORT, FRAGMENT, BLOCKED, CLOSED, REASONS };

struct network { /* as BPF_MAP_TYPE_LPM_TRIE wants it */
	__u32 bits;
	__be32 address;
};

struct packet {
	__be32 from, to;
	__be16 port; /* where it goes */
	__u8 is_ip, has_port;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 10000);
	__type(key, struct network);
	__type(value, __u8);
} blocked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be16);
	__type(value, __u8);
} open SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, REASONS);
	__type(key, __u32);
	__type(value, __u64);
} reasons SEC(".maps");

/* Fills p from the headers. PASSED: nothing speaks against the frame so far. */
static __noinline int parse(struct xdp_md *ctx, struct packet *p)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	__be16 *ports;

	if ((void *)ip > end)
		return SHORT;
	if (eth->h_proto != bpf_htons(ETH_P_IP))
		return PASSED;
	if ((void *)(ip + 1) > end || ip->ihl < 5)
		return SHORT;
	if (ip->frag_off & bpf_htons(FRAGMENT_OFFSET))
		return FRAGMENT;
	p->is_ip = 1;
	p->from = ip->saddr;
	p->to = ip->daddr;
	if (ip->protocol != IPPROTO_UDP && ip->protocol != IPPROTO_TCP)
		return PASSED;
	ports = (void *)ip + ip->ihl * 4;
	if ((void *)(ports + 2) > end)
		return SHORT;
	p->port = ports[1];
	p->has_port = 1;
	return PASSED;
}

static __noinline int look_up(const struct packet *p)
{
	struct network source = {32, p->from};
	__be16 port = p->port;

	if (bpf_map_lookup_elem(&blocked, &source))
		return BLOCKED;
	return !p->has_port || bpf_map_lookup_elem(&open, &port) ? PASSED : CLOSED;
}

SEC("xdp")
int firewall(struct xdp_md *ctx)
{
	struct packet p = {};
	__u32 reason = parse(ctx, &p);
	__u64 *frames;

	if (reason == PASSED && p.is_ip)
		reason = look_up(&p);
	frames = bpf_map_lookup_elem(&reasons, &reason);
	if (frames)
		(*frames)++;
	return reason == PASSED ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
