/*
 * work_clock - the clock of the receiver's work: how long the RX CPU worked for one device
 *
 * units: ns
 * law:   on one CPU it is the time between entry and exit of NET_RX softirqs, with cfg_split only that of the
 *        receiver's polls. With cfg_crossing it is the time that the receiver's NAPI kthread is on the CPU, less the
 *        NET_RX softirqs inside
 */
#ifndef BPF_WORK_CLOCK_H
#define BPF_WORK_CLOCK_H

#include "bpf/kernel.bpf.h"
#include "bpf/maps.bpf.h"

const volatile _Bool cfg_crossing = 0;
const volatile _Bool cfg_split = 0; /* other devices are polled in the same softirqs; tell them apart poll by poll */
const volatile __u32 cfg_rx_cpu = 0;

/* Written by user space. */
volatile __u32 foreign = 0; /* keep the polls of other devices */

/* Written by the programs below, read by user space. */
volatile __u32 foreigns = 0;
struct clock_pairs again[2] = {};

SHARED_ARRAY(turn_foreigns, TURN_FOREIGN, struct turn_foreign);

/* Whose work it is: the thread of the receiver's NAPI (0: none), and the device in its network namespace. */
struct receiver {
	__u32 tid, ifindex, netns;
};
static volatile struct receiver receiver;

/*
 * The clock of the receiver's work, written on the RX CPU, in a cache line of its own: on two CPUs the generator reads
 * it twice a turn. volatile: without it clang splits these structs into their members and drops their BTF.
 */
struct work_clock {
	__u64 own_ns;     /* of softirqs or turns on the CPU that have ended */
	__u64 softirq_ns; /* with cfg_crossing: of the NET_RX softirqs on this CPU */
	__u64 since_ns;   /* the beginning of the one that runs now; 0: none */
	__u64 softirq_since_ns;
	__u64 last_ns; /* with cfg_split: the end of the last poll in this softirq */
	__u64 stamps;
	__u64 last_foreign; /* with cfg_split: that poll was of another device */
	__u64 unused;
} __attribute__((aligned(64)));
static volatile struct work_clock work;

struct reading {
	__u64 now, own;
};

/* 1: nothing came between. */
static long read_clock(__u32 try, void *ctx)
{
	__u64 since = work.since_ns, own = work.own_ns, softirq = work.softirq_ns, now = bpf_ktime_get_ns();
	struct reading *r = ctx;

	r->now = now;
	r->own = own - softirq + (since && now > since ? now - since : 0);
	return since == work.since_ns && own == work.own_ns && softirq == work.softirq_ns;
}

/*
 * A NAPI kthread may run on the other CPU at this moment, so the readings are repeated until nothing came between.
 * bpf_loop(): Linux 6.1 refuses a loop whose way back is no jump, and clang may lay one out like that.
 */
static __always_inline __u64 own_clock(__u64 *now)
{
	struct reading r = {};

	if (cfg_crossing) {
		bpf_loop(8, read_clock, &r, 0);
		*now = r.now;
		return r.own;
	}
	*now = bpf_ktime_get_ns();
	return work.own_ns;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_begins, unsigned int vector)
{
	if (vector != NET_RX_SOFTIRQ || bpf_get_smp_processor_id() != cfg_rx_cpu)
		return 0;
	work.last_foreign = 0;
	work.softirq_since_ns = work.last_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_ends, unsigned int vector)
{
	__u64 ns;

	if (vector != NET_RX_SOFTIRQ || bpf_get_smp_processor_id() != cfg_rx_cpu || !work.softirq_since_ns)
		return 0;
	ns = bpf_ktime_get_ns() - work.last_ns;
	if (!cfg_crossing)
		work.own_ns += ns;
	else if (work.since_ns) /* else it interrupted another task, and is in nobody's time on the CPU */
		work.softirq_ns += ns;
	work.stamps++;
	work.softirq_since_ns = 0;
	return 0;
}

/*
 * Attached for a while as the second program of the same tracepoint: the time since the first one's clock reading is
 * what a pair of readings adds to what is between them.
 */
SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_begins_again, unsigned int vector)
{
	struct clock_pairs *p = &again[0];
	__u64 ns;

	if (vector != NET_RX_SOFTIRQ || bpf_get_smp_processor_id() != cfg_rx_cpu || !work.softirq_since_ns)
		return 0;
	ns = bpf_ktime_get_ns() - work.softirq_since_ns;
	if (ns >= PAIR_MOST_NS)
		p = &again[1];
	p->n++;
	p->ns += ns;
	return 0;
}

/*
 * With cfg_split. The tracepoint fires after a poll, so this poll took the time since the end of the poll before. Polls
 * of the backlog are of no device, and count as those of another one.
 */
SEC("tp_btf/napi_poll")
int BPF_PROG(poll_ends, struct napi_struct *napi, int done_packets, int budget)
{
	__u32 key, last;
	struct turn_foreign *f;
	__u64 now;

	if (bpf_get_smp_processor_id() != cfg_rx_cpu || !work.softirq_since_ns)
		return 0;
	now = bpf_ktime_get_ns();
	if (is_device(napi->dev, receiver.ifindex, receiver.netns)) {
		work.own_ns += now - work.last_ns;
		work.stamps++;
		work.last_foreign = 0;
	} else {
		__u64 from_ns = work.last_ns;

		key = foreigns;
		last = key - 1;
		if (foreign) { /* polls that follow each other are kept as one */
			f = bpf_map_lookup_elem(&turn_foreigns, &last);
			if (f && work.last_foreign) {
				f->to_ns = now;
			} else {
				f = bpf_map_lookup_elem(&turn_foreigns, &key);
				if (f) {
					f->from_ns = from_ns;
					f->to_ns = now;
					foreigns = key + 1;
				}
			}
		}
		work.last_foreign = 1;
		if (foreign)
			now = bpf_ktime_get_ns(); /* the time spent on keeping the poll belongs to no device */
	}
	work.last_ns = now;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 tid = receiver.tid;
	__u64 now;

	if (!tid || bpf_get_smp_processor_id() != cfg_rx_cpu)
		return 0;
	if (prev->pid != tid && next->pid != tid)
		return 0;
	now = bpf_ktime_get_ns();
	if (prev->pid == tid && work.since_ns) {
		work.own_ns += now - work.since_ns;
		work.since_ns = 0;
	}
	if (next->pid == tid)
		work.since_ns = now;
	return 0;
}

#endif
