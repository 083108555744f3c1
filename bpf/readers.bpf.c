// SPDX-License-Identifier: GPL-2.0-or-later
/* readers - the programs of the receive ladder that hand each frame to a thread: of a cpumap, at an AF_XDP socket */
#include "bpf/maps.bpf.h"

const volatile __u32 cfg_cpu = 0;       /* of the cpumap's thread */
const volatile __u32 cfg_count_cpu = 0; /* the entry of the map that it counts in */

MAP(to_cpu, CPUMAP, 1, __u32, struct bpf_cpumap_val); /* set to the number of possible CPUs before loading */
MAP(to_socket, XSKMAP, 1, __u32, __u32);

/* The reader's own map. */
SHARED_ARRAY(read_counts, 1, struct bench_counts);

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
