// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls - counts and times each call of one kernel function, which user space chooses before loading
 *
 * The program is attached only during a window of its own. In a recursion only the outermost call is timed. A time
 * includes the functions that the function calls. A call is counted but not timed when another task preempts it and
 * calls the same function.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf/layout.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct call_count);
} call_counts SEC(".maps");

static __always_inline struct call_count *mine(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&call_counts, &key);
}

SEC("fentry")
int BPF_PROG(enter)
{
	struct call_count *c = mine();

	if (!c)
		return 0;
	c->calls++;
	if (c->depth++)
		return 0;
	c->tid = (__u32)bpf_get_current_pid_tgid();
	c->since_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit")
int BPF_PROG(leave)
{
	__u64 now = bpf_ktime_get_ns();
	struct call_count *c = mine();

	/* depth 0: the call began before this program was attached; depth > 1: an outer call is still running */
	if (!c || !c->depth || --c->depth)
		return 0;
	if (c->tid != (__u32)bpf_get_current_pid_tgid())
		return 0;
	c->timed++;
	c->ns += now - c->since_ns;
	return 0;
}

char _license[] SEC("license") = "GPL";
