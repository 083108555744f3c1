// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch - counts and times the NAPI polls of all devices, where nobody has touched the path
 *
 * in:    cfg_netns: whose devices are watched; by_ifindex and by_tid: the slot of each device and of each of its NAPI
 *        threads. User space may change both tables at any time
 * out:   watch_counts (struct watch_polls), for each CPU an entry for each slot. No event leaves the kernel
 * law:   every poll is counted once, in one slot. A poll in a softirq that is timed took the time since the end of the
 *        poll before, or since the beginning of the softirq. A NAPI thread took its time on the CPU, less the NET_RX
 *        softirqs inside. Polls that a socket asked for (SO_BUSY_POLL), and those of a thread that is in no table yet,
 *        or whose coming the kernel did not trace, are counted and not timed
 * src:   which softirq is timed is drawn at random: softirqs alternate between full polls and empty ones, so that a
 *        fixed period always times the same kind. How long a softirq goes on after its last poll, as skbs are freed
 *        that another CPU handed back, is seen by a program at softirq_exit, which costs as much as the clock does: it
 *        is there for a part of the time. While `measuring` is set, the cost of these programs is measured: the clock
 *        is read first, and devices and counts, in no cache at low rates, are found after it, so that the reading of a
 *        program behind this one is later by all that this one costs
 */
#include "bpf/maps.bpf.h"
#include "bpf/kernel.bpf.h"

#define MEASURED_EVERY 4 /* softirqs that are timed stay the rare case, which costs more, while that is measured */

const volatile __u32 cfg_netns = 0;
const volatile __u32 cfg_every = WATCH_EVERY; /* 0: no softirq is timed; 1: all are */

struct watch_key by_ifindex[WATCH_KEYS], by_tid[WATCH_KEYS];
volatile __u32 unknown_threads[WATCH_SLOTS]; /* a NAPI thread of this slot that is in no table; 0: none was seen */
volatile __u32 threads SEC(".data") = 0;     /* there are threads in by_tid, and the programs that time them run */
volatile __u32 measuring SEC(".data") = 0;   /* own costs; more softirqs are timed meanwhile */

SHARED_ARRAY(watch_counts, WATCH_SLOTS, struct watch_polls); /* times the number of CPUs */
SHARED_ARRAY(watch_cpus, 1, struct watch_cpu);               /* for each CPU */

static __always_inline struct watch_cpu *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&watch_cpus, &cpu);
}

static __always_inline struct watch_polls *entry_of(__u32 slot)
{
	__u32 key = bpf_get_smp_processor_id() * WATCH_SLOTS + slot;

	return bpf_map_lookup_elem(&watch_counts, &key);
}

static __always_inline __u32 slot_of(const struct net_device *dev)
{
	const struct watch_key *k;

	if (!dev)
		return WATCH_BACKLOG;
	k = &by_ifindex[(__u32)dev->ifindex % WATCH_KEYS];
	return k->key == (__u32)dev->ifindex && dev->nd_net.net->ns.inum == cfg_netns ? k->slot % WATCH_SLOTS
										      : WATCH_OTHER;
}

static __always_inline void count_in_thread(struct watch_cpu *c, struct watch_polls *e, __u32 slot, __u32 done)
{
	if (!c->thread_since_ns || c->thread_slot != slot) {
		__u32 tid = (__u32)bpf_get_current_pid_tgid();
		const struct watch_key *k = &by_tid[tid % WATCH_KEYS];

		/* It is not timed: it ran before it was watched, its coming was not traced, or it is not known. */
		if (k->key != tid || k->slot != slot) {
			unknown_threads[slot] = tid;
			return;
		}
		if (!threads)
			return;
		c->thread_slot = slot;
		c->thread_tid = tid;
		c->thread_since_ns = bpf_ktime_get_ns();
		return;
	}
	e->thread_polls++;
	e->thread_packets += done;
}

static __always_inline void add_own(struct watch_own *own, __u64 ns)
{
	__u64 bucket = ns / WATCH_OWN_NS;

	if (bucket < WATCH_OWN_BUCKETS)
		own->hist[bucket]++;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(watch_poll, struct napi_struct *napi, int work, int budget)
{
	struct watch_cpu *c = this_cpu();
	__u64 now = c && (c->timing || measuring) ? bpf_ktime_get_ns() : 0;
	__u32 slot = slot_of(napi->dev), done = work < 0 ? 0 : work, bucket;
	struct watch_polls *e = entry_of(slot);

	if (!e || !c)
		return 0;
	/* Polls run in the thread of their NAPI, in softirqs, or in a process that polls for its socket. */
	if (bpf_core_field_exists(napi->thread) && napi->thread && (__u64)napi->thread == bpf_get_current_task()) {
		c->timing = 0; /* the softirq before it has ended */
		count_in_thread(c, e, slot, done);
	} else if (budget != napi->weight || napi->state & 1UL << NAPI_STATE_IN_BUSY_POLL) {
		/* busy_poll_stop() polls once more, with the budget of the socket, after it has cleared the bit. */
		c->timing = 0;
	} else {
		e->softirq_polls++;
		e->softirq_packets += done;
		if (c->timing) { /* a poll of a softirq that is timed ended now */
			if (c->timing != WATCH_POLLED)
				e->timed_softirqs++;
			c->timing = WATCH_POLLED;
			c->slot = slot;
			e->timed_polls++;
			e->timed_packets += done;
			e->timed_ns += now - c->last_ns;
			c->last_ns = now;
		}
	}
	for (bucket = 0; bucket < WATCH_HIST - 1 && done >> bucket; bucket++)
		;
	e->packets += done;
	e->full += done >= (__u32)budget;
	e->hist[bucket]++;
	if (!e->poll_ip)
		e->poll_ip = (__u64)napi->poll;
	c->poll_at_ns = measuring ? now : 0;
	return 0;
}

/* ---- own costs: programs that are attached for a while behind the one above, in this order ----------------------- */

/* Two readings in a row are one reading apart; that of watch_poll lies before the first by its counting, too. */
SEC("tp_btf/napi_poll")
int BPF_PROG(watch_poll_again, struct napi_struct *napi, int work, int budget)
{
	struct watch_cpu *c = this_cpu();
	__u64 first, second;

	if (!c || !c->poll_at_ns)
		return 0;
	first = bpf_ktime_get_ns();
	second = bpf_ktime_get_ns();
	add_own(&c->poll, first - c->poll_at_ns);
	add_own(&c->clock, second - first);
	c->poll_at_ns = 0;
	c->last_ns = bpf_ktime_get_ns();
	return 0;
}

/* A softirq that used up its budget, or that was left by another one, ends here at the latest. */
SEC("tp_btf/softirq_entry")
int BPF_PROG(watch_softirq, unsigned int vector)
{
	struct watch_cpu *c = this_cpu();

	if (!c)
		return 0;
	c->timing = 0;
	if (vector != NET_RX_SOFTIRQ)
		return 0;
	if (c->thread_since_ns)
		c->softirq_ns = bpf_ktime_get_ns();
	if (cfg_every) {
		__u32 every = measuring && cfg_every > MEASURED_EVERY ? MEASURED_EVERY : cfg_every;

		if (c->wait) {
			c->wait--;
			return 0;
		}
		c->wait = every > 1 ? bpf_get_prandom_u32() % (2 * every - 1) : 0;
		c->timing = 1;
		c->last_ns = bpf_ktime_get_ns();
	}
	return 0;
}

/* Attached for a while behind the program above. */
SEC("tp_btf/softirq_entry")
int BPF_PROG(watch_softirq_again, unsigned int vector)
{
	struct watch_cpu *c = this_cpu();

	if (!c || vector != NET_RX_SOFTIRQ || !c->timing)
		return 0;
	add_own(&c->entry, bpf_ktime_get_ns() - c->last_ns);
	c->last_ns = bpf_ktime_get_ns();
	return 0;
}

/* Attached for a part of the time, and always where threads are watched: softirqs in their time poll other devices. */
SEC("tp_btf/softirq_exit")
int BPF_PROG(watch_softirq_end, unsigned int vector)
{
	struct watch_cpu *c = this_cpu();

	if (!c || vector != NET_RX_SOFTIRQ)
		return 0;
	if (c->timing == WATCH_POLLED && !measuring) {
		__u64 now = bpf_ktime_get_ns();
		struct watch_polls *e = entry_of(c->slot % WATCH_SLOTS);

		if (e) {
			e->tails++;
			e->tail_ns += now - c->last_ns;
		}
	}
	c->timing = 0;
	if (c->softirq_ns && c->thread_since_ns)
		c->thread_since_ns += bpf_ktime_get_ns() - c->softirq_ns;
	c->softirq_ns = 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(watch_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	const struct watch_key *k = &by_tid[next->pid % WATCH_KEYS];
	struct watch_cpu *c = this_cpu();
	bool comes =
		k->key == next->pid && next->flags & PF_KTHREAD && next->pid; /* no process with an ended one's ID */
	struct watch_polls *e;
	__u64 now;

	if (!c || (!c->thread_since_ns && !comes))
		return 0;
	now = bpf_ktime_get_ns();
	e = entry_of(c->thread_slot % WATCH_SLOTS);
	if (c->thread_since_ns && e && prev->pid == c->thread_tid) /* else it left without a trace: nobody knows when */
		e->thread_ns += now - c->thread_since_ns;
	c->softirq_ns = 0;
	c->thread_slot = comes ? k->slot % WATCH_SLOTS : 0;
	c->thread_tid = next->pid;
	c->thread_since_ns = comes ? now : 0;
	return 0;
}
