// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * edges - reads the clock of the receiver's work for user space, at the edges of the turns of one device's programs
 *
 * The receiver is the thread of the device's NAPI (cfg_crossing), or the device's polls in softirqs (cfg_split).
 */
#include "bpf/maps.bpf.h"
#include "bpf/work_clock.bpf.h"

SEC("syscall")
int read_edge(struct work_edge *e)
{
	__u64 now = 0;

	receiver.tid = e->tid;
	receiver.ifindex = e->ifindex;
	receiver.netns = e->netns;
	e->own_ns = own_clock(&now);
	e->stamps = work.stamps;
	e->at_ns = now;
	return 0;
}
