// SPDX-License-Identifier: GPL-2.0-or-later
/* Do frames come in order and whole? Their UDP source ports are 0, 1, .. cfg_frames - 1, and their lengths differ. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#define MOST 8

__u32 cfg_frames = 4;
__u32 next = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST + 2); /* frames by port, frames out of order, frames of another length than they say */
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

static void count(__u32 key)
{
	__u64 *n = bpf_map_lookup_elem(&seen, &key);

	if (n)
		(*n)++;
}

SEC("xdp")
int order(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = data + sizeof(struct ethhdr);
	struct udphdr *udp = (void *)(ip + 1);
	__u32 port;

	if ((void *)(udp + 1) > end)
		return XDP_ABORTED;
	port = bpf_ntohs(udp->source);
	if (port >= MOST || (port != next && port)) /* 0: a generator began */
		count(MOST);
	else
		count(port);
	if (bpf_ntohs(ip->tot_len) + sizeof(struct ethhdr) != end - data)
		count(MOST + 1);
	next = port + 1 < cfg_frames ? port + 1 : 0;
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
