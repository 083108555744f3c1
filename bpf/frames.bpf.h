/*
 * frames - the generator's frames, its own or those of a list, put into the packets of a live-frame run
 *
 * units: bytes
 * law:   every frame of a list is written whole: the kernel uses pages again with what the receiver left in them
 */
#ifndef BPF_FRAMES_H
#define BPF_FRAMES_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include "bpf/maps.bpf.h"

const volatile __u32 cfg_flows = 1;
const volatile __u16 cfg_first_port = 0;
const volatile _Bool cfg_write = 0;
const volatile __u8 cfg_macs[12] = {};    /* destination, source */
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

/* The generator's own frame; numbered: the payload begins with its number. */
static __always_inline void write_frame(struct xdp_md *ctx, __u64 number, bool numbered)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct udphdr *udp = (void *)(eth + 1) + sizeof(struct iphdr);
	__u64 *payload = (void *)(udp + 1);

	if ((void *)(payload + 1) > (void *)(long)ctx->data_end)
		return;
	if (cfg_write) {
		for (int i = 0; i < 12; i++)
			((__u8 *)eth)[i] = cfg_macs[i];
		eth->h_proto = bpf_htons(ETH_P_IP);
		if (numbered)
			__builtin_memcpy(payload, &number, sizeof(number));
	}
	if (cfg_flows > 1)
		udp->source = bpf_htons(cfg_first_port + number % cfg_flows);
}

#endif
