// SPDX-License-Identifier: GPL-2.0-or-later
/* A small firewall: drops what comes from the addresses in its map, and does with the rest what cfg_rest says. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

const volatile __u32 cfg_rest = XDP_PASS;
__u16 cfg_odd = 0;              /* not 0: frames with an odd source port get this verdict instead */
char cfg_name[16] = "firewall"; /* "": not configured, all is aborted */
unsigned char cfg_mac[6] = {};
__u32 cfg_only = 0; /* an address in network order; not 0: nothing else is looked at */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} blocked SEC(".maps");

SEC("xdp")
int firewall(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = data + sizeof(struct ethhdr);
	__u16 *ports = (void *)(ip + 1);
	__u64 *hits;
	__u32 from;

	if ((void *)(ports + 2) > end || !cfg_name[0])
		return XDP_ABORTED;
	if (cfg_odd && bpf_ntohs(ports[0]) & 1)
		return cfg_odd;
	from = ip->saddr;
	if (cfg_only && from != cfg_only)
		return XDP_ABORTED;
	hits = bpf_map_lookup_elem(&blocked, &from);
	if (!hits)
		return cfg_rest;
	__sync_fetch_and_add(hits, 1);
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
