// SPDX-License-Identifier: GPL-2.0-or-later
/* The verifier refuses this program: it reads the packet without a look at its end. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int refused(struct xdp_md *ctx)
{
	return *(__u32 *)(long)ctx->data ? XDP_DROP : XDP_PASS;
}

char _license[] SEC("license") = "GPL";
