// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits - frames carry the time at which they went into a queue; whoever takes them out adds up how long ago that was
 *
 * in:    frames of 64 bytes or more with 16 bytes of ours at STAMP_AT, behind headers of Ethernet, IP and UDP
 * out:   waited: packets that were taken out of the queue, and the sum of their waits
 * units: CLOCK_MONOTONIC, ns
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define STAMP_AT 42
#define MARK     0x78646d7a7761697fULL

struct stamp {
	__u64 mark, ns;
};

const volatile __u64 work_ns = 0; /* that whoever takes a frame up spends on it */
const volatile __u32 ifindex = 0;
const volatile bool pass = false;   /* what XDP does with a frame; else it drops it */
const volatile int to_cpu = -1;     /* or redirects it to this CPU */
const volatile bool to_xsk = false; /* or to the socket of its RX queue */

struct {
	__u64 packets, ns;
} waited[1024] = {};

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

/* Of frames that a driver has: when each was handed to it, by its skb. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u64);
} sent SEC(".maps");

static __always_inline struct stamp *stamp_of(void *data, void *end)
{
	struct stamp *s = data + STAMP_AT;

	return (void *)(s + 1) <= end && s->mark == MARK ? s : NULL;
}

static long no_time_left(__u32 i, __u64 *until)
{
	return bpf_ktime_get_ns() >= *until;
}

static __always_inline void add(__u64 ns)
{
	__u64 now = bpf_ktime_get_ns(), until = now + work_ns;
	__u32 cpu = bpf_get_smp_processor_id() & 1023;

	waited[cpu].packets++;
	waited[cpu].ns += now - ns;
	if (work_ns)
		bpf_loop(1 << 20, no_time_left, &until, 0);
}

SEC("tc")
int stamp_tc(struct __sk_buff *skb)
{
	struct stamp *s;

	bpf_skb_pull_data(skb, 0);
	s = stamp_of((void *)(long)skb->data, (void *)(long)skb->data_end);
	if (s)
		s->ns = bpf_ktime_get_ns();
	return TC_ACT_OK;
}

SEC("tc")
int take_tc(struct __sk_buff *skb)
{
	struct stamp *s;

	bpf_skb_pull_data(skb, 0);
	s = stamp_of((void *)(long)skb->data, (void *)(long)skb->data_end);
	if (s)
		add(s->ns);
	return s ? TC_ACT_SHOT : TC_ACT_OK;
}

static __always_inline int onward(void)
{
	if (to_cpu >= 0)
		return bpf_redirect_map(&cpus, to_cpu, 0);
	if (to_xsk)
		return bpf_redirect_map(&xsks, 0, XDP_DROP);
	return pass ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int stamp_xdp(struct xdp_md *ctx)
{
	struct stamp *s = stamp_of((void *)(long)ctx->data, (void *)(long)ctx->data_end);

	if (!s)
		return XDP_PASS;
	s->ns = bpf_ktime_get_ns();
	return onward();
}

SEC("xdp")
int take_xdp(struct xdp_md *ctx)
{
	struct stamp *s = stamp_of((void *)(long)ctx->data, (void *)(long)ctx->data_end);

	if (!s)
		return XDP_PASS;
	add(s->ns);
	return onward();
}

SEC("xdp/cpumap")
int take_cpumap(struct xdp_md *ctx)
{
	struct stamp *s = stamp_of((void *)(long)ctx->data, (void *)(long)ctx->data_end);

	if (s)
		add(s->ns);
	return XDP_DROP;
}

struct net_device {
	int ifindex;
} __attribute__((preserve_access_index));
struct sk_buff {
	unsigned char *data;
	struct net_device *dev;
} __attribute__((preserve_access_index));

/* 0: not one of ours, to this device. */
static __always_inline __u64 stamp_in(struct sk_buff *skb, struct net_device *dev)
{
	struct stamp s = {};

	if (BPF_CORE_READ(dev, ifindex) != ifindex)
		return 0;
	bpf_probe_read_kernel(&s, sizeof(s), BPF_CORE_READ(skb, data) + STAMP_AT);
	return s.mark == MARK ? 1 + s.ns : 0;
}

/* The frame leaves the qdisc. */
SEC("raw_tp/net_dev_start_xmit")
int take_xmit(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 ns = stamp_in((void *)ctx->args[0], (void *)ctx->args[1]);

	if (ns)
		add(ns - 1);
	return 0;
}

/* The frame comes to the driver, and is given back. */
SEC("raw_tp/net_dev_start_xmit")
int stamp_xmit(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 skb = ctx->args[0], now = bpf_ktime_get_ns();

	if (stamp_in((void *)skb, (void *)ctx->args[1]))
		bpf_map_update_elem(&sent, &skb, &now, BPF_ANY);
	return 0;
}

SEC("raw_tp/consume_skb")
int take_consumed(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 skb = ctx->args[0], *ns = bpf_map_lookup_elem(&sent, &skb);

	if (!ns)
		return 0;
	add(*ns);
	bpf_map_delete_elem(&sent, &skb);
	return 0;
}

char _license[] SEC("license") = "GPL";
