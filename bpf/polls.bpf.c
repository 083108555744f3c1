// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * polls - packets per NAPI poll of one device, from the napi_poll tracepoint
 *
 * Where the device's NAPI runs in a thread, the program also sums the time of NET_RX softirqs that run inside this
 * thread: they poll other devices, such as the sink.
 * It is loaded once per run and stays attached. User space switches it on with one store, so a window without it costs
 * only a load and a branch per poll and per softirq.
 */
#include "bpf/maps.bpf.h"
#include "bpf/kernel.bpf.h"

const volatile int cfg_ifindex = 0;
const volatile unsigned int cfg_netns_inum = 0;

const volatile __u32 cfg_tid = 0; /* thread ID of the NAPI thread; 0: there is none */

_Bool enabled = 0;
__u64 enabled_at_ns = 0; /* a softirq that began earlier is not counted */

MAP(poll_counts, PERCPU_ARRAY, 1, __u32, struct poll_count);

SEC("tp_btf/napi_poll")
int BPF_PROG(napi_poll, struct napi_struct *napi, int work, int budget)
{
	struct poll_count *c;
	__u32 key = 0, bucket;

	if (!enabled || !is_device(napi->dev, cfg_ifindex, cfg_netns_inum))
		return 0;
	c = bpf_map_lookup_elem(&poll_counts, &key);
	if (!c)
		return 0;
	bucket = work < 0 ? 0 : work;
	if (bucket >= POLL_BUCKETS)
		bucket = POLL_BUCKETS - 1;
	c->polls++;
	c->packets += work;
	c->empty += !work;
	c->hist[bucket]++;
	return 0;
}

static struct poll_count *in_thread(unsigned int vector)
{
	__u32 key = 0;

	if (!enabled || vector != NET_RX_SOFTIRQ || !cfg_tid || (__u32)bpf_get_current_pid_tgid() != cfg_tid)
		return 0;
	return bpf_map_lookup_elem(&poll_counts, &key);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_begin, unsigned int vector)
{
	struct poll_count *c = in_thread(vector);

	if (c)
		c->softirq_since_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_end, unsigned int vector)
{
	struct poll_count *c = in_thread(vector);

	if (c && c->softirq_since_ns >= enabled_at_ns && c->softirq_since_ns)
		c->softirq_ns += bpf_ktime_get_ns() - c->softirq_since_ns;
	if (c)
		c->softirq_since_ns = 0;
	return 0;
}
