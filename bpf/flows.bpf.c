// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flows - counts packets by flow, RX queue and CPU
 *
 * It runs for a moment before a measurement, never during one. Every packet goes on to the stack (XDP_PASS).
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include "bpf/maps.bpf.h"

#define AF_INET     2
#define AF_INET6    10
#define PROTO_TCP   6
#define PROTO_UDP   17
#define FRAG_OFFSET 0x1fff

MAP(flow_counts, PERCPU_HASH, FLOWS_MAX, struct flow_key, __u64);

__u64 seen = 0; /* packets, roughly (not atomic): user space waits until there are enough */

struct vlan_tag {
	__be16 id, type;
};

/* Returns the address behind the Ethernet header and at most two VLAN tags; 0: the packet is too short. */
static __always_inline void *skip_link(void *data, void *end, __be16 *type)
{
	struct ethhdr *eth = data;
	void *at = eth + 1;

	if (at > end)
		return 0;
	*type = eth->h_proto;
	for (int i = 0; i < 2; i++) {
		struct vlan_tag *tag = at;

		if (*type != bpf_htons(ETH_P_8021Q) && *type != bpf_htons(ETH_P_8021AD))
			break;
		if ((void *)(tag + 1) > end)
			return 0;
		*type = tag->type;
		at = tag + 1;
	}
	return at;
}

/* Reads the two ports, which are the first 4 bytes of the TCP or UDP header at `at`. */
static __always_inline void take_ports(struct flow_key *key, void *at, void *end)
{
	__u16 *ports = at;

	if ((key->protocol != PROTO_UDP && key->protocol != PROTO_TCP) || (void *)(ports + 2) > end)
		return;
	key->src_port = ports[0];
	key->dst_port = ports[1];
}

SEC("xdp")
int xdp_flows(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct flow_key key = {.queue = ctx->rx_queue_index};
	__be16 type = 0;
	__u64 *count, one = 1;
	void *at = skip_link(data, end, &type);

	seen++;
	if (at && type == bpf_htons(ETH_P_IP)) {
		struct iphdr *ip = at;

		if ((void *)(ip + 1) <= end) {
			key.family = AF_INET;
			key.protocol = ip->protocol;
			__builtin_memcpy(key.src, &ip->saddr, 4);
			__builtin_memcpy(key.dst, &ip->daddr, 4);
			if (ip->ihl == 5 && !(ip->frag_off & bpf_htons(FRAG_OFFSET)))
				take_ports(&key, ip + 1, end);
		}
	} else if (at && type == bpf_htons(ETH_P_IPV6)) {
		struct ipv6hdr *ip = at;

		if ((void *)(ip + 1) <= end) {
			key.family = AF_INET6;
			key.protocol = ip->nexthdr;
			__builtin_memcpy(key.src, &ip->saddr, 16);
			__builtin_memcpy(key.dst, &ip->daddr, 16);
			take_ports(&key, ip + 1, end);
		}
	}
	count = bpf_map_lookup_elem(&flow_counts, &key);
	if (count)
		++*count;
	else
		bpf_map_update_elem(&flow_counts, &key, &one, BPF_ANY);
	return XDP_PASS;
}
