// SPDX-License-Identifier: GPL-2.0-or-later
/* readers - the programs of the receive ladder that hand each frame to a thread: of a cpumap, at an AF_XDP socket */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "bpf/layout.h"

const volatile __u32 cfg_cpu = 0;       /* of the cpumap's thread */
const volatile __u32 cfg_count_cpu = 0; /* the entry of the map that it counts in */

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1); /* set to the number of possible CPUs before loading */
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} to_cpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} to_socket SEC(".maps");

/* The reader's own map (reader.h). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bench_counts);
} read_counts SEC(".maps");

SEC("xdp")
int xdp_to_cpu(struct xdp_md *ctx)
{
	return bpf_redirect_map(&to_cpu, cfg_cpu, 0);
}

/* Runs in the cpumap's thread. */
SEC("xdp/cpumap")
int second_program(struct xdp_md *ctx)
{
	__u32 key = 0;
	struct bench_counts *c = bpf_map_lookup_elem(&read_counts, &key);

	if (c)
		c->cpus[cfg_count_cpu & (BENCH_CPUS - 1)].verdicts[XDP_DROP]++;
	return XDP_DROP;
}

SEC("xdp")
int xdp_to_socket(struct xdp_md *ctx)
{
	return bpf_redirect_map(&to_socket, ctx->rx_queue_index, 0);
}

char _license[] SEC("license") = "GPL";
