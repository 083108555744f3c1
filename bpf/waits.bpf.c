// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits - what tasks waited between wakeup and start while the kernel charged them for it already
 *
 * The scheduler charges a task from what its run queue's clock shows when it comes to the CPU to what that shows when
 * it goes. A wakeup that makes the running task give way brings the clock up to date and has it not looked at again
 * until the switch is done (wakeup_preempt() and rq_clock_skip_update(), kernel/sched/core.c, Linux 6.18): the task
 * that comes is charged from its wakeup on, and the one that goes not for its last moments. So of each turn on the CPU
 * it is taken how far that clock was behind at its beginning, less how far at its end. What a hypervisor or interrupts
 * took since, and the kernel did not charge (clock_task), is not taken out once more: it may have been of the wait. A
 * turn whose beginning or end was not seen counts as the kernel charged it, and so does a long one: its wait is nothing
 * against it, and the two clocks run apart.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf/layout.h"

#define LONG_TURN_NS 100000000 /* at 500 ppm, the most that NTP slews, 50 us */

/* The few kernel members that are read, relocated to the running kernel by CO-RE. */
struct rq {
	__u64 clock;
	__u64 clock_task; /* without what was stolen, and interrupts where the kernel accounts them */
} __attribute__((preserve_access_index));

struct cfs_rq {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity {
	struct cfs_rq *cfs_rq; /* of its CPU, whatever its scheduling class */
} __attribute__((preserve_access_index));

struct task_struct {
	int pid;
	struct sched_entity se;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAITS_TASKS);
	__type(key, __u32);
	__type(value, struct task_waits);
} task_waits SEC(".maps");

static __always_inline struct task_waits *waits_of(__u32 tid)
{
	return tid ? bpf_map_lookup_elem(&task_waits, &tid) : 0; /* 0 is the idle task, which nobody asks for */
}

static __always_inline __s64 clocks_apart(const struct task_struct *p)
{
	const struct rq *rq = p->se.cfs_rq->rq;

	return rq->clock - rq->clock_task;
}

/* The two clocks begin at different times; only the difference of two such figures means something. */
static __always_inline __s64 clock_behind(__u64 now_ns, const struct task_struct *p)
{
	return now_ns - p->se.cfs_rq->rq->clock;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct task_waits *goes = waits_of(prev->pid), *comes = waits_of(next->pid);
	__s64 charged_ns, not_charged_ns;
	__u64 now_ns;

	if (goes) {
		now_ns = bpf_ktime_get_ns();
		if (goes->came_ns && now_ns - goes->came_ns < LONG_TURN_NS) {
			charged_ns = goes->behind_ns - clock_behind(now_ns, prev);
			not_charged_ns = clocks_apart(prev) - goes->apart_ns;
			if (charged_ns > 0)
				charged_ns = charged_ns > not_charged_ns ? charged_ns - not_charged_ns : 0;
			goes->charged_ns += charged_ns;
		}
		goes->came_ns = 0;
	}
	if (comes) {
		now_ns = bpf_ktime_get_ns();
		comes->behind_ns = clock_behind(now_ns, next);
		comes->apart_ns = clocks_apart(next);
		comes->came_ns = now_ns;
	}
	return 0;
}

char _license[] SEC("license") = "GPL";
