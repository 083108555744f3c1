// SPDX-License-Identifier: GPL-2.0-or-later
/* forward - the programs of the forwarding ladder: each frame goes on to another device, unseen */
#include <linux/if_ether.h>
#include "bpf/maps.bpf.h"

const volatile __u32 cfg_out = 0; /* of programs of tc; the XDP programs have a map instead */

MAP(out_device, DEVMAP, 1, __u32, struct bpf_devmap_val);

SEC("xdp")
int xdp_to_device(struct xdp_md *ctx)
{
	return bpf_redirect_map(&out_device, 0, 0);
}

/* Runs for the other device, just before it gets the frame: gives the frame new addresses, as a router does. */
SEC("xdp/devmap")
int second_program(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	unsigned char mac[ETH_ALEN];

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	__builtin_memcpy(mac, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, mac, ETH_ALEN);
	return XDP_PASS;
}

SEC("tc")
int tc_to_device(struct __sk_buff *skb)
{
	return bpf_redirect(cfg_out, 0);
}

SEC("tc")
int tc_to_peer(struct __sk_buff *skb)
{
	return bpf_redirect_peer(cfg_out, 0);
}
