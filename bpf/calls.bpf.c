// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls - counts and times each call of one kernel function, which user space chooses before loading
 *
 * The program is attached only during a window of its own. In a recursion only the outermost call is timed. A time
 * includes the functions that the function calls, and the time that the task slept or was preempted in it. A call
 * counts on the CPU where it began. Its time counts on the CPU where it ended: a task may move to another CPU between
 * the two. A call of a task for which the table of running calls has no room is counted and not timed.
 */
#include "bpf/maps.bpf.h"

/* A power of two. Entries of tasks stay until the program is unloaded, and are used again. */
#define TASKS      8192
#define IDLE_TASKS (1u << 31) /* each CPU's idle task has the number 0; no task has a number as high as this */

MAP(call_counts, PERCPU_ARRAY, 1, __u32, struct call_count);

/* The calls of a task that have begun and not ended. Interrupts nest in the calls of the task that they interrupt. */
struct running {
	__u64 since_ns; /* beginning of the outermost call */
	__u64 depth;    /* recursion: calls entered and not yet left */
};

MAP(running_calls, HASH, TASKS, __u32, struct running);

static __always_inline struct call_count *mine(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&call_counts, &key);
}

static __always_inline __u32 this_task(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	return tid ?: IDLE_TASKS | bpf_get_smp_processor_id();
}

SEC("fentry")
int BPF_PROG(enter)
{
	struct running first = {.depth = 1}, *r;
	struct call_count *c = mine();
	__u32 task = this_task();

	if (!c)
		return 0;
	c->calls++;
	r = bpf_map_lookup_elem(&running_calls, &task);
	if (!r) {
		first.since_ns = bpf_ktime_get_ns();
		bpf_map_update_elem(&running_calls, &task, &first, BPF_NOEXIST);
		return 0;
	}
	if (!r->depth)
		r->since_ns = bpf_ktime_get_ns();
	r->depth++;
	return 0;
}

SEC("fexit")
int BPF_PROG(leave)
{
	__u64 now = bpf_ktime_get_ns();
	struct call_count *c = mine();
	__u32 task = this_task();
	struct running *r = bpf_map_lookup_elem(&running_calls, &task);

	/* depth 0: the call began before this program was attached; depth > 1: an outer call is still running */
	if (!c || !r || !r->depth || --r->depth)
		return 0;
	c->timed++;
	c->ns += now - r->since_ns;
	return 0;
}
