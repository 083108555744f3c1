/*
 * frames - the generator's frames from a list, put into the packets of a live-frame run
 *
 * units: bytes
 * law:   every frame is written whole, because the kernel uses pages again with what the receiver left in them
 */
#ifndef BPF_FRAMES_H
#define BPF_FRAMES_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>
#include "bpf/layout.h"

const volatile __u32 cfg_list_frames = 0; /* how many there are; 0: the generator's own frames are sent */
const volatile __u32 cfg_list_bytes = 0;  /* of the longest, and of every packet before its frame is put in */

/* The frames that are sent again and again, in their order; user space sets the size of its values. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 64);
} frames SEC(".maps");

static __always_inline long put_frame(struct xdp_md *ctx, __u64 number)
{
	__u32 key = number % cfg_list_frames, bytes;
	struct gen_frame_head *f = bpf_map_lookup_elem(&frames, &key);

	if (!f)
		return -1;
	bytes = f->bytes;
	if (bytes < ETH_HLEN || bytes > cfg_list_bytes || bpf_xdp_adjust_tail(ctx, (int)(bytes - cfg_list_bytes)))
		return -1;
	return bpf_xdp_store_bytes(ctx, 0, f + 1, bytes);
}

#endif
