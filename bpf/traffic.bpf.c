// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traffic - the live-frame generator's program: run by BPF_PROG_TEST_RUN, it sends each frame out of a device
 *
 * The kernel recycles the frames' pages without rewriting them, so a frame that a receiver changed comes round changed;
 * cfg_write restores the header and numbers the frame, which also takes its cache line away from the receiver, as a
 * NIC's DMA would.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

const volatile __u32 cfg_ifindex = 0;
const volatile __u32 cfg_flows = 1;
const volatile __u16 cfg_first_port = 0;
const volatile _Bool cfg_write = 0;
const volatile __u64 cfg_gap_ns = 0;    /* time between two frames; 0: as fast as it goes */
const volatile __u8 cfg_macs[12] = {};  /* destination, source */

__u64 seq = 0;    /* frames handed to the device by this run */
__u64 due_ns = 0; /* when the next frame may leave */

#define PACE_STEPS (1 << 20) /* of about 25 ns: a bound for the verifier, longer than the longest gap */

static long wait_due(__u32 step, void *ctx)
{
	return bpf_ktime_get_ns() >= due_ns;
}

static __always_inline void pace(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (now < due_ns)
		bpf_loop(PACE_STEPS, wait_due, 0, 0);
	else if (now > due_ns + 1000000 + 8 * cfg_gap_ns) /* what a longer pause missed is not caught up on */
		due_ns = now;
	due_ns += cfg_gap_ns;
}

static __always_inline void write_frame(void *data, void *end)
{
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);
	__u64 *number = (void *)(udp + 1);

	if ((void *)(number + 1) > end)
		return;
	if (cfg_write) {
		for (int i = 0; i < 12; i++)
			((__u8 *)eth)[i] = cfg_macs[i];
		eth->h_proto = bpf_htons(ETH_P_IP);
		__builtin_memcpy(number, &seq, sizeof(seq));
	}
	if (cfg_flows > 1)
		udp->source = bpf_htons(cfg_first_port + seq % cfg_flows);
}

SEC("xdp")
int traffic(struct xdp_md *ctx)
{
	if (cfg_gap_ns)
		pace();
	if (cfg_write || cfg_flows > 1)
		write_frame((void *)(long)ctx->data, (void *)(long)ctx->data_end);
	seq++;
	return bpf_redirect(cfg_ifindex, 0);
}

char _license[] SEC("license") = "GPL";
