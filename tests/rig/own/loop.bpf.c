// SPDX-License-Identifier: GPL-2.0-or-later
/* Spends its time in one line of its source, which tests/rig/own.sh finds by its comment. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

static __attribute__((noinline)) __u64 spin(__u64 n)
{
	__u64 sum = 0;

	asm volatile("1: %0 += %1; %1 += -1; if %1 s> 0 goto 1b" : "+r"(sum), "+r"(n)); /* here */
	return sum;
}

SEC("xdp")
int loop(struct xdp_md *ctx)
{
	return spin(2000) ? XDP_DROP : XDP_ABORTED;
}

char _license[] SEC("license") = "GPL";
