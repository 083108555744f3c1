// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do frames come in order and whole? Their UDP source ports are 0, 1, .. cfg_frames - 1, and their lengths differ.
 * The second program is for long ones, of the ports 1 to 3, and reads their last byte.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#define MOST 8
enum { BROKEN = 4, IN_PARTS };

__u32 cfg_frames = 4;
__u32 next = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries,
	       MOST + 2); /* frames by port, out of order, of another length than they say; of the second program:
					  by port, broken, with an end in another buffer */
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
	if (bpf_ntohs(ip->tot_len) + sizeof(struct ethhdr) != (__u64)(end - data))
		count(MOST + 1);
	next = port + 1 < cfg_frames ? port + 1 : 0;
	return XDP_DROP;
}

SEC("xdp.frags")
int whole(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = data + sizeof(struct ethhdr);
	struct udphdr *udp = (void *)(ip + 1);
	__u64 bytes = bpf_xdp_get_buff_len(ctx);
	__u8 last;

	if ((void *)(udp + 1) > end)
		return XDP_ABORTED;
	if (bpf_ntohs(udp->source) < BROKEN)
		count(bpf_ntohs(udp->source));
	if (bytes != bpf_ntohs(ip->tot_len) + sizeof(struct ethhdr) || bpf_xdp_load_bytes(ctx, bytes - 1, &last, 1))
		count(BROKEN);
	if (bytes > (__u64)(end - data))
		count(IN_PARTS);
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
