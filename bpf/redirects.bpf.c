// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * redirects - the fate of frames that were redirected through one map, counted at the kernel's tracepoints
 *
 * A program is loaded only where no cheaper counter reports the same number. The programs on the RX CPU run once per
 * bulk of 8 (cpumap) or 16 (devmap) frames; xdp_redirect_err runs only for frames that are lost.
 */
#include "bpf/maps.bpf.h"
#include "bpf/kernel.bpf.h"

const volatile int cfg_map_id = 0;
const volatile int cfg_ifindex = 0; /* of the device that frames are redirected to */
const volatile unsigned int cfg_netns_inum = 0;

SHARED_ARRAY(redirect_counts, 1, struct redirect_count); /* set to the number of possible CPUs before loading */

static struct redirect_count *here(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&redirect_counts, &cpu);
}

SEC("tp_btf/xdp_cpumap_enqueue")
int BPF_PROG(xdp_cpumap_enqueue, int map_id, unsigned int processed, unsigned int drops, int to_cpu)
{
	/* Without drops nothing is written: a write would take the cache line away from CPUs that read it. */
	struct redirect_count *c = drops && map_id == cfg_map_id ? here() : 0;

	if (c)
		c->cpumap_drops += drops;
	return 0;
}

SEC("tp_btf/xdp_cpumap_kthread")
int BPF_PROG(xdp_cpumap_kthread, int map_id, unsigned int processed)
{
	struct redirect_count *c = map_id == cfg_map_id ? here() : 0;

	if (c)
		c->frames += processed;
	return 0;
}

SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(xdp_devmap_xmit, const struct net_device *from, const struct net_device *to, int sent, int drops)
{
	struct redirect_count *c;

	if (!is_device(to, cfg_ifindex, cfg_netns_inum))
		return 0;
	c = here();
	if (c)
		c->device_drops += drops;
	return 0;
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(xdp_redirect_err, const struct net_device *dev, const void *xdp, const void *to, int err, int map_type,
	     int map_id)
{
	struct redirect_count *c = map_id == cfg_map_id ? here() : 0;

	if (c)
		c->errors++;
	return 0;
}
