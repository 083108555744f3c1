// SPDX-License-Identifier: GPL-2.0-or-later
/* layers - programs of the receive ladder: each drops every frame and counts it, as xdp_bench does in XDP. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

static __always_inline void count(void)
{
	__u32 key = 0;
	__u64 *n = bpf_map_lookup_elem(&dropped, &key);

	if (n)
		*n += 1;
}

SEC("tc")
int tc_drop(struct __sk_buff *skb)
{
	count();
	return TC_ACT_SHOT;
}

SEC("netfilter")
int nf_drop(void *ctx)
{
	count();
	return 0; /* NF_DROP */
}

char _license[] SEC("license") = "GPL";
