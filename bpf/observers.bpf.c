// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * observers - programs like those that people leave attached: one at fexit of an XDP program, as xdpdump has, and one
 * in tc
 */
#include "bpf/maps.bpf.h"
#include "bpf/kernel.bpf.h"

/* What xdpdump puts before each frame. */
struct head {
	__u64 time_ns;
	__u32 bytes, verdict;
};

MAP(dumps, PERF_EVENT_ARRAY, 0, __u32, __u32); /* one for each CPU */

/* Copies each frame, whole, into a ring that is written over again and again. */
SEC("fexit")
int BPF_PROG(dump, struct xdp_buff *xdp, int verdict)
{
	__u64 bytes = (__u64)xdp->data_end - (__u64)xdp->data;
	struct head h = {.time_ns = bpf_ktime_get_ns(), .bytes = (__u32)bytes, .verdict = (__u32)verdict};

	bpf_xdp_output(xdp, &dumps, (bytes & 0xfffff) << 32 | BPF_F_CURRENT_CPU, &h, sizeof(h));
	return 0;
}

/* Every frame goes on to the next program, or into the stack. */
SEC("tc")
int look(struct __sk_buff *skb)
{
	return -1; /* TC_ACT_UNSPEC, also TCX_NEXT */
}
