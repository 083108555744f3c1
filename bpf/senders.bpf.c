// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * senders - for layers of the sending ladders: the programs of live frames and of TCP, and a clock
 *
 * A layer that sends inside the kernel sends thousands of frames in one call. The other end is polled meanwhile, in
 * softirqs of the task that sends. The clock counts the time of these softirqs, so that user space can subtract it from
 * the task's time.
 */
#include "bpf/maps.bpf.h"

const volatile __u32 cfg_ifindex = 0;

volatile __u32 tid = 0; /* of the task; written by user space */
__u64 softirq_ns = 0;   /* read by user space, while the task is in no softirq */
static volatile __u64 since_ns;

SEC("xdp")
int live(struct xdp_md *ctx)
{
	return bpf_redirect(cfg_ifindex, 0);
}

/* In front of a TCP receiver. */
SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

static __always_inline bool is_ours(unsigned int vector)
{
	return vector == NET_RX_SOFTIRQ && tid && (__u32)bpf_get_current_pid_tgid() == tid;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_begins, unsigned int vector)
{
	if (is_ours(vector))
		since_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_ends, unsigned int vector)
{
	if (is_ours(vector) && since_ns) {
		softirq_ns += bpf_ktime_get_ns() - since_ns;
		since_ns = 0;
	}
	return 0;
}
