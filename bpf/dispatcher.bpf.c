// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dispatcher - runs the program under test as libxdp's dispatcher would: as a function that the kernel replaces
 *
 * libxdp's dispatcher has ten such functions and calls as many as there are programs; this one is loaded for one
 * program. As there, a verdict that is in chain_actions goes on to the next program, and after the last one the frame
 * passes.
 */
#include "bpf/maps.bpf.h"

#define CHAIN_ACTIONS (1u << XDP_PASS) /* libxdp's default */

const volatile __u32 cfg_chain_actions = CHAIN_ACTIONS;

__attribute__((noinline)) int prog0(struct xdp_md *ctx)
{
	volatile int verdict = -1; /* keeps the compiler from knowing what this function returns */

	if (!ctx)
		return XDP_ABORTED;
	return verdict;
}

SEC("xdp")
int xdp_dispatcher(struct xdp_md *ctx)
{
	__u32 verdict = (__u32)prog0(ctx);

	if (verdict < 32 && (1u << verdict) & cfg_chain_actions)
		return XDP_PASS;
	return verdict;
}
