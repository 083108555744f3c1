// SPDX-License-Identifier: GPL-2.0-or-later
/* Do long frames come whole? They are told by their UDP source ports, 1 to 3, and read to their last byte. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

enum { BROKEN = 4, IN_PARTS };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 6); /* frames by port; broken ones; those whose end lies in another buffer */
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

static void count(__u32 key)
{
	__u64 *n = bpf_map_lookup_elem(&seen, &key);

	if (n)
		(*n)++;
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
	if (bytes > end - data)
		count(IN_PARTS);
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
