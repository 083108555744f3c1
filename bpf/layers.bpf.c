// SPDX-License-Identifier: GPL-2.0-or-later
/* layers - programs of the receive ladder: each drops every frame and counts it, as xdp_bench does in XDP. */
#include <linux/pkt_cls.h>
#include "bpf/maps.bpf.h"

MAP(dropped, PERCPU_ARRAY, 1, __u32, __u64);

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
