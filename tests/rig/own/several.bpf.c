// SPDX-License-Identifier: GPL-2.0-or-later
/* Several programs in one object: one that tail-calls, one for multi-buffer frames, and programs of other kinds. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

int second(struct xdp_md *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, sizeof(__u32));
	__array(values, int(struct xdp_md *));
} next SEC(".maps") = {.values = {[1] = (void *)&second}};

SEC("xdp")
int entry(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &next, 1);
	return XDP_ABORTED;
}

SEC("xdp")
int second(struct xdp_md *ctx)
{
	return XDP_DROP;
}

SEC("xdp.frags")
int whole(struct xdp_md *ctx)
{
	return bpf_xdp_get_buff_len(ctx) ? XDP_DROP : XDP_ABORTED;
}

SEC("tc")
int classify(struct __sk_buff *skb)
{
	return TC_ACT_OK;
}

SEC("xdp/devmap")
int at_exit(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
