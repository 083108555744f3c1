// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits - the time that tasks waited for the CPU after their wakeup, as far as the kernel charged it as time on
 * the CPU
 *
 * The scheduler charges a slice of a task on the CPU as the difference of two readings of the run queue's clock: one at
 * the switch to the task, one at the switch away from it. When a wakeup preempts the running task, the kernel updates
 * this clock at the wakeup and not again before the switch is done (wakeup_preempt() and rq_clock_skip_update(),
 * kernel/sched/core.c, Linux 6.18). So the new task is charged from its wakeup on, and the old task is not charged for
 * its last moments.
 *
 * This program compares the run queue's clock with the time. For each slice it adds how far the clock was behind at the
 * beginning of the slice, minus how far it was behind at the end. The kernel does not charge the time that a hypervisor
 * or interrupts took (clock_task). This time may have been part of the wait, so the program subtracts it from the sum
 * of the slice, down to 0 at the lowest.
 *
 * Two kinds of slices add nothing: a slice whose beginning or end was not seen, and a slice longer than LONG_SLICE_NS.
 * The wait of such a long slice is tiny beside the slice, while the two clocks drift apart.
 */
#include "bpf/maps.bpf.h"

#define LONG_SLICE_NS 100000000 /* the clocks drift apart by at most 50 us in it: NTP slews by at most 500 ppm */

/* The few kernel members that this program reads. CO-RE relocates them to the running kernel. */
struct rq {
	__u64 clock;
	__u64 clock_task; /* clock without stolen time, and without interrupts where the kernel accounts them */
} __attribute__((preserve_access_index));

struct cfs_rq {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity {
	struct cfs_rq *cfs_rq; /* of the task's CPU; set for tasks of every scheduling class */
} __attribute__((preserve_access_index));

struct task_struct {
	int pid;
	struct sched_entity se;
} __attribute__((preserve_access_index));

MAP(task_waits, HASH, WAITS_TASKS, __u32, struct task_waits);

static __always_inline struct task_waits *waits_of(__u32 tid)
{
	return tid ? bpf_map_lookup_elem(&task_waits, &tid) : 0; /* 0 is the idle task, which is never watched */
}

static __always_inline __s64 clocks_apart(const struct task_struct *p)
{
	const struct rq *rq = p->se.cfs_rq->rq;

	return rq->clock - rq->clock_task;
}

/* The two clocks have different zero points, so only the difference of two results has a meaning. */
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
		if (goes->came_ns && now_ns - goes->came_ns < LONG_SLICE_NS) {
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
