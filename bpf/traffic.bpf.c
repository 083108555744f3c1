// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traffic - the program of the live-frame generator: BPF_PROG_TEST_RUN runs it, and it sends each frame out of a device
 *
 * The kernel uses the pages of frames again and does not rewrite them: a frame that the receiver changed is sent as
 * changed. cfg_write restores the header and writes a number into the frame, unless it has a checksum. The write also
 * takes the frame's cache line away from the receiver's CPU, as a NIC's DMA would. Frames from a list are always
 * written.
 */
#include "bpf/maps.bpf.h"
#include "bpf/frames.bpf.h"

const volatile __u32 cfg_ifindex = 0;
const volatile _Bool cfg_checksum = 0;
const volatile __u64 cfg_gap_ns = 0; /* time between two frames; 0: as fast as it goes */
const volatile __u32 cfg_batch = 1;  /* frames that the kernel hands to the device at once */
/* the most frames sent and not yet counted: by the program under test, and by the second stage; 0: no limit */
const volatile __u32 cfg_window = 0, cfg_stage_window = 0;
const volatile __u32 cfg_rx_cpu = 0; /* the CPU on which the program under test counts */
/* no frame counted for so long: the frames under way were lost somewhere else */
const volatile __u64 cfg_patience_ns = 0;
/* the CPU of the second stage: the frames it received are counted there; frames lost before it, on cfg_rx_cpu */
const volatile __u32 cfg_stage_cpu = 0;

__u64 seq = 0;     /* frames handed to the device by this run */
__u64 due_ns = 0;  /* when the next frame is due, without late_ns */
__u64 late_ns = 0; /* delay of the frames of the current batch */

/*
 * Steps of one wait, about 25 ns each. The verifier needs a bound, and this bound is longer than the longest gap. The
 * delay late_ns of a large batch may be longer still: such a batch leaves early, but within its own time span.
 */
#define PACE_STEPS (1 << 20)

/* The counts of the program under test; with cfg_window this map is the program's own. */
SHARED_ARRAY(counts, 1, struct bench_counts);

/* The counts of the second stage; with cfg_stage_window this map is the one that the second stage fills. */
SHARED_ARRAY(stage_counts, 1, struct redirect_count);

/*
 * As long as the generator is faster than the receiver, a window keeps the receiver's ring from overflowing and from
 * running dry. A read of the receiver's counter takes its cache line away for a moment. So the generator reads it once
 * per LOOK_FRAMES frames, at the time by which these frames should be counted.
 */
#define LOOK_FRAMES      64
#define PATIENCE_STEP_NS 1000000ULL /* counts at most between two looks: the machine, too, may stand still */
#define LOST_TIMES       10         /* after more such losses the window is ignored: it would only slow the generator */

struct loop {
	__u64 room_until; /* frames with numbers below this one may be sent */
	__u64 due_ns;     /* time of the next look at the counter */
	__u64 counted;    /* the counter at the last look */
	__u64 counted_ns; /* time of the last look at which the counter had changed; 0: no look yet */
	__u64 looked_ns;  /* time of the last look */
	__u64 waited_ns;  /* since the counter had changed */
	__u64 frame_ns;   /* estimate of the receiver's time per frame */
	__u64 offset;     /* a frame's number minus its number in the counter */
	__u32 lost_times;
};

/* volatile: without it clang splits these structs into their members and drops their BTF */
static volatile struct loop receiver, stage;

static long wait_due(__u32 step, void *ctx)
{
	return bpf_ktime_get_ns() >= due_ns + late_ns;
}

/*
 * Batches at regular intervals would keep step with the clock that takes samples, and the samples would always hit the
 * same part of the receiver's work. So each batch leaves at another moment of its own time span: late_ns moves by at
 * most 1/16 of the span from one batch to the next. Larger moves would change what is measured: the cost of a packet
 * depends on how long the receiver slept, and with fully random moments it was 1.3 to 1.8 times as high on the rig.
 */
static __always_inline void pace(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (seq % cfg_batch == 0) {
		__u64 span_ns = cfg_batch * cfg_gap_ns, step_ns = (span_ns >> 3) * (bpf_get_prandom_u32() >> 16) >> 16;
		__s64 late = late_ns + step_ns - (span_ns >> 4);

		late_ns = late < 0 ? -late : (late > (__s64)span_ns) ? 2 * span_ns - late : late;
	}
	if (now < due_ns + late_ns)
		bpf_loop(PACE_STEPS, wait_due, 0, 0);
	else if (now > due_ns + 1000000 + (cfg_batch + 8) * cfg_gap_ns)
		due_ns = now; /* frames that a long pause missed are not sent later */
	due_ns += cfg_gap_ns;
}

/*
 * Updates frame_ns with a new measurement. It falls at once and rises slowly: a wait too long lets the ring run
 * dry.
 */
static __always_inline void learn_frame_ns(volatile struct loop *l, __u64 ns)
{
	__u64 most = l->frame_ns + l->frame_ns / 8 + 1;

	l->frame_ns = l->frame_ns && ns > most ? most : ns;
}

static __always_inline bool has_room(volatile struct loop *l, __u64 sum, __u32 window, __u64 now)
{
	__u64 step_ns = now - l->looked_ns;
	bool moved = sum != l->counted, lost;

	l->looked_ns = now;
	l->waited_ns += step_ns < PATIENCE_STEP_NS ? step_ns : PATIENCE_STEP_NS;
	lost = !moved && l->waited_ns > cfg_patience_ns;
	if (l->counted_ns && moved)
		learn_frame_ns(l, (now - l->counted_ns) / (sum - l->counted));
	if (!l->counted_ns || lost)
		l->offset = seq - sum;
	l->lost_times += l->counted_ns && lost;
	if (!l->counted_ns || moved || lost) {
		l->counted_ns = now;
		l->waited_ns = 0;
	}
	l->counted = sum;
	l->due_ns = now + l->frame_ns * LOOK_FRAMES;
	l->room_until = sum + l->offset + window;
	return seq < l->room_until;
}

static __always_inline bool may_send(const volatile struct loop *l)
{
	return seq < l->room_until || l->lost_times > LOST_TIMES;
}

static long wait_counted(__u32 step, void *ctx)
{
	struct bench_counts *c;
	__u64 now = bpf_ktime_get_ns(), sum = 0;
	__u32 key = 0;

	if (now < receiver.due_ns)
		return 0;
	c = bpf_map_lookup_elem(&counts, &key);
	if (!c)
		return 1;
	for (int v = 0; v < BENCH_VERDICTS; v++)
		sum += *(volatile __u64 *)&c->cpus[cfg_rx_cpu & (BENCH_CPUS - 1)].verdicts[v];
	return has_room(&receiver, sum, cfg_window, now);
}

static __always_inline void await_room(void)
{
	if (!may_send(&receiver))
		bpf_loop(PACE_STEPS, wait_counted, 0, 0);
}

static __always_inline __u64 stage_done(__u32 cpu)
{
	volatile struct redirect_count *c = bpf_map_lookup_elem(&stage_counts, &cpu);

	return c ? c->frames + c->cpumap_drops + c->device_drops + c->errors : 0;
}

SEC("xdp")
int traffic(struct xdp_md *ctx)
{
	__u64 now, sum;

	/*
	 * Never waits for the second stage: where that runs on this CPU, it could not run and make room during the
	 * wait. The kernel lets other tasks run between two batches.
	 */
	if (cfg_stage_window && !may_send(&stage)) {
		now = bpf_ktime_get_ns();
		if (now < stage.due_ns)
			return XDP_DROP;
		sum = stage_done(cfg_stage_cpu);
		if (cfg_stage_cpu != cfg_rx_cpu)
			sum += stage_done(cfg_rx_cpu);
		if (!has_room(&stage, sum, cfg_stage_window, now))
			return XDP_DROP;
	}
	if (cfg_gap_ns)
		pace();
	else if (cfg_window)
		await_room();
	if (cfg_list_frames) {
		if (put_frame(ctx, seq))
			return XDP_ABORTED;
	} else if (cfg_write || cfg_flows > 1) {
		write_frame(ctx, seq, !cfg_checksum);
	}
	seq++;
	return bpf_redirect(cfg_ifindex, 0);
}
