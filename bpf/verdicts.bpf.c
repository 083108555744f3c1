// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verdicts - where the frames of a program end that counts no verdicts itself
 *
 * What passes ends in the tc program below. What is aborted, redirected or freed goes by a tracepoint. Sent frames are
 * counted where they arrive. What a tc program passes the stack frees, in the lab. Attached while frames are counted,
 * never while they are measured.
 */
#include <linux/pkt_cls.h>
#include "bpf/maps.bpf.h"
#include "bpf/kernel.bpf.h"

const volatile __u32 cfg_prog_id = 0, cfg_netns_inum = 0;
const volatile int cfg_ifindex = 0;
const volatile int cfg_passed = TC_ACT_SHOT; /* where frames that passed go */

__u64 ended[ENDS] = {};

static __always_inline void count(enum end end, __u64 frames)
{
	__sync_fetch_and_add(&ended[end], frames);
}

SEC("tp_btf/xdp_exception")
int BPF_PROG(refused, struct net_device *dev, struct bpf_prog *prog, __u32 verdict)
{
	if (prog->aux->id == cfg_prog_id)
		count(verdict == XDP_TX ? END_TX_FAILED : END_ABORTED, 1);
	return 0;
}

SEC("tp_btf/xdp_redirect")
int BPF_PROG(redirected, struct net_device *dev, struct bpf_prog *prog)
{
	if (prog->aux->id == cfg_prog_id)
		count(END_REDIRECTED, 1);
	return 0;
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(redirect_failed, struct net_device *dev, struct bpf_prog *prog)
{
	if (prog->aux->id == cfg_prog_id)
		count(END_REDIRECT_FAILED, 1);
	return 0;
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(freed, struct sk_buff *skb)
{
	if (is_device(skb->dev, cfg_ifindex, cfg_netns_inum))
		count(END_FREED, 1);
	return 0;
}

/* GRO may have merged several frames. */
SEC("tc")
int passed(struct __sk_buff *skb)
{
	__u32 frames = skb->gso_segs;

	count(END_PASSED, frames ? frames : 1);
	count(END_PASSED_SKBS, 1);
	return cfg_passed;
}

/* What becomes of frames at a tc program under test; at netkit, behind it. Several that GRO has merged are one. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(shot, struct sk_buff *skb, void *location, enum skb_drop_reason reason)
{
	if (is_device(skb->dev, cfg_ifindex, cfg_netns_inum))
		count(reason == bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_TC_INGRESS) ? END_SHOT
												      : END_FREED,
		      1);
	return 0;
}

/* In the lab nobody else redirects. */
SEC("kprobe/skb_do_redirect")
int tc_redirected(void *registers)
{
	count(END_REDIRECTED, 1);
	return 0;
}
