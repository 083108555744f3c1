// SPDX-License-Identifier: GPL-2.0-or-later
/* Each verdict for frames of its own, told by their UDP source ports. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} nowhere SEC(".maps"); /* has no device: redirects fail */

__attribute__((noinline)) int port_of(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = data + sizeof(struct ethhdr);
	struct udphdr *udp = (void *)(ip + 1);

	return (void *)(udp + 1) > end ? -1 : bpf_ntohs(udp->source);
}

__attribute__((noinline)) int swap_macs(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	unsigned char mac[ETH_ALEN];

	if ((void *)(eth + 1) > end)
		return -1;
	__builtin_memcpy(mac, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, mac, ETH_ALEN);
	return 0;
}

SEC("xdp")
int every_verdict(struct xdp_md *ctx)
{
	int port = port_of(ctx);

	switch (port) {
	case XDP_ABORTED:
	case XDP_DROP:
	case XDP_PASS:
		return port;
	case XDP_TX:
		return swap_macs(ctx) ? XDP_ABORTED : XDP_TX;
	case XDP_REDIRECT:
		return bpf_redirect_map(&nowhere, 0, XDP_DROP) == XDP_REDIRECT ? XDP_REDIRECT : bpf_redirect(4000, 0);
	}
	return 77; /* no verdict */
}

char _license[] SEC("license") = "GPL";
