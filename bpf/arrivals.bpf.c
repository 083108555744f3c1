// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arrivals - packets that a device's NAPI polls took up, counted for a program under test that counts nothing itself
 *
 * The tracepoint comes after each poll, which takes up to 64 packets, so counting costs one run of this program for
 * each poll and nothing for each packet. The counts have the layout of those of our own programs (layout.h).
 */
#include "bpf/maps.bpf.h"
#include "bpf/kernel.bpf.h"

/* Set when the program under test is attached; 0: count nothing. */
volatile int ifindex = 0;
volatile unsigned int netns_inum = 0;

SHARED_ARRAY(counts, 1, struct bench_counts);

SEC("tp_btf/napi_poll")
int BPF_PROG(arrivals, struct napi_struct *napi, int work, int budget)
{
	struct bench_counts *c;
	__u32 key = 0;

	if (work <= 0 || !is_device(napi->dev, ifindex, netns_inum))
		return 0;
	c = bpf_map_lookup_elem(&counts, &key);
	if (c)
		c->cpus[bpf_get_smp_processor_id() & (BENCH_CPUS - 1)].verdicts[BENCH_UNTOLD] += work;
	return 0;
}
