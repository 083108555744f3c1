// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that need the kernel's BTF: reads of its types, and kfuncs. What they look at is sound, else they abort.
 * Loaded one by one ("?"), as older kernels lack some of the kfuncs.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct task_struct {
	int pid, tgid;
} __attribute__((preserve_access_index));

struct net_device {
	unsigned int mtu;
} __attribute__((preserve_access_index));

struct xdp_rxq_info {
	struct net_device *dev;
} __attribute__((preserve_access_index));

struct xdp_buff {
	struct xdp_rxq_info *rxq;
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *) __ksym;
extern int bpf_dynptr_from_xdp(struct xdp_md *, __u64, struct bpf_dynptr *) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *, __u32, void *, __u32) __ksym;
extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *, __u64 *) __ksym;

unsigned int cfg_mtu = 1500;

SEC("?xdp")
int types(struct xdp_md *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	int pid = bpf_get_current_pid_tgid() & 0xffffffff, there = BPF_CORE_READ(task, pid);

	return bpf_core_type_exists(struct net_device) && pid == there ? XDP_DROP : XDP_ABORTED;
}

SEC("?xdp")
int context(struct xdp_md *ctx)
{
	struct xdp_buff *xdp = bpf_cast_to_kern_ctx(ctx);

	return xdp->rxq->dev->mtu == cfg_mtu ? XDP_DROP : XDP_ABORTED;
}

SEC("?xdp.frags")
int slice(struct xdp_md *ctx)
{
	struct bpf_dynptr frame;
	struct ethhdr room, *eth;

	if (bpf_dynptr_from_xdp(ctx, 0, &frame))
		return XDP_ABORTED;
	eth = bpf_dynptr_slice(&frame, 0, &room, sizeof(room));
	return eth && eth->h_proto ? XDP_DROP : XDP_ABORTED;
}

SEC("?xdp")
int metadata(struct xdp_md *ctx)
{
	__u64 at = 0;

	return bpf_xdp_metadata_rx_timestamp(ctx, &at) ? XDP_DROP : XDP_PASS; /* a veth has none for live frames */
}

char _license[] SEC("license") = "GPL";
